/*
 * emit.c: what a step says becomes an event in the pipe to the runner.  In the dry run nothing is said but which devices are used.
 *
 * Every figure carries, besides its own evidence, what makes it comparable: the clock with its resolution and cost, the
 * CPU frequency and throttle counters before and after, the noise floor that this run has measured, and, where the machine is emulated, by what:
 * its times mean nothing.
 */
#include <stdarg.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "stat/histogram.h"
#include "step/context.h"
#include "sys/clock.h"

/* One buffer: a step emits from its first thread only, and events are too big for small stacks. */
static struct event event;

static void begin(enum event_kind kind, const char *metric, const struct point *points)
{
	memset(&event, 0, sizeof event);
	event.kind = kind;
	text_copy(event.metric, sizeof event.metric, metric ? metric : "");
	for (; points && points->key[0] && event.point_count < MAX_POINTS; points++)
		event.points[event.point_count++] = *points;
}

static void add_message(const char *format, va_list args)
{
	struct text message = TEXT(event.message);

	text_add_vformat(&message, format, args);
	/* What a device calls itself may hold anything: a message stays one line. */
	for (char *at = event.message; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
}

static void say(struct ctx *ctx, enum event_kind kind, const char *metric, const struct point *points,
                const char *format, va_list args)
{
	if (ctx->dry)
		return;
	begin(kind, metric, points);
	add_message(format, args);
	if (ctx->cell && (kind == EVENT_FAIL || kind == EVENT_ERROR || kind == EVENT_SKIP)) {
		event.facts = *ctx->cell;
		text_copy(event.unit, sizeof event.unit, ctx->cell_unit);
	}
	context_send(ctx, &event);
}

#define SAY(kind, metric, points) do { \
	va_list args; va_start(args, format); say(ctx, kind, metric, points, format, args); va_end(args); } while (0)

void emit_fail(struct ctx *ctx, const char *metric, const struct point *points, const char *format, ...)
{
	SAY(EVENT_FAIL, metric, points);
}

void emit_error(struct ctx *ctx, const char *metric, const struct point *points, const char *format, ...)
{
	SAY(EVENT_ERROR, metric, points);
}

void emit_skip(struct ctx *ctx, const char *metric, const struct point *points, const char *format, ...)
{
	SAY(EVENT_SKIP, metric, points);
}

void emit_cell(struct ctx *ctx, const struct facts *cell, const char *unit)
{
	ctx->cell = cell;
	ctx->cell_unit = unit;
}

void emit_skip_cell(struct ctx *ctx, const char *metric, const char *unit, const struct point *points, const struct facts *cell,
                    const char *format, ...)
{
	va_list args;

	if (ctx->dry)
		return;
	begin(EVENT_SKIP, metric, points);
	text_copy(event.unit, sizeof event.unit, unit);
	event.facts = *cell;
	va_start(args, format);
	add_message(format, args);
	va_end(args);
	context_send(ctx, &event);
}

void emit_warn(struct ctx *ctx, const char *metric, const struct point *points, const char *format, ...)
{
	SAY(EVENT_WARN, metric, points);
}

void emit_log(struct ctx *ctx, const char *format, ...)
{
	SAY(EVENT_LOG, NULL, NULL);
}

/* The figures of one measurement come together: on a big machine, one look at every CPU serves them all. */
static const struct conditions *conditions_now(void)
{
	static struct conditions now;
	static uint64_t read_ns;

	if (!read_ns || clock_now_ns() - read_ns > MS(100)) {
		watch_read(&now);
		read_ns = clock_now_ns();
	}
	return &now;
}

/* The quick clock, unless the engine names the one that it used. */
static void add_clock(struct facts *facts)
{
	const struct clock_quality *clock = clock_quality();

	for (uint32_t i = 0; i < facts->text_count; i++)
		if (!strcmp(facts->texts[i].key, "clock"))
			clock = !strcmp(facts->texts[i].text, clock_reference()->name) ? clock_reference() : NULL;
	if (!clock)
		return;
	fact_text(facts, "clock", clock->name);
	fact_milli(facts, "clock_resolution_ns", (int64_t)clock->resolution_ps);
	fact_milli(facts, "clock_overhead_ns", (int64_t)clock->overhead_ps);
	fact_milli(facts, "rate_error_ppm", clock->rate_error_ppm_milli);
}

static void add_conditions(struct ctx *ctx, struct facts *facts)
{
	watch_facts(&ctx->before, conditions_now(), facts);
	add_clock(facts);
	if (ctx->identity && ctx->identity->emulator[0])
		fact_text(facts, "emulated", ctx->identity->emulator);
	if (ctx->noise_milli != VALUE_NONE)
		fact_milli(facts, "noise_floor_ppm", ctx->noise_milli);
}

void emit_figure(struct ctx *ctx, const char *metric, const char *unit, const struct point *points, int64_t value_milli,
                 const struct facts *evidence)
{
	if (ctx->dry)
		return;
	begin(EVENT_FIGURE, metric, points);
	text_copy(event.unit, sizeof event.unit, unit);
	event.value_milli = value_milli;
	if (evidence)
		event.facts = *evidence;
	add_conditions(ctx, &event.facts);
	context_send(ctx, &event);
}

void emit_series(struct ctx *ctx, const char *metric, const char *unit, const struct point *points, const struct facts *facts)
{
	if (ctx->dry)
		return;
	begin(EVENT_SERIES, metric, points);
	text_copy(event.unit, sizeof event.unit, unit);
	if (facts)
		event.facts = *facts;
	ctx->element_count = 0;
	context_send(ctx, &event);
}

void emit_element(struct ctx *ctx, uint64_t at_ns, int64_t value_milli)
{
	if (ctx->dry)
		return;
	begin(EVENT_ELEMENT, NULL, NULL);
	event.aux = at_ns;
	event.value_milli = value_milli;
	ctx->element_count++;
	context_send(ctx, &event);
}

void emit_series_end(struct ctx *ctx)
{
	if (ctx->dry)
		return;
	begin(EVENT_SERIES_END, NULL, NULL);
	event.aux = ctx->element_count;
	context_send(ctx, &event);
}

void emit_claim(struct ctx *ctx, const char *name, enum claim claim, const char *words, const char *format, ...)
{
	struct text message;
	va_list args;

	if (ctx->dry)
		return;
	begin(EVENT_CLAIM, name, NULL);
	event.aux = claim;
	message = TEXT(event.message);
	text_add_format(&message, "%s\n", words);
	va_start(args, format);
	text_add_vformat(&message, format, args);
	va_end(args);
	context_send(ctx, &event);
}

void emit_device(struct ctx *ctx, const char *name)
{
	begin(EVENT_DEVICE, NULL, NULL);
	text_copy(event.message, sizeof event.message, name);
	context_send(ctx, &event);
}

struct point point_text(const char *key, const char *value)
{
	struct point point = { .key = "" };

	text_copy(point.key, sizeof point.key, key);
	text_copy(point.value, sizeof point.value, value);
	return point;
}

struct point point_size(const char *key, uint64_t bytes)
{
	struct point point = point_text(key, "");
	struct text value = TEXT(point.value);

	number_add_size(&value, bytes);
	return point;
}

struct point point_number(const char *key, uint64_t number)
{
	struct point point = point_text(key, "");
	struct text value = TEXT(point.value);

	text_add_format(&value, "%llu", (unsigned long long)number);
	return point;
}

struct quantile { const char *name; uint32_t ppm; };

/* Those that are figures, and those that are evidence behind them only. */
static const struct quantile quantiles[] = { { "p50", 500000 }, { "p95", 950000 }, { "p99", 990000 }, { "p99.9", 999000 } };
static const struct quantile deeper[] = { { "p99.99", 999900 }, { "p99.999", 999990 }, { "p99.9999", 999999 } };

static void add_quantiles(const struct histogram *latency, const struct quantile *list, unsigned count, struct facts *facts)
{
	for (unsigned i = 0; i < count; i++)
		fact_milli(facts, list[i].name, histogram_quantile_milli(latency, list[i].ppm));
}

/* The whole summary behind each of its figures; quantiles that have too few samples are left out. */
void latency_facts(const struct histogram *latency, struct facts *facts)
{
	int64_t low_milli, high_milli;

	fact_number(facts, "n", (int64_t)latency->count);
	fact_number(facts, "overflow", (int64_t)latency->overflow);
	fact_number(facts, "min", (int64_t)latency->min);
	fact_number(facts, "max", (int64_t)latency->max);
	fact_milli(facts, "mean", histogram_mean_milli(latency));
	fact_milli(facts, "deviation", histogram_deviation_milli(latency));
	add_quantiles(latency, quantiles, COUNT_OF(quantiles), facts);
	add_quantiles(latency, deeper, COUNT_OF(deeper), facts);
	if (histogram_median_interval(latency, &low_milli, &high_milli)) {
		fact_milli(facts, "median_low95", low_milli);
		fact_milli(facts, "median_high95", high_milli);
	}
}

const char *latency_quantity(const struct histogram *latency, unsigned index, int64_t *value_milli)
{
	static const char *const others[] = { "max", "mean" };
	unsigned other = index - COUNT_OF(quantiles);

	if (index < COUNT_OF(quantiles)) {
		*value_milli = histogram_quantile_milli(latency, quantiles[index].ppm);
		return quantiles[index].name;
	}
	if (other >= COUNT_OF(others))
		return NULL;
	*value_milli = !latency->count ? VALUE_NONE : other ? histogram_mean_milli(latency) : milli_whole(latency->max);
	return others[other];
}

void emit_latency(struct ctx *ctx, const char *prefix, const struct point *points, const struct histogram *latency,
                  const struct facts *evidence)
{
	static struct facts facts;
	char missing[48], metric[sizeof event.metric];
	struct text lacks = TEXT(missing);
	int64_t value_milli;
	const char *name;

	facts = evidence ? *evidence : (struct facts){ .count = 0 };
	latency_facts(latency, &facts);
	for (unsigned i = 0; (name = latency_quantity(latency, i, &value_milli)); i++) {
		text_format(metric, sizeof metric, "%s.%s", prefix, name);
		if (value_milli != VALUE_NONE || !latency->count)
			emit_figure(ctx, metric, "ns", points, value_milli, &facts);
		else
			text_add_format(&lacks, " %s", name);
	}
	if (lacks.length)
		emit_skip(ctx, prefix, points, "n/a:%s, %llu samples are too few", missing, (unsigned long long)latency->count);
}
