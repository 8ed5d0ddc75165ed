#include "test.h"

#include "event.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"

test(clock_never_goes_back)
{
	uint64_t last = clock_now_ns();

	for (unsigned i = 0; i < 10000; i++) {
		uint64_t now = clock_now_ns();
		check(now >= last);
		last = now;
	}
}

test(ticks_agree_with_the_reference_within_half_a_percent)
{
	uint64_t from, from_ns, ticks_ns, ns;

	clock_quality();
	from_ns = clock_now_ns();
	from = clock_ticks();
	sys_sleep_ns(50000000);
	ticks_ns = clock_ticks_to_ns(clock_ticks() - from);
	ns = clock_now_ns() - from_ns;
	check(ticks_ns <= ns + ns / 200);
	check(ticks_ns >= ns - ns / 200);
}

test(an_hour_of_ticks_goes_both_ways_without_overflow)
{
	uint64_t hour_ns = 3600000000000ull, back_ns = clock_ticks_to_ns(clock_ns_to_ticks(hour_ns));

	check(back_ns <= hour_ns + 1000 && back_ns + 100000 >= hour_ns);
}

test(a_century_of_ns_does_not_wrap)
{
	uint64_t century_ns = 3155760000000000000ull;

	check(clock_ticks_to_ns(clock_ns_to_ticks(century_ns)) > century_ns / 100 * 99);
}

test(quality_is_measured)
{
	const struct clock_quality *quality = clock_quality();

	check(quality->resolution_ps > 0);
	check(quality->overhead_ps > 0);
	check(quality->overhead_ps < 1000000000); /* a millisecond for a reading would be no clock */
	check(!strcmp(quality->name, "monotonic_raw") == !quality->counter_hz);
	if (!quality->counter_is_invariant)
		check_string(quality->name, "monotonic_raw");
}

/* A rate that the hardware tells stays as it is. */
test(a_rate_is_known_better_the_longer_it_is_measured)
{
	const struct clock_quality *quality = clock_quality();
	int64_t before = quality->rate_error_ppm_milli;
	uint64_t hz = quality->counter_hz;

	sys_sleep_ns(100000000);
	clock_refine();
	if (before == VALUE_NONE) {
		check(quality->rate_error_ppm_milli == VALUE_NONE);
		check_equal(quality->counter_hz, hz);
	} else {
		check(quality->rate_error_ppm_milli < before);
		check(quality->counter_hz > hz / 1000 * 999 && quality->counter_hz < hz / 1000 * 1001);
	}
}

test(cpu_time_counts_work_not_sleep)
{
	uint64_t before_ns = clock_thread_cpu_ns(), slept_ns, from_ns;

	sys_sleep_ns(20000000);
	slept_ns = clock_thread_cpu_ns() - before_ns;
	check(slept_ns < 10000000);
	from_ns = clock_thread_cpu_ns();
	while (clock_thread_cpu_ns() - from_ns < 2000000)
		cpu_relax();
	check(clock_process_cpu_ns() >= 2000000);
}
