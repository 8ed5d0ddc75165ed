#include "capacity.h"
#include "env/clock_check.h"
#include "event.h"
#include "sys/clock.h"
#include "test.h"

static uint64_t now_ns, ticks_at, raw_at, trip_at, raw_trip_at, back_by, rate_milli;

static void reset(void)
{
	now_ns = 1000000;
	ticks_at = raw_at = trip_at = raw_trip_at = back_by = 0;
	rate_milli = 1000;
}

/* Its reading number raw_trip_at is back_by too low. */
static uint64_t false_raw(void)
{
	now_ns += 1000;
	raw_at++;
	return now_ns - (raw_at == raw_trip_at ? back_by : 0);
}

/* Runs at rate_milli / 1000 of raw; its reading number trip_at is back_by too low. */
static uint64_t false_ticks(void)
{
	now_ns += 1000;
	ticks_at++;
	return now_ns * rate_milli / 1000 - (ticks_at == trip_at ? back_by : 0);
}

static uint64_t same(uint64_t ticks) { return ticks; }

static const struct clock_pair false_pair = { false_ticks, same, false_raw };

static void run(struct clock_check *check_)
{
	static struct cpu_list list;

	cpu_allowed(&list);
	clock_check(&false_pair, &list, MS(5), check_);
}

test(clocks_that_agree_have_no_drift_and_never_run_backwards)
{
	struct clock_check found;

	reset();
	run(&found);
	check_equal(found.ticks_backwards, 0);
	check_equal(found.raw_backwards, 0);
	check_equal(found.drift_ppm_milli, 0);
	check(found.hops > 0);
	check(found.span_ns >= MS(5));
}

test(one_step_backwards_is_found_with_its_size)
{
	struct clock_check found;

	reset();
	trip_at = 60;
	back_by = 7000;
	run(&found);
	check_equal(found.ticks_backwards, 1);
	check_equal(found.worst_back_ns, 5000);
}

test(a_step_backwards_of_the_reference_is_found_too)
{
	struct clock_check found;

	reset();
	raw_trip_at = 100; /* behind the 64 readings that the first moment takes */
	back_by = 7000;
	run(&found);
	check_equal(found.raw_backwards, 1);
	check_equal(found.ticks_backwards, 0);
	check_equal(found.worst_back_ns, 5000);
}

test(a_clock_that_is_quick_by_one_in_a_thousand_drifts_by_1000_ppm)
{
	struct clock_check found;

	reset();
	rate_milli = 1001;
	run(&found);
	check(found.drift_ppm_milli > 999000 && found.drift_ppm_milli < 1001000);
}

test(a_slow_clock_drifts_below_zero)
{
	struct clock_check found;

	reset();
	rate_milli = 990;
	run(&found);
	check(found.drift_ppm_milli > -10010000 && found.drift_ppm_milli < -9990000);
}

test(the_grain_is_the_smallest_step_and_the_cost_the_mean)
{
	uint64_t resolution_ps, overhead_ps;

	reset();
	clock_grain(false_raw, 1000, &resolution_ps, &overhead_ps);
	check_equal(resolution_ps, 1000000);
	check_equal(overhead_ps, 1000000);
}

static uint64_t frozen(void) { return 5; }

test(a_clock_that_stands_still_has_no_resolution)
{
	uint64_t resolution_ps = 1, overhead_ps = 1;

	clock_grain(frozen, 100, &resolution_ps, &overhead_ps);
	check_equal(resolution_ps, 0);
	check_equal(overhead_ps, 0);
}

test(the_real_clocks_pass)
{
	static struct cpu_list list;
	struct clock_check found;

	cpu_allowed(&list);
	clock_check(&clock_pair, &list, MS(20), &found);
	check_equal(found.ticks_backwards, 0);
	check_equal(found.raw_backwards, 0);
	check_equal(found.pin_failures, 0);
	check(found.drift_ppm_milli > -50000000 && found.drift_ppm_milli < 50000000);
}
