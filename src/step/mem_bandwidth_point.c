/*
 * mem_bandwidth_point.c: bandwidth of memory as one figure, see mem_point.h: the median of the rounds' medians, by the kernel that a trial in the first
 * round found.
 * FAIL   what was read is not what was written
 * SKIP   no such pages, or too little memory, on this node or at all
 * ERROR  a thread could not run on its CPU, or the memory does not lie on its node
 */
#include <errno.h>

#include "lib/number.h"
#include "lib/text.h"
#include "step.h"
#include "step/mem_point.h"
#include "sys/call.h"
#include "sys/memory_type.h"

/* For the plan: touching, filling and checking, of one thread; and the trial. */
static const uint64_t prepare_mib_ns = 600000, trial_ns = MS(150);

static struct stream_result result; /* of one round; 8 KiB of samples */
static struct samples rounds;
static struct stream_trial trial;

static uint64_t bound_of(const struct ctx *ctx, const char **source)
{
	static struct memory_type type;

	*source = "board file";
	if (ctx_board(ctx)->memory_bound_bytes_per_s)
		return ctx_board(ctx)->memory_bound_bytes_per_s;
	if (!type.text[0])
		memory_type_read(&type);
	*source = type.text;
	return type.bound_bytes_per_s;
}

static void add_bound(const struct ctx *ctx, struct facts *facts, int64_t milli)
{
	const char *source;
	uint64_t bound = bound_of(ctx, &source);

	if (!bound || milli < 0)
		return;
	fact_number(facts, "bound", (int64_t)bound);
	fact_text(facts, "bound_source", source);
	fact_milli(facts, "ratio", milli_ratio((uint64_t)milli / 1000, bound));
}

/* "best of 13, 1.042 x avx2 nt" */
static void add_trial(struct facts *facts)
{
	char what[sizeof ((struct text_fact *)0)->text];
	struct text text = TEXT(what);

	if (!trial.candidates)
		return;
	text_add_format(&text, "best of %u", trial.candidates);
	if (trial.second) {
		text_add(&text, ", ");
		number_add_milli(&text, milli_ratio((uint64_t)trial.best_milli, (uint64_t)trial.second_milli));
		text_add_format(&text, " x %s", trial.second->name);
	}
	fact_text(facts, "trial", what);
}

static void add_evidence(struct facts *facts, const struct stream_job *job)
{
	fact_number(facts, "windows", job->windows);
	fact_number(facts, "discarded", result.discarded);
	fact_milli(facts, "passes", (int64_t)result.passes_milli);
	fact_number(facts, "huge_bytes", (int64_t)result.huge_bytes);
	mem_fact_cpus(facts, job->cpus, job->threads);
	fact_text(facts, "engine", "stream");
	fact_text(facts, "clock", "monotonic_raw");
	fact_text(facts, "kernel", result.kernel);
	add_trial(facts);
	mem_fact_cache(facts, job->threads * job->part_bytes);
}

static void report(struct ctx *ctx, const struct bandwidth_ask *ask, struct mem_told *told)
{
	struct facts facts = { 0 };

	mem_tell_rounds(&rounds, &facts, told);
	add_evidence(&facts, &ask->job);
	add_bound(ctx, &facts, told->median_milli);
	mem_fact_cell(&facts, &ask->cell);
	emit_figure(ctx, ask->metric, "B/s", ask->points, told->median_milli, &facts);
}

/* Why a round gave nothing. */
static enum mem_outcome refuse(struct ctx *ctx, const struct bandwidth_ask *ask, int err)
{
	if (err == -ENOTSUP || err == -ENOMEM)
		return mem_no_pages(ctx, ask->metric, ask->points, ask->page_word, err, result.huge_bytes, result.map_bytes);
	if (err == -EXDEV)
		emit_error(ctx, ask->metric, ask->points, "the memory was bound to node %d, yet does not lie there", ask->job.node);
	else
		emit_error(ctx, ask->metric, ask->points, "a thread on CPU %u: %s", result.error_cpu, sys_error(err));
	return MEM_READY;
}

/* One round, with memory mapped anew: 0 or -errno. */
static int run_round(const struct stream_job *job, uint64_t *wrong_chunks)
{
	struct summary summary;
	int err = stream_run(job, &result);

	*wrong_chunks += result.wrong_chunks;
	if (err)
		return err;
	summary_of(&result.rates, &summary);
	samples_add(&rounds, summary.median);
	if (result.trial.candidates)
		trial = result.trial;
	return 0;
}

static enum mem_outcome run_rounds(struct ctx *ctx, const struct bandwidth_ask *ask, struct mem_told *told)
{
	struct stream_job job = ask->job;
	uint64_t wrong_chunks = 0;
	int err = 0;

	samples_clear(&rounds);
	trial = (struct stream_trial){ 0 };
	for (unsigned round = 0; round < ask->rounds && !err; round++) {
		err = run_round(&job, &wrong_chunks);
		job.kernel = result.found;
	}
	if (wrong_chunks) /* whatever came behind it */
		emit_fail(ctx, ask->metric, ask->points, "%llu pieces of at most 64 KiB did not hold what was written to them",
		          (unsigned long long)wrong_chunks);
	if (err)
		return refuse(ctx, ask, err);
	report(ctx, ask, told);
	return MEM_READY;
}

static bool node_has_room(struct ctx *ctx, const struct bandwidth_ask *ask, uint64_t map_bytes)
{
	uint64_t room_bytes = numa_room_bytes(ask->job.node);

	if (map_bytes <= room_bytes)
		return true;
	emit_skip(ctx, ask->metric, ask->points, "%llu KiB are needed, node %d has %llu KiB free", (unsigned long long)(map_bytes / KIB),
	          ask->job.node, (unsigned long long)(room_bytes / KIB));
	return false;
}

enum mem_outcome mem_bandwidth_point(struct ctx *ctx, const struct bandwidth_ask *ask, struct mem_told *told)
{
	const struct stream_job *job = &ask->job;
	uint64_t map_bytes = buffer_round(job->part_bytes, job->page) * job->threads;
	enum mem_outcome room;

	*told = (struct mem_told){ .low_milli = VALUE_NONE, .high_milli = VALUE_NONE };
	if (planned(ctx, ask->rounds * (job->time_ns * (job->windows + 2) / job->windows + job->part_bytes / MIB * prepare_mib_ns) + trial_ns, 0))
		return MEM_READY;
	room = mem_room(ctx, ask->metric, ask->points, job->page, ask->page_word, map_bytes);
	if (room != MEM_READY)
		return room;
	return node_has_room(ctx, ask, map_bytes) ? run_rounds(ctx, ask, told) : MEM_NO_ROOM;
}
