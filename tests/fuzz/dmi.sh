#!/bin/sh
# The parser of DMI tables against mutated tables, under ASan and UBSan.  COUNT and SEED may be given.
set -u
cd "$(dirname "$0")/../.." || exit 2
fuzz=build/sanitize/fuzz/dmi
mkdir -p "${fuzz%/*}"
gcc -std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all \
	-Iinclude -Isrc -Itests -D_GNU_SOURCE -pthread -o $fuzz tests/fuzz/dmi.c \
	src/sys/memory_type.c src/sys/file.c src/sys/root.c src/sys/capture.c src/sys/map.c src/sys/numa.c src/sys/cpu.c src/sys/call.c src/sys/x86_64/call_arch.c src/lib/*.c || exit 2
seed=${SEED:-$(date +%s)}
if $fuzz "$seed" "${COUNT:-300000}"; then
	echo "ok fuzz_dmi_parser_never_crashes_and_tells_what_fits_together"
else
	echo "not ok fuzz_dmi_parser_never_crashes_and_tells_what_fits_together # SEED=$seed"
	exit 1
fi
