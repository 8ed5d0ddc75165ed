/*
 * place.h: where a job's next block lies, and whether it is read or written; no system call, no division.
 */
#ifndef BLOCK_PLACE_H
#define BLOCK_PLACE_H

#include "block/engine.h"
#include "block/zipf.h"
#include "lib/random.h"

struct block_place {
	enum { PLACE_IN_SEQUENCE, PLACE_IN_ORDER, PLACE_ANYWHERE, PLACE_BY_RANK } kind;
	uint64_t offset_bytes, bs_bytes; /* of the region */
	uint64_t last_offset_bytes, last_bytes; /* of its last block, which may be shorter */
	uint64_t blocks;
	uint64_t next[BLOCK_SIDES];  /* IN_SEQUENCE: of each side; IN_ORDER: the first alone */
	uint64_t left;               /* blocks that may yet be asked for */
	bool mixed, writes;          /* both sides; writes alone */
	bool draws;                  /* side or place by chance */
	uint64_t read_below;         /* of 2^32: the share of reads */
	uint64_t seed, pass;
	struct random_order order;
	struct random random;
	const struct zipf *zipf;     /* BY_RANK */
};

struct block_at {
	uint64_t offset_bytes;
	bool write;
};

/* How many blocks the region has: whole ones, or, once through it, a shorter one at its end, too. */
uint64_t place_blocks(const struct block_job *job);

/* The places of one job of many.  zipf is prepared for the job's blocks where it is needed. */
void place_prepare(struct block_place *place, const struct block_job *job, unsigned number, const struct zipf *zipf);

/* Only while place->left is not 0. */
struct block_at place_next(struct block_place *place);

static inline uint64_t place_bytes(const struct block_place *place, uint64_t offset_bytes)
{
	return offset_bytes == place->last_offset_bytes ? place->last_bytes : place->bs_bytes;
}

#endif
