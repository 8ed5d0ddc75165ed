/* block.randread: random reads of every storage device, uniform over its whole blocks, block size x queue depth. */
#include "step/block_sweep.h"

static const struct param params[] = SWEEP_PARAMS("4k", "4k,64k", "1,32", "1,4,16,32,64,256", );

static void run(struct ctx *ctx)
{
	block_sweep(ctx, &(const struct sweep){ .rw = BLOCK_RANDREAD });
}

const struct step step_block_randread = {
	.name = "block.randread", .summary = "random reads, block size x queue depth",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
