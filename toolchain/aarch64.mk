# aarch64: Debian's cross compiler with the specs of the musl that toolchain/setup unpacked.  Baseline armv8.0.
MACHINE := aarch64
CC := aarch64-linux-gnu-gcc -specs build/sysroot/aarch64/musl/usr/lib/aarch64-linux-musl/musl-gcc.specs
AR := aarch64-linux-gnu-ar
OBJCOPY := aarch64-linux-gnu-objcopy
CFLAGS := -march=armv8-a -static -fno-pie -no-pie -isystem build/sysroot/aarch64/include
# No floating point but in the kernels of mem/: functions with many arguments need not save its registers.
SMALL := -mgeneral-regs-only
LDFLAGS := -Wl,-z,noseparate-code,-z,norelro,-z,common-page-size=64
