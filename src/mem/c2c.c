/*
 * c2c.c: see c2c.h.  One measurement at a time: the state is static, since thread stacks are small.
 *
 * Both threads pass one word to and fro: even numbers are the loader's turn, odd ones the holder's.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "capacity.h"
#include "lib/random.h"
#include "mem/buffer.h"
#include "mem/c2c.h"
#include "mem/cache.h"
#include "sys/clock.h"
#include "sys/team.h"

enum {
	APART_BYTES = 128,     /* prefetchers bring a line's neighbour along: only one line of a pair is in the chase */
	DISCARDED_ROUNDS = 1,
	SAMPLES_MIN = 3,
	SAMPLES_WANTED = 256,
	TRIPS_MIN = 64,        /* of a sample: the clock is read behind them */
};
static const uint64_t set_bytes = 128 * KIB, warm_up_ns = MS(1);
static const uint64_t over = UINT64_MAX;

struct line { const struct line *next; volatile uint64_t written; _Atomic uint64_t passed; };

static struct {
	_Alignas(APART_BYTES) _Atomic uint64_t turn; /* what hit and hitm pass */
	_Alignas(APART_BYTES) _Atomic uint64_t *passed;
	const struct c2c_job *job;
	struct c2c_result *result;
	struct buffer buffer;
	struct team team;
	struct cpu_list cpus;
} c2c;

/* This file is compiled for speed, but only what is not RARE is timed. */
#define RARE __attribute__((cold, noinline))

/* Waits for a number; false: it is over.  Without cpu_relax(): that would round a ping-pong up to its own length (on Zen 4 27 ns to 31.5). */
static inline bool wait_for(_Atomic uint64_t *passed, uint64_t number, bool relaxed)
{
	uint64_t now;

	while ((now = atomic_load_explicit(passed, memory_order_acquire)) != number) {
		if (now == over)
			return false;
		if (relaxed)
			cpu_relax();
	}
	return true;
}

static inline void pass(_Atomic uint64_t *passed, uint64_t number)
{
	atomic_store_explicit(passed, number, memory_order_release);
}

static RARE bool goes_on(uint64_t start)
{
	const struct samples *samples = &c2c.result->samples;

	return samples->count < MAX_SAMPLES &&
	       (samples->count < SAMPLES_MIN || clock_ticks_to_ns(clock_ticks() - start) < c2c.job->time_ns);
}

static RARE void add_sample(uint64_t ticks, uint64_t transfers)
{
	samples_add(&c2c.result->samples, (int64_t)(clock_ticks_to_ns(ticks) * 1000 / transfers));
	c2c.result->transfers += transfers;
}

/* ---- one line ---- */

static __attribute__((noinline)) bool take_turns(uint64_t *number, uint64_t trips)
{
	_Atomic uint64_t *passed = c2c.passed;
	uint64_t mine = *number;
	bool goes_on = true;

	for (; goes_on && trips; trips--, mine += 2) {
		goes_on = wait_for(passed, mine, false);
		if (goes_on)
			pass(passed, mine + 1);
	}
	*number = mine;
	return goes_on;
}

/* Where two virtual CPUs share a real one, each turn takes a slice of its time: one sample must do. */
static const uint64_t pingpong_late_ns = MS(400);

static RARE void pingpong_answer(void)
{
	uint64_t number = 1;

	while (take_turns(&number, TRIPS_MIN)) {
	}
}

/* Until the clocks are up; how many trips make a sample, from the quickest, which nothing has interrupted. */
static RARE uint64_t pingpong_warm_up(uint64_t *number)
{
	uint64_t start = clock_ticks(), before = start, now, quickest = UINT64_MAX, trips;

	do {
		take_turns(number, TRIPS_MIN);
		now = clock_ticks();
		if (now - before < quickest)
			quickest = now - before;
		before = now;
	} while (clock_ticks_to_ns(now - start) < warm_up_ns);
	c2c.result->discarded = *number / 2;
	trips = c2c.job->time_ns / SAMPLES_WANTED * TRIPS_MIN / (clock_ticks_to_ns(quickest) + 1);
	return trips > TRIPS_MIN ? trips : TRIPS_MIN;
}

static RARE void pingpong_ask(void)
{
	uint64_t number = 0, trips = pingpong_warm_up(&number), start = clock_ticks(), before = start, now;

	do {
		take_turns(&number, trips);
		now = clock_ticks();
		add_sample(now - before, 2 * trips);
		before = now;
	} while (goes_on(start) && clock_ticks_to_ns(now - start) < c2c.job->time_ns + pingpong_late_ns);
	wait_for(c2c.passed, number, false); /* or the answer would come after the end */
	pass(c2c.passed, over);
}

/* ---- many lines ---- */

static struct line *line_at(uint64_t index)
{
	return (struct line *)((char *)c2c.buffer.at + index * APART_BYTES);
}

static __attribute__((noinline)) const struct line *walk(const struct line *line, uint64_t loads)
{
	for (; loads; loads--)
		line = line->next;
	__asm__ volatile("" : "+r"(line) :: "memory"); /* the result counts as used, or the loop could be dropped */
	return line;
}

/* One random cycle, after Sattolo, as in chase.c, but over every second line. */
static RARE void link_lines(void)
{
	struct random random;

	for (uint64_t i = 0; i < c2c.result->lines; i++)
		line_at(i)->next = line_at(i);
	random_seed(&random, c2c.job->seed);
	for (uint64_t i = c2c.result->lines - 1; i > 0; i--) {
		struct line *a = line_at(i), *b = line_at(random_below(&random, i));
		const struct line *next = a->next;

		a->next = b->next;
		b->next = next;
	}
}

/* Alone in having them: nobody has a line when it is flushed, and the other waits. */
static RARE void hold(void)
{
	for (uint64_t number = 1; wait_for(&c2c.turn, number, true); number += 2) {
		cache_flush(c2c.buffer.at, c2c.result->lines * APART_BYTES);
		walk(line_at(0), c2c.result->lines);
		if (c2c.job->kind == C2C_HITM)
			for (uint64_t i = 0; i < c2c.result->lines; i++)
				line_at(i)->written = number;
		pass(&c2c.turn, number + 1);
	}
}

static RARE void load(void)
{
	uint64_t lines = c2c.result->lines, number = 0, start = 0;

	do {
		uint64_t before;

		pass(&c2c.turn, number + 1);
		number += 2;
		wait_for(&c2c.turn, number, true);
		before = clock_ticks();
		walk(line_at(0), lines);
		if (++c2c.result->discarded > DISCARDED_ROUNDS)
			add_sample(clock_ticks() - before, lines);
		else
			start = clock_ticks();
	} while (goes_on(start));
	c2c.result->discarded = DISCARDED_ROUNDS;
	pass(&c2c.turn, over);
}

static RARE void work(unsigned member, void *context)
{
	bool is_pingpong = c2c.job->kind == C2C_PINGPONG;

	(void)context;
	if (member)
		(is_pingpong ? pingpong_ask : load)();
	else
		(is_pingpong ? pingpong_answer : hold)();
}

static RARE int map_lines(const struct c2c_job *job)
{
	uint64_t bytes = (job->bytes ? job->bytes : set_bytes) / APART_BYTES * APART_BYTES;
	int err = bytes ? buffer_map(&c2c.buffer, bytes, MAP_PAGE_THP) : -EINVAL;

	if (err)
		return err == -EINVAL ? err : -ENOMEM;
	c2c.result->lines = bytes / APART_BYTES;
	link_lines();
	c2c.result->set_bytes = bytes;
	c2c.result->huge_bytes = buffer_huge_bytes(&c2c.buffer);
	c2c.passed = &line_at(job->seed % c2c.result->lines)->passed;
	*c2c.passed = 0;
	return 0;
}

RARE int c2c_run(const struct c2c_job *job, struct c2c_result *result)
{
	int err;

	*result = (struct c2c_result){ .lines = 0 };
	if (job->from == job->to || job->from >= MAX_CPUS || job->to >= MAX_CPUS)
		return -EINVAL;
	c2c.job = job;
	c2c.result = result;
	c2c.turn = 0;
	c2c.cpus = (struct cpu_list){ .count = 2, .cpus = { (uint16_t)job->from, (uint16_t)job->to } };
	err = map_lines(job);
	if (!err)
		err = team_run(&c2c.team, &c2c.cpus, 2, work, NULL);
	if (job->kind == C2C_PINGPONG)
		result->lines = 1, result->set_bytes = APART_BYTES;
	result->error_cpu = err ? c2c.team.error_cpu : 0;
	buffer_unmap(&c2c.buffer);
	return err;
}
