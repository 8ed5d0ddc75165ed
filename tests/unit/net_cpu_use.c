#include "event.h"
#include "net/cpu_use.h"
#include "test.h"

static struct cpu_use before, after;

test(columns_are_sorted_into_kinds)
{
	before.count = 0;
	cpu_use_parse("cpu3 10 1 20 300 5 6 7 8 99 99", &before);
	check_equal(before.count, 1);
	check_equal(before.cpus[0], 3);
	check_equal(before.ticks[0][CPU_USER], 11);
	check_equal(before.ticks[0][CPU_SYSTEM], 20);
	check_equal(before.ticks[0][CPU_IRQ], 6);
	check_equal(before.ticks[0][CPU_SOFTIRQ], 7);
	check_equal(before.ticks[0][CPU_REST], 313);
}

test(the_sum_of_all_cpus_and_other_lines_are_passed_over)
{
	before.count = 0;
	cpu_use_parse("cpu  10 1 20 300 5 6 7 8 0 0", &before);
	cpu_use_parse("intr 12345 1 2 3", &before);
	check_equal(before.count, 0);
}

test(cpus_with_holes_keep_their_numbers)
{
	before.count = after.count = 0;
	cpu_use_parse("cpu0 0 0 0 0 0 0 0 0 0 0", &before);
	cpu_use_parse("cpu8 0 0 0 0 0 0 0 0 0 0", &before);
	cpu_use_parse("cpu0 100 0 0 0 0 0 0 0 0 0", &after);
	cpu_use_parse("cpu8 0 0 25 75 0 0 0 0 0 0", &after);
	check_equal(cpu_use_ppm_milli(&before, &after, 8, CPU_SYSTEM, NULL), 250000000);
	check_equal(cpu_use_ppm_milli(&before, &after, 0, CPU_USER, NULL), 1000000000);
}

test(a_window_without_a_tick_has_no_value)
{
	uint64_t ticks = 1;

	before.count = after.count = 0;
	cpu_use_parse("cpu0 5 0 0 0 0 0 0 0 0 0", &before);
	cpu_use_parse("cpu0 5 0 0 0 0 0 0 0 0 0", &after);
	check(cpu_use_ppm_milli(&before, &after, 0, CPU_USER, &ticks) == VALUE_NONE);
	check_equal(ticks, 0);
	check(cpu_use_ppm_milli(&before, &after, 7, CPU_USER, NULL) == VALUE_NONE);
}

test(iowait_running_backwards_counts_as_nothing)
{
	before.count = after.count = 0;
	cpu_use_parse("cpu0 0 0 0 100 50 0 0 0 0 0", &before);
	cpu_use_parse("cpu0 10 0 0 100 40 0 0 0 0 0", &after);
	check_equal(cpu_use_ppm_milli(&before, &after, 0, CPU_USER, NULL), 1000000000);
	check_equal(cpu_use_ppm_milli(&before, &after, 0, CPU_REST, NULL), 0);
}
