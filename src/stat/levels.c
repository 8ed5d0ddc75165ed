/*
 * levels.c: see levels.h.  Values beyond +-2^52 count as that, so that all sums fit 128 bits; they are taken less the first one, for a
 * curve's own spread is small, and then 64 bits do.
 */
#include <stddef.h>

#include "lib/wide.h"
#include "stat/levels.h"

enum { VALUE_BITS = 52, FRACTION_BITS = 20, MANTISSA_BITS = 31 };

typedef unsigned __int128 wide;

/* One search at a time: too much for a small stack.  Index i stands for the values before i. */
static struct {
	int64_t sums[LEVELS_MAX_VALUES + 1];
	wide squares[LEVELS_MAX_VALUES + 1];
	wide costs[LEVELS_MAX_VALUES + 1];      /* of the best cut */
	uint16_t starts[LEVELS_MAX_VALUES + 1]; /* of its last run */
} search;

static int64_t clamped(int64_t value)
{
	const int64_t most = (1ll << VALUE_BITS) - 1;

	return value > most ? most : value < -most ? -most : value;
}

static void add_up(const int64_t *values, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		__int128 value = clamped(values[i]) - clamped(values[0]);

		search.sums[i + 1] = search.sums[i] + (int64_t)value;
		search.squares[i + 1] = search.squares[i] + (wide)(value * value);
	}
}

/* The sum of squared deviations from the mean, rounded up. */
static wide cost_of(unsigned from, unsigned to)
{
	__int128 sum = (__int128)search.sums[to] - search.sums[from];
	wide square = (wide)(sum * sum);
	wide mean = square >> 64 ? wide_divide(square, to - from).whole : (uint64_t)square / (to - from);

	return search.squares[to] - search.squares[from] - mean;
}

/* The first of equal cuts is taken: the longest last run. */
static void cut(unsigned count, wide penalty, unsigned run_min)
{
	const wide none = (wide)-1;

	search.costs[0] = 0;
	for (unsigned to = 1; to <= count; to++) {
		search.costs[to] = none;
		for (unsigned from = 0; from + run_min <= to; from++) {
			wide cost;

			if (search.costs[from] == none)
				continue;
			cost = search.costs[from] + cost_of(from, to) + penalty;
			if (cost >= search.costs[to])
				continue;
			search.costs[to] = cost;
			search.starts[to] = (uint16_t)from;
		}
	}
}

static unsigned runs_of(unsigned count)
{
	unsigned runs = 0;

	for (unsigned to = count; to; to = search.starts[to])
		runs++;
	return runs;
}

static int64_t mean_of(const int64_t *values, unsigned from, unsigned to)
{
	__int128 sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += values[i];
	return (int64_t)wide_divide_signed(sum, to - from);
}

void levels_find(const int64_t *values, unsigned count, int64_t penalty, unsigned run_min, struct levels *levels)
{
	wide price = penalty > 0 ? (wide)penalty : 1;

	if (count > LEVELS_MAX_VALUES)
		count = LEVELS_MAX_VALUES;
	if (!run_min || run_min > count)
		run_min = run_min ? count : 1;
	levels->count = 0;
	if (!count)
		return;
	add_up(values, count);
	for (cut(count, price, run_min); runs_of(count) > MAX_LEVELS; cut(count, price, run_min))
		price *= 2;
	levels->count = runs_of(count);
	for (unsigned i = levels->count, to = count; i--; to = search.starts[to]) {
		levels->starts[i] = search.starts[to];
		levels->means[i] = mean_of(values, search.starts[to], to);
	}
}

/* Digit by digit: a mantissa's square is 2 or more where the next binary digit of its logarithm is 1. */
int64_t levels_log2_milli(uint64_t value)
{
	unsigned power = 63 - (unsigned)__builtin_clzll(value | 1);
	uint64_t mantissa = power > MANTISSA_BITS ? value >> (power - MANTISSA_BITS) : value << (MANTISSA_BITS - power), fraction = 0;

	for (unsigned i = 0; i < FRACTION_BITS; i++) {
		mantissa = mantissa * mantissa >> MANTISSA_BITS;
		fraction = fraction << 1 | mantissa >> (MANTISSA_BITS + 1);
		mantissa >>= mantissa >> (MANTISSA_BITS + 1);
	}
	return power * 1000 + (int64_t)((fraction * 1000 + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS);
}
