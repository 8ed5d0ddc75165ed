/*
 * block.verify: writes the scratch, reads it back, and tells wrong data by what went wrong.
 *
 * All is written before anything is read, so that a device that wraps or lies about its size cannot hide it.
 * The nonce is the run's own, from the kernel's entropy: no seed can repeat it, and the data of an earlier run never passes.
 * FAIL   wrong data (kind and first address), a failed write, a failed read: counted apart
 * SKIP   no scratch was given
 * ERROR  nothing could be verified
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/syscall.h>

#include "block/engine.h"
#include "block/pattern.h"
#include "lib/text.h"
#include "scratch.h"
#include "step.h"
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
	struct pattern pattern;
	struct pattern_tally tally;
	struct block_errors write_errors, read_errors;
	struct block_result result;
	struct point point[2];
};

static void fill(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	const struct check *check = context;

	pattern_fill(&check->pattern, offset_bytes, buffer, bytes);
}

/* What was never written right is a write error, and not reported again as corruption. */
static bool was_written(const struct check *check, uint64_t offset_bytes)
{
	for (unsigned i = 0; i < check->write_errors.count; i++)
		if (check->write_errors.at_bytes[i] == offset_bytes)
			return false;
	return true;
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

	return block_run(&job, &check->result);
}

static void drop_cache(int fd)
{
	if (fd >= 0)
		sys_call(SYS_fadvise64, (long)fd, 0L, 0L, (long)POSIX_FADV_DONTNEED);
}

static int write_all(struct check *check)
{
	int err = pass(check, BLOCK_WRITE, check->size_bytes);
	uint64_t tried_bytes = check->result.bytes + (uint64_t)check->result.errors.count * CHUNK_BYTES;

	if (err)
		return err;
	check->write_errors = check->result.errors;
	check->written_bytes = tried_bytes < check->size_bytes ? tried_bytes : check->size_bytes;
	check->sync_err = sys_fsync(check->scratch->fd);
	drop_cache(check->scratch->fd);
	drop_cache(check->scratch->file_fd);
	return 0;
}

static int read_all(struct check *check)
{
	int err = pass(check, BLOCK_READ, check->written_bytes);

	if (!err)
		check->read_errors = check->result.errors;
	return err;
}

/* The block within a chunk that cannot be read; the chunk's own address when each can, the second time. */
static uint64_t bad_block(const struct check *check, uint64_t chunk_bytes)
{
	for (uint64_t at = chunk_bytes; at < chunk_bytes + CHUNK_BYTES && at < check->written_bytes; at += SCRATCH_BLOCK_BYTES)
		if (block_read_once(check->scratch->fd, at, SCRATCH_BLOCK_BYTES))
			return at;
	return chunk_bytes;
}

static void say_io_errors(struct check *check)
{
	const char *node = check->scratch->node;

	if (check->write_errors.count)
		emit_fail(check->ctx, "block.verify.errors", check->point, "%s: %u writes failed, the first at byte %" PRIu64 ": %s", node,
		          check->write_errors.count, check->write_errors.at_bytes[0], sys_error(check->write_errors.first_err));
	if (check->sync_err)
		emit_fail(check->ctx, "block.verify.errors", check->point, "%s: fsync after writing: %s", node,
		          sys_error(check->sync_err));
	if (check->read_errors.count)
		emit_fail(check->ctx, "block.verify.errors", check->point, "%s: %u reads failed, the first at byte %" PRIu64 ": %s", node,
		          check->read_errors.count, bad_block(check, check->read_errors.at_bytes[0]),
		          sys_error(check->read_errors.first_err));
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

static uint64_t error_count(const struct check *check)
{
	return check->tally.blocks - check->tally.count[PATTERN_GOOD] + check->write_errors.count + check->read_errors.count +
	       (check->sync_err != 0);
}

static void emit_figures(struct check *check)
{
	static struct facts facts;
	const struct scratch *scratch = check->scratch;
	uint64_t verified_bytes = check->tally.blocks * SCRATCH_BLOCK_BYTES;

	facts = (struct facts){ .count = 0 };
	fact_number(&facts, "write_errors", check->write_errors.count);
	fact_number(&facts, "read_errors", check->read_errors.count);
	for (unsigned kind = PATTERN_GOOD; kind < PATTERN_KINDS; kind++)
		fact_number(&facts, pattern_word((enum pattern_kind)kind), (int64_t)check->tally.count[kind]);
	fact_number(&facts, "scratch_bytes", (int64_t)scratch->size_bytes);
	fact_text(&facts, "engine", check->result.engine);
	if (check->result.refused[0])
		fact_text(&facts, "engines_refused", check->result.refused);
	fact_text(&facts, "device", scratch->node);
	fact_text(&facts, "direct", scratch->direct ? "yes" : "no");
	emit_figure(check->ctx, "block.verify.errors", "1", check->point, milli_whole(error_count(check)), &facts);
	emit_figure(check->ctx, "block.verify.bytes", "B", check->point, milli_whole(verified_bytes), &facts);
	emit_figure(check->ctx, "block.verify.share", "ppm", check->point,
	            milli_ratio(check->tally.blocks * 1000000, scratch->size_bytes / SCRATCH_BLOCK_BYTES), &facts);
}

static void report(struct check *check)
{
	say_io_errors(check);
	for (unsigned kind = PATTERN_GOOD + 1; kind < PATTERN_KINDS; kind++)
		if (check->tally.count[kind])
			say_finding(check, (enum pattern_kind)kind);
	if (!check->scratch->direct)
		emit_warn(check->ctx, "block.verify.bytes", check->point, "%s: no direct I/O: what the page cache would not drop "
		          "was read from memory", check->scratch->node);
	if (check->tally.blocks)
		emit_figures(check);
	else
		emit_error(check->ctx, "block.verify.errors", check->point, "%s: not one block was verified", check->scratch->node);
}

static void verify(struct check *check)
{
	int err = sys_entropy(&check->pattern.nonce, sizeof check->pattern.nonce);

	if (!err)
		err = write_all(check);
	if (!err && check->written_bytes && !check->result.device_gone)
		err = read_all(check);
	if (err)
		emit_error(check->ctx, "block.verify.errors", check->point, "%s: %s%s%s", check->scratch->node, sys_error(err),
		           check->result.refused[0] ? ": " : "", check->result.refused);
	else
		report(check);
}

/* What the parameter asks for, as far as the scratch and the board's cap on wear allow. */
static uint64_t size_to_write(const struct ctx *ctx, const struct scratch *scratch)
{
	uint64_t size_bytes = param_number(ctx, SIZE), cap_bytes = ctx_board(ctx)->write_cap_bytes;

	if (!size_bytes || size_bytes > scratch->size_bytes)
		size_bytes = scratch->size_bytes;
	if (cap_bytes && size_bytes > cap_bytes)
		size_bytes = cap_bytes;
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
	if (planned(ctx, 2 * MS(check.size_bytes / PLANNED_BYTES_PER_MS), check.size_bytes))
		return;
	emit_device(ctx, scratch->name);
	verify(&check);
	emit_device(ctx, "");
}

const struct step step_block_verify = {
	.name = "block.verify", .summary = "writes the scratch, reads it back, tells wrong data by kind",
	.needs = NEEDS_STORAGE | NEEDS_SCRATCH, .params = params, .run = run,
};
