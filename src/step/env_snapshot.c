/*
 * env.snapshot: the state of the machine before anything is measured: load, memory, clocks, temperatures, counters, settings.
 *
 * Reads /proc and /sys only.
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

static void tell_figure(struct ctx *ctx, const char *metric, const char *unit, bool told, int64_t value_milli,
                        const struct facts *facts)
{
	if (told)
		emit_figure(ctx, metric, unit, NULL, value_milli, facts);
	else
		emit_error(ctx, metric, NULL, "not told: is /proc mounted?");
}

static void tell_figures(struct ctx *ctx, const struct snapshot *snapshot)
{
	struct facts facts = { .count = 0 };

	fact_milli(&facts, "running", milli_whole(snapshot->running));
	tell_figure(ctx, "env.snapshot.memory_available", "B", snapshot->has_memory, milli_whole(snapshot->available_bytes), NULL);
	tell_figure(ctx, "env.snapshot.load", "1", snapshot->has_load, snapshot->load_milli, NULL);
	tell_figure(ctx, "env.snapshot.processes", "1", snapshot->has_processes, milli_whole(snapshot->processes), &facts);
	if (snapshot->has_uptime)
		emit_figure(ctx, "env.snapshot.uptime", "s", NULL, snapshot->uptime_milli, NULL);
	else
		emit_skip(ctx, "env.snapshot.uptime", NULL, "not told");
}

/* Of a sensor's count, in thousandths; VALUE_NONE beyond the range of a figure. */
static int64_t worth_milli(int64_t count, uint64_t unit, int64_t thousandths)
{
	int64_t worth, milli;

	return __builtin_mul_overflow(count, unit, &worth) || __builtin_mul_overflow(worth, thousandths, &milli) ? VALUE_NONE : milli;
}

/* A zone that is switched off says EAGAIN: neither 0 degrees nor a fault. */
static const char *why(int err)
{
	return err == -EAGAIN ? "the part is switched off" : err == -EINVAL ? "not one number" : sys_error(err);
}

static void tell_sensor(struct ctx *ctx, const char *metric, const char *unit, const struct sensor *sensor, uint64_t worth,
                        int64_t thousandths)
{
	const struct point points[] = { point_text("name", sensor->name), POINT_LIST_END };
	int64_t value;
	int err = sensor_read(sensor, &value);

	if (err)
		emit_skip(ctx, metric, points, "%s", why(err));
	else if (worth)
		emit_figure(ctx, metric, unit, points, worth_milli(value, worth, thousandths), NULL);
	else
		emit_log(ctx, "%s is %lld", sensor->name, (long long)value);
}

/* Tables of rates are board.identity's.  The runner keeps the counters, for env.after to compare with. */
static void tell_sensors(struct ctx *ctx, const struct stack *stack)
{
	for (unsigned i = 0; i < stack->clock_count; i++) {
		const struct sensor *clock = &stack->clocks[i];

		if (strcmp(clock->rule, "lists"))
			tell_sensor(ctx, "env.snapshot.clock", "Hz", clock, clock->unit_hz, 1000);
		if (!strcmp(clock->rule, "equal-max"))
			emit_log(ctx, "%s is not held against its maximum: clocks are not locked in this version", clock->name);
	}
	for (unsigned i = 0; i < stack->temperature_count; i++)
		tell_sensor(ctx, "env.snapshot.temperature", "degC", &stack->temperatures[i], 1, 1);
	for (unsigned i = 0; i < stack->throttle_count; i++)
		tell_sensor(ctx, "env.snapshot.counter", "1", &stack->throttle[i], 1, 1000);
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
	if (stack)
		tell_sensors(ctx, stack);
}

const struct step step_env_snapshot = {
	.name = "env.snapshot", .summary = "load, memory, clocks, temperatures and settings before measuring", .run = run,
};
