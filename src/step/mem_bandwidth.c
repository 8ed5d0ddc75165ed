/*
 * mem.bandwidth: bytes per second between CPUs and memory, per mix, number of threads, buffer and kind of page.
 *
 * Each thread has a buffer and a CPU of its own; a figure is the median of windows over all threads together, with the
 * quickest kernel that the CPU has.  How bytes are counted stands in mem/stream.h.
 * FAIL   what was read is not what was written
 * SKIP   a kind of page that was not granted (the small pages are then measured, under their own name), or buffers
 *        beyond half of the memory that is free
 * ERROR  a thread could not run on its CPU, or no memory is free
 */
#include <errno.h>

#include "mem/stream.h"
#include "step.h"
#include "step/mem_shared.h"
#include "sys/call.h"

static const char metric[] = "mem.bandwidth";

enum { MIX, THREADS, BUFFER, PAGE, TIME };
enum { THREADS_ONE, THREADS_ALL };

/* At level medium the buffers are as large as Intel MLC's, 100000 KiB, to be comparable. */
static const struct param params[] = {
	[MIX]     = { "mix", PARAM_WORDS, .def = "reads,1:1,copy", .words = STREAM_MIX_WORDS,
	              .help = "what each thread does" },
	[THREADS] = { "threads", PARAM_WORDS, .def = "1,all", .words = "1|all", .help = "threads, one on each CPU" },
	[BUFFER]  = { "buffer", PARAM_SIZES, .def = "64m", .def_medium = "100000KiB", .min = STREAM_CHUNK_BYTES, .max = TIB,
	              .help = "of each thread" },
	[PAGE]    = { "page", PARAM_WORDS, .def = "thp", .words = BUFFER_PAGE_WORDS, .help = "kinds of page they lie on" },
	[TIME]    = { "time", PARAM_DURATION, .def = "250ms", .def_medium = "1s", .min = MS(50), .max = SECONDS(60),
	              .help = "time for each point" },
	PARAM_END
};

enum { WINDOWS = 20 };
static const uint64_t prepare_mib_ns = 600000; /* for the plan: trial of the kernels, fill, check; of a thread */

static struct stream_result result; /* 8 KiB of samples */

static void add_evidence(const struct ctx *ctx, struct facts *facts, const struct summary *summary,
                         const struct stream_job *job)
{
	uint64_t bound = ctx_board(ctx)->memory_bound_bytes_per_s;

	summary_facts(summary, facts);
	fact_number(facts, "discarded", result.discarded);
	fact_milli(facts, "passes", (int64_t)result.passes_milli);
	fact_number(facts, "huge_bytes", (int64_t)result.huge_bytes);
	mem_fact_cpus(facts, job->cpus, job->threads);
	fact_text(facts, "engine", "stream");
	fact_text(facts, "clock", "monotonic_raw");
	fact_text(facts, "kernel", result.kernel);
	if (bound) {
		fact_number(facts, "bound", (int64_t)bound);
		fact_milli(facts, "ratio", milli_ratio((uint64_t)summary->median / 1000, bound));
	}
	mem_fact_cache(facts, job->threads * job->part_bytes);
}

static void report(struct ctx *ctx, const struct point *point, const struct stream_job *job)
{
	struct facts facts = { 0 };
	struct summary summary;

	summary_of(&result.rates, &summary);
	if (!summary.count) {
		emit_error(ctx, metric, point, "no samples");
		return;
	}
	add_evidence(ctx, &facts, &summary, job);
	emit_figure(ctx, metric, "B/s", point, summary.median, &facts);
}

static enum mem_outcome run_job(struct ctx *ctx, const struct point *point, const struct stream_job *job)
{
	int err = stream_run(job, &result);

	if (result.wrong_chunks) /* whatever came behind it */
		emit_fail(ctx, metric, point, "%llu pieces of 64 KiB did not hold what was written to them",
		          (unsigned long long)result.wrong_chunks);
	if (err == -ENOTSUP || err == -ENOMEM)
		return mem_no_pages(ctx, metric, point, buffer_page_word(job->page), err, result.huge_bytes, result.map_bytes);
	if (err)
		emit_error(ctx, metric, point, "a thread on CPU %u: %s", result.error_cpu, sys_error(err));
	else
		report(ctx, point, job);
	return MEM_READY;
}

/* Each thread's buffer lies on its own node, so that of many there may be no single one to name. */
static struct point point_node(const struct stream_job *job)
{
	int node = cpu_node(job->cpus->cpus[0]);

	for (unsigned i = 1; i < job->threads; i++)
		if (cpu_node(job->cpus->cpus[i]) != node)
			return point_text("node", "all");
	return point_number("node", (uint64_t)node);
}

static struct point point_mix(enum stream_mix mix)
{
	char word[16];

	param_word(&params[MIX], mix, word, sizeof(word));
	return point_text("mix", word);
}

static enum mem_outcome measure(struct ctx *ctx, enum map_page page, const char *word, void *context)
{
	struct stream_job *job = context;
	const struct point point[] = { point_mix(job->mix), point_number("threads", job->threads),
	                               point_size("buffer", job->part_bytes), point_text("page", word), point_node(job),
	                               POINT_LIST_END };
	enum mem_outcome room;

	if (planned(ctx, job->time_ns * (WINDOWS + 2) / WINDOWS + job->part_bytes / MIB * prepare_mib_ns, 0))
		return MEM_READY;
	room = mem_room(ctx, metric, point, page, word, buffer_round(job->part_bytes, page) * job->threads);
	if (room != MEM_READY)
		return room;
	job->page = page;
	return run_job(ctx, point, job);
}

static void measure_mix(struct ctx *ctx, enum stream_mix mix, const struct cpu_list *cpus)
{
	unsigned all = cpus->count < MAX_THREADS ? cpus->count : MAX_THREADS, before = 0;

	for_each_param(ctx, THREADS, threads) {
		unsigned count = threads == THREADS_ALL ? all : 1;

		if (count == before) /* where one CPU is all there are */
			continue;
		before = count;
		for_each_param(ctx, BUFFER, part_bytes) {
			struct stream_job job = { .mix = mix, .cpus = cpus, .threads = count, .part_bytes = part_bytes, .node = NUMA_ANY,
			                          .time_ns = param_number(ctx, TIME), .windows = WINDOWS };

			mem_each_page(ctx, PAGE, measure, &job);
		}
	}
}

static void run(struct ctx *ctx)
{
	struct cpu_list cpus;

	cpu_allowed(&cpus);
	for_each_param(ctx, MIX, mix) {
		measure_mix(ctx, (enum stream_mix)mix, &cpus);
	}
}

const struct step step_mem_bandwidth = {
	.name = "mem.bandwidth", .summary = "bandwidth of memory, mix x threads",
	.params = params, .run = run,
};
