/* block.randread: random reads of every storage device, uniform over its whole blocks, block size x queue depth. */
#include "step/block_sweep.h"

static const struct param params[] = {
	[SWEEP_BS] = { "bs", PARAM_SIZES, .def = "4k", .def_medium = "4k,64k", .min = 512, .max = GIB, .help = "block sizes" },
	[SWEEP_IODEPTH] = { "iodepth", PARAM_COUNTS, .def = "1,32", .def_medium = "1,4,16,32,64,256", .min = 1,
	                    .max = BLOCK_MAX_DEPTH, .help = "reads kept in flight" },
	[SWEEP_RUNTIME] = SWEEP_PARAM_RUNTIME,
	[SWEEP_IOENGINE] = SWEEP_PARAM_IOENGINE,
	[SWEEP_BUFFERS] = SWEEP_PARAM_BUFFERS,
	PARAM_END
};

static void run(struct ctx *ctx)
{
	block_sweep(ctx, &(const struct sweep){ .name = "block.randread", .rw = BLOCK_RANDREAD });
}

const struct step step_block_randread = {
	.name = "block.randread", .summary = "random reads, block size x queue depth",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
