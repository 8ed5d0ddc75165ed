/* Tests of stat/histogram.c. */
#include "test.h"

#include "event.h"
#include "lib/random.h"
#include "stat/histogram.h"

static struct histogram histogram, other;

static void fill(struct histogram *to, const uint64_t *values, unsigned count)
{
	histogram_clear(to);
	for (unsigned i = 0; i < count; i++)
		histogram_add(to, values[i]);
}

static void fill_range(uint64_t low, uint64_t high)
{
	histogram_clear(&histogram);
	for (uint64_t value = low; value <= high; value++)
		histogram_add(&histogram, value);
}

static unsigned bucket_with(uint64_t value)
{
	fill(&histogram, &value, 1);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram.buckets[i])
			return i;
	return HISTOGRAM_BUCKETS;
}

test(every_bucket_begins_where_the_one_before_ends)
{
	uint64_t low, high, next = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		histogram_bounds(i, &low, &high);
		check(low == next && high >= low);
		next = high + 1;
	}
	check(next == 1ull << 40);
}

test(value_falls_into_the_bucket_whose_bounds_hold_it)
{
	uint64_t low, high;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		histogram_bounds(i, &low, &high);
		check_equal(bucket_with(low), i);
		check_equal(bucket_with(high), i);
	}
}

test(middle_of_a_bucket_is_off_by_at_most_one_part_of_128)
{
	uint64_t low, high;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		histogram_bounds(i, &low, &high);
		check((high - low + 1) / 2 * 128 <= low || i < HISTOGRAM_EXACT);
		check(i >= HISTOGRAM_EXACT || high == low);
	}
}

test(small_values_are_exact)
{
	fill_range(1, 100);
	check_equal(histogram_quantile_milli(&histogram, 500000), 50000);
	check_equal(histogram_quantile_milli(&histogram, 950000), 95000);
	check_equal(histogram_quantile_milli(&histogram, 990000), 99000);
	check_equal(histogram_quantile_milli(&histogram, 1000000), 100000);
	check_equal(histogram_quantile_milli(&histogram, 0), 1000);
}

test(quantile_of_large_values_is_within_its_error)
{
	fill_range(100001, 200000);
	for (uint32_t ppm = 10000; ppm <= 990000; ppm += 10000) {
		int64_t milli = histogram_quantile_milli(&histogram, ppm), exact = (100000 + (int64_t)ppm / 10) * 1000;

		check(milli - exact <= exact / 128 && exact - milli <= exact / 128);
	}
}

test(quantile_is_never_above_the_maximum)
{
	fill(&histogram, (const uint64_t[]){ 1000000, 1000000, 1000000 }, 3);
	check_equal(histogram_quantile_milli(&histogram, 500000), 1000000000);
	fill(&histogram, (const uint64_t[]){ 16384, 16385, 16386 }, 3);
	check_equal(histogram_quantile_milli(&histogram, 500000), 16386000);
}

test(quantile_is_never_below_the_minimum)
{
	fill(&histogram, (const uint64_t[]){ 16638, 16639, 16640, 20000 }, 4);
	check_equal(histogram_quantile_milli(&histogram, 250000), 16638000);
}

test(highest_rank_is_the_maximum_itself)
{
	fill(&histogram, (const uint64_t[]){ 1, 123456789 }, 2);
	check_equal(histogram_quantile_milli(&histogram, 1000000), 123456789000);
}

test(nothing_counted_has_no_figures)
{
	histogram_clear(&histogram);
	check(histogram_quantile_milli(&histogram, 500000) == VALUE_NONE);
	check(histogram_quantile_milli(&histogram, 0) == VALUE_NONE);
	check(histogram_quantile_milli(&histogram, 1000000) == VALUE_NONE);
	check(histogram_mean_milli(&histogram) == VALUE_NONE);
	check(histogram_deviation_milli(&histogram) == VALUE_NONE);
}

test(quantile_needs_its_count)
{
	static const struct { uint32_t ppm, needed; } rows[] = {
		{ 500000, 2 }, { 900000, 10 }, { 950000, 20 }, { 990000, 100 }, { 999000, 1000 }, { 999900, 10000 },
	};

	for (unsigned i = 0; i < 6; i++) {
		fill_range(1, rows[i].needed - 1);
		check(histogram_quantile_milli(&histogram, rows[i].ppm) == VALUE_NONE);
		histogram_add(&histogram, rows[i].needed);
		check(histogram_quantile_milli(&histogram, rows[i].ppm) != VALUE_NONE);
	}
}

test(median_interval_is_that_of_the_exact_ranks)
{
	int64_t low, high;

	fill_range(1, 100);
	check(histogram_median_interval(&histogram, &low, &high));
	check_equal(low, 40000);
	check_equal(high, 61000);
}

test(median_interval_needs_six)
{
	int64_t low, high;

	fill_range(1, 5);
	check(!histogram_median_interval(&histogram, &low, &high));
	fill_range(1, 6);
	check(histogram_median_interval(&histogram, &low, &high));
	check_equal(low, 1000);
	check_equal(high, 6000);
}

/* Of 10000 samples: 98 ranks to either side of the middle, and one outwards: those from 4901 to 5100. */
test(median_interval_of_many_is_half_of_them_and_root_of_them_outwards)
{
	int64_t low, high;

	histogram_clear(&histogram);
	for (unsigned i = 0; i < 10000; i++)
		histogram_add(&histogram, i < 4900 ? 10 : i < 4901 ? 20 : i < 5099 ? 30 : i < 5100 ? 40 : 50);
	check(histogram_median_interval(&histogram, &low, &high));
	check_equal(low, 20000);
	check_equal(high, 40000);
}

test(median_interval_is_from_bound_to_bound_of_its_buckets_within_the_extremes)
{
	int64_t low, high;

	histogram_clear(&histogram);
	for (unsigned i = 0; i < 3; i++) {
		histogram_add(&histogram, 1001); /* of the bucket 1000 to 1007 */
		histogram_add(&histogram, 2002); /* of the bucket 2000 to 2015 */
	}
	check(histogram_median_interval(&histogram, &low, &high));
	check_equal(low, 1001000);
	check_equal(high, 2002000);
	for (unsigned i = 0; i < 20; i++)
		histogram_add(&histogram, i < 10 ? 900 : 3000);
	for (unsigned i = 0; i < 40; i++)
		histogram_add(&histogram, i < 20 ? 1001 : 2002);
	check(histogram_median_interval(&histogram, &low, &high));
	check_equal(low, 1000000);
	check_equal(high, 2015000);
}

test(median_interval_among_the_overflow_ends_at_the_maximum)
{
	uint64_t top = 1ull << 40;
	int64_t low, high;

	fill(&histogram, (const uint64_t[]){ 1, top + 5, top + 6, top + 7, top + 8, 2 * top }, 6);
	check(histogram_median_interval(&histogram, &low, &high));
	check_equal(low, 1000);
	check_equal(high, (int64_t)(2 * top) * 1000);
	histogram_add(&histogram, 3 * top);
	histogram_add(&histogram, 3 * top);
	histogram_add(&histogram, 3 * top);
	check(histogram_median_interval(&histogram, &low, &high));
	check_equal(low, (int64_t)top * 1000);
	check_equal(high, (int64_t)(3 * top) * 1000);
}

test(quantile_above_one_is_none)
{
	fill_range(1, 100);
	check(histogram_quantile_milli(&histogram, 1000001) == VALUE_NONE);
}

test(overflow_is_counted_and_enters_maximum_and_mean)
{
	uint64_t top = 1ull << 40;

	fill(&histogram, (const uint64_t[]){ top - 1, top, 3 * top }, 3);
	check_equal(histogram.overflow, 2);
	check_equal(histogram.count, 3);
	check_equal(histogram.max, 3 * top);
	check_equal(histogram_mean_milli(&histogram), ((int64_t)(5 * top) * 1000 - 1000 + 1) / 3);
}

test(quantile_among_the_overflow_is_the_maximum)
{
	uint64_t top = 1ull << 40;

	fill(&histogram, (const uint64_t[]){ 5, top, top + 1, 2 * top }, 4);
	check_equal(histogram_quantile_milli(&histogram, 250000), 5000);
	check_equal(histogram_quantile_milli(&histogram, 500000), (int64_t)(2 * top) * 1000);
}

test(mean_is_exact)
{
	fill(&histogram, (const uint64_t[]){ 1, 2 }, 2);
	check_equal(histogram_mean_milli(&histogram), 1500);
	fill(&histogram, (const uint64_t[]){ 1, 1, 3 }, 3);
	check_equal(histogram_mean_milli(&histogram), 1667);
}

test(deviation_is_that_of_a_sample)
{
	fill(&histogram, (const uint64_t[]){ 1, 2 }, 2);
	check_equal(histogram_deviation_milli(&histogram), 707);
	fill(&histogram, (const uint64_t[]){ 2, 4, 4, 4, 5, 5, 7, 9 }, 8);
	check_equal(histogram_deviation_milli(&histogram), 2138);
	fill(&histogram, (const uint64_t[]){ 1000000007, 1000000007, 1000000007 }, 3);
	check_equal(histogram_deviation_milli(&histogram), 0);
	fill(&histogram, (const uint64_t[]){ 1 }, 1);
	check(histogram_deviation_milli(&histogram) == VALUE_NONE);
}

test(deviation_loses_nothing_beside_a_large_mean)
{
	histogram_clear(&histogram);
	for (unsigned i = 0; i < 10000; i++)
		histogram_add(&histogram, 1000000000000 + i % 2);
	check_equal(histogram_deviation_milli(&histogram), 500);
}

test(sums_beyond_128_bits_are_none_not_wrong)
{
	fill(&histogram, (const uint64_t[]){ UINT64_MAX, UINT64_MAX, 0 }, 3);
	check(histogram_deviation_milli(&histogram) == VALUE_NONE);
	check(histogram_mean_milli(&histogram) == VALUE_NONE);
	check(histogram.max == UINT64_MAX);
	check(histogram_quantile_milli(&histogram, 500000) == VALUE_NONE);
	histogram_clear(&histogram);
	histogram_add(&histogram, 1);
	histogram.sum = ~(unsigned __int128)0;
	histogram_add(&histogram, 1);
	check(histogram_mean_milli(&histogram) == VALUE_NONE);
}

test(deviation_too_wide_to_be_exact_is_none)
{
	fill(&histogram, (const uint64_t[]){ 0, 1ull << 63 }, 2);
	check(histogram_deviation_milli(&histogram) == VALUE_NONE);
	fill(&histogram, (const uint64_t[]){ 0, 1ull << 52 }, 2);
	check_equal(histogram_deviation_milli(&histogram), 3184525836262886282);
}

test(merged_is_as_if_counted_in_one)
{
	static struct histogram both;
	struct random random;

	random_seed(&random, 3);
	histogram_clear(&histogram);
	histogram_clear(&other);
	histogram_clear(&both);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t value = random_next(&random) >> (i % 45 + 19);

		histogram_add(i % 3 ? &histogram : &other, value);
		histogram_add(&both, value);
	}
	check(both.overflow > 0);
	histogram_merge(&histogram, &other);
	check(memcmp(&histogram, &both, sizeof(both)) == 0);
}

test(merging_an_empty_one_changes_nothing)
{
	fill(&histogram, (const uint64_t[]){ 5, 6 }, 2);
	histogram_clear(&other);
	histogram_merge(&histogram, &other);
	check_equal(histogram.min, 5);
	histogram_merge(&other, &histogram);
	check_equal(other.min, 5);
	check_equal(other.max, 6);
	check_equal(other.count, 2);
}
