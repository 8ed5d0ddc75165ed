/*
 * env.after: what the run has left behind: the kernel's log since its start, throttling, memory errors, heat.
 *
 * FAIL   the kernel reports a hardware fault (env/kernel_fault.h has the list); a temperature beyond the board file's
 * SKIP   counters that this machine does not have
 * ERROR  the kernel's log cannot be read
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

struct log_summary {
	struct ctx *ctx;
	uint64_t errors, warnings, faults, looks;
};

static void note_record(const struct kernel_record *record, void *context)
{
	struct log_summary *sum = context;
	const char *name;

	if (!record->from_kernel)
		return;
	sum->errors += record->level <= KERNEL_LOG_ERROR;
	sum->warnings += record->level == KERNEL_LOG_WARNING;
	switch (kernel_fault(record->message, &name)) {
	case KERNEL_FAULT:
		if (sum->faults++ < TOLD)
			emit_fail(sum->ctx, "env.after.kernel_errors", NULL, "the kernel reports a fault, %s: %s", name, record->message);
		return;
	case KERNEL_LOOK:
		if (sum->looks++ < TOLD)
			emit_warn(sum->ctx, "env.after.kernel_errors", NULL, "the kernel reports, %s: %s", name, record->message);
		return;
	case KERNEL_NOTHING:
		break;
	}
	if (record->level <= KERNEL_LOG_ERROR && sum->errors <= TOLD)
		emit_warn(sum->ctx, "env.after.kernel_errors", NULL, "kernel error: %s", record->message);
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
		emit_error(ctx, "env.after.kernel_errors", NULL, "the kernel's log cannot be read: %s", why_no_log(err));
		return;
	}
	fact_number(&facts, "faults", (int64_t)sum.faults);
	fact_number(&facts, "overruns", (int64_t)lost);
	emit_figure(ctx, "env.after.kernel_errors", "1", NULL, milli_whole(sum.errors), &facts);
	emit_figure(ctx, "env.after.kernel_warnings", "1", NULL, milli_whole(sum.warnings), &facts);
	if (lost)
		emit_warn(ctx, "env.after.kernel_errors", NULL, "the kernel's log overran: some records of this run are gone");
}

/* A cooling device that is active, or a counter that is not 0 since power-on. */
static unsigned tell_throttle_sensor(struct ctx *ctx, const struct sensor *sensor)
{
	int64_t value;

	if (sensor_read(sensor, &value) || !value)
		return 0;
	if (!strcmp(sensor->rule, "zero")) {
		emit_warn(ctx, "env.after.throttled", NULL, "%s is active now: %lld", sensor->name, (long long)value);
		return 1;
	}
	if (!strcmp(sensor->rule, "no-increase"))
		emit_warn(ctx, "env.after.throttled", NULL, "%s: %lld since power-on", sensor->name, (long long)value);
	else
		emit_log(ctx, "%s: %lld since power-on", sensor->name, (long long)value);
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
	if (events)
		emit_warn(ctx, "env.after.throttled", NULL, "CPUs were throttled %llu times during the run", (unsigned long long)events);
}

static void tell_heat(struct ctx *ctx, const struct stack *stack)
{
	for (unsigned i = 0; stack && i < stack->temperature_count; i++) {
		const struct sensor *sensor = &stack->temperatures[i];
		const struct point points[] = { point_text("name", sensor->name), POINT_LIST_END };
		int64_t milli;

		if (sensor_read(sensor, &milli))
			continue;
		emit_figure(ctx, "env.after.temperature", "C", points, milli, NULL);
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
