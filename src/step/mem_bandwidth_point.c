/*
 * mem_bandwidth_point.c: bandwidth of memory as one figure, see mem_point.h: the median of the rounds' medians, by the kernel that a trial in the first
 * round found.  Where several points have begun, the rounds of all come in turn.
 * FAIL   what was read is not what was written
 * SKIP   no such pages, or too little memory, on this node or at all
 * ERROR  a thread could not run on its CPU, or the memory does not lie on its node
 */
#include <errno.h>

#include "lib/number.h"
#include "lib/text.h"
#include "step.h"
#include "step/mem_point.h"

/* For the plan: touching, filling and checking, of one thread; and the trial. */
static const uint64_t prepare_mib_ns = 600000, trial_ns = MS(150);

enum { CACHED_BELOW_MILLI = 900 }; /* of the latency of flushed lines; where nothing comes from the caches it is 1000, by 20 more or less */

/* A point that has begun, and what its rounds have given. */
struct course {
	struct bandwidth_ask ask;  /* its job's kernel: what the first round found */
	struct point points[MAX_POINTS + 1];
	struct mem_told *told;
	unsigned rounds;
	int64_t medians[MEM_ROUNDS_MAX], flushed_ps[MEM_ROUNDS_MAX], of_flushed_milli[MEM_ROUNDS_MAX];
	struct mem_refusal why;    /* of the last round; its err: there are no more rounds */
	uint64_t wrong_chunks, passes_milli, discarded;
	struct stream_trial trial;
};

enum { MAX_COURSES = 48 };
static struct course courses[MAX_COURSES];
static unsigned course_count;

/* "best of 13, 1.042 x avx2 nt" */
static void add_trial(struct facts *facts, const struct stream_trial *trial)
{
	char what[sizeof ((struct text_fact *)0)->text];
	struct text text = TEXT(what);

	if (!trial->candidates)
		return;
	text_add_format(&text, "best of %u", trial->candidates);
	if (trial->second) {
		text_add(&text, ", ");
		number_add_milli(&text, milli_ratio((uint64_t)trial->best_milli, (uint64_t)trial->second_milli));
		text_add_format(&text, " x %s", trial->second->name);
	}
	fact_text(facts, "trial", what);
}

static const struct samples *rounds_of(const struct course *course, const int64_t *values)
{
	static struct samples rounds; /* 8 KiB */

	samples_clear(&rounds);
	for (unsigned i = 0; i < course->rounds; i++)
		samples_add(&rounds, values[i]);
	return &rounds;
}

static int64_t of_flushed(const struct course *course)
{
	return summary_median(rounds_of(course, course->of_flushed_milli));
}

static void add_evidence(struct facts *facts, const struct course *course)
{
	const struct stream_job *job = &course->ask.job;

	fact_number(facts, "windows", job->windows);
	fact_number(facts, "discarded", (int64_t)course->discarded);
	fact_milli(facts, "passes", (int64_t)course->passes_milli);
	fact_number(facts, "huge_bytes", (int64_t)course->why.huge_bytes);
	mem_fact_node(facts, course->why.node_err);
	mem_fact_cpus(facts, job->cpus, job->threads);
	fact_text(facts, "engine", "stream");
	fact_text(facts, "clock", "monotonic_raw");
	fact_text(facts, "kernel", job->kernel->name);
	add_trial(facts, &course->trial);
	fact_milli(facts, "flushed", summary_median(rounds_of(course, course->flushed_ps)));
	fact_milli(facts, "of_flushed", of_flushed(course));
}

/* The caches have part of what is streamed, or it is not proven that they have not: an error where memory was meant, else it is said beside the figure. */
static bool may_be_cached(struct ctx *ctx, const struct course *course)
{
	const struct bandwidth_ask *ask = &course->ask;
	char size[24], share[24];
	struct text text = TEXT(share);

	number_size_word(ask->job.part_bytes, size);
	if (of_flushed(course) == VALUE_NONE)
		text_add(&text, "an unknown part");
	else
		number_add_milli(&text, of_flushed(course));
	if (ask->is_dram)
		emit_error(ctx, ask->metric, course->points, "the caches hold part of the %s a thread: the lines that come next take %s of the time of lines that were "
		           "flushed; memory's own bandwidth needs a larger buffer", size, share);
	else
		emit_log(ctx, "the caches hold part of the %s a thread (%s=%s, threads: %u): the lines that come next take %s of the time of lines that were flushed",
		         size, course->points[0].key, course->points[0].value, ask->job.threads, share);
	return !ask->is_dram;
}

static void report(struct ctx *ctx, const struct course *course)
{
	struct facts facts = { 0 };

	if (of_flushed(course) < CACHED_BELOW_MILLI && !may_be_cached(ctx, course))
		return;
	mem_tell_rounds(rounds_of(course, course->medians), &facts, course->told);
	add_evidence(&facts, course);
	if (of_flushed(course) >= CACHED_BELOW_MILLI) /* memory bounds nothing else */
		mem_fact_bound(ctx, &facts, course->told->median_milli);
	mem_fact_cell(&facts, &course->ask.cell);
	emit_figure(ctx, course->ask.metric, "B/s", course->points, course->told->median_milli, &facts);
}

static enum mem_outcome tell(struct ctx *ctx, const struct course *course)
{
	if (course->wrong_chunks) /* whatever came behind it */
		emit_fail(ctx, course->ask.metric, course->points, "%llu pieces of at most 64 KiB did not hold what was written to them",
		          (unsigned long long)course->wrong_chunks);
	/* Pages that a later round was refused leave the rounds before it, fewer than were asked for. */
	if (course->why.err && !(mem_lacks_pages(course->why.err) && course->rounds))
		return mem_refuse(ctx, course->ask.metric, course->points, &course->why);
	report(ctx, course);
	return MEM_READY;
}

/* With memory mapped anew. */
static void run_round(struct course *course)
{
	static struct stream_result result; /* 8 KiB */

	if (course->why.err || course->rounds == course->ask.rounds)
		return;
	course->why.err = stream_run(&course->ask.job, &result);
	course->why.huge_bytes = result.huge_bytes;
	course->why.map_bytes = result.map_bytes;
	course->why.node_err = result.node_err;
	course->why.cpu = result.error_cpu;
	course->wrong_chunks += result.wrong_chunks;
	course->passes_milli += result.passes_milli;
	course->discarded += result.discarded;
	if (!course->why.err && !result.rates.count)
		course->why.err = -ETIME; /* its threads got no CPU time at all */
	if (course->why.err)
		return;
	course->flushed_ps[course->rounds] = result.flushed_ps;
	course->of_flushed_milli[course->rounds] = result.of_flushed_milli;
	course->medians[course->rounds++] = summary_median(&result.rates);
	course->ask.job.kernel = result.found;
	if (result.trial.candidates)
		course->trial = result.trial;
}

static enum mem_outcome begin(struct ctx *ctx, const struct bandwidth_ask *ask, struct mem_told *told)
{
	struct course *course = &courses[course_count];

	*course = (struct course){ .ask = *ask, .told = told, .why = { .page_word = ask->page_word, .node = ask->job.node } };
	for (unsigned i = 0; i < MAX_POINTS && ask->points[i].key[0]; i++)
		course->points[i] = ask->points[i];
	run_round(course);
	if (course->why.err)
		return tell(ctx, course);
	course_count++;
	return MEM_READY;
}

void mem_bandwidth_finish(struct ctx *ctx)
{
	for (unsigned round = 1; round < MEM_ROUNDS_MAX; round++)
		for (unsigned i = 0; i < course_count; i++)
			run_round(&courses[i]);
	for (unsigned i = 0; i < course_count; i++)
		tell(ctx, &courses[i]);
	course_count = 0;
}

enum mem_outcome mem_bandwidth_begin(struct ctx *ctx, const struct bandwidth_ask *ask, struct mem_told *told)
{
	const struct stream_job *job = &ask->job;
	uint64_t map_bytes = buffer_round(job->part_bytes, job->page) * job->threads;
	enum mem_outcome room;

	told = mem_told_none(told);
	if (planned(ctx, ask->rounds * (job->time_ns * (job->windows + 2) / job->windows + job->part_bytes / MIB * prepare_mib_ns) + trial_ns, 0))
		return MEM_READY;
	room = mem_room(ctx, ask->metric, ask->points, job->page, ask->page_word, job->node, map_bytes);
	if (room != MEM_READY)
		return room;
	if (course_count == MAX_COURSES)
		mem_bandwidth_finish(ctx);
	return begin(ctx, ask, told);
}

enum mem_outcome mem_bandwidth_point(struct ctx *ctx, const struct bandwidth_ask *ask, struct mem_told *told)
{
	enum mem_outcome outcome = mem_bandwidth_begin(ctx, ask, told);

	mem_bandwidth_finish(ctx);
	return outcome;
}
