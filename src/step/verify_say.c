/* verify_say.c: what block.verify says: wrong data by its kind, and the figures. */
#include <inttypes.h>

#include "lib/text.h"
#include "lib/wide.h"
#include "step/block_say.h"
#include "step/verify.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { MAX_BAD_BLOCKS = 64 };
#define LOOK_AGAIN_NS SECONDS(6)

void verify_say_errors(struct check *check, const char *what, const struct block_result *result, int err)
{
	block_say(check->ctx, VERIFY_METRIC, check->point, check->scratch->node, what, result, err);
}

void verify_say_sync(struct check *check)
{
	if (!check->sync_err)
		return;
	check->sync_failed = block_is_fault(check->sync_err, true);
	(check->sync_failed ? emit_fail : emit_error)(check->ctx, VERIFY_METRIC, check->point, "%s: fsync after writing: %s",
	                                              check->scratch->node, sys_error(check->sync_err));
}

/* Counts the blocks of one chunk that cannot be read; false when that is enough. */
static bool count_bad(const struct check *check, uint64_t chunk_bytes, uint64_t end_ns, uint64_t *first_bytes, unsigned *count)
{
	uint64_t at_bytes = chunk_bytes, end_bytes = chunk_bytes + VERIFY_CHUNK_BYTES;

	if (end_bytes > check->device_bytes)
		end_bytes = check->device_bytes;
	while ((at_bytes = verify_find_bad(check, at_bytes, end_bytes, check->granule_bytes)) < end_bytes) {
		if (!(*count)++ || at_bytes < *first_bytes)
			*first_bytes = at_bytes;
		if (*count >= MAX_BAD_BLOCKS || clock_now_ns() > end_ns)
			return false;
		at_bytes += check->granule_bytes;
	}
	return clock_now_ns() <= end_ns;
}

/* Within the first block: its sector. */
static uint64_t first_sector(const struct check *check, uint64_t block_bytes)
{
	uint64_t end_bytes = block_bytes + check->granule_bytes, sector_bytes = check->scratch->logical_block_bytes, at_bytes;

	if (end_bytes > check->device_bytes)
		end_bytes = check->device_bytes;
	at_bytes = verify_find_bad(check, block_bytes, end_bytes, sector_bytes ? sector_bytes : check->granule_bytes);
	return at_bytes < end_bytes ? at_bytes : block_bytes;
}

void verify_say_bad_blocks(struct check *check)
{
	const struct block_errors *errors = &check->read.errors;
	uint64_t first_bytes = 0, end_ns = clock_now_ns() + LOOK_AGAIN_NS;
	unsigned count = 0;
	bool all = true;

	for (unsigned i = 0; i < errors->count && all && !check->read.device_gone; i++)
		all = count_bad(check, errors->at_bytes[i], end_ns, &first_bytes, &count);
	if (count)
		emit_fail(check->ctx, VERIFY_METRIC, check->point, "%s: nor can the %" PRIu64 " KiB at byte %" PRIu64
		          " the second time: its first bad sector is at byte %" PRIu64 "; %s%u such blocks in all", check->scratch->node,
		          check->granule_bytes >> 10, first_bytes, first_sector(check, first_bytes), all ? "" : "at least ", count);
}

/* Of the moved blocks: ours to name, for all of them together. */
static enum move judge_moves(const struct check *check)
{
	const struct pattern_tally *tally = &check->tally;
	const struct moves_ground ground = {
		.size_bytes = check->device_bytes, .checked_bytes = tally->bytes,
		.good_bytes = tally->count[PATTERN_GOOD] * SCRATCH_BLOCK_BYTES,
		.first_good_bytes = tally->count[PATTERN_GOOD] ? tally->first[PATTERN_GOOD].at_bytes : UINT64_MAX / 2,
		.unordered_bytes = VERIFY_DEPTH * VERIFY_CHUNK_BYTES,
	};

	return moves_judge(&tally->moves, &ground);
}

static void add_bits(struct text *text, uint64_t bits)
{
	text_add_format(text, ": alias: address bit%s", bits & (bits - 1) ? "s" : "");
	for (; bits; bits &= bits - 1)
		text_add_format(text, " %d", __builtin_ctzll(bits));
}

static void add_move(struct text *text, const struct check *check, enum move move)
{
	const struct moves *moves = &check->tally.moves;

	text_add_format(text, ": it holds what belongs at byte %" PRIu64, check->tally.first[PATTERN_MOVED].other_bytes);
	if (move == MOVE_ALIAS)
		add_bits(text, moves->any_bits);
	else if (move == MOVE_WRAP)
		text_add_format(text, ": the device wraps at %" PRIu64 " bytes%s", moves->step_bytes,
		                check->tally.bytes < check->device_bytes ? ", or at an even part of them" : ": it holds no more");
}

static void add_detail(struct text *text, const struct check *check, enum pattern_kind kind, enum move move)
{
	const struct pattern_finding *first = &check->tally.first[kind];

	switch (kind) {
	case PATTERN_STALE:
		text_add(text, check->mode == VERIFY_ONLY ? ": data of another run" : ": data of an earlier run, the write never arrived");
		break;
	case PATTERN_MOVED:
		add_move(text, check, move);
		break;
	case PATTERN_BIT_ERROR:
		text_add_format(text, ": %u bits differ, the first in byte %" PRIu64 "; %" PRIu64 " bits in all", first->bits,
		                first->at_bytes + first->first_byte, check->tally.bits);
		break;
	case PATTERN_TORN:
		text_add_format(text, ": %u of its 8 sectors are as written", first->good_sectors);
		break;
	default:
		break;
	}
	if (pattern_ends_in(&check->tally, kind))
		text_add_format(text, ": everything past byte %" PRIu64 " is", first->at_bytes);
}

static void say_finding(struct check *check, enum pattern_kind kind)
{
	static const char words[][12] = { [MOVE_WRAP] = "wrapped", [MOVE_ALIAS] = "aliased", [MOVE_MISDIRECTED] = "misdirected" };
	enum move move = kind == PATTERN_MOVED ? judge_moves(check) : MOVE_MISDIRECTED;
	char detail[240];
	struct text text = TEXT(detail);

	add_detail(&text, check, kind, move);
	emit_fail(check->ctx, VERIFY_METRIC, check->point, "%s: %" PRIu64 " blocks of 4 KiB%s are %s, the first at byte %" PRIu64 "%s",
	          check->scratch->node, check->tally.count[kind], check->tally.bytes % SCRATCH_BLOCK_BYTES ? " (512 B at the odd end)" : "", kind == PATTERN_MOVED ? words[move] : pattern_word(kind),
	          check->tally.first[kind].at_bytes, detail);
}

void verify_say_findings(struct check *check)
{
	for (unsigned kind = PATTERN_GOOD + 1; kind < PATTERN_KINDS; kind++)
		if (check->tally.count[kind])
			say_finding(check, (enum pattern_kind)kind);
}

static void add_side(struct facts *facts, const char *time, const char *bandwidth, const struct block_result *result)
{
	fact_number(facts, time, (int64_t)(result->time_ns / MS(1)));
	if (result->time_ns)
		fact_milli(facts, bandwidth, milli_per_second(result->bytes, result->time_ns));
}

static void add_kinds(struct facts *facts, const struct check *check)
{
	for (unsigned kind = PATTERN_GOOD; kind < PATTERN_KINDS; kind++)
		fact_number(facts, pattern_word((enum pattern_kind)kind), (int64_t)check->tally.count[kind]);
}

static void add_words(struct facts *facts, const struct check *check)
{
	char word[24];

	param_word(&(struct param){ .words = VERIFY_WORDS }, check->mode, word, sizeof word);
	fact_text(facts, "verify", word);
	if (check->mode != VERIFY_SURFACE) {
		text_format(word, sizeof word, "%" PRIu64, check->pattern.nonce);
		fact_text(facts, "nonce", word);
	}
	fact_text(facts, "engine", check->read.engine);
	if (check->read.refused[0])
		fact_text(facts, "engines_refused", check->read.refused);
	fact_text(facts, "device", check->scratch->node);
	fact_text(facts, "direct", check->scratch->direct ? "yes" : "no");
}

static uint64_t count_errors(const struct check *check)
{
	return check->tally.blocks - check->tally.count[PATTERN_GOOD] + check->write.errors.count + check->read.errors.count +
	       check->sync_failed;
}

void verify_emit_figures(struct check *check)
{
	static struct facts facts;
	bool surface = check->mode == VERIFY_SURFACE;
	uint64_t bytes = surface ? check->read.bytes : check->tally.bytes;

	facts = (struct facts){ .count = 0 };
	fact_number(&facts, "n", (int64_t)(surface ? (bytes + SCRATCH_BLOCK_BYTES - 1) / SCRATCH_BLOCK_BYTES : check->tally.blocks));
	fact_number(&facts, "time_ms", (int64_t)((check->write.time_ns + check->read.time_ns) / MS(1)));
	add_side(&facts, "write_time_ms", "write_bandwidth", &check->write);
	add_side(&facts, "read_time_ms", "read_bandwidth", &check->read);
	fact_number(&facts, "write_errors", check->write.errors.count);
	fact_number(&facts, "read_errors", check->read.errors.count);
	fact_number(&facts, "refused", check->write.refusals.count + check->read.refusals.count);
	if (!surface)
		add_kinds(&facts, check);
	fact_number(&facts, "scratch_bytes", (int64_t)check->device_bytes);
	add_words(&facts, check);
	emit_figure(check->ctx, VERIFY_METRIC, "1", check->point, milli_whole(count_errors(check)), &facts);
	emit_figure(check->ctx, "block.verify.bytes", "B", check->point, milli_whole(bytes), &facts);
	emit_figure(check->ctx, "block.verify.share", "ppm", check->point,
	            wide_ratio_milli((unsigned __int128)bytes * 1000000, check->device_bytes), &facts);
}
