/* What a board file may say, and that everything else is refused with its line and column. */
#include <errno.h>

#include "board.h"
#include "test.h"

static struct board board;
static char fault[256];

static int parse(const char *text)
{
	fault[0] = 0;
	return board_parse(&board, "f", text, strlen(text), fault, sizeof fault);
}

/* A whole board file with these members added. */
static int parse_with(const char *members)
{
	static char text[8192];

	snprintf(text, sizeof text, "{\"board\":\"b\",\"title\":\"t\",\"match\":{\"arch\":\"x86_64\"}%s%s}", *members ? ",\n" : "", members);
	return parse(text);
}

/* Is it refused, with this fault? */
#define check_refused(members, expected) do { check_equal(parse_with(members), -EINVAL); check_string(fault, expected); } while (0)

test(least_board_file_is_accepted)
{
	check_equal(parse_with(""), 0);
	check_string(board.name, "b");
	check_string(board.title, "t");
	check_string(board.match_arch, "x86_64");
	check_equal(board.storage_count, 0);
	check_string(board.source, "f");
	check_equal(strlen(board.sha256), 64);
}

test(missing_board_is_refused)
{
	check_equal(parse("{\"title\":\"t\",\"match\":{\"arch\":\"x86_64\"}}"), -EINVAL);
	check_string(fault, "f:1:1: a board file has no \"board\"");
}

test(missing_title_is_refused)
{
	check_equal(parse("\n {\"board\":\"b\",\"match\":{\"arch\":\"x86_64\"}}"), -EINVAL);
	check_string(fault, "f:2:2: a board file has no \"title\"");
}

test(missing_match_is_refused)
{
	check_equal(parse("{\"board\":\"b\",\"title\":\"t\"}"), -EINVAL);
	check_string(fault, "f:1:1: a board file has no \"match\"");
}

test(empty_match_is_refused)
{
	check_equal(parse("{\"board\":\"b\",\"title\":\"t\",\"match\":{}}"), -EINVAL);
	check_string(fault, "f:1:34: \"match\" is empty: give \"device-tree\", \"dmi\" or \"arch\"");
}

test(unknown_arch_is_refused)
{
	check_equal(parse("{\"board\":\"b\",\"title\":\"t\",\"match\":{\"arch\":\"arm64\"}}"), -EINVAL);
	check_string(fault, "f:1:34: \"arch\" is x86_64 or aarch64, not \"arm64\"");
}

test(root_that_is_no_object_is_refused)
{
	check_equal(parse("[]"), -EINVAL);
	check_string(fault, "f:1:1: a board file must be an object");
}

test(trailing_comma_is_refused_with_line_and_column)
{
	check_equal(parse("{\"board\":\"b\",\n\"title\":\"t\",\n}"), -EINVAL);
	check_string(fault, "f:2:12: no comma may stand before }");
}

test(unknown_key_names_the_nearest)
{
	check_refused("\"limit\": {}", "f:2:1: unknown key \"limit\" (did you mean \"limits\"?)");
}

test(unknown_key_far_from_all_is_refused_without_a_guess)
{
	check_refused("\"frobnicate\": {}", "f:2:1: unknown key \"frobnicate\"");
}

test(unknown_key_deep_inside_is_refused)
{
	check_refused("\"storage\": [\n  { \"role\": \"a\", \"buspath\": \"1\" }]",
	              "f:3:18: unknown key \"buspath\" (did you mean \"bus_path\"?)");
}

test(repeated_key_is_refused)
{
	check_equal(parse_with("\"board\": \"c\""), -EINVAL);
	check(!strncmp(fault, "f:2:1: ", 7));
}

test(board_name_with_a_space_is_refused)
{
	check_equal(parse("{\"board\":\"my board\",\"title\":\"t\",\"match\":{\"arch\":\"x86_64\"}}"), -EINVAL);
	check_string(fault, "f:1:10: \"board\" takes letters, digits, '.', '_' and '-' only, not \"my board\"");
}

test(too_long_string_is_refused)
{
	check_refused("\"storage\": [{ \"role\": \"0123456789abcdef\", \"bus\": \"nvme\" }]", "f:2:23: \"role\" takes at most 15 bytes");
}

test(control_character_is_refused)
{
	check_refused("\"storage\": [{ \"role\": \"a\", \"model\": \"x\\u001b[31m\" }]", "f:2:37: \"model\" holds a control character");
}

test(wrong_types_are_refused)
{
	check_refused("\"skus\": {}", "f:2:9: \"skus\" must be a list");
	check_refused("\"skus\": [1]", "f:2:10: a SKU must be an object");
	check_refused("\"memory\": 3", "f:2:11: memory must be an object");
	check_refused("\"storage\": [{ \"role\": 7 }]", "f:2:23: \"role\" must be a string");
	check_refused("\"storage\": [{ \"role\": \"a\", \"required\": 1 }]", "f:2:40: \"required\" must be true or false");
	check_refused("\"skus\": [{ \"name\": \"a\", \"cpus\": \"8\" }]", "f:2:33: \"cpus\" must be a whole number");
	check_refused("\"undeclared_storage\": true", "f:2:23: \"undeclared_storage\" is \"read\" or \"ignore\"");
}

test(numbers_out_of_range_are_refused)
{
	check_refused("\"skus\": [{ \"name\": \"a\", \"cpus\": 0 }]", "f:2:33: \"cpus\" must be 1 to 1024");
	check_refused("\"storage\": [{ \"role\": \"a\", \"bus\": \"nvme\", \"link_width\": 33 }]", "f:2:57: \"link_width\" must be 1 to 32");
	check_refused("\"temperature_stop_c\": 0", "f:2:23: \"temperature_stop_c\" must be above 0 and at most 150");
	check_refused("\"write_cap_bytes\": 99999999999999999999", "f:2:20: \"write_cap_bytes\" must be 1 to 9223372036854775807");
}

test(sku_with_least_memory_above_most_is_refused)
{
	check_refused("\"skus\": [{ \"name\": \"a\", \"memory_min_bytes\": 2, \"memory_max_bytes\": 1 }]",
	              "f:2:10: \"memory_min_bytes\" is above \"memory_max_bytes\"");
}

test(two_roles_of_one_name_are_refused)
{
	check_refused("\"storage\": [{ \"role\": \"a\", \"bus\": \"nvme\" },\n{ \"role\": \"a\", \"bus\": \"mmc\" }]",
	              "f:3:1: there is already a storage role \"a\"");
}

test(role_that_tells_no_device_is_refused)
{
	check_refused("\"storage\": [{ \"role\": \"a\" }]", "f:2:13: nothing tells this device: give \"bus_path\", \"bus\" or \"model\"");
}

test(role_scratch_is_reserved)
{
	check_refused("\"storage\": [{ \"role\": \"scratch\", \"bus\": \"nvme\" }]",
	              "f:2:13: the role \"scratch\" is what --scratch gives: name this one otherwise");
}

test(too_many_elements_are_refused)
{
	check_refused("\"storage\": [{\"role\":\"0\",\"bus\":\"a\"},{\"role\":\"1\",\"bus\":\"a\"},{\"role\":\"2\",\"bus\":\"a\"},"
	              "{\"role\":\"3\",\"bus\":\"a\"},{\"role\":\"4\",\"bus\":\"a\"},{\"role\":\"5\",\"bus\":\"a\"},{\"role\":\"6\",\"bus\":\"a\"},"
	              "{\"role\":\"7\",\"bus\":\"a\"},\n{\"role\":\"8\",\"bus\":\"a\"}]",
	              "f:3:1: \"storage\" takes at most 8");
}

test(storage_role_keeps_all_it_is_told)
{
	check_equal(parse_with("\"storage\": [{ \"role\": \"emmc\", \"bus_path\": \"3460000\", \"bus\": \"mmc\", \"timing\": \"mmc HS400\","
	                       "\"size_min_bytes\": 63585648640, \"bound_bytes_per_s\": 400000000, \"required\": true }]"), 0);
	check_equal(board.storage_count, 1);
	check_string(board.storage[0].mode, "mmc HS400");
	check_string(board.storage[0].bus_path, "3460000");
	check_equal(board.storage[0].size_min_bytes, 63585648640);
	check_equal(board.storage[0].bound_bytes_per_s, 400000000);
	check(board.storage[0].required);
}

test(port_takes_alternative_devices)
{
	check_equal(parse_with("\"network\": [{ \"port\": \"10g\", \"device\": [\"6810000\", \"6800000\"], \"speed_mbit_per_s\": 10000 }]"), 0);
	check_string(board.network[0].device, "6810000|6800000");
	check_equal(board.network[0].speed_mbit_per_s, 10000);
	check(!board.network[0].required);
}

test(clock_may_say_rate_for_path)
{
	check_equal(parse_with("\"stacks\": [{ \"name\": \"l4t-35\", \"kernel\": [\"5.10\", \"5.11\"], \"clocks\": [{ \"name\": \"emc\", "
	                       "\"rate\": \"/r\", \"max\": \"/m\", \"unit_hz\": 1000, \"rule\": \"equal-max\" }] }]"), 0);
	check_string(board.stacks[0].kernel, "5.10|5.11");
	check_equal(board.stacks[0].clock_count, 1);
	check_string(board.stacks[0].clocks[0].path, "/r");
	check_string(board.stacks[0].clocks[0].max_path, "/m");
	check_equal(board.stacks[0].clocks[0].unit_hz, 1000);
}

#define IN_LIST(list, sensor) "\"stacks\": [{ \"name\": \"s\", \"" list "\": [{ \"name\": \"a\", " sensor " }] }]"
#define THROTTLE(sensor) IN_LIST("throttle", sensor)
#define RULE(rule) "\"path\": \"/a\", \"rule\": \"" rule "\""

test(sensor_must_say_where_once)
{
	const char *expected = "f:2:40: a sensor has one of \"path\", \"rate\", \"file\", \"label\", \"zone\" and \"cooling\"";

	check_refused(THROTTLE("\"unit_hz\": 1"), expected);
	check_refused(THROTTLE("\"path\": \"/a\", \"rate\": \"/b\""), expected);
	check_refused(THROTTLE("\"zone\": \"a\", \"cooling\": \"b\""), expected);
}

test(sensor_path_must_be_absolute_without_hwmon)
{
	check_refused(THROTTLE("\"path\": \"oc1_event_cnt\""), "f:2:40: a path must be absolute, or a file of a \"hwmon\"");
	check_refused(THROTTLE("\"path\": [\"/a\", \"b\"]"), "f:2:40: a path must be absolute, or a file of a \"hwmon\"");
	check_equal(parse_with(THROTTLE("\"path\": [\"/a\", \"/b\"]")), 0);
	check_equal(parse_with(THROTTLE("\"hwmon\": \"soctherm_oc\", \"file\": \"oc1_event_cnt\"")), 0);
}

test(sensor_label_needs_hwmon)
{
	check_refused(THROTTLE("\"label\": \"VDD\""), "f:2:40: \"hwmon\" goes with a \"file\" in it or a \"label\"");
	check_refused(THROTTLE("\"hwmon\": \"ina3221\", \"zone\": \"z\""), "f:2:40: \"hwmon\" goes with a \"file\" in it or a \"label\"");
}

test(sensor_rule_is_one_that_its_list_judges)
{
	static const char *const throttle_rules[] = {
		THROTTLE(RULE("no-increase")), THROTTLE(RULE("warn-increase")), THROTTLE(RULE("no-decrease")), THROTTLE(RULE("zero")),
	};

	for (unsigned i = 0; i < COUNT_OF(throttle_rules); i++)
		check_equal(parse_with(throttle_rules[i]), 0);
	check_equal(parse_with(THROTTLE(RULE("never"))), -EINVAL);
	check(strstr(fault, "f:2:40: \"rule\" is none of this list's") == fault);
	check_equal(parse_with(THROTTLE(RULE("below") ", \"limit\": 5")), -EINVAL);
	check_equal(parse_with(IN_LIST("clocks", RULE("zero"))), -EINVAL);
	check_equal(parse_with(IN_LIST("temperatures", RULE("zero"))), -EINVAL);
	check_equal(parse_with(IN_LIST("rails", RULE("below") ", \"limit\": 5")), -EINVAL);
}

test(sensor_limit_and_rule_go_together)
{
	check_equal(parse_with(IN_LIST("temperatures", RULE("below"))), -EINVAL);
	check(strstr(fault, "\"limit\" goes with the rules below and lists") != NULL);
	check_refused(THROTTLE("\"path\": \"/a\", \"limit\": 3"), "f:2:40: \"limit\" goes with the rules below and lists");
	check_equal(parse_with(IN_LIST("temperatures", RULE("below") ", \"limit\": 99.5")), 0);
	check_equal(board.stacks[0].temperatures[0].limit_milli, 99500);
}

test(params_keep_their_place)
{
	check_equal(parse_with("\"params\": { \"block.read\": {\n  \"bs\": \"4k,4m\" } }"), 0);
	check_equal(board.param_count, 1);
	check_string(board.params[0].step, "block.read");
	check_string(board.params[0].param, "bs");
	check_string(board.params[0].value, "4k,4m");
	check_equal(board.params[0].line, 3);
	check_equal(board.params[0].column, 3);
}

test(param_that_is_no_string_is_refused)
{
	check_refused("\"params\": { \"block.read\": { \"bs\": 4096 } }", "f:2:35: \"params\" must be a string");
}

test(byte_order_mark_and_crlf_are_accepted)
{
	check_equal(parse("\xef\xbb\xbf{\"board\":\"b\",\r\n\"title\":\"t\",\r\n\"match\":{\"arch\":\"aarch64\"}}\r\n"), 0);
	check_string(board.match_arch, "aarch64");
}

test(trailing_garbage_is_refused)
{
	check_equal(parse("{\"board\":\"b\",\"title\":\"t\",\"match\":{\"arch\":\"x86_64\"}} x"), -EINVAL);
}

test(undeclared_storage_can_be_read_or_ignored)
{
	check_equal(parse_with("\"undeclared_storage\": \"read\""), 0);
	check(board.read_undeclared);
	check_equal(parse_with("\"undeclared_storage\": \"ignore\""), 0);
	check(!board.read_undeclared);
}

test(failure_row_is_whole)
{
	check_equal(parse_with("\"failures\": [{ \"symptom\": \"hot\", \"shows_in\": \"tj\", \"verdict\": \"FAIL\" }]"), 0);
	check_string(board.failures[0].shows_in, "tj");
	check_refused("\"failures\": [{ \"symptom\": \"hot\", \"verdict\": \"FAIL\" }]", "f:2:14: a failure has no \"shows_in\"");
}
