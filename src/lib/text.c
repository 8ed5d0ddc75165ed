/*
 * text.c: see text.h.  Words are compared byte by byte; case is that of ASCII only.
 */
#include <string.h>

#include "lib/format.h"
#include "lib/text.h"

enum { WORD_BYTES = 64 };

struct text text_in(char *buffer, size_t size)
{
	if (size)
		buffer[0] = '\0';
	return (struct text){ .at = buffer, .size = size };
}

static size_t room(const struct text *text)
{
	return text->size > text->length ? text->size - text->length - 1 : 0;
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
	if (length > room(text)) {
		length = room(text);
		text->cut = true;
	}
	if (!length)
		return;
	memcpy(text->at + text->length, bytes, length);
	text->length += length;
	text->at[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_add_bytes(text, string, strlen(string));
}

void text_add_vformat(struct text *text, const char *format, va_list args)
{
	format_add(text, format, args);
}

void text_add_format(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_add_vformat(text, format, args);
	va_end(args);
}

bool text_format(char *to, size_t size, const char *format, ...)
{
	struct text text = text_in(to, size);
	va_list args;

	va_start(args, format);
	format_add(&text, format, args);
	va_end(args);
	return !text.cut;
}

bool text_copy(char *to, size_t size, const char *string)
{
	struct text text = text_in(to, size);

	text_add(&text, string);
	return !text.cut;
}

char *text_find(const char *string, const char *part)
{
	for (; *string || !*part; string++)
		if (text_starts(string, part))
			return (char *)string;
	return NULL;
}

bool text_starts(const char *string, const char *prefix)
{
	return strncmp(string, prefix, strlen(prefix)) == 0;
}

bool text_ends(const char *string, const char *suffix)
{
	size_t length = strlen(string), end = strlen(suffix);

	return length >= end && strcmp(string + length - end, suffix) == 0;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_nocase(const char *string, const char *prefix)
{
	while (*prefix && lower(*string) == lower(*prefix))
		string++, prefix++;
	return !*prefix;
}

bool text_has_nocase(const char *string, const char *part)
{
	do {
		if (starts_nocase(string, part))
			return true;
	} while (*string++);
	return false;
}

bool text_in_list(const char *list, char separator, const char *word)
{
	size_t length = strlen(word);

	for (;;) {
		const char *end = strchr(list, separator);
		size_t here = end ? (size_t)(end - list) : strlen(list);

		if (here == length && memcmp(list, word, length) == 0)
			return true;
		if (!end || !separator)
			return false;
		list = end + 1;
	}
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

char *text_word(char **at)
{
	char *word = *at + strspn(*at, " \t\n");
	char *end = word + strcspn(word, " \t\n");

	*at = end + (*end != '\0');
	*end = '\0';
	return word;
}

char *text_trim(char *string)
{
	size_t start = 0, end = strlen(string);

	while (end && is_space(string[end - 1]))
		end--;
	while (start < end && is_space(string[start]))
		start++;
	memmove(string, string + start, end - start);
	string[end - start] = '\0';
	return string;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance, one row at a time. */
/* Two letters exchanged are one slip, not two. */
static bool exchanged(const char *a, const char *b, size_t i, size_t j)
{
	return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

unsigned text_distance(const char *a, const char *b)
{
	size_t length_a = strlen(a), length_b = strlen(b);
	unsigned rows[3][WORD_BYTES];

	if (length_a >= WORD_BYTES || length_b >= WORD_BYTES)
		return strcmp(a, b) ? WORD_BYTES : 0;
	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= length_a; i++) {
		unsigned *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= length_b; j++) {
			row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], row[j - 1]) + 1);
			if (exchanged(a, b, i, j))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[length_a % 3][length_b];
}

const char *text_nearest(const char *word, const char *(*get)(unsigned index, const void *context), const void *context)
{
	unsigned length = (unsigned)strlen(word), best = least(2 + length / 4, length);
	const char *nearest = NULL, *name;

	for (unsigned i = 0; (name = get(i, context)); i++) {
		/* The beginning of a long name is a likelier slip than its distance tells. */
		unsigned distance = length > 1 && text_starts(name, word) ? 1 : text_distance(word, name);

		if (distance < best) {
			best = distance;
			nearest = name;
		}
	}
	return nearest;
}
