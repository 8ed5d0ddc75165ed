/* steady.c: see steady.h. */
#include "lib/wide.h"
#include "stat/steady.h"

enum { SPREAD_LIMIT = 5, RISE_LIMIT = 10, MILLION = 1000000 }; /* a fifth, a tenth */

static int64_t part_ppm(__int128 part, __int128 whole)
{
	return (int64_t)wide_divide_signed(part * MILLION, (unsigned __int128)whole);
}

/* All times five, so that the mean stays whole: the line's slope is the sum of x * y over x = -2 ... 2, over 10, its rise four times that. */
bool steady_rounds(const int64_t rounds[STEADY_ROUNDS], struct steady *steady)
{
	__int128 sum = 0, slope = 0, rise;
	int64_t min = rounds[0], max = rounds[0];

	for (int i = 0; i < STEADY_ROUNDS; i++) {
		sum += rounds[i];
		slope += (__int128)rounds[i] * (i - STEADY_ROUNDS / 2);
		min = rounds[i] < min ? rounds[i] : min;
		max = rounds[i] > max ? rounds[i] : max;
	}
	if (sum <= 0)
		return false;
	rise = slope * 2;
	steady->spread_ppm = part_ppm(((__int128)max - min) * STEADY_ROUNDS, sum);
	steady->rise_ppm = part_ppm(rise, sum);
	steady->is_steady = ((__int128)max - min) * STEADY_ROUNDS * SPREAD_LIMIT <= sum && (rise < 0 ? -rise : rise) * RISE_LIMIT <= sum;
	return true;
}

bool steady_of(const struct samples *samples, struct steady *steady)
{
	unsigned each = samples->count / STEADY_ROUNDS, at = samples->count % STEADY_ROUNDS;
	int64_t rounds[STEADY_ROUNDS];

	if (!each)
		return false;
	for (unsigned round = 0; round < STEADY_ROUNDS; round++) {
		__int128 sum = 0;

		for (unsigned i = 0; i < each; i++)
			sum += samples->values[at++];
		rounds[round] = (int64_t)wide_divide_signed(sum, each);
	}
	return steady_rounds(rounds, steady);
}
