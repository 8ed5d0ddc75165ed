/*
 * mem_c2c_point.c: the latency of lines that another CPU holds, told as one figure: see mem_point.h.
 *
 * SKIP   a CPU that is offline or outside the affinity mask, or with itself
 * ERROR  a thread could not run on its CPU, or there is no memory
 */
#include <errno.h>

#include "step/mem_point.h"
#include "sys/call.h"
#include "sys/cluster.h"
#include "sys/prefetcher.h"

static const uint64_t least_ns[] = { [C2C_HIT] = MS(100), [C2C_HITM] = MS(100), [C2C_PINGPONG] = MS(10) }; /* for the plan: few rounds of long sets */

static struct c2c_result result;
static struct samples rounds;
static char prefetchers[72]; /* of the CPU that loads */

static bool may_measure(struct ctx *ctx, const struct c2c_ask *ask)
{
	const struct c2c_job *job = &ask->job;
	struct cpu_list cpus;
	bool has_to;

	cpu_allowed(&cpus);
	has_to = cluster_has(&cpus, job->to);
	if (!has_to || !cluster_has(&cpus, job->from))
		emit_skip(ctx, ask->metric, ask->points, "CPU %u is offline or outside the affinity mask of this process", has_to ? job->from : job->to);
	else if (job->from == job->to)
		emit_skip(ctx, ask->metric, ask->points, "it takes two CPUs: no other than CPU %u holds a line", job->to);
	else
		return true;
	return false;
}

static void tell(struct ctx *ctx, const struct c2c_ask *ask, uint64_t discarded, uint64_t transfers, struct mem_told *told)
{
	struct facts facts = { 0 };

	mem_tell_rounds(&rounds, &facts, told);
	fact_number(&facts, "discarded", (int64_t)discarded);
	fact_number(&facts, "transfers", (int64_t)transfers);
	fact_number(&facts, "lines", (int64_t)result.lines);
	fact_number(&facts, "set_bytes", (int64_t)result.set_bytes);
	fact_number(&facts, "huge_bytes", (int64_t)result.huge_bytes);
	fact_number(&facts, "holder_cpu", ask->job.from);
	fact_number(&facts, "loader_cpu", ask->job.to);
	fact_text(&facts, "page", buffer_page_word(result.huge_bytes ? MAP_PAGE_THP : MAP_PAGE_SMALL));
	fact_text(&facts, "engine", "c2c");
	if (ask->job.kind != C2C_PINGPONG) {
		fact_text(&facts, "order", "random");
		fact_text(&facts, "prefetchers", prefetchers);
	}
	mem_fact_cell(&facts, &ask->cell);
	emit_figure(ctx, ask->metric, "ns", ask->points, told->median_milli, &facts);
}

/* The rounds of the figure are runs, each with lines mapped anew: where they lie in a cache that is spread over the chip is part of the latency. */
static int measure(const struct c2c_job *ask, uint64_t *discarded, uint64_t *transfers)
{
	struct c2c_job job = *ask;

	samples_clear(&rounds);
	job.time_ns /= MEM_ROUNDS;
	for (unsigned i = 0; i < MEM_ROUNDS; i++, job.seed++) {
		int err = c2c_run(&job, &result);

		if (err)
			return err;
		samples_add(&rounds, summary_median(&result.samples));
		*discarded += result.discarded;
		*transfers += result.transfers;
	}
	return 0;
}

static void run(struct ctx *ctx, const struct c2c_ask *ask, struct mem_told *told)
{
	uint64_t discarded = 0, transfers = 0;
	int err;

	if (!may_measure(ctx, ask))
		return;
	if (ask->job.kind != C2C_PINGPONG)
		prefetcher_off(ask->job.to, prefetchers, sizeof(prefetchers));
	err = measure(&ask->job, &discarded, &transfers);
	prefetcher_restore(ask->job.to);
	if (!err)
		tell(ctx, ask, discarded, transfers, told);
	else if (err == -ENOMEM)
		emit_error(ctx, ask->metric, ask->points, "no memory for the lines");
	else
		emit_error(ctx, ask->metric, ask->points, "a thread on CPU %u: %s", result.error_cpu, sys_error(err));
}

enum mem_outcome mem_c2c_point(struct ctx *ctx, const struct c2c_ask *ask, struct mem_told *told)
{
	mem_told_none(told);
	if (planned(ctx, ask->job.time_ns > least_ns[ask->job.kind] ? ask->job.time_ns : least_ns[ask->job.kind], 0))
		return MEM_READY;
	mem_cell_begin(ctx, &ask->cell, "ns");
	run(ctx, ask, told);
	mem_cell_end(ctx);
	return MEM_READY;
}
