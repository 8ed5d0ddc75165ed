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
#include <string.h>

#include "lib/number.h"
#include "mem/stream.h"
#include "step.h"
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

static void add_evidence(const struct ctx *ctx, struct facts *facts, const struct summary *summary, uint64_t all_bytes)
{
	uint64_t bound = ctx_board(ctx)->memory_bound_bytes_per_s;

	summary_facts(summary, facts);
	fact_number(facts, "discarded", result.discarded);
	fact_milli(facts, "passes", (int64_t)result.passes_milli);
	fact_number(facts, "huge_bytes", (int64_t)result.huge_bytes);
	fact_text(facts, "engine", "stream");
	fact_text(facts, "kernel", result.kernel);
	if (bound) {
		fact_number(facts, "bound", (int64_t)bound);
		fact_milli(facts, "bound_ratio", milli_ratio((uint64_t)summary->median / 1000, bound));
	}
	if (buffer_may_fit_cache(all_bytes)) {
		char what[72];
		struct text text = TEXT(what);

		text_add(&text, "all buffers are less than 4 times the last cache, ");
		number_add_size(&text, buffer_last_cache_bytes());
		fact_text(facts, "may_fit_cache", what);
	}
}

static void report(struct ctx *ctx, const struct point *point, uint64_t all_bytes)
{
	struct facts facts = { 0 };
	struct summary summary;

	if (result.wrong_chunks)
		emit_fail(ctx, metric, point, "%llu pieces of 64 KiB did not hold what was written to them",
		          (unsigned long long)result.wrong_chunks);
	summary_of(&result.rates, &summary);
	if (!summary.count) {
		emit_error(ctx, metric, point, "no samples");
		return;
	}
	add_evidence(ctx, &facts, &summary, all_bytes);
	emit_figure(ctx, metric, "B/s", point, summary.median, &facts);
}

static bool run_job(struct ctx *ctx, const struct point *point, const struct stream_job *job)
{
	const char *page_word = buffer_page_word(job->page);
	int err = stream_run(job, &result);

	if (err == -ENOTSUP)
		emit_skip(ctx, metric, point, "%s not granted: huge pages back %llu of %llu KiB", page_word,
		          (unsigned long long)(result.huge_bytes / KIB), (unsigned long long)(result.map_bytes / KIB));
	else if (err == -ENOMEM)
		emit_skip(ctx, metric, point, "no %s pages: %s", page_word, sys_error(err));
	else if (err)
		emit_error(ctx, metric, point, "a thread on CPU %u: %s", result.error_cpu, sys_error(err));
	else
		report(ctx, point, job->threads * job->part_bytes);
	return err != -ENOTSUP && err != -ENOMEM;
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

/* False: this kind of page was not to be had. */
static bool measure(struct ctx *ctx, const struct stream_job *job, const char *page_word)
{
	const struct point point[] = { point_mix(job->mix), point_number("threads", job->threads),
	                               point_size("buffer", job->part_bytes), point_text("page", page_word),
	                               point_node(job), POINT_LIST_END };
	uint64_t map_bytes = buffer_round(job->part_bytes, job->page) * job->threads;
	uint64_t room_bytes = buffer_room_bytes(job->page);

	if (planned(ctx, job->time_ns * (WINDOWS + 2) / WINDOWS + job->part_bytes / MIB * prepare_mib_ns, 0))
		return true;
	if (job->page == MAP_PAGE_SMALL && strcmp(page_word, buffer_page_word(MAP_PAGE_SMALL))) {
		emit_skip(ctx, metric, point, "this kernel's pages are %s", buffer_page_word(MAP_PAGE_SMALL));
		return false;
	}
	if (!room_bytes) {
		emit_error(ctx, metric, point, "no memory is free, or /proc does not tell how much is");
		return true;
	}
	if (map_bytes > room_bytes) {
		emit_skip(ctx, metric, point, "%llu KiB are needed, half of the free memory is %llu KiB",
		          (unsigned long long)(map_bytes / KIB), (unsigned long long)(room_bytes / KIB));
		return true;
	}
	return run_job(ctx, point, job);
}

/* Small pages go by their true size: the word 4k is not theirs everywhere. */
static void measure_pages(struct ctx *ctx, struct stream_job *job)
{
	bool all_had = true, small_asked = false;

	for_each_param(ctx, PAGE, page) {
		job->page = (enum map_page)page;
		all_had &= measure(ctx, job, page == MAP_PAGE_SMALL ? "4k" : buffer_page_word(job->page));
		small_asked |= page == MAP_PAGE_SMALL && buffer_small_is_4k();
	}
	job->page = MAP_PAGE_SMALL;
	if (!all_had && !small_asked)
		measure(ctx, job, buffer_page_word(MAP_PAGE_SMALL));
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
			struct stream_job job = { .mix = mix, .cpus = cpus, .threads = count, .part_bytes = part_bytes,
			                          .time_ns = param_number(ctx, TIME), .windows = WINDOWS };

			measure_pages(ctx, &job);
		}
	}
}

static void run(struct ctx *ctx)
{
	struct cpu_list cpus;

	cpu_allowed(&cpus);
	for_each_param(ctx, MIX, mix) {
		measure_mix(ctx, (enum stream_mix)mix, &cpus);
		emit_progress(ctx, mix_i + 1, param_values(ctx, MIX)->count);
	}
}

const struct step step_mem_bandwidth = {
	.name = "mem.bandwidth", .summary = "bandwidth of memory, mix x threads",
	.params = params, .run = run,
};
