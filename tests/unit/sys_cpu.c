#include "test.h"

#include <errno.h>

#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/watch.h"
#include "sys_tree.h"

test(list_with_holes_is_counted) { check_equal(cpu_list_count("0-3,8-11\n"), 8); }
test(list_of_one_is_counted) { check_equal(cpu_list_count("0\n"), 1); }
test(empty_list_counts_none) { check_equal(cpu_list_count("\n"), 0); }
test(backward_range_counts_none) { check_equal(cpu_list_count("7-3"), 0); }

test(list_knows_its_holes)
{
	check(cpu_list_has("0-3,8-11", 8));
	check(!cpu_list_has("0-3,8-11", 5));
	check(!cpu_list_has("", 0));
}

test(pinning_is_real_and_can_be_taken_back)
{
	struct cpu_list list, again;

	cpu_allowed(&list);
	check(list.count > 0);
	check_equal(cpu_pin(list.cpus[list.count - 1]), 0);
	check_equal(cpu_current(), list.cpus[list.count - 1]);
	cpu_allowed(&again);
	check_equal(again.count, list.count);
	check_equal(cpu_pin_all(&list), 0);
}

test(pinning_to_an_absent_cpu_fails) { check_equal(cpu_pin(1023), -EINVAL); }
test(pinning_beyond_the_table_fails) { check_equal(cpu_pin(MAX_CPUS), -EINVAL); }

test(features_are_those_of_the_baseline_at_least)
{
#ifdef __aarch64__
	check(cpu_features() & CPU_NEON);
#else
	check(!(cpu_features() & CPU_NEON));
#endif
}

test(avx512_never_comes_without_avx2) { check(!(cpu_features() & CPU_AVX512) || (cpu_features() & CPU_AVX2)); }

static void *add_one(void *argument)
{
	++*(int *)argument;
	return NULL;
}

test(thread_runs)
{
	pthread_t thread;
	int count = 0;

	check_equal(thread_start(&thread, add_one, &count), 0);
	pthread_join(thread, NULL);
	check_equal(count, 1);
}

test(model_is_the_name_that_x86_tells)
{
	char model[64];

	tree_start();
	file_root(tree);
	tree_put("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: X\nmodel name\t: Example CPU @ 2.00GHz\n");
	cpu_model(model, sizeof(model));
	check_string(model, "Example CPU @ 2.00GHz");
	file_root("");
	tree_end();
}

test(model_of_an_orin_is_named_by_its_part)
{
	char model[64];

	tree_start();
	file_root(tree);
	tree_put("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd42\n");
	cpu_model(model, sizeof(model));
	check_string(model, "Cortex-A78AE");
	file_root("");
	tree_end();
}

test(unknown_part_is_told_by_number)
{
	char model[64];

	tree_start();
	file_root(tree);
	tree_put("/proc/cpuinfo", "CPU implementer\t: 0x99\nCPU part\t: 0x123\n");
	cpu_model(model, sizeof(model));
	check_string(model, "implementer 0x99 part 0x123");
	file_root("");
	tree_end();
}

static void put_for_every_cpu(const char *file, const char *content)
{
	struct cpu_list list;
	char path[128];

	cpu_allowed(&list);
	for (unsigned i = 0; i < list.count; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", list.cpus[i], file);
		tree_put(path, content);
	}
}

test(throttles_of_core_and_package_are_summed)
{
	struct cpu_list list;

	tree_start();
	file_root(tree);
	cpu_allowed(&list);
	put_for_every_cpu("thermal_throttle/core_throttle_count", "3\n");
	put_for_every_cpu("thermal_throttle/package_throttle_count", "4\n");
	check_equal(cpu_throttle_count(), 7 * list.count);
	file_root("");
	tree_end();
}

test(conditions_that_are_told_become_facts)
{
	struct conditions before, after;
	struct facts facts = { 0 };

	tree_start();
	file_root(tree);
	put_for_every_cpu("cpufreq/scaling_cur_freq", "2201600\n");
	put_for_every_cpu("thermal_throttle/core_throttle_count", "0\n");
	watch_read(&before);
	put_for_every_cpu("cpufreq/scaling_cur_freq", "1113600\n");
	put_for_every_cpu("thermal_throttle/core_throttle_count", "1\n");
	watch_read(&after);
	watch_facts(&before, &after, &facts);
	check_equal(fact_find(&facts, "cpu_hz_before")->milli, 2201600000000);
	check_equal(fact_find(&facts, "cpu_hz_after")->milli, 1113600000000);
	check_equal(fact_find(&facts, "throttles_before")->milli, 0);
	check(fact_find(&facts, "throttles_after")->milli > 0);
	file_root("");
	tree_end();
}

test(conditions_that_are_not_told_are_no_facts)
{
	struct conditions conditions;
	struct facts facts = { 0 };

	tree_start();
	file_root(tree);
	watch_read(&conditions);
	watch_facts(&conditions, &conditions, &facts);
	check_equal(facts.count, 0);
	file_root("");
	tree_end();
}
