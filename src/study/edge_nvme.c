/*
 * edge_nvme.c: study.edge-nvme: the AGX Orin's NVMe drive, point by point, as its study read it with fio, and what its curve means.
 *
 * Block sizes at depth 1, depths at three block sizes, and eight jobs of depth 32; the same bandwidths by bytes in flight.
 * Writes only where the device may be written; each writes at most --size.  A point ends once it is within --precision.
 */
#include <string.h>

#include "lib/number.h"
#include "step/drive.h"
#include "study/curve.h"
#include "study/params.h"

enum { SIZE = STUDY_OWN, BS, IODEPTH };

static const struct param params[] = {
	STUDY_PARAMS("3s", "the most time for a point", "2", "100ms", "auto", "4g"),
	[SIZE] = { "size", PARAM_SIZE, .def = "16g", .min = MIB, .help = "the part of the device that is used, and the most that a point writes" },
	[BS] = { "bs", PARAM_SIZES, .def = "2k:4g:*2", .min = 512, .max = BLOCK_MAX_BYTES, .help = "block sizes, read one at a time" },
	[IODEPTH] = { "iodepth", PARAM_COUNTS, .def = "1:32:*2", .min = 1, .max = BLOCK_MAX_DEPTH, .help = "depths, at 4k, 64k and 1m" },
	PARAM_END
};

#define TABLE_SIZES "bandwidth by block size, MB/s (theirs: AGX Orin, fio libaio)"
#define TABLE_DEPTHS "bandwidth by depth, MB/s (depth 1: see above)"
#define TABLE_JOBS "jobs 8, depth 32 (theirs: AGX Orin, fio, latency as clat)"
#define TABLE_INFLIGHT "bandwidth by bytes in flight, MB/s"

/* Read off its plot, to 15 MB/s: from 2 KiB on, each size twice the one before. */
static const uint16_t theirs_mb_per_s[] = {
	90, 175, 295, 520, 725, 1010, 1160, 1380, 1430, 2105, 2700, 2960, 3240, 3405, 3505, 3530, 3725, 3755, 3770, 3775, 3810, 3820,
};
#define FIRST_SIZE (2 * KIB)

static const uint64_t depth_sizes[] = { 4 * KIB, 64 * KIB, MIB };

enum { JOBS = 8, JOBS_DEPTH = 32 };

static const struct together {
	enum block_rw rw;
	uint64_t bs_bytes;
	const char *row;
	unsigned mib_per_s, mean_us, p95_us, p99_us, p99_99_us;
} together[] = {
	{ BLOCK_READ, MIB, "1m seq read", 3683, 17220, 17957, 18482, 25297 },
	{ BLOCK_RANDREAD, 64 * KIB, "64k rand read", 3684, 2140, 2933, 3687, 5932 },
	{ BLOCK_RANDREAD, 8 * KIB, "8k rand read", 1672, 1185, 1647, 2073, 3392 },
	{ BLOCK_WRITE, MIB, "1m seq write", 1930, 32961, 37000, 55000, 112000 },
	{ BLOCK_RANDWRITE, 64 * KIB, "64k rand write", 1937, 4043, 4752, 6063, 25297 },
	{ BLOCK_RANDWRITE, 8 * KIB, "8k rand write", 512, 3786, 5866, 7177, 20055 },
};

static struct readings reads;

static int64_t theirs_milli(uint64_t bs_bytes)
{
	for (unsigned i = 0; i < COUNT_OF(theirs_mb_per_s); i++)
		if (bs_bytes == FIRST_SIZE << i)
			return theirs_mb_per_s[i] * 1000000000ll;
	return VALUE_NONE;
}

static const struct block_result *take(struct ctx *ctx, struct device *device, struct block_ask *ask, const struct block_cell *cells)
{
	const struct block_result *result;

	ask->cells = cells;
	if (block_point_run(ctx, device, ask, &result) != POINT_MEASURED)
		return NULL;
	if (!block_writes(ask->job.rw))
		readings_add(&reads, &ask->job, result);
	return result;
}

static void read_size(struct ctx *ctx, struct device *device, uint64_t bs_bytes)
{
	struct block_ask ask = study_ask(ctx, BLOCK_READ, bs_bytes, 1, 1, param_number(ctx, SIZE));
	char row[24];
	const struct block_cell cells[] = {
		{ "bandwidth", BLOCK_SIDE_READ, TABLE_SIZES, number_size_word(bs_bytes, row), "depth 1", theirs_milli(bs_bytes) }, { .quantity = NULL },
	};

	take(ctx, device, &ask, cells);
}

static bool is_listed(const struct ctx *ctx, uint64_t bs_bytes)
{
	for_each_param(ctx, BS, listed)
		if (listed == bs_bytes)
			return true;
	return false;
}

static void read_depth(struct ctx *ctx, struct device *device, uint64_t bs_bytes, unsigned iodepth)
{
	struct block_ask ask = study_ask(ctx, BLOCK_READ, bs_bytes, iodepth, 1, param_number(ctx, SIZE));
	char row[24], column[24];
	const struct block_cell cells[] = {
		{ "bandwidth", BLOCK_SIDE_READ, TABLE_DEPTHS, number_size_word(bs_bytes, row), column, VALUE_NONE }, { .quantity = NULL },
	};

	if (iodepth == 1 && is_listed(ctx, bs_bytes))
		return;
	text_format(column, sizeof column, "depth %u", iodepth);
	take(ctx, device, &ask, cells);
}

/* Beyond the quantiles that every point has. */
static void tell_tail(struct ctx *ctx, const struct device *device, const struct together *of, const struct block_result *result)
{
	static const struct param words = { .words = BLOCK_RW_WORDS };
	static struct facts facts;
	char rw[16];
	const struct point points[] = {
		point_text("role", device->role), point_text("rw", (param_word(&words, of->rw, rw, sizeof rw), rw)),
		point_size("bs", of->bs_bytes), point_number("iodepth", JOBS_DEPTH), point_number("numjobs", JOBS), POINT_LIST_END,
	};
	const struct histogram *latency = &result->flows[block_writes(of->rw) ? BLOCK_SIDE_WRITE : BLOCK_SIDE_READ].lat;
	int64_t value_milli = histogram_quantile_milli(latency, 999900);

	facts = (struct facts){ .count = 0 };
	latency_facts(latency, &facts);
	fact_text(&facts, "engine", result->engine);
	fact_cell(&facts, TABLE_JOBS, of->row, "p99.99 us", of->p99_99_us * 1000000ll);
	if (value_milli != VALUE_NONE)
		emit_figure(ctx, "study.edge-nvme.latency.p99.99", "ns", points, value_milli, &facts);
}

static void run_together(struct ctx *ctx, struct device *device, const struct together *of)
{
	struct block_ask ask = study_ask(ctx, of->rw, of->bs_bytes, JOBS_DEPTH, JOBS, param_number(ctx, SIZE));
	const struct block_cell cells[] = {
		{ "bandwidth", 0, TABLE_JOBS, of->row, "MiB/s", (int64_t)(of->mib_per_s * MIB * 1000) },
		{ "latency.mean", 0, TABLE_JOBS, of->row, "mean us", of->mean_us * 1000000ll },
		{ "latency.p95", 0, TABLE_JOBS, of->row, "p95 us", of->p95_us * 1000000ll },
		{ "latency.p99", 0, TABLE_JOBS, of->row, "p99 us", of->p99_us * 1000000ll },
		{ .quantity = NULL },
	};
	const struct block_result *result;

	if (block_writes(of->rw))
		ask.job.limit_ios = param_number(ctx, SIZE) / of->bs_bytes;
	result = take(ctx, device, &ask, cells);
	if (result)
		tell_tail(ctx, device, of, result);
}

/* ---- the same bandwidths by bytes in flight ---- */

static void tell_inflight(struct ctx *ctx, const struct device *device, const struct reading *reading)
{
	static struct facts facts;
	const struct point points[] = {
		point_text("role", device->role), point_size("inflight", reading_inflight_bytes(reading)), point_size("bs", reading->bs_bytes),
		point_number("iodepth", reading->iodepth), point_number("numjobs", reading->numjobs), POINT_LIST_END,
	};
	char row[24], column[40], bs[24];

	text_format(column, sizeof column, "%s blocks", number_size_word(reading->bs_bytes, bs));
	facts = (struct facts){ .count = 0 };
	fact_number(&facts, "n", reading->n);
	fact_milli(&facts, "low95", reading->low_milli);
	fact_milli(&facts, "high95", reading->high_milli);
	fact_milli(&facts, "inflight", reading->inflight_milli);
	fact_cell(&facts, TABLE_INFLIGHT, number_size_word(reading_inflight_bytes(reading), row),
	          reading->iodepth * reading->numjobs == 1 ? "one block" : column, VALUE_NONE);
	emit_figure(ctx, "study.edge-nvme.bandwidth", "B/s", points, reading->bandwidth_milli, &facts);
}

/* From the fewest bytes in flight to the most. */
static void tell_all_inflight(struct ctx *ctx, const struct device *device)
{
	uint64_t at_bytes = 0;

	for (;;) {
		uint64_t next_bytes = UINT64_MAX;

		for (unsigned i = 0; i < reads.count; i++) {
			uint64_t bytes = reading_inflight_bytes(&reads.at[i]);

			if (bytes == at_bytes)
				tell_inflight(ctx, device, &reads.at[i]);
			else if (bytes > at_bytes && bytes < next_bytes)
				next_bytes = bytes;
		}
		if (next_bytes == UINT64_MAX)
			return;
		at_bytes = next_bytes;
	}
}

static void tell_claims(struct ctx *ctx, const struct own_limit *own)
{
	static const struct finding elsewhere = { CLAIM_CANNOT_TELL, "`assay study load` measures it" };
	struct finding finding = claim_larger_blocks(&reads);

	curve_claim(ctx, "edge-nvme.a", "larger blocks use the bus better", &finding);
	finding = claim_half_gigabyte(&reads);
	curve_claim(ctx, "edge-nvme.b", "a minimum block of 0.5 GB is necessary", &finding);
	finding = claim_64k_is_slow(&reads);
	curve_claim(ctx, "edge-nvme.c", "64 KB gives 0.09 GB/s", &finding);
	finding = claim_bus_maximum(&reads, own);
	curve_claim(ctx, "edge-nvme.d", "about 4 GB/s is the maximum of the bus", &finding);
	curve_claim(ctx, "edge-nvme.e", "busier bus, quicker model load and offload", &elsewhere);
}

static void run(struct ctx *ctx)
{
	struct device device;
	struct own_limit own;

	if (!device_role(ctx, "nvme", &device))
		return;
	drive_before(ctx, &device);
	for_each_param(ctx, BS, bs_bytes)
		read_size(ctx, &device, bs_bytes);
	for (unsigned i = 0; i < COUNT_OF(depth_sizes); i++)
		for_each_param(ctx, IODEPTH, iodepth)
			read_depth(ctx, &device, depth_sizes[i], (unsigned)iodepth);
	for (unsigned i = 0; i < COUNT_OF(together); i++)
		run_together(ctx, &device, &together[i]);
	drive_after(ctx, &device);
	own = curve_own_limit(&device);
	curve_tell(ctx, "edge-nvme", &device, &reads, &own);
	tell_all_inflight(ctx, &device);
	tell_claims(ctx, &own);
	device_done(ctx, &device);
}

const struct step study_edge_nvme = {
	.name = "study.edge-nvme", .summary = "the AGX Orin's NVMe study: block sizes, depths, jobs, and what limits them",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
