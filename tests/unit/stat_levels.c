/* stat_levels.c: where a made-up series changes its level. */
#include "stat/levels.h"

#include "lib/random.h"
#include "test.h"

static int64_t values[LEVELS_MAX_VALUES + 8];
static struct levels levels;

/* count values of `level` behind the first `from`, with noise of +-noise. */
static unsigned plateau(unsigned from, unsigned count, int64_t level, uint64_t noise)
{
	static struct random random;

	if (!from)
		random_seed(&random, 7);
	for (unsigned i = 0; i < count; i++)
		values[from + i] = level + (int64_t)random_below(&random, 2 * noise + 1) - (int64_t)noise;
	return from + count;
}

test(an_empty_series_has_no_level)
{
	levels_find(values, 0, 100, 1, &levels);
	check_equal(levels.count, 0);
}

test(one_value_is_one_level)
{
	values[0] = -5;
	levels_find(values, 1, 100, 3, &levels);
	check_equal(levels.count, 1);
	check_equal(levels.starts[0], 0);
	check_equal(levels.means[0], -5);
}

test(plateaus_are_found_where_they_begin)
{
	unsigned count = plateau(plateau(plateau(0, 7, 110, 0), 12, 1930, 0), 5, 7230, 0);

	levels_find(values, count, 10000, 1, &levels);
	check_equal(levels.count, 3);
	check_equal(levels.starts[1], 7);
	check_equal(levels.starts[2], 19);
	check_equal(levels.means[0], 110);
	check_equal(levels.means[1], 1930);
	check_equal(levels.means[2], 7230);
}

test(noise_below_the_step_changes_nothing)
{
	unsigned count = plateau(plateau(0, 40, 1000, 80), 60, 1500, 80);

	levels_find(values, count, 100000, 2, &levels);
	check_equal(levels.count, 2);
	check_equal(levels.starts[1], 40);
	check(levels.means[0] > 970 && levels.means[0] < 1030);
}

test(noise_alone_is_one_level)
{
	levels_find(values, plateau(0, 300, 1000, 100), 200000, 2, &levels);
	check_equal(levels.count, 1);
	check_equal(levels.starts[0], 0);
}

/* 0 .. 10, and one value more or less: a penalty of one step's own worth decides. */
test(a_step_must_be_worth_the_penalty)
{
	unsigned count = plateau(plateau(0, 4, 0, 0), 4, 10, 0); /* as one run: 8 * 25 = 200 */

	levels_find(values, count, 199, 1, &levels);
	check_equal(levels.count, 2);
	levels_find(values, count, 200, 1, &levels);
	check_equal(levels.count, 1);
	check_equal(levels.means[0], 5);
}

test(a_run_is_not_shorter_than_was_asked_for)
{
	unsigned count = plateau(plateau(plateau(0, 5, 0, 0), 1, 1000, 0), 5, 0, 0);

	levels_find(values, count, 10, 1, &levels);
	check_equal(levels.count, 3);
	levels_find(values, count, 10, 2, &levels);
	for (unsigned i = 0; i < levels.count; i++)
		check((i + 1 < levels.count ? levels.starts[i + 1] : count) - levels.starts[i] >= 2);
	levels_find(values, 5, 10, 9, &levels);
	check_equal(levels.count, 1);
}

test(a_slope_is_cut_into_at_most_so_many_levels)
{
	for (unsigned i = 0; i < 200; i++)
		values[i] = 100 * i;
	levels_find(values, 200, 1, 1, &levels);
	check(levels.count > MAX_LEVELS / 2 && levels.count <= MAX_LEVELS);
	for (unsigned i = 1; i < levels.count; i++)
		check(levels.starts[i] > levels.starts[i - 1] && levels.means[i] > levels.means[i - 1]);
	levels_find(values, 200, INT64_MAX, 1, &levels);
	check_equal(levels.count, 1);
}

test(as_many_values_as_there_may_be)
{
	unsigned count = 0;

	for (unsigned i = 0; i < 16; i++)
		count = plateau(count, LEVELS_MAX_VALUES / 16, 1000 * (i * 7 % 16), 20);
	levels_find(values, count, 50000, 4, &levels);
	check_equal(levels.count, 16);
	for (unsigned i = 0; i < levels.count; i++)
		check_equal(levels.starts[i], i * LEVELS_MAX_VALUES / 16);
	values[LEVELS_MAX_VALUES] = INT64_MAX; /* beyond them nothing is looked at */
	levels_find(values, count + 8, 50000, 4, &levels);
	check_equal(levels.count, 16);
}

test(the_largest_values_do_not_overflow)
{
	for (unsigned i = 0; i < 64; i++)
		values[i] = i < 32 ? INT64_MIN : INT64_MAX;
	levels_find(values, 64, INT64_MAX, 1, &levels);
	check_equal(levels.count, 2);
	check_equal(levels.starts[1], 32);
	check_equal(levels.means[0], INT64_MIN);
	check_equal(levels.means[1], INT64_MAX);
}

test(logarithms_of_powers_are_whole)
{
	for (unsigned i = 0; i < 64; i++)
		check_equal(levels_log2_milli(1ull << i), 1000 * i);
}

test(logarithms_are_right_to_a_thousandth)
{
	check_equal(levels_log2_milli(3), 1585);
	check_equal(levels_log2_milli(10), 3322);
	check_equal(levels_log2_milli(1500), 10551);
	check_equal(levels_log2_milli(999999999999), 39863);
	check_equal(levels_log2_milli(UINT64_MAX), 64000);
}
