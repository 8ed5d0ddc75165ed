/* stream_part.c: the arrays of a mix, what their words are and become; see stream.h. */
#include "mem/stream.h"

enum { FEW_PIECES = 16 };

static const uint64_t first_word = 0x9e3779b97f4a7c15, from_word = ~0x9e3779b97f4a7c15,
	other_word = 0x5851f42d4c957f2d, added = 0x0101010101010101;

/* How many arrays a mix has, and how many of their pieces count, read or written, for one piece. */
static const struct shape { uint8_t arrays, counted; } shapes[STREAM_MIXES] = {
	[STREAM_READS] = { 1, 1 }, [STREAM_3_TO_1] = { 3, 4 }, [STREAM_2_TO_1] = { 2, 3 }, [STREAM_1_TO_1] = { 1, 2 },
	[STREAM_TRIAD] = { 3, 3 }, [STREAM_WRITES] = { 1, 1 }, [STREAM_NT_WRITES] = { 1, 1 }, [STREAM_COPY] = { 2, 2 },
};

void stream_cut(struct stream_part *part, enum stream_mix mix, void *at, uint64_t bytes, size_t step_bytes)
{
	size_t granules = step_bytes / shapes[mix].arrays / KERNEL_GRANULE, all = bytes / shapes[mix].arrays / KERNEL_GRANULE, pieces;

	if (!granules)
		granules = 1;
	/* A few pieces are made a little smaller, so that next to nothing of the buffer is left out: it stands in the figure's name. */
	pieces = (all + granules - 1) / granules;
	if (pieces && pieces <= FEW_PIECES)
		granules = all / pieces;
	*part = (struct stream_part){ .mix = mix, .at = at, .piece_bytes = granules * KERNEL_GRANULE, .pieces = all / granules };
}

uint64_t stream_step_bytes(const struct stream_part *part)
{
	return part->piece_bytes * shapes[part->mix].counted;
}

unsigned stream_arrays(enum stream_mix mix)
{
	return shapes[mix].arrays;
}

uint64_t *stream_piece(const struct stream_part *part, unsigned array, uint64_t piece)
{
	return (uint64_t *)(part->at + (array * part->pieces + piece) * part->piece_bytes);
}

static uint64_t sum_of(const struct stream_part *part, uint64_t word)
{
	return word * (part->piece_bytes / sizeof(word));
}

void stream_fill(const struct stream_part *part)
{
	static const uint64_t words[] = { first_word, from_word, other_word };

	for (unsigned array = 0; array < shapes[part->mix].arrays; array++) {
		struct kernel_span span = { .to = stream_piece(part, array, 0), .bytes = part->pieces * part->piece_bytes,
		                            .word = words[array] };

		kernels_run(&mem_kernel_c, STREAM_WRITES, &span);
	}
}

/* What each word of the first array must be after so many visits. */
static uint64_t word_after(enum stream_mix mix, uint64_t visits)
{
	switch (mix) {
	case STREAM_3_TO_1: return first_word + visits * (from_word + other_word);
	case STREAM_2_TO_1: return first_word + visits * from_word;
	case STREAM_1_TO_1:
	case STREAM_WRITES:
	case STREAM_NT_WRITES: return first_word + visits * added;
	case STREAM_TRIAD: return visits ? from_word + 3 * other_word : first_word;
	case STREAM_COPY: return visits ? from_word : first_word;
	case STREAM_READS:
	case STREAM_MIXES: break;
	}
	return first_word;
}

bool stream_work(const struct stream_part *part, const struct mem_kernel *kernel, uint64_t done)
{
	uint64_t piece = done % part->pieces;
	struct kernel_span span = { .to = stream_piece(part, 0, piece), .bytes = part->piece_bytes, .word = added,
	                            .from = stream_piece(part, part->mix != STREAM_READS, piece), .other = stream_piece(part, 2, piece) };

	if (part->mix == STREAM_WRITES || part->mix == STREAM_NT_WRITES)
		span.word = word_after(part->mix, done / part->pieces + 1);
	return kernels_run(kernel, part->mix, &span) == (part->mix == STREAM_READS ? sum_of(part, first_word) : 0);
}

uint64_t stream_wrong_pieces(const struct stream_part *part, uint64_t done)
{
	uint64_t wrong = 0;

	for (uint64_t piece = 0; piece < part->pieces; piece++) {
		uint64_t visits = done / part->pieces + (piece < done % part->pieces);
		struct kernel_span span = { .from = stream_piece(part, 0, piece), .bytes = part->piece_bytes };

		wrong += kernels_run(&mem_kernel_c, STREAM_READS, &span) != sum_of(part, word_after(part->mix, visits));
	}
	return wrong;
}
