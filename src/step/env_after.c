/*
 * env.after: what the run has left behind: the kernel's log since its start, throttling, memory errors, heat.
 *
 * FAIL   the kernel reports a hardware fault (env/kernel_fault.h has the list); what the board file's rules say of counters
 *        that rose, ceilings that fell and devices that throttle; a temperature beyond the board file's
 * SKIP   counters that this machine does not have, or that env.snapshot did not tell
 * ERROR  the kernel's log cannot be read, or not all of it
 */
#include <errno.h>
#include <string.h>

#include "env/kernel_fault.h"
#include "env/sensor.h"
#include "lib/text.h"
#include "step.h"
#include "sys/call.h"
#include "sys/cpu.h"
#include "sys/kernel_log.h"

enum { TOLD = 8 }; /* lines of each kind that are told one by one; all are counted */

static const char kernel_errors[] = "env.after.kernel_errors", counter[] = "env.after.counter";

struct log_summary {
	struct ctx *ctx;
	uint64_t errors, warnings, faults, looks;
};

static void note_record(const struct kernel_record *record, void *context)
{
	struct log_summary *sum = context;
	enum kernel_meaning meaning;
	const char *name;

	if (!record->from_kernel)
		return;
	sum->errors += record->level <= KERNEL_LOG_ERROR;
	sum->warnings += record->level == KERNEL_LOG_WARNING;
	meaning = kernel_fault(record->message, &name);
	if (meaning != KERNEL_NOTHING) {
		bool fault = meaning == KERNEL_FAULT;

		if ((*(fault ? &sum->faults : &sum->looks))++ < TOLD)
			(fault ? emit_fail : emit_warn)(sum->ctx, kernel_errors, NULL, "the kernel reports%s, %s: %s", fault ? " a fault" : "",
			                                name, record->message);
		return;
	}
	if (record->level <= KERNEL_LOG_ERROR && sum->errors <= TOLD)
		emit_warn(sum->ctx, kernel_errors, NULL, "kernel error: %s", record->message);
	else if (record->level == KERNEL_LOG_WARNING && sum->warnings <= TOLD)
		emit_log(sum->ctx, "kernel warning: %s", record->message);
}

static const char *why_no_log(int err)
{
	if (err == -EPERM || err == -EACCES)
		return "only root may read it (dmesg_restrict)";
	return err == -ENOENT ? "there is no /dev/kmsg: is devtmpfs mounted?" : sys_error(err);
}

static void tell_log(struct ctx *ctx)
{
	struct log_summary sum = { .ctx = ctx };
	struct facts facts = { .count = 0 };
	uint64_t lost;
	int fd = ctx_kernel_log(ctx);
	int err = fd < 0 ? fd : kernel_log_read(fd, note_record, &sum, &lost);

	if (err) {
		emit_error(ctx, kernel_errors, NULL, "the kernel's log cannot be read: %s", why_no_log(err));
		return;
	}
	fact_number(&facts, "faults", (int64_t)sum.faults);
	fact_number(&facts, "lost", (int64_t)lost);
	emit_figure(ctx, kernel_errors, "1", NULL, milli_whole(sum.errors), &facts);
	emit_figure(ctx, "env.after.kernel_warnings", "1", NULL, milli_whole(sum.warnings), &facts);
	if (lost)
		emit_error(ctx, kernel_errors, NULL, "the kernel's log overran: at least %llu records of this run are lost, unread",
		           (unsigned long long)lost);
}

static void judge_change(struct ctx *ctx, const struct sensor *sensor, const struct point *points, int64_t start, int64_t value)
{
	bool falls = !strcmp(sensor->rule, "no-decrease"), warns = !strcmp(sensor->rule, "warn-increase");

	if (falls && value < start)
		emit_fail(ctx, counter, points, "throttled: %s fell from %lld to %lld during the run", sensor->name, (long long)start,
		          (long long)value);
	if ((warns || !strcmp(sensor->rule, "no-increase")) && value > start)
		(warns ? emit_warn : emit_fail)(ctx, counter, points, "%s increased by %lld during the run", sensor->name,
		                                (long long)(value - start));
}

/* What the board file says of a counter, a ceiling or a cooling device.  1 for a device that throttles now. */
static unsigned tell_throttle_sensor(struct ctx *ctx, const struct sensor *sensor)
{
	const struct point points[] = { point_text("name", sensor->name), POINT_LIST_END };
	int64_t start_milli, value;
	bool had = ctx_start_counter(ctx, sensor->name, &start_milli);
	int err = sensor_read(sensor, &value);

	if (err && had) {
		emit_error(ctx, counter, points, "%s can no longer be read: %s", sensor->name, sys_error(err));
	} else if (err) {
		emit_skip(ctx, counter, points, "%s", sys_error(err));
	} else {
		emit_figure(ctx, counter, "1", points, milli_whole((uint64_t)value), NULL);
		if (!strcmp(sensor->rule, "zero")) {
			if (value)
				emit_fail(ctx, counter, points, "throttled: %s is active (%lld)", sensor->name, (long long)value);
			return value != 0;
		}
		if (had)
			judge_change(ctx, sensor, points, start_milli / 1000, value);
		else
			emit_skip(ctx, counter, points, "not compared: env.snapshot did not tell it");
	}
	return 0;
}

static void tell_throttling(struct ctx *ctx, const struct stack *stack)
{
	uint64_t start = ctx_start_throttles(ctx), now = cpu_throttle_count();
	uint64_t events = now > start ? now - start : 0, active = 0;
	struct facts facts = { .count = 0 };

	for (unsigned i = 0; stack && i < stack->throttle_count; i++)
		active += tell_throttle_sensor(ctx, &stack->throttle[i]);
	fact_number(&facts, "events", (int64_t)events);
	fact_number(&facts, "active", (int64_t)active);
	emit_figure(ctx, "env.after.throttled", "1", NULL, milli_whole(events + active), &facts);
}

static void tell_heat(struct ctx *ctx, const struct stack *stack)
{
	for (unsigned i = 0; stack && i < stack->temperature_count; i++) {
		const struct sensor *sensor = &stack->temperatures[i];
		const struct point points[] = { point_text("name", sensor->name), POINT_LIST_END };
		int64_t milli;

		if (sensor_read(sensor, &milli))
			continue;
		emit_figure(ctx, "env.after.temperature", "degC", points, milli, NULL);
		if (!strcmp(sensor->rule, "below") && milli >= sensor->limit_milli)
			emit_fail(ctx, "env.after.temperature", points, "%lld millidegrees, not below %lld: throttled", (long long)milli,
			          (long long)sensor->limit_milli);
	}
}

static void tell_memory_errors(struct ctx *ctx, const char *metric, const char *path)
{
	struct sensor sensor = { .name = "" };
	int64_t count;

	text_copy(sensor.path, sizeof sensor.path, path);
	if (sensor_read(&sensor, &count))
		emit_skip(ctx, metric, NULL, "no EDAC: this machine does not tell memory errors");
	else
		emit_figure(ctx, metric, "1", NULL, milli_whole((uint64_t)count), NULL);
}

static void run(struct ctx *ctx)
{
	const struct stack *stack = board_stack(ctx_board(ctx), ctx_identity(ctx));

	if (planned(ctx, MS(50), 0))
		return;
	tell_log(ctx);
	tell_throttling(ctx, stack);
	tell_heat(ctx, stack);
	tell_memory_errors(ctx, "env.after.edac_ce", "/sys/devices/system/edac/mc/mc*/ce_count");
	tell_memory_errors(ctx, "env.after.edac_ue", "/sys/devices/system/edac/mc/mc*/ue_count");
}

const struct step step_env_after = {
	.name = "env.after", .summary = "the kernel's log since the start, throttling, memory errors, heat", .run = run,
};
