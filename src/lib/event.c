/*
 * event.c: see event.h: the parts of an event that everyone needs, the name of a figure and the evidence behind it.
 */
#include <string.h>

#include "event.h"
#include "lib/text.h"
#include "lib/wide.h"

size_t event_metric_name(const struct event *event, char *name, size_t size)
{
	struct text text = text_in(name, size);

	text_add(&text, event->metric);
	for (uint32_t i = 0; i < event->point_count; i++)
		text_add_format(&text, "%s%s=%s", i ? "," : "[", event->points[i].key, event->points[i].value);
	if (event->point_count)
		text_add(&text, "]");
	return text.length;
}

static struct fact *find(struct facts *facts, const char *key)
{
	for (uint32_t i = 0; i < facts->count; i++)
		if (strcmp(facts->numbers[i].key, key) == 0)
			return &facts->numbers[i];
	return NULL;
}

void fact_milli(struct facts *facts, const char *key, int64_t milli)
{
	struct fact *fact = find(facts, key);

	if (milli == VALUE_NONE)
		return;
	if (!fact) {
		if (facts->count == MAX_FACTS)
			return;
		fact = &facts->numbers[facts->count++];
		text_copy(fact->key, sizeof(fact->key), key);
	}
	fact->milli = milli;
}

void fact_number(struct facts *facts, const char *key, int64_t number)
{
	int64_t milli;

	if (__builtin_mul_overflow(number, (int64_t)1000, &milli) || milli == VALUE_NONE)
		milli = number < 0 ? -INT64_MAX : INT64_MAX;
	fact_milli(facts, key, milli);
}

void fact_text(struct facts *facts, const char *key, const char *string)
{
	uint32_t i = 0;

	while (i < facts->text_count && strcmp(facts->texts[i].key, key))
		i++;
	if (i == MAX_TEXT_FACTS)
		return;
	if (i == facts->text_count)
		facts->text_count++;
	text_copy(facts->texts[i].key, sizeof(facts->texts[i].key), key);
	text_copy(facts->texts[i].text, sizeof(facts->texts[i].text), string);
}

void fact_cell(struct facts *facts, const char *table, const char *row, const char *column, int64_t reference_milli)
{
	fact_text(facts, "table", table);
	fact_text(facts, "row", row);
	fact_text(facts, "column", column);
	fact_milli(facts, "reference", reference_milli);
}

void fact_curve(struct facts *facts, const char *plot, const char *curve, int64_t across_milli)
{
	fact_text(facts, "plot", plot);
	fact_text(facts, "curve", curve);
	fact_milli(facts, "across", across_milli);
}

const char *fact_find_text(const struct facts *facts, const char *key)
{
	for (uint32_t i = 0; i < facts->text_count; i++)
		if (!strcmp(facts->texts[i].key, key))
			return facts->texts[i].text;
	return NULL;
}

const char *claim_word(enum claim claim)
{
	static const char *const words[] = { "supported", "refuted", "cannot tell", "not comparable" };

	return claim < COUNT_OF(words) ? words[claim] : "cannot tell";
}

const struct fact *fact_find(const struct facts *facts, const char *key)
{
	return find((struct facts *)facts, key);
}

int64_t milli_ratio(uint64_t numerator, uint64_t denominator)
{
	return wide_ratio_milli(numerator, denominator);
}

int64_t milli_per_second(uint64_t count, uint64_t time_ns)
{
	return wide_ratio_milli((unsigned __int128)count * SECONDS(1), time_ns);
}

int64_t milli_whole(uint64_t number)
{
	return wide_ratio_milli(number, 1);
}
