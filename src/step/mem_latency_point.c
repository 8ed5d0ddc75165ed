/*
 * mem_latency_point.c: one buffer's latency as a figure, see mem_point.h.
 *
 * A round links the lines in another order and chases for its part of the time; the figure is the median of the rounds' medians.  A new mapping gets other
 * pages, which is most of what another run would find: small buffers lie in as many places of one map (memory that was just given back would come again), large
 * ones are mapped anew each round, until that takes longer than the chase: of them, several rounds follow one another on one mapping, in which more lies than any
 * run goes through.
 * The share of the TLB is the difference of two chases through the same memory.  It is told as it was measured: below 0, its interval says that it cannot be told
 * from nothing.
 */
#include <errno.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "mem/chase.h"
#include "mem/core_clock.h"
#include "step/mem_point.h"
#include "sys/call.h"
#include "sys/prefetcher.h"

static const uint64_t at_once_bytes = 64 * MIB, mapped_bytes = 4 * GIB; /* of the maps of all rounds */
static const uint64_t proof_bytes = 64 * MIB; /* from here on a buffer is held against lines that were flushed */
enum { CACHED_BELOW_MILLI = 850 };            /* of the latency of flushed lines: the caches hold part of the buffer */
static const uint64_t line_ns = 60, round_ns = MS(45); /* for the plan: touch and link; warm-up, core clock and proof */

enum series { LATENCY, CYCLES, CORE_HZ, FLUSHED, OF_FLUSHED, WITHIN, TLB, SERIES_COUNT };

/* One point at a time: too much for a stack. */
static struct {
	const struct latency_ask *ask;
	struct buffer buffer;
	uint64_t slice_bytes, huge_bytes, map_bytes; /* a slice each mapping; bytes of all maps */
	unsigned mappings;
	bool at_once;
	int node_err;
	struct chase chase;
	struct chase_result result;
	struct chase_proof proof;
	uint64_t loads, discarded, batches;
	char prefetchers[72];
	struct samples series[SERIES_COUNT];
} run;

static void add(enum series series, int64_t value)
{
	samples_add(&run.series[series], value);
}

static int64_t median_of(const struct samples *samples)
{
	struct summary summary;

	summary_of(samples, &summary);
	return summary.count ? summary.median : VALUE_NONE;
}

static bool tells_tlb(const struct latency_ask *ask)
{
	return ask->tells_tlb && ask->size_bytes >= 2 * buffer_round(1, ask->page);
}

static int64_t chase_median(void)
{
	chase_measure(&run.chase, run.ask->time_ns / run.ask->rounds, &run.result);
	return median_of(&run.result.samples);
}

static void prove(void)
{
	int64_t flushed;

	chase_prove(&run.chase, &run.proof);
	flushed = median_of(&run.proof.flushed);
	if (flushed == VALUE_NONE)
		return;
	add(FLUSHED, flushed);
	add(OF_FLUSHED, milli_ratio((uint64_t)median_of(&run.proof.ordinary), (uint64_t)flushed));
}

static void measure_round(void)
{
	int64_t latency_ps = chase_median();
	uint64_t core_hz = core_clock_hz();

	run.loads += run.result.loads;
	run.discarded += run.result.discarded;
	run.batches += run.result.samples.count;
	add(LATENCY, latency_ps);
	add(CORE_HZ, (int64_t)core_hz);
	add(CYCLES, latency_ps * (int64_t)(core_hz / 1000) / 1000000);
	if (run.ask->is_dram || run.ask->size_bytes >= proof_bytes)
		prove();
}

/* The rounds from..to-1 follow one another on this memory. */
static void measure_rounds(void *at, unsigned from, unsigned to, uint64_t seed)
{
	const struct latency_ask *ask = run.ask;

	chase_link(&run.chase, at, ask->size_bytes, seed + from);
	for (unsigned round = from; round < to; round++)
		measure_round();
	if (!tells_tlb(ask))
		return;
	chase_link_within(&run.chase, at, ask->size_bytes, buffer_round(1, ask->page), seed + from);
	for (unsigned round = from; round < to; round++) {
		add(WITHIN, chase_median());
		add(TLB, run.series[LATENCY].values[round] - run.series[WITHIN].values[round]);
	}
}

/* ---- memory ---- */

static void choose_mappings(const struct latency_ask *ask)
{
	uint64_t at_most;

	run.slice_bytes = buffer_round(ask->size_bytes, ask->page);
	at_most = mapped_bytes / run.slice_bytes;
	run.mappings = at_most >= ask->rounds ? ask->rounds : at_most ? (unsigned)at_most : 1;
	run.at_once = run.slice_bytes * ask->rounds <= at_once_bytes && run.slice_bytes * ask->rounds <= buffer_room_bytes(ask->page);
}

static int map_now(uint64_t bytes)
{
	const struct latency_ask *ask = run.ask;
	int err = buffer_map(&run.buffer, bytes, ask->page);

	if (!err)
		err = numa_bind(run.buffer.at, run.buffer.bytes, ask->node);
	if (!err)
		err = buffer_fill(&run.buffer);
	if (err)
		return err;
	run.map_bytes += run.buffer.bytes;
	run.huge_bytes += buffer_huge_bytes(&run.buffer);
	run.node_err = numa_check(run.buffer.at, run.buffer.bytes, ask->node);
	return run.node_err == -EXDEV ? -EXDEV : buffer_is_granted(&run.buffer, buffer_huge_bytes(&run.buffer)) ? 0 : -ENOTSUP;
}

static int measure_mappings(uint64_t seed)
{
	const struct latency_ask *ask = run.ask;
	int err = 0;

	/* A pool of huge pages may have too few for all at once. */
	if (run.at_once && map_now(run.slice_bytes * ask->rounds)) {
		buffer_unmap(&run.buffer);
		run.huge_bytes = run.map_bytes = 0;
		run.at_once = false;
	}
	for (unsigned i = 0; i < run.mappings && !err; i++) {
		if (!run.at_once)
			err = map_now(run.slice_bytes);
		if (!err)
			measure_rounds((char *)run.buffer.at + (run.at_once ? i * run.slice_bytes : 0), i * ask->rounds / run.mappings,
			               (i + 1) * ask->rounds / run.mappings, seed);
		if (!run.at_once)
			buffer_unmap(&run.buffer);
	}
	buffer_unmap(&run.buffer);
	return err;
}

/* ---- what is told ---- */

static void add_evidence(struct facts *facts)
{
	const struct latency_ask *ask = run.ask;

	fact_number(facts, "mappings", run.mappings);
	fact_number(facts, "discarded", (int64_t)run.discarded);
	fact_number(facts, "batches", (int64_t)run.batches);
	fact_number(facts, "batch_loads", (int64_t)run.result.batch_loads);
	fact_milli(facts, "laps", milli_ratio(run.loads, run.chase.lines));
	fact_number(facts, "lines", (int64_t)run.chase.lines);
	fact_number(facts, "line_bytes", run.chase.line_bytes);
	fact_number(facts, "cpu", ask->cpu);
	fact_number(facts, "map_bytes", (int64_t)run.map_bytes);
	fact_number(facts, "huge_bytes", (int64_t)run.huge_bytes);
	fact_milli(facts, "cycles", median_of(&run.series[CYCLES]));
	fact_number(facts, "core_hz", median_of(&run.series[CORE_HZ]));
	fact_milli(facts, "flushed", median_of(&run.series[FLUSHED]));
	fact_milli(facts, "of_flushed", median_of(&run.series[OF_FLUSHED]));
	if (ask->node != NUMA_ANY)
		fact_text(facts, "node", run.node_err ? sys_error(run.node_err) : "its pages were asked where they lie");
	fact_text(facts, "engine", "chase");
	fact_text(facts, "order", "random");
	fact_text(facts, "prefetchers", run.prefetchers);
}

static void tell_tlb(struct ctx *ctx, struct facts *facts)
{
	struct mem_told told;
	char metric[64];

	text_format(metric, sizeof(metric), "%s.tlb", run.ask->metric);
	mem_tell_rounds(&run.series[TLB], facts, &told);
	fact_milli(facts, "across", median_of(&run.series[LATENCY]));
	fact_milli(facts, "within", median_of(&run.series[WITHIN]));
	add_evidence(facts);
	emit_figure(ctx, metric, "ns", run.ask->points, told.median_milli, facts);
}

static bool is_cached(struct ctx *ctx)
{
	const struct latency_ask *ask = run.ask;
	int64_t of_flushed = median_of(&run.series[OF_FLUSHED]);
	char size[24], found[24], flushed[24];
	struct text texts[] = { TEXT(found), TEXT(flushed) };

	if (!ask->is_dram || of_flushed == VALUE_NONE || of_flushed >= CACHED_BELOW_MILLI)
		return false;
	number_add_milli(&texts[0], median_of(&run.series[LATENCY]));
	number_add_milli(&texts[1], median_of(&run.series[FLUSHED]));
	emit_error(ctx, ask->metric, ask->points, "the caches hold part of the %s: %s ns a load, and %s ns of lines that were flushed; "
	           "memory's own latency needs a larger --size", number_size_word(ask->size_bytes, size), found, flushed);
	return true;
}

static void tell(struct ctx *ctx, struct mem_told *told)
{
	const struct latency_ask *ask = run.ask;
	static struct facts facts;

	if (is_cached(ctx))
		return;
	facts = (struct facts){ .count = 0 };
	mem_tell_rounds(&run.series[LATENCY], &facts, told);
	add_evidence(&facts);
	mem_fact_cell(&facts, &ask->cell);
	emit_figure(ctx, ask->metric, "ns", ask->points, told->median_milli, &facts);
	if (!run.series[TLB].count)
		return;
	facts = (struct facts){ .count = 0 };
	tell_tlb(ctx, &facts);
}

/* ---- */

static enum mem_outcome room_on_node(struct ctx *ctx, const struct latency_ask *ask)
{
	uint64_t room_bytes = numa_room_bytes(ask->node);

	if (run.slice_bytes <= room_bytes)
		return MEM_READY;
	emit_skip(ctx, ask->metric, ask->points, "%llu KiB are needed, node %d has %llu KiB free", (unsigned long long)(run.slice_bytes / KIB), ask->node,
	          (unsigned long long)(room_bytes / KIB));
	return MEM_NO_ROOM;
}

static enum mem_outcome measure(struct ctx *ctx, const struct latency_ask *ask, struct mem_told *told)
{
	struct cpu_list cpus;
	int err = cpu_pin(ask->cpu), off;

	if (err) {
		emit_error(ctx, ask->metric, ask->points, "cannot run on CPU %u alone: %s", ask->cpu, sys_error(err));
		return MEM_READY;
	}
	off = prefetcher_off(ask->cpu, run.prefetchers, sizeof(run.prefetchers));
	err = measure_mappings(ctx_seed(ctx));
	if (!off)
		prefetcher_restore(ask->cpu);
	cpu_allowed(&cpus);
	cpu_pin_all(&cpus);
	if (err == -EXDEV)
		emit_error(ctx, ask->metric, ask->points, "not all pages lie on node %d", ask->node);
	else if (err)
		return mem_no_pages(ctx, ask->metric, ask->points, ask->page_word, err, run.huge_bytes, run.map_bytes);
	else
		tell(ctx, told);
	return MEM_READY;
}

enum mem_outcome mem_latency_point(struct ctx *ctx, const struct latency_ask *ask, struct mem_told *told)
{
	unsigned chases = tells_tlb(ask) ? 2 : 1;
	enum mem_outcome outcome;

	*told = (struct mem_told){ .median_milli = VALUE_NONE, .low_milli = VALUE_NONE, .high_milli = VALUE_NONE };
	memset(&run, 0, sizeof(run));
	run.ask = ask;
	choose_mappings(ask);
	if (planned(ctx, chases * (ask->time_ns + ask->rounds * round_ns + ask->size_bytes / 64 * line_ns * run.mappings), 0))
		return MEM_READY;
	outcome = mem_room(ctx, ask->metric, ask->points, ask->page, ask->page_word, run.slice_bytes);
	if (outcome == MEM_READY)
		outcome = room_on_node(ctx, ask);
	return outcome == MEM_READY ? measure(ctx, ask, told) : outcome;
}
