/*
 * pump.c: see pump.h.  One reading of the clock for a batch of completions, one for the batch sent after it.
 *
 * The measured span is of all jobs together: the first completion behind the warm-up, whichever job's it is, begins it and is
 * itself not counted; the first at or behind the runtime ends it.  Intervals are each job's own, from completion to completion,
 * so that few large blocks do not make them look unsteady.
 */
#include <errno.h>

#include "block/pump.h"
#include "sys/call.h"
#include "sys/clock.h"

enum {
	IDLE_TURNS = 1000,
	QUICK_TURNS = 10,
	WAKE_NS = 100000,            /* a sleep may end that much late: the rest is waited for awake */
	LONGEST_NAP_NS = 10000000,
};

__attribute__((cold)) int block_queue_idle(struct block_queue *queue, int err)
{
	if (++queue->idle_turns > IDLE_TURNS)
		return err ? err : -EIO;
	if (queue->idle_turns > QUICK_TURNS)
		sys_sleep_ns(MS(1));
	return 0;
}

__attribute__((cold)) bool block_is_fault(int err, bool any_good)
{
	switch (err) {
	case -ENOMEM:
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
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

/* ---- sending ---- */

static bool sends_no_more(const struct block_lane *lane)
{
	return !lane->place.left || lane->phase == DONE || atomic_load_explicit(&lane->run->stop, memory_order_relaxed);
}

static inline void stage_part(struct block_lane *lane, struct block_io *io, unsigned slot, uint64_t bytes)
{
	uint64_t part_bytes = bytes < lane->part_bytes ? bytes : lane->part_bytes;

	io->memory.iov_len = part_bytes;
	io->rest_bytes = bytes - part_bytes;
	lane->engine->stage(&lane->queue, slot);
}

static inline __attribute__((always_inline)) void stage_next(struct block_lane *lane, uint64_t made_ticks)
{
	const struct block_job *job = lane->job;
	unsigned slot = lane->free[--lane->free_count];
	struct block_io *io = &lane->queue.ios[slot];
	struct block_at at = place_next(&lane->place);
	uint64_t bytes = place_bytes(&lane->place, at.offset_bytes);

	io->offset_bytes = at.offset_bytes;
	io->write = at.write;
	io->memory.iov_base = io->buffer = io->buffers[at.write];
	io->made_ticks = made_ticks;
	io->staged_ticks = lane->stamp_ticks;
	if (at.write && job->visit)
		job->visit(job->context, io->offset_bytes, io->buffer, bytes);
	stage_part(lane, io, slot, bytes);
}

static void next_due(struct block_lane *lane)
{
	lane->due_ticks += lane->period_ticks;
	lane->due_rest += lane->period_rest;
	if (lane->due_rest >= lane->job->rate_iops) {
		lane->due_rest -= lane->job->rate_iops;
		lane->due_ticks++;
	}
}

/* A block that is late for want of a free slot is made all the same, at its intended time. */
__attribute__((noinline)) static void stage_due(struct block_lane *lane)
{
	while (lane->free_count && lane->place.left && lane->due_ticks <= lane->stamp_ticks) {
		stage_next(lane, lane->due_ticks);
		next_due(lane);
	}
}

static inline __attribute__((always_inline)) void refill(struct block_lane *lane)
{
	uint64_t count = lane->place.left < lane->free_count ? lane->place.left : lane->free_count;

	if (!count || lane->phase == DONE || atomic_load_explicit(&lane->run->stop, memory_order_relaxed))
		return;
	if (lane->paced) {
		stage_due(lane);
		return;
	}
	for (; count; count--)
		stage_next(lane, lane->stamp_ticks);
}

/* Nothing is in flight: false when nothing will be, either; else the next block's time has come. */
__attribute__((noinline)) static bool wait_until_due(struct block_lane *lane)
{
	while (!sends_no_more(lane) && lane->paced && !lane->run->end_ticks) {
		uint64_t now_ticks = clock_ticks(), left_ns;

		if (now_ticks >= lane->due_ticks) {
			lane->stamp_ticks = now_ticks;
			return true;
		}
		left_ns = clock_ticks_to_ns(lane->due_ticks - now_ticks);
		if (left_ns > WAKE_NS)
			sys_sleep_ns(left_ns - WAKE_NS < LONGEST_NAP_NS ? left_ns - WAKE_NS : LONGEST_NAP_NS);
	}
	return false;
}

/* With a rate, a free slot means that the next block is not due yet: meanwhile nobody may sleep. */
static unsigned least_to_reap(const struct block_lane *lane)
{
	return !lane->free_count || sends_no_more(lane);
}

/* What was staged just now stands behind the free slots still.  The error of sending is met again by wait. */
__attribute__((noinline)) static void send_timed(struct block_lane *lane, unsigned free_before)
{
	struct block_queue *queue = &lane->queue;
	uint64_t sent_ticks;

	if (lane->free_count == free_before)
		return;
	lane->engine->send(queue);
	sent_ticks = clock_ticks();
	for (unsigned i = lane->free_count; i < free_before; i++)
		queue->ios[lane->free[i]].sent_ticks = sent_ticks;
}

/* ---- accounting ---- */

static bool has_been_good(const struct block_lane *lane)
{
	return lane->any_good || lane->run->any_good;
}

/* The engine cannot do it at all: nothing has been good or bad before. */
static bool is_unsupported(const struct block_lane *lane, int err)
{
	return !has_been_good(lane) && !lane->result.errors.count &&
	       (err == -EPERM || block_is_fault(err, true) != block_is_fault(err, false));
}

__attribute__((cold, noinline)) static void note_error(struct block_lane *lane, const struct block_io *io, int err)
{
	struct block_result *result = &lane->result;
	struct block_errors *errors = block_is_fault(err, has_been_good(lane)) ? &result->errors : &result->refusals;

	if (is_unsupported(lane, err)) {
		lane->unsupported = err;
		lane->run->stop = true;
		return;
	}
	if (!errors->count)
		errors->first_err = err;
	errors->at_bytes[errors->count++] = io->offset_bytes;
	result->write_errors += io->write;
	result->device_gone |= err == -ENODEV || err == -ENXIO;
	if (errors->count >= BLOCK_MAX_ERRORS || result->device_gone)
		lane->run->stop = true;
}

static uint64_t ns_of(const struct block_lane *lane, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * lane->ns_per_tick >> 32);
}

__attribute__((noinline)) static void add_parts_of_latency(const struct block_lane *lane, const struct block_io *io, struct block_flow *flow,
                                                               uint64_t lat_ns)
{
	uint64_t slat_ns = ns_of(lane, io->sent_ticks - io->made_ticks);

	histogram_add(&flow->slat, slat_ns);
	histogram_add(&flow->clat, lat_ns - slat_ns);
}

static inline void count_block(struct block_lane *lane, const struct block_io *io, uint64_t now_ticks)
{
	const struct block_job *job = lane->job;
	struct block_flow *flow = &lane->result.flows[io->write];
	uint64_t before_bytes = (uint64_t)((char *)io->memory.iov_base - io->buffer), bytes = before_bytes + io->memory.iov_len, lat_ns;

	if (!lane->any_good)
		lane->any_good = lane->run->any_good = true;
	if (job->visit && !io->write)
		job->visit(job->context, io->offset_bytes - before_bytes, io->buffer, bytes);
	if (lane->phase != MEASURING) {
		lane->result.discarded += lane->phase == WARMING;
		return;
	}
	lat_ns = ns_of(lane, now_ticks - io->made_ticks);
	flow->bytes += bytes;
	histogram_add(&flow->lat, lat_ns);
	if (lane->slat)
		add_parts_of_latency(lane, io, flow, lat_ns);
	lane->busy_ticks += now_ticks - io->staged_ticks;
	lane->last_ticks = now_ticks;
}

__attribute__((noinline)) static bool next_part(struct block_lane *lane, struct block_io *io, unsigned slot)
{
	if (lane->phase == DONE || lane->run->stop)
		return false;
	io->offset_bytes += io->memory.iov_len;
	io->memory.iov_base = (char *)io->memory.iov_base + io->memory.iov_len;
	stage_part(lane, io, slot, io->rest_bytes);
	return true;
}

static inline void reap_slot(struct block_lane *lane, unsigned slot, uint64_t now_ticks)
{
	struct block_io *io = &lane->queue.ios[slot];

	if (io->result != (int64_t)io->memory.iov_len)
		note_error(lane, io, io->result < 0 ? (int)io->result : -EIO);
	else if (!io->rest_bytes)
		count_block(lane, io, now_ticks);
	else if (next_part(lane, io, slot))
		return;
	lane->free[lane->free_count++] = slot;
}

static uint64_t ticks_until(const struct block_io *io, uint64_t moment_ticks)
{
	return moment_ticks > io->staged_ticks ? moment_ticks - io->staged_ticks : 0;
}

/* How long what is in flight had been so at that moment: all slots but the free ones. */
__attribute__((cold)) static uint64_t busy_until(const struct block_lane *lane, uint64_t moment_ticks)
{
	const struct block_io *ios = lane->queue.ios;
	uint64_t sum_ticks = 0;

	for (unsigned i = 0; i < lane->queue.depth; i++)
		sum_ticks += ticks_until(&ios[i], moment_ticks);
	for (unsigned i = 0; i < lane->free_count; i++)
		sum_ticks -= ticks_until(&ios[lane->free[i]], moment_ticks);
	return sum_ticks;
}

/* ---- phases ---- */

static void mark_interval(struct block_lane *lane, uint64_t now_ticks)
{
	lane->mark_ticks = now_ticks;
	for (unsigned side = 0; side < BLOCK_SIDES; side++)
		lane->mark_bytes[side] = lane->result.flows[side].bytes;
}

/* 0 becomes now; what it is then. */
static uint64_t claim(_Atomic uint64_t *moment, uint64_t now_ticks)
{
	uint64_t none = 0;

	return atomic_compare_exchange_strong(moment, &none, now_ticks) ? now_ticks : none;
}

/* What is in flight then counts for the span as far as it lies in it. */
static void end_span(struct block_lane *lane, uint64_t end_ticks)
{
	lane->busy_ticks += busy_until(lane, end_ticks);
	lane->phase = DONE;
}

/* A job of few blocks must not spend them all on its warm-up: an eighth of them is enough. */
static bool is_warm(const struct block_lane *lane, uint64_t now_ticks)
{
	return now_ticks - lane->run->start_ticks >= lane->run->ramp_ticks ||
	       (lane->job->limit_ios && lane->asked - lane->place.left > pump_warm_up_ios(lane->asked, lane->queue.depth));
}

/* To what phase does a batch belong that was reaped now? */
__attribute__((cold, noinline)) static void begin_batch(struct block_lane *lane, uint64_t now_ticks)
{
	struct block_run *run = lane->run;
	uint64_t end_ticks;

	if (lane->phase == WARMING && is_warm(lane, now_ticks)) {
		lane->begin_ticks = claim(&run->begin_ticks, now_ticks);
		if (now_ticks > lane->begin_ticks) {
			lane->phase = MEASURING;
			lane->busy_ticks -= busy_until(lane, lane->begin_ticks);
		}
	}
	end_ticks = atomic_load_explicit(&run->end_ticks, memory_order_relaxed);
	if (end_ticks && now_ticks > end_ticks && lane->phase == MEASURING)
		end_span(lane, end_ticks);
}

__attribute__((cold)) static bool is_precise(const struct block_lane *lane, uint64_t now_ticks)
{
	const struct block_run *run = lane->run;
	const struct samples *reads = &lane->result.flows[BLOCK_SIDE_READ].bandwidth;
	const struct samples *writes = &lane->result.flows[BLOCK_SIDE_WRITE].bandwidth;
	struct samples both = { .count = reads->count > writes->count ? reads->count : writes->count };

	if (!run->job->precision_ppm || lane->number || now_ticks - lane->begin_ticks < run->runtime_min_ticks)
		return false;
	for (unsigned i = 0; i < both.count; i++)
		both.values[i] = (i < reads->count ? reads->values[i] : 0) + (i < writes->count ? writes->values[i] : 0);
	return precise_enough(&both, run->job->precision_ppm);
}

__attribute__((cold)) static void end_interval(struct block_lane *lane, uint64_t now_ticks)
{
	const struct block_job *job = lane->job;
	uint64_t time_ns = clock_ticks_to_ns(now_ticks - lane->mark_ticks);

	for (unsigned side = 0; side < BLOCK_SIDES; side++) {
		struct block_flow *flow = &lane->result.flows[side];

		if (side == BLOCK_SIDE_READ ? block_reads(job->rw) : block_writes(job->rw))
			samples_add(&flow->bandwidth, milli_per_second(flow->bytes - lane->mark_bytes[side], time_ns));
	}
	mark_interval(lane, now_ticks);
	if (is_precise(lane, now_ticks)) {
		lane->run->precise = true;
		end_span(lane, claim(&lane->run->end_ticks, now_ticks));
	}
}

static uint64_t bytes_since_mark(const struct block_lane *lane)
{
	const struct block_flow *flows = lane->result.flows;

	return flows[BLOCK_SIDE_READ].bytes - lane->mark_bytes[BLOCK_SIDE_READ] + flows[BLOCK_SIDE_WRITE].bytes -
	       lane->mark_bytes[BLOCK_SIDE_WRITE];
}

/* The next moment at which a batch may begin or end something; another job's precision may end the span at any time. */
static void look_again(struct block_lane *lane)
{
	const struct block_run *run = lane->run;
	uint64_t interval_ticks = lane->mark_ticks + run->interval_ticks, end_ticks = lane->begin_ticks + run->runtime_ticks;

	if (!run->runtime_ticks)
		lane->look_ticks = UINT64_MAX;
	else if (!run->job->precision_ppm || !lane->number)
		lane->look_ticks = interval_ticks < end_ticks ? interval_ticks : end_ticks;
}

static void end_what_is_over(struct block_lane *lane, uint64_t now_ticks)
{
	struct block_run *run = lane->run;

	if (now_ticks - lane->mark_ticks >= run->interval_ticks && bytes_since_mark(lane))
		end_interval(lane, now_ticks);
	if (lane->phase == MEASURING && now_ticks - lane->begin_ticks >= run->runtime_ticks && lane->last_ticks)
		end_span(lane, claim(&run->end_ticks, now_ticks));
}

__attribute__((cold, noinline)) static void end_batch(struct block_lane *lane, uint64_t now_ticks, int count)
{
	if (!count || lane->begin_ticks == UINT64_MAX || lane->phase == DONE)
		return;
	if (!lane->mark_ticks)
		mark_interval(lane, now_ticks);
	if (lane->phase == WARMING)
		return;
	if (lane->run->runtime_ticks)
		end_what_is_over(lane, now_ticks);
	look_again(lane);
}

/* ---- the loop ---- */

__attribute__((noinline)) static void set_out(struct block_lane *lane)
{
	struct block_run *run = lane->run;
	uint64_t second_ticks = clock_ns_to_ticks(SECONDS(1)), rate = run->job->rate_iops;

	lane->stamp_ticks = lane->due_ticks = run->start_ticks;
	lane->ns_per_tick = clock_ns_per_tick();
	lane->begin_ticks = UINT64_MAX;
	lane->phase = run->ramp_ticks ? WARMING : MEASURING;
	if (lane->phase == MEASURING)
		lane->begin_ticks = lane->mark_ticks = lane->run->start_ticks;
	if (rate) {
		lane->period_ticks = second_ticks / rate;
		lane->period_rest = second_ticks % rate;
	}
	for (unsigned slot = lane->queue.depth; slot-- > 0; )
		lane->free[lane->free_count++] = slot;
}

int pump_run(struct block_lane *lane)
{
	struct block_queue *queue = &lane->queue;
	const struct block_engine *engine = lane->engine;

	set_out(lane);
	for (;;) {
		uint64_t now_ticks;
		unsigned free_before = lane->free_count;
		int count;

		refill(lane);
		if (!(queue->staged + queue->inflight)) {
			if (!wait_until_due(lane))
				return lane->unsupported;
			continue;
		}
		if (lane->slat)
			send_timed(lane, free_before);
		count = engine->wait(queue, lane->paced ? least_to_reap(lane) : 1);
		now_ticks = clock_ticks();
		if (count < 0)
			return count;
		if (now_ticks >= lane->look_ticks)
			begin_batch(lane, now_ticks);
		for (int i = 0; i < count; i++)
			reap_slot(lane, queue->done[i], now_ticks);
		if (now_ticks >= lane->look_ticks)
			end_batch(lane, now_ticks, count);
		lane->stamp_ticks = clock_ticks();
	}
}
