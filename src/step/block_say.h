/* block_say.h: what a storage step says of I/O that went wrong. */
#ifndef BLOCK_SAY_H
#define BLOCK_SAY_H

#include "block/engine.h"
#include "step.h"

/*
 * FAIL for what the device did, ERROR for what this system refused, then ERROR for err, that of block_run.  In this order:
 * what was found is not taken back by an error behind it.  what: "reads".  Returns how many I/Os failed.
 */
unsigned block_say(struct ctx *ctx, const char *metric, const struct point *points, const char *node, const char *what,
                   const struct block_result *result, int err);

#endif
