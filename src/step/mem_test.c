/*
 * mem.test: does memory keep what is written to it?  Wrong words per pattern, over a share of the memory that is free.
 *
 * All allowed CPUs write and then check each other's slices.  How much was tested, out of what, stands in the evidence, and what EDAC and the kernel's log
 * say of memory meanwhile.  It is stress: behind every sweep the board's temperatures are read, and at the board file's temperature_stop_c it ends.
 * FAIL   a word came back wrong, be it once: pattern, place, what was expected and found, and its class (mem/fault.h); uncorrected memory errors rose, or
 *        one was consumed (run/child.c tells it of every step); or the board got too hot
 * WARN   corrected memory errors rose
 * SKIP   own-physical, where the kernel does not tell physical addresses
 * ERROR  too little memory is free (for `size`, too), a thread could not run on its CPU, or a fault made on purpose was not found
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "env/sensor.h"
#include "lib/text.h"
#include "mem/buffer.h"
#include "mem/integrity.h"
#include "mem/pagemap.h"
#include "step.h"
#include "step/mem_errors.h"
#include "step/mem_faults.h"
#include "step/mem_shared.h"
#include "sys/call.h"
#include "sys/clock.h"

static const char metric[] = "mem.test.errors";

enum { PATTERN, SHARE, SIZE, CAP, TIME, PASSES, FADE, INJECT };
enum { ALL_PATTERNS = FILLING_COUNT }; /* the word behind them; bit-fade is long, and must be asked for by its name */

static const struct param params[] = {
	[PATTERN]   = { "pattern", PARAM_WORDS, .def = "address,random,inversions",
	                .def_medium = "address,random,inversions,walking,checkerboard,walking-address,inversions-random,block-move,modulo-20",
	                .def_long = "all", .words = FILLING_WORDS "|all", .help = "what is written; all: all but bit-fade" },
	[SHARE]     = { "share", PARAM_PERCENT, .def = "25", .def_medium = "90", .min = 1, .max = 95,
	                .help = "of the memory that is free, less a reserve" },
	[SIZE]      = { "size", PARAM_SIZE, .def = "0", .max = 1024 * TIB, .help = "so much and no less, in place of share, size_max and time; 0: these" },
	[CAP]       = { "size_max", PARAM_SIZE, .def = "1g", .def_medium = "0", .help = "no more than this; 0: no cap" },
	[TIME]      = { "time", PARAM_DURATION, .def = "10s", .def_medium = "150s", .def_long = "0",
	                .help = "no more than can be tested in about this, by a trial; 0: no cap" },
	[PASSES]    = { "passes", PARAM_COUNT, .def = "2", .def_long = "16", .words = "all",
	                .help = "of a pattern that has more values (64 places of a bit), the first by the seed" },
	[FADE]      = { "fade", PARAM_DURATION, .def = "90s", .max = SECONDS(86400), .help = "bit-fade: between writing and reading" },
	[INJECT]    = { "inject", PARAM_WORD, .def = "none", .words = INJECT_WORDS,
	                .help = "a fault made on purpose, to see it found and its class told" },
	PARAM_END
};

/* What the kernel calls available is not all to be had (slabs that it keeps): on a machine of 96 MB it killed the test at 9 MB less. */
static const uint64_t reserve_min_bytes = 8 * MIB, reserve_max_bytes = 64 * MIB, budget_min_bytes = 12 * MIB;
static const uint64_t trial_bytes = 16 * MIB;    /* of each thread */
static const uint64_t sweep_mib_ns = 3000000;    /* of one slow CPU that has others on it, for the plan */
enum { CPUS_THAT_HELP = 4 };                     /* more do not make memory quicker, for the plan */

/* How much is tested, and why as much. */
struct extent {
	uint64_t budget_bytes, reserve_bytes, bytes;
	const char *source;
	const char *capped; /* by what; NULL: it is the whole share */
};

/* The hottest part when it was last looked at, where the board file says when to stop. */
struct heat {
	const struct stack *stack;
	const struct sensor *hottest; /* NULL: none could be read */
	int64_t milli, stop_milli;
};

static struct integrity_result result;
static struct mem_errors errors; /* up to now */

/* False: too hot. */
static bool is_cool(void *context)
{
	struct heat *heat = context;
	int64_t milli;

	heat->hottest = NULL;
	for (unsigned i = 0; heat->stop_milli && heat->stack && i < heat->stack->temperature_count; i++)
		if (!sensor_read(&heat->stack->temperatures[i], &milli) && (!heat->hottest || milli > heat->milli)) {
			heat->hottest = &heat->stack->temperatures[i];
			heat->milli = milli;
		}
	return !heat->hottest || heat->milli < heat->stop_milli;
}

/* Bit number i: the filling of that name is asked for. */
static uint32_t all_patterns(const struct ctx *ctx)
{
	uint32_t patterns = 0;

	for_each_param(ctx, PATTERN, pattern)
		patterns |= pattern == ALL_PATTERNS ? (1u << FILLING_BIT_FADE) - 1 : 1u << pattern;
	return patterns;
}

static bool is_asked(const struct ctx *ctx, unsigned pattern)
{
	return all_patterns(ctx) >> pattern & 1;
}

static void choose_extent(const struct ctx *ctx, unsigned threads, struct extent *extent)
{
	uint64_t cap_bytes = param_number(ctx, CAP), size_bytes = param_number(ctx, SIZE);

	extent->budget_bytes = map_budget_bytes(&extent->source);
	extent->reserve_bytes = reserve_min_bytes + extent->budget_bytes / 10;
	if (extent->reserve_bytes > reserve_max_bytes)
		extent->reserve_bytes = reserve_max_bytes;
	if (is_asked(ctx, FILLING_OWN_PHYSICAL)) /* an address for every page */
		extent->reserve_bytes += extent->budget_bytes / (map_page_bytes() / sizeof(uint64_t)) + map_page_bytes();
	extent->capped = NULL;
	if (size_bytes) { /* up to whole blocks */
		extent->bytes = integrity_bytes(size_bytes, threads);
		if (extent->bytes < size_bytes)
			extent->bytes += integrity_block_bytes(threads);
		return;
	}
	extent->bytes = extent->budget_bytes > extent->reserve_bytes ? extent->budget_bytes - extent->reserve_bytes : 0;
	extent->bytes = extent->bytes / 100 * param_number(ctx, SHARE);
	if (cap_bytes && extent->bytes > cap_bytes) {
		extent->capped = "by size_max";
		extent->bytes = cap_bytes;
	}
	extent->bytes = integrity_bytes(extent->bytes, threads);
}

static unsigned all_sweeps(const struct ctx *ctx)
{
	unsigned sweeps = 0;

	for (unsigned i = 0; i < FILLING_COUNT; i++)
		if (is_asked(ctx, i))
			sweeps += integrity_sweeps(filling_at(i), (unsigned)param_number(ctx, PASSES));
	return sweeps;
}

/* Of a small part: the time of one sweep, the quickest of three trials, and what the first one took beyond, for it also gets the pages. */
static int time_trial(const struct integrity_job *job, uint64_t *sweep_ns, uint64_t *pages_ns)
{
	uint64_t quickest_ns = UINT64_MAX, first_ns = 0;
	int err = 0;

	for (unsigned i = 0; i < 3 && !err && !result.errors; i++) {
		uint64_t start_ns = clock_now_ns(), took_ns;

		err = integrity_run(job, &result);
		took_ns = clock_now_ns() - start_ns;
		if (!i)
			first_ns = took_ns;
		if (took_ns < quickest_ns)
			quickest_ns = took_ns;
	}
	*sweep_ns = quickest_ns / integrity_sweeps(job->filling, 0) + 1;
	*pages_ns = first_ns - quickest_ns;
	return err;
}

/* Takes no more than can be done in time on a machine as quick as this one. */
static int cap_by_time(const struct ctx *ctx, struct integrity_job *job, struct extent *extent)
{
	struct integrity_job trial = *job;
	uint64_t sweep_ns, pages_ns, affordable_bytes;
	int err;

	trial.bytes = trial_bytes * job->threads;
	trial.filling = filling_at(FILLING_ADDRESS);
	trial.inject = INJECT_NONE;
	trial.goes_on = NULL;
	if (!param_number(ctx, TIME) || param_number(ctx, SIZE) || job->bytes <= trial.bytes)
		return 0;
	err = time_trial(&trial, &sweep_ns, &pages_ns);
	affordable_bytes = param_number(ctx, TIME) / ((all_sweeps(ctx) * sweep_ns + pages_ns) / (trial.bytes / MIB) + 1) * MIB;
	if (!err && affordable_bytes < job->bytes) {
		extent->capped = "by time";
		extent->bytes = integrity_bytes(affordable_bytes > trial.bytes ? affordable_bytes : trial.bytes, job->threads);
		job->bytes = extent->bytes;
		job->flush = buffer_may_fit_cache(job->bytes);
	}
	return err;
}

static void add_evidence(const struct ctx *ctx, struct facts *facts, const struct extent *extent,
                         const struct integrity_job *job, bool locked, uint64_t took_ns)
{
	const struct heat *heat = job->context;

	fact_number(facts, "bytes", (int64_t)extent->bytes);
	fact_number(facts, "n", (int64_t)result.checked_words);
	fact_milli(facts, "time_ms", (int64_t)(took_ns / 1000));
	fact_milli(facts, "bandwidth", milli_per_second(job->bytes * integrity_sweeps(job->filling, job->most_passes), took_ns));
	fact_number(facts, "passes", filling_passes(job->filling, job->most_passes));
	fact_number(facts, "passes_of", filling_passes(job->filling, 0));
	if (!param_number(ctx, SIZE))
		fact_number(facts, "share_percent", (int64_t)param_number(ctx, SHARE));
	fact_milli(facts, "covered_of_budget", milli_ratio(extent->bytes, extent->budget_bytes));
	fact_milli(facts, "covered_of_total", milli_ratio(extent->bytes, map_total_bytes()));
	fact_number(facts, "budget_bytes", (int64_t)extent->budget_bytes);
	fact_number(facts, "reserve_bytes", (int64_t)extent->reserve_bytes);
	fact_number(facts, "threads", job->threads);
	mem_fact_cpus(facts, job->cpus, job->threads);
	if (heat->hottest)
		fact_milli(facts, "hottest_c", heat->milli);
	fact_text(facts, "budget", extent->source);
	if (extent->capped)
		fact_text(facts, "capped", extent->capped);
	if (job->flush)
		fact_text(facts, "flushed", "as it was written: the caches might hold the buffer");
	if (!locked)
		fact_text(facts, "locked", "no: pages could have been swapped out and back");
}

static void report_incomplete(struct ctx *ctx, const struct point *point, const struct heat *heat, int err, uint64_t words)
{
	if (err == -ECANCELED)
		emit_fail(ctx, metric, point, "%s is at %lld millidegrees, and the board file stops stress at %lld",
		          heat->hottest->name, (long long)heat->milli, (long long)heat->stop_milli);
	else if (err)
		emit_error(ctx, metric, point, "a thread on CPU %u: %s", result.error_cpu, sys_error(err));
	else
		emit_error(ctx, metric, point, "%llu words were checked, not %llu", (unsigned long long)result.checked_words,
		           (unsigned long long)words);
}

static const char *injected_word(const struct ctx *ctx, char word[16])
{
	return result.was_injected ? param_text(ctx, INJECT, 0, word, 16) : NULL;
}

static void report_injection(struct ctx *ctx, const struct point *point, struct facts *facts)
{
	char word[16];

	if (injected_word(ctx, word))
		fact_text(facts, "injected", word);
	else if (param_number(ctx, INJECT) && param_values(ctx, PATTERN)->count == 1)
		emit_error(ctx, metric, point, "nothing was injected: the words of %s are alike, and such a fault would not show; take another pattern", point->value);
	else if (param_number(ctx, INJECT))
		emit_log(ctx, "%s: nothing was injected: its words are alike, and such a fault would not show", point->value);
	if (result.was_injected && !result.errors)
		emit_error(ctx, metric, point, "the fault that was injected (%s) was not found", word);
}

/* False: it is no use to go on. */
static bool test_pattern(struct ctx *ctx, const struct integrity_job *job, const struct point *point, const struct extent *extent, bool locked)
{
	uint64_t words = job->bytes / sizeof(uint64_t) * integrity_checks(job->filling, job->most_passes), start_ns, took_ns;
	struct facts facts = { 0 };
	struct mem_errors before;
	char word[16];
	bool complete;
	int err;

	mem_errors_read(ctx, &errors);
	before = errors;
	if (job->inject == INJECT_UE)
		emit_log(ctx, "%s: injected on purpose (ue): what follows is no error of this memory", point->value);
	start_ns = clock_now_ns();
	err = integrity_run(job, &result);
	took_ns = clock_now_ns() - start_ns;
	complete = !err && result.checked_words == words;
	if (result.errors)
		mem_faults_tell(ctx, metric, point, &result, complete && ctx_judges(ctx, metric, point), injected_word(ctx, word));
	if (!complete) {
		report_incomplete(ctx, point, job->context, err, words);
		return err != -ECANCELED;
	}
	mem_errors_read(ctx, &errors);
	mem_errors_facts(&before, &errors, &facts);
	add_evidence(ctx, &facts, extent, job, locked, took_ns);
	fact_text(&facts, "engine", "integrity");
	report_injection(ctx, point, &facts);
	emit_figure(ctx, metric, "1", point, milli_whole(result.errors), &facts);
	return true;
}

/* The physical addresses stand in memory of their own, for a page may be moved meanwhile. */
static bool test_physical(struct ctx *ctx, struct integrity_job *job, const struct point *point, const struct extent *extent, bool locked)
{
	uint64_t bytes = (job->bytes + map_page_bytes() - 1) / map_page_bytes() * sizeof(uint64_t);
	bool goes_on = true;
	void *pages;
	int err = map_memory(bytes, MAP_PAGE_SMALL, &pages);

	if (!err)
		err = pagemap_snapshot(job->at, job->bytes, pages);
	if (err == -EPERM)
		emit_skip(ctx, metric, point, "the kernel does not tell physical addresses (CAP_SYS_ADMIN)");
	else if (err)
		emit_error(ctx, metric, point, "the physical addresses of %llu KiB: %s", (unsigned long long)(job->bytes / KIB), sys_error(err));
	job->pages = pages;
	if (!err)
		goes_on = test_pattern(ctx, job, point, extent, locked);
	job->pages = NULL;
	unmap_memory(pages, bytes);
	return goes_on;
}

static bool test_one(struct ctx *ctx, struct integrity_job *job, unsigned pattern, const struct extent *extent, bool locked)
{
	struct point point[] = { point_text("pattern", ""), POINT_LIST_END };

	param_word(&params[PATTERN], pattern, point[0].value, sizeof(point[0].value));
	job->filling = filling_at(pattern);
	return pattern == FILLING_OWN_PHYSICAL ? test_physical(ctx, job, point, extent, locked) : test_pattern(ctx, job, point, extent, locked);
}

static void test_patterns(struct ctx *ctx, struct integrity_job *job, struct extent *extent)
{
	bool locked = sys_call(SYS_mlock2, job->at, job->bytes, (long)MLOCK_ONFAULT) == 0;
	const struct point trial[] = { point_text("pattern", "address"), POINT_LIST_END };
	int err = cap_by_time(ctx, job, extent);
	bool goes_on = true;

	if (result.errors)
		mem_faults_tell(ctx, metric, trial, &result, false, NULL);
	if (err) {
		emit_error(ctx, metric, NULL, "a thread on CPU %u: %s", result.error_cpu, sys_error(err));
		return;
	}
	for (unsigned i = 0; i < FILLING_COUNT && goes_on; i++)
		if (is_asked(ctx, i))
			goes_on = test_one(ctx, job, i, extent, locked);
}

/* True: this is the dry run.  The time is that of a slow machine, or the most that it is given. */
static bool plan(struct ctx *ctx, const struct extent *extent, unsigned threads)
{
	unsigned cpus = threads < CPUS_THAT_HELP ? threads : CPUS_THAT_HELP;
	uint64_t time_ns = extent->bytes / MIB * all_sweeps(ctx) * sweep_mib_ns / cpus;

	if (param_number(ctx, TIME) && !param_number(ctx, SIZE) && time_ns > param_number(ctx, TIME))
		time_ns = param_number(ctx, TIME);
	if (is_asked(ctx, FILLING_BIT_FADE))
		time_ns += filling_passes(filling_at(FILLING_BIT_FADE), 0) * param_number(ctx, FADE);
	return planned(ctx, time_ns, 0);
}

static void test_extent(struct ctx *ctx, struct extent *extent, const struct cpu_list *cpus, unsigned threads)
{
	struct heat heat = { .stack = board_stack(ctx_board(ctx), ctx_identity(ctx)),
	                     .stop_milli = ctx_board(ctx)->temperature_stop_milli };
	struct integrity_job job = { .bytes = extent->bytes, .cpus = cpus, .threads = threads, .seed = ctx_seed(ctx),
	                             .goes_on = is_cool, .context = &heat, .flush = buffer_may_fit_cache(extent->bytes),
	                             .inject = (enum inject)param_number(ctx, INJECT),
	                             .most_passes = (unsigned)param_number(ctx, PASSES), .fade_ns = param_number(ctx, FADE) };
	struct mem_errors before;
	struct buffer buffer;
	int err = buffer_map(&buffer, extent->bytes, MAP_PAGE_THP);

	if (err) {
		emit_error(ctx, metric, NULL, "%llu KiB of memory: %s", (unsigned long long)(extent->bytes / KIB), sys_error(err));
		return;
	}
	job.at = buffer.at;
	mem_errors_start(ctx, &errors);
	before = errors;
	test_patterns(ctx, &job, extent);
	mem_errors_read(ctx, &errors);
	mem_errors_judge(ctx, metric, &before, &errors);
	buffer_unmap(&buffer);
	if (heat.stop_milli && !heat.hottest)
		emit_warn(ctx, metric, NULL, "temperature_stop_c was not in force: no temperature of this board can be read");
}

static void run(struct ctx *ctx)
{
	struct cpu_list cpus;
	struct extent extent;
	unsigned threads;

	cpu_allowed(&cpus);
	threads = cpus.count < MAX_THREADS ? cpus.count : MAX_THREADS;
	choose_extent(ctx, threads, &extent);
	if (plan(ctx, &extent, threads))
		return;
	if (extent.budget_bytes < budget_min_bytes || !extent.bytes) {
		emit_error(ctx, metric, NULL, "the memory budget (%s) is %llu KiB, and less than %llu KiB is too little to test",
		           extent.source, (unsigned long long)(extent.budget_bytes / KIB),
		           (unsigned long long)(budget_min_bytes / KIB));
		return;
	}
	if (extent.bytes > extent.budget_bytes - extent.reserve_bytes) {
		emit_error(ctx, metric, NULL, "size: %llu KiB are more than can be had: %llu KiB (%s), less a reserve of %llu KiB",
		           (unsigned long long)(extent.bytes / KIB), (unsigned long long)(extent.budget_bytes / KIB), extent.source,
		           (unsigned long long)(extent.reserve_bytes / KIB));
		return;
	}
	mem_log_left_out(ctx, &cpus);
	test_extent(ctx, &extent, &cpus, threads);
}

const struct step step_mem_test = {
	.name = "mem.test", .summary = "does memory keep what is written to it, on all CPUs",
	.params = params, .run = run,
};
