/*
 * block.verify: writes the scratch, reads it back, and tells wrong data by what went wrong.
 *
 * All is written before anything is read, so that a device that wraps or lies about its size cannot hide it.
 * The nonce is the run's own, from the kernel's entropy: no seed can repeat it, and the data of an earlier run never passes.
 * FAIL   wrong data (kind and first address), a failed write, a failed read: counted apart, said before all that follows
 * SKIP   no scratch was given
 * ERROR  nothing could be verified; writes or reads that the system refused (no space, no memory, not permitted)
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/syscall.h>

#include "block/engine.h"
#include "block/pattern.h"
#include "lib/text.h"
#include "scratch.h"
#include "scratch_block.h"
#include "step.h"
#include "step/block_say.h"
#include "sys/call.h"

enum { SIZE, IOENGINE };
enum { CHUNK_BYTES = 1 << 20, IODEPTH = 8, PLANNED_BYTES_PER_MS = 50000 };

static const struct param params[] = {
	[SIZE]     = { "size", PARAM_SIZE, .def = "256m", .def_medium = "0",
	               .help = "bytes to write and verify; 0: all of the scratch" },
	[IOENGINE] = { "ioengine", PARAM_WORDS, .def = "auto", .words = BLOCK_ENGINE_WORDS,
	               .help = "auto: the first of them that works" },
	PARAM_END
};

struct check {
	struct ctx *ctx;
	const struct scratch *scratch;
	uint64_t size_bytes;         /* to be written */
	uint64_t written_bytes;      /* the part that was tried, from the start */
	int sync_err;
	bool sync_failed;            /* and that was the device's fault */
	struct pattern pattern;
	struct pattern_tally tally;
	struct block_result write, read;
	struct point point[2];
};

static void fill(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	const struct check *check = context;

	pattern_fill(&check->pattern, offset_bytes, buffer, bytes);
}

static bool has_address(const struct block_errors *errors, uint64_t offset_bytes)
{
	for (unsigned i = 0; i < errors->count; i++)
		if (errors->at_bytes[i] == offset_bytes)
			return true;
	return false;
}

/* What was never written right is a write error, and not reported again as corruption. */
static bool was_written(const struct check *check, uint64_t offset_bytes)
{
	return !has_address(&check->write.errors, offset_bytes) && !has_address(&check->write.refusals, offset_bytes);
}

static void compare(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	struct check *check = context;

	if (was_written(check, offset_bytes))
		pattern_check(&check->pattern, offset_bytes, buffer, bytes, &check->tally);
}

static int pass(struct check *check, enum block_rw rw, uint64_t size_bytes)
{
	const struct block_job job = {
		.fd = check->scratch->fd, .rw = rw, .engine = (enum block_engine_choice)param_number(check->ctx, IOENGINE),
		.iodepth = IODEPTH, .bs_bytes = CHUNK_BYTES, .size_bytes = size_bytes,
		.visit = rw == BLOCK_WRITE ? fill : compare, .context = check,
	};

	return block_run(&job, rw == BLOCK_WRITE ? &check->write : &check->read);
}

static void drop_cache(int fd)
{
	if (fd >= 0)
		sys_call(SYS_fadvise64, (long)fd, 0L, 0L, (long)POSIX_FADV_DONTNEED);
}

/* Behind a loop device the want of space would look like an I/O error: the holes of a scratch file are filled before. */
static int fill_holes(const struct check *check)
{
	int fd = check->scratch->file_fd;
	long err = fd < 0 ? 0 : sys_call(SYS_fallocate, (long)fd, 0L, 0L, (long)check->size_bytes);

	return err == -ENOSPC || err == -EDQUOT ? (int)err : 0;
}

static int write_all(struct check *check)
{
	int err = fill_holes(check);
	uint64_t tried_bytes;

	if (!err)
		err = pass(check, BLOCK_WRITE, check->size_bytes);
	if (err)
		return err;
	tried_bytes = check->write.bytes + (uint64_t)(check->write.errors.count + check->write.refusals.count) * CHUNK_BYTES;
	check->written_bytes = tried_bytes < check->size_bytes ? tried_bytes : check->size_bytes;
	check->sync_err = sys_fsync(check->scratch->fd);
	drop_cache(check->scratch->fd);
	drop_cache(check->scratch->file_fd);
	return 0;
}

static void say_sync_error(struct check *check)
{
	if (!check->sync_err)
		return;
	check->sync_failed = block_is_fault(check->sync_err, true);
	(check->sync_failed ? emit_fail : emit_error)(check->ctx, "block.verify.errors", check->point,
		"%s: fsync after writing: %s", check->scratch->node, sys_error(check->sync_err));
}

/* Which block within the first chunk that could not be read.  Last of all, for the device may not answer again. */
static void say_bad_block(struct check *check)
{
	const struct block_errors *errors = &check->read.errors;
	uint64_t at = errors->at_bytes[0], end = at + CHUNK_BYTES;

	if (!errors->count || check->read.device_gone)
		return;
	while (at < end && at < check->written_bytes && !block_read_once(check->scratch->fd, at, SCRATCH_BLOCK_BYTES))
		at += SCRATCH_BLOCK_BYTES;
	if (at < end && at < check->written_bytes)
		emit_fail(check->ctx, "block.verify.errors", check->point, "%s: nor can the 4 KiB at byte %" PRIu64 " the second time",
		          check->scratch->node, at);
}

static void add_finding(struct text *text, const struct pattern_finding *first)
{
	switch (first->kind) {
	case PATTERN_STALE:
		text_add(text, ": data of an earlier run, the write never arrived");
		break;
	case PATTERN_MOVED:
		text_add_format(text, ": it holds what belongs at byte %" PRIu64 "; the device may wrap or misdirect by %" PRIu64 " B",
		                first->other_bytes, first->other_bytes > first->at_bytes ? first->other_bytes - first->at_bytes
		                                                                          : first->at_bytes - first->other_bytes);
		break;
	case PATTERN_BIT_ERROR:
		text_add_format(text, ": %u bits differ, the first in byte %" PRIu64, first->bits, first->at_bytes + first->first_byte);
		break;
	case PATTERN_TORN:
		text_add_format(text, ": %u of its 8 sectors are as written", first->good_sectors);
		break;
	default:
		break;
	}
}

static void say_finding(struct check *check, enum pattern_kind kind)
{
	char detail[160];
	struct text text = TEXT(detail);

	add_finding(&text, &check->tally.first[kind]);
	emit_fail(check->ctx, "block.verify.errors", check->point,
	          "%s: %" PRIu64 " blocks of 4 KiB are %s, the first at byte %" PRIu64 "%s", check->scratch->node,
	          check->tally.count[kind], pattern_word(kind), check->tally.first[kind].at_bytes, detail);
}

static void add_pass(struct facts *facts, const char *time, const char *bandwidth, const struct block_result *result)
{
	fact_number(facts, time, (int64_t)(result->time_ns / MS(1)));
	fact_milli(facts, bandwidth, result->bandwidth_milli);
}

static void emit_figures(struct check *check)
{
	static struct facts facts;
	const struct scratch *scratch = check->scratch;
	uint64_t blocks = check->tally.blocks;

	facts = (struct facts){ .count = 0 };
	fact_number(&facts, "n", (int64_t)blocks);
	fact_number(&facts, "time_ms", (int64_t)((check->write.time_ns + check->read.time_ns) / MS(1)));
	add_pass(&facts, "write_time_ms", "write_bandwidth", &check->write);
	add_pass(&facts, "read_time_ms", "read_bandwidth", &check->read);
	fact_number(&facts, "write_errors", check->write.errors.count);
	fact_number(&facts, "read_errors", check->read.errors.count);
	fact_number(&facts, "refused", check->write.refusals.count + check->read.refusals.count);
	for (unsigned kind = PATTERN_GOOD; kind < PATTERN_KINDS; kind++)
		fact_number(&facts, pattern_word((enum pattern_kind)kind), (int64_t)check->tally.count[kind]);
	fact_number(&facts, "scratch_bytes", (int64_t)scratch->size_bytes);
	fact_text(&facts, "engine", check->read.engine);
	if (check->read.refused[0])
		fact_text(&facts, "engines_refused", check->read.refused);
	fact_text(&facts, "device", scratch->node);
	fact_text(&facts, "direct", scratch->direct ? "yes" : "no");
	emit_figure(check->ctx, "block.verify.errors", "1", check->point,
	            milli_whole(blocks - check->tally.count[PATTERN_GOOD] + check->write.errors.count + check->read.errors.count +
	                        check->sync_failed), &facts);
	emit_figure(check->ctx, "block.verify.bytes", "B", check->point, milli_whole(blocks * SCRATCH_BLOCK_BYTES), &facts);
	emit_figure(check->ctx, "block.verify.share", "ppm", check->point,
	            milli_ratio(blocks * 1000000, scratch->size_bytes / SCRATCH_BLOCK_BYTES), &facts);
}

static void say_findings(struct check *check)
{
	for (unsigned kind = PATTERN_GOOD + 1; kind < PATTERN_KINDS; kind++)
		if (check->tally.count[kind])
			say_finding(check, (enum pattern_kind)kind);
}

static void say_errors(struct check *check, const char *what, const struct block_result *result, int err)
{
	block_say(check->ctx, "block.verify.errors", check->point, check->scratch->node, what, result, err);
}

static int write_and_say(struct check *check)
{
	int err = sys_entropy(&check->pattern.nonce, sizeof check->pattern.nonce);

	if (!err)
		err = write_all(check);
	say_errors(check, "writes", &check->write, err);
	say_sync_error(check);
	return err;
}

static int read_and_say(struct check *check)
{
	int err = check->written_bytes && !check->write.device_gone ? pass(check, BLOCK_READ, check->written_bytes) : 0;

	say_findings(check);
	say_errors(check, "reads", &check->read, err);
	say_bad_block(check);
	return err;
}

static void verify(struct check *check)
{
	if (write_and_say(check) || read_and_say(check))
		return;
	if (!check->scratch->direct)
		emit_warn(check->ctx, "block.verify.bytes", check->point, "%s: no direct I/O: what the page cache would not drop "
		          "was read from memory", check->scratch->node);
	if (check->tally.blocks)
		emit_figures(check);
	else
		emit_error(check->ctx, "block.verify.errors", check->point, "%s: not one block was verified", check->scratch->node);
}

/* What the parameter asks for, as far as the scratch and the board's cap on wear allow. */
static uint64_t size_to_write(const struct ctx *ctx, const struct scratch *scratch)
{
	uint64_t size_bytes = param_number(ctx, SIZE), left_bytes = ctx_write_left(ctx);

	if (!size_bytes || size_bytes > scratch->size_bytes)
		size_bytes = scratch->size_bytes;
	if (size_bytes > left_bytes)
		size_bytes = left_bytes;
	return size_bytes / SCRATCH_BLOCK_BYTES * SCRATCH_BLOCK_BYTES;
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
	check.ctx = ctx;
	check.scratch = scratch;
	check.size_bytes = size_to_write(ctx, scratch);
	check.pattern.pass = 1;
	check.point[0] = point_text("role", "scratch");
	emit_device(ctx, scratch->name);
	if (!planned(ctx, 2 * MS(check.size_bytes / PLANNED_BYTES_PER_MS), check.size_bytes))
		verify(&check);
	emit_device(ctx, "");
}

const struct step step_block_verify = {
	.name = "block.verify", .summary = "writes the scratch, reads it back, tells wrong data by kind",
	.needs = NEEDS_STORAGE | NEEDS_SCRATCH, .params = params, .run = run,
};
