/*
 * histogram.h: log-linear histogram of nanoseconds, after fio's with its silent clipping mended.
 *
 * Values below 128 ns are exact; above, 64 buckets per power of two, so that a bucket's middle is off by at most 1/128.
 * What lies beyond the last bucket (2^40 ns, 18 min) is counted as overflow and still enters max and mean.
 * A quantile is never above the true maximum nor below the true minimum; one that lies among the overflow is the
 * maximum.  Zeroed memory is an empty histogram.  18 KiB; adding is a few instructions.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
	HISTOGRAM_EXACT = 128,
	HISTOGRAM_PER_POWER = 64,
	HISTOGRAM_TOP_POWER = 40,
	HISTOGRAM_BUCKETS = HISTOGRAM_EXACT + (HISTOGRAM_TOP_POWER - 7) * HISTOGRAM_PER_POWER,
};

struct histogram {
	uint64_t count, overflow;
	uint64_t min, max;
	unsigned __int128 sum;
	unsigned __int128 sum_of_squares;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_clear(struct histogram *histogram);
void histogram_add(struct histogram *histogram, uint64_t value);
void histogram_merge(struct histogram *into, const struct histogram *from);

/*
 * The quantile ppm/1e6 (500000 is the median), in thousandths, by nearest rank; VALUE_NONE ("n/a") when there are too
 * few samples for it: fewer than 1/(1-q) rounded up (2 for the median, 100 for p99, 1000 for p99.9).
 */
int64_t histogram_quantile_milli(const struct histogram *histogram, uint32_t ppm);
/*
 * The 95 % interval of the median by ranks (binomial; its normal approximation beyond MAX_SAMPLES), from the lower bound
 * of the one bucket to the upper bound of the other: never too narrow.  False below 6 samples.
 */
bool histogram_median_interval(const struct histogram *histogram, int64_t *low_milli, int64_t *high_milli);
/* Both VALUE_NONE when the sums go beyond what 128 bits hold exactly, or there are too few samples: none, or below 2. */
int64_t histogram_mean_milli(const struct histogram *histogram);
int64_t histogram_deviation_milli(const struct histogram *histogram); /* of the sample */

/* The values that lie in bucket index: low <= v <= high. */
void histogram_bounds(unsigned index, uint64_t *low, uint64_t *high);

#endif
