/*
 * env.after: what the run has left behind: the kernel's log since its start, throttling, memory errors, heat, the drives' health.
 *
 * FAIL   the kernel reports a hardware fault (env/kernel_fault.h has the list); what the board file's rules say of counters
 *        that rose, ceilings that fell and devices that throttle; a temperature beyond the board file's; a drive's media
 *        errors or uncorrected errors of its link that rose, its link that fell back
 * SKIP   counters that this machine does not have, or that env.snapshot or block.health did not tell
 * ERROR  the kernel's log cannot be read, or not all of it; a drive that can no longer be asked
 */
#include <errno.h>
#include <string.h>

#include "block/health.h"
#include "env/kernel_fault.h"
#include "env/sensor.h"
#include "lib/text.h"
#include "step.h"
#include "step/device.h"
#include "step/drive.h"
#include "step/health_check.h"
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

	if (!record->from_kernel || kernel_fault_is_ours(record->message))
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

/* ---- drives, against what block.health told of them ---- */

/* All interrupts on one CPU bound the rate: above this share, of at least so many, where a drive could spread them. */
enum { SHARE_PPM = 900000, ENOUGH_INTERRUPTS = 1000 };

static bool told_at_start(struct ctx *ctx, const char *role, unsigned quantity, struct health *before)
{
	char name[72];

	text_format(name, sizeof name, "block.health.%s[role=%s]", health_names[quantity].name, role);
	return ctx_start_counter(ctx, name, &before->milli[quantity]);
}

static void judge_rise(struct ctx *ctx, const char *metric, const struct point *points, const char *drive, unsigned quantity, int64_t rise)
{
	const struct health_name *name = &health_names[quantity];

	if (rise > 0 && name->rise >= RISE_WARNS)
		(name->rise == RISE_FAILS ? emit_fail : emit_warn)(ctx, metric, points, "%s: %s increased by %lld%s during the run", drive, name->name,
		                                                   (long long)rise / 1000, strcmp(name->unit, "1") ? name->unit : "");
}

static void compare(struct ctx *ctx, const struct point *points, const struct device *device, unsigned quantity,
                    const struct health *before, const struct health *after)
{
	int64_t rise = health_difference(before, after, quantity);
	char metric[48];

	if (quantity == HEALTH_LINK_SPEED || quantity == HEALTH_LINK_WIDTH) {
		if (rise != VALUE_NONE && rise < 0)
			(device->declared ? emit_fail : emit_warn)(ctx, "env.after.drive", points, "%s: its %s fell during the run", device->name,
			                                           health_names[quantity].name);
		return;
	}
	text_format(metric, sizeof metric, "env.after.drive.%s", health_names[quantity].name);
	if (health_names[quantity].rise == RISE_NOTHING || rise == VALUE_NONE)
		return;
	emit_figure(ctx, metric, health_names[quantity].unit, points, rise, NULL);
	judge_rise(ctx, metric, points, device->name, quantity, rise);
}

static void tell_interrupts(struct ctx *ctx, const struct point *points, const struct device *device, const struct interrupts *interrupts)
{
	static const char metric[] = "env.after.drive.interrupt_share";
	struct facts facts = { .count = 0 };
	struct interrupt_share share;

	interrupts_share(NULL, interrupts, &share);
	if (!interrupts->lines || !share.total)
		return;
	fact_number(&facts, "cpu", share.cpu);
	fact_number(&facts, "interrupts", (int64_t)share.total);
	fact_number(&facts, "lines", interrupts->lines);
	fact_number(&facts, "spread", interrupts->spread);
	emit_figure(ctx, metric, "ppm", points, share.ppm_milli, &facts);
	/* With a line for each CPU, a share is the load's doing; a bus that has but one line never had a choice. */
	if (!strcmp(device->disk->bus, "nvme") && interrupts->cpus > 1 && !interrupts->spread && share.total >= ENOUGH_INTERRUPTS &&
	    share.ppm_milli > SHARE_PPM * 1000ll)
		emit_warn(ctx, metric, points, "%s: CPU %u takes %lld %% of its interrupts, and %u lines are aimed at no other: that bounds its rate",
		          device->name, share.cpu, (long long)share.ppm_milli / 10000000, interrupts->lines);
}

struct subject { struct ctx *ctx; const struct point *points; const char *name; };

static void say_of_drive(void *context, enum event_kind kind, const char *message)
{
	const struct subject *subject = context;

	(kind == EVENT_FAIL ? emit_fail : emit_warn)(subject->ctx, "env.after.drive", subject->points, "%s: since the start: %s",
	                                             subject->name, message);
}

/* What it said of itself at the start was judged then. */
static bool is_worse(const struct health *before, const struct health *after)
{
	static const uint8_t told[] = { HEALTH_CRITICAL_WARNING, HEALTH_SMART_STATUS, HEALTH_PRE_EOL, HEALTH_LIFE_A, HEALTH_LIFE_B };
	bool worse = false;

	for (unsigned i = 0; i < COUNT_OF(told); i++)
		worse |= health_difference(before, after, told[i]) > 0;
	return worse;
}

static void tell_drive(struct ctx *ctx, const struct device *device)
{
	const struct point points[] = { point_text("role", device->role), POINT_LIST_END };
	struct subject subject = { ctx, points, device->name };
	static struct drive_health after;
	struct health before;
	bool told = drive_health_read(device->disk, &after), compared = false, lost = false;
	bool gone = after.error == -ENODEV || after.error == -ENXIO;

	health_clear(&before);
	for (unsigned i = 0; i < HEALTH_QUANTITIES; i++) {
		if (!told_at_start(ctx, device->role, i, &before))
			continue;
		compared = true;
		lost |= after.health.milli[i] == VALUE_NONE;
		compare(ctx, points, device, i, &before, &after.health);
	}
	if (is_worse(&before, &after.health))
		health_check(&after.health, say_of_drive, &subject);
	if (lost)
		(gone ? emit_fail : emit_error)(ctx, "env.after.drive", points, "%s: can no longer be asked: %s", device->name,
		                                told ? "it tells less than before" : after.why);
	if (!compared && (told || after.health.milli[HEALTH_AER_FATAL] != VALUE_NONE))
		emit_skip(ctx, "env.after.drive", points, "not compared: block.health told nothing of it");
	if (after.health.milli[HEALTH_TEMPERATURE] != VALUE_NONE)
		emit_figure(ctx, "env.after.drive.temperature", "degC", points, after.health.milli[HEALTH_TEMPERATURE], NULL);
	tell_interrupts(ctx, points, device, &after.interrupts);
}

/* The last of all: a drive that hangs must not take away what else there is to tell. */
static void tell_drives(struct ctx *ctx)
{
	struct device device;

	for_each_storage(ctx, &device)
		if (device.disk && !planned(ctx, MS(200), 0))
			tell_drive(ctx, &device);
}

static void tell_all(struct ctx *ctx)
{
	const struct stack *stack = board_stack(ctx_board(ctx), ctx_identity(ctx));

	tell_log(ctx);
	tell_throttling(ctx, stack);
	tell_heat(ctx, stack);
	tell_memory_errors(ctx, "env.after.edac_ce", "/sys/devices/system/edac/mc/mc*/ce_count");
	tell_memory_errors(ctx, "env.after.edac_ue", "/sys/devices/system/edac/mc/mc*/ue_count");
}

static void run(struct ctx *ctx)
{
	if (!planned(ctx, MS(50), 0))
		tell_all(ctx);
	tell_drives(ctx);
}

const struct step step_env_after = {
	.name = "env.after", .summary = "the kernel's log since the start, throttling, memory errors, heat, drives", .run = run,
};
