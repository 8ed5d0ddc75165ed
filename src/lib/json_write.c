/*
 * json_write.c: the writing half of json.h.
 */
#include <string.h>

#include "lib/json.h"
#include "lib/utf8.h"

static void add_escaped(struct text *text, char c)
{
	static const char plain[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
	const char *at = c ? strchr(plain, c) : NULL;

	if (at)
		text_add_format(text, "\\%c", names[at - plain]);
	else
		text_add_format(text, "\\u%04x", (unsigned)(uint8_t)c);
}

void json_add_string(struct text *text, const char *string)
{
	const char *end = string + strlen(string);
	uint32_t point;

	text_add(text, "\"");
	while (string < end) {
		unsigned length = utf8_decode(string, end, &point);

		if (!length)
			text_add(text, UTF8_REPLACEMENT);
		else if (point < 0x20 || point == '"' || point == '\\')
			add_escaped(text, *string);
		else
			text_add_bytes(text, string, length);
		string += length ? length : 1;
	}
	text_add(text, "\"");
}

void json_add_separator(struct text *text)
{
	char last = text->length ? text->at[text->length - 1] : '{';

	if (!strchr("{[\n", last))
		text_add(text, ",");
}

void json_add_key(struct text *text, const char *key)
{
	json_add_separator(text);
	json_add_string(text, key);
	text_add(text, ":");
}
