/* Tests of lib/json.c, json_check.c and json_write.c. */
#include "test.h"

#include <errno.h>

#include "lib/json.h"

static struct json json;
static char fault[160];

static int parse_bytes(const char *text, size_t size)
{
	fault[0] = '\0';
	return json_parse(&json, "f", text, size, fault, sizeof(fault));
}

static void accept(const char *text)
{
	check_equal(parse_bytes(text, strlen(text)), 0);
	check_string(fault, "");
}

static void refuse(const char *text, const char *expected)
{
	check_equal(parse_bytes(text, strlen(text)), -EINVAL);
	check_string(fault, expected);
}

/* ---- what jsmn alone would let pass ---- */

test(trailing_comma_is_refused_with_line_and_column)
{
	refuse("{\"a\":1,}", "f:1:7: no comma may stand before }");
	refuse("{\n  \"a\": 1,\n}\n", "f:2:9: no comma may stand before }");
	refuse("[1,]", "f:1:3: no comma may stand before ]");
}

test(missing_element_is_refused)
{
	refuse("[1,,3]", "f:1:4: a value is expected here");
	refuse("[,1]", "f:1:2: a value is expected here");
	refuse("{,\"a\":1}", "f:1:2: a key in double quotes is expected here");
}

test(key_without_a_value_is_refused)
{
	refuse("{\"a\"}", "f:1:5: a colon is expected here, behind the key");
	refuse("{\"a\":}", "f:1:6: a value is expected here");
	refuse("{\"a\":,\"b\":1}", "f:1:6: a value is expected here");
	refuse("[1,{\"a\":}]", "f:1:9: a value is expected here");
}

test(missing_comma_is_refused)
{
	refuse("{\"a\":1 \"b\":2}", "f:1:8: a comma or } is expected here");
	refuse("[1 2]", "f:1:4: a comma or ] is expected here");
	refuse("[\"a\"\"b\"]", "f:1:5: a comma or ] is expected here");
}

test(colon_in_an_array_is_refused)
{
	refuse("[\"a\":1]", "f:1:5: a comma or ] is expected here");
}

test(value_in_place_of_a_key_is_refused)
{
	refuse("{1:2}", "f:1:2: a key in double quotes is expected here");
	refuse("{null:2}", "f:1:2: a key in double quotes is expected here");
	refuse("{a:2}", "f:1:2: a key in double quotes is expected here");
	refuse("{[]:2}", "f:1:2: a key in double quotes is expected here");
}

test(second_root_is_refused)
{
	refuse("{} {}", "f:1:4: nothing may follow the end of the value");
	refuse("1 2", "f:1:3: nothing may follow the end of the value");
	refuse("[]]", "f:1:3: nothing may follow the end of the value");
	refuse("{},", "f:1:3: nothing may follow the end of the value");
}

test(repeated_key_is_refused_at_its_second_place)
{
	refuse("{\"a\":1,\n \"b\":{\"a\":2},\n \"a\":3}", "f:3:2: this key was there before");
	refuse("{\"b\":[{\"x\":1,\"x\":2}]}", "f:1:14: this key was there before");
}

test(repeated_key_is_seen_behind_its_escapes)
{
	refuse("{\"a/\":1,\"\\u0061\\/\":2}", "f:1:9: this key was there before");
	refuse("{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":2}", "f:1:8: this key was there before");
}

test(same_key_in_other_objects_is_no_repetition)
{
	accept("{\"a\":{\"a\":1},\"b\":{\"a\":2},\"aa\":3,\"\":4,\"A\":5}");
	accept("{\"a\":\"a\",\"b\":[\"a\",\"a\"]}");
}

test(empty_text_is_refused)
{
	refuse("", "f:1:1: there is no value here, the text is empty");
	refuse(" \n ", "f:2:2: there is no value here, the text is empty");
	refuse("\xef\xbb\xbf", "f:1:1: there is no value here, the text is empty");
}

test(wrong_numbers_are_refused)
{
	static const char *const wrong[] = { "01", "-01", "00", "1.", "-", "1e", "1e+", "1.e1", "1.2.3", "0x1", "1a", "1_0", "--1", "-.5" };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[32];

		snprintf(text, sizeof(text), "[%s]", wrong[i]);
		refuse(text, "f:1:2: this is not a number of JSON");
	}
}

test(wrong_words_are_refused)
{
	static const char *const wrong[] = { "tru", "truee", "True", "nul", "+1", ".5", "NaN", "Infinity", "'a'", "undefined" };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[32];

		snprintf(text, sizeof(text), "[%s]", wrong[i]);
		refuse(text, "f:1:2: a value is expected here");
	}
}

test(numbers_of_rfc_8259_are_accepted)
{
	accept("[0,-0,1,10,1.5,-1.5e3,1E+2,1e-2,0.0,0e0]");
}

/* ---- brackets ---- */

test(brackets_must_match)
{
	refuse("[1}", "f:1:3: a comma or ] is expected here");
	refuse("{\"a\":1]", "f:1:7: a comma or } is expected here");
	refuse("]", "f:1:1: a value is expected here");
}

test(missing_end_is_refused_at_the_end)
{
	refuse("[1", "f:1:3: a comma or ] is expected here");
	refuse("[", "f:1:2: a value is expected here");
	refuse("{\"a\":[\n", "f:2:1: a value is expected here");
	refuse("{\"a\"", "f:1:5: a colon is expected here, behind the key");
}

static const char *nested(unsigned depth)
{
	static char text[2 * MAX_JSON_DEPTH + 8];

	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	text[2 * depth] = '\0';
	return text;
}

test(a_repeated_key_may_be_let_pass_and_the_first_one_counts)
{
	static const char text[] = "{\"a\":1,\"a\":2}";
	char message[100];
	uint64_t number = 0;

	check_equal(json_parse_repeating(&json, "f", text, sizeof text - 1, message, sizeof message), 0);
	check_equal(json_unsigned(&json, json_member(&json, 0, "a"), &number), 0);
	check_equal(number, 1);
	check_equal(json_parse_repeating(&json, "f", text, sizeof text - 2, message, sizeof message), -EINVAL);
}

test(depth_is_limited)
{
	accept(nested(32));
	refuse(nested(33), "f:1:33: nested deeper than 32");
}

test(number_of_tokens_is_limited)
{
	static char text[2 * MAX_JSON_TOKENS + 8];
	size_t length = 0;

	text[length++] = '[';
	for (unsigned i = 1; i < MAX_JSON_TOKENS; i++, length += 2)
		memcpy(text + length, "1,", 2);
	text[length - 1] = ']';
	accept(text);
	check_equal(json_size(&json, 0), 8191);
	memcpy(text + length - 1, ",1]", 4);
	refuse(text, "f:1:16384: more than 8192 values and keys");
}

/* ---- strings ---- */

test(control_character_in_a_string_is_refused)
{
	refuse("[\"a\tb\"]", "f:1:4: a control character in a string must be written as \\u0009");
	refuse("[\"\n\"]", "f:1:3: a control character in a string must be written as \\u000a");
}

test(nul_byte_is_refused_everywhere)
{
	check_equal(parse_bytes("[\"a\0\"]", 6), -EINVAL);
	check_string(fault, "f:1:4: a control character in a string must be written as \\u0000");
	check_equal(parse_bytes("[1]\0", 4), -EINVAL);
	check_string(fault, "f:1:4: nothing may follow the end of the value");
	check_equal(parse_bytes("[\0]", 3), -EINVAL);
	check_equal(parse_bytes("\0", 1), -EINVAL);
}

test(unknown_escape_is_refused)
{
	refuse("[\"\\x41\"]", "f:1:3: unknown escape, or half of a surrogate pair");
	refuse("[\"\\u12g4\"]", "f:1:3: unknown escape, or half of a surrogate pair");
	refuse("[\"\\u12\"]", "f:1:3: unknown escape, or half of a surrogate pair");
	refuse("[\"ab\\", "f:1:5: unknown escape, or half of a surrogate pair");
}

test(half_a_surrogate_pair_is_refused)
{
	refuse("[\"\\ud83d\"]", "f:1:3: unknown escape, or half of a surrogate pair");
	refuse("[\"\\ude00\"]", "f:1:3: unknown escape, or half of a surrogate pair");
	refuse("[\"\\ud83d\\u0041\"]", "f:1:3: unknown escape, or half of a surrogate pair");
	refuse("[\"\\ud83dxxxxxx\"]", "f:1:3: unknown escape, or half of a surrogate pair");
	refuse("[\"\\ud83d\\ud83d\"]", "f:1:3: unknown escape, or half of a surrogate pair");
}

test(bytes_that_are_not_utf8_are_refused)
{
	refuse("[\"a\xff\"]", "f:1:4: this is not UTF-8");
	refuse("[\"\xc0\x80\"]", "f:1:3: this is not UTF-8");
	refuse("[\"\xed\xa0\x80\"]", "f:1:3: this is not UTF-8");
	refuse("[\"\xc3\"]", "f:1:3: this is not UTF-8");
}

test(string_without_an_end_is_refused_at_its_start)
{
	refuse("[1,\"abc", "f:1:4: this string has no end");
	refuse("[\"abc\\\"]", "f:1:2: this string has no end");
}

/* ---- places ---- */

test(columns_count_characters)
{
	refuse("{\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\":x}", "f:1:8: a value is expected here");
}

test(byte_order_mark_and_crlf_are_accepted)
{
	accept("\xef\xbb\xbf{\r\n\"a\": 1\r\n}\r\n");
	refuse("\xef\xbb\xbf[x]", "f:1:2: a value is expected here");
	refuse("[1,\r\n2,\r\n]", "f:2:2: no comma may stand before ]");
}

test(fault_of_the_caller_names_the_token)
{
	accept("{\n  \"size\": 12, \"name\": \"x\"\n}");
	check_equal(json_fault(&json, json_member(&json, 0, "size"), fault, sizeof(fault), "at most %d", 10), -EINVAL);
	check_string(fault, "f:2:11: at most 10");
	json_fault(&json, json_member(&json, 0, "name"), fault, sizeof(fault), "unknown");
	check_string(fault, "f:2:23: unknown");
}

/* ---- reading ---- */

test(types_are_told)
{
	static const enum json_type expected[] = { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_NUMBER, JSON_TRUE,
	                                           JSON_FALSE, JSON_NULL };
	unsigned i = 0;

	accept("[{}, [], \"1\", 1, -1, true, false, null]");
	for (int token = json_first(&json, 0); token >= 0; token = json_next(&json, token))
		check_equal(json_type(&json, token), expected[i++]);
	check_equal(i, 8);
}

test(bare_root_is_accepted)
{
	uint64_t number = 0;

	accept("12");
	check_equal(json.count, 1);
	check_equal(json_unsigned(&json, 0, &number), 0);
	check_equal(number, 12);
	accept(" \n12");
	check_equal(json_unsigned(&json, 0, &number), 0);
	accept("true");
	check_equal(json_type(&json, 0), JSON_TRUE);
	accept("\"x\"");
	check_equal(json_type(&json, 0), JSON_STRING);
}

test(bare_root_does_not_read_beyond_its_size)
{
	uint64_t number = 0;

	check_equal(parse_bytes("1234", 2), 0);
	check_equal(json_unsigned(&json, 0, &number), 0);
	check_equal(number, 12);
}

test(members_are_walked_whatever_they_hold)
{
	int key, values[3];

	accept("{\"a\":[1,{\"x\":2},[3]],\"b\":{\"y\":{\"z\":{}}},\"c\":4}");
	check_equal(json_size(&json, 0), 3);
	key = json_first(&json, 0);
	check(json_is(&json, key, "a"));
	values[0] = json_value(&json, key);
	key = json_next(&json, key);
	check(json_is(&json, key, "b"));
	values[1] = json_value(&json, key);
	key = json_next(&json, key);
	check(json_is(&json, key, "c"));
	values[2] = json_value(&json, key);
	check_equal(json_next(&json, key), -1);
	check_equal(json_type(&json, values[0]), JSON_ARRAY);
	check_equal(json_size(&json, values[0]), 3);
	check_equal(json_type(&json, values[1]), JSON_OBJECT);
	check_equal(json_type(&json, values[2]), JSON_NUMBER);
}

test(value_has_no_next_and_no_value)
{
	int a;

	accept("{\"a\":1,\"b\":2}");
	a = json_member(&json, 0, "a");
	check_equal(json_next(&json, a), -1);
	check_equal(json_value(&json, a), -1);
	check_equal(json_next(&json, 0), -1);
}

test(empty_and_scalar_have_no_first)
{
	accept("[{},[],1]");
	for (int token = json_first(&json, 0); token >= 0; token = json_next(&json, token))
		check_equal(json_first(&json, token), -1);
}

test(member_is_found_at_its_own_level_only)
{
	uint64_t number = 0;

	accept("{\"x\":{\"a\":1},\"a\":2,\"b\":[3]}");
	check_equal(json_unsigned(&json, json_member(&json, 0, "a"), &number), 0);
	check_equal(number, 2);
	check_equal(json_member(&json, 0, "c"), -1);
	check_equal(json_member(&json, json_member(&json, 0, "b"), "a"), -1);
}

test(string_is_unescaped)
{
	char to[64];

	accept("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e4\\u20AC\\ud83d\\uDE00\xc3\xa4\"]");
	check_equal(json_string(&json, 1, to, sizeof(to)), 0);
	check_string(to, "\"\\/\b\f\n\r\tA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa4");
	check(json_is(&json, 1, to));
}

test(string_of_exactly_its_buffer_fits)
{
	char to[4];

	accept("[\"abc\",\"abcd\",1]");
	check_equal(json_string(&json, 1, to, sizeof(to)), 0);
	check_string(to, "abc");
	check_equal(json_string(&json, 2, to, sizeof(to)), -ENAMETOOLONG);
	check_equal(json_string(&json, 3, to, sizeof(to)), -EINVAL);
}

test(nul_in_a_string_is_refused_where_it_is_read)
{
	char to[16];

	accept("[\"a\\u0000b\"]");
	check_equal(json_string(&json, 1, to, sizeof(to)), -EINVAL);
	check(!json_is(&json, 1, "a"));
}

test(string_is_compared_whole)
{
	accept("[\"ab\",12]");
	check(json_is(&json, 1, "ab"));
	check(!json_is(&json, 1, "a"));
	check(!json_is(&json, 1, "abc"));
	check(!json_is(&json, 1, ""));
	check(!json_is(&json, 2, "12"));
}

test(unsigned_number_is_read_whole_or_refused)
{
	uint64_t number = 7;

	accept("[18446744073709551615,18446744073709551616,1.0,-1,1e3,\"1\",null,123456789012345678901234567890]");
	check_equal(json_unsigned(&json, 1, &number), 0);
	check(number == UINT64_MAX);
	check_equal(json_unsigned(&json, 2, &number), -ERANGE);
	check_equal(json_unsigned(&json, 3, &number), -EINVAL);
	check_equal(json_unsigned(&json, 4, &number), -EINVAL);
	check_equal(json_unsigned(&json, 5, &number), -EINVAL);
	check_equal(json_unsigned(&json, 6, &number), -EINVAL);
	check_equal(json_unsigned(&json, 7, &number), -EINVAL);
	check_equal(json_unsigned(&json, 8, &number), -ERANGE);
}

test(fixed_point_number_is_exact_or_refused)
{
	int64_t milli = 7;

	accept("[1.337,-2e3,0.0001,true]");
	check_equal(json_milli(&json, 1, &milli), 0);
	check_equal(milli, 1337);
	check_equal(json_milli(&json, 2, &milli), 0);
	check_equal(milli, -2000000);
	check_equal(json_milli(&json, 3, &milli), -ERANGE);
	check_equal(json_milli(&json, 4, &milli), -EINVAL);
}

/* ---- writing ---- */

#define check_written(expected, call) do { \
	char buffer_[128]; \
	struct text text = TEXT(buffer_); \
	call; \
	check_string(buffer_, expected); } while (0)

test(string_is_escaped)
{
	check_written("\"a\\\"b\\\\c/\\n\\t\\r\\b\\f\\u0001\\u001f\x7f\"", json_add_string(&text, "a\"b\\c/\n\t\r\b\f\x01\x1f\x7f"));
	check_written("\"\xe2\x82\xac\"", json_add_string(&text, "\xe2\x82\xac"));
	check_written("\"\"", json_add_string(&text, ""));
}

test(bytes_that_are_not_utf8_are_replaced_one_by_one)
{
	check_written("\"a\xef\xbf\xbd\xef\xbf\xbd(\"", json_add_string(&text, "a\xff\xc3("));
	check_written("\"\xef\xbf\xbd\"", json_add_string(&text, "\xe2"));
}

test(commas_stand_between_members_only)
{
	char buffer[64];
	struct text text = TEXT(buffer);

	text_add(&text, "{");
	json_add_key(&text, "a");
	text_add(&text, "[");
	for (int i = 1; i <= 2; i++) {
		json_add_separator(&text);
		text_add_format(&text, "%d", i);
	}
	text_add(&text, "]");
	json_add_key(&text, "b");
	json_add_string(&text, "{");
	json_add_key(&text, "c");
	text_add(&text, "{}}");
	check_string(buffer, "{\"a\":[1,2],\"b\":\"{\",\"c\":{}}");
	accept(buffer);
}

test(line_of_a_record_begins_without_a_comma)
{
	char buffer[64];
	struct text text = TEXT(buffer);

	text_add(&text, "{}\n");
	json_add_separator(&text);
	text_add(&text, "{}");
	check_string(buffer, "{}\n{}");
}

test(what_is_written_is_read_back)
{
	char string[128], back[128], buffer[1024];
	struct text text = TEXT(buffer);

	for (unsigned i = 0; i < sizeof(string) - 1; i++)
		string[i] = (char)(i + 1);
	string[127] = '\0';
	json_add_string(&text, string);
	check(!text.cut);
	accept(buffer);
	check_equal(json_string(&json, 0, back, sizeof(back)), 0);
	check_string(back, string);
}
