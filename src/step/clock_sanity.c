/*
 * clock.sanity: what the clocks can tell apart, what they cost, whether they agree, and whether they ever run backwards.
 *
 * This thread hops over all allowed CPUs and reads the quick clock and CLOCK_MONOTONIC_RAW on each.
 * FAIL   a clock ran backwards between two readings (the board file's limit on the figure says so; else this step)
 * SKIP   the drift, where CLOCK_MONOTONIC_RAW is itself the quick clock
 * ERROR  this thread cannot be moved between CPUs, or a clock stands still
 */
#include <string.h>

#include "env/clock_check.h"
#include "step.h"
#include "sys/clock.h"

enum { DURATION };
enum { GRAIN_READINGS = 20000 };

static const struct param params[] = {
	[DURATION] = { "duration", PARAM_DURATION, .def = "500ms", .def_medium = "2s", .min = MS(10), .max = SECONDS(600),
	               .help = "time of comparing the clocks" },
	PARAM_END
};

static const char raw_name[] = "monotonic_raw";

static void tell_grain(struct ctx *ctx, const char *name, uint64_t resolution_ps, uint64_t overhead_ps)
{
	const struct point points[] = { point_text("clock", name), POINT_LIST_END };
	struct facts facts = { .count = 0 };

	fact_number(&facts, "readings", GRAIN_READINGS);
	if (resolution_ps)
		emit_figure(ctx, "clock.sanity.resolution", "ns", points, (int64_t)resolution_ps, &facts);
	else
		emit_error(ctx, "clock.sanity.resolution", points, "%s stood still over %d readings", name, GRAIN_READINGS);
	emit_figure(ctx, "clock.sanity.overhead", "ns", points, (int64_t)overhead_ps, &facts);
}

static void tell_drift(struct ctx *ctx, const struct clock_quality *quick, const struct clock_check *check)
{
	const struct point points[] = { point_text("clock", quick->name), POINT_LIST_END };
	struct facts facts = { .count = 0 };

	if (!quick->counter_hz) {
		emit_skip(ctx, "clock.sanity.drift", points, "the CPU's counter is not invariant: %s is used throughout", raw_name);
		return;
	}
	fact_number(&facts, "span_ns", (int64_t)check->span_ns);
	fact_number(&facts, "error_ns", (int64_t)check->drift_error_ns);
	fact_number(&facts, "counter_hz", (int64_t)quick->counter_hz);
	fact_text(&facts, "against", raw_name);
	fact_text(&facts, "counter_rate", quick->rate_error_ppm_milli == VALUE_NONE ? "told by the hardware" : "measured");
	emit_figure(ctx, "clock.sanity.drift", "ppm", points, check->drift_ppm_milli, &facts);
}

static void tell_backwards(struct ctx *ctx, const struct clock_quality *quick, const struct clock_check *check, unsigned cpus)
{
	uint64_t backwards = check->ticks_backwards + check->raw_backwards;
	struct facts facts = { .count = 0 };

	fact_number(&facts, "readings", (int64_t)check->readings);
	fact_number(&facts, "hops", (int64_t)check->hops);
	fact_number(&facts, "cpus", cpus);
	fact_number(&facts, "quick_backwards", (int64_t)check->ticks_backwards);
	fact_number(&facts, "raw_backwards", (int64_t)check->raw_backwards);
	fact_number(&facts, "worst_back_ns", (int64_t)check->worst_back_ns);
	emit_figure(ctx, "clock.sanity.backwards", "1", NULL, milli_whole(backwards), &facts);
	if (backwards && !ctx_judges(ctx, "clock.sanity.backwards", NULL))
		emit_fail(ctx, "clock.sanity.backwards", NULL, "%s ran backwards %llu times, %s %llu times, by up to %llu ns",
		          quick->name, (unsigned long long)check->ticks_backwards, raw_name,
		          (unsigned long long)check->raw_backwards, (unsigned long long)check->worst_back_ns);
	if (check->pin_failures)
		emit_error(ctx, "clock.sanity.backwards", NULL, "%llu moves to another CPU were refused",
		           (unsigned long long)check->pin_failures);
}

static void run(struct ctx *ctx)
{
	static struct cpu_list list;
	const struct clock_quality *quick;
	struct clock_check check;
	uint64_t resolution_ps, overhead_ps;

	if (planned(ctx, param_number(ctx, DURATION) + MS(20), 0))
		return;
	cpu_allowed(&list);
	quick = clock_quality();
	tell_grain(ctx, quick->name, quick->resolution_ps, quick->overhead_ps);
	if (strcmp(quick->name, raw_name)) {
		clock_grain(clock_now_ns, GRAIN_READINGS, &resolution_ps, &overhead_ps);
		tell_grain(ctx, raw_name, resolution_ps, overhead_ps);
	}
	clock_check(&clock_pair, &list, param_number(ctx, DURATION), &check);
	tell_drift(ctx, quick, &check);
	tell_backwards(ctx, quick, &check, list.count);
}

const struct step step_clock_sanity = {
	.name = "clock.sanity", .summary = "resolution, cost, agreement and monotony of the clocks", .params = params, .run = run,
};
