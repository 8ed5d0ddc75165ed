/*
 * mem_loaded_point.c: a curve of latency under load told as figures: see mem_point.h.
 *
 * FAIL   what an injector read or wrote is not what it must be
 * SKIP   one thread only, or more than CPUs; a kind of page that was not granted, or buffers beyond half of the memory that is free
 * ERROR  a thread could not run on its CPU, or no memory is free; the caches hold part of a buffer that is meant to be memory
 */
#include <errno.h>

#include "lib/number.h"
#include "lib/text.h"
#include "mem/chase.h"
#include "step/mem_point.h"
#include "sys/call.h"
#include "sys/prefetcher.h"

enum { KNEE_TIMES = 2 }; /* of the latency behind the longest delay */
static const uint64_t dram_bytes = 64 * MIB; /* from here on a buffer is meant to be memory */
static const uint64_t settle_part = 8, prepare_mib_ns = 600000, link_line_ns = 100; /* for the plan */

static const char plot[] = "latency ns (up) by bandwidth GB/s (across)";

static struct loaded_result result;
static struct samples rounds;
static char prefetchers[72]; /* of the CPU that chases */
static char metric[sizeof((struct event *)0)->metric];

static const char *named(const struct loaded_ask *ask, const char *quantity)
{
	text_format(metric, sizeof metric, "%s%s", ask->prefix, quantity);
	return metric;
}

static void take_rounds(const int64_t *values, unsigned count)
{
	samples_clear(&rounds);
	for (unsigned i = 0; i < count; i++)
		samples_add(&rounds, values[i]);
}

/* Of one value or more. */
static int64_t median_of(const int64_t *values, unsigned count)
{
	take_rounds(values, count);
	return summary_median(&rounds);
}

static void add_evidence(const struct loaded_ask *ask, struct facts *facts, const struct loaded_point *point)
{
	fact_number(facts, "discarded", (int64_t)result.discarded);
	fact_milli(facts, "chaser_bandwidth", median_of(point->chaser_milli, point->rounds));
	fact_milli(facts, "flushed", result.flushed_ps);
	fact_milli(facts, "of_flushed", result.of_flushed_milli);
	fact_milli(facts, "wait_ns", (int64_t)point->delay_ps);
	fact_number(facts, "huge_bytes", (int64_t)result.huge_bytes);
	fact_number(facts, "cpu", ask->job.cpus->cpus[0]);
	mem_fact_cpus(facts, ask->job.cpus, ask->job.threads);
	fact_text(facts, "engine", "loaded");
	fact_text(facts, "order", "random");
	fact_text(facts, "prefetchers", prefetchers);
	fact_text(facts, "kernel", result.kernel);
	mem_fact_cache(facts, ask->job.part_bytes);
}

static void add_cell(const struct loaded_ask *ask, struct facts *facts, unsigned delay, unsigned quantity)
{
	static const char *const columns[] = { "latency ns", "bandwidth MB/s" };
	char row[24];
	struct mem_cell cell = { .table = ask->table, .row = ask->rows ? ask->rows[delay] : row, .column = columns[quantity],
	                         .reference_milli = ask->references_milli ? ask->references_milli[delay][quantity] : VALUE_NONE };

	text_format(row, sizeof row, "%llu ns", (unsigned long long)ask->job.delays_ns[delay]);
	mem_fact_cell(facts, &cell);
}

/* One figure of a delay, of its rounds' values. */
static void tell(struct ctx *ctx, const struct loaded_ask *ask, unsigned delay, bool is_latency, struct mem_told *told)
{
	const struct loaded_point *point = &result.points[delay];
	struct point points[MAX_POINTS] = { point_number("delay", ask->job.delays_ns[delay]) };
	struct facts facts = { 0 };

	for (unsigned i = 0; i + 1 < MAX_POINTS && ask->points[i].key[0]; i++)
		points[i + 1] = ask->points[i];
	if (is_latency && ask->curve)
		fact_curve(&facts, plot, ask->curve, median_of(point->bandwidth_milli, point->rounds) / 1000000000); /* GB/s */
	take_rounds(is_latency ? point->latency_ps : point->bandwidth_milli, point->rounds);
	mem_tell_rounds(&rounds, &facts, told);
	add_evidence(ask, &facts, point);
	if (!is_latency)
		mem_fact_bound(ctx, &facts, told->median_milli);
	add_cell(ask, &facts, delay, !is_latency);
	emit_figure(ctx, named(ask, is_latency ? ".latency" : ".bandwidth"), is_latency ? "ns" : "B/s", points, told->median_milli, &facts);
}

static unsigned longest_delay(const struct loaded_job *job)
{
	unsigned longest = 0;

	for (unsigned i = 1; i < job->delay_count; i++)
		if (job->delays_ns[i] > job->delays_ns[longest])
			longest = i;
	return longest;
}

/* The most bandwidth while latency is not yet twice what it is behind the longest delay. */
static void tell_knee(struct ctx *ctx, const struct loaded_ask *ask, const struct loaded_told *told)
{
	int64_t idle_ps = told->latency[longest_delay(&ask->job)].median_milli;
	unsigned knee = longest_delay(&ask->job);
	struct facts facts = { 0 };
	bool is_doubled = false;

	for (unsigned i = 0; i < told->count; i++)
		if (told->latency[i].median_milli > KNEE_TIMES * idle_ps)
			is_doubled = true;
		else if (told->bandwidth[i].median_milli > told->bandwidth[knee].median_milli)
			knee = i;
	fact_milli(&facts, "low95", told->bandwidth[knee].low_milli);
	fact_milli(&facts, "high95", told->bandwidth[knee].high_milli);
	fact_number(&facts, "delay_ns", (int64_t)ask->job.delays_ns[knee]);
	fact_milli(&facts, "latency_ns", told->latency[knee].median_milli);
	fact_milli(&facts, "latency_idle_ns", idle_ps);
	fact_text(&facts, "knee", is_doubled ? "beyond it latency is more than twice that of the longest delay" : "latency never doubled");
	emit_figure(ctx, named(ask, ".knee"), "B/s", ask->points, told->bandwidth[knee].median_milli, &facts);
}

static void tell_all(struct ctx *ctx, const struct loaded_ask *ask, struct loaded_told *told)
{
	told->count = ask->job.delay_count;
	for (unsigned i = 0; i < told->count; i++) {
		tell(ctx, ask, i, true, &told->latency[i]);
		tell(ctx, ask, i, false, &told->bandwidth[i]);
	}
	if (told->count > 1)
		tell_knee(ctx, ask, told);
}

/* Tells so, too. */
static bool is_cached(struct ctx *ctx, const struct loaded_ask *ask)
{
	char size[24], found[24], flushed[24];
	struct text texts[] = { TEXT(found), TEXT(flushed) };

	if (result.of_flushed_milli >= CHASE_CACHED_BELOW_MILLI || (!ask->is_dram && ask->job.part_bytes < dram_bytes))
		return false;
	number_size_word(ask->job.part_bytes, size);
	number_add_milli(&texts[0], result.ordinary_ps);
	number_add_milli(&texts[1], result.flushed_ps);
	if (!ask->is_dram) {
		emit_log(ctx, "%s, %s: the caches hold part of the chaser's buffer: %s ns a load before the others begin, and %s ns of lines that were flushed",
		         ask->prefix, size, found, flushed);
		return false;
	}
	if (result.of_flushed_milli == VALUE_NONE)
		emit_error(ctx, ask->prefix, ask->points, "%s are too small to prove that they lie in memory, not in the caches: that takes %u lines, and a larger "
		           "--buffer", size, CHASE_PROOF_LINES);
	else
		emit_error(ctx, ask->prefix, ask->points, "the caches hold part of the %s: %s ns a load before the others begin, and %s ns of lines that were "
		           "flushed; memory's own latency needs a larger --buffer", size, found, flushed);
	return true;
}

/* Where a study's table has rows for them, they say so. */
static void skip_cells(struct ctx *ctx, const struct loaded_ask *ask)
{
	for (unsigned i = 0; ask->table && i < 2 * ask->job.delay_count; i++) {
		const struct point points[] = { point_number("delay", ask->job.delays_ns[i / 2]), POINT_LIST_END };
		struct facts facts = { 0 };

		add_cell(ask, &facts, i / 2, i % 2);
		emit_skip_cell(ctx, named(ask, i % 2 ? ".bandwidth" : ".latency"), i % 2 ? "B/s" : "ns", points, &facts, "not measured, see above");
	}
}

static enum mem_outcome run(struct ctx *ctx, const struct loaded_ask *ask, struct loaded_told *told)
{
	const struct loaded_job *job = &ask->job;
	int err;

	prefetcher_off(job->cpus->cpus[0], prefetchers, sizeof(prefetchers));
	err = loaded_run(job, &result);
	prefetcher_restore(job->cpus->cpus[0]);
	if (result.wrong_chunks) /* whatever came behind it */
		emit_fail(ctx, ask->prefix, ask->points, "%llu pieces did not hold what was written to them", (unsigned long long)result.wrong_chunks);
	if (err == -ENOTSUP || err == -ENOMEM)
		return mem_no_pages(ctx, ask->prefix, ask->points, buffer_page_word(job->page), err, result.huge_bytes, result.map_bytes);
	if (err)
		emit_error(ctx, ask->prefix, ask->points, "a thread on CPU %u: %s", result.error_cpu, sys_error(err));
	else if (!is_cached(ctx, ask))
		tell_all(ctx, ask, told);
	return MEM_READY;
}

static enum mem_outcome measure(struct ctx *ctx, const struct loaded_ask *ask, struct loaded_told *told)
{
	const struct loaded_job *job = &ask->job;
	enum mem_outcome outcome = mem_room(ctx, ask->prefix, ask->points, job->page, ask->page_word, NUMA_ANY, buffer_round(job->part_bytes, job->page) * job->threads);

	return outcome == MEM_READY ? run(ctx, ask, told) : outcome;
}

enum mem_outcome mem_loaded_point(struct ctx *ctx, const struct loaded_ask *ask, struct loaded_told *told)
{
	const struct loaded_job *job = &ask->job;
	enum mem_outcome outcome = MEM_READY;

	told->count = 0;
	if (planned(ctx, job->rounds * job->delay_count * (job->time_ns + job->time_ns / settle_part) +
	            job->part_bytes / MIB * prepare_mib_ns + job->part_bytes / 64 * link_line_ns, 0))
		return MEM_READY;
	if (job->cpus->count < 2)
		emit_skip(ctx, ask->prefix, ask->points, "one CPU chases while others inject, and this process may use CPU %u only", job->cpus->cpus[0]);
	else if (job->threads < 2)
		emit_skip(ctx, ask->prefix, ask->points, "one thread chases while others inject: it takes two");
	else if (job->threads > job->cpus->count)
		emit_skip(ctx, ask->prefix, ask->points, "%u threads need as many CPUs, and this process may use %u", job->threads, job->cpus->count);
	else
		outcome = measure(ctx, ask, told);
	if (!told->count)
		skip_cells(ctx, ask);
	return outcome;
}
