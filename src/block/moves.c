/* moves.c: see moves.h. */
#include "block/moves.h"
#include "lib/wide.h"
#include "scratch_block.h"

enum { MAX_ALIAS_BITS = 8, ENOUGH = 8 };

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void moves_add(struct moves *moves, uint64_t at_bytes, uint64_t other_bytes)
{
	uint64_t away_bytes = other_bytes > at_bytes ? other_bytes - at_bytes : at_bytes - other_bytes;
	uint64_t bits = at_bytes ^ other_bytes;

	moves->step_bytes = common_divisor(moves->step_bytes, away_bytes);
	moves->all_bits = moves->blocks++ ? moves->all_bits & bits : bits;
	moves->any_bits |= bits;
}

static bool is_whole(const struct moves_ground *ground)
{
	return ground->checked_bytes > ground->size_bytes - ground->size_bytes / 64;
}

/*
 * Is that many moved blocks an eighth of what such a fault would show?  `possible_bytes` of the device are moved by it;
 * of a sample's blocks only those whose other place is in the sample, too.
 */
static bool are_enough(const struct moves *moves, const struct moves_ground *ground, uint64_t possible_bytes)
{
	unsigned __int128 wanted = (unsigned __int128)ground->checked_bytes * ground->checked_bytes / ENOUGH;

	return (unsigned __int128)moves->blocks * SCRATCH_BLOCK_BYTES * ground->size_bytes >=
	       wide_divide(wanted, ground->size_bytes).whole * possible_bytes;
}

/* Ignoring all the upper bits is to wrap. */
static bool reaches_top(const struct moves *moves, uint64_t size_bytes)
{
	return moves->any_bits + (moves->any_bits & -moves->any_bits) >= size_bytes;
}

static bool is_wrap(const struct moves *moves, const struct moves_ground *ground)
{
	uint64_t step_bytes = moves->step_bytes;
	uint64_t blur_bytes = step_bytes < ground->unordered_bytes ? ground->unordered_bytes : 0;

	if (!step_bytes || step_bytes >= ground->size_bytes || !ground->good_bytes)
		return false;
	if (is_whole(ground) && (ground->first_good_bytes + step_bytes + blur_bytes < ground->size_bytes ||
	                         ground->good_bytes < step_bytes / 2))
		return false;
	return are_enough(moves, ground, ground->size_bytes - step_bytes);
}

static bool is_alias(const struct moves *moves, const struct moves_ground *ground)
{
	int bits = __builtin_popcountll(moves->any_bits);

	if (bits > MAX_ALIAS_BITS || (bits > 1 && moves->any_bits == moves->all_bits) || reaches_top(moves, ground->size_bytes))
		return false;
	return are_enough(moves, ground, ground->size_bytes / 2);
}

enum move moves_judge(const struct moves *moves, const struct moves_ground *ground)
{
	if (is_whole(ground) && is_wrap(moves, ground))
		return MOVE_WRAP;
	if (is_alias(moves, ground))
		return MOVE_ALIAS;
	return !is_whole(ground) && is_wrap(moves, ground) ? MOVE_WRAP : MOVE_MISDIRECTED;
}
