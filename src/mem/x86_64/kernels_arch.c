/* kernels_arch.c: x86-64: SSE2, which is the baseline, AVX2 and AVX-512 where the CPU and the kernel allow them. */
#include "mem/kernels.h"
#include "sys/cpu.h"

#define VECTOR_NT_END() __asm__ volatile("sfence" ::: "memory")
#define STORE_NT(instruction, to, v) __asm__ volatile(instruction " %1, %0" : "=m"(*(to)) : "v"(v))

#define VECTOR avx512
#define VECTOR_BYTES 64
#define VECTOR_TARGET __attribute__((target("avx512f,prefer-vector-width=512")))
#define VECTOR_NT(to, v) STORE_NT("vmovntdq", to, v)
#include "mem/kernels_vector.h"

#define VECTOR avx2
#define VECTOR_BYTES 32
#define VECTOR_TARGET __attribute__((target("avx2")))
#define VECTOR_NT(to, v) STORE_NT("vmovntdq", to, v)
#include "mem/kernels_vector.h"

#define VECTOR sse2
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_NT(to, v) STORE_NT("movntdq", to, v)
#include "mem/kernels_vector.h"

const struct mem_kernel mem_kernels_arch[] = {
	{ "avx512", CPU_AVX512, 1, 0, avx512_work },
	{ "avx512 nt", CPU_AVX512, 1, 0, avx512_nt_work },
	{ "avx512 4 streams", CPU_AVX512, 4, 0, avx512_work },
	{ "avx512 nt 4 streams", CPU_AVX512, 4, 0, avx512_nt_work },
	{ "avx2", CPU_AVX2, 1, 0, avx2_work },
	{ "avx2 nt", CPU_AVX2, 1, 0, avx2_nt_work },
	{ "avx2 4 streams", CPU_AVX2, 4, 0, avx2_work },
	{ "sse2", 0, 1, 0, sse2_work },
	{ "sse2 nt", 0, 1, 0, sse2_nt_work },
	{ NULL },
};
