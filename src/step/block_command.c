/*
 * block: what `assay block DEV` does: one point, or every combination of the lists given, with fio's words.
 *
 * It is a step like the others, and its device the one that the command was given (include/scratch.h).
 */
#include "step/block_command.h"
#include "step/block_point.h"
#include "step/drive.h"

enum { MIN_RUNTIME_MS = 500, PPM_PER_PERCENT_MILLI = 10 };

enum {
	RW, BS, IODEPTH, NUMJOBS, IOENGINE, RUNTIME, RAMP_TIME, STARTDELAY, PRECISION, COUNT, OFFSET, SIZE, RATE_IOPS, RWMIXREAD,
	RANDOM_DISTRIBUTION, ZIPF_THETA, NORANDOMMAP, HIPRI, DISABLE_SLAT, BUFFERS, SERIES,
};

static const struct param params[] = {
	[RW] = { "rw", PARAM_WORDS, .def = "read", .words = BLOCK_RW_WORDS, .help = "what is done; what writes needs a device that may be overwritten" },
	[BS] = { "bs", PARAM_SIZES, .def = "4k", .min = 512, .max = BLOCK_MAX_BYTES, .help = "block sizes" },
	[IODEPTH] = { "iodepth", PARAM_COUNTS, .def = "1", .min = 1, .max = BLOCK_MAX_DEPTH, .help = "blocks that each job keeps in flight" },
	[NUMJOBS] = { "numjobs", PARAM_COUNTS, .def = "1", .words = "auto", .max = BLOCK_MAX_JOBS, .help = "threads, each on a CPU of its own; the quickest number" },
	[IOENGINE] = { "ioengine", PARAM_WORD, .def = "auto", .words = BLOCK_ENGINE_WORDS, .help = "auto: the quickest of them in a short trial" },
	[RUNTIME] = { "runtime", PARAM_DURATION, .def = "10s", .min = MS(10), .max = SECONDS(86400), .help = "the longest that a point takes" },
	[RAMP_TIME] = { "ramp_time", PARAM_DURATION, .def = "100ms", .max = SECONDS(3600), .help = "warm-up before it, not counted" },
	[STARTDELAY] = { "startdelay", PARAM_DURATION, .def = "0", .max = SECONDS(3600), .help = "idle before each point" },
	[PRECISION] = { "precision", PARAM_DECIMAL, .def = "2", .max = 50000,
	                .help = "per cent: a point ends when the 95 % interval of its bandwidth is within it; 0: it takes all of runtime" },
	[COUNT] = { "count", PARAM_COUNT, .def = "0", .help = "so many blocks and no more, whatever time they take, as dd does; 0: by time" },
	[OFFSET] = { "offset", PARAM_SIZE, .def = "0", .help = "where the region begins" },
	[SIZE] = { "size", PARAM_SIZE, .def = "0", .help = "of the region; 0: to the end of the device" },
	[RATE_IOPS] = { "rate_iops", PARAM_COUNT, .def = "0", .max = 100000000, .help = "blocks a second of each job, latency from the intended time; 0: as quick as it goes" },
	[RWMIXREAD] = { "rwmixread", PARAM_PERCENT, .def = "50", .min = 0, .max = 100, .help = "reads in rw and randrw" },
	[RANDOM_DISTRIBUTION] = { "random_distribution", PARAM_WORD, .def = "random", .words = "random|zipf",
	                          .help = "random: every block once, then again in another order; zipf, zipf:THETA: some far oftener" },
	[ZIPF_THETA] = { "zipf_theta", PARAM_DECIMAL, .def = "1.1", .min = 10, .max = 4000, .help = "of zipf" },
	[NORANDOMMAP] = { "norandommap", PARAM_WORD, .def = "0", .words = "0|1", .flag = "1", .help = "any block at any time, some never" },
	[HIPRI] = { "hipri", PARAM_WORD, .def = "0", .words = "0|1", .flag = "1", .help = "polled completion (io_uring)" },
	[DISABLE_SLAT] = { "disable_slat", PARAM_WORD, .def = "0", .words = "0|1", .flag = "1", .help = "sends and waits by one call: no slat and clat" },
	[BUFFERS] = { "buffers", PARAM_SIZE, .def = "8g", .min = MIB, .help = "the most memory for buffers; never more than a quarter of what is free" },
	[SERIES] = { "series", PARAM_WORD, .def = "0", .words = "0|1", .flag = "1", .help = "the histograms, bucket by bucket, too" },
	PARAM_END
};

static struct block_job job_of(const struct ctx *ctx, uint64_t rw, uint64_t bs_bytes, uint64_t iodepth, uint64_t numjobs)
{
	uint64_t runtime_ns = param_number(ctx, RUNTIME), count = param_number(ctx, COUNT);

	return (struct block_job){
		.rw = (enum block_rw)rw, .bs_bytes = bs_bytes, .iodepth = (unsigned)iodepth, .numjobs = (unsigned)numjobs,
		.engine = (enum block_engine_choice)param_number(ctx, IOENGINE), .hipri = param_number(ctx, HIPRI),
		.offset_bytes = param_number(ctx, OFFSET), .size_bytes = param_number(ctx, SIZE), .limit_ios = count,
		.runtime_ns = count ? 0 : runtime_ns, .ramp_ns = count ? 0 : param_number(ctx, RAMP_TIME),
		.runtime_min_ns = runtime_ns < MS(MIN_RUNTIME_MS) ? runtime_ns : MS(MIN_RUNTIME_MS),
		.precision_ppm = count ? 0 : (uint32_t)param_number(ctx, PRECISION) * PPM_PER_PERCENT_MILLI,
		.rate_iops = param_number(ctx, RATE_IOPS), .rwmixread = (unsigned)param_number(ctx, RWMIXREAD),
		.distribution = (enum block_distribution)param_number(ctx, RANDOM_DISTRIBUTION),
		.zipf_theta_milli = (uint32_t)param_number(ctx, ZIPF_THETA),
		.norandommap = param_number(ctx, NORANDOMMAP), .slat = !param_number(ctx, DISABLE_SLAT),
	};
}

static void one_point(struct ctx *ctx, struct device *device, const struct block_job *job)
{
	const struct block_ask ask = {
		.job = *job, .choose_jobs = !job->numjobs, .startdelay_ns = param_number(ctx, STARTDELAY),
		.buffers_bytes = param_number(ctx, BUFFERS), .series = param_number(ctx, SERIES),
	};

	block_point_run(ctx, device, &ask, NULL);
}

static void run(struct ctx *ctx)
{
	struct device device;

	if (!device_scratch(ctx, &device))
		return;
	drive_before(ctx, &device);
	for_each_param(ctx, RW, rw)
		for_each_param(ctx, BS, bs_bytes)
			for_each_param(ctx, IODEPTH, iodepth)
				for_each_param(ctx, NUMJOBS, numjobs) {
					const struct block_job job = job_of(ctx, rw, bs_bytes, iodepth, numjobs);

					one_point(ctx, &device, &job);
				}
	drive_after(ctx, &device);
	device_done(ctx, &device);
}

bool block_command_writes(const struct ctx *ctx)
{
	for_each_param(ctx, RW, rw)
		if (block_writes((enum block_rw)rw))
			return true;
	return false;
}

const struct step step_block = {
	.name = "block", .summary = "one storage measurement, or every combination of the lists given",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
