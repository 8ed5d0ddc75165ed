/*
 * scratch_block.h: how a block that assay has written to a scratch is told apart from somebody else's data.
 *
 * It begins with these bytes.  The engine writes them (block/pattern.h), the check of a scratch looks for them.
 */
#ifndef SCRATCH_BLOCK_H
#define SCRATCH_BLOCK_H

#define SCRATCH_MAGIC "\x89" "assay\x1a\x01"
enum { SCRATCH_MAGIC_BYTES = 8, SCRATCH_BLOCK_BYTES = 4096 };

#endif
