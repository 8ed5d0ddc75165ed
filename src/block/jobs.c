/*
 * jobs.c: the jobs of a run, a thread each on a CPU of its own; they set off together, and their results become one.
 *
 * One job alone runs in the calling thread, wherever that may run.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "block/fill.h"
#include "block/pump.h"
#include "lib/text.h"
#include "lib/wide.h"
#include "scratch_block.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { INTERVALS = 32, LEAST_INTERVALS = 16 };

_Static_assert(SCRATCH_MAGIC_BYTES == sizeof(uint64_t), "a word of a buffer");

void jobs_clear(struct block_result *result)
{
	result->errors.count = result->refusals.count = result->write_errors = 0;
	result->device_gone = result->precise = result->fixed_buffers = result->fixed_file = false;
	result->discarded = result->tried_ios = result->ios = result->bytes = result->time_ns = 0;
	result->user_ns = result->system_ns = 0;
	result->iodepth = result->numjobs = result->shared_cpus = 0;
	result->bandwidth_milli = result->iops_milli = result->inflight_milli = VALUE_NONE;
	for (unsigned side = 0; side < BLOCK_SIDES; side++) {
		struct block_flow *flow = &result->flows[side];

		flow->ios = flow->bytes = 0;
		flow->bandwidth_milli = flow->iops_milli = VALUE_NONE;
		samples_clear(&flow->bandwidth);
		histogram_clear(&flow->lat);
		histogram_clear(&flow->slat);
		histogram_clear(&flow->clat);
	}
}

/* ---- one job's thread ---- */

/* Its pages are there, and near this CPU, before anything is measured. */
static void prepare_buffers(struct block_lane *lane, char *buffers)
{
	struct block_run *run = lane->run;
	const struct block_job *job = run->job;
	uint64_t bytes = run->step_bytes * job->iodepth, seed = job->seed ^ (uint64_t)(lane->number + 1) << 40;

	if (run->filled[lane->number])
		return;
	run->filled[lane->number] = true;
	if (block_writes(job->rw) && !job->visit)
		fill_buffer(buffers, bytes, seed);
	else
		for (uint64_t at = 0; at < bytes; at += KIB)
			((volatile char *)buffers)[at] = 0;
}

static void prepare_lane(struct block_lane *lane, struct block_run *run, unsigned number)
{
	const struct block_job *job = run->job;
	char *buffers = run->buffers + number * job->iodepth * run->step_bytes;

	memset(lane, 0, sizeof *lane);
	lane->run = run;
	lane->job = job;
	lane->engine = run->engine;
	lane->part_bytes = run->part_bytes;
	lane->slat = job->slat && run->engine->send;
	lane->paced = job->rate_iops;
	lane->number = number;
	place_prepare(&lane->place, job, number, &run->zipf);
	lane->asked = lane->place.left;
	lane->queue.fd = job->fd;
	lane->queue.depth = job->iodepth;
	lane->queue.buffer_bytes = run->write_at_bytes + job->bs_bytes;
	for (unsigned i = 0; i < job->iodepth; i++) {
		lane->queue.ios[i].buffers[BLOCK_SIDE_READ] = buffers + i * run->step_bytes;
		lane->queue.ios[i].buffers[BLOCK_SIDE_WRITE] = buffers + i * run->step_bytes + run->write_at_bytes;
	}
	prepare_buffers(lane, buffers);
}

/* The last to come sets the time from which all begin. */
static void gather(struct block_run *run)
{
	if (atomic_fetch_add(&run->gathered, 1) + 1 == run->jobs) {
		run->start_ticks = clock_ticks();
		run->begin_ticks = run->ramp_ticks ? 0 : run->start_ticks;
		run->going = true;
		sys_call(SYS_futex, &run->going, FUTEX_WAKE_PRIVATE, INT_MAX);
	}
	while (!run->going)
		sys_call(SYS_futex, &run->going, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static uint64_t time_of(const struct timeval *time)
{
	return SECONDS((uint64_t)time->tv_sec) + US((uint64_t)time->tv_usec);
}

/* Adds the thread's time so far, or takes it off. */
static void add_cpu_time(struct block_result *result, bool add)
{
	struct rusage use = { .ru_utime = { 0 } };
	uint64_t sign = add ? 1 : -1ull;

	if (sys_call(SYS_getrusage, RUSAGE_THREAD, &use))
		return;
	result->user_ns += sign * time_of(&use.ru_utime);
	result->system_ns += sign * time_of(&use.ru_stime);
}

static void run_opened(struct block_lane *lane)
{
	struct block_run *run = lane->run;

	if (!run->open_err) {
		add_cpu_time(&lane->result, false);
		lane->err = pump_run(lane);
		add_cpu_time(&lane->result, true);
	}
	if (lane->err)
		run->stop = true;
	lane->result.iodepth = lane->queue.depth;
	lane->result.fixed_file = lane->queue.fixed_file;
	lane->result.fixed_buffers = lane->queue.fixed_buffers;
	run->engine->close(&lane->queue);
}

static void lane_work(unsigned number, void *context)
{
	struct block_run *run = context;
	struct block_lane *lane = &run->lanes[number];
	int none = 0, err;

	prepare_lane(lane, run, number);
	err = run->engine->open(&lane->queue);
	if (err)
		atomic_compare_exchange_strong(&run->open_err, &none, err);
	gather(run);
	if (err)
		lane->err = err;
	else
		run_opened(lane);
}

/* ---- all of them ---- */

static uint64_t interval_ns(const struct block_job *job)
{
	uint64_t interval = job->runtime_ns / INTERVALS, least = job->runtime_ns / MAX_SAMPLES;

	if (job->precision_ppm && job->runtime_min_ns)
		interval = job->runtime_min_ns / LEAST_INTERVALS;
	return interval > least ? interval : least;
}

/* With a limit so low that a warm-up by count would leave nothing to measure, there is none. */
static uint64_t ramp_ns(const struct block_run *run, const struct block_job *job)
{
	uint64_t each = job->limit_ios / run->jobs;

	return job->limit_ios && each <= pump_warm_up_ios(each, job->iodepth) + job->iodepth ? 0 : job->ramp_ns;
}

static void prepare_run(struct block_run *run, const struct block_job *job, const struct block_engine *engine)
{
	run->job = job;
	run->engine = engine;
	run->ramp_ticks = clock_ns_to_ticks(ramp_ns(run, job));
	run->runtime_ticks = clock_ns_to_ticks(job->runtime_ns);
	run->runtime_min_ticks = clock_ns_to_ticks(job->runtime_min_ns);
	run->interval_ticks = clock_ns_to_ticks(interval_ns(job));
	run->gathered = run->going = 0;
	run->open_err = 0;
	run->start_ticks = run->begin_ticks = run->end_ticks = 0;
	run->stop = run->any_good = run->precise = false;
}

/* Round and round over the CPUs there are.  How many jobs have a CPU that another one has, too. */
static unsigned list_cpus(struct cpu_list *cpus, unsigned jobs)
{
	unsigned count;

	cpu_allowed(cpus);
	count = cpus->count;
	for (unsigned i = count; i < jobs; i++)
		cpus->cpus[i] = cpus->cpus[i - count];
	if (jobs <= count)
		return 0;
	cpus->count = jobs;
	return jobs >= 2 * count ? jobs : 2 * (jobs - count);
}

static int start_all(struct block_run *run, struct block_result *result)
{
	struct cpu_list cpus;
	char name[24];
	int err;

	if (run->jobs == 1) {
		lane_work(0, run);
		return 0;
	}
	result->shared_cpus = list_cpus(&cpus, run->jobs);
	err = team_run(&run->team, &cpus, run->jobs, lane_work, run);
	if (err) {
		text_format(name, sizeof name, "a thread on CPU %u", run->team.error_cpu);
		engine_add_refusal(result, name, err);
	}
	return err;
}

void jobs_add_errors(struct block_errors *into, const struct block_errors *from)
{
	if (!into->count)
		into->first_err = from->first_err;
	for (unsigned i = 0; i < from->count && into->count < COUNT_OF(into->at_bytes); i++)
		into->at_bytes[into->count++] = from->at_bytes[i];
}

static void add_samples(struct samples *into, const struct samples *from, bool first)
{
	if (first || from->count < into->count)
		into->count = from->count;
	for (unsigned i = 0; i < into->count; i++)
		into->values[i] = (first ? 0 : into->values[i]) + from->values[i];
}

static void add_flow(struct block_flow *into, const struct block_flow *from, const struct histogram *clat, bool first)
{
	into->ios += from->lat.count;
	into->bytes += from->bytes;
	add_samples(&into->bandwidth, &from->bandwidth, first);
	histogram_merge(&into->lat, &from->lat);
	histogram_merge(&into->slat, &from->slat);
	histogram_merge(&into->clat, clat);
}

static void add_lane(struct block_result *into, const struct block_lane *lane)
{
	const struct block_result *from = &lane->result;
	bool first = !lane->number;

	jobs_add_errors(&into->errors, &from->errors);
	jobs_add_errors(&into->refusals, &from->refusals);
	into->write_errors += from->write_errors;
	into->device_gone |= from->device_gone;
	into->discarded += from->discarded;
	into->tried_ios += lane->asked - lane->place.left;
	into->user_ns += from->user_ns;
	into->system_ns += from->system_ns;
	into->fixed_file = (first || into->fixed_file) && from->fixed_file;
	into->fixed_buffers = (first || into->fixed_buffers) && from->fixed_buffers;
	if (first || from->iodepth < into->iodepth)
		into->iodepth = from->iodepth;
	for (unsigned side = 0; side < BLOCK_SIDES; side++) {
		const struct block_flow *flow = &from->flows[side];

		/* Sent and done by one call: it is all clat, as fio has it. */
		add_flow(&into->flows[side], flow, lane->job->slat && !lane->slat ? &flow->lat : &flow->clat, first);
		into->ios += from->flows[side].lat.count;
		into->bytes += from->flows[side].bytes;
	}
}

static void set_rates(const struct block_run *run, struct block_result *result)
{
	uint64_t last_ticks = 0, busy_ticks = 0;

	for (unsigned i = 0; i < run->jobs; i++) {
		const struct block_lane *lane = &run->lanes[i];

		last_ticks = lane->last_ticks > last_ticks ? lane->last_ticks : last_ticks;
		busy_ticks += lane->busy_ticks;
	}
	if (!result->ios)
		return;
	result->time_ns = clock_ticks_to_ns(last_ticks - run->begin_ticks);
	result->bandwidth_milli = milli_per_second(result->bytes, result->time_ns);
	result->iops_milli = milli_per_second(result->ios, result->time_ns);
	result->inflight_milli = wide_ratio_milli(busy_ticks, last_ticks - run->begin_ticks);
	for (unsigned side = 0; side < BLOCK_SIDES; side++) {
		struct block_flow *flow = &result->flows[side];

		if (flow->ios) {
			flow->bandwidth_milli = milli_per_second(flow->bytes, result->time_ns);
			flow->iops_milli = milli_per_second(flow->ios, result->time_ns);
		}
	}
}

bool jobs_met_device(const struct block_result *result)
{
	return result->ios || result->discarded || result->errors.count;
}

/* The first job's error, and how much of the memory may still be written to. */
static int end_of(struct block_run *run)
{
	int err = 0;

	for (unsigned i = run->jobs; i-- > 0; ) {
		err = run->lanes[i].err ? run->lanes[i].err : err;
		run->lost += run->lanes[i].queue.inflight;
	}
	return err ? err : run->open_err;
}

int jobs_run(struct block_run *run, const struct block_job *job, const struct block_engine *engine, struct block_result *result)
{
	int err;

	jobs_clear(result);
	prepare_run(run, job, engine);
	result->engine = engine->name;
	result->numjobs = run->jobs;
	err = start_all(run, result);
	if (err)
		return err;
	for (unsigned i = 0; i < run->jobs; i++)
		add_lane(result, &run->lanes[i]);
	result->precise = run->precise;
	set_rates(run, result);
	return end_of(run);
}
