/*
 * summary.c: see summary.h.  All integers: the binomial sums of the median's interval are exact, in numbers of as many
 * bits as there are samples; sums of squares are 128 bits wide, and VALUE_NONE when the samples spread too far for that.
 */
#include <string.h>

#include "lib/wide.h"
#include "stat/summary.h"

enum {
	LEAST_FOR_INTERVAL = 6,
	LEAST_FOR_AUTOCORRELATION = 8,
	TAIL_PARTS = 40,         /* 2.5 % on either side is one part of forty */
	SPREAD_BITS = 52,        /* of a distance from the mean whose squares add up within 128 bits, times MAX_SAMPLES */
	BIG_WORDS = MAX_SAMPLES / 32 + 1,
};

/* A number of up to MAX_SAMPLES + 32 bits, the lowest word first. */
struct big { uint32_t words[BIG_WORDS]; };

static void big_add(struct big *to, const struct big *from)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < BIG_WORDS; i++) {
		carry += (uint64_t)to->words[i] + from->words[i];
		to->words[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

static void big_multiply(struct big *number, uint32_t factor)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < BIG_WORDS; i++) {
		carry += (uint64_t)number->words[i] * factor;
		number->words[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

static void big_divide(struct big *number, uint32_t divisor)
{
	uint64_t rest = 0;

	for (unsigned i = BIG_WORDS; i--;) {
		rest = rest << 32 | number->words[i];
		number->words[i] = (uint32_t)(rest / divisor);
		rest %= divisor;
	}
}

/* Is number below 2^bits? */
static bool big_fits(const struct big *number, unsigned bits)
{
	unsigned word = bits / 32;

	if (number->words[word] >> bits % 32)
		return false;
	while (++word < BIG_WORDS)
		if (number->words[word])
			return false;
	return true;
}

/* tail / 2^n <= 1/40, where equality cannot be: 40 does not divide a power of two. */
static bool in_tail(const struct big *tail, unsigned n)
{
	struct big scaled = *tail;

	big_multiply(&scaled, TAIL_PARTS);
	return big_fits(&scaled, n);
}

/* The interval leaves out as many ranks on either side as the tail of the binomial (n, 1/2) allows. */
bool summary_median_ranks(unsigned n, unsigned *low, unsigned *high)
{
	struct big choices = { { 1 } }, tail = { { 1 } }; /* n over left_out, and the sum of all those up to it */
	unsigned left_out = 0;

	if (n < LEAST_FOR_INTERVAL || n > MAX_SAMPLES)
		return false;
	while (in_tail(&tail, n)) {
		big_multiply(&choices, n - left_out);
		left_out++;
		big_divide(&choices, left_out);
		big_add(&tail, &choices);
	}
	*low = left_out;
	*high = n + 1 - left_out;
	return true;
}

void samples_clear(struct samples *samples)
{
	samples->count = 0;
	samples->lost = 0;
}

void samples_add(struct samples *samples, int64_t value)
{
	if (samples->count < MAX_SAMPLES)
		samples->values[samples->count++] = value;
	else
		samples->lost++;
}

/* Moves the value at `at` down to its place in a heap of count values. */
static void sift(int64_t *values, unsigned at, unsigned count)
{
	int64_t value = values[at];

	for (unsigned child = 2 * at + 1; child < count; child = 2 * at + 1) {
		if (child + 1 < count && values[child + 1] > values[child])
			child++;
		if (values[child] <= value)
			break;
		values[at] = values[child];
		at = child;
	}
	values[at] = value;
}

/* Heapsort: in place, n log n whatever the order. */
static void sort(int64_t *values, unsigned count)
{
	for (unsigned i = count / 2; i--;)
		sift(values, i, count);
	for (unsigned last = count; last-- > 1;) {
		int64_t top = values[0];

		values[0] = values[last];
		values[last] = top;
		sift(values, 0, last);
	}
}

/* sum/count rounded to nearest, a half away from zero. */
static int64_t rounded(__int128 sum, unsigned count)
{
	__int128 half = count / 2;

	return (int64_t)wide_divide_signed(sum + (sum < 0 ? -half : half), count);
}

static int64_t mean_of(const struct samples *samples)
{
	__int128 sum = 0;

	for (unsigned i = 0; i < samples->count; i++)
		sum += samples->values[i];
	return rounded(sum, samples->count);
}

static int64_t percentile_of(const int64_t *sorted, unsigned n, unsigned percent)
{
	return n * (100 - percent) < 100 ? VALUE_NONE : sorted[(n * percent + 99) / 100 - 1];
}

static void order_statistics(const struct samples *samples, struct summary *summary)
{
	int64_t sorted[MAX_SAMPLES];
	unsigned n = samples->count, low, high;

	memcpy(sorted, samples->values, n * sizeof(*sorted));
	sort(sorted, n);
	summary->min = sorted[0];
	summary->max = sorted[n - 1];
	summary->median = rounded((__int128)sorted[(n - 1) / 2] + sorted[n / 2], 2);
	summary->p95 = percentile_of(sorted, n, 95);
	summary->p99 = percentile_of(sorted, n, 99);
	summary->has_interval = summary_median_ranks(n, &low, &high);
	if (summary->has_interval) {
		summary->low = sorted[low - 1];
		summary->high = sorted[high - 1];
	}
}

/* Sums over the distances from the (rounded) mean. */
struct moments { __int128 sum, squares, neighbours; };

static bool moments_of(const struct samples *samples, int64_t mean, struct moments *moments)
{
	__int128 before = 0, limit = (__int128)1 << SPREAD_BITS;

	*moments = (struct moments){ 0 };
	for (unsigned i = 0; i < samples->count; i++) {
		__int128 distance = (__int128)samples->values[i] - mean;

		if (distance >= limit || distance <= -limit)
			return false;
		moments->sum += distance;
		moments->squares += distance * distance;
		moments->neighbours += before * distance;
		before = distance;
	}
	return true;
}

/* The sum takes back what rounding the mean has put into the squares. */
static int64_t deviation_of(const struct moments *moments, unsigned n)
{
	__int128 spread = moments->squares * n - moments->sum * moments->sum;

	return n < 2 ? VALUE_NONE : (int64_t)wide_root(wide_divide((unsigned __int128)spread, (uint64_t)n * (n - 1)).whole);
}

static int64_t autocorrelation_of(const struct moments *moments, unsigned n)
{
	if (n < LEAST_FOR_AUTOCORRELATION || !moments->squares)
		return VALUE_NONE;
	return (int64_t)wide_divide_signed(moments->neighbours * 1000, (unsigned __int128)moments->squares);
}

void summary_of(const struct samples *samples, struct summary *summary)
{
	struct moments moments;

	*summary = (struct summary){ .count = samples->count, .deviation = VALUE_NONE, .autocorrelation_milli = VALUE_NONE };
	if (!samples->count)
		return;
	order_statistics(samples, summary);
	summary->mean = mean_of(samples);
	if (!moments_of(samples, summary->mean, &moments))
		return;
	summary->deviation = deviation_of(&moments, samples->count);
	summary->autocorrelation_milli = autocorrelation_of(&moments, samples->count);
}

int64_t summary_median(const struct samples *samples)
{
	struct summary summary;

	summary_of(samples, &summary);
	return summary.count ? summary.median : VALUE_NONE;
}

void summary_facts(const struct summary *summary, struct facts *facts)
{
	fact_number(facts, "n", summary->count);
	if (!summary->count)
		return;
	fact_milli(facts, "median", summary->median);
	if (summary->has_interval) {
		fact_milli(facts, "low95", summary->low);
		fact_milli(facts, "high95", summary->high);
	}
	fact_milli(facts, "p95", summary->p95);
	fact_milli(facts, "p99", summary->p99);
	fact_milli(facts, "min", summary->min);
	fact_milli(facts, "max", summary->max);
	fact_milli(facts, "deviation", summary->deviation);
}
