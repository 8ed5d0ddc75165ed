/* params.c: see params.h. */
#include "study/params.h"

enum { RUNTIME_MIN_MS = 400, PPM_PER_PERCENT_MILLI = 10 };

/* A block that large takes as long as a warm-up. */
#define NO_RAMP_FROM_BYTES (64 * MIB)

struct block_ask study_ask(const struct ctx *ctx, enum block_rw rw, uint64_t bs_bytes, unsigned iodepth, unsigned numjobs, uint64_t size_bytes)
{
	uint64_t runtime_ns = param_number(ctx, STUDY_RUNTIME);

	return (struct block_ask){
		.job = {
			.rw = rw, .engine = (enum block_engine_choice)param_number(ctx, STUDY_IOENGINE), .iodepth = iodepth, .numjobs = numjobs,
			.bs_bytes = bs_bytes, .size_bytes = size_bytes, .runtime_ns = runtime_ns,
			.runtime_min_ns = runtime_ns < MS(RUNTIME_MIN_MS) ? runtime_ns : MS(RUNTIME_MIN_MS),
			.precision_ppm = (uint32_t)param_number(ctx, STUDY_PRECISION) * PPM_PER_PERCENT_MILLI,
			.ramp_ns = bs_bytes < NO_RAMP_FROM_BYTES ? param_number(ctx, STUDY_RAMP_TIME) : 0,
			.rwmixread = 50,
		},
		.startdelay_ns = param_number(ctx, STUDY_STARTDELAY), .buffers_bytes = param_number(ctx, STUDY_BUFFERS),
	};
}
