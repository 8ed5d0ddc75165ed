/* step_net_steady: pure noise is one level, a step of a fifth is found where it is, and a rate that rises and falls has as many levels as it has. */
#include "lib/random.h"
#include "step/net_point.h"
#include "test.h"

#define GBIT 1000000000000ll /* in thousandths of a bit a second */

static struct samples rates;
static struct net_steadiness steadiness;

/* The sum of twelve uniform numbers is close to normal: mean 0, deviation 1, in millionths. */
static int64_t normal_ppm(struct random *random)
{
	int64_t sum = -6000000;

	for (unsigned i = 0; i < 12; i++)
		sum += (int64_t)random_below(random, 1000001);
	return sum;
}

static void add(struct random *random, unsigned count, int64_t rate_milli, int64_t noise_ppm)
{
	while (count--)
		samples_add(&rates, rate_milli + rate_milli / 1000000 * (normal_ppm(random) * noise_ppm / 1000000));
}

static void find(void)
{
	net_steady_find(&rates, &steadiness);
}

test(noise_is_one_level)
{
	static const unsigned counts[] = { 10, 20, 100, 300, 1000 };
	static const int64_t noises_ppm[] = { 0, 1000, 20000, 50000, 150000 };
	struct random random;
	unsigned more = 0, tried = 0;

	random_seed(&random, 1);
	for (unsigned c = 0; c < COUNT_OF(counts); c++)
		for (unsigned n = 0; n < COUNT_OF(noises_ppm); n++)
			for (unsigned i = 0; i < (counts[c] > 100 ? 3u : 40u); i++) {
				samples_clear(&rates);
				add(&random, counts[c], 10 * GBIT, noises_ppm[n]);
				find();
				tried++;
				more += steadiness.levels.count != 1;
			}
	check(tried > 600);
	check(more <= tried / 200);
}

test(step_of_a_fifth_is_found_where_it_is)
{
	static const int64_t noises_ppm[] = { 0, 10000, 40000 };
	struct random random;

	random_seed(&random, 2);
	for (unsigned n = 0; n < COUNT_OF(noises_ppm); n++)
		for (unsigned i = 0; i < 40; i++) {
			samples_clear(&rates);
			add(&random, 40, 9 * GBIT, noises_ppm[n]);
			add(&random, 60, 9 * GBIT / 10 * 8, noises_ppm[n]);
			find();
			check_equal(steadiness.levels.count, 2);
			check(steadiness.levels.starts[1] >= 38 && steadiness.levels.starts[1] <= 42);
			check(steadiness.levels.means[0] > 9 * GBIT / 100 * 97 && steadiness.levels.means[0] < 9 * GBIT / 100 * 103);
			check(steadiness.levels.means[1] > 9 * GBIT / 1000 * 776 && steadiness.levels.means[1] < 9 * GBIT / 1000 * 824);
		}
}

test(rises_and_falls_are_counted)
{
	struct random random;

	random_seed(&random, 3);
	samples_clear(&rates);
	for (unsigned i = 0; i < 3; i++) {
		add(&random, 20, 9 * GBIT, 20000);
		add(&random, 10, 6 * GBIT, 20000);
	}
	find();
	check_equal(steadiness.levels.count, 6);
	check_equal(steadiness.levels.starts[5], 80);
	/* 30 of 90 are at two thirds of the median */
	check(steadiness.low_ppm_milli >= 333333333 - 1 && steadiness.low_ppm_milli <= 333333334);
}

test(two_intervals_that_stall_are_low_and_no_level)
{
	struct random random;

	random_seed(&random, 4);
	samples_clear(&rates);
	add(&random, 50, 9 * GBIT, 10000);
	samples_add(&rates, 0);
	samples_add(&rates, 0);
	add(&random, 48, 9 * GBIT, 10000);
	find();
	check_equal(steadiness.levels.count, 1);
	check_equal(steadiness.low_ppm_milli, 20000000);
}

test(what_cannot_have_levels_has_none)
{
	struct random random;

	random_seed(&random, 5);
	samples_clear(&rates);
	find();
	check_equal(steadiness.levels.count, 0);
	add(&random, 20, 0, 0);
	find();
	check_equal(steadiness.levels.count, 0);
}

test(half_a_second_of_nothing_is_a_level)
{
	struct random random;

	random_seed(&random, 6);
	samples_clear(&rates);
	add(&random, 50, 9 * GBIT, 10000);
	add(&random, 5, 0, 0);
	add(&random, 45, 9 * GBIT, 10000);
	find();
	check_equal(steadiness.levels.count, 3);
	check_equal(steadiness.levels.starts[1], 50);
	check_equal(steadiness.levels.starts[2], 55);
	check_equal(steadiness.levels.means[1], 0);
}

/* Between nearly nothing and very much: no sum overflows, and the median is of neither. */
test(wildest_rates_fit)
{
	samples_clear(&rates);
	for (unsigned i = 0; i < MAX_SAMPLES; i++)
		samples_add(&rates, i % 3 == 0 ? 1000000 : i % 3 == 1 ? 1 : 400 * GBIT);
	find();
	check(steadiness.levels.count >= 1 && steadiness.levels.count <= MAX_LEVELS);
	for (unsigned i = 0; i < steadiness.levels.count; i++)
		check(steadiness.levels.means[i] >= 0);
}
