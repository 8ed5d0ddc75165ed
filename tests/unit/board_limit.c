/* Limits: their names, their bounds, and the null that nobody has calibrated. */
#include <errno.h>

#include "board.h"
#include "test.h"

static struct board board;
static char fault[400];

static int parse(const char *limits)
{
	static char text[4096];

	snprintf(text, sizeof text, "{\"board\":\"b\",\"title\":\"t\",\"match\":{\"arch\":\"x86_64\"},\"limits\":{\n%s}}", limits);
	fault[0] = 0;
	return board_parse(&board, "f", text, strlen(text), fault, sizeof fault);
}

#define check_refused(limits, expected) do { check_equal(parse(limits), -EINVAL); check_string(fault, expected); } while (0)

test(bounds_are_kept_in_thousandths)
{
	const struct limit *limit;

	check_equal(parse("\"a.b[k=v]\": { \"min\": -1.5, \"warn_min\": 0, \"warn_max\": 2.25, \"max\": 3, \"source\": \"us\" }"), 0);
	limit = board_limit(&board, "a.b[k=v]");
	check(limit && limit->judged && limit->has_min && limit->has_max && limit->has_warn_min && limit->has_warn_max);
	check_equal(limit->min_milli, -1500);
	check_equal(limit->warn_min_milli, 0);
	check_equal(limit->warn_max_milli, 2250);
	check_equal(limit->max_milli, 3000);
	check_string(limit->source, "us");
	check_equal(limit->line, 2);
	check_equal(limit->column, 1);
}

test(null_limit_is_not_judged_and_may_be_required)
{
	check_equal(parse("\"a.b\": { \"min\": null, \"required\": true }"), 0);
	check(!board.limits[0].judged);
	check(board.limits[0].required);
}

test(empty_limit_is_not_judged)
{
	check_equal(parse("\"a.b\": { }"), 0);
	check(!board.limits[0].judged);
}

test(null_beside_a_number_is_as_good_as_absent)
{
	check_equal(parse("\"a.b\": { \"min\": null, \"max\": 0 }"), 0);
	check(board.limits[0].judged && !board.limits[0].has_min && board.limits[0].has_max);
}

test(limit_is_found_by_its_whole_name_only)
{
	check_equal(parse("\"a.b[k=v]\": { \"max\": 0 }"), 0);
	check(!board_limit(&board, "a.b"));
	check(!board_limit(&board, "a.b[k=v"));
	check(board_limit(&board, "a.b[k=v]"));
}

test(bound_that_is_no_number_is_refused)
{
	check_refused("\"a.b\": { \"min\": \"9\" }", "f:2:17: \"min\" must be a number");
	check_refused("\"a.b\": { \"min\": true }", "f:2:17: \"min\" must be a number");
}

test(bound_beyond_fixed_point_is_refused)
{
	check_equal(parse("\"a.b\": { \"min\": 0.0001 }"), -EINVAL);
	check_equal(parse("\"a.b\": { \"min\": 1e16 }"), -EINVAL);
	check_equal(parse("\"a.b\": { \"min\": 9e15 }"), 0);
	check_equal(board.limits[0].min_milli, 9000000000000000000);
}

test(min_above_max_is_refused)
{
	check_refused("\"a.b\": { \"min\": 2, \"max\": 1 }", "f:2:8: \"min\" is above \"max\"");
}

test(warning_outside_of_its_limit_is_refused)
{
	check_refused("\"a.b\": { \"min\": 2, \"warn_min\": 1 }", "f:2:8: \"warn_min\" is below \"min\": it would never warn");
	check_refused("\"a.b\": { \"max\": 2, \"warn_max\": 3 }", "f:2:8: \"warn_max\" is above \"max\": it would never warn");
	check_refused("\"a.b\": { \"warn_min\": 2, \"warn_max\": 1 }", "f:2:8: \"warn_min\" is above \"warn_max\"");
	check_refused("\"a.b\": { \"max\": 2, \"warn_min\": 3 }", "f:2:8: \"warn_min\" is above \"max\"");
	check_refused("\"a.b\": { \"min\": 2, \"warn_max\": 1 }", "f:2:8: \"warn_max\" is below \"min\"");
}

test(unknown_bound_names_the_nearest)
{
	check_refused("\"a.b\": { \"warnmin\": 2 }", "f:2:10: unknown key \"warnmin\" (did you mean \"warn_min\"?)");
}

test(limit_twice_is_refused)
{
	check_equal(parse("\"a.b\": { },\n\"a.b\": { }"), -EINVAL);
	check(!strncmp(fault, "f:3:1: ", 7));
}

#define check_metric_refused(metric, reason) \
	check_refused("\"" metric "\": {}", "f:2:1: \"" metric "\" is not a metric name: " reason)

test(metric_names_of_the_interface_are_accepted)
{
	check_equal(parse("\"block.read.bandwidth[role=nvme,bs=4m,iodepth=32,numjobs=1]\": {},"
	                  "\"block.read.latency.p99.9[role=nvme,bs=4k,iodepth=1,numjobs=1]\": {},"
	                  "\"mem.bandwidth[mix=1:1,threads=12,buffer=256m,page=thp,node=0]\": {},"
	                  "\"clock.sanity.backwards\": {}"), 0);
	check_equal(board.limit_count, 4);
}

test(ill_formed_metric_names_are_refused)
{
	check_metric_refused("", "it must begin with a name such as block.read.bandwidth");
	check_metric_refused("block", "it must begin with a name such as block.read.bandwidth");
	check_metric_refused("a.b ", "behind the name comes nothing or [key=value,...]");
	check_metric_refused("a.b[]", "a point must be key=value");
	check_metric_refused("a.b[k]", "a point must be key=value");
	check_metric_refused("a.b[k=]", "a point has no value");
	check_metric_refused("a.b[k=v", "it must end with ] behind the last point");
	check_metric_refused("a.b[k=v]x", "it must end with ] behind the last point");
	check_metric_refused("a.b[k=v,]", "a point must be key=value");
	check_metric_refused("a.b[k=v, l=w]", "a point must be key=value");
	check_metric_refused("a.b[k=v,k=w]", "it repeats a key");
	check_metric_refused("a.b[a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1]", "it has too many points");
	check_metric_refused("a.b[abcdefghijklmnop=1]", "a point's key or value is too long");
}

test(limit_that_is_no_object_is_refused)
{
	check_refused("\"a.b\": 5", "f:2:8: a limit must be an object");
}
