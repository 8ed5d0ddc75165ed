/* Tests of stat/summary.c. */
#include "test.h"

#include "lib/random.h"
#include "stat/summary.h"

static struct samples samples;
static struct summary summary;

static void sum_up(const int64_t *values, unsigned count)
{
	samples_clear(&samples);
	for (unsigned i = 0; i < count; i++)
		samples_add(&samples, values[i]);
	summary_of(&samples, &summary);
}

test(median_interval_needs_six_samples)
{
	unsigned low, high;

	for (unsigned n = 0; n < 6; n++)
		check(!summary_median_ranks(n, &low, &high));
	check(summary_median_ranks(6, &low, &high));
}

test(median_interval_has_the_published_ranks)
{
	static const struct { unsigned n, low, high; } rows[] = {
		{ 6, 1, 6 }, { 7, 1, 7 }, { 8, 1, 8 }, { 9, 2, 8 }, { 10, 2, 9 }, { 15, 4, 12 }, { 20, 6, 15 }, { 25, 8, 18 },
		{ 30, 10, 21 }, { 50, 18, 33 }, { 100, 40, 61 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned low = 0, high = 0;

		check(summary_median_ranks(rows[i].n, &low, &high));
		check_equal(low, rows[i].low);
		check_equal(high, rows[i].high);
	}
}

/* The tail below a rank, in long doubles: good enough to tell 2.5 % from either side wherever it is not a tie. */
static long double tail_below(unsigned n, unsigned rank)
{
	long double choices = 1, tail = 0, scale = 1;

	for (unsigned i = 0; i < n; i++)
		scale /= 2;
	for (unsigned i = 0; i < rank; i++) {
		tail += choices * scale;
		choices = choices * (n - i) / (i + 1);
	}
	return tail;
}

test(median_interval_covers_95_percent_and_no_rank_more_for_every_count)
{
	for (unsigned n = 6; n <= MAX_SAMPLES; n++) {
		unsigned low = 0, high = 0;

		check(summary_median_ranks(n, &low, &high));
		check_equal(low + high, n + 1);
		check(tail_below(n, low) <= 0.025L && tail_below(n, low + 1) > 0.025L);
	}
}

test(median_interval_ends_at_the_most_samples)
{
	unsigned low, high;

	check(!summary_median_ranks(1025, &low, &high));
}

test(median_of_an_odd_count_is_the_middle_one)
{
	sum_up((const int64_t[]){ 9, 1, 5 }, 3);
	check_equal(summary.median, 5);
	check_equal(summary.min, 1);
	check_equal(summary.max, 9);
	check_equal(summary.mean, 5);
	check(!summary.has_interval);
}

test(median_of_an_even_count_lies_between)
{
	sum_up((const int64_t[]){ 10, 1, 4, 7 }, 4);
	check_equal(summary.median, 6);
	sum_up((const int64_t[]){ -10, -1, -4, -7 }, 4);
	check_equal(summary.median, -6);
}

test(interval_is_taken_from_the_sorted_samples)
{
	sum_up((const int64_t[]){ 90, 10, 80, 20, 70, 30, 60, 40, 50 }, 9);
	check(summary.has_interval);
	check_equal(summary.low, 20);
	check_equal(summary.high, 80);
	check_equal(summary.median, 50);
}

static void sum_up_to(int64_t n)
{
	samples_clear(&samples);
	for (int64_t i = n; i; i--)
		samples_add(&samples, i);
	summary_of(&samples, &summary);
}

test(percentiles_are_by_nearest_rank)
{
	sum_up_to(100);
	check_equal(summary.p95, 95);
	check_equal(summary.p99, 99);
	sum_up_to(101);
	check_equal(summary.p95, 96);
	check_equal(summary.p99, 100);
}

test(percentiles_of_too_few_samples_are_none)
{
	sum_up_to(19);
	check(summary.p95 == VALUE_NONE);
	sum_up_to(20);
	check_equal(summary.p95, 19);
	check(summary.p99 == VALUE_NONE);
	sum_up_to(99);
	check(summary.p99 == VALUE_NONE);
}

test(samples_keep_their_order)
{
	sum_up((const int64_t[]){ 3, 1, 2 }, 3);
	check_equal(samples.values[0], 3);
	check_equal(samples.values[1], 1);
	check_equal(samples.values[2], 2);
}

test(every_order_of_samples_is_sorted)
{
	struct random random;

	random_seed(&random, 11);
	for (unsigned n = 1; n < 200; n++) {
		samples_clear(&samples);
		for (unsigned i = 0; i < n; i++)
			samples_add(&samples, (int64_t)i);
		for (unsigned i = n - 1; i; i--) {
			unsigned j = (unsigned)random_below(&random, i + 1);
			int64_t value = samples.values[i];

			samples.values[i] = samples.values[j];
			samples.values[j] = value;
		}
		summary_of(&samples, &summary);
		check_equal(summary.min, 0);
		check_equal(summary.max, n - 1);
		check_equal(summary.median, n / 2);
	}
}

test(samples_beyond_the_most_are_counted_not_kept)
{
	samples_clear(&samples);
	for (unsigned i = 0; i < MAX_SAMPLES + 5; i++)
		samples_add(&samples, (int64_t)i);
	check_equal(samples.count, 1024);
	check_equal(samples.lost, 5);
	summary_of(&samples, &summary);
	check_equal(summary.max, 1023);
}

test(no_sample_gives_no_summary)
{
	static struct facts facts;

	sum_up(NULL, 0);
	check_equal(summary.count, 0);
	check(!summary.has_interval);
	check(summary.deviation == VALUE_NONE);
	summary_facts(&summary, &facts);
	check_equal(facts.count, 1);
	check_equal(fact_find(&facts, "n")->milli, 0);
}

test(deviation_is_that_of_a_sample)
{
	sum_up((const int64_t[]){ 2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000 }, 8);
	check_equal(summary.deviation, 2138);
	sum_up((const int64_t[]){ 5 }, 1);
	check(summary.deviation == VALUE_NONE);
	sum_up((const int64_t[]){ -3, -3 }, 2);
	check_equal(summary.deviation, 0);
}

test(deviation_does_not_suffer_from_the_rounded_mean)
{
	sum_up((const int64_t[]){ 0, 7 }, 2); /* 4.95 from the mean of 3.5, and 5 from the rounded one */
	check_equal(summary.mean, 4);
	check_equal(summary.deviation, 4);
}

test(samples_that_spread_too_far_have_no_deviation)
{
	sum_up((const int64_t[]){ INT64_MAX, -INT64_MAX, 0 }, 3);
	check_equal(summary.mean, 0);
	check_equal(summary.median, 0);
	check(summary.deviation == VALUE_NONE);
	check(summary.autocorrelation_milli == VALUE_NONE);
}

test(mean_of_the_largest_samples_does_not_overflow)
{
	sum_up((const int64_t[]){ INT64_MAX, INT64_MAX, INT64_MAX }, 3);
	check_equal(summary.mean, INT64_MAX);
	check_equal(summary.median, INT64_MAX);
	check_equal(summary.deviation, 0);
}

test(autocorrelation_tells_drift_from_alternation)
{
	sum_up((const int64_t[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, 9);
	check_equal(summary.autocorrelation_milli, 666);
	sum_up((const int64_t[]){ 0, 2, 0, 2, 0, 2, 0, 2 }, 8);
	check_equal(summary.autocorrelation_milli, -875);
}

test(autocorrelation_needs_eight_samples_that_differ)
{
	sum_up((const int64_t[]){ 1, 2, 3, 4, 5, 6, 7 }, 7);
	check(summary.autocorrelation_milli == VALUE_NONE);
	sum_up((const int64_t[]){ 4, 4, 4, 4, 4, 4, 4, 4 }, 8);
	check(summary.autocorrelation_milli == VALUE_NONE);
}

test(facts_of_a_summary)
{
	static struct facts facts;

	sum_up((const int64_t[]){ 1000, 2000, 3000, 4000, 5000, 6000 }, 6);
	summary_facts(&summary, &facts);
	check_equal(fact_find(&facts, "n")->milli, 6000);
	check_equal(fact_find(&facts, "median")->milli, 3500);
	check_equal(fact_find(&facts, "low95")->milli, 1000);
	check_equal(fact_find(&facts, "high95")->milli, 6000);
	check_equal(fact_find(&facts, "min")->milli, 1000);
	check_equal(fact_find(&facts, "max")->milli, 6000);
	check_equal(fact_find(&facts, "deviation")->milli, 1870);
	check(!fact_find(&facts, "p95")); /* six samples have none */
}

test(facts_without_an_interval_do_not_make_one_up)
{
	static struct facts facts;

	sum_up((const int64_t[]){ 1000, 2000 }, 2);
	summary_facts(&summary, &facts);
	check(!fact_find(&facts, "low95"));
	check(!fact_find(&facts, "high95"));
}
