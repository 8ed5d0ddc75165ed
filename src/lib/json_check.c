/*
 * json_check.c: see json_check.h.  A machine of six states and a stack of open brackets: no recursion, one pass.
 */
#include <errno.h>
#include <string.h>

#include "lib/json_check.h"
#include "lib/utf8.h"

enum state {
	VALUE,          /* a value, nothing else */
	FIRST_ELEMENT,  /* behind [: a value or ] */
	FIRST_KEY,      /* behind {: a key or } */
	NEXT_KEY,       /* behind a comma in an object */
	AFTER,          /* behind a value */
	DONE,
	FAULT,
};

struct check {
	const struct json *json;
	const char *at, *end;
	const char *comma;             /* the last one seen */
	unsigned depth;
	char closing[MAX_JSON_DEPTH];  /* the bracket that each open one needs */
	char *fault;
	size_t fault_size;
};

static enum state fault(const struct check *check, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static enum state fault(const struct check *check, const char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	json_fault_at(check->json, at, check->fault, check->fault_size, format, args);
	va_end(args);
	return FAULT;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '+' || c == '-' || c == '_';
}

static char peek(const struct check *check)
{
	return check->at < check->end ? *check->at : '\0';
}

static void skip_space(struct check *check)
{
	while (check->at < check->end && memchr(" \t\r\n", *check->at, 4))
		check->at++;
}

static bool take_digits(struct check *check)
{
	const char *start = check->at;

	while (is_digit(peek(check)))
		check->at++;
	return check->at > start;
}

static bool number_is_good(struct check *check)
{
	if (peek(check) == '-')
		check->at++;
	if (peek(check) == '0')
		check->at++;
	else if (!take_digits(check))
		return false;
	if (peek(check) == '.' && (check->at++, !take_digits(check)))
		return false;
	if (peek(check) != 'e' && peek(check) != 'E')
		return true;
	check->at++;
	if (peek(check) == '+' || peek(check) == '-')
		check->at++;
	return take_digits(check);
}

static enum state take_number(struct check *check)
{
	const char *start = check->at;

	if (!number_is_good(check) || is_word(peek(check)))
		return fault(check, start, "this is not a number of JSON");
	return AFTER;
}

static enum state take_word(struct check *check)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *start = check->at;

	while (is_word(peek(check)))
		check->at++;
	for (unsigned i = 0; i < COUNT_OF(words); i++)
		if ((size_t)(check->at - start) == strlen(words[i]) && memcmp(start, words[i], strlen(words[i])) == 0)
			return AFTER;
	return fault(check, start, "a value is expected here");
}

static unsigned hex_digit(char c)
{
	return is_digit(c) ? (unsigned)(c - '0') : (c | 32) >= 'a' && (c | 32) <= 'f' ? (unsigned)((c | 32) - 'a' + 10) : 16;
}

/* The four hexadecimal digits of \uXXXX from at on; UINT32_MAX when they are not there. */
static uint32_t hex4(const char *at, const char *end)
{
	uint32_t point = 0;

	if (end - at < 4)
		return UINT32_MAX;
	for (unsigned i = 0; i < 4; i++) {
		if (hex_digit(at[i]) > 15)
			return UINT32_MAX;
		point = point << 4 | hex_digit(at[i]);
	}
	return point;
}

/* The code point of an escape, at being behind the backslash; *length is what it takes.  UINT32_MAX: none. */
static uint32_t decode_escape(const char *at, const char *end, unsigned *length)
{
	static const char names[] = "\"\\/bfnrt", points[] = "\"\\/\b\f\n\r\t";
	const char *name = at < end && *at ? strchr(names, *at) : NULL;
	uint32_t point, low;

	*length = 1;
	if (name)
		return (uint32_t)points[name - names];
	if (at == end || *at != 'u')
		return UINT32_MAX;
	*length = 5;
	point = hex4(at + 1, end);
	if (point < 0xd800 || point > 0xdfff)
		return point;
	if (point > 0xdbff || end - at < 7 || at[5] != '\\' || at[6] != 'u')
		return UINT32_MAX;
	*length = 11;
	low = hex4(at + 7, end);
	if (low < 0xdc00 || low > 0xdfff)
		return UINT32_MAX;
	return 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
}

uint32_t json_unescape(const char **at, const char *end)
{
	uint32_t point = 0;
	unsigned length;

	if (**at == '\\') {
		point = decode_escape(++*at, end, &length);
		*at += length;
	} else {
		*at += utf8_decode(*at, end, &point);
	}
	return point;
}

/* One character of a string, from its first byte on: the bytes it takes, or 0 with the fault told. */
static unsigned character_length(const struct check *check)
{
	uint32_t point;
	unsigned length;

	if ((uint8_t)*check->at < 0x20) {
		fault(check, check->at, "a control character in a string must be written as \\u%04x", (uint8_t)*check->at);
		return 0;
	}
	if (*check->at == '\\') {
		if (decode_escape(check->at + 1, check->end, &length) != UINT32_MAX)
			return length + 1;
		fault(check, check->at, "unknown escape, or half of a surrogate pair");
		return 0;
	}
	length = utf8_decode(check->at, check->end, &point);
	if (!length)
		fault(check, check->at, "this is not UTF-8");
	return length;
}

static enum state take_string(struct check *check)
{
	const char *start = check->at++;

	while (check->at < check->end && *check->at != '"') {
		unsigned length = character_length(check);

		if (!length)
			return FAULT;
		check->at += length;
	}
	if (check->at == check->end)
		return fault(check, start, "this string has no end");
	check->at++;
	return AFTER;
}

static enum state open_bracket(struct check *check, char closing, enum state inside)
{
	if (check->depth == MAX_JSON_DEPTH)
		return fault(check, check->at, "nested deeper than %d", MAX_JSON_DEPTH);
	check->closing[check->depth++] = closing;
	check->at++;
	return inside;
}

static enum state close_bracket(struct check *check)
{
	check->depth--;
	check->at++;
	return AFTER;
}

static bool at_closing(const struct check *check)
{
	return check->depth && peek(check) == check->closing[check->depth - 1];
}

static enum state take_value(struct check *check)
{
	switch (peek(check)) {
	case '{':
		return open_bracket(check, '}', FIRST_KEY);
	case '[':
		return open_bracket(check, ']', FIRST_ELEMENT);
	case '"':
		return take_string(check);
	default:
		if (at_closing(check) && check->comma)
			return fault(check, check->comma, "no comma may stand before %c", *check->at);
		return peek(check) == '-' || is_digit(peek(check)) ? take_number(check) : take_word(check);
	}
}

static enum state take_key(struct check *check, enum state state)
{
	if (state == NEXT_KEY && at_closing(check))
		return fault(check, check->comma, "no comma may stand before }");
	if (peek(check) != '"')
		return fault(check, check->at, "a key in double quotes is expected here");
	if (take_string(check) == FAULT)
		return FAULT;
	skip_space(check);
	if (peek(check) != ':')
		return fault(check, check->at, "a colon is expected here, behind the key");
	check->at++;
	check->comma = NULL;
	return VALUE;
}

static enum state take_after(struct check *check)
{
	if (!check->depth)
		return check->at == check->end ? DONE : fault(check, check->at, "nothing may follow the end of the value");
	if (at_closing(check))
		return close_bracket(check);
	if (peek(check) != ',')
		return fault(check, check->at, "a comma or %c is expected here", check->closing[check->depth - 1]);
	check->comma = check->at++;
	return check->closing[check->depth - 1] == '}' ? NEXT_KEY : VALUE;
}

static enum state take(struct check *check, enum state state)
{
	bool first = state == FIRST_ELEMENT || state == FIRST_KEY;

	if (first && at_closing(check))
		return close_bracket(check);
	if (state == AFTER)
		return take_after(check);
	return state == FIRST_KEY || state == NEXT_KEY ? take_key(check, state) : take_value(check);
}

int json_check(const struct json *json, char *fault_text, size_t fault_size)
{
	struct check check = { .json = json, .at = json->text, .end = json->text + json->size,
	                       .fault = fault_text, .fault_size = fault_size };
	enum state state = VALUE;

	skip_space(&check);
	if (check.at == check.end)
		state = fault(&check, check.at, "there is no value here, the text is empty");
	while (state != DONE && state != FAULT) {
		skip_space(&check);
		state = take(&check, state);
	}
	return state == DONE ? 0 : -EINVAL;
}
