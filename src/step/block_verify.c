/*
 * block.verify: writes, reads back, and tells wrong data by what went wrong.
 *
 * full     all that was asked for is written before anything is read, so that a device that wraps or lies about its size
 *          cannot hide it
 * sample   the same with a share of places spread over all of it
 * surface  reads only, and compares nothing: which blocks cannot be read
 * only     reads, and compares with what a run of that nonce wrote
 * All touch the last sectors that can be addressed.  The nonce is the run's own, from the kernel's entropy: no seed can
 * repeat it, and the data of an earlier run never passes.
 * FAIL   wrong data (kind and first address), a failed write, a failed read: counted apart, said before all that follows
 * SKIP   no scratch was given; it is smaller than one of its blocks
 * ERROR  nothing could be verified; writes or reads that the system refused (no space, no memory, not permitted)
 */
#include <inttypes.h>
#include <string.h>

#include "step/verify.h"
#include "sys/call.h"
#include "sys/map.h"

enum { VERIFY, SIZE, SHARE, NONCE, IOENGINE };
enum { SAMPLE_SHARE = 10, DAMAGED_BITS = 2 };
#define MAX_NONCE INT64_MAX

static const struct param params[] = {
	[VERIFY]   = { "verify", PARAM_WORD, .def = "full", .words = VERIFY_WORDS,
	               .help = "full; sample: a share; surface: read only; only: compare with what nonce's run wrote" },
	[SIZE]     = { "size", PARAM_SIZE, .def = "256m", .def_medium = "0",
	               .help = "bytes to verify at the most; 0: all of the device" },
	[SHARE]    = { "share", PARAM_PERCENT, .def = "0", .max = 100,
	               .help = "per cent that sample spreads over the device, 0: 10; with only: those of that sample, 0: all" },
	[NONCE]    = { "nonce", PARAM_COUNT, .def = "0", .max = MAX_NONCE,
	               .help = "with only: of the run that wrote, from its record" },
	[IOENGINE] = { "ioengine", PARAM_WORD, .def = "auto", .words = BLOCK_ENGINE_WORDS,
	               .help = "auto: the first of them that works" },
	PARAM_END
};

static int choose_nonce(struct check *check)
{
	uint64_t nonce = param_number(check->ctx, NONCE);
	int err = nonce ? 0 : sys_entropy(&nonce, sizeof nonce);

	check->pattern.nonce = nonce & MAX_NONCE;
	return err;
}

static int write_and_say(struct check *check)
{
	int err = verify_write(check);

	verify_say_errors(check, "writes", &check->write, err);
	verify_say_sync(check);
	return err;
}

static int read_and_say(struct check *check)
{
	int err = check->write.device_gone ? 0 : verify_read(check);

	verify_say_findings(check);
	verify_say_errors(check, "reads", &check->read, err);
	/* Last of all, for the device may not answer again. */
	verify_say_bad_blocks(check);
	return err;
}

static void write_and_read(struct check *check)
{
	if ((verify_writes(check) && write_and_say(check)) || read_and_say(check))
		return;
	if (!check->scratch->direct)
		emit_warn(check->ctx, "block.verify.bytes", check->point, "%s: no direct I/O: what the page cache would not drop "
		          "was read from memory", check->scratch->node);
	if (check->tally.blocks || (check->mode == VERIFY_SURFACE && check->read.bytes))
		verify_emit_figures(check);
	else
		emit_error(check->ctx, VERIFY_METRIC, check->point, "%s: not one block was verified", check->scratch->node);
}

/* ---- what is verified ---- */

/* Zeros, but for what a failing drive may have made of them, or assay's own; or it cannot be read, which is for later to tell. */
static bool holds_nothing(int fd, uint64_t at_bytes, size_t bytes)
{
	const char *words;
	void *map;
	unsigned bits = 0;
	bool is_ours;

	if (map_memory(2 * SCRATCH_BLOCK_BYTES, MAP_PAGE_SMALL, &map))
		return false;
	words = map;
	is_ours = sys_pread(fd, map, bytes, at_bytes) != (ssize_t)bytes || !memcmp(map, SCRATCH_MAGIC, SCRATCH_MAGIC_BYTES);
	for (size_t i = 0; i < bytes; i++)
		bits += (unsigned)__builtin_popcount((unsigned char)words[i]);
	unmap_memory(map, 2 * SCRATCH_BLOCK_BYTES);
	return is_ours || bits <= DAMAGED_BITS;
}

/* The check of a scratch looks at whole blocks of 4 KiB: what lies behind them is looked at here, before it is written to, and
 * is not compared where writing spared it. */
static void spare_odd_end(struct check *check)
{
	uint64_t whole_bytes = check->device_bytes / SCRATCH_BLOCK_BYTES * SCRATCH_BLOCK_BYTES;

	bool writes = verify_writes(check);

	if (check->mode == VERIFY_SURFACE || check->scratch->foreign || check->device_bytes == whole_bytes ||
	    holds_nothing(check->scratch->fd, whole_bytes, check->device_bytes - whole_bytes))
		return;
	/* Whether it was so already when it was to be written, nobody knows. */
	(writes ? emit_warn : emit_error)(check->ctx, "block.verify.bytes", check->point, "%s: its odd end holds data that assay did not write, "
	                                  "at byte %" PRIu64 ": it is left alone", check->scratch->node, whole_bytes);
	check->device_bytes = whole_bytes;
}

static uint64_t whole_sectors(const struct scratch *scratch)
{
	uint64_t size_bytes = scratch->device_bytes > scratch->size_bytes ? scratch->device_bytes : scratch->size_bytes;
	uint32_t sector_bytes = scratch->logical_block_bytes;

	if (sector_bytes < PATTERN_SECTOR_BYTES)
		sector_bytes = PATTERN_SECTOR_BYTES;
	return size_bytes / sector_bytes * sector_bytes;
}

/* What the parameters ask for, as far as the device and the board's cap on wear allow. */
static uint64_t bytes_to_cover(const struct check *check)
{
	uint64_t bytes = check->device_bytes, size_bytes = param_number(check->ctx, SIZE), share = param_number(check->ctx, SHARE);

	if (check->mode == VERIFY_SAMPLE && !share)
		share = SAMPLE_SHARE;
	if (share && (check->mode == VERIFY_SAMPLE || check->mode == VERIFY_ONLY))
		bytes = bytes / 100 * share;
	if (bytes < check->granule_bytes)
		bytes = check->granule_bytes < check->device_bytes ? check->granule_bytes : check->device_bytes;
	if (size_bytes && bytes > size_bytes)
		bytes = size_bytes;
	if (verify_writes(check) && bytes > ctx_write_left(check->ctx))
		bytes = ctx_write_left(check->ctx);
	return bytes < check->granule_bytes && bytes < check->device_bytes ? 0 : bytes;
}

static bool is_spread(const struct check *check)
{
	return check->mode == VERIFY_SAMPLE || (check->mode == VERIFY_ONLY && param_number(check->ctx, SHARE));
}

static void prepare(struct check *check, struct ctx *ctx, const struct scratch *scratch)
{
	memset(check, 0, sizeof *check);
	check->ctx = ctx;
	check->scratch = scratch;
	check->mode = (enum verify_mode)param_number(ctx, VERIFY);
	check->engine = (enum block_engine_choice)param_number(ctx, IOENGINE);
	if (check->engine == BLOCK_AUTO)
		check->engine = BLOCK_FIRST;
	check->granule_bytes = SCRATCH_BLOCK_BYTES;
	if (scratch->logical_block_bytes > SCRATCH_BLOCK_BYTES)
		check->granule_bytes = scratch->logical_block_bytes;
	check->device_bytes = whole_sectors(scratch);
	check->pattern.pass = 1;
	check->point[0] = point_text("role", scratch->role);
}

/* Is there something to do, and may it be done? */
static bool is_possible(const struct check *check)
{
	const char *node = check->scratch->node;

	if (verify_writes(check) && check->scratch->read_only)
		emit_error(check->ctx, NULL, NULL, "%s: nothing may be written to it: verify=surface reads it, only compares it", node);
	else if (check->mode == VERIFY_ONLY && !param_number(check->ctx, NONCE))
		emit_error(check->ctx, NULL, NULL, "%s: verify=only needs nonce=N, that of the run that wrote: its figures tell it", node);
	else if (verify_writes(check) && param_number(check->ctx, NONCE))
		emit_error(check->ctx, NULL, NULL, "%s: nonce goes with verify=only: what is written takes a new one, or an earlier run's data could pass", node);
	else if (!check->device_bytes)
		emit_skip(check->ctx, NULL, NULL, "%s: %" PRIu64 " bytes, which is smaller than one of its blocks", node,
		          check->scratch->device_bytes);
	else if (!bytes_to_cover(check))
		emit_skip(check->ctx, NULL, NULL, "%s: not one block may be verified: size, or the board's cap on wear, leaves none", node);
	else
		return true;
	return false;
}

/* The places depend on how much it was, which a cap on wear may have lessened. */
static void say_how_again(const struct check *check, uint64_t bytes)
{
	emit_log(check->ctx, "%s: verified with nonce %" PRIu64 "; later by verify=only size=%" PRIu64 "%s", check->scratch->node,
	         check->pattern.nonce, bytes, is_spread(check) ? " share=100" : "");
}

static void verify(struct check *check)
{
	uint64_t bytes = bytes_to_cover(check);
	unsigned passes = verify_writes(check) ? 2 : 1;
	int err;

	if (planned(check->ctx, passes * VERIFY_PLANNED_NS(bytes), verify_writes(check) ? bytes : 0))
		return;
	spare_odd_end(check);
	err = choose_nonce(check);
	if (err) {
		emit_error(check->ctx, NULL, NULL, "no entropy for a nonce: %s", sys_error(err));
		return;
	}
	if (check->mode != VERIFY_SURFACE)
		say_how_again(check, bytes);
	spans_plan(&check->spans, check->device_bytes, bytes, check->granule_bytes, is_spread(check),
	           check->pattern.nonce);
	write_and_read(check);
}

static void run(struct ctx *ctx)
{
	static struct check check;
	const struct scratch *scratch = ctx_scratch(ctx);

	if (!scratch) {
		emit_skip(ctx, NULL, NULL, "no --scratch given: there is nothing that may be written");
		return;
	}
	if (ctx_put_aside(ctx, scratch->name)) {
		emit_skip(ctx, NULL, NULL, "%s: put aside, an earlier step got stuck on it", scratch->name);
		return;
	}
	prepare(&check, ctx, scratch);
	emit_device(ctx, scratch->name);
	if (is_possible(&check))
		verify(&check);
	emit_device(ctx, "");
}

const struct step step_block_verify = {
	.name = "block.verify", .summary = "writes the scratch, reads it back, tells wrong data by kind",
	.needs = NEEDS_STORAGE | NEEDS_SCRATCH, .params = params, .run = run,
};
