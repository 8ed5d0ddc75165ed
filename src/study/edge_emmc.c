/*
 * edge_emmc.c: study.edge-emmc: the AGX Orin's eMMC, block size x transfer size, as its study read it with dd.
 *
 * Each cell reads a transfer from the device's beginning on, one block at a time, whole as dd does it unless --precision ends
 * it; --runtime is its upper bound (the evidence tells the bytes moved).  dd's 64000 KB are 64000 KiB.  A row of larger blocks, without
 * figures of theirs, is there to judge the claim that they add nothing.
 */
#include "step/drive.h"
#include "study/curve.h"
#include "study/params.h"

enum { BS = STUDY_OWN, SIZE };

static const struct param params[] = {
	STUDY_PARAMS("10s", "the most time for a cell", "0", "0", "psync", "1g"),
	[BS] = { "bs", PARAM_SIZES, .def = "1k,16k,256k,4m,64000k,256m", .min = 512, .max = BLOCK_MAX_BYTES, .help = "block sizes" },
	[SIZE] = { "size", PARAM_SIZES, .def = "64m:2g:*2", .min = MIB, .help = "transfer sizes" },
	PARAM_END
};

#define TABLE "block size in KB x transfer size, MB/s (theirs: AGX Orin, dd)"

static const uint64_t their_sizes[] = { 64 * MIB, 128 * MIB, 256 * MIB, 512 * MIB, GIB, 2 * GIB };

/* Hundredths of a MB/s. */
static const struct { uint64_t bs_bytes; uint16_t at[COUNT_OF(their_sizes)]; } theirs[] = {
	{ KIB, { 350, 380, 405, 410, 400, 410 } },
	{ 16 * KIB, { 4960, 5550, 5490, 5538, 5560, 5480 } },
	{ 256 * KIB, { 21425, 22800, 22175, 21925, 22000, 22150 } },
	{ 4096 * KIB, { 25600, 27350, 27375, 27524, 26675, 27760 } },
	{ 64000 * KIB, { 27260, 27760, 27850, 28250, 26825, 29000 } },
};

static struct readings reads;

static int64_t theirs_milli(uint64_t bs_bytes, uint64_t size_bytes)
{
	for (unsigned row = 0; row < COUNT_OF(theirs); row++)
		for (unsigned column = 0; column < COUNT_OF(their_sizes); column++)
			if (theirs[row].bs_bytes == bs_bytes && their_sizes[column] == size_bytes)
				return theirs[row].at[column] * 10000000ll;
	return VALUE_NONE;
}

/* dd's count: as near to the transfer size as whole blocks come; 0: not even half a block. */
static uint64_t blocks_of(uint64_t bs_bytes, uint64_t size_bytes)
{
	return (size_bytes + bs_bytes / 2) / bs_bytes;
}

static void keep(struct ctx *ctx, const struct block_job *job, uint64_t size_bytes, const struct block_result *result)
{
	const struct reading *reading = readings_add(&reads, job, result);

	if (reading && !reading->whole)
		emit_log(ctx, "bs %llu, size %llu: ended after %llu B, by --runtime or --precision", (unsigned long long)job->bs_bytes,
		         (unsigned long long)size_bytes, (unsigned long long)result->bytes);
}

static void skip_cell(struct ctx *ctx, const struct block_ask *ask, const char *why)
{
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	fact_cell(&facts, ask->cells->table, ask->cells->row, ask->cells->column, ask->cells->reference_milli);
	emit_skip_cell(ctx, block_point_metric(ask, ask->cells->quantity), "B/s", ask->points, &facts, "%s", why);
}

static void run_cell(struct ctx *ctx, struct device *device, uint64_t bs_bytes, uint64_t size_bytes)
{
	const struct point points[] = {
		point_text("role", device->role), point_size("bs", bs_bytes), point_size("size", size_bytes), POINT_LIST_END,
	};
	struct block_ask ask = study_ask(ctx, BLOCK_READ, bs_bytes, 1, 1, 0);
	char row[24];
	const struct block_cell cells[] = {
		{ "bandwidth", BLOCK_SIDE_READ, TABLE, row, points[2].value, theirs_milli(bs_bytes, size_bytes) }, { .quantity = NULL },
	};
	const struct block_result *result;

	text_format(row, sizeof row, "%llu", (unsigned long long)bs_bytes / KIB);
	ask.job.limit_ios = blocks_of(bs_bytes, size_bytes);
	ask.prefix = "study.edge-emmc.read";
	ask.points = points;
	ask.cells = cells;
	if (!ask.job.limit_ios)
		skip_cell(ctx, &ask, "the transfer is smaller than a block");
	else if (ask.job.limit_ios * bs_bytes > device->size_bytes)
		skip_cell(ctx, &ask, "the device is smaller than the transfer");
	else if (block_point_run(ctx, device, &ask, &result) == POINT_MEASURED)
		keep(ctx, &ask.job, size_bytes, result);
}

static void tell_claims(struct ctx *ctx)
{
	struct finding finding = claim_flat_from_4m(&reads);

	curve_claim(ctx, "edge-emmc.a", "flat from 4 MB", &finding);
	finding = claim_nothing_beyond_64m(&reads);
	curve_claim(ctx, "edge-emmc.b", "blocks of more than 64 MB add nothing", &finding);
	finding = claim_transfer_matters_little(&reads);
	curve_claim(ctx, "edge-emmc.c", "the transfer size matters little", &finding);
}

static void run(struct ctx *ctx)
{
	struct device device;
	struct own_limit own;

	if (!device_role(ctx, "emmc", &device))
		return;
	drive_before(ctx, &device);
	for_each_param(ctx, BS, bs_bytes)
		for_each_param(ctx, SIZE, size_bytes)
			run_cell(ctx, &device, bs_bytes, size_bytes);
	drive_after(ctx, &device);
	own = curve_own_limit(&device);
	curve_tell(ctx, "edge-emmc", &device, &reads, &own);
	tell_claims(ctx);
	device_done(ctx, &device);
}

const struct step study_edge_emmc = {
	.name = "study.edge-emmc", .summary = "the AGX Orin's eMMC study: block size x transfer size",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
