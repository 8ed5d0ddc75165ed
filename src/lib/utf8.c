/*
 * utf8.c: see utf8.h.
 */
#include <stdbool.h>

#include "lib/utf8.h"

static bool is_continuation(char byte)
{
	return ((uint8_t)byte & 0xc0) == 0x80;
}

static bool is_scalar(uint32_t point)
{
	return point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
}

/* How many bytes the shortest form takes. */
static unsigned length_of(uint32_t point)
{
	return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

unsigned utf8_decode(const char *at, const char *end, uint32_t *point)
{
	uint8_t lead = at < end ? (uint8_t)*at : 0xff;
	unsigned length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
	uint32_t value = length == 1 ? lead : lead & (0xffu >> (length + 1));

	if (!length || end - at < (long)length)
		return 0;
	for (unsigned i = 1; i < length; i++) {
		if (!is_continuation(at[i]))
			return 0;
		value = value << 6 | ((uint8_t)at[i] & 0x3f);
	}
	if (!is_scalar(value) || length_of(value) != length)
		return 0;
	*point = value;
	return length;
}

unsigned utf8_encode(uint32_t point, char to[4])
{
	static const uint8_t leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	unsigned length = length_of(point);

	if (!is_scalar(point))
		return 0;
	for (unsigned i = length - 1; i; i--, point >>= 6)
		to[i] = (char)(0x80 | (point & 0x3f));
	to[0] = (char)(leads[length] | point);
	return length;
}

size_t utf8_count(const char *at, const char *end)
{
	size_t count = 0;

	for (; at < end; at++)
		count += !is_continuation(*at);
	return count;
}
