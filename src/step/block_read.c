/* block.read: sequential reads of every storage device, block size x queue depth, and of its first and last block. */
#include "step/block_sweep.h"

static const struct param params[] = SWEEP_PARAMS("4k,128k,4m", "2k:512m:*2", "1,32", "1,2,4,8,16,32", );

static void run(struct ctx *ctx)
{
	block_sweep(ctx, &(const struct sweep){ .rw = BLOCK_READ, .ends = true });
}

const struct step step_block_read = {
	.name = "block.read", .summary = "sequential reads, block size x queue depth",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
