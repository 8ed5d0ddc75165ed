/*
 * params.h: the parameters that the studies of storage have in common, in fio's words, and a point's job made of them.
 */
#ifndef STUDY_PARAMS_H
#define STUDY_PARAMS_H

#include "step/block_point.h"
#include "step.h"

/* In this order, a study's own behind them. */
enum { STUDY_RUNTIME, STUDY_PRECISION, STUDY_RAMP_TIME, STUDY_STARTDELAY, STUDY_IOENGINE, STUDY_BUFFERS, STUDY_OWN };

#define STUDY_PARAMS(runtime_def, runtime_help, precision_def, ramp_def, ioengine_def, buffers_def) \
	[STUDY_RUNTIME] = { "runtime", PARAM_DURATION, .def = runtime_def, .min = MS(10), .max = SECONDS(3600), .help = runtime_help }, \
	[STUDY_PRECISION] = { "precision", PARAM_DECIMAL, .def = precision_def, .max = 50000, \
	                      .help = "a point ends once its 95 % interval is within this many per cent; 0: not before it is over" }, \
	[STUDY_RAMP_TIME] = { "ramp_time", PARAM_DURATION, .def = ramp_def, .max = SECONDS(600), .help = "warm-up of each point, not counted" }, \
	[STUDY_STARTDELAY] = { "startdelay", PARAM_DURATION, .def = "0", .max = SECONDS(600), .help = "idle before each point, to cool" }, \
	[STUDY_IOENGINE] = { "ioengine", PARAM_WORD, .def = ioengine_def, .words = BLOCK_ENGINE_WORDS, \
	                     .help = "auto: the quickest of them in a short trial" }, \
	[STUDY_BUFFERS] = { "buffers", PARAM_SIZE, .def = buffers_def, .min = MIB, \
	                    .help = "the most memory for buffers (never more than a quarter of what is free); a point that needs more is skipped" }

/* Over the first size_bytes of the device; 0: all of it. */
struct block_ask study_ask(const struct ctx *ctx, enum block_rw rw, uint64_t bs_bytes, unsigned iodepth, unsigned numjobs, uint64_t size_bytes);

#endif
