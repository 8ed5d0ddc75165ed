/* chase.c: see chase.h.  Cycle: S. Sattolo, "An algorithm to generate a random cyclic permutation" (1986). */
#include "lib/random.h"
#include "mem/cache.h"
#include "mem/chase.h"
#include "sys/clock.h"

enum {
	UNROLL = 16,           /* loads in one turn of the loop: its own cost hides behind them */
	SAMPLES_WANTED = 256,
	SAMPLES_MIN = 6,       /* or the median has no interval */
	LINE_MIN_BYTES = 64,
};
static const uint64_t warm_up_ns = MS(2);

struct line { const struct line *next; };

static struct line *line_at(const struct chase *chase, uint64_t index)
{
	return (struct line *)((char *)chase->at + index * chase->line_bytes);
}

void chase_link(struct chase *chase, void *at, uint64_t bytes, uint64_t seed)
{
	struct random random;
	unsigned line_bytes = cache_line_bytes();

	chase->at = at;
	chase->line_bytes = line_bytes > LINE_MIN_BYTES ? line_bytes : LINE_MIN_BYTES;
	chase->lines = bytes / chase->line_bytes;
	for (uint64_t i = 0; i < chase->lines; i++)
		line_at(chase, i)->next = line_at(chase, i);
	random_seed(&random, seed);
	for (uint64_t i = chase->lines - 1; i > 0; i--) {
		struct line *a = line_at(chase, i), *b = line_at(chase, random_below(&random, i));
		const struct line *next = a->next;

		a->next = b->next;
		b->next = next;
	}
}

/* loads: a multiple of UNROLL */
static __attribute__((noinline)) const struct line *walk(const struct line *line, uint64_t loads)
{
	for (; loads; loads -= UNROLL)
#pragma GCC unroll 16
		for (unsigned i = 0; i < UNROLL; i++)
			line = line->next;
	__asm__ volatile("" : "+r"(line) :: "memory"); /* the result counts as used, or the loop could be dropped */
	return line;
}

static uint64_t whole_turns(uint64_t loads)
{
	return (loads + UNROLL - 1) / UNROLL * UNROLL;
}

/* This file is compiled for speed, but only walk() is timed. */
#define RARE __attribute__((cold))

/* Laps until the clocks are up; finds from the quickest, which nothing has interrupted, how many loads make a sample. */
static RARE const struct line *warm_up(const struct chase *chase, uint64_t time_ns, struct chase_result *result)
{
	const struct line *line = chase->at;
	uint64_t lap = whole_turns(chase->lines > CHASE_BATCH_MIN ? chase->lines : CHASE_BATCH_MIN);
	uint64_t start = clock_ticks(), before = start, now, quickest = UINT64_MAX;

	do {
		line = walk(line, lap);
		result->discarded++;
		now = clock_ticks();
		if (now - before < quickest)
			quickest = now - before;
		before = now;
	} while (clock_ticks_to_ns(now - start) < warm_up_ns);
	result->batch_loads = whole_turns(time_ns / SAMPLES_WANTED * lap / (clock_ticks_to_ns(quickest) + 1));
	if (result->batch_loads < CHASE_BATCH_MIN)
		result->batch_loads = whole_turns(CHASE_BATCH_MIN);
	return line;
}

RARE void chase_measure(const struct chase *chase, uint64_t time_ns, struct chase_result *result)
{
	const struct line *line;
	uint64_t before, now, end;

	samples_clear(&result->samples);
	result->discarded = result->loads = 0;
	line = warm_up(chase, time_ns, result);
	before = clock_ticks();
	end = before + clock_ns_to_ticks(time_ns);
	/* One reading ends a sample and begins the next: loads still in flight at a reading then cancel out. */
	do {
		line = walk(line, result->batch_loads);
		now = clock_ticks();
		samples_add(&result->samples, (int64_t)(clock_ticks_to_ns(now - before) * 1000 / result->batch_loads));
		result->loads += result->batch_loads;
		before = now;
	} while ((now < end || result->samples.count < SAMPLES_MIN) && result->samples.count < MAX_SAMPLES);
}
