/*
 * kernels.h: the inner loops that move memory, in every width that a CPU may have.
 *
 * All work on 64-bit words, on buffers aligned to KERNEL_ALIGNMENT, in multiples of KERNEL_GRANULE bytes (0 included),
 * and leave exactly the same words behind as the plain C ones, which are the reference.  Ordinary stores: a line is
 * read before it is written (write-allocate) unless the CPU itself knows better.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { KERNEL_GRANULE = 512, KERNEL_ALIGNMENT = 64 };

struct mem_kernel {
	const char *name;
	unsigned needs;                                             /* of sys/cpu.h's features, or'ed; 0: the baseline */
	uint64_t (*read)(const void *from, size_t bytes);           /* the sum of all words, modulo 2^64 */
	void (*write)(void *to, size_t bytes, uint64_t word);       /* the same word everywhere */
	void (*update)(void *at, size_t bytes, uint64_t add);       /* reads each word, adds, writes it back */
	void (*copy)(void *to, const void *from, size_t bytes);     /* must not overlap */
};

extern const struct mem_kernel mem_kernel_c;
extern const struct mem_kernel *const mem_kernels_arch[];           /* of mem/<arch>/kernels_arch.c; ended by NULL */

/* The kernels that this CPU can run, the plain C one last; NULL behind it. */
const struct mem_kernel *kernels_usable(unsigned index);

#endif
