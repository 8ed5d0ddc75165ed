/* kernels_arch.c: x86-64: SSE2, which is the baseline, AVX2 and AVX-512 where the CPU and the kernel allow them. */
#include "mem/kernels.h"
#include "sys/cpu.h"

#define VECTOR avx512
#define VECTOR_BYTES 64
#define VECTOR_TARGET __attribute__((target("avx512f,prefer-vector-width=512")))
#define VECTOR_NEEDS CPU_AVX512
#include "mem/kernels_vector.h"

#define VECTOR avx2
#define VECTOR_BYTES 32
#define VECTOR_TARGET __attribute__((target("avx2")))
#define VECTOR_NEEDS CPU_AVX2
#include "mem/kernels_vector.h"

#define VECTOR sse2
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_NEEDS 0
#include "mem/kernels_vector.h"

const struct mem_kernel *const mem_kernels_arch[] = { &kernel_avx512, &kernel_avx2, &kernel_sse2, NULL };
