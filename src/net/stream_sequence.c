/* stream_sequence.c: a bit for each number of the window; the highest one drags it along. */
#include <string.h>

#include "net/stream_sequence.h"

/* Forgets the numbers between two highest ones, whose places are theirs from now on. */
static void advance(struct sequence *sequence, uint64_t number)
{
	if (number - sequence->highest >= SEQUENCE_WINDOW)
		memset(sequence->seen, 0, sizeof sequence->seen);
	else
		for (uint64_t i = sequence->highest + 1; i < number; i++)
			sequence->seen[i % SEQUENCE_WINDOW / 64] &= ~(1ull << i % 64);
	sequence->highest = number;
}

enum sequence_kind sequence_add(struct sequence *sequence, uint64_t number, uint64_t most)
{
	uint64_t *word = &sequence->seen[number % SEQUENCE_WINDOW / 64], bit = 1ull << number % 64;
	bool is_next = number > sequence->highest;

	if (!number || number > most)
		return SEQUENCE_FOREIGN;
	if (is_next)
		advance(sequence, number);
	else if (sequence->highest - number >= SEQUENCE_WINDOW)
		return SEQUENCE_STALE;
	else if (*word & bit)
		return SEQUENCE_DUPLICATE;
	*word |= bit;
	return is_next ? SEQUENCE_NEW : SEQUENCE_REORDERED;
}

uint64_t sequence_whole(const struct sequence *sequence, uint32_t number)
{
	int32_t step = (int32_t)(number - (uint32_t)sequence->highest);

	return step < 0 && sequence->highest < (uint64_t)-(int64_t)step ? 0 : sequence->highest + (uint64_t)(int64_t)step;
}

uint64_t sequence_jitter(struct sequence *sequence, uint64_t sent_ns, uint64_t came_ns)
{
	int64_t transit_ns = (int64_t)(came_ns - sent_ns);
	int64_t change_ns = (int64_t)((uint64_t)transit_ns - (uint64_t)sequence->transit_ns);

	if (sequence->has_transit)
		sequence->jitter_16th_ns += (uint64_t)(change_ns < 0 ? -change_ns : change_ns) - ((sequence->jitter_16th_ns + 8) >> 4);
	sequence->transit_ns = transit_ns;
	sequence->has_transit = true;
	return sequence->jitter_16th_ns >> 4;
}
