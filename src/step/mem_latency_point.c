/*
 * mem_latency_point.c: one buffer's latency as a figure, see mem_point.h.  Where several points have begun, the rounds of all come in turn.
 *
 * A round links the lines in another order and chases for its part of the time; the figure is the median of the rounds' medians.  Each round maps the
 * memory anew, for other pages are most of what another run would find: a small buffer is another part of a larger map each time, since
 * the kernel gives the pages again that it just got back.  A large buffer is mapped fewer times, as that would take longer than the chase: several rounds
 * then follow one another on one mapping, in which more lies than any run goes through.
 * The share of the TLB is the difference of two chases through the same memory.  It is told as it was measured: below 0, its interval says that it
 * cannot be told from nothing.
 */
#include "lib/number.h"
#include "lib/text.h"
#include "mem/chase.h"
#include "mem/core_clock.h"
#include "step/mem_point.h"
#include "sys/prefetcher.h"

static const uint64_t spread_bytes = 32 * MIB;  /* of the map that a small buffer is a part of */
static const uint64_t mapped_bytes = 4 * GIB;   /* of all mappings of a large one */
static const uint64_t proof_bytes = 64 * MIB; /* from here on a buffer is held against lines that were flushed */
static const uint64_t line_ns = 60, round_ns = MS(45); /* for the plan: touch and link; warm-up, core clock and proof */

enum series { LATENCY, CYCLES, CORE_HZ, FLUSHED, OF_FLUSHED, WITHIN, TLB, SERIES_COUNT };

/* A point that has begun, and what its rounds have given. */
struct course {
	struct latency_ask ask;
	struct point points[MAX_POINTS + 1];
	struct mem_told *told;
	uint64_t slice_bytes;
	unsigned mappings, mapped; /* in all, and done */
	bool is_spread;            /* each mapping is as large as all of them together, and another part of it is used */
	int err;                   /* there are no more rounds */
	bool is_told;
	struct buffer had;         /* the last one, what was granted of it */
	uint64_t loads, discarded, batches, batch_loads, lines;
	unsigned line_bytes;
	char prefetchers[72];
	unsigned counts[SERIES_COUNT];
	int64_t series[SERIES_COUNT][MEM_ROUNDS_MAX];
};

enum { MAX_COURSES = 64 };
static struct course courses[MAX_COURSES];
static unsigned course_count;

/* Of the round that runs. */
static struct chase chase;
static struct chase_result result;
static struct chase_proof proof;

static void add(struct course *course, enum series series, int64_t value)
{
	course->series[series][course->counts[series]++] = value;
}

static const struct samples *series_of(const struct course *course, enum series series)
{
	static struct samples samples; /* 8 KiB */

	samples_clear(&samples);
	for (unsigned i = 0; i < course->counts[series]; i++)
		samples_add(&samples, course->series[series][i]);
	return &samples;
}

static int64_t middle(const struct course *course, enum series series)
{
	return summary_median(series_of(course, series));
}

static bool tells_tlb(const struct latency_ask *ask)
{
	return ask->tells_tlb && ask->size_bytes >= 2 * buffer_round(1, ask->page);
}

static int64_t chase_median(const struct course *course)
{
	chase_measure(&chase, course->ask.time_ns / course->ask.rounds, &result);
	return summary_median(&result.samples);
}

static void prove(struct course *course)
{
	chase_prove(&chase, &proof);
	if (chase_proof_milli(&proof) == VALUE_NONE)
		return;
	add(course, FLUSHED, summary_median(&proof.flushed));
	add(course, OF_FLUSHED, chase_proof_milli(&proof));
}

static void run_round(struct course *course)
{
	int64_t latency_ps = chase_median(course);
	uint64_t core_hz = core_clock_hz();

	course->loads += result.loads;
	course->discarded += result.discarded;
	course->batches += result.samples.count;
	course->batch_loads = result.batch_loads;
	add(course, LATENCY, latency_ps);
	add(course, CORE_HZ, (int64_t)core_hz);
	add(course, CYCLES, latency_ps * (int64_t)(core_hz / 1000) / 1000000);
	if (course->ask.is_dram || course->ask.size_bytes >= proof_bytes)
		prove(course);
}

/* The rounds from..to-1 follow one another on this memory. */
static void run_rounds(struct course *course, void *at, unsigned from, unsigned to, uint64_t seed)
{
	const struct latency_ask *ask = &course->ask;

	chase_link(&chase, at, ask->size_bytes, seed + from);
	course->lines = chase.lines;
	course->line_bytes = chase.line_bytes;
	for (unsigned round = from; round < to; round++)
		run_round(course);
	if (!tells_tlb(ask))
		return;
	chase_link_within(&chase, at, ask->size_bytes, buffer_round(1, ask->page), seed + from);
	for (unsigned round = from; round < to; round++) {
		add(course, WITHIN, chase_median(course));
		add(course, TLB, course->series[LATENCY][round] - course->series[WITHIN][round]);
	}
}

/* ---- memory ---- */

static void choose_mappings(struct course *course)
{
	const struct latency_ask *ask = &course->ask;
	uint64_t at_most;

	course->slice_bytes = buffer_round(ask->size_bytes, ask->page);
	at_most = mapped_bytes / course->slice_bytes;
	course->mappings = at_most >= ask->rounds ? ask->rounds : at_most ? (unsigned)at_most : 1;
	course->is_spread = course->slice_bytes * ask->rounds <= spread_bytes && course->slice_bytes * ask->rounds <= buffer_room_bytes(ask->page);
}

static int map_now(struct course *course, struct buffer *buffer, uint64_t bytes)
{
	int err = buffer_get(buffer, bytes, course->ask.page, course->ask.node, buffer_fill);

	course->had = *buffer;
	return err;
}

/* The memory of the next rounds.  A pool of huge pages may have too few for a larger map. */
static int map_next(struct course *course, struct buffer *buffer, void **at)
{
	int err = course->is_spread ? map_now(course, buffer, course->slice_bytes * course->mappings) : 0;

	if (err) {
		buffer_unmap(buffer);
		course->is_spread = false;
	}
	if (!course->is_spread)
		err = map_now(course, buffer, course->slice_bytes);
	*at = (char *)buffer->at + (course->is_spread ? course->mapped * course->slice_bytes : 0);
	return err;
}

/* One mapping of a point, if there is another. */
static void run_mapping(struct course *course, uint64_t seed)
{
	struct buffer buffer = { .at = NULL };
	unsigned rounds = course->ask.rounds, mapped = course->mapped;
	void *at;

	if (course->err || mapped == course->mappings)
		return;
	course->err = cpu_pin(course->ask.cpu);
	if (!course->err)
		course->err = map_next(course, &buffer, &at);
	if (!course->err)
		run_rounds(course, at, mapped * rounds / course->mappings, (mapped + 1) * rounds / course->mappings, seed);
	buffer_unmap(&buffer);
	course->mapped++;
}

/* ---- what is told ---- */

static void add_evidence(struct facts *facts, const struct course *course)
{
	const struct latency_ask *ask = &course->ask;

	fact_number(facts, "mappings", course->mappings);
	fact_number(facts, "discarded", (int64_t)course->discarded);
	fact_number(facts, "batches", (int64_t)course->batches);
	fact_number(facts, "batch_loads", (int64_t)course->batch_loads);
	fact_milli(facts, "laps", milli_ratio(course->loads, course->lines));
	fact_number(facts, "lines", (int64_t)course->lines);
	fact_number(facts, "line_bytes", course->line_bytes);
	fact_number(facts, "cpu", ask->cpu);
	fact_number(facts, "map_bytes", (int64_t)course->had.bytes);
	fact_number(facts, "huge_bytes", (int64_t)course->had.huge_bytes);
	fact_milli(facts, "cycles", middle(course, CYCLES));
	fact_number(facts, "core_hz", middle(course, CORE_HZ));
	fact_milli(facts, "flushed", middle(course, FLUSHED));
	fact_milli(facts, "of_flushed", middle(course, OF_FLUSHED));
	mem_fact_node(facts, course->had.node_err);
	fact_text(facts, "engine", "chase");
	fact_text(facts, "order", "random");
	fact_text(facts, "prefetchers", course->prefetchers);
}

/* Memory was meant: is it not memory's, or not proven to be? */
static bool is_cached(struct ctx *ctx, const struct course *course)
{
	const struct latency_ask *ask = &course->ask;
	int64_t of_flushed = middle(course, OF_FLUSHED);
	char size[24], found[24], flushed[24];
	struct text texts[] = { TEXT(found), TEXT(flushed) };

	if (!ask->is_dram || of_flushed >= CHASE_CACHED_BELOW_MILLI)
		return false;
	number_size_word(ask->size_bytes, size);
	number_add_milli(&texts[0], middle(course, LATENCY));
	number_add_milli(&texts[1], middle(course, FLUSHED));
	if (of_flushed == VALUE_NONE)
		emit_error(ctx, ask->metric, course->points, "%s are too small to prove that they lie in memory, not in the caches: that takes %u lines, and a larger --size",
		           size, CHASE_PROOF_LINES);
	else
		emit_error(ctx, ask->metric, course->points, "the caches hold part of the %s: %s ns a load, and %s ns of lines that were flushed; "
		           "memory's own latency needs a larger --size", size, found, flushed);
	return true;
}

static void tell_tlb(struct ctx *ctx, const struct course *course)
{
	static struct facts facts;
	struct mem_told told;
	char metric[64];

	facts = (struct facts){ .count = 0 };
	text_format(metric, sizeof(metric), "%s.tlb", course->ask.metric);
	mem_tell_rounds(series_of(course, TLB), &facts, &told);
	fact_milli(&facts, "across", middle(course, LATENCY));
	fact_milli(&facts, "within", middle(course, WITHIN));
	add_evidence(&facts, course);
	emit_figure(ctx, metric, "ns", course->points, told.median_milli, &facts);
}

static void tell_latency(struct ctx *ctx, const struct course *course)
{
	static struct facts facts;

	if (is_cached(ctx, course))
		return;
	facts = (struct facts){ .count = 0 };
	mem_tell_rounds(series_of(course, LATENCY), &facts, course->told);
	course->told->of_flushed_milli = middle(course, OF_FLUSHED);
	add_evidence(&facts, course);
	mem_fact_cell(&facts, &course->ask.cell);
	emit_figure(ctx, course->ask.metric, "ns", course->points, course->told->median_milli, &facts);
	if (course->counts[TLB])
		tell_tlb(ctx, course);
}

static enum mem_outcome tell(struct ctx *ctx, const struct course *course)
{
	const struct latency_ask *ask = &course->ask;
	const struct mem_refusal why = { .err = course->err, .page_word = ask->page_word, .huge_bytes = course->had.huge_bytes, .map_bytes = course->had.bytes,
	                                 .node = ask->node, .node_err = course->had.node_err, .cpu = ask->cpu };

	/* Pages that a later round was refused leave the rounds before it, fewer than were asked for. */
	if (course->err && !(mem_lacks_pages(course->err) && course->counts[LATENCY]))
		return mem_refuse(ctx, ask->metric, course->points, &why);
	tell_latency(ctx, course);
	return MEM_READY;
}

/* ---- */

void mem_latency_finish(struct ctx *ctx)
{
	struct cpu_list cpus;

	for (unsigned round = 1; round < MEM_ROUNDS_MAX; round++)
		for (unsigned i = 0; i < course_count; i++)
			run_mapping(&courses[i], ctx_seed(ctx));
	for (unsigned i = 0; i < course_count; i++) {
		prefetcher_restore(courses[i].ask.cpu);
		if (!courses[i].is_told)
			tell(ctx, &courses[i]);
	}
	if (course_count) {
		cpu_allowed(&cpus);
		cpu_pin_all(&cpus);
	}
	course_count = 0;
}

enum mem_outcome mem_latency_begin(struct ctx *ctx, const struct latency_ask *ask, struct mem_told *told)
{
	unsigned chases = tells_tlb(ask) ? 2 : 1;
	enum mem_outcome outcome;
	struct course *course;

	if (course_count == MAX_COURSES)
		mem_latency_finish(ctx);
	course = &courses[course_count];
	*course = (struct course){ .ask = *ask, .told = mem_told_none(told) };
	for (unsigned i = 0; i < MAX_POINTS && ask->points[i].key[0]; i++)
		course->points[i] = ask->points[i];
	choose_mappings(course);
	if (planned(ctx, chases * (ask->time_ns + ask->rounds * round_ns + ask->size_bytes / 64 * line_ns * course->mappings), 0))
		return MEM_READY;
	outcome = mem_room(ctx, ask->metric, course->points, ask->page, ask->page_word, ask->node, course->slice_bytes);
	if (outcome != MEM_READY)
		return outcome;
	prefetcher_off(ask->cpu, course->prefetchers, sizeof(course->prefetchers));
	course_count++;
	run_mapping(course, ctx_seed(ctx));
	course->is_told = course->err;
	return course->err ? tell(ctx, course) : MEM_READY;
}

enum mem_outcome mem_latency_point(struct ctx *ctx, const struct latency_ask *ask, struct mem_told *told)
{
	enum mem_outcome outcome = mem_latency_begin(ctx, ask, told);

	mem_latency_finish(ctx);
	return outcome;
}
