/*
 * json.c: see json.h.  json_check has accepted the text before jsmn tokenizes it, so that the tokens need no second
 * look but for repeated keys.
 */
#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include "jsmn.h"

#include "lib/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/json_check.h"
#include "lib/number.h"
#include "lib/utf8.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";

static void place(const struct json *json, const char *at, unsigned *line, unsigned *column)
{
	const char *start = json->text;

	*line = 1;
	for (const char *c = json->text; c < at; c++)
		if (*c == '\n') {
			start = c + 1;
			++*line;
		}
	*column = (unsigned)utf8_count(start, at) + 1;
}

static const char *beginning(const struct json *json, int token)
{
	const jsmntok_t *at = &json->tokens[token];

	return json->text + at->start - (at->type == JSMN_STRING);
}

void json_place(const struct json *json, int token, unsigned *line, unsigned *column)
{
	place(json, beginning(json, token), line, column);
}

int json_fault_at(const struct json *json, const char *at, char *fault, size_t size, const char *format, va_list args)
{
	struct text text = text_in(fault, size);
	unsigned line, column;

	place(json, at, &line, &column);
	text_add_format(&text, "%s:%u:%u: ", json->name, line, column);
	text_add_vformat(&text, format, args);
	return -EINVAL;
}

static int fault_at(const struct json *json, const char *at, char *fault, size_t size, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

static int fault_at(const struct json *json, const char *at, char *fault, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	json_fault_at(json, at, fault, size, format, args);
	va_end(args);
	return -EINVAL;
}

int json_fault(const struct json *json, int token, char *fault, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	json_fault_at(json, beginning(json, token), fault, size, format, args);
	va_end(args);
	return -EINVAL;
}

/* jsmn's strict mode knows no number, true, false or null as the root. */
static int tokenize_bare_root(struct json *json)
{
	const char *text = json->text;
	size_t start = strspn(text, " \t\r\n"), end = json->size;

	while (end > start && memchr(" \t\r\n", text[end - 1], 4))
		end--;
	json->tokens[0] = (jsmntok_t){ .type = JSMN_PRIMITIVE, .start = (int)start, .end = (int)end, .parent = -1 };
	return 1;
}

static int tokenize(struct json *json, char *fault, size_t fault_size)
{
	jsmn_parser parser;

	jsmn_init(&parser);
	json->count = jsmn_parse(&parser, json->text, json->size, json->tokens, MAX_JSON_TOKENS);
	if (json->count == JSMN_ERROR_PART)
		json->count = tokenize_bare_root(json);
	if (json->count > 0)
		return 0;
	return fault_at(json, json->text + parser.pos, fault, fault_size, "more than %d values and keys", MAX_JSON_TOKENS);
}

static bool same_string(const struct json *json, const jsmntok_t *a, const jsmntok_t *b)
{
	const char *at_a = json->text + a->start, *end_a = json->text + a->end;
	const char *at_b = json->text + b->start, *end_b = json->text + b->end;

	while (at_a < end_a && at_b < end_b) {
		bool raw = *at_a != '\\' && *at_b != '\\';

		/* A character has one UTF-8 only, so that raw bytes need no decoding; there may be many keys. */
		if (raw ? *at_a++ != *at_b++ : json_unescape(&at_a, end_a) != json_unescape(&at_b, end_b))
			return false;
	}
	return at_a == end_a && at_b == end_b;
}

static bool is_key(const struct json *json, int token)
{
	int parent = json->tokens[token].parent;

	return parent >= 0 && json->tokens[parent].type == JSMN_OBJECT;
}

static int refuse_repeated_keys(const struct json *json, char *fault, size_t fault_size)
{
	for (int key = 1; key < json->count; key++) {
		if (!is_key(json, key))
			continue;
		for (int other = json_next(json, key); other >= 0; other = json_next(json, other))
			if (same_string(json, &json->tokens[key], &json->tokens[other]))
				return json_fault(json, other, fault, fault_size, "this key was there before");
	}
	return 0;
}

int json_parse_repeating(struct json *json, const char *name, const char *text, size_t size, char *fault, size_t fault_size)
{
	size_t mark = sizeof(byte_order_mark) - 1;
	int err;

	if (size >= mark && memcmp(text, byte_order_mark, mark) == 0) {
		text += mark;
		size -= mark;
	}
	json->name = name;
	json->text = text;
	json->size = size;
	json->count = 0;
	if (size > INT_MAX)
		return fault_at(json, text, fault, fault_size, "longer than %d bytes", INT_MAX);
	err = json_check(json, fault, fault_size);
	return err ? err : tokenize(json, fault, fault_size);
}

int json_parse(struct json *json, const char *name, const char *text, size_t size, char *fault, size_t fault_size)
{
	int err = json_parse_repeating(json, name, text, size, fault, fault_size);

	return err ? err : refuse_repeated_keys(json, fault, fault_size);
}

enum json_type json_type(const struct json *json, int token)
{
	const jsmntok_t *at = &json->tokens[token];

	if (at->type == JSMN_OBJECT)
		return JSON_OBJECT;
	if (at->type == JSMN_ARRAY)
		return JSON_ARRAY;
	if (at->type == JSMN_STRING)
		return JSON_STRING;
	switch (json->text[at->start]) {
	case 't':
		return JSON_TRUE;
	case 'f':
		return JSON_FALSE;
	case 'n':
		return JSON_NULL;
	default:
		return JSON_NUMBER;
	}
}

int json_size(const struct json *json, int token)
{
	return json->tokens[token].size;
}

int json_first(const struct json *json, int token)
{
	jsmntype_t type = json->tokens[token].type;

	return (type == JSMN_OBJECT || type == JSMN_ARRAY) && json->tokens[token].size ? token + 1 : -1;
}

int json_value(const struct json *json, int key)
{
	return is_key(json, key) ? key + 1 : -1;
}

/* The first token behind all that token holds.  Tokens stand in the order of their text. */
static int behind(const struct json *json, int token)
{
	int low = token + 1, high = json->count, end = json->tokens[token].end;

	if (low < high && json->tokens[low].start >= end)
		return low;
	while (low < high) {
		int middle = low + (high - low) / 2;

		if (json->tokens[middle].start < end)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int json_next(const struct json *json, int token)
{
	int next = behind(json, is_key(json, token) ? token + 1 : token);

	return next < json->count && json->tokens[next].parent == json->tokens[token].parent ? next : -1;
}

int json_member(const struct json *json, int object, const char *key)
{
	if (json->tokens[object].type != JSMN_OBJECT)
		return -1;
	for (int token = json_first(json, object); token >= 0; token = json_next(json, token))
		if (json_is(json, token, key))
			return json_value(json, token);
	return -1;
}

bool json_is(const struct json *json, int token, const char *string)
{
	const char *at = json->text + json->tokens[token].start, *end = json->text + json->tokens[token].end;

	if (json->tokens[token].type != JSMN_STRING)
		return false;
	while (at < end) {
		char bytes[4];
		uint32_t point = json_unescape(&at, end);
		unsigned length = utf8_encode(point, bytes);

		if (!point || strncmp(string, bytes, length))
			return false;
		string += length;
	}
	return !*string;
}

int json_string(const struct json *json, int token, char *to, size_t size)
{
	const char *at = json->text + json->tokens[token].start, *end = json->text + json->tokens[token].end;
	struct text text = text_in(to, size);

	if (json->tokens[token].type != JSMN_STRING)
		return -EINVAL;
	while (at < end) {
		char bytes[4];
		uint32_t point = json_unescape(&at, end);

		if (!point)
			return -EINVAL;
		text_add_bytes(&text, bytes, utf8_encode(point, bytes));
	}
	return text.cut || !size ? -ENAMETOOLONG : 0;
}

int json_unsigned(const struct json *json, int token, uint64_t *number)
{
	const jsmntok_t *at = &json->tokens[token];
	char digits[24];
	struct text text = TEXT(digits);

	if (json_type(json, token) != JSON_NUMBER)
		return -EINVAL;
	text_add_bytes(&text, json->text + at->start, (size_t)(at->end - at->start));
	return text.cut ? -ERANGE : number_parse(digits, number);
}

int json_milli(const struct json *json, int token, int64_t *milli)
{
	const jsmntok_t *at = &json->tokens[token];

	if (json_type(json, token) != JSON_NUMBER)
		return -EINVAL;
	return number_parse_milli(json->text + at->start, (size_t)(at->end - at->start), milli);
}
