/*
 * pattern.h: blocks that say what they are, so that wrong data tells what went wrong.
 *
 * Each block of SCRATCH_BLOCK_BYTES holds, little endian: the magic, its own byte address, the run's nonce, the pass
 * number, a filler derived from address and nonce, and a CRC-32C over all before it.  Where a device ends within a block,
 * each sector of that odd end is such a block of its own.  badblocks' and f3's constant patterns hide wrapped capacity; a
 * fixed seed lets the data of an earlier run pass for this one's.
 */
#ifndef BLOCK_PATTERN_H
#define BLOCK_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "block/moves.h"
#include "scratch_block.h"

enum { PATTERN_SECTOR_BYTES = 512 };

enum pattern_kind {
	PATTERN_GOOD,
	PATTERN_STALE,     /* a whole block of another run or pass: the write never arrived */
	PATTERN_MOVED,     /* of this run, but belongs elsewhere: see block/moves.h */
	PATTERN_ZEROED,
	PATTERN_BIT_ERROR, /* ours, but for less than one bit in 64 */
	PATTERN_TORN,      /* some sectors of 512 B are of one write, the others are not */
	PATTERN_FOREIGN,   /* nothing of ours */
	PATTERN_KINDS,
};

struct pattern {
	uint64_t nonce;
	uint32_t pass;
};

struct pattern_finding {
	enum pattern_kind kind;
	uint64_t at_bytes;      /* the block's address; PATTERN_MOVED, PATTERN_STALE: of the first sector that is known again */
	uint64_t other_bytes;   /* PATTERN_MOVED: where that belongs */
	uint32_t bits;          /* that differ from what was written */
	uint32_t first_byte;    /* the first byte that differs, from the start of the block */
	uint32_t good_sectors;  /* PATTERN_TORN: of 8 */
};

/* What was found in all blocks checked so far. */
struct pattern_tally {
	uint64_t blocks, bytes;                      /* checked */
	uint64_t count[PATTERN_KINDS];
	uint64_t bits;                               /* wrong ones, of the blocks with bit errors */
	struct pattern_finding first[PATTERN_KINDS]; /* of each kind, the one with the lowest address */
	uint64_t last_bytes[PATTERN_KINDS];          /* and the highest address */
	struct moves moves;
};

/* bytes: whole blocks, then at the odd end of a device whole sectors.  Memory is aligned to 8. */
void pattern_fill(const struct pattern *pattern, uint64_t at_bytes, void *to, size_t bytes);

/* What one block (bytes: SCRATCH_BLOCK_BYTES or PATTERN_SECTOR_BYTES) is that was read from at_bytes. */
struct pattern_finding pattern_classify(const struct pattern *pattern, uint64_t at_bytes, const void *block, size_t bytes);

/* Checks what pattern_fill has filled, and adds to the tally. */
void pattern_check(const struct pattern *pattern, uint64_t at_bytes, const void *from, size_t bytes,
                   struct pattern_tally *tally);

/* Is all that was checked from the first block of this kind on of this kind, and more than one block? */
bool pattern_ends_in(const struct pattern_tally *tally, enum pattern_kind kind);

const char *pattern_word(enum pattern_kind kind); /* "stale", ... */

#endif
