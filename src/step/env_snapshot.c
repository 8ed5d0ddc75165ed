/*
 * env.snapshot: the state of the machine before anything is measured: load, memory, clocks, temperatures, settings.
 *
 * Reads /proc and /sys only.
 * FAIL   the memory's table of rates lacks the one that the board file names
 * SKIP   what this kernel does not tell
 * ERROR  load, memory or processes are not told: /proc is not there
 */
#include <errno.h>
#include <string.h>

#include "env/sensor.h"
#include "env/snapshot.h"
#include "step.h"
#include "sys/call.h"
#include "sys/cpu.h"

static void tell_settings(struct ctx *ctx, const struct snapshot *snapshot)
{
	if (snapshot->clocksource[0])
		emit_log(ctx, "clock source %s", snapshot->clocksource);
	if (snapshot->huge_pages[0])
		emit_log(ctx, "transparent huge pages %s", snapshot->huge_pages);
	if (snapshot->idle_driver[0])
		emit_log(ctx, "idle driver %s", snapshot->idle_driver);
	if (snapshot->aspm[0])
		emit_log(ctx, "PCIe power saving %s", snapshot->aspm);
}

static void tell_figures(struct ctx *ctx, const struct snapshot *snapshot)
{
	static const char missing[] = "not told: is /proc mounted?";
	struct facts facts = { .count = 0 };

	if (snapshot->has_memory)
		emit_figure(ctx, "env.snapshot.memory_available", "B", NULL, milli_whole(snapshot->available_bytes), NULL);
	else
		emit_error(ctx, "env.snapshot.memory_available", NULL, "%s", missing);
	if (snapshot->has_load)
		emit_figure(ctx, "env.snapshot.load", "1", NULL, snapshot->load_milli, NULL);
	else
		emit_error(ctx, "env.snapshot.load", NULL, "%s", missing);
	fact_number(&facts, "running", (int64_t)snapshot->running);
	if (snapshot->has_processes)
		emit_figure(ctx, "env.snapshot.processes", "1", NULL, milli_whole(snapshot->processes), &facts);
	else
		emit_error(ctx, "env.snapshot.processes", NULL, "%s", missing);
	if (snapshot->has_uptime)
		emit_figure(ctx, "env.snapshot.uptime", "s", NULL, snapshot->uptime_milli, NULL);
	else
		emit_skip(ctx, "env.snapshot.uptime", NULL, "%s", missing);
}

/* Memory that was trained from the wrong table never reaches the rate that the board file names. */
static void tell_table(struct ctx *ctx, const struct sensor *sensor, const struct point *points)
{
	uint64_t wanted = (uint64_t)sensor->limit_milli / 1000;
	int listed = sensor_lists(sensor, wanted);

	if (listed < 0)
		emit_skip(ctx, "env.snapshot.clock", points, "%s", sys_error(listed));
	else if (!listed)
		emit_fail(ctx, "env.snapshot.clock", points, "%s lacks %llu: wrong memory table", sensor->path, (unsigned long long)wanted);
	else
		emit_log(ctx, "%s has %llu", sensor->name, (unsigned long long)wanted);
}

static void tell_clock(struct ctx *ctx, const struct sensor *sensor)
{
	const struct point points[] = { point_text("name", sensor->name), POINT_LIST_END };
	int64_t value;
	int err;

	if (!strcmp(sensor->rule, "lists")) {
		tell_table(ctx, sensor, points);
		return;
	}
	err = sensor_read(sensor, &value);
	if (err)
		emit_skip(ctx, "env.snapshot.clock", points, "%s", err == -EINVAL ? "not one number" : sys_error(err));
	else if (!sensor->unit_hz)
		emit_log(ctx, "%s is %lld", sensor->name, (long long)value);
	else
		emit_figure(ctx, "env.snapshot.clock", "Hz", points, milli_whole((uint64_t)value * sensor->unit_hz), NULL);
}

static void tell_clocks(struct ctx *ctx, const struct stack *stack)
{
	for (unsigned i = 0; i < stack->clock_count; i++)
		tell_clock(ctx, &stack->clocks[i]);
}

/* A zone that is switched off says EAGAIN: neither 0 degrees nor a fault. */
static void tell_temperatures(struct ctx *ctx, const struct stack *stack)
{
	for (unsigned i = 0; i < stack->temperature_count; i++) {
		const struct sensor *sensor = &stack->temperatures[i];
		const struct point points[] = { point_text("name", sensor->name), POINT_LIST_END };
		int64_t milli;
		int err = sensor_read(sensor, &milli);

		if (err)
			emit_skip(ctx, "env.snapshot.temperature", points, "%s",
			          err == -EAGAIN ? "the part is switched off" : sys_error(err));
		else
			emit_figure(ctx, "env.snapshot.temperature", "C", points, milli, NULL);
	}
}

static void tell_cpu(struct ctx *ctx, unsigned cpu, struct governor *last)
{
	const struct point points[] = { point_number("cpu", cpu), POINT_LIST_END };
	uint64_t frequency_hz = cpu_frequency_hz(cpu);
	struct governor governor;

	if (frequency_hz)
		emit_figure(ctx, "env.snapshot.cpu_clock", "Hz", points, milli_whole(frequency_hz), NULL);
	if (snapshot_governor(cpu, &governor))
		return;
	if (!strcmp(governor.name, last->name) && governor.min_hz == last->min_hz && governor.max_hz == last->max_hz)
		return;
	emit_log(ctx, "from CPU %u on: governor %s, %llu to %llu Hz", cpu, governor.name, (unsigned long long)governor.min_hz,
	         (unsigned long long)governor.max_hz);
	*last = governor;
}

static void tell_cpus(struct ctx *ctx)
{
	static struct cpu_list list;
	struct governor last = { .min_hz = 0 };

	cpu_allowed(&list);
	for (unsigned i = 0; i < list.count; i++)
		tell_cpu(ctx, list.cpus[i], &last);
	if (!last.name[0])
		emit_log(ctx, "CPU frequency scaling: not told");
}

static void run(struct ctx *ctx)
{
	const struct stack *stack = board_stack(ctx_board(ctx), ctx_identity(ctx));
	struct snapshot snapshot;

	if (planned(ctx, MS(50), 0))
		return;
	if (!snapshot_read(&snapshot) && !snapshot.clocksource[0]) {
		emit_error(ctx, NULL, NULL, "neither /proc nor /sys can be read: mount them");
		return;
	}
	tell_figures(ctx, &snapshot);
	tell_settings(ctx, &snapshot);
	tell_cpus(ctx);
	if (!stack)
		return;
	tell_clocks(ctx, stack);
	tell_temperatures(ctx, stack);
}

const struct step step_env_snapshot = {
	.name = "env.snapshot", .summary = "load, memory, clocks, temperatures and settings before measuring", .run = run,
};
