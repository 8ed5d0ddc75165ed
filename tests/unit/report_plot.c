/* report_plot: curves drawn over one another on axes that begin at 0, never cut silently. */
#include "report/plot.h"
#include "sink_buffer.h"
#include "test.h"

static struct plot_sink sink;
static const char *title;

static void begin(void)
{
	title = "latency ns (up) by bandwidth GB/s (across)";
	plot_sink_init(&sink, &buffer.output);
}

static const char *end(void)
{
	buffer.size = 0;
	buffer.bytes[0] = 0;
	check_equal(sink_tell(&sink.sink, step_end, "mem.loaded", OUTCOME_PASS, "", 0), 0);
	return buffer.bytes;
}

static void say(const struct event *event)
{
	struct judged judged = { .event = event, .outcome = OUTCOME_MEASURED, .reason = "" };

	check_equal(sink_tell(&sink.sink, event, &judged), 0);
}

static void point(const char *curve, int64_t across_milli, int64_t up_milli)
{
	struct event event = { .kind = EVENT_FIGURE, .unit = "ns", .value_milli = up_milli };

	fact_curve(&event.facts, title, curve, across_milli);
	say(&event);
}

test(curves_stand_in_one_drawing_and_a_star_where_two_meet)
{
	begin();
	point("100000k", 1700, 80000);
	point("100000k", 17400, 100000);
	point("100000k", 27900, 200000);
	point("100000k", 30000, 310000);
	point("64000k", 1700, 80000);
	point("64000k", 17000, 140000);
	point("64000k", 0, 0);
	check_string(end(),
		"      latency ns (up) by bandwidth GB/s (across)\n"
		"           320 +                                                            A\n"
		"               |\n"
		"               |\n"
		"               |\n"
		"           240 +\n"
		"               |\n"
		"               |                                                        A\n"
		"               |\n"
		"           160 +\n"
		"               |                                  B\n"
		"               |\n"
		"               |                                   A\n"
		"            80 +   *\n"
		"               |\n"
		"               |\n"
		"               |\n"
		"             0 +B---------------+---------------+---------------+---------------+\n"
		"                0               8               16              24              32\n"
		"      A 100000k   B 64000k   * several\n");
}

test(height_is_in_the_unit_that_the_title_names)
{
	begin();
	title = "latency us (up) by depth (across)";
	point("x", 8000, 12345678);
	check(strstr(end(), "\n            16 +") != NULL);
	check(strstr(buffer.bytes, "\n                0               2               4               6               8\n") != NULL);
	check(strstr(buffer.bytes, "\n      A x\n") != NULL);
}

test(small_and_huge_values_stay_in_the_drawing)
{
	begin();
	point("x", 1, 1);
	end();
	point("x", INT64_MAX, INT64_MAX);
	point("x", -5, -5);
	check(strstr(end(), "+A") != NULL);
}

test(what_has_no_value_has_no_point)
{
	struct event skip = { .kind = EVENT_SKIP, .value_milli = 5 }, plain = { .kind = EVENT_FIGURE, .value_milli = 5 };

	begin();
	fact_curve(&skip.facts, title, "x", 5);
	say(&skip);
	say(&plain);
	point("x", 1000, VALUE_NONE);
	point("x", VALUE_NONE, 1000);
	check_string(end(), "");
}

test(plots_are_kept_apart_and_forgotten_when_the_step_ends)
{
	const char *first, *second;

	begin();
	point("x", 1000, 1000);
	title = "another";
	point("y", 1000, 1000);
	first = strstr(end(), "A x\n");
	second = strstr(buffer.bytes, "      another\n");
	check(first && second && first < second && strstr(second, "A y\n"));
	check_string(end(), "");
}

test(what_there_is_no_room_for_is_told)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };

	begin();
	for (unsigned i = 0; i < COUNT_OF(names); i++)
		point(names[i], 1000, 1000);
	check(strstr(end(), "\n      1 more points: there is room for 8 plots, 8 curves each, 512 points; the record has them all\n") != NULL);
	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		title = names[i];
		point("x", 1000, 1000);
	}
	check(strstr(end(), "      1 more points") != NULL);
	title = names[0];
	for (unsigned i = 0; i < PLOT_POINTS + 3; i++)
		point("x", 1000 * i, 1000);
	check(strstr(end(), "      3 more points") != NULL);
}
