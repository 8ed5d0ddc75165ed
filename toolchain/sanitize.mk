# The same sources by the host's compiler with ASan and UBSan, for the tests only: musl has no sanitizers.
MACHINE := x86_64
CC := gcc
AR := ar
OBJCOPY := objcopy
CFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
