#include "capacity.h"
#include "env/noise.h"
#include "test.h"

test(threshold_is_ten_turns_where_that_is_more_than_a_microsecond)
{
	uint32_t deltas[] = { 500, 400, 450, 90000, 420 };
	struct noise_loop loop;

	noise_calibrate(&loop, deltas, 5, 1000);
	check_equal(loop.turn_ticks, 450);
	check_equal(loop.threshold_ticks, 4500);
}

test(threshold_is_never_below_a_microsecond)
{
	uint32_t deltas[] = { 20, 20, 20 };
	struct noise_loop loop;

	noise_calibrate(&loop, deltas, 3, 1000);
	check_equal(loop.threshold_ticks, 1000);
}

test(a_gap_counts_for_what_it_took_beyond_a_turn)
{
	struct noise_loop loop = { .turn_ticks = 20, .threshold_ticks = 1000 };

	noise_note(&loop, 20);
	noise_note(&loop, 1000);
	check_equal(loop.gaps, 0);
	check_equal(loop.lost_ticks, 0);
	noise_note(&loop, 5020);
	noise_note(&loop, 2020);
	check_equal(loop.gaps, 2);
	check_equal(loop.lost_ticks, 7000);
	check_equal(loop.max_ticks, 5020);
}

/* Twice the time of two threads on one CPU: what one runs, the other loses. */
test(a_cpu_shared_by_two_shows_the_loss)
{
	static struct cpu_list all, twice;
	struct noise noise[2];

	cpu_allowed(&all);
	twice = (struct cpu_list){ .count = 2, .cpus = { all.cpus[0], all.cpus[0] } };
	noise_measure(&twice, MS(300), noise);
	check_equal(noise[0].error, 0);
	check_equal(noise[1].error, 0);
	check(noise[0].lost_ns + noise[1].lost_ns > MS(100));
	check(noise[0].gaps > 0 || noise[1].gaps > 0);
	check(noise[0].max_ns <= noise[0].run_ns);
	check(noise[0].readings > 100);
}

test(a_cpu_that_is_not_there_is_an_error)
{
	struct cpu_list none = { .count = 1, .cpus = { MAX_CPUS - 1 } };
	struct noise noise;

	noise_measure(&none, MS(10), &noise);
	check(noise.error < 0);
}
