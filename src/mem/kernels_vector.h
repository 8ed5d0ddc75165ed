/*
 * kernels_vector.h: one set of kernels, written once for vectors of any width.  A template: an arch's kernels_arch.c
 * includes it for each width, with these defined (and undefined again here):
 *   VECTOR         its name: the kernel becomes kernel_VECTOR
 *   VECTOR_BYTES   16, 32, 64
 *   VECTOR_TARGET  the attribute that lets the compiler use that unit, or nothing
 *   VECTOR_NEEDS   the features that the CPU must have
 */
#include "mem/kernels.h"

#ifndef KERNELS_VECTOR_H
#define KERNELS_VECTOR_H
#define VECTOR_JOIN_(a, b) a##_##b
#define VECTOR_JOIN(a, b) VECTOR_JOIN_(a, b)
#define VECTOR_STRING_(a) #a
#define VECTOR_STRING(a) VECTOR_STRING_(a)
enum { VECTOR_UNROLL = 8 }; /* the vectors in flight; 8 * 64 bytes are the granule */
/* Keeps each turn of a loop what it says: neither gathered into a call of the C library nor dropped. */
#define VECTOR_BARRIER() __asm__ volatile("" ::: "memory")
#endif

#define VECTOR_TYPE VECTOR_JOIN(VECTOR, vector)

typedef uint64_t VECTOR_TYPE __attribute__((vector_size(VECTOR_BYTES), may_alias));

static VECTOR_TARGET uint64_t VECTOR_JOIN(VECTOR, read)(const void *from, size_t bytes)
{
	const VECTOR_TYPE *at = from, *end = at + bytes / VECTOR_BYTES;
	VECTOR_TYPE sums[VECTOR_UNROLL] = { 0 };
	uint64_t sum = 0;

	for (; at < end; at += VECTOR_UNROLL)
#pragma GCC unroll 8
		for (unsigned i = 0; i < VECTOR_UNROLL; i++)
			sums[i] += at[i];
#pragma GCC unroll 8
	for (unsigned i = 1; i < VECTOR_UNROLL; i++)
		sums[0] += sums[i];
	for (unsigned i = 0; i < VECTOR_BYTES / sizeof(sum); i++)
		sum += sums[0][i];
	return sum;
}

static VECTOR_TARGET void VECTOR_JOIN(VECTOR, write)(void *to, size_t bytes, uint64_t word)
{
	VECTOR_TYPE *at = to, *end = at + bytes / VECTOR_BYTES;
	const VECTOR_TYPE value = word - (VECTOR_TYPE){ 0 };

	for (; at < end; at += VECTOR_UNROLL) {
#pragma GCC unroll 8
		for (unsigned i = 0; i < VECTOR_UNROLL; i++)
			at[i] = value;
		VECTOR_BARRIER();
	}
}

static VECTOR_TARGET void VECTOR_JOIN(VECTOR, update)(void *to, size_t bytes, uint64_t add)
{
	VECTOR_TYPE *at = to, *end = at + bytes / VECTOR_BYTES;

	for (; at < end; at += VECTOR_UNROLL) {
#pragma GCC unroll 8
		for (unsigned i = 0; i < VECTOR_UNROLL; i++)
			at[i] += add;
		VECTOR_BARRIER();
	}
}

static VECTOR_TARGET void VECTOR_JOIN(VECTOR, copy)(void *to, const void *from, size_t bytes)
{
	const VECTOR_TYPE *source = from, *end = source + bytes / VECTOR_BYTES;
	VECTOR_TYPE *target = to, held[VECTOR_UNROLL];

	for (; source < end; source += VECTOR_UNROLL, target += VECTOR_UNROLL) {
#pragma GCC unroll 8
		for (unsigned i = 0; i < VECTOR_UNROLL; i++)
			held[i] = source[i];
#pragma GCC unroll 8
		for (unsigned i = 0; i < VECTOR_UNROLL; i++)
			target[i] = held[i];
		VECTOR_BARRIER();
	}
}

static const struct mem_kernel VECTOR_JOIN(kernel, VECTOR) = {
	.name = VECTOR_STRING(VECTOR), .needs = VECTOR_NEEDS,
	.read = VECTOR_JOIN(VECTOR, read), .write = VECTOR_JOIN(VECTOR, write),
	.update = VECTOR_JOIN(VECTOR, update), .copy = VECTOR_JOIN(VECTOR, copy),
};

#undef VECTOR_TYPE
#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_TARGET
#undef VECTOR_NEEDS
