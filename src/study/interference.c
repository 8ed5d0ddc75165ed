/*
 * interference.c: study.interference: storage, network, memory and messages, alone and in pairs: how much of each is lost while another runs.
 *
 * In each round every load runs alone and beside each other one, in random order, so that drift meets all alike; a loss is that of one
 * round, the figure their median over the rounds.  A first turn of each, alone, is not counted: it tells whether the load can run.
 *
 * What two loads share is memory and caches only where each has CPUs of its own, and others are left for the kernel's work (a loop
 * device's, a softirq's).  From four cores on each load has a quarter of them; with two or three, the two of a pair have one each, by turns;
 * on a single one they share it.  Second threads of a core are left out.  The evidence tells the CPUs, and what CPU time each load had.
 * FAIL   what a load's own step would fail for: an I/O error, wrong data, a broken connection
 * SKIP   a load without its device or its memory, and each pair with it
 * ERROR  a load that could not be measured
 */
#include <string.h>

#include "lib/random.h"
#include "msg/transport.h"
#include "net/socket.h"
#include "step/mem_shared.h"
#include "study/beside.h"
#include "study/curve.h"
#include "study/interference.h"
#include "sys/cluster.h"

enum { RUNTIME, RAMP_TIME, ROUNDS, WHICH, BUFFER };

enum { MAX_ROUNDS = 64, PAIRS = LOADS * (LOADS + 1) / 2, SET_UP_MS = 50, LEAST_CPU_MILLI = 900, PATIENCE_S = 5, QUARTERS = 4 };

static const struct param params[] = {
	[RUNTIME]   = { "runtime", PARAM_DURATION, .def = "100ms", .def_medium = "1s", .min = MS(10), .max = SECONDS(60),
	                .help = "time of each load, alone or beside another, in each round" },
	[RAMP_TIME] = { "ramp_time", PARAM_DURATION, .def = "50ms", .def_medium = "100ms", .max = SECONDS(60), .help = "thrown away before it" },
	[ROUNDS]    = { "rounds", PARAM_COUNT, .def = "12", .def_medium = "15", .min = 1, .max = MAX_ROUNDS,
	                .help = "from 6 on there is an interval, from 12 on one that two disturbed rounds do not widen" },
	[WHICH]     = { "loads", PARAM_WORDS, .def = "storage,network,memory,messages", .words = LOAD_WORDS, .help = "what is put beside one another" },
	[BUFFER]    = { "buffer", PARAM_SIZE, .def = "64m", .min = 64 * KIB, .max = TIB, .help = "memory: of each thread" },
	PARAM_END
};

#define TABLE "what each brings alone, MB/s, and what it loses beside another, %"

static struct {
	struct cpu_list cores, parts[QUARTERS];
	unsigned part_count;
	const char *shared;      /* why a loss may be one of CPU time; NULL: it cannot be */
	struct device *device;   /* NULL: none */
	const char *why[LOADS];  /* it does not run; NULL: it does */
	bool late[LOADS][LOADS]; /* one of the two did not come to an end in its time */
	/* Of each load beside each other one, and beside itself: alone. */
	struct load_result results[LOADS][LOADS][MAX_ROUNDS];
	struct load_result engines[LOADS]; /* of whichever was last */
	bool stuck;
} study;

/* ---- which CPUs ---- */

static bool is_second_thread(unsigned cpu, const struct cpu_list *cores)
{
	static struct cpu_list siblings;

	cluster_siblings(cpu, cores, &siblings);
	return siblings.count;
}

static void find_cores(void)
{
	static struct cpu_list all;

	cpu_allowed(&all);
	study.cores.count = 0;
	for (unsigned i = 0; i < all.count; i++)
		if (!is_second_thread(all.cpus[i], &study.cores))
			study.cores.cpus[study.cores.count++] = all.cpus[i];
	study.shared = NULL;
	if (study.cores.count > 1 || all.count < 2)
		return;
	study.cores = all;
	study.shared = "they share a core";
}

/* The widest part is as wide as the narrowest: loads are not told apart by it. */
static void part_cpus(void)
{
	unsigned width;

	find_cores();
	study.part_count = study.cores.count >= QUARTERS ? QUARTERS : study.cores.count > 1 ? 2 : 1;
	width = study.cores.count / study.part_count;
	if (width > MAX_THREADS)
		width = MAX_THREADS;
	for (unsigned part = 0; part < study.part_count; part++) {
		study.parts[part].count = width;
		for (unsigned i = 0; i < width; i++)
			study.parts[part].cpus[i] = study.cores.cpus[part * width + i];
	}
	if (study.part_count == 1)
		study.shared = "they share the one CPU";
	else if (!study.shared && study.cores.count <= 2 * width)
		study.shared = "no CPU is left for the kernel's work";
}

/* position: 0, or 1 for the second of a pair. */
static const struct cpu_list *cpus_of(enum load load, unsigned position, unsigned round)
{
	return &study.parts[study.part_count == QUARTERS ? (unsigned)load : (position + round) % study.part_count];
}

/* ---- which loads ---- */

static struct load_job job_of(struct ctx *ctx, enum load load, unsigned position, unsigned round)
{
	return (struct load_job){
		.load = load, .cpus = cpus_of(load, position, round), .runtime_ns = param_number(ctx, RUNTIME), .ramp_ns = param_number(ctx, RAMP_TIME),
		.device = study.device, .buffer_bytes = param_number(ctx, BUFFER), .kernel = study.engines[load].kernel, .seed = ctx_seed(ctx) + round,
	};
}

static void check_loads(struct ctx *ctx)
{
	const struct device *device = study.device;
	uint64_t room_bytes = buffer_room_bytes(MAP_PAGE_SMALL);

	for (enum load load = 0; load < LOADS; load++)
		study.why[load] = "not asked for";
	for_each_param(ctx, WHICH, load)
		study.why[load] = NULL;
	if (!device || device->size_bytes < LOAD_BLOCK_BYTES || LOAD_BLOCK_BYTES % device->logical_block_bytes)
		study.why[LOAD_STORAGE] = device ? "the device does not take blocks of 128 KiB" : "there is no device to be read: name one";
	if (socket_link_up("lo"))
		study.why[LOAD_NETWORK] = "the interface lo is down, or not there: bring it up";
	/* Without /proc nobody tells what is free. */
	if (room_bytes && room_bytes / study.parts[0].count < param_number(ctx, BUFFER))
		study.why[LOAD_MEMORY] = "--buffer for each of its CPUs is more than half of the free memory";
	if (room_bytes && room_bytes < 2 * MAX_SLOTS * LOAD_MESSAGE_BYTES)
		study.why[LOAD_MESSAGES] = "too little memory is free for 16 messages of 1 MiB";
}

/* ---- rounds ---- */

static bool runs(enum load load)
{
	return !study.why[load];
}

/* One failed is not tried again: it would be said once a turn.  What is left of a pair that came to no end would be its better rounds. */
static void keep(enum load load, enum load beside, unsigned round, enum beside_end end, const struct load_result *result)
{
	if (end == BESIDE_MEASURED) {
		study.results[load][beside][round] = *result;
		study.engines[load] = *result;
	} else if (end == BESIDE_LATE && load != beside) {
		study.late[load][beside] = study.late[beside][load] = true;
	} else if (end != BESIDE_VOID) {
		study.why[load] = "it failed before";
	}
	study.stuck |= end == BESIDE_STUCK;
}

/* Two loads, or one alone where they are the same. */
static void run_pair(struct ctx *ctx, enum load first, enum load second, unsigned round)
{
	const struct load_job jobs[] = { job_of(ctx, first, 0, round), job_of(ctx, second, 1, round) };
	uint64_t patience_ns = 2 * (jobs[0].runtime_ns + jobs[0].ramp_ns) + SECONDS(PATIENCE_S);
	struct load_result results[BESIDE_MAX];
	enum beside_end ends[BESIDE_MAX];

	if (study.stuck || study.late[first][second] || !runs(first) || !runs(second))
		return;
	beside_run(ctx, jobs, first == second ? 1 : 2, patience_ns, results, ends);
	keep(first, second, round, ends[0], &results[0]);
	if (first != second)
		keep(second, first, round, ends[1], &results[1]);
}

/* All that alone and in pairs makes, in an order of the round's own. */
static void run_round(struct ctx *ctx, unsigned round)
{
	struct { enum load first, second; } pairs[PAIRS];
	struct random_order order;
	unsigned count = 0;

	for (enum load first = 0; first < LOADS; first++)
		for (enum load second = first; second < LOADS; second++, count++)
			pairs[count].first = first, pairs[count].second = second;
	random_order(&order, PAIRS, ctx_seed(ctx), round);
	for (unsigned i = 0; i < PAIRS; i++) {
		unsigned at = (unsigned)random_order_at(&order, i);

		run_pair(ctx, pairs[at].first, pairs[at].second, round);
	}
}

static void clear_results(void)
{
	for (enum load load = 0; load < LOADS; load++)
		for (enum load beside = 0; beside < LOADS; beside++)
			for (unsigned round = 0; round < MAX_ROUNDS; round++)
				study.results[load][beside][round] = (struct load_result){ .rate_milli = VALUE_NONE };
}

static void measure(struct ctx *ctx)
{
	study.stuck = false;
	memset(study.late, 0, sizeof study.late);
	clear_results();
	for (enum load load = 0; load < LOADS; load++)
		run_pair(ctx, load, load, 0);
	clear_results();
	for (unsigned round = 0; round < param_number(ctx, ROUNDS); round++)
		run_round(ctx, round);
}

/* ---- figures ---- */

/* A quantity of a load's results; VALUE_NONE where there was none in that round. */
typedef int64_t study_quantity(enum load load, enum load beside, unsigned round);

static int64_t rate_milli(enum load load, enum load beside, unsigned round)
{
	return study.results[load][beside][round].rate_milli;
}

static int64_t loss_milli(enum load load, enum load beside, unsigned round)
{
	return interference_loss_milli(rate_milli(load, load, round), rate_milli(load, beside, round));
}

/* CPUs that its processes kept busy, on average. */
static int64_t cpus_milli(enum load load, enum load beside, unsigned round)
{
	const struct load_result *result = &study.results[load][beside][round];

	return result->rate_milli == VALUE_NONE ? VALUE_NONE : milli_ratio(result->cpu_ns, result->call_ns);
}

static int64_t overlap_milli(enum load load, enum load beside, unsigned round)
{
	return rate_milli(load, beside, round) == VALUE_NONE ? VALUE_NONE :
	       beside_overlap_milli(&study.results[load][beside][round], &study.results[beside][load][round]);
}

static const struct summary *over_rounds(study_quantity *quantity, enum load load, enum load beside)
{
	static struct samples samples;
	static struct summary summary;

	samples_clear(&samples);
	for (unsigned round = 0; round < MAX_ROUNDS; round++) {
		int64_t value_milli = quantity(load, beside, round);

		if (value_milli != VALUE_NONE)
			samples_add(&samples, value_milli);
	}
	summary_of(&samples, &summary);
	return &summary;
}

static void add_median(struct facts *facts, const char *key, study_quantity *quantity, enum load load, enum load beside)
{
	const struct summary *summary = over_rounds(quantity, load, beside);

	if (summary->count)
		fact_milli(facts, key, summary->median);
}

static void add_evidence(struct facts *facts, enum load load, enum load beside)
{
	fact_number(facts, "discarded", 1);
	if (study.part_count == QUARTERS)
		mem_fact_cpus(facts, cpus_of(load, 0, 0), cpus_of(load, 0, 0)->count);
	else
		mem_fact_cpus(facts, &study.cores, study.part_count * study.parts[0].count);
	fact_text(facts, "apart", study.shared ? study.shared : "yes");
	fact_text(facts, "clock", "monotonic_raw");
	fact_text(facts, "engine", study.engines[load].engine);
	if (load == LOAD_STORAGE && study.device) {
		fact_text(facts, "device", study.device->node);
		fact_text(facts, "direct", study.device->direct ? "yes" : "no");
	}
	add_median(facts, "cpus_alone", cpus_milli, load, load);
	if (load == beside)
		return;
	add_median(facts, "cpus_beside", cpus_milli, load, beside);
	add_median(facts, "overlap", overlap_milli, load, beside);
}

/* Why there is no such figure. */
static void skip(struct ctx *ctx, enum load load, enum load beside, const char *metric, const char *unit, const struct point *points,
                 const struct facts *cell)
{
	enum load which = runs(load) ? beside : load;
	const char *why = study.why[which] ? study.why[which] : study.late[load][beside] ? "the two together did not end in time" : "no round had both";

	emit_skip_cell(ctx, metric, unit, points, cell, "%s: %s", load_word(which), why);
}

static void tell(struct ctx *ctx, enum load load, enum load beside)
{
	static struct facts facts;
	bool alone = load == beside;
	const struct point points[] = { load_point(load), alone ? (struct point)POINT_LIST_END : point_text("beside", load_word(beside)),
	                                POINT_LIST_END };
	const struct summary *summary = over_rounds(alone ? rate_milli : loss_milli, load, beside);
	const char *metric = alone ? load_metric : "study.interference.loss", *unit = alone ? "B/s" : "ppm";
	int64_t value_milli = summary->median;
	bool any = summary->count && !study.late[load][beside];
	char column[32];

	facts = (struct facts){ .count = 0 };
	if (any) {
		summary_facts(summary, &facts);
		add_evidence(&facts, load, beside);
	}
	text_format(column, sizeof column, "beside %s, %%", load_word(beside));
	fact_cell(&facts, TABLE, points[0].value, alone ? "alone, MB/s" : column, VALUE_NONE);
	if (any)
		emit_figure(ctx, metric, unit, points, value_milli, &facts);
	else
		skip(ctx, load, beside, metric, unit, points, &facts);
}

/* Other processes, or the kernel for the other load: streaming reads never wait, so that what they lack of CPU time was taken. */
static void check_cpus(void)
{
	int64_t least_milli = study.parts[0].count * LEAST_CPU_MILLI;
	const struct summary *cpus = over_rounds(cpus_milli, LOAD_MEMORY, LOAD_MEMORY);
	bool taken = cpus->count && cpus->median < least_milli;

	cpus = over_rounds(cpus_milli, LOAD_MEMORY, LOAD_STORAGE);
	if (!study.shared && (taken || (cpus->count && cpus->median < least_milli)))
		study.shared = "memory did not have its CPUs for itself";
}

static void tell_claims(struct ctx *ctx)
{
	struct summary storage = *over_rounds(loss_milli, LOAD_STORAGE, LOAD_MEMORY);
	struct summary memory = *over_rounds(loss_milli, LOAD_MEMORY, LOAD_STORAGE);
	struct finding finding = claim_ssd_and_dram(&storage, &memory, study.shared);

	curve_claim(ctx, "interference.a", "SSD and DRAM interact", &finding);
	finding = claim_10gbe(over_rounds(loss_milli, LOAD_NETWORK, LOAD_MEMORY), study.shared);
	curve_claim(ctx, "interference.b", "10GbE depends on memory bandwidth", &finding);
}

static void run_on(struct ctx *ctx, struct device *device)
{
	study.device = device;
	part_cpus();
	check_loads(ctx);
	measure(ctx);
	check_cpus();
	if (study.shared)
		emit_log(ctx, "a loss may be one of CPU time: %s", study.shared);
	for (enum load load = 0; load < LOADS; load++)
		tell(ctx, load, load);
	for (enum load beside = 0; beside < LOADS; beside++)
		for (enum load load = 0; load < LOADS; load++)
			if (beside != load)
				tell(ctx, load, beside);
	tell_claims(ctx);
}

static uint64_t planned_ns(const struct ctx *ctx)
{
	return (param_number(ctx, ROUNDS) * PAIRS + LOADS) * (param_number(ctx, RUNTIME) + param_number(ctx, RAMP_TIME) + MS(SET_UP_MS));
}

/* One device: the first that can be read. */
static void run(struct ctx *ctx)
{
	struct device device;
	bool over = false;

	for_each_storage(ctx, &device) {
		if (over) {
			emit_skip(ctx, NULL, NULL, "%s: one device is enough here: name it to have it measured", device.name);
			continue;
		}
		if (planned(ctx, planned_ns(ctx), 0)) {
			over = true;
		} else if (device_ready(ctx, &device)) {
			run_on(ctx, &device);
			over = true;
		}
	}
	if (!over && !planned(ctx, planned_ns(ctx), 0))
		run_on(ctx, NULL);
}

const struct step study_interference = {
	.name = "study.interference", .summary = "storage, network, memory and messages side by side: what each loses",
	.needs = NEEDS_STORAGE, .params = params, .run = run,
};
