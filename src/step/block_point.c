/* block_point.c: see block_point.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "lib/number.h"
#include "step/block_point.h"
#include "step/block_say.h"
#include "sys/clock.h"
#include "sys/call.h"
#include "sys/map.h"

enum {
	SLACK_MS = 20,
	TRIAL_MS = 200,          /* of the engines, with AUTO */
	JOBS_TRIAL_MS = 50,      /* of each number of jobs, see block_choose_jobs */
	JOBS_TRIALS = 8,
	BUDGET_PART = 4,
	/* What a transfer of a given length may take, where nobody gave a time: for the plan only.  A random read of a hard disk or a
	 * card takes 10 ms. */
	PLANNED_IO_US = 300,
	PLANNED_RANDOM_IO_US = 10000,
	PLANNED_BYTES_PER_MS = 100000,
	/* What a timed write may write at most, for the plan: no drive is quicker. */
	PLANNED_WRITE_BYTES_PER_MS = 16000000,
};

#define PLANNED_MOST_NS SECONDS(366ull * 86400)

struct asked {
	struct block_ask ask;        /* with all that was left to be found out */
	struct point points[MAX_POINTS];
};

static const char *unit_of(const char *quantity)
{
	return !strcmp(quantity, "bandwidth") ? "B/s" : !strcmp(quantity, "iops") ? "1/s" : !strcmp(quantity, "inflight") ? "1" : "ns";
}

static const char *metric_of(const struct asked *asked)
{
	return block_point_metric(&asked->ask, "bandwidth");
}

/* The point, and each cell of a study's table that it would have filled. */
__attribute__((format(printf, 3, 4)))
static void skip(struct ctx *ctx, const struct asked *asked, const char *format, ...)
{
	static struct facts facts;
	const struct block_cell *cell = asked->ask.cells;
	char why[MAX_MESSAGE];
	struct text text = TEXT(why);
	va_list args;

	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	if (!cell)
		emit_skip(ctx, metric_of(asked), asked->points, "%s", why);
	for (; cell && cell->quantity; cell++) {
		facts = (struct facts){ .count = 0 };
		fact_cell(&facts, cell->table, cell->row, cell->column, cell->reference_milli);
		emit_skip_cell(ctx, block_point_metric(&asked->ask, cell->quantity), unit_of(cell->quantity), asked->points, &facts, "%s", why);
	}
}

static void name_points(struct asked *asked, const struct device *device)
{
	const struct block_job *job = &asked->ask.job;

	if (asked->ask.points) {
		for (unsigned i = 0; i < MAX_POINTS && (!i || asked->ask.points[i - 1].key[0]); i++)
			asked->points[i] = asked->ask.points[i];
		return;
	}
	asked->points[0] = point_text("role", device->role);
	asked->points[1] = point_size("bs", job->bs_bytes);
	asked->points[2] = point_number("iodepth", job->iodepth);
	asked->points[3] = point_number("numjobs", job->numjobs ? job->numjobs : 1);
	asked->points[4] = (struct point)POINT_LIST_END;
}

/* A quarter of the free memory, and never more than was asked for; *why names the smaller one. */
static uint64_t buffer_limit_bytes(uint64_t asked_bytes, const char **why)
{
	uint64_t budget_bytes = map_budget_bytes(why);

	if (budget_bytes && budget_bytes / BUDGET_PART < asked_bytes)
		return budget_bytes / BUDGET_PART;
	*why = "buffers";
	return asked_bytes;
}

static bool fits_memory(struct ctx *ctx, const struct asked *asked)
{
	const struct block_job *job = &asked->ask.job;
	const char *why = "";
	uint64_t limit_bytes = buffer_limit_bytes(asked->ask.buffers_bytes, &why), need_bytes = block_buffer_bytes(job);
	char bs[24], need[24], limit[24];

	if (need_bytes <= limit_bytes)
		return true;
	skip(ctx, asked, "%s x %u x %u%s = %s of buffers, more than %s (%s)", number_size_word(job->bs_bytes, bs), job->iodepth,
	     job->numjobs ? job->numjobs : 1, block_reads(job->rw) && block_writes(job->rw) ? " x 2 (read and written)" : "",
	     number_size_word(need_bytes, need), number_size_word(limit_bytes, limit), why);
	return false;
}

/* The region, in whole blocks of the device and cut to it; a region behind its end is empty. */
static void set_region(struct block_job *job, const struct device *device)
{
	uint64_t left_bytes = device->size_bytes > job->offset_bytes ? device->size_bytes - job->offset_bytes : 0;

	if (!job->size_bytes || job->size_bytes > left_bytes)
		job->size_bytes = left_bytes;
	job->size_bytes -= job->size_bytes % device->logical_block_bytes;
}

static bool fits_device(struct ctx *ctx, const struct device *device, const struct asked *asked)
{
	const struct block_job *job = &asked->ask.job;

	if (block_writes(job->rw) && !device->writable)
		skip(ctx, asked, "%s is only read: writing needs a scratch", device->name);
	else if (job->bs_bytes % device->logical_block_bytes)
		skip(ctx, asked, "not a multiple of the device's blocks of %u B", device->logical_block_bytes);
	else if (job->offset_bytes % device->logical_block_bytes)
		skip(ctx, asked, "the offset is not a multiple of the device's blocks of %u B", device->logical_block_bytes);
	else if (job->bs_bytes > job->size_bytes)
		skip(ctx, asked, "the device is smaller: %" PRIu64 " B%s", job->size_bytes,
		          job->size_bytes < device->size_bytes ? " from the offset on, or of the size given" : "");
	else
		return true;
	return false;
}

/* ---- the plan ---- */

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t c;

	return __builtin_mul_overflow(a, b, &c) ? UINT64_MAX : c;
}

/* By a limit on blocks, which a timed job may reach by going round; else once through the region. */
static uint64_t most_bytes(const struct block_job *job)
{
	uint64_t bytes = job->limit_ios ? product(job->limit_ios, job->bs_bytes) : job->size_bytes;

	return job->runtime_ns || bytes < job->size_bytes ? bytes : job->size_bytes;
}

static uint64_t at_most_a_year(uint64_t time_ns)
{
	return time_ns < PLANNED_MOST_NS ? time_ns : PLANNED_MOST_NS;
}

/* Of a job without a time of its own. */
static uint64_t transfer_ns(const struct block_job *job)
{
	uint64_t bytes = most_bytes(job), ios = (bytes + job->bs_bytes - 1) / job->bs_bytes;
	uint64_t rate_iops = job->rate_iops * (job->numjobs ? job->numjobs : 1);
	uint64_t each_ns = US(block_is_random(job->rw) ? PLANNED_RANDOM_IO_US : PLANNED_IO_US) + (rate_iops ? SECONDS(1) / rate_iops + 1 : 0);

	return at_most_a_year(product(ios, each_ns)) + at_most_a_year(product(bytes / PLANNED_BYTES_PER_MS, MS(1)));
}

static uint64_t planned_ns(const struct block_ask *ask)
{
	const struct block_job *job = &ask->job;
	uint64_t extra_ns = ask->startdelay_ns + job->ramp_ns + MS(SLACK_MS) + (ask->choose_jobs ? JOBS_TRIALS * MS(JOBS_TRIAL_MS) : 0) +
	                    (job->engine == BLOCK_AUTO ? MS(TRIAL_MS) : 0);

	if (job->runtime_ns)
		return job->runtime_ns + extra_ns;
	return extra_ns + transfer_ns(job);
}

static uint64_t written_bytes(const struct block_job *job)
{
	if (!block_writes(job->rw))
		return 0;
	if (job->limit_ios || !job->runtime_ns)
		return most_bytes(job);
	return (job->runtime_ns + job->ramp_ns) / MS(1) * PLANNED_WRITE_BYTES_PER_MS;
}

/* With a cap on wear, a timed write becomes one of at most as many blocks as are left. */
static bool fits_wear(struct ctx *ctx, struct asked *asked)
{
	struct block_job *job = &asked->ask.job;
	uint64_t left_bytes = ctx_write_left(ctx);

	if (written_bytes(job) <= left_bytes)
		return true;
	if (job->runtime_ns && !job->limit_ios && left_bytes >= job->bs_bytes) {
		job->limit_ios = left_bytes / job->bs_bytes;
		return true;
	}
	skip(ctx, asked, "the board file's cap on wear (write_cap) leaves %" PRIu64 " B, not %" PRIu64,
	          left_bytes, written_bytes(job));
	return false;
}

/* ---- the real run ---- */

static const char *what_of(enum block_rw rw)
{
	return !block_writes(rw) ? "reads" : !block_reads(rw) ? "writes" : "reads or writes";
}

static enum block_point_end report(struct ctx *ctx, struct device *device, const struct asked *asked,
                                   const struct block_result *result, int err)
{
	const struct block_job *job = &asked->ask.job;
	bool failed = block_say(ctx, metric_of(asked), asked->points, device->node, what_of(job->rw), result, err);

	if (result->device_gone)
		device_lost(device);
	if (err)
		return POINT_FAILED;
	if (result->iodepth < job->iodepth) {
		skip(ctx, asked, "%s holds depth %u; iodepth=%u was asked%s%s", result->engine, result->iodepth,
		          job->iodepth, result->refused[0] ? ": " : "", result->refused);
		return POINT_SKIPPED;
	}
	if (!result->ios) {
		if (!failed)
			emit_error(ctx, metric_of(asked), asked->points, "%s: no I/O was done", device->node);
		return POINT_FAILED;
	}
	block_figures(ctx, device, &asked->ask, asked->points, result);
	device->measured++;
	return failed ? POINT_FAILED : POINT_MEASURED;
}

/* By trials; the point gets its name then. */
static int choose_jobs(struct asked *asked, const struct device *device)
{
	struct block_job *job = &asked->ask.job;
	uint64_t trial_ios = 0;
	const char *why;
	uint64_t limit_bytes = buffer_limit_bytes(asked->ask.buffers_bytes, &why);
	int err = block_choose_jobs(job, MS(JOBS_TRIAL_MS), limit_bytes, &job->numjobs, &trial_ios);

	if (job->limit_ios)
		job->limit_ios -= trial_ios < job->limit_ios ? trial_ios : job->limit_ios - 1;
	name_points(asked, device);
	return err;
}

static enum block_point_end measure(struct ctx *ctx, struct device *device, struct asked *asked, const struct block_result **result)
{
	static struct block_result measured;
	struct block_job *job = &asked->ask.job;
	int err = 0;

	job->fd = device->fd;
	/* Other places at each point: what one has read must not be cached for the next. */
	job->seed = ctx_seed(ctx) ^ job->bs_bytes << 16 ^ (uint64_t)job->rw << 12 ^ job->iodepth;
	if (asked->ask.startdelay_ns)
		sys_sleep_ns(asked->ask.startdelay_ns);
	if (block_writes(job->rw))
		err = device_allocate(ctx, job->offset_bytes, job->size_bytes);
	if (!err && asked->ask.choose_jobs)
		err = choose_jobs(asked, device);
	if (!err && !fits_memory(ctx, asked))
		return POINT_SKIPPED;
	if (err) {
		emit_error(ctx, metric_of(asked), asked->points, "%s: %s", device->node, sys_error(err));
		return POINT_FAILED;
	}
	err = block_run(job, &measured);
	if (result)
		*result = &measured;
	return report(ctx, device, asked, &measured, err);
}

enum block_point_end block_point_run(struct ctx *ctx, struct device *device, const struct block_ask *ask,
                                     const struct block_result **result)
{
	static struct asked asked;

	if (result)
		*result = NULL;
	asked.ask = *ask;
	set_region(&asked.ask.job, device);
	name_points(&asked, device);
	if (!fits_device(ctx, device, &asked) || !fits_memory(ctx, &asked) || !fits_wear(ctx, &asked))
		return POINT_SKIPPED;
	if (planned(ctx, planned_ns(&asked.ask), written_bytes(&asked.ask.job)))
		return POINT_PLANNED;
	return device_ready(ctx, device) ? measure(ctx, device, &asked, result) : POINT_FAILED;
}
