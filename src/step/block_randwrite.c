/* block.randwrite: random writes to the scratch, each block once, block size x queue depth. */
#include "step/block_sweep.h"

static const struct param params[] = SWEEP_PARAMS("4k", "4k,64k", "1,32", "1,4,16,32,64", SWEEP_WRITES);

static void run(struct ctx *ctx)
{
	block_sweep(ctx, &(const struct sweep){ .rw = BLOCK_RANDWRITE });
}

const struct step step_block_randwrite = {
	.name = "block.randwrite", .summary = "random writes to the scratch, block size x queue depth",
	.needs = NEEDS_STORAGE | NEEDS_SCRATCH, .params = params, .run = run,
};
