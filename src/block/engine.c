/* engine.c: chooses an engine, and the measuring loop that all of them share. */
#include <errno.h>
#include <string.h>

#include "block/engine.h"
#include "block/queue.h"
#include "lib/random.h"
#include "lib/text.h"
#include "lib/wide.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/map.h"

enum {
	INTERVALS = 32,
	IDLE_TURNS = 1000,
	QUICK_TURNS = 10,
	BUFFER_ALIGN = 64 << 10,     /* of the first; no logical block is larger */
	BUFFER_STEP = 4096,
};

struct run {
	const struct block_job *job;
	struct block_result *result;
	const struct block_engine *engine;
	struct block_queue queue;
	struct random random;
	uint64_t next_bytes;         /* where the next sequential block lies in the region */
	enum { WARMING, MEASURING, DONE } phase;
	uint64_t ramp_ticks, runtime_ticks, interval_ticks;
	uint64_t stamp_ticks;        /* when what is staged now was sent */
	uint64_t begin_ticks, last_ticks; /* of the measured span */
	uint64_t mark_ticks, mark_bytes;  /* where the current interval began */
	uint64_t busy_ticks;         /* in flight inside the span, summed over all I/Os */
	bool any_good;
	bool stop;
	int unsupported;             /* what the engine cannot do: -errno */
};

int block_queue_idle(struct block_queue *queue, int err)
{
	if (++queue->idle_turns > IDLE_TURNS)
		return err ? err : -EIO;
	if (queue->idle_turns > QUICK_TURNS)
		sys_sleep_ns(MS(1));
	return 0;
}

/* The next block's place and size; false when the region has been gone through once and that was all. */
static bool next_place(struct run *run, uint64_t *offset_bytes, size_t *bytes)
{
	const struct block_job *job = run->job;
	bool once = !job->runtime_ns;
	uint64_t left_bytes = job->size_bytes - run->next_bytes;

	*bytes = job->bs_bytes;
	if (job->rw == BLOCK_RANDREAD) {
		*offset_bytes = job->offset_bytes + random_below(&run->random, job->size_bytes / job->bs_bytes) * job->bs_bytes;
		return true;
	}
	if (once && !left_bytes)
		return false;
	if (once && left_bytes < job->bs_bytes)
		*bytes = left_bytes;
	else if (left_bytes < job->bs_bytes)
		run->next_bytes = 0;
	*offset_bytes = job->offset_bytes + run->next_bytes;
	run->next_bytes += *bytes;
	return true;
}

static void stage_next(struct run *run, unsigned slot)
{
	const struct block_job *job = run->job;
	struct block_io *io = &run->queue.ios[slot];

	if (run->stop || run->phase == DONE || !next_place(run, &io->offset_bytes, &io->memory.iov_len))
		return;
	io->write = job->rw == BLOCK_WRITE;
	if (io->write && job->visit)
		job->visit(job->context, io->offset_bytes, io->memory.iov_base, io->memory.iov_len);
	io->sent_ticks = run->stamp_ticks;
	run->engine->stage(&run->queue, slot);
}

bool block_is_fault(int err, bool any_good)
{
	switch (err) {
	case -ENOMEM:
	case -ENOSPC:
	case -EDQUOT:
	case -EPERM:
	case -EACCES:
	case -EAGAIN:
	case -EINTR:
	case -ENOBUFS:
		return false;
	case -EINVAL:
	case -EOPNOTSUPP:
	case -ENOSYS:
		return any_good;
	default:
		return true;
	}
}

/* Has the device shown that this engine reaches it, well or badly? */
static bool has_met_device(const struct run *run)
{
	return run->any_good || run->result->errors.count;
}

/* The engine cannot do it at all. */
static bool is_unsupported(const struct run *run, int err)
{
	return !has_met_device(run) && (err == -EPERM || block_is_fault(err, true) != block_is_fault(err, false));
}

static void note_error(struct run *run, const struct block_io *io, int err)
{
	struct block_result *result = run->result;
	struct block_errors *errors = block_is_fault(err, run->any_good) ? &result->errors : &result->refusals;

	if (is_unsupported(run, err)) {
		run->unsupported = err;
		run->stop = true;
		return;
	}
	if (!errors->count)
		errors->first_err = err;
	errors->at_bytes[errors->count++] = io->offset_bytes;
	result->device_gone |= err == -ENODEV || err == -ENXIO;
	run->stop |= errors->count >= BLOCK_MAX_ERRORS || result->device_gone;
}

/* The part of its time in flight that lies inside the measured span: what began in the warm-up, or ends behind it, is cut. */
static void add_busy(struct run *run, const struct block_io *io, uint64_t now_ticks)
{
	uint64_t from_ticks = io->sent_ticks > run->begin_ticks ? io->sent_ticks : run->begin_ticks;
	uint64_t to_ticks = run->phase == DONE ? run->last_ticks : now_ticks;

	if (run->phase != WARMING && to_ticks > from_ticks)
		run->busy_ticks += to_ticks - from_ticks;
}

static void account(struct run *run, const struct block_io *io, uint64_t now_ticks)
{
	struct block_result *result = run->result;

	add_busy(run, io, now_ticks);
	if (io->result != (int64_t)io->memory.iov_len) {
		note_error(run, io, io->result < 0 ? (int)io->result : -EIO);
		return;
	}
	run->any_good = true;
	if (!io->write && run->job->visit)
		run->job->visit(run->job->context, io->offset_bytes, io->memory.iov_base, io->memory.iov_len);
	if (run->phase == WARMING)
		result->discarded++;
	if (run->phase != MEASURING)
		return;
	result->ios++;
	result->bytes += io->memory.iov_len;
	result->flows[io->write].ios++;
	result->flows[io->write].bytes += io->memory.iov_len;
	histogram_add(&result->flows[io->write].lat, clock_ticks_to_ns(now_ticks - io->sent_ticks));
	run->last_ticks = now_ticks;
}

static void begin_interval(struct run *run, uint64_t now_ticks)
{
	run->mark_ticks = now_ticks;
	run->mark_bytes = run->result->bytes;
}

/* Intervals begin and end with a completion, so that few large blocks do not make them look unsteady. */
static void turn_phase(struct run *run, uint64_t now_ticks)
{
	struct block_result *result = run->result;

	if (run->phase == WARMING && now_ticks - run->begin_ticks >= run->ramp_ticks) {
		run->phase = MEASURING;
		run->begin_ticks = now_ticks;
		begin_interval(run, now_ticks);
		return;
	}
	if (run->phase != MEASURING || !run->job->runtime_ns)
		return;
	if (now_ticks - run->mark_ticks >= run->interval_ticks && result->bytes > run->mark_bytes) {
		samples_add(&result->flows[run->job->rw == BLOCK_WRITE].bandwidth, milli_per_second(result->bytes - run->mark_bytes,
		                                                 clock_ticks_to_ns(now_ticks - run->mark_ticks)));
		begin_interval(run, now_ticks);
	}
	if (now_ticks - run->begin_ticks >= run->runtime_ticks && result->ios)
		run->phase = DONE;
}

/* Keeps the queue full until the runtime is over, then lets it drain. */
static int pump(struct run *run)
{
	struct block_queue *queue = &run->queue;

	run->begin_ticks = run->stamp_ticks = clock_ticks();
	begin_interval(run, run->begin_ticks);
	for (unsigned slot = 0; slot < queue->depth; slot++)
		stage_next(run, slot);
	while (queue->staged + queue->inflight) {
		int count = run->engine->wait(queue);
		uint64_t now_ticks = clock_ticks();

		if (count < 0)
			return count;
		for (int i = 0; i < count; i++)
			account(run, &queue->ios[queue->done[i]], now_ticks);
		if (count)
			turn_phase(run, now_ticks);
		run->stamp_ticks = clock_ticks();
		for (int i = 0; i < count; i++)
			stage_next(run, queue->done[i]);
	}
	return run->unsupported;
}

static void finish(const struct run *run, struct block_result *result)
{
	result->iodepth = run->queue.depth;
	result->bandwidth_milli = result->iops_milli = result->inflight_milli = VALUE_NONE;
	if (!result->ios)
		return;
	result->time_ns = clock_ticks_to_ns(run->last_ticks - run->begin_ticks);
	result->bandwidth_milli = milli_per_second(result->bytes, result->time_ns);
	result->iops_milli = milli_per_second(result->ios, result->time_ns);
	result->inflight_milli = wide_ratio_milli(run->busy_ticks, run->last_ticks - run->begin_ticks);
	result->numjobs = 1;
	for (unsigned side = 0; side < BLOCK_SIDES; side++) {
		result->flows[side].bandwidth_milli = milli_per_second(result->flows[side].bytes, result->time_ns);
		result->flows[side].iops_milli = milli_per_second(result->flows[side].ios, result->time_ns);
	}
}

static void clear_result(struct block_result *result)
{
	result->errors.count = result->refusals.count = 0;
	result->device_gone = false;
	result->discarded = result->ios = result->bytes = result->time_ns = 0;
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

static void prepare(struct run *run, const struct block_job *job, struct block_result *result,
                    const struct block_engine *engine, char *buffers, uint64_t step_bytes)
{
	memset(run, 0, sizeof *run);
	clear_result(result);
	run->job = job;
	run->result = result;
	run->engine = engine;
	run->phase = job->ramp_ns ? WARMING : MEASURING;
	run->ramp_ticks = clock_ns_to_ticks(job->ramp_ns);
	run->runtime_ticks = clock_ns_to_ticks(job->runtime_ns);
	run->interval_ticks = run->runtime_ticks / INTERVALS;
	random_seed(&run->random, job->seed);
	run->queue.fd = job->fd;
	run->queue.depth = job->iodepth;
	for (unsigned i = 0; i < job->iodepth; i++)
		run->queue.ios[i].memory.iov_base = buffers + i * step_bytes;
	result->engine = engine->name;
}

/* 0; -errno when this engine cannot do it.  *lost: I/Os that the kernel may still be busy with. */
static int run_engine(struct run *run, unsigned *lost)
{
	int err = run->engine->open(&run->queue);

	if (err)
		return err;
	err = pump(run);
	run->engine->close(&run->queue);
	*lost = run->queue.inflight;
	return err;
}

static void add_refusal(struct block_result *result, const char *engine, int err)
{
	size_t length = strlen(result->refused);
	struct text refused = text_in(result->refused + length, sizeof result->refused - length);
	const char *name = sys_error(err);

	/* Only the symbol of "EPERM (operation not permitted)". */
	text_add_format(&refused, "%s%s: %.*s", length ? "; " : "", engine, (int)strcspn(name, " "), name);
}

static const struct block_engine *const engines[] = { &block_engine_uring, &block_engine_aio, &block_engine_psync };

/* In their order, or the one asked for alone.  A job that has met the device is not begun again by another engine. */
static int try_engines(struct run *run, const struct block_job *job, struct block_result *result, char *buffers,
                       uint64_t step_bytes, unsigned *lost)
{
	int err = -ENOSYS;

	for (unsigned i = 0; i < COUNT_OF(engines) && err && !*lost && !(run->engine && has_met_device(run)); i++) {
		if (job->engine != BLOCK_AUTO && job->engine != BLOCK_FIRST && job->engine != i + 1)
			continue;
		prepare(run, job, result, engines[i], buffers, step_bytes);
		err = run_engine(run, lost);
		if (err)
			add_refusal(result, engines[i]->name, err);
	}
	if (!err)
		finish(run, result);
	return err;
}

static bool is_sane(const struct block_job *job)
{
	return job->iodepth >= 1 && job->iodepth <= BLOCK_MAX_DEPTH && job->bs_bytes && job->size_bytes &&
	       (job->bs_bytes <= job->size_bytes || !job->runtime_ns) && (job->rw != BLOCK_RANDREAD || job->runtime_ns);
}

int block_run(const struct block_job *job, struct block_result *result)
{
	uint64_t step_bytes = (job->bs_bytes + BUFFER_STEP - 1) / BUFFER_STEP * BUFFER_STEP;
	size_t buffer_bytes = job->iodepth * step_bytes + BUFFER_ALIGN;
	void *state = NULL, *buffers = NULL;
	unsigned lost = 0;
	int err;

	result->refused[0] = '\0';
	result->engine = "none";
	clear_result(result);
	if (!is_sane(job))
		return -EINVAL;
	err = map_memory(sizeof(struct run), MAP_PAGE_SMALL, &state);
	if (!err)
		err = map_memory(buffer_bytes, MAP_PAGE_THP, &buffers);
	if (!err) {
		char *aligned = (char *)(((uintptr_t)buffers + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN);
		clock_quality();
		err = try_engines(state, job, result, aligned, step_bytes, &lost);
	}
	/* Memory that the kernel may still write to is left where it is. */
	if (buffers && !lost)
		unmap_memory(buffers, buffer_bytes);
	if (state && !lost)
		unmap_memory(state, sizeof(struct run));
	return err;
}

int block_read_once(int fd, uint64_t offset_bytes, size_t bytes)
{
	void *buffer;
	ssize_t count;
	int err = map_memory(bytes + BUFFER_ALIGN, MAP_PAGE_SMALL, &buffer);

	if (err)
		return err;
	count = sys_pread(fd, (char *)buffer + BUFFER_ALIGN - (uintptr_t)buffer % BUFFER_ALIGN, bytes, offset_bytes);
	unmap_memory(buffer, bytes + BUFFER_ALIGN);
	if (count < 0)
		return (int)count;
	return (size_t)count == bytes ? 0 : -EIO;
}

int block_choose_jobs(const struct block_job *job, uint64_t trial_ns, unsigned *numjobs, uint64_t *trial_ios)
{
	(void)job;
	(void)trial_ns;
	*trial_ios = 0;
	*numjobs = 1;
	return 0;
}

bool block_reads(enum block_rw rw)
{
	return rw != BLOCK_WRITE && rw != BLOCK_RANDWRITE;
}

bool block_writes(enum block_rw rw)
{
	return rw != BLOCK_READ && rw != BLOCK_RANDREAD;
}

bool block_is_random(enum block_rw rw)
{
	return rw == BLOCK_RANDREAD || rw == BLOCK_RANDWRITE || rw == BLOCK_RANDRW;
}
