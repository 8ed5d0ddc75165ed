/*
 * kernels_arch.c: aarch64: NEON, the baseline (LDP, which the compiler makes of two loads, and STP); non-temporal pairs, LDNP and STNP; and
 * ordinary stores into lines that DC ZVA has claimed without reading them, where DCZID_EL0 allows that.
 */
#include "mem/kernels.h"
#include "sys/cpu.h"

#define STORE_PAIR(instruction, to, a, b) __asm__ volatile(instruction " %q0, %q1, [%2]" :: "w"(a), "w"(b), "r"(to) : "memory")

#define VECTOR neon
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_STORE(to, a, b) STORE_PAIR("stp", to, a, b)
#define VECTOR_WRITES STREAM_WRITES
#define VECTOR_READS
#define VECTOR_CLAIM(turn)
#define VECTOR_END
#include "mem/kernels_vector.h"

#define VECTOR neon_nt
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_STORE(to, a, b) STORE_PAIR("stnp", to, a, b)
#define VECTOR_WRITES STREAM_NT_WRITES
#define VECTOR_CLAIM(turn)
#define VECTOR_END
#include "mem/kernels_vector.h"

static inline size_t zva_bytes(void)
{
	uint64_t id;

	__asm__("mrs %0, dczid_el0" : "=r"(id));
	return 4u << (id & 0xf); /* BS counts words of four bytes */
}

static inline void claim(char *turn)
{
	for (size_t at = 0; at < KERNEL_GRANULE; at += zva_bytes())
		__asm__ volatile("dc zva, %0" :: "r"(turn + at) : "memory");
}

#define VECTOR neon_zva
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_STORE(to, a, b) STORE_PAIR("stp", to, a, b)
#define VECTOR_WRITES STREAM_WRITES
#define VECTOR_CLAIM(turn) claim((char *)here.to + turn)
#define VECTOR_END
#include "mem/kernels_vector.h"

static uint64_t ldnp_reads(const struct kernel_span *span)
{
	neon_vector sums[4] = { 0 };

	for (const char *at = (const char *)span->from, *end = at + span->bytes; at < end; at += sizeof(sums)) {
		neon_vector a, b, c, d;

		__asm__ volatile("ldnp %q0, %q1, [%4]\n\tldnp %q2, %q3, [%4, 32]" : "=w"(a), "=w"(b), "=w"(c), "=w"(d) : "r"(at) : "memory");
		sums[0] += a;
		sums[1] += b;
		sums[2] += c;
		sums[3] += d;
	}
	sums[0] += sums[1] + sums[2] + sums[3];
	return sums[0][0] + sums[0][1];
}

static kernel_work *const ldnp_work[STREAM_MIXES] = { [STREAM_READS] = ldnp_reads };

const struct mem_kernel mem_kernels_arch[] = {
	{ "neon", 0, 1, 0, neon_work },
	{ "neon prefetch 512", 0, 1, 512, neon_work },
	{ "neon prefetch 2k", 0, 1, 2048, neon_work },
	{ "neon 2 streams", 0, 2, 0, neon_work },
	{ "neon 4 streams", 0, 4, 0, neon_work },
	{ "neon ldnp", 0, 1, 0, ldnp_work },
	{ "neon stnp", 0, 1, 0, neon_nt_work },
	{ "neon stnp prefetch 512", 0, 1, 512, neon_nt_work },
	{ "neon stnp 2 streams", 0, 2, 0, neon_nt_work },
	{ "neon zva", CPU_ZVA, 1, 0, neon_zva_work },
	{ "neon zva prefetch 512", CPU_ZVA, 1, 512, neon_zva_work },
	{ NULL },
};
