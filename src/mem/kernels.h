/*
 * kernels.h: the inner loops that move memory, for each mix of reads and writes and in every width that a CPU may have.
 *
 * All work on 64-bit words, in arrays aligned to KERNEL_GRANULE, in multiples of it (0 included), leave exactly the same words
 * behind and return the same sum as the plain C ones, which are the reference:
 *   reads      the sum of all words of `from`, modulo 2^64; every other mix returns 0
 *   3:1        to[i] += from[i] + other[i]
 *   2:1        to[i] += from[i]
 *   1:1        to[i] += word
 *   triad      to[i] = from[i] + 3 * other[i]
 *   writes     to[i] = word, by stores that may bring the line into the cache
 *   nt-writes  to[i] = word, by non-temporal stores
 *   copy       to[i] = from[i]
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { KERNEL_GRANULE = 512 /* bytes */ };

enum stream_mix {
	STREAM_READS, STREAM_3_TO_1, STREAM_2_TO_1, STREAM_1_TO_1, STREAM_TRIAD, STREAM_WRITES, STREAM_NT_WRITES, STREAM_COPY, STREAM_MIXES
};

struct kernel_span {
	uint64_t *to;
	const uint64_t *from, *other;   /* none of the three overlaps another; a mix looks at its own only */
	size_t bytes;                   /* of each */
	uint64_t word;
	/* How to go through it; no result depends on them. */
	unsigned streams;               /* 1, 2 or 4: so many places of the span are gone through side by side */
	unsigned ahead_bytes;           /* software prefetch of what is read; 0: none */
};
typedef uint64_t kernel_work(const struct kernel_span *span);

struct mem_kernel {
	const char *name;
	unsigned needs;                 /* of sys/cpu.h's features, or'ed; 0: the baseline */
	unsigned streams, ahead_bytes;
	kernel_work *const *work;       /* of each mix; NULL where there is none */
};

extern const struct mem_kernel mem_kernel_c;
extern const struct mem_kernel mem_kernels_arch[];  /* of mem/<arch>/kernels_arch.c; ended by a name of NULL */

/* The kernels that this CPU can run, the plain C one last; NULL behind it. */
const struct mem_kernel *kernels_usable(unsigned index);

/* span's streams and ahead_bytes are the kernel's own. */
uint64_t kernels_run(const struct mem_kernel *kernel, enum stream_mix mix, struct kernel_span *span);

#endif
