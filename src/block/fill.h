/*
 * fill.h: what a write carries that nobody fills: blocks that a scratch check knows for assay's, and that no device can compress.
 */
#ifndef BLOCK_FILL_H
#define BLOCK_FILL_H

#include <stddef.h>
#include <stdint.h>

/* Every 512 bytes begin with SCRATCH_MAGIC; the rest is random, another for each seed. */
void fill_buffer(void *to, size_t bytes, uint64_t seed);

#endif
