/*
 * kernels_vector.h: one set of kernels, written once for vectors of any width and any kind of store.  A template: an arch's kernels_arch.c includes it
 * for each set, with these defined (and undefined again here):
 *   VECTOR                  its name: the set becomes VECTOR_work
 *   VECTOR_BYTES            16, 32, 64
 *   VECTOR_TARGET           the attribute that lets the compiler use that unit, or nothing
 *   VECTOR_STORE(to, a, b)  stores two vectors at to[0], to[1]
 *   VECTOR_WRITES           the mix that its writing is: STREAM_WRITES or STREAM_NT_WRITES
 *   VECTOR_READS            the set has the mixes that read what they write, too, and reads; not defined: only triad, copy and VECTOR_WRITES
 *   VECTOR_CLAIM(turn)      before each KERNEL_GRANULE of a single stream that will be written whole; VECTOR_END behind the last store: or nothing
 *
 * A turn of a loop moves KERNEL_GRANULE bytes in four blocks: the next four of one stream, the next two of each of two, or one of each of four.
 */
#include "mem/kernels.h"

#ifndef KERNELS_VECTOR_H
#define KERNELS_VECTOR_H
#define VECTOR_JOIN_(a, b) a##_##b
#define VECTOR_JOIN(a, b) VECTOR_JOIN_(a, b)
#define VECTOR_NAME(name) VECTOR_JOIN(VECTOR, name)

enum { BLOCKS = 4, BLOCK_BYTES = KERNEL_GRANULE / BLOCKS, LINE_BYTES = 64 };

/* Where the blocks of a turn lie, behind its start; and how far the next turn is. */
struct turn { size_t blocks[BLOCKS], step; };

static __attribute__((noinline)) struct turn turn_of(const struct kernel_span *span)
{
	if (span->streams == 4)
		return (struct turn){ { 0, span->bytes / 4, span->bytes / 2, span->bytes / 4 * 3 }, BLOCK_BYTES };
	if (span->streams == 2)
		return (struct turn){ { 0, BLOCK_BYTES, span->bytes / 2, span->bytes / 2 + BLOCK_BYTES }, 2 * BLOCK_BYTES };
	return (struct turn){ { 0, BLOCK_BYTES, 2 * BLOCK_BYTES, 3 * BLOCK_BYTES }, 4 * BLOCK_BYTES };
}

static inline void prefetch_block(const void *block, size_t ahead_bytes)
{
	for (size_t line = 0; line < BLOCK_BYTES; line += LINE_BYTES)
		__builtin_prefetch((const char *)block + ahead_bytes + line);
}

/* The compiler is not to know how the arrays lie to one another: it pairs loads of one base. */
static inline void *block_at(const void *array, size_t at)
{
	uintptr_t block = (uintptr_t)array + at;

	__asm__("" : "+r"(block));
	return (void *)block;
}

#define BLOCK_OF(array) VECTOR_TYPE *const array __attribute__((unused)) = block_at(here.array, at)
#define AHEAD(block) prefetch_block(block, here.ahead_bytes)

/* `claim` before each turn, `ahead` before each block where there is a prefetch, `work` for each block: its vectors are to[i], from[i], other[i]. */
#define EACH_BLOCK(claim, ahead, work) \
	const struct kernel_span here = *span; \
	const struct turn turn = turn_of(span); \
	size_t start = 0; \
	for (size_t left = here.bytes; left; left -= KERNEL_GRANULE, start += turn.step) { \
		claim; \
		for (unsigned b = 0; b < BLOCKS; b++) { \
			const size_t at = start + turn.blocks[b]; \
			BLOCK_OF(to); \
			BLOCK_OF(from); \
			BLOCK_OF(other); \
			if (here.ahead_bytes) { \
				ahead; \
			} \
			work \
		} \
	}

#define EACH_VECTOR(step) \
	_Pragma("GCC unroll 8") \
	for (unsigned i = 0; i < BLOCK_BYTES / VECTOR_BYTES; i += step)

/* All of a block is read before any of it is written, so that the compiler may pair what it likes; and the compiler neither gathers a loop into a call
 * of the C library nor drops it. */
#define STORING(name, claim, end, ahead, value) \
	static VECTOR_TARGET uint64_t VECTOR_NAME(name)(const struct kernel_span *span) \
	{ \
		const VECTOR_TYPE word = span->word - (VECTOR_TYPE){ 0 }; \
		(void)word; \
		EACH_BLOCK(claim, ahead, { \
			VECTOR_TYPE held[BLOCK_BYTES / VECTOR_BYTES]; \
			EACH_VECTOR(1) \
				held[i] = value; \
			EACH_VECTOR(2) \
				VECTOR_STORE(to + i, held[i], held[i + 1]); \
			__asm__ volatile("" ::: "memory"); \
		}) \
		end; \
		return 0; \
	}
#endif

#define VECTOR_TYPE VECTOR_NAME(vector)

typedef uint64_t VECTOR_TYPE __attribute__((vector_size(VECTOR_BYTES), may_alias));

#ifdef VECTOR_READS
static VECTOR_TARGET uint64_t VECTOR_NAME(reads)(const struct kernel_span *span)
{
	VECTOR_TYPE sums[BLOCK_BYTES / VECTOR_BYTES] = { 0 };
	uint64_t sum = 0;

	EACH_BLOCK(, AHEAD(from), EACH_VECTOR(1) sums[i] += from[i];)
#pragma GCC unroll 8
	for (unsigned i = 1; i < BLOCK_BYTES / VECTOR_BYTES; i++)
		sums[0] += sums[i];
	for (unsigned i = 0; i < VECTOR_BYTES / sizeof(sum); i++)
		sum += sums[0][i];
	return sum;
}

STORING(3_to_1, , , AHEAD(to); AHEAD(from); AHEAD(other), to[i] + from[i] + other[i])
STORING(2_to_1, , , AHEAD(to); AHEAD(from), to[i] + from[i])
STORING(1_to_1, , , AHEAD(to), to[i] + word)
#endif

STORING(triad, VECTOR_CLAIM(start), VECTOR_END, AHEAD(from); AHEAD(other), from[i] + other[i] + other[i] + other[i])
STORING(writes, VECTOR_CLAIM(start), VECTOR_END, AHEAD(to), word)
STORING(copy, VECTOR_CLAIM(start), VECTOR_END, AHEAD(from), from[i])

static kernel_work *const VECTOR_NAME(work)[STREAM_MIXES] = {
#ifdef VECTOR_READS
	[STREAM_READS] = VECTOR_NAME(reads), [STREAM_3_TO_1] = VECTOR_NAME(3_to_1), [STREAM_2_TO_1] = VECTOR_NAME(2_to_1),
	[STREAM_1_TO_1] = VECTOR_NAME(1_to_1),
#endif
	[STREAM_TRIAD] = VECTOR_NAME(triad), [VECTOR_WRITES] = VECTOR_NAME(writes), [STREAM_COPY] = VECTOR_NAME(copy),
};

#undef VECTOR_TYPE
#undef VECTOR_READS
#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_TARGET
#undef VECTOR_STORE
#undef VECTOR_WRITES
#undef VECTOR_CLAIM
#undef VECTOR_END
