# assay: one static binary for x86-64 and aarch64.  `make help` lists what there is.
ARCH ?= x86_64
VERSION := 0.1.0
B := build/$(ARCH)
KERNEL_TREE ?=

.DEFAULT_GOAL := all
unexport LIBRARY_PATH CPATH C_INCLUDE_PATH

include toolchain/$(ARCH).mk

# A file in src/DIR/$(ARCH)/ replaces the one of the same name in src/DIR/.
GENERIC := $(sort $(wildcard src/*/*.c))
SPECIAL := $(sort $(wildcard src/*/$(MACHINE)/*.c))
SOURCES := $(filter-out $(subst /$(MACHINE)/,/,$(SPECIAL)),$(GENERIC)) $(SPECIAL)
OBJECTS := $(SOURCES:%.c=$B/%.o) $B/board_files.o
BOARDS := $(sort $(wildcard board/*.json))
UNITS := $(patsubst tests/unit/%.c,$B/unit/%,$(sort $(wildcard tests/unit/*.c)))

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Werror
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE -DASSAY_VERSION='"$(VERSION)"' -MMD -MP
# Small, but for the loops that are timed or go through all of memory: there is no unwinding, and no separate pages for what is read only.
OPTIMIZE := -Oz $(SMALL) -fno-caller-saves -fno-tree-loop-im -fno-move-loop-invariants
CFLAGS += -std=gnu11 -g -pthread $(WARNINGS) -ffunction-sections -fdata-sections -ffile-prefix-map=$(CURDIR)=. \
	-fno-asynchronous-unwind-tables -fno-unwind-tables
LDFLAGS += -Wl,--gc-sections -Wl,--build-id=sha1 -Wl,-O2
$B/src/mem/$(MACHINE)/cache.o: OPTIMIZE := $(filter-out -mgeneral-regs-only,$(OPTIMIZE))
$(patsubst %,$B/src/mem/%.o,c2c chase filling integrity kernels_c loaded $(MACHINE)/kernels_arch): OPTIMIZE := -O2
$(patsubst %,$B/src/%.o,block/aio block/fill block/pattern block/place block/psync block/pump block/uring lib/random stat/histogram sys/clock sys/$(MACHINE)/call_arch): OPTIMIZE := -O2

all: $B/assay

# Every build calls the set-up: quick and quiet when nothing is missing.
.PHONY: setup
setup:
	@toolchain/setup

$(OBJECTS): | setup

$B/%.o: %.c Makefile toolchain/$(ARCH).mk
	@mkdir -p $(@D)
	@echo "  $(ARCH) $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) $(OPTIMIZE) -c -o $@ $<

$B/board_files.S: $(BOARDS) toolchain/embed Makefile
	@mkdir -p $(@D)
	@toolchain/embed $B/boards.gz $(BOARDS) >$@

$B/board_files.o: $B/board_files.S
	@$(CC) -c -o $@ $<

# The objects that the unit tests link with, too: all but main.
$B/libassay.a: $(OBJECTS)
	@rm -f $@ && $(AR) rcsD $@ $(filter-out %/cli/main.o,$(OBJECTS))

$B/assay.debug: $B/src/cli/main.o $B/libassay.a
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$B/assay: $B/assay.debug toolchain/check-binary
	@$(OBJCOPY) --strip-all $< $@.new
	@toolchain/check-binary $@.new $(OBJECTS)
	@mv $@.new $@ && echo "  $(ARCH) $@ $$(stat -c %s $@) bytes"

$B/unit/%: tests/unit/%.c $B/libassay.a tests/unit/test.h
	@mkdir -p $(@D)
	@echo "  $(ARCH) $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) $(filter-out $(SMALL),$(OPTIMIZE)) -Itests/unit $(LDFLAGS) -o $@ $< $B/libassay.a

# This test answers in the kernel's place.
$B/unit/block_ioctl: LDFLAGS += -Wl,--wrap=sys_ioctl

units: $(UNITS)

# Written through, not sparse: reading blocks that were never written would be too quick.
build/scratch.img:
	@mkdir -p build
	dd if=/dev/zero of=$@.new bs=1M count=256 conv=fsync status=none && mv $@.new $@

run: all build/scratch.img
	$B/assay run --scratch build/scratch.img --record build/run.jsonl

test: | setup
	@toolchain/setup --tests
	tests/run

test-long: | setup
	@toolchain/setup --tests
	tests/run --long

bench: bench-block bench-net bench-mem
bench-%: tests/bench/%.sh all
	@toolchain/setup --tests && sh $<

# /init is the binary; KERNEL_TREE=DIR (with lib/modules/VERSION) adds the modules that boards need.
image: all
	toolchain/image/make $(ARCH) $B/assay $B/assay.cpio.gz $(KERNEL_TREE)

clean:
	rm -rf build

help:
	@echo 'make                 build/$(ARCH)/assay (ARCH=x86_64 or aarch64)'
	@echo 'make run             this machine'"'"'s self-test, with a verdict; the record is build/run.jsonl'
	@echo 'make test            all tests, at most 10 minutes; make test-long adds soak, fuzz and kill loops'
	@echo 'make image           build/$(ARCH)/assay.cpio.gz, an initramfs; KERNEL_TREE=DIR adds modules'
	@echo 'make bench           speed against peers, as ratios: bench-block (fio), bench-net (iperf3), bench-mem (likwid-bench, STREAM)'
	@echo 'make clean           removes build/'

.PHONY: all run test test-long bench image clean help units
.DELETE_ON_ERROR:
-include $(OBJECTS:.o=.d) $(UNITS:=.d)
