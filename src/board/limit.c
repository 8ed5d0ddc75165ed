/*
 * limit.c: the limits of a board file: their metric names, their bounds, finding one.
 *
 * A bound that is null is absent; a limit of which all bounds are null, or none is given, is not judged.  A warning
 * bound lies inside the limit it warns of.
 */
#include <string.h>

#include "board/limit.h"
#include "event.h"

#define BOUND(name) { .key = #name, .kind = FIELD_BOUND, FIELD_IN(struct limit, name##_milli), .has = offsetof(struct limit, has_##name) }

static const struct field limit_fields[] = {
	BOUND(min),
	BOUND(max),
	BOUND(warn_min),
	BOUND(warn_max),
	{ .key = "required", .kind = FIELD_BOOL, FIELD_IN(struct limit, required) },
	{ .key = "source", .kind = FIELD_TEXT, FIELD_IN(struct limit, source) },
	FIELD_END
};

/* The lower bounds that are there must not be above the upper ones, nor a warning outside of its limit. */
static const char *find_contradiction(const struct limit *l)
{
	if (l->has_min && l->has_max && l->min_milli > l->max_milli)
		return "\"min\" is above \"max\"";
	if (l->has_min && l->has_warn_min && l->warn_min_milli < l->min_milli)
		return "\"warn_min\" is below \"min\": it would never warn";
	if (l->has_max && l->has_warn_max && l->warn_max_milli > l->max_milli)
		return "\"warn_max\" is above \"max\": it would never warn";
	if (l->has_warn_min && l->has_warn_max && l->warn_min_milli > l->warn_max_milli)
		return "\"warn_min\" is above \"warn_max\"";
	if (l->has_max && l->has_warn_min && l->warn_min_milli > l->max_milli)
		return "\"warn_min\" is above \"max\"";
	if (l->has_min && l->has_warn_max && l->warn_max_milli < l->min_milli)
		return "\"warn_max\" is below \"min\"";
	return NULL;
}

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

static size_t name_length(const char *at)
{
	return strspn(at, NAME_CHARACTERS);
}

/* One `key=value` at *at, which is moved behind it. */
static const char *point_fault(const char **at)
{
	size_t key = name_length(*at), value;

	if (!key || (*at)[key] != '=')
		return "a point must be key=value";
	value = strspn(*at + key + 1, NAME_CHARACTERS ":+/");
	if (!value)
		return "a point has no value";
	if (key >= sizeof ((struct point *)0)->key || value >= sizeof ((struct point *)0)->value)
		return "a point's key or value is too long";
	*at += key + 1 + value;
	return NULL;
}

/* Does the point at `at` repeat the key of one between start and itself? */
static bool key_repeats(const char *start, const char *at)
{
	size_t key = name_length(at);

	for (; start < at; start += strcspn(start, ",") + 1)
		if (name_length(start) == key && !memcmp(start, at, key))
			return true;
	return false;
}

const char *limit_metric_fault(const char *metric)
{
	size_t name = name_length(metric);
	const char *start = metric + name + 1, *at = start, *fault = NULL;
	unsigned points = 0;

	if (!name || !memchr(metric, '.', name) || metric[0] == '.' || metric[name - 1] == '.')
		return "it must begin with a name such as block.read.bandwidth";
	if (name >= sizeof ((struct event *)0)->metric)
		return "its name is too long";
	if (!metric[name])
		return NULL;
	if (metric[name] != '[')
		return "behind the name comes nothing or [key=value,...]";
	do {
		if (points++ == MAX_POINTS)
			return "it has too many points";
		if (key_repeats(start, at))
			return "it repeats a key";
		fault = point_fault(&at);
	} while (!fault && *at == ',' && at++);
	return fault ? fault : strcmp(at, "]") ? "it must end with ] behind the last point" : NULL;
}

static int read_metric(const struct reader *reader, int key, const struct board *board, struct limit *limit)
{
	const char *fault;

	if (json_string(reader->json, key, limit->metric, sizeof limit->metric))
		return fields_fault(reader, key, "a metric name takes at most %zu bytes, none of them NUL", sizeof limit->metric - 1);
	fault = limit_metric_fault(limit->metric);
	if (fault)
		return fields_fault(reader, key, "\"%s\" is not a metric name: %s", limit->metric, fault);
	if (board_limit(board, limit->metric))
		return fields_fault(reader, key, "\"%s\" has a limit already", limit->metric);
	return 0;
}

static int read_limit(const struct reader *reader, int key, struct board *board)
{
	struct limit *limit = &board->limits[board->limit_count];
	int token = json_value(reader->json, key), err;
	const char *contradiction;

	if (board->limit_count == MAX_LIMITS)
		return fields_fault(reader, key, "too many limits: at most %d", MAX_LIMITS);
	err = read_metric(reader, key, board, limit);
	if (!err)
		err = fields_read(reader, token, limit_fields, "a limit", limit);
	if (err)
		return err;
	limit->judged = limit->has_min || limit->has_max || limit->has_warn_min || limit->has_warn_max;
	contradiction = find_contradiction(limit);
	if (contradiction)
		return fields_fault(reader, token, "%s", contradiction);
	json_place(reader->json, key, &limit->line, &limit->column);
	board->limit_count++;
	return 0;
}

int limit_read_all(const struct reader *reader, int token, void *board)
{
	int err = 0;

	if (json_type(reader->json, token) != JSON_OBJECT)
		return fields_fault(reader, token, "\"limits\" must be an object: metric name, then its bounds");
	for (int key = json_first(reader->json, token); key >= 0 && !err; key = json_next(reader->json, key))
		err = read_limit(reader, key, board);
	return err;
}

const struct limit *board_limit(const struct board *board, const char *metric)
{
	for (unsigned i = 0; i < board->limit_count; i++)
		if (!strcmp(board->limits[i].metric, metric))
			return &board->limits[i];
	return NULL;
}
