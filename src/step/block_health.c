/*
 * block.health: what every drive tells of its own state, before anything is measured: SMART, wear, self-test, link, errors of its link.
 *
 * Reads; sends the drive nothing but questions, and with selftest=short the command to test itself.  That is never a default:
 * it takes up to two minutes, and a drive may be slower and warmer for it.  env.after tells what changed during the run.
 * FAIL   the drive says that it is failing or worn out, its last self-test failed, or it went away
 * SKIP   a drive of a kind that tells nothing; an undeclared one that may not be asked
 * ERROR  a declared drive that cannot be asked; a self-test that does not end
 */
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "scratch.h"
#include "step.h"
#include "step/device.h"
#include "step/drive.h"
#include "step/health_check.h"
#include "sys/call.h"

/* What the specification gives a short self-test is two minutes. */
#define READ_NS MS(200)
#define SELF_TEST_NS SECONDS(130)

enum { SELFTEST };
enum { SELFTEST_NO, SELFTEST_SHORT };

static const char self_test_metric[] = "block.health.self_test";

/* What a finding is about. */
struct subject { struct ctx *ctx; const char *name; const struct point *points; bool warn_only; };

static void say(void *context, enum event_kind kind, const char *message)
{
	const struct subject *subject = context;

	(kind == EVENT_FAIL && !subject->warn_only ? emit_fail : emit_warn)(subject->ctx, "block.health", subject->points, "%s: %s",
	                                                                    subject->name, message);
}

static void tell_attachment(struct ctx *ctx, const struct point *points, const struct disk *disk, const struct drive_health *drive)
{
	const struct queue *queue = &drive->queue;
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	drive_queue_facts(drive, &facts);
	fact_number(&facts, "read_ahead_kb", (int64_t)queue->read_ahead_kb);
	fact_number(&facts, "rotational", queue->rotational);
	fact_number(&facts, "io_poll", queue->io_poll);
	if (queue->numa_node >= 0)
		fact_number(&facts, "numa_node", queue->numa_node);
	if (drive->nvme.block_bytes) {
		fact_number(&facts, "metadata_bytes", drive->nvme.metadata_bytes);
		fact_number(&facts, "capacity_blocks", (int64_t)drive->nvme.capacity_blocks);
		fact_number(&facts, "used_blocks", (int64_t)drive->nvme.used_blocks);
	}
	if (!strcmp(disk->bus, "mmc")) {
		fact_number(&facts, "cmdq", queue->cmdq);
		fact_text(&facts, "mode", disk->mode[0] ? disk->mode : "not told");
	}
	if (queue->firmware[0])
		fact_text(&facts, "firmware", queue->firmware);
	if (queue->aspm[0])
		fact_text(&facts, "aspm_policy", queue->aspm);
	if (queue->max_sectors_kb)
		emit_figure(ctx, "block.health.max_io", "B", points, milli_whole(queue->max_sectors_kb * KIB), &facts);
	else
		emit_skip(ctx, "block.health.max_io", points, "not told");
}

static void add_evidence(const struct drive_health *drive, unsigned quantity, struct facts *facts)
{
	if (quantity == HEALTH_TEMPERATURE)
		fact_milli(facts, "warning", drive->nvme.model[0] ? drive->nvme.warning_milli : VALUE_NONE);
	if (quantity >= HEALTH_AER_CORRECTABLE) {
		fact_number(facts, "drive", (int64_t)drive->aer[quantity - HEALTH_AER_CORRECTABLE][0]);
		fact_number(facts, "port", (int64_t)drive->aer[quantity - HEALTH_AER_CORRECTABLE][1]);
	}
}

static void tell_figures(struct ctx *ctx, const struct point *points, const struct drive_health *drive)
{
	for (unsigned i = 0; i < HEALTH_QUANTITIES; i++) {
		int64_t milli = drive->health.milli[i];
		struct facts facts = { .count = 0 };
		char metric[40];

		text_format(metric, sizeof metric, "block.health.%s", health_names[i].name);
		add_evidence(drive, i, &facts);
		if (milli == HEALTH_BEYOND)
			emit_skip(ctx, metric, points, "more than a figure holds");
		else if (milli != VALUE_NONE)
			emit_figure(ctx, metric, health_names[i].unit, points, milli, &facts);
	}
}

static void say_silence(struct ctx *ctx, const struct point *points, const struct device *device, const struct drive_health *drive)
{
	int err = drive->error;
	bool gone = err == -ENODEV || err == -ENXIO;

	if (!err)
		return;
	if (gone)
		emit_fail(ctx, "block.health", points, "%s: gone: %s", device->name, drive->why);
	else
		(err == -ENODATA || !device->declared ? emit_skip : emit_error)(ctx, "block.health", points, "%s: no health data: %s",
		                                                                device->name, drive->why);
}

/* A drive that no role declares, board.identity does not look at. */
static void check_link(struct ctx *ctx, const struct point *points, const struct device *device, const struct disk *disk)
{
	struct subject subject = { ctx, device->name, points, .warn_only = true };
	struct storage_role role = { .role = "drive" };

	if (!device->declared)
		identity_check_link(&role, disk, say, &subject);
}

/* ---- the drive's own test ---- */

static int run_test(struct ctx *ctx, const struct point *points, const char *name, int fd, struct nvme_self_test *test)
{
	int err = nvme_self_test_short(fd, SELF_TEST_NS, test);

	if (err == -EBUSY)
		emit_skip(ctx, self_test_metric, points, "%s: a self-test is running already (%u %%)", name, test->percent);
	else if (err == -ETIME)
		emit_error(ctx, self_test_metric, points, "%s: its short self-test was at %u %% after %llu s, and was given up", name,
		           test->percent, SELF_TEST_NS / SECONDS(1));
	else if (err > 0)
		emit_error(ctx, self_test_metric, points, "%s: self-test: the drive answered with status 0x%x", name, (unsigned)err);
	else if (err)
		emit_error(ctx, self_test_metric, points, "%s: self-test: %s", name, sys_error(err));
	return err;
}

/* A result that is no verdict is not one of the test that was asked for. */
static void judge_test(struct ctx *ctx, const struct point *points, const char *name, const struct nvme_self_test *test, struct health *health)
{
	health->milli[HEALTH_SELF_TEST] = test->result == NVME_NEVER ? VALUE_NONE : (int64_t)test->result * 1000;
	if (test->result && (test->result < 5 || test->result > 7))
		emit_error(ctx, self_test_metric, points, "%s: its self-test was aborted (result %u)", name, test->result);
}

static void test_drive(struct ctx *ctx, const struct point *points, const char *name, const struct disk *disk, struct drive_health *drive)
{
	struct nvme_self_test test;
	int fd;

	if (drive->error || !drive->nvme.has_self_test) {
		/* A command asked for nothing else. */
		(ctx_scratch(ctx) && ctx_scratch(ctx)->only ? emit_error : emit_skip)(ctx, self_test_metric, points,
			"%s has no self-test that this version can start%s%s", name, drive->error ? ": " : "", drive->error ? drive->why : "");
		return;
	}
	fd = drive_open(disk);
	if (fd < 0) {
		emit_error(ctx, self_test_metric, points, "%s: cannot be opened: %s", name, sys_error(fd));
		return;
	}
	if (!run_test(ctx, points, name, fd, &test))
		judge_test(ctx, points, name, &test, &drive->health);
	sys_close(fd);
}

static void tell(struct ctx *ctx, const struct device *device, const struct disk *disk)
{
	const struct point points[] = { point_text("role", device->role), POINT_LIST_END };
	struct subject subject = { ctx, device->name, points, .warn_only = false };
	static struct drive_health drive;

	drive_health_read(disk, &drive);
	if (drive.identity[0])
		emit_log(ctx, "%s: %s", device->name, drive.identity);
	if (param_number(ctx, SELFTEST) == SELFTEST_SHORT)
		test_drive(ctx, points, device->name, disk, &drive);
	tell_attachment(ctx, points, disk, &drive);
	tell_figures(ctx, points, &drive);
	say_silence(ctx, points, device, &drive);
	health_check(&drive.health, say, &subject);
	check_link(ctx, points, device, disk);
}

/* The drive under a scratch is told by its own role; under the one device of a command, here. */
static const struct disk *drive_of(const struct ctx *ctx, const struct device *device)
{
	return device->disk || !ctx_scratch(ctx)->only ? device->disk : device->on;
}

static void run(struct ctx *ctx)
{
	bool test = param_number(ctx, SELFTEST) == SELFTEST_SHORT;
	struct device device;

	for_each_storage(ctx, &device) {
		const struct disk *disk = drive_of(ctx, &device);
		bool asked = test && disk && !strcmp(disk->bus, "nvme");

		if (!disk)
			emit_skip(ctx, NULL, NULL, "%s: no health data: no drive is known behind it, or it is told by its own role", device.name);
		else if (!planned(ctx, READ_NS + (asked ? SELF_TEST_NS : 0), 0))
			tell(ctx, &device, disk);
	}
}

static const struct param params[] = {
	[SELFTEST] = { "selftest", PARAM_WORD, .def = "no", .words = "no|short", .flag = "short",
	               .help = "short: NVMe drives test themselves first, up to two minutes each" },
	PARAM_END
};

const struct step step_block_health = {
	.name = "block.health", .summary = "SMART, wear, self-test, link and its errors", .needs = NEEDS_STORAGE, .params = params, .run = run,
};
