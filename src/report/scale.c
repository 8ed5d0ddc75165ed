/* scale.c: see scale.h. */
#include <string.h>

#include "event.h"
#include "lib/wide.h"
#include "report/scale.h"

/* Of one unit the largest first. */
static const struct scale scales[] = {
	{ "GB/s", "B/s", 1000000000, false },
	{ "MB/s", "B/s", 1000000, false },
	{ "kB/s", "B/s", 1000, false },
	{ "GiB/s", "B/s", GIB, true },
	{ "MiB/s", "B/s", MIB, true },
	{ "KiB/s", "B/s", KIB, true },
	{ "Gbit/s", "bit/s", 1000000000, false },
	{ "Mbit/s", "bit/s", 1000000, false },
	{ "MIOPS", "1/s", 1000000, true },
	{ "kIOPS", "1/s", 1000, true },
	{ "IOPS", "1/s", 1, true },
	{ "M/s", "1/s", 1000000, false },
	{ "k/s", "1/s", 1000, false },
	{ "GB", "B", 1000000000, false },
	{ "MB", "B", 1000000, false },
	{ "GiB", "B", GIB, true },
	{ "MiB", "B", MIB, true },
	{ "GHz", "Hz", 1000000000, false },
	{ "MHz", "Hz", 1000000, false },
	{ "s", "ns", 1000000000, false },
	{ "ms", "ns", 1000000, false },
	{ "us", "ns", 1000, false },
	{ "ns", "ns", 1, true },
	{ "%", "ppm", 10000, true },
};

/* A letter, a digit, or the stroke of a unit. */
static bool is_inside_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '/';
}

static bool has_word(const char *text, const char *word)
{
	for (const char *at = text; (at = text_find(at, word)); at++)
		if ((at == text || !is_inside_word(at[-1])) && !is_inside_word(at[strlen(word)]))
			return true;
	return false;
}

const struct scale *scale_named(const char *text, const char *unit)
{
	/* A single letter is too often something else: "MLC's". */
	for (unsigned i = 0; i < COUNT_OF(scales); i++)
		if (!strcmp(scales[i].unit, unit) && strcmp(scales[i].word, "s") && has_word(text, scales[i].word))
			return &scales[i];
	return NULL;
}

const struct scale *scale_for(int64_t largest_milli, const char *unit)
{
	for (unsigned i = 0; i < COUNT_OF(scales); i++)
		if (!strcmp(scales[i].unit, unit) && !scales[i].named && largest_milli / 1000 >= (int64_t)scales[i].factor)
			return &scales[i];
	return NULL;
}

void scale_add(struct text *text, int64_t milli, const struct scale *scale, bool trimmed)
{
	uint64_t positive = milli < 0 ? -(uint64_t)milli : (uint64_t)milli, denominator = (scale ? scale->factor : 1) * 1000;
	unsigned power = 1000, digits = 3;
	uint64_t value;

	for (;; power /= 10, digits--) {
		value = (uint64_t)wide_ratio((unsigned __int128)positive * power, denominator);
		if (value < 10000 || !digits)
			break;
	}
	for (; digits && trimmed && value % 10 == 0; digits--, power /= 10)
		value /= 10;
	text_add_format(text, "%s%llu", milli < 0 ? "-" : "", (unsigned long long)(value / power));
	if (digits)
		text_add_format(text, ".%0*llu", (int)digits, (unsigned long long)(value % power));
}
