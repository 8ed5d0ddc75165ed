/*
 * histogram.c: see histogram.h.  The sums saturate; a saturated one gives VALUE_NONE, not a wrong figure.
 */
#include <string.h>

#include "event.h"
#include "lib/wide.h"
#include "stat/histogram.h"
#include "stat/summary.h"

enum {
	PARTS = 1000000,    /* a quantile is given in millionths */
	EXACT_POWER = 7,    /* HISTOGRAM_EXACT is 2^7, */
	BUCKET_POWER = 6,   /* HISTOGRAM_PER_POWER 2^6 */
};

#define SATURATED (~(unsigned __int128)0)

_Static_assert(HISTOGRAM_EXACT == 1 << EXACT_POWER && HISTOGRAM_PER_POWER == 1 << BUCKET_POWER, "buckets");

__attribute__((cold)) void histogram_clear(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
}

/* The six bits below the highest one, and how far they were shifted; of a small value, itself. */
static unsigned bucket_of(uint64_t value)
{
	unsigned shift = (63 ^ (unsigned)__builtin_clzll(value | HISTOGRAM_PER_POWER)) - BUCKET_POWER;

	return shift * HISTOGRAM_PER_POWER + (unsigned)(value >> shift);
}

__attribute__((cold)) void histogram_bounds(unsigned index, uint64_t *low, uint64_t *high)
{
	unsigned above = index - HISTOGRAM_EXACT, shift = above / HISTOGRAM_PER_POWER + EXACT_POWER - BUCKET_POWER;

	if (index < HISTOGRAM_EXACT) {
		*low = *high = index;
		return;
	}
	*low = (uint64_t)(HISTOGRAM_PER_POWER + above % HISTOGRAM_PER_POWER) << shift;
	*high = *low + (1ull << shift) - 1;
}

static void add_saturating(unsigned __int128 *sum, unsigned __int128 value)
{
	if (__builtin_expect(__builtin_add_overflow(*sum, value, sum), 0))
		*sum = SATURATED;
}

/* Before the count rises: an empty histogram has no minimum yet. */
static void widen(struct histogram *histogram, uint64_t min, uint64_t max)
{
	if (!histogram->count || min < histogram->min)
		histogram->min = min;
	if (max > histogram->max)
		histogram->max = max;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	widen(histogram, value, value);
	histogram->count++;
	if (value >> HISTOGRAM_TOP_POWER)
		histogram->overflow++;
	else
		histogram->buckets[bucket_of(value)]++;
	add_saturating(&histogram->sum, value);
	add_saturating(&histogram->sum_of_squares, (unsigned __int128)value * value);
}

__attribute__((cold)) void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (!from->count)
		return;
	widen(into, from->min, from->max);
	into->count += from->count;
	into->overflow += from->overflow;
	add_saturating(&into->sum, from->sum);
	add_saturating(&into->sum_of_squares, from->sum_of_squares);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
}

static uint64_t needed_for(uint32_t ppm)
{
	return ppm < PARTS ? (PARTS + (PARTS - ppm) - 1) / (PARTS - ppm) : 1;
}

__attribute__((cold)) static uint64_t rank_of(const struct histogram *histogram, uint32_t ppm)
{
	uint64_t rank = (uint64_t)wide_divide((unsigned __int128)histogram->count * ppm + PARTS - 1, PARTS).whole;

	return rank ? rank : 1;
}

/* The middle of a bucket, unless the true minimum or maximum lies in the same one and is nearer. */
__attribute__((cold)) static int64_t middle_of(const struct histogram *histogram, unsigned index)
{
	uint64_t low, high, milli;

	histogram_bounds(index, &low, &high);
	milli = (low + high) * 500;
	if (milli / 1000 >= histogram->max)
		return milli_whole(histogram->max);
	return milli / 1000 < histogram->min ? milli_whole(histogram->min) : (int64_t)milli;
}

/* HISTOGRAM_BUCKETS: among the overflow. */
__attribute__((cold)) static unsigned bucket_of_rank(const struct histogram *histogram, uint64_t rank)
{
	uint64_t seen = 0;
	unsigned i = 0;

	while (i < HISTOGRAM_BUCKETS && (seen += histogram->buckets[i]) < rank)
		i++;
	return i;
}

__attribute__((cold)) int64_t histogram_quantile_milli(const struct histogram *histogram, uint32_t ppm)
{
	uint64_t rank = rank_of(histogram, ppm);
	unsigned bucket;

	if (!histogram->count || ppm > PARTS || histogram->count < needed_for(ppm))
		return VALUE_NONE;
	bucket = bucket_of_rank(histogram, rank);
	return rank < histogram->count && bucket < HISTOGRAM_BUCKETS ? middle_of(histogram, bucket) : milli_whole(histogram->max);
}

/* Beyond the exact ranks, those of the normal approximation: n/2 -+ 1.96/2 * root of n, outwards. */
__attribute__((cold)) static bool median_ranks(uint64_t n, uint64_t *low, uint64_t *high)
{
	unsigned exact_low, exact_high;

	if (n > MAX_SAMPLES) {
		*low = n / 2 - (wide_root((unsigned __int128)n * (98 * 98)) / 100 + 1);
		*high = n + 1 - *low;
		return true;
	}
	if (!summary_median_ranks((unsigned)n, &exact_low, &exact_high))
		return false;
	*low = exact_low;
	*high = exact_high;
	return true;
}

__attribute__((cold)) bool histogram_median_interval(const struct histogram *histogram, int64_t *low_milli, int64_t *high_milli)
{
	uint64_t low_rank, high_rank, low, high, unused;
	unsigned bucket;

	if (!median_ranks(histogram->count, &low_rank, &high_rank))
		return false;
	histogram_bounds(bucket_of_rank(histogram, low_rank), &low, &unused);
	bucket = bucket_of_rank(histogram, high_rank);
	histogram_bounds(bucket, &unused, &high);
	*low_milli = milli_whole(low > histogram->min ? low : histogram->min);
	*high_milli = milli_whole(bucket < HISTOGRAM_BUCKETS && high < histogram->max ? high : histogram->max);
	return true;
}

__attribute__((cold)) int64_t histogram_mean_milli(const struct histogram *histogram)
{
	return histogram->sum == SATURATED ? VALUE_NONE : wide_ratio_milli(histogram->sum, histogram->count);
}

/*
 * Exact up to the last division: the sum of squared distances from the mean is squares - sum^2/n, which with
 * sum = n * mean + rest is squares - mean * (sum + rest) - rest^2/n; in millionths, for the root is in thousandths.
 */
__attribute__((cold)) int64_t histogram_deviation_milli(const struct histogram *histogram)
{
	unsigned __int128 distances, rest;
	struct quotient mean;
	uint64_t n = histogram->count;

	if (n < 2 || n >> 44 || histogram->sum_of_squares == SATURATED || histogram->sum == SATURATED)
		return VALUE_NONE;
	mean = wide_divide(histogram->sum, n);
	distances = histogram->sum_of_squares - mean.whole * (histogram->sum + mean.rest);
	if (distances >> 104)
		return VALUE_NONE;
	rest = wide_divide(mean.rest * mean.rest * PARTS, n).whole;
	return (int64_t)wide_root(wide_divide(distances * PARTS - rest, n - 1).whole);
}
