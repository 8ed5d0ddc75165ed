/* block.read: sequential reads of every storage device, block size x queue depth, and of its first and last block. */
#include "step/block_sweep.h"

static const struct param params[] = {
	[SWEEP_BS] = { "bs", PARAM_SIZES, .def = "4k,128k,4m", .def_medium = "2k:512m:*2", .min = 512, .max = GIB,
	               .help = "block sizes" },
	[SWEEP_IODEPTH] = { "iodepth", PARAM_COUNTS, .def = "1,32", .def_medium = "1,2,4,8,16,32", .min = 1,
	                    .max = BLOCK_MAX_DEPTH, .help = "reads kept in flight" },
	[SWEEP_RUNTIME] = SWEEP_PARAM_RUNTIME,
	[SWEEP_IOENGINE] = SWEEP_PARAM_IOENGINE,
	[SWEEP_BUFFERS] = SWEEP_PARAM_BUFFERS,
	PARAM_END
};

static void run(struct ctx *ctx)
{
	block_sweep(ctx, &(const struct sweep){ .name = "block.read", .rw = BLOCK_READ, .ends = true });
}

const struct step step_block_read = {
	.name = "block.read", .summary = "sequential reads, block size x queue depth",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
