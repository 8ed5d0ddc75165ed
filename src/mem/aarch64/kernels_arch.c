/* kernels_arch.c: aarch64: NEON, the baseline; the compiler makes pairs of vectors into LDP and STP of Q registers. */
#include "mem/kernels.h"

#define VECTOR neon
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_NEEDS 0
#include "mem/kernels_vector.h"

const struct mem_kernel *const mem_kernels_arch[] = { &kernel_neon, NULL };
