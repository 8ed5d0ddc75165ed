/*
 * kernels_vector.h: one set of kernels, written once for vectors of any width.  A template: an arch's kernels_arch.c
 * includes it for each width, with these defined (and undefined again here):
 *   VECTOR            its name: the sets become VECTOR_work (ordinary stores) and VECTOR_nt_work (non-temporal ones)
 *   VECTOR_BYTES      16, 32, 64
 *   VECTOR_TARGET     the attribute that lets the compiler use that unit, or nothing
 *   VECTOR_NT(to, v)  a non-temporal store of vector v
 * and, once for all, VECTOR_NT_END(), behind the last of those.
 *
 * A turn of a loop moves KERNEL_GRANULE bytes in four blocks: the next four of one stream, the next two of each of two, or one of each of four.
 */
#include "mem/kernels.h"

#ifndef KERNELS_VECTOR_H
#define KERNELS_VECTOR_H
#define VECTOR_JOIN_(a, b) a##_##b
#define VECTOR_JOIN(a, b) VECTOR_JOIN_(a, b)
#define VECTOR_NAME(name) VECTOR_JOIN(VECTOR, name)

enum { BLOCKS = 4, BLOCK_BYTES = KERNEL_GRANULE / BLOCKS };

/* Where the blocks of a turn lie, behind its start; and where the next turn starts. */
struct turn { size_t blocks[BLOCKS], step; };

static __attribute__((noinline)) struct turn turn_of(const struct kernel_span *span)
{
	if (span->streams == 4)
		return (struct turn){ { 0, span->bytes / 4, span->bytes / 2, span->bytes / 4 * 3 }, BLOCK_BYTES };
	if (span->streams == 2)
		return (struct turn){ { 0, BLOCK_BYTES, span->bytes / 2, span->bytes / 2 + BLOCK_BYTES }, 2 * BLOCK_BYTES };
	return (struct turn){ { 0, BLOCK_BYTES, 2 * BLOCK_BYTES, 3 * BLOCK_BYTES }, 4 * BLOCK_BYTES };
}

static inline void prefetch_block(const void *array, size_t at)
{
	for (size_t line = 0; line < BLOCK_BYTES; line += KERNEL_ALIGNMENT)
		__builtin_prefetch((const char *)array + at + line);
}

/* Each turn of a loop does what it says: it is neither gathered into a call of the C library nor dropped. */
#define VECTOR_BARRIER() __asm__ volatile("" ::: "memory")

#define VECTOR_OF(array) (*((VECTOR_TYPE *)((uintptr_t)span->array + at) + i))
#define PREFETCH(array) prefetch_block(span->array, at + span->ahead_bytes)

/* Does `body` for each vector of the span, `ahead` once before each block. */
#define VECTOR_EACH(ahead, body) \
	const struct turn turn = turn_of(span); \
	size_t start = 0; \
	for (size_t left = span->bytes; left; left -= KERNEL_GRANULE, start += turn.step) \
		for (unsigned block = 0; block < BLOCKS; block++) { \
			const size_t at = start + turn.blocks[block]; \
			if (span->ahead_bytes) { \
				ahead; \
			} \
			_Pragma("GCC unroll 8") \
			for (unsigned i = 0; i < BLOCK_BYTES / VECTOR_BYTES; i++) { \
				body; \
			} \
			VECTOR_BARRIER(); \
		}

#define VECTOR_KERNEL(name, end, ahead, body) \
	static VECTOR_TARGET uint64_t VECTOR_NAME(name)(const struct kernel_span *span) \
	{ \
		const VECTOR_TYPE word = span->word - (VECTOR_TYPE){ 0 }; \
		VECTOR_EACH(ahead, body) \
		(void)word; \
		end; \
		return 0; \
	}

#define TRIAD (VECTOR_OF(from) + VECTOR_OF(other) + VECTOR_OF(other) + VECTOR_OF(other))
#endif

#define VECTOR_TYPE VECTOR_NAME(vector)

typedef uint64_t VECTOR_TYPE __attribute__((vector_size(VECTOR_BYTES), may_alias));

static VECTOR_TARGET uint64_t VECTOR_NAME(reads)(const struct kernel_span *span)
{
	VECTOR_TYPE sums[BLOCK_BYTES / VECTOR_BYTES] = { 0 };
	uint64_t sum = 0;

	VECTOR_EACH(PREFETCH(from), sums[i] += VECTOR_OF(from))
#pragma GCC unroll 8
	for (unsigned i = 1; i < BLOCK_BYTES / VECTOR_BYTES; i++)
		sums[0] += sums[i];
	for (unsigned i = 0; i < VECTOR_BYTES / sizeof(sum); i++)
		sum += sums[0][i];
	return sum;
}

VECTOR_KERNEL(3_to_1, , PREFETCH(to); PREFETCH(from); PREFETCH(other), VECTOR_OF(to) += VECTOR_OF(from) + VECTOR_OF(other))
VECTOR_KERNEL(2_to_1, , PREFETCH(to); PREFETCH(from), VECTOR_OF(to) += VECTOR_OF(from))
VECTOR_KERNEL(1_to_1, , PREFETCH(to), VECTOR_OF(to) += word)
VECTOR_KERNEL(triad, , PREFETCH(from); PREFETCH(other), VECTOR_OF(to) = TRIAD)
VECTOR_KERNEL(writes, , PREFETCH(to), VECTOR_OF(to) = word)
VECTOR_KERNEL(copy, , PREFETCH(from), VECTOR_OF(to) = VECTOR_OF(from))
VECTOR_KERNEL(nt_triad, VECTOR_NT_END(), PREFETCH(from); PREFETCH(other), VECTOR_NT(&VECTOR_OF(to), TRIAD))
VECTOR_KERNEL(nt_writes, VECTOR_NT_END(), , VECTOR_NT(&VECTOR_OF(to), word))
VECTOR_KERNEL(nt_copy, VECTOR_NT_END(), PREFETCH(from), VECTOR_NT(&VECTOR_OF(to), VECTOR_OF(from)))

static kernel_work *const VECTOR_NAME(work)[STREAM_MIXES] = {
	[STREAM_READS] = VECTOR_NAME(reads), [STREAM_3_TO_1] = VECTOR_NAME(3_to_1), [STREAM_2_TO_1] = VECTOR_NAME(2_to_1),
	[STREAM_1_TO_1] = VECTOR_NAME(1_to_1), [STREAM_TRIAD] = VECTOR_NAME(triad), [STREAM_WRITES] = VECTOR_NAME(writes),
	[STREAM_COPY] = VECTOR_NAME(copy),
};

static kernel_work *const VECTOR_NAME(nt_work)[STREAM_MIXES] = {
	[STREAM_TRIAD] = VECTOR_NAME(nt_triad), [STREAM_NT_WRITES] = VECTOR_NAME(nt_writes), [STREAM_COPY] = VECTOR_NAME(nt_copy),
};

#undef VECTOR_TYPE
#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_TARGET
#undef VECTOR_NT
