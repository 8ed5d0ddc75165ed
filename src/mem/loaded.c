/*
 * loaded.c: see loaded.h.  One measurement at a time: the state is static, since thread stacks are small.
 *
 * All threads run from the first delay to the last.  The chaser leads: it sets the delay and a number, each injector shows that number once it
 * works with that delay, and goes on so until the next number comes: nobody stops while the chaser measures.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/random.h"
#include "lib/wide.h"
#include "mem/chase.h"
#include "mem/loaded.h"
#include "sys/clock.h"
#include "sys/team.h"

enum {
	STEP_BYTES = 512,          /* of each array, between two waits */
	SPIN_TURNS = 1 << 15,      /* of one measurement of the spin: about 10 us */
	SPIN_TRIES = 3,
	BATCHES_WANTED = 128,
	BATCHES_MIN = 3,
	SETTLE_PART = 8,           /* of a delay's time, before it counts */
	LINE_PAIR_BYTES = 128,
	READING_TRIES = 8,
};
static const uint64_t trial_bytes = 32 * MIB, settle_least_ns = US(200), reading_ns = US(20);
static const unsigned no_number = 0, stop_number = UINT32_MAX;

struct injector {
	_Alignas(LINE_PAIR_BYTES) _Atomic uint64_t bytes; /* moved; on a line pair of its own, so that counting disturbs nobody */
	_Atomic unsigned seen;
	struct stream_part part;
	uint64_t step_bytes, done, wrong; /* done: steps since the part was filled */
};

static struct {
	_Alignas(LINE_PAIR_BYTES) _Atomic unsigned number; /* of the delay in work, from 1 */
	unsigned delay;                                    /* its index */
	_Alignas(LINE_PAIR_BYTES) const struct loaded_job *job;
	struct loaded_result *result;
	const struct mem_kernel *kernel;
	struct buffer buffer;
	uint64_t part_bytes;                               /* whole pages */
	struct chase chase;
	struct chase_proof proof;
	struct samples batches;
	_Atomic uint64_t waits_ps[LOADED_MAX_DELAYS];      /* what a wait took, over injectors and rounds */
	struct team team;
	struct injector injectors[MAX_THREADS];
} loaded;

/* This file is compiled for speed, but only what is not RARE is timed. */
#define RARE __attribute__((cold, noinline))

/* ---- injectors ---- */

static inline void spin(uint64_t turns)
{
	while (turns--)
		__asm__ volatile("" : "+r"(turns));
}

/* Of one such wait, as it comes in the loop, its end that the CPU cannot foresee among it; the quickest try, which nothing has interrupted. */
static __attribute__((noinline)) uint64_t time_of_spin_ps(uint64_t turns)
{
	uint64_t waits = SPIN_TURNS / (turns + 1) + 1, quickest = UINT64_MAX;

	for (unsigned i = 0; i < SPIN_TRIES; i++) {
		uint64_t before = clock_ticks(), ticks;

		for (uint64_t wait = 0; wait < waits; wait++)
			spin(turns);
		ticks = clock_ticks() - before;
		if (ticks < quickest)
			quickest = ticks;
	}
	return clock_ticks_to_ns(quickest) * 1000 / waits;
}

static __attribute__((noinline)) void inject(struct injector *me, unsigned number, uint64_t turns)
{
	const struct stream_part part = me->part;
	const struct mem_kernel *kernel = loaded.kernel;
	uint64_t bytes = atomic_load_explicit(&me->bytes, memory_order_relaxed), step_bytes = me->step_bytes, done = me->done, wrong = 0;

	do {
		wrong += !stream_work(&part, kernel, done++);
		atomic_store_explicit(&me->bytes, bytes += step_bytes, memory_order_relaxed);
		if (turns)
			spin(turns);
	} while (atomic_load_explicit(&loaded.number, memory_order_relaxed) == number);
	me->done = done;
	me->wrong += wrong;
}

static RARE void check(struct injector *me)
{
	if (me->part.mix != STREAM_READS)
		me->wrong += stream_wrong_pieces(&me->part, me->done);
}

/* Steps of another size begin anew, for what a word must be depends on them. */
static RARE void cut(struct injector *me, uint64_t step_bytes)
{
	struct stream_part part;

	stream_cut(&part, me->part.mix, me->part.at, loaded.job->part_bytes, step_bytes);
	if (part.piece_bytes == me->part.piece_bytes)
		return;
	check(me);
	me->part = part;
	me->step_bytes = stream_step_bytes(&part);
	me->done = 0;
	if (part.mix != STREAM_READS)
		stream_fill(&part);
}

static RARE unsigned next_number(unsigned number)
{
	unsigned next;

	while ((next = atomic_load_explicit(&loaded.number, memory_order_acquire)) == number)
		cpu_relax();
	return next;
}

static RARE uint64_t turns_for(uint64_t delay_ns)
{
	uint64_t turns = (uint64_t)wide_ratio((unsigned __int128)delay_ns * 1000 * SPIN_TURNS, time_of_spin_ps(SPIN_TURNS) + 1);

	return turns ? turns : 1;
}

static RARE void be_injector(struct injector *me)
{
	unsigned number = no_number;

	while ((number = next_number(number)) != stop_number) {
		unsigned delay = loaded.delay;
		uint64_t delay_ns = loaded.job->delays_ns[delay], turns = 0;

		cut(me, delay_ns ? STEP_BYTES : STREAM_CHUNK_BYTES);
		if (delay_ns)
			turns = turns_for(delay_ns * me->step_bytes / STEP_BYTES);
		atomic_store_explicit(&me->seen, number, memory_order_release);
		inject(me, number, turns);
		if (turns)
			atomic_fetch_add(&loaded.waits_ps[delay], time_of_spin_ps(turns) * STEP_BYTES / me->step_bytes);
	}
	check(me);
}

/* ---- the chaser ---- */

static RARE uint64_t bytes_injected(void)
{
	uint64_t bytes = 0;

	for (unsigned i = 1; i < loaded.job->threads; i++)
		bytes += atomic_load_explicit(&loaded.injectors[i].bytes, memory_order_relaxed);
	return bytes;
}

/* What was injected and when, read at one moment: this thread may have to wait in between. */
static RARE uint64_t bytes_at(uint64_t *ticks)
{
	uint64_t bytes = 0, before;

	for (unsigned tries = 0; tries < READING_TRIES; tries++) {
		before = clock_ticks();
		bytes = bytes_injected();
		*ticks = clock_ticks();
		if (clock_ticks_to_ns(*ticks - before) < reading_ns + loaded.job->threads * reading_ns / 16)
			break;
	}
	return bytes;
}

static RARE void set_delay(unsigned delay)
{
	unsigned number = loaded.number + 1;

	loaded.delay = delay;
	atomic_store_explicit(&loaded.number, number, memory_order_release);
	for (unsigned i = 1; i < loaded.job->threads; i++)
		while (atomic_load_explicit(&loaded.injectors[i].seen, memory_order_acquire) != number)
			cpu_relax();
}

/* Chases until the caches and the memory are as they stay; how many loads make a batch. */
static RARE uint64_t settle(void)
{
	uint64_t time_ns = loaded.job->time_ns / SETTLE_PART, start = clock_ticks(), loads = 0, taken_ns;

	if (time_ns < settle_least_ns)
		time_ns = settle_least_ns;
	do {
		loads += chase_walk(&loaded.chase, CHASE_BATCH_MIN);
		loaded.result->discarded++;
		taken_ns = clock_ticks_to_ns(clock_ticks() - start);
	} while (taken_ns < time_ns);
	loads = loads * (loaded.job->time_ns / BATCHES_WANTED) / taken_ns;
	return loads < CHASE_BATCH_MIN ? CHASE_BATCH_MIN : loads;
}

static RARE void tell_round(struct loaded_point *point, uint64_t bytes, uint64_t chased_bytes, uint64_t time_ns)
{
	point->latency_ps[point->rounds] = summary_median(&loaded.batches);
	point->chaser_milli[point->rounds] = milli_per_second(chased_bytes, time_ns);
	point->bandwidth_milli[point->rounds++] = milli_per_second(bytes + chased_bytes, time_ns);
}

static RARE void measure(unsigned delay)
{
	uint64_t loads, bytes, start, before, now, end, chased = 0, last;

	set_delay(delay);
	loads = settle();
	samples_clear(&loaded.batches);
	bytes = bytes_at(&start);
	before = clock_ticks();
	end = start + clock_ns_to_ticks(loaded.job->time_ns);
	/* One reading ends a batch and begins the next: loads still in flight at a reading then cancel out. */
	do {
		loads = chase_walk(&loaded.chase, loads);
		now = clock_ticks();
		samples_add(&loaded.batches, (int64_t)(clock_ticks_to_ns(now - before) * 1000 / loads));
		chased += loads;
		before = now;
	} while (now < end || loaded.batches.count < BATCHES_MIN);
	bytes = bytes_at(&last) - bytes;
	tell_round(&loaded.result->points[delay], bytes, chased * loaded.chase.line_bytes, clock_ticks_to_ns(last - start));
}

static RARE void be_chaser(void)
{
	const struct loaded_job *job = loaded.job;
	struct random_order order;

	chase_prove(&loaded.chase, &loaded.proof);
	loaded.result->ordinary_ps = summary_median(&loaded.proof.ordinary);
	loaded.result->flushed_ps = summary_median(&loaded.proof.flushed);
	loaded.result->of_flushed_milli = chase_proof_milli(&loaded.proof);
	for (unsigned round = 0; round < job->rounds; round++) {
		random_order(&order, job->delay_count, job->seed, round);
		for (unsigned i = 0; i < job->delay_count; i++)
			measure((unsigned)random_order_at(&order, i));
	}
	atomic_store_explicit(&loaded.number, stop_number, memory_order_release);
}

/* ---- all of them ---- */

static RARE void work(unsigned member, void *context)
{
	(void)context;
	if (member)
		be_injector(&loaded.injectors[member]);
	else
		be_chaser();
}

static RARE char *part_at(unsigned member)
{
	return (char *)loaded.buffer.at + member * loaded.part_bytes;
}

static RARE void touch(unsigned member, void *context)
{
	_Atomic int *err = context;
	int mine = buffer_fill_part(&loaded.buffer, part_at(member), loaded.part_bytes);

	if (mine)
		*err = mine;
}

static RARE void fill(unsigned member, void *context)
{
	struct injector *me = &loaded.injectors[member];

	(void)context;
	if (member) {
		*me = (struct injector){ .seen = no_number };
		/* By the shorter steps, which leave less of the part out: what is read by either must have been written. */
		stream_cut(&me->part, loaded.job->mix, part_at(member), loaded.job->part_bytes, STEP_BYTES);
		me->step_bytes = stream_step_bytes(&me->part);
		stream_fill(&me->part);
	} else {
		chase_link(&loaded.chase, part_at(member), loaded.job->part_bytes, loaded.job->seed);
	}
}

static RARE int on_all(team_work *function, void *context)
{
	int err = team_run(&loaded.team, loaded.job->cpus, loaded.job->threads, function, context);

	if (err)
		loaded.result->error_cpu = loaded.team.error_cpu;
	return err;
}

/* By the trial of mem.bandwidth, on all CPUs. */
static RARE int find_kernel(const struct loaded_job *job)
{
	static struct stream_result trial;
	const struct stream_job trial_job = { .mix = job->mix, .cpus = job->cpus, .threads = job->threads, .page = job->page, .node = NUMA_ANY,
	                                      .part_bytes = job->part_bytes < trial_bytes ? job->part_bytes : trial_bytes,
	                                      .time_ns = MS(1), .windows = 1 };
	int err = stream_run(&trial_job, &trial);

	loaded.kernel = trial.found;
	loaded.result->wrong_chunks = trial.wrong_chunks;
	loaded.result->huge_bytes = trial.huge_bytes;
	loaded.result->map_bytes = trial.map_bytes;
	loaded.result->error_cpu = trial.error_cpu;
	return err;
}

static RARE int touch_all(const struct buffer *buffer)
{
	_Atomic int no_pages = 0;
	int err = on_all(touch, &no_pages);

	(void)buffer;
	return err ? err : no_pages;
}

static RARE int run_on_buffer(void)
{
	struct loaded_result *result = loaded.result;
	const struct loaded_job *job = loaded.job;
	int err = buffer_get(&loaded.buffer, loaded.part_bytes * job->threads, job->page, NUMA_ANY, touch_all);

	result->map_bytes = loaded.buffer.bytes;
	result->huge_bytes = loaded.buffer.huge_bytes;
	if (!err)
		err = on_all(fill, NULL);
	if (!err)
		err = on_all(work, NULL);
	for (unsigned i = 1; !err && i < job->threads; i++)
		result->wrong_chunks += loaded.injectors[i].wrong;
	for (unsigned i = 0; i < job->delay_count; i++)
		result->points[i].delay_ps = loaded.waits_ps[i] / (job->rounds * (job->threads - 1));
	return err;
}

RARE int loaded_run(const struct loaded_job *job, struct loaded_result *result)
{
	int err;

	*result = (struct loaded_result){ .kernel = "" };
	if (job->threads < 2 || job->threads > MAX_THREADS || !job->rounds || job->rounds > LOADED_ROUNDS_MAX || !job->delay_count ||
	    job->delay_count > LOADED_MAX_DELAYS || job->part_bytes < STREAM_CHUNK_BYTES)
		return -EINVAL;
	loaded.job = job;
	loaded.result = result;
	loaded.number = no_number;
	for (unsigned i = 0; i < job->delay_count; i++)
		loaded.waits_ps[i] = 0;
	loaded.kernel = job->kernel;
	err = job->kernel ? 0 : find_kernel(job);
	if (err)
		return err;
	result->kernel = loaded.kernel->name;
	loaded.part_bytes = buffer_round(job->part_bytes, job->page);
	err = run_on_buffer();
	buffer_unmap(&loaded.buffer);
	return err;
}
