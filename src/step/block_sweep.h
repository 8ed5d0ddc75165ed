/*
 * block_sweep.h: what block.read, block.randread, block.write and block.randwrite have in common: block size x queue depth.
 *
 * Reads go over every device, writes over the scratch alone.
 */
#ifndef BLOCK_SWEEP_H
#define BLOCK_SWEEP_H

#include "block/engine.h"
#include "step.h"

/* The parameters that such a step declares, in this order; a step that writes has SIZE and MOST, too. */
enum { SWEEP_BS, SWEEP_IODEPTH, SWEEP_RUNTIME, SWEEP_IOENGINE, SWEEP_BUFFERS, SWEEP_SIZE, SWEEP_MOST };

#define SWEEP_PARAMS(bs_short, bs_medium, iodepth_short, iodepth_medium, ...) { \
	[SWEEP_BS] = { "bs", PARAM_SIZES, .def = bs_short, .def_medium = bs_medium, .min = 512, .max = BLOCK_MAX_BYTES, .help = "block sizes" }, \
	[SWEEP_IODEPTH] = { "iodepth", PARAM_COUNTS, .def = iodepth_short, .def_medium = iodepth_medium, .min = 1, \
	                    .max = BLOCK_MAX_DEPTH, .help = "blocks kept in flight" }, \
	[SWEEP_RUNTIME] = { "runtime", PARAM_DURATION, .def = "500ms", .def_long = "2s", .min = MS(10), .max = SECONDS(3600), \
	                    .help = "time for each point, after a warm-up of a fifth of it" }, \
	[SWEEP_IOENGINE] = { "ioengine", PARAM_WORD, .def = "auto", .words = BLOCK_ENGINE_WORDS, \
	                     .help = "auto: the quickest of them in a short trial" }, \
	[SWEEP_BUFFERS] = { "buffers", PARAM_SIZE, .def = "256m", .def_medium = "1g", .min = MIB, \
	                    .help = "the most memory for buffers; a point (bs x iodepth) that needs more is skipped" }, \
	__VA_ARGS__ \
	PARAM_END \
}

#define SWEEP_WRITES \
	[SWEEP_SIZE] = { "size", PARAM_SIZE, .def = "256m", .def_medium = "0", .help = "the part of the scratch that is written; 0: all of it" }, \
	[SWEEP_MOST] = { "most", PARAM_SIZE, .def = "1g", .def_long = "4g", .min = MIB, .help = "what a point may write at most, for the sake of wear" },

struct sweep {
	enum block_rw rw;
	bool ends;         /* also read the first and the last block of each device */
};

void block_sweep(struct ctx *ctx, const struct sweep *sweep);

#endif
