/*
 * zipf.c: see zipf.h.  The ranges are the histogram's buckets.
 *
 * r^-theta is 2^-(theta log2 r): the logarithm bit by bit, by squaring; the power as a product of the roots of a half.
 */
#include <stdbool.h>

#include "block/zipf.h"
#include "lib/wide.h"

enum { LOG_BITS = 40, ONE_POWER = 62, TOTAL_BITS = 63 };

static const uint64_t one = 1ull << ONE_POWER;

static uint64_t times(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> ONE_POWER);
}

/* With LOG_BITS of fraction. */
static uint64_t log2_of(uint64_t value)
{
	unsigned power = 63 - (unsigned)__builtin_clzll(value);
	uint64_t log = power, square = value << (63 - power) >> (63 - ONE_POWER);

	for (unsigned i = 0; i < LOG_BITS; i++) {
		bool carry;

		square = times(square, square);
		carry = square >= 2 * one;
		square >>= carry;
		log = log << 1 | carry;
	}
	return log;
}

/* 2^-exponent, in parts of 2^ONE_POWER. */
static uint64_t power_of_half(uint64_t exponent, const uint64_t roots[LOG_BITS])
{
	uint64_t whole = exponent >> LOG_BITS, product = one;

	if (whole >= ONE_POWER)
		return 0;
	for (unsigned i = 0; i < LOG_BITS; i++)
		if (exponent >> (LOG_BITS - 1 - i) & 1)
			product = times(product, roots[i]);
	return product >> whole;
}

/* The middle of a wide range lies between two ranks: twice it is a whole number, and 2^theta is put back by the logarithm. */
static unsigned __int128 weight_of(uint64_t low, uint64_t high, uint32_t theta_milli, const uint64_t roots[LOG_BITS])
{
	uint64_t log = log2_of(low + high) - (1ull << LOG_BITS);
	uint64_t exponent = (uint64_t)wide_divide((unsigned __int128)log * theta_milli, 1000).whole;

	return (unsigned __int128)power_of_half(exponent, roots) * (high - low + 1);
}

static void set_roots(uint64_t roots[LOG_BITS])
{
	uint64_t root = one / 2;

	for (unsigned i = 0; i < LOG_BITS; i++)
		roots[i] = root = wide_root((unsigned __int128)root << ONE_POWER);
}

/* The bucket of value 0 is no rank, and left without weight; the last is cut at count. */
static unsigned __int128 each_range(struct zipf *zipf, uint32_t theta_milli, const uint64_t roots[LOG_BITS], unsigned shift)
{
	unsigned __int128 sum = 0;
	uint64_t low, high;

	zipf->up_to[0] = 0;
	for (zipf->ranges = 1; zipf->ranges < HISTOGRAM_BUCKETS; zipf->ranges++) {
		histogram_bounds(zipf->ranges, &low, &high);
		if (low > zipf->count)
			break;
		sum += weight_of(low, high < zipf->count ? high : zipf->count, theta_milli, roots);
		zipf->up_to[zipf->ranges] = (uint64_t)(sum >> shift);
	}
	return sum;
}

void zipf_prepare(struct zipf *zipf, uint64_t count, uint32_t theta_milli)
{
	uint64_t roots[LOG_BITS];
	unsigned __int128 sum;
	unsigned shift = 0;

	set_roots(roots);
	zipf->count = count;
	sum = each_range(zipf, theta_milli, roots, 0);
	while (sum >> shift >> TOTAL_BITS)
		shift++;
	if (shift)
		each_range(zipf, theta_milli, roots, shift);
	zipf->total = zipf->up_to[zipf->ranges - 1];
}

/* The first range up to which the weights are more than what was drawn. */
uint64_t zipf_next(const struct zipf *zipf, struct random *random)
{
	uint64_t drawn = random_below(random, zipf->total), low, high;
	unsigned from = 0, to = zipf->ranges - 1;

	while (from < to) {
		unsigned middle = (from + to) / 2;

		if (zipf->up_to[middle] > drawn)
			to = middle;
		else
			from = middle + 1;
	}
	histogram_bounds(from, &low, &high);
	if (high > zipf->count)
		high = zipf->count;
	return low - 1 + (high > low ? random_below(random, high - low + 1) : 0);
}
