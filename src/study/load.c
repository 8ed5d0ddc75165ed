/*
 * load.c: study.load: the time to load some GB from each storage device into memory, and to write them back to a scratch, cold, against
 * block size and depth; and whether a setting of more bandwidth loads quicker (edge-nvme's hypothesis).
 *
 * Cold: direct I/O, --startdelay idle before each.  The bandwidth of a setting is measured by itself, in a short run of its own, so
 * that it says something of the load.  Buffers are used again and again: what new pages of memory would cost is not in it.
 */
#include <string.h>

#include "lib/number.h"
#include "step/drive.h"
#include "study/curve.h"
#include "study/params.h"

enum { SIZE = STUDY_OWN, BS, IODEPTH };

static const struct param params[] = {
	STUDY_PARAMS("30s", "the most time for a transfer; one that takes longer has no figure", "2", "100ms", "auto", "2g"),
	[SIZE] = { "size", PARAM_SIZES, .def = "1g", .min = MIB, .help = "how much is loaded" },
	[BS] = { "bs", PARAM_SIZES, .def = "64k,1m,4m,64m", .min = 512, .max = BLOCK_MAX_BYTES, .help = "block sizes" },
	[IODEPTH] = { "iodepth", PARAM_COUNTS, .def = "1,4,32", .min = 1, .max = BLOCK_MAX_DEPTH, .help = "blocks kept in flight" },
	PARAM_END
};

#define TABLE_LOAD "time to load, ms"
#define TABLE_STORE "time to write back, ms"

enum { SETTING_MS = 1000, MAX_SETTINGS = 256 };

/* What the claim is judged by: the loads of one size from one device. */
static struct { unsigned count; int64_t bandwidths[MAX_SETTINGS], times[MAX_SETTINGS]; } loads;

static void shape_row(const struct device *device, uint64_t size_bytes, uint64_t bs_bytes, char *row, unsigned size)
{
	struct text text = text_in(row, size);

	text_add_format(&text, "%s ", device->role);
	number_add_size(&text, size_bytes);
	text_add(&text, ", blocks of ");
	number_add_size(&text, bs_bytes);
}

static void tell_time(struct ctx *ctx, const struct device *device, const struct block_ask *ask, uint64_t size_bytes,
                      const struct block_result *result)
{
	static struct facts facts;
	char row[64], column[24];

	shape_row(device, size_bytes, ask->job.bs_bytes, row, sizeof row);
	text_format(column, sizeof column, "depth %u", ask->job.iodepth);
	facts = (struct facts){ .count = 0 };
	fact_number(&facts, "bytes", (int64_t)result->bytes);
	fact_number(&facts, "ios", (int64_t)result->ios);
	fact_milli(&facts, "inflight", result->inflight_milli);
	fact_text(&facts, "engine", result->engine);
	fact_text(&facts, "direct", device->direct ? "yes" : "no");
	fact_cell(&facts, block_writes(ask->job.rw) ? TABLE_STORE : TABLE_LOAD, row, column, VALUE_NONE);
	emit_figure(ctx, "study.load.time", "ns", ask->points, milli_whole(result->time_ns), &facts);
}

/* One transfer; its time, or 0. */
static uint64_t transfer(struct ctx *ctx, struct device *device, enum block_rw rw, uint64_t size_bytes, uint64_t bs_bytes, unsigned iodepth)
{
	const struct point points[] = {
		point_text("role", device->role), point_text("dir", rw == BLOCK_READ ? "load" : "store"), point_size("size", size_bytes),
		point_size("bs", bs_bytes), point_number("iodepth", iodepth), POINT_LIST_END,
	};
	struct block_ask ask = study_ask(ctx, rw, bs_bytes, iodepth, 1, size_bytes);
	const struct block_result *result;

	ask.job.limit_ios = size_bytes / bs_bytes;
	ask.job.precision_ppm = 0;
	ask.job.ramp_ns = 0;
	/* A trial would read what is to be cold, and its writes are part of the limit. */
	if (ask.job.engine == BLOCK_AUTO)
		ask.job.engine = BLOCK_FIRST;
	ask.prefix = "study.load";
	ask.points = points;
	if (size_bytes > device->size_bytes || size_bytes < bs_bytes) {
		emit_skip(ctx, "study.load.time", points, size_bytes < bs_bytes ? "less than a block" : "the device is smaller");
		return 0;
	}
	if (block_point_run(ctx, device, &ask, &result) != POINT_MEASURED)
		return 0;
	if (result->ios < ask.job.limit_ios) {
		emit_skip(ctx, "study.load.time", points, "not over within --runtime: %llu of %llu blocks", (unsigned long long)result->ios,
		          (unsigned long long)ask.job.limit_ios);
		return 0;
	}
	tell_time(ctx, device, &ask, size_bytes, result);
	return result->time_ns;
}

/* What the setting brings by itself: VALUE_NONE when it could not be measured. */
static int64_t setting_bandwidth(struct ctx *ctx, struct device *device, uint64_t bs_bytes, unsigned iodepth)
{
	struct block_ask ask = study_ask(ctx, BLOCK_READ, bs_bytes, iodepth, 1, 0);
	const struct block_result *result;

	if (ask.job.runtime_ns > MS(SETTING_MS))
		ask.job.runtime_ns = MS(SETTING_MS);
	return block_point_run(ctx, device, &ask, &result) == POINT_MEASURED ? result->bandwidth_milli : VALUE_NONE;
}

static void run_setting(struct ctx *ctx, struct device *device, uint64_t bs_bytes, unsigned iodepth)
{
	int64_t bandwidth_milli = setting_bandwidth(ctx, device, bs_bytes, iodepth);

	for_each_param(ctx, SIZE, size_bytes) {
		uint64_t time_ns = transfer(ctx, device, BLOCK_READ, size_bytes, bs_bytes, iodepth);

		/* Of several sizes the first one: times of others are another scale. */
		if (size_bytes == param_number(ctx, SIZE) && time_ns && bandwidth_milli != VALUE_NONE && loads.count < MAX_SETTINGS) {
			loads.bandwidths[loads.count] = bandwidth_milli;
			loads.times[loads.count++] = (int64_t)time_ns;
		}
		if (device->writable)
			transfer(ctx, device, BLOCK_WRITE, size_bytes, bs_bytes, iodepth);
	}
}

static void tell_claim(struct ctx *ctx, const struct device *device)
{
	struct finding finding = claim_busier_is_quicker(loads.bandwidths, loads.times, loads.count);
	char words[96];

	text_format(words, sizeof words, "busier bus, quicker model load and offload (%s)", device->role);
	curve_claim(ctx, "edge-nvme.e", words, &finding);
}

static void run(struct ctx *ctx)
{
	struct device device;

	for_each_storage(ctx, &device) {
		const struct point store[] = { point_text("role", device.role), point_text("dir", "store"), POINT_LIST_END };

		loads.count = 0;
		drive_before(ctx, &device);
		if (!device.writable)
			emit_skip(ctx, "study.load.time", store, "%s is only read: writing back needs a scratch", device.name);
		for_each_param(ctx, BS, bs_bytes)
			for_each_param(ctx, IODEPTH, iodepth)
				run_setting(ctx, &device, bs_bytes, (unsigned)iodepth);
		drive_after(ctx, &device);
		tell_claim(ctx, &device);
	}
}

const struct step study_load = {
	.name = "study.load", .summary = "time to load and to write back, against block size and depth",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
