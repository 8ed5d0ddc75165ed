# x86-64: musl by Debian's musl-gcc.  Plain -static: -static-pie would make a dynamic PIE that dies as PID 1.
MACHINE := x86_64
CC := musl-gcc
AR := ar
OBJCOPY := objcopy
CFLAGS := -march=x86-64 -static -fno-pie -no-pie -isystem build/sysroot/x86_64/include
# No floating point but in the kernels of mem/: functions with many arguments need not save its registers.
SMALL := -mgeneral-regs-only -malign-data=abi
LDFLAGS := -Wl,-z,noseparate-code,-z,norelro,-z,common-page-size=64
