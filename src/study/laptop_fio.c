/*
 * laptop_fio.c: study.laptop-fio: a laptop's fio profiles, random 4 KiB blocks over regions of a few sizes, at the depths that were asked for.
 *
 * What was really in flight (IOPS x mean latency) stands beside the depth: theirs was 0.78 of 16.  A region is gone through
 * once, as there, unless it is within --precision before; --runtime is the upper bound.  Mixed points write, and are left out of a device that is only read.
 */
#include <errno.h>
#include <string.h>

#include "lib/number.h"
#include "scratch.h"
#include "step/block_say.h"
#include "step/drive.h"
#include "study/curve.h"
#include "study/params.h"

static const struct param params[] = {
	STUDY_PARAMS("10s", "the most time for a point", "2", "0", "auto", "64m"),
	PARAM_END
};

enum { BLOCK = 4096 };

#define TABLE "random 4k (theirs: i7-8650U laptop, fio)"

/* Their figures of one side; 0: none. */
struct side { unsigned iops, min_ns, max_ns, mean_ns, deviation_ns, inflight_milli; };

static const struct profile {
	enum block_rw rw;
	uint64_t size_bytes;
	unsigned iodepth;
	struct side theirs[BLOCK_SIDES];
} profiles[] = {
	{ BLOCK_RANDREAD, 256 * MIB, 1, { { 0 } } },
	{ BLOCK_RANDREAD, 256 * MIB, 4, { { 0 } } },
	{ BLOCK_RANDREAD, 256 * MIB, 16, { { 74200, 7000, 327000, 10490, 5640, 778 } } },
	{ BLOCK_RANDRW, 256 * MIB, 4, { { 37200, 7000, 253000, 10630, 4780, 395 }, { 37200, 7000, 256000, 10260, 4610, 382 } } },
	{ BLOCK_RANDRW, 64 * MIB, 4, { { 37800, 7300, 63100, 10335, 4021, 391 }, { 38100, 7000, 202000, 10010, 4690, 381 } } },
	{ BLOCK_RANDRW, 16 * MIB, 4, { { 37600, 7300, 63600, 10051, 3888, 378 }, { 39700, 7200, 62300, 9676, 4105, 384 } } },
};

static struct readings all;

static int64_t or_none(unsigned number, int64_t worth_milli)
{
	return number ? number * worth_milli : VALUE_NONE;
}

/* "randread 256m depth 16", "randrw 16m depth 4 write" */
static void row_of(const struct profile *profile, enum block_side side, char *row, unsigned size)
{
	struct text text = text_in(row, size);

	text_add(&text, profile->rw == BLOCK_RANDREAD ? "randread " : "randrw ");
	number_add_size(&text, profile->size_bytes);
	text_add_format(&text, " depth %u", profile->iodepth);
	if (profile->rw == BLOCK_RANDRW)
		text_add(&text, side == BLOCK_SIDE_WRITE ? " write" : " read");
}

enum { CELLS = 4 };

static void side_cells(const struct profile *profile, enum block_side side, const char *row, struct block_cell *cells)
{
	const struct side *theirs = &profile->theirs[side];

	cells[0] = (struct block_cell){ "iops", side, TABLE, row, "kIOPS", or_none(theirs->iops, 1000) };
	cells[1] = (struct block_cell){ "latency.mean", side, TABLE, row, "mean us", or_none(theirs->mean_ns, 1000) };
	cells[2] = (struct block_cell){ "latency.max", side, TABLE, row, "max us", or_none(theirs->max_ns, 1000) };
	cells[3] = (struct block_cell){ "inflight", side, TABLE, row, "in flight", or_none(theirs->inflight_milli, 1) };
}

static void tell_more(struct ctx *ctx, const struct block_ask *ask, const struct point *points, const struct histogram *latency,
                      const char *row, const struct side *theirs)
{
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	latency_facts(latency, &facts);
	fact_cell(&facts, TABLE, row, "min us", or_none(theirs->min_ns, 1000));
	emit_figure(ctx, block_point_metric(ask, "latency.min"), "ns", points, milli_whole(latency->min), &facts);
	facts = (struct facts){ .count = 0 };
	latency_facts(latency, &facts);
	fact_cell(&facts, TABLE, row, "deviation us", or_none(theirs->deviation_ns, 1000));
	if (latency->count > 1)
		emit_figure(ctx, block_point_metric(ask, "latency.deviation"), "ns", points, histogram_deviation_milli(latency), &facts);
}

static bool has_side(const struct profile *profile, enum block_side side)
{
	return side == BLOCK_SIDE_READ || profile->rw == BLOCK_RANDRW;
}

static void run_profile(struct ctx *ctx, struct device *device, const struct profile *profile)
{
	struct point points[] = {
		point_text("role", device->role), point_size("size", profile->size_bytes), point_number("iodepth", profile->iodepth),
		POINT_LIST_END, POINT_LIST_END,
	};
	struct block_ask ask = study_ask(ctx, profile->rw, BLOCK, profile->iodepth, 1, profile->size_bytes);
	char rows[BLOCK_SIDES][40];
	struct block_cell cells[BLOCK_SIDES * CELLS + 1] = { { .quantity = NULL } };
	const struct block_result *result;

	for (enum block_side side = BLOCK_SIDE_READ; side < BLOCK_SIDES && has_side(profile, side); side++) {
		row_of(profile, side, rows[side], sizeof rows[side]);
		side_cells(profile, side, rows[side], cells + side * CELLS);
	}
	ask.job.limit_ios = profile->size_bytes / BLOCK;
	ask.prefix = profile->rw == BLOCK_RANDREAD ? "study.laptop-fio.randread" : "study.laptop-fio.randrw";
	ask.points = points;
	ask.cells = cells;
	if (profile->size_bytes > device->size_bytes) {
		emit_skip(ctx, block_point_metric(&ask, "bandwidth"), points, "the device is smaller: %llu B", (unsigned long long)device->size_bytes);
		return;
	}
	if (block_point_run(ctx, device, &ask, &result) != POINT_MEASURED)
		return;
	readings_add(&all, &ask.job, result);
	for (enum block_side side = BLOCK_SIDE_READ; side < BLOCK_SIDES && has_side(profile, side); side++) {
		if (profile->rw == BLOCK_RANDRW)
			points[3] = point_text("side", side == BLOCK_SIDE_WRITE ? "write" : "read");
		if (result->flows[side].ios)
			tell_more(ctx, &ask, points, &result->flows[side].lat, rows[side], &profile->theirs[side]);
	}
}

/* ---- the file of one block ---- */

enum { SINGLE_MS = 20, THEIR_SINGLE_NS = 71100 };

static void tell_single(struct ctx *ctx, const struct point *points, const struct histogram *latency)
{
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	latency_facts(latency, &facts);
	fact_cell(&facts, TABLE, "4k, one read", "mean us", THEIR_SINGLE_NS * 1000ll);
	emit_figure(ctx, "study.laptop-fio.single.latency", "ns", points, milli_whole(latency->max), &facts);
	emit_skip(ctx, "study.laptop-fio.single.iops", points, "one I/O is not a rate (theirs: 1000 IOPS, of one read of 71.1 us)");
}

/* fio drew a read out of randrw, and so it stays. */
static void run_single(struct ctx *ctx, struct device *device)
{
	static struct block_result result;
	const struct point points[] = { point_text("role", device->role), point_size("size", BLOCK), POINT_LIST_END };
	struct block_job job = {
		.rw = BLOCK_READ, .engine = BLOCK_PSYNC, .iodepth = 1, .numjobs = 1, .bs_bytes = BLOCK, .size_bytes = BLOCK, .limit_ios = 1,
	};
	int err;

	if (BLOCK % device->logical_block_bytes || device->size_bytes < BLOCK) {
		emit_skip(ctx, "study.laptop-fio.single.latency", points, "the device has no block of 4k");
		return;
	}
	if (planned(ctx, MS(SINGLE_MS), 0) || !device_ready(ctx, device))
		return;
	job.fd = device->fd;
	err = block_run(&job, &result);
	block_say(ctx, "study.laptop-fio.single.latency", points, device->node, "reads", &result, err);
	if (result.device_gone)
		device_lost(device);
	if (!err && result.flows[BLOCK_SIDE_READ].lat.count)
		tell_single(ctx, points, &result.flows[BLOCK_SIDE_READ].lat);
}

static void tell_claims(struct ctx *ctx)
{
	struct finding finding = claim_deeper_is_quicker(&all);

	curve_claim(ctx, "laptop-fio.a", "deeper queue, higher throughput", &finding);
	finding = claim_small_files_are_slow(&all);
	curve_claim(ctx, "laptop-fio.b", "small files are slow", &finding);
	finding = claim_far_below_enterprise(&all);
	curve_claim(ctx, "laptop-fio.c", "far below an enterprise drive's 400k IOPS", &finding);
}

static void run(struct ctx *ctx)
{
	struct device device;

	if (!ctx_scratch(ctx)) {
		emit_skip(ctx, NULL, NULL, "no device was given: name one, or by --scratch one that may be written");
		return;
	}
	if (!device_scratch(ctx, &device))
		return;
	drive_before(ctx, &device);
	for (unsigned i = 0; i < COUNT_OF(profiles); i++)
		run_profile(ctx, &device, &profiles[i]);
	run_single(ctx, &device);
	drive_after(ctx, &device);
	tell_claims(ctx);
	device_done(ctx, &device);
}

const struct step study_laptop_fio = {
	.name = "study.laptop-fio", .summary = "a laptop's fio profiles: random 4k, and the depth that was really held",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
