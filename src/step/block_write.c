/* block.write: sequential writes to the scratch, block size x queue depth. */
#include "step/block_sweep.h"

static const struct param params[] = SWEEP_PARAMS("4k,128k,4m", "2k:64m:*2", "1,32", "1,4,32", SWEEP_WRITES);

static void run(struct ctx *ctx)
{
	block_sweep(ctx, &(const struct sweep){ .rw = BLOCK_WRITE });
}

const struct step step_block_write = {
	.name = "block.write", .summary = "sequential writes to the scratch, block size x queue depth",
	.needs = NEEDS_STORAGE | NEEDS_SCRATCH, .params = params, .run = run,
};
