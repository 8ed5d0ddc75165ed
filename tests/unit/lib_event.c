/* Tests of lib/event.c. */
#include "test.h"

#include "event.h"

test(metric_without_points_is_bare)
{
	struct event event = { .metric = "env.after.throttles" };
	char name[MAX_METRIC];

	check_equal(event_metric_name(&event, name, sizeof(name)), 19);
	check_string(name, "env.after.throttles");
}

test(metric_name_keeps_the_order_of_its_points)
{
	struct event event = { .metric = "block.read.bandwidth", .point_count = 2,
	                       .points = { { "role", "nvme" }, { "bs", "4k" } } };
	char name[MAX_METRIC];

	check_equal(event_metric_name(&event, name, sizeof(name)), 37);
	check_string(name, "block.read.bandwidth[role=nvme,bs=4k]");
}

test(metric_name_is_cut_at_its_size)
{
	struct event event = { .metric = "mem.c2c" };
	char name[4];

	check_equal(event_metric_name(&event, name, sizeof(name)), 3);
	check_string(name, "mem");
}

test(longest_metric_name_of_an_event_may_be_cut_but_is_terminated)
{
	struct event event = { .point_count = MAX_POINTS };
	char name[MAX_METRIC];

	memset(event.metric, 'm', sizeof(event.metric) - 1);
	for (unsigned i = 0; i < MAX_POINTS; i++) {
		memset(event.points[i].key, 'k', sizeof(event.points[i].key) - 1);
		memset(event.points[i].value, 'v', sizeof(event.points[i].value) - 1);
	}
	check_equal(event_metric_name(&event, name, sizeof(name)), MAX_METRIC - 1);
	check_equal(strlen(name), MAX_METRIC - 1);
}

test(facts_are_found_by_key)
{
	static struct facts facts;

	fact_milli(&facts, "median", 1337);
	fact_number(&facts, "n", 30);
	check_equal(fact_find(&facts, "median")->milli, 1337);
	check_equal(fact_find(&facts, "n")->milli, 30000);
	check(!fact_find(&facts, "max"));
}

test(fact_added_again_takes_the_place_of_the_first)
{
	static struct facts facts;

	fact_number(&facts, "n", 1);
	fact_number(&facts, "n", 2);
	fact_text(&facts, "engine", "psync");
	fact_text(&facts, "engine", "io_uring");
	check_equal(facts.count, 1);
	check_equal(facts.numbers[0].milli, 2000);
	check_equal(facts.text_count, 1);
	check_string(facts.texts[0].text, "io_uring");
}

test(fact_without_a_value_is_left_out)
{
	static struct facts facts;

	fact_milli(&facts, "p99.9", VALUE_NONE);
	check_equal(facts.count, 0);
}

test(whole_fact_saturates)
{
	static struct facts facts;

	fact_number(&facts, "high", INT64_MAX);
	fact_number(&facts, "low", INT64_MIN);
	check_equal(fact_find(&facts, "high")->milli, INT64_MAX);
	check_equal(fact_find(&facts, "low")->milli, -INT64_MAX);
}

test(full_list_of_facts_drops_what_comes)
{
	static struct facts facts;

	for (int i = 0; i < MAX_FACTS + 3; i++) {
		char key[8];

		snprintf(key, sizeof(key), "%d", i);
		fact_number(&facts, key, i);
		fact_text(&facts, key, key);
	}
	check_equal(facts.count, MAX_FACTS);
	check_equal(facts.text_count, MAX_TEXT_FACTS);
	check(!fact_find(&facts, "48"));
	check_string(facts.texts[MAX_TEXT_FACTS - 1].text, "15");
}

test(ratio_is_rounded_to_thousandths)
{
	check_equal(milli_ratio(1, 3), 333);
	check_equal(milli_ratio(2, 3), 667);
	check_equal(milli_ratio(1, 2000), 1);
	check_equal(milli_ratio(0, 7), 0);
	check_equal(milli_ratio(UINT64_MAX, UINT64_MAX), 1000);
}

test(ratio_without_a_value_is_none)
{
	check(milli_ratio(1, 0) == VALUE_NONE);
	check(milli_ratio(UINT64_MAX, 1) == VALUE_NONE);
}

test(rate_per_second)
{
	check_equal(milli_per_second(1500, 1000000000), 1500000);
	check_equal(milli_per_second(1, 3000000000), 333);
	check_equal(milli_per_second(1ull << 50, 1000000000000), 1125899906842624);
	check(milli_per_second(1, 0) == VALUE_NONE);
	check(milli_per_second(UINT64_MAX, 1) == VALUE_NONE);
}

test(whole_number_as_thousandths)
{
	check_equal(milli_whole(2), 2000);
	check_equal(milli_whole(INT64_MAX / 1000), INT64_MAX / 1000 * 1000);
	check(milli_whole(INT64_MAX / 1000 + 1) == VALUE_NONE);
	check(milli_whole(UINT64_MAX) == VALUE_NONE);
}
