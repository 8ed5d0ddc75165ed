/* stat_steady.c: SNIA's rule, at its two bounds and behind them. */
#include "stat/steady.h"

#include "test.h"

static struct steady steady;

static bool rounds(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e)
{
	const int64_t values[STEADY_ROUNDS] = { a, b, c, d, e };

	return steady_rounds(values, &steady);
}

test(equal_rounds_are_steady)
{
	check(rounds(500, 500, 500, 500, 500));
	check(steady.is_steady);
	check_equal(steady.spread_ppm, 0);
	check_equal(steady.rise_ppm, 0);
}

test(a_spread_of_a_fifth_of_the_mean_is_steady_and_one_more_is_not)
{
	check(rounds(100, 90, 110, 90, 110)); /* mean 100, spread 20 */
	check_equal(steady.spread_ppm, 200000);
	check(steady.is_steady);
	check(rounds(1000, 899, 1100, 900, 1100));
	check(!steady.is_steady);
}

/* 95 98 100 102 105: the slope is (-2*95 - 98 + 102 + 2*105) / 10 = 2.4, the rise 9.6 of 100. */
test(the_fitted_line_may_rise_by_a_tenth)
{
	check(rounds(95, 98, 100, 102, 105));
	check_equal(steady.rise_ppm, 96000);
	check(steady.is_steady);
	check(rounds(95, 97, 100, 103, 105)); /* 10.4 of 100, the spread still 10 */
	check_equal(steady.rise_ppm, 104000);
	check_equal(steady.spread_ppm, 100000);
	check(!steady.is_steady);
}

test(falling_counts_as_rising)
{
	check(rounds(105, 103, 100, 97, 95));
	check_equal(steady.rise_ppm, -104000);
	check(!steady.is_steady);
	check(rounds(3820, 3800, 3810, 3805, 3815));
	check(steady.is_steady);
}

test(nothing_is_said_of_a_mean_of_0_or_below)
{
	check(!rounds(0, 0, 0, 0, 0));
	check(!rounds(-1, 0, 0, 0, 0));
}

test(the_largest_values_do_not_overflow)
{
	check(rounds(INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX));
	check(steady.is_steady);
	check(rounds(1, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX));
	check(!steady.is_steady);
	check_equal(steady.spread_ppm, 1249999);
}

test(samples_are_cut_into_five_rounds_from_the_end)
{
	static struct samples samples;

	samples_clear(&samples);
	check(!steady_of(&samples, &steady));
	for (int i = 0; i < 4; i++)
		samples_add(&samples, 100);
	check(!steady_of(&samples, &steady));
	/* 12 samples: the first two, wild, are left out. */
	samples_clear(&samples);
	samples_add(&samples, 1);
	samples_add(&samples, 900000);
	for (int i = 0; i < 10; i++)
		samples_add(&samples, 100 + (i & 1));
	check(steady_of(&samples, &steady));
	check(steady.is_steady);
	check_equal(steady.spread_ppm, 0);
	/* A write cache that is full after two fifths. */
	samples_clear(&samples);
	for (int i = 0; i < 10; i++)
		samples_add(&samples, i < 4 ? 2000 : 500);
	check(steady_of(&samples, &steady));
	check(!steady.is_steady);
}
