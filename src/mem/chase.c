/* chase.c: see chase.h. */
#include "lib/random.h"
#include "mem/cache.h"
#include "mem/chase.h"
#include "sys/clock.h"

enum {
	UNROLL = 16,           /* loads in one turn of the loop: its own cost hides behind them */
	SAMPLES_WANTED = 256,
	SAMPLES_MIN = 6,       /* or the median has no interval */
	LINE_MIN_BYTES = 64,
	VISIT_LINES = 8,       /* of a page in a row, within pages */
	PROOF_PAIRS = 20,
	PIECE = (CHASE_BATCH_MIN + UNROLL - 1) / UNROLL * UNROLL,
};
static const uint64_t warm_up_min_ns = MS(2), warm_up_max_ns = MS(20);

struct line { const struct line *next; };

/* This file is compiled for speed, but only what links and walks is worth it. */
#define RARE __attribute__((cold, noinline))

static RARE void chase_over(struct chase *chase, void *at, uint64_t bytes)
{
	unsigned line_bytes = cache_line_bytes();

	chase->at = at;
	chase->place = at;
	chase->walked = 0;
	chase->line_bytes = line_bytes > LINE_MIN_BYTES ? line_bytes : LINE_MIN_BYTES;
	chase->lines = bytes / chase->line_bytes;
}

static struct line *line_at(const struct chase *chase, uint64_t index)
{
	return (struct line *)((char *)chase->at + index * chase->line_bytes);
}

/* Line after line in the order of the cycle: nothing is read, so that many lines are on their way to memory at once. */
void chase_link(struct chase *chase, void *at, uint64_t bytes, uint64_t seed)
{
	struct line *first, *line;

	chase_over(chase, at, bytes);
	random_order(&chase->order, chase->lines, seed, 0);
	first = line = line_at(chase, random_order_at(&chase->order, 0));
	for (uint64_t i = 1; i < chase->lines; i++) {
		struct line *next = line_at(chase, random_order_at(&chase->order, i));

		line->next = next;
		line = next;
	}
	line->next = first;
	chase->place = first;
}

/* One visit to a page: a line of each of its VISIT_LINES parts, in an order of the page's own; each line has its visit. */
static struct line *link_visit(struct line *line, struct line *page, uint64_t part_lines, uint64_t visit, uint64_t seed, uint64_t stride)
{
	struct random_order parts, places;

	random_order(&parts, VISIT_LINES, seed, 2 * visit + 1);
	random_order(&places, part_lines, seed, 0);
	for (unsigned n = 0; n < VISIT_LINES; n++) {
		uint64_t part = random_order_at(&parts, n), place = random_order_at(&places, (visit + part) % part_lines);
		struct line *next = (struct line *)((char *)page + (part * part_lines + place) * stride);

		line->next = next;
		line = next;
	}
	return line;
}

/* All pages are visited once before any of them for the second time. */
RARE void chase_link_within(struct chase *chase, void *at, uint64_t bytes, uint64_t page_bytes, uint64_t seed)
{
	uint64_t page_lines, pages, part_lines;
	struct line start, *line = &start;

	chase_over(chase, at, bytes);
	page_lines = page_bytes / chase->line_bytes;
	pages = chase->lines / page_lines;
	if (pages < 2) {
		chase_link(chase, at, bytes, seed);
		return;
	}
	part_lines = page_lines / VISIT_LINES;
	for (uint64_t visit = 0; visit < part_lines; visit++) {
		struct random_order order;

		random_order(&order, pages, seed, visit);
		for (uint64_t i = 0; i < pages; i++) {
			uint64_t page = random_order_at(&order, i);

			line = link_visit(line, line_at(chase, page * page_lines), part_lines, visit, seed + page, chase->line_bytes);
		}
	}
	line->next = start.next;
	chase->place = start.next;
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

uint64_t chase_walk(struct chase *chase, uint64_t loads)
{
	loads = whole_turns(loads);
	chase->place = walk(chase->place, loads);
	chase->walked += loads;
	return loads;
}

/* Finds from the quickest piece, which nothing has interrupted, how many loads make a sample. */
static RARE void warm_up(struct chase *chase, uint64_t time_ns, struct chase_result *result)
{
	uint64_t start = clock_ticks(), before = start, took_ns, quickest = UINT64_MAX;

	do {
		uint64_t now;

		chase_walk(chase, PIECE);
		result->discarded++;
		now = clock_ticks();
		if (now - before < quickest)
			quickest = now - before;
		before = now;
		took_ns = clock_ticks_to_ns(now - start);
	} while (took_ns < warm_up_min_ns || (took_ns < warm_up_max_ns && result->discarded * PIECE < chase->lines));
	result->batch_loads = whole_turns(time_ns / SAMPLES_WANTED * PIECE / (clock_ticks_to_ns(quickest) + 1));
	if (result->batch_loads < PIECE)
		result->batch_loads = PIECE;
}

RARE void chase_measure(struct chase *chase, uint64_t time_ns, struct chase_result *result)
{
	uint64_t before, now, end;

	samples_clear(&result->samples);
	result->discarded = result->loads = 0;
	warm_up(chase, time_ns, result);
	before = clock_ticks();
	end = before + clock_ns_to_ticks(time_ns);
	/* One reading ends a sample and begins the next: loads still in flight at a reading then cancel out. */
	do {
		chase_walk(chase, result->batch_loads);
		now = clock_ticks();
		samples_add(&result->samples, (int64_t)(clock_ticks_to_ns(now - before) * 1000 / result->batch_loads));
		result->loads += result->batch_loads;
		before = now;
	} while ((now < end || result->samples.count < SAMPLES_MIN) && result->samples.count < MAX_SAMPLES);
}

/* Each load waits for the one before: its address has a part of that one's value, of which nothing is left. */
static __attribute__((noinline)) void load_all(const char *const *lines)
{
	uint64_t value = 0, none = 0;

	__asm__ volatile("" : "+r"(none));
	for (unsigned i = 0; i < PIECE; i++)
		value = *(const volatile uint64_t *)(lines[i] + (value & none));
	__asm__ volatile("" :: "r"(value));
}

static RARE int64_t timed_piece(chase_line *line, const void *context, uint64_t from)
{
	static const char *lines[PIECE]; /* 8 KiB */
	uint64_t before;

	for (unsigned i = 0; i < PIECE; i++)
		lines[i] = line(context, from + i);
	before = clock_ticks();
	load_all(lines);
	cache_wait();
	return (int64_t)(clock_ticks_to_ns(clock_ticks() - before) * 1000 / PIECE);
}

/*
 * By turns, so that whatever else the machine does meets both alike.  A line is flushed by its address: to walk there would bring it.  So many lines,
 * if there are, that the TLBs have forgotten the first ones' pages when all are flushed.
 */
RARE uint64_t chase_prove_lines(chase_line *line, const void *context, uint64_t count, struct chase_proof *proof)
{
	uint64_t pairs = count / (2 * PIECE), lines;

	if (pairs > PROOF_PAIRS)
		pairs = PROOF_PAIRS;
	lines = 2 * pairs * PIECE;
	samples_clear(&proof->ordinary);
	samples_clear(&proof->flushed);
	cache_wait();
	for (uint64_t i = 0; i < lines; i++)
		if (i / PIECE % 2)
			cache_flush_line(line(context, i));
	cache_wait();
	for (uint64_t i = 0; i < lines; i += 2 * PIECE) {
		samples_add(&proof->ordinary, timed_piece(line, context, i));
		samples_add(&proof->flushed, timed_piece(line, context, i + PIECE));
	}
	return lines;
}

static RARE const void *next_line(const void *context, uint64_t index)
{
	const struct chase *chase = context;

	return line_at(chase, random_order_at(&chase->order, (chase->walked + index) % chase->lines));
}

RARE void chase_prove(struct chase *chase, struct chase_proof *proof)
{
	chase->walked += chase_prove_lines(next_line, chase, chase->lines, proof);
	chase->place = next_line(chase, 0);
}

RARE int64_t chase_proof_milli(const struct chase_proof *proof)
{
	return proof->flushed.count ? milli_ratio((uint64_t)summary_median(&proof->ordinary), (uint64_t)summary_median(&proof->flushed)) : VALUE_NONE;
}
