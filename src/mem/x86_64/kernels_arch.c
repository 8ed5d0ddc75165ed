/*
 * kernels_arch.c: x86-64: SSE2, which is the baseline, AVX2 and AVX-512 where the CPU and the kernel allow them, each with ordinary stores and with
 * non-temporal ones, which go around the caches without reading the line first.
 */
#include "mem/kernels.h"
#include "sys/cpu.h"

#define STORE_NT(instruction, to, a, b) \
	__asm__ volatile(instruction " %2, %0\n\t" instruction " %3, %1" : "=m"((to)[0]), "=m"((to)[1]) : "v"(a), "v"(b))
#define FENCE_NT __asm__ volatile("sfence" ::: "memory")
#define AVX512 __attribute__((target("avx512f,prefer-vector-width=512")))
#define AVX2 __attribute__((target("avx2")))

#define VECTOR avx512
#define VECTOR_BYTES 64
#define VECTOR_TARGET AVX512
#define VECTOR_STORE(to, a, b) ((to)[0] = (a), (to)[1] = (b))
#define VECTOR_WRITES STREAM_WRITES
#define VECTOR_READS
#define VECTOR_CLAIM(turn)
#define VECTOR_END
#include "mem/kernels_vector.h"

#define VECTOR avx512_nt
#define VECTOR_BYTES 64
#define VECTOR_TARGET AVX512
#define VECTOR_STORE(to, a, b) STORE_NT("vmovntdq", to, a, b)
#define VECTOR_WRITES STREAM_NT_WRITES
#define VECTOR_CLAIM(turn)
#define VECTOR_END FENCE_NT
#include "mem/kernels_vector.h"

#define VECTOR avx2
#define VECTOR_BYTES 32
#define VECTOR_TARGET AVX2
#define VECTOR_STORE(to, a, b) ((to)[0] = (a), (to)[1] = (b))
#define VECTOR_WRITES STREAM_WRITES
#define VECTOR_READS
#define VECTOR_CLAIM(turn)
#define VECTOR_END
#include "mem/kernels_vector.h"

#define VECTOR avx2_nt
#define VECTOR_BYTES 32
#define VECTOR_TARGET AVX2
#define VECTOR_STORE(to, a, b) STORE_NT("vmovntdq", to, a, b)
#define VECTOR_WRITES STREAM_NT_WRITES
#define VECTOR_CLAIM(turn)
#define VECTOR_END FENCE_NT
#include "mem/kernels_vector.h"

#define VECTOR sse2
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_STORE(to, a, b) ((to)[0] = (a), (to)[1] = (b))
#define VECTOR_WRITES STREAM_WRITES
#define VECTOR_READS
#define VECTOR_CLAIM(turn)
#define VECTOR_END
#include "mem/kernels_vector.h"

#define VECTOR sse2_nt
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_STORE(to, a, b) STORE_NT("movntdq", to, a, b)
#define VECTOR_WRITES STREAM_NT_WRITES
#define VECTOR_CLAIM(turn)
#define VECTOR_END FENCE_NT
#include "mem/kernels_vector.h"

const struct mem_kernel mem_kernels_arch[] = {
	{ "avx512", CPU_AVX512, 1, 0, avx512_work },
	{ "avx512 prefetch 2k", CPU_AVX512, 1, 2048, avx512_work },
	{ "avx512 nt", CPU_AVX512, 1, 0, avx512_nt_work },
	{ "avx2", CPU_AVX2, 1, 0, avx2_work },
	{ "avx2 prefetch 512", CPU_AVX2, 1, 512, avx2_work },
	{ "avx2 prefetch 2k", CPU_AVX2, 1, 2048, avx2_work },
	{ "avx2 2 streams", CPU_AVX2, 2, 0, avx2_work },
	{ "avx2 4 streams", CPU_AVX2, 4, 0, avx2_work },
	{ "avx2 nt", CPU_AVX2, 1, 0, avx2_nt_work },
	{ "avx2 nt prefetch 512", CPU_AVX2, 1, 512, avx2_nt_work },
	{ "avx2 nt 2 streams", CPU_AVX2, 2, 0, avx2_nt_work },
	{ "sse2", 0, 1, 0, sse2_work },
	{ "sse2 prefetch 512", 0, 1, 512, sse2_work },
	{ "sse2 4 streams", 0, 4, 0, sse2_work },
	{ "sse2 nt", 0, 1, 0, sse2_nt_work },
	{ NULL },
};
