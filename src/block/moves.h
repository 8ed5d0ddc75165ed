/*
 * moves.h: from blocks that hold what belongs elsewhere, which fault of the addresses that is.
 *
 * There is no list: how far the blocks lie from home has a greatest common divisor, the address bits that differ a mask.
 *   wrap         the device holds fewer bytes than it says and begins again behind them: all blocks below its claimed size
 *                less that hold what belongs once or several times that many bytes higher
 *   alias        address bits that the device takes no notice of: of all places that differ in these alone, one is right
 *   misdirected  anything else
 */
#ifndef BLOCK_MOVES_H
#define BLOCK_MOVES_H

#include <stdbool.h>
#include <stdint.h>

struct moves {
	uint64_t blocks;
	uint64_t step_bytes;           /* the greatest common divisor of all distances */
	uint64_t any_bits, all_bits;   /* of the addresses: that differ in any move, in every move */
};

/* What the moves are to be seen against. */
struct moves_ground {
	uint64_t size_bytes;           /* of the device */
	uint64_t checked_bytes;        /* of it, in blocks */
	uint64_t good_bytes;
	uint64_t first_good_bytes;     /* the lowest good block's address; UINT64_MAX without any */
	uint64_t unordered_bytes;      /* writes this near may have overtaken one another */
};

enum move { MOVE_WRAP, MOVE_ALIAS, MOVE_MISDIRECTED };

void moves_add(struct moves *moves, uint64_t at_bytes, uint64_t other_bytes);

/* WRAP: at step_bytes; exactly there when all of the device was checked, else there or at an even part of it.  ALIAS: any_bits. */
enum move moves_judge(const struct moves *moves, const struct moves_ground *ground);

#endif
