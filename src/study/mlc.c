/*
 * mlc.c: study.mlc: a laptop's memory, point by point and in the order of its tables, as its study measured it with Intel MLC; and what its claims
 * are worth.
 *
 * A delay is a count of MLC's own loop there.  Here it is in ns, a quarter of that count (a cycle at 4 GHz), so that the delays span the same range;
 * curves are to be compared by bandwidth.  Where the first kind of page is not to be had, all goes by small ones, under their name.
 * SKIP   loaded and cache-to-cache with one CPU; buffers beyond half of the free memory
 * ERROR  an idle latency whose buffer the caches hold
 */
#include <string.h>

#include "step/mem_point.h"
#include "study/curve.h"
#include "study/mlc_theirs.h"
#include "sys/cluster.h"

enum { TIME, ROUNDS, SIZE, PAGE, BUFFER };

static const struct param params[] = {
	[TIME] = { "time", PARAM_DURATION, .def = "100ms", .def_medium = "250ms", .def_long = "1s", .min = MS(1), .max = SECONDS(60),
	           .help = "of each point in each round" },
	[ROUNDS] = { "rounds", PARAM_COUNT, .def = "8", .def_medium = "12", .def_long = "16", .min = 1, .max = MEM_ROUNDS_MAX,
	             .help = "of each point; an interval takes 6" },
	[SIZE] = { "size", PARAM_SIZE, .def = "256m", .min = 64 * KIB, .max = TIB, .help = "of the buffer of the idle latencies" },
	[PAGE] = { "page", PARAM_WORDS, .def = "thp,4k", .words = BUFFER_PAGE_WORDS, .help = "of the idle latencies; all else is on the first kind" },
	[BUFFER] = { "buffer", PARAM_SIZES, .def = "100000KiB,64000KiB,256000KiB", .min = 64 * KIB, .max = TIB,
	             .help = "of each thread; the first one has the whole profile, the others matrix and loaded latency" },
	PARAM_END
};

#define TABLE_IDLE "idle latency, ns: NUMA node x node (theirs: i7-8650U, MLC)"
#define TABLE_PEAK "peak injection bandwidth, MB/s"
#define TABLE_C2C "cache to cache, ns"

enum { WINDOWS = 5, TITLE_BYTES = sizeof ((struct text_fact *)0)->text };

static struct loaded_told curves[THEIR_BUFFERS];
static struct { enum map_page page; const char *word; } kind; /* of page, of all but the idle latencies */

static int64_t or_none(unsigned number, int64_t worth_milli)
{
	return number ? number * worth_milli : VALUE_NONE;
}

static const struct their_buffer *theirs_of(uint64_t buffer_bytes)
{
	for (unsigned i = 0; i < THEIR_BUFFERS; i++)
		if (their_buffers[i].kib * KIB == buffer_bytes)
			return &their_buffers[i];
	return NULL;
}

/* "100000 KiB" */
static void add_buffer(struct text *text, uint64_t buffer_bytes)
{
	text_add_format(text, "%llu KiB", (unsigned long long)(buffer_bytes / KIB));
}

/* ---- on pages that are to be had ---- */

typedef enum mem_outcome measure_on(struct ctx *ctx, const void *context);

static void set_small(void)
{
	kind.page = MAP_PAGE_SMALL;
	kind.word = buffer_page_word(MAP_PAGE_SMALL);
}

static void set_kind(struct ctx *ctx)
{
	kind.page = (enum map_page)param_number(ctx, PAGE);
	kind.word = kind.page == MAP_PAGE_SMALL ? "4k" : buffer_page_word(kind.page);
}

/* A kind that is not to be had once is not asked for again. */
static void on_pages(struct ctx *ctx, measure_on *measure, const void *context)
{
	bool is_small = !strcmp(kind.word, buffer_page_word(MAP_PAGE_SMALL));

	if (measure(ctx, context) != MEM_NO_PAGES || is_small)
		return;
	set_small();
	measure(ctx, context);
}

/* ---- pairs of nodes: those with a CPU, each with those that have memory ---- */

struct pair {
	const struct numa_node *from;
	unsigned to;
	bool is_first;             /* the node itself, of the first that is both: where one node's figures stand */
};
typedef void pair_visit(struct ctx *ctx, const struct pair *pair, uint64_t buffer_bytes);

struct visit {
	struct ctx *ctx;
	pair_visit *visit;
	uint64_t buffer_bytes;
	bool had_first;
	struct pair pair;
};

static int visit_to(const struct numa_node *to, void *context)
{
	struct visit *visit = context;

	if (!to->has_memory)
		return 0;
	visit->pair.to = to->number;
	visit->pair.is_first = !visit->had_first && visit->pair.from->number == to->number;
	visit->had_first |= visit->pair.is_first;
	visit->visit(visit->ctx, &visit->pair, visit->buffer_bytes);
	return 0;
}

static int visit_from(const struct numa_node *from, void *context)
{
	struct visit *visit = context;

	visit->pair.from = from;
	return from->cpus.count ? numa_each(visit_to, visit) : 0;
}

static void each_pair(struct ctx *ctx, pair_visit *each, uint64_t buffer_bytes)
{
	struct visit visit = { .ctx = ctx, .visit = each, .buffer_bytes = buffer_bytes };

	numa_each(visit_from, &visit);
}

/* ---- idle latencies ---- */

static enum mem_outcome tell_idle_on(struct ctx *ctx, enum map_page page, const char *word, void *context)
{
	const struct pair *pair = context;
	const struct point points[] = {
		point_number("from", pair->from->number), point_number("to", pair->to), point_size("size", param_number(ctx, SIZE)), point_text("page", word),
		POINT_LIST_END,
	};
	char row[40], column[24];
	struct latency_ask ask = {
		.metric = "study.mlc.latency", .points = points, .cell = { TABLE_IDLE, row, column, pair->is_first ? THEIR_IDLE_HUNDREDTHS * NS_HUNDREDTH : VALUE_NONE },
		.size_bytes = param_number(ctx, SIZE), .time_ns = param_number(ctx, TIME) * param_number(ctx, ROUNDS),
		.rounds = (unsigned)param_number(ctx, ROUNDS), .page = page, .page_word = word, .cpu = pair->from->cpus.cpus[0], .node = (int)pair->to,
		.is_dram = true,
	};
	struct mem_told told;
	enum mem_outcome outcome;

	text_format(row, sizeof row, "from node %u, %s pages", pair->from->number, word);
	text_format(column, sizeof column, "to node %u", pair->to);
	mem_cell_begin(ctx, &ask.cell, "ns");
	outcome = mem_latency_point(ctx, &ask, &told);
	mem_cell_end(ctx);
	if (outcome == MEM_NO_PAGES && page == kind.page)
		set_small();
	return outcome;
}

static void tell_idle(struct ctx *ctx, const struct pair *pair, uint64_t buffer_bytes)
{
	struct pair own = *pair;

	(void)buffer_bytes;
	mem_each_page(ctx, PAGE, tell_idle_on, &own);
}

/* ---- bandwidths ---- */

static unsigned threads_on(const struct cpu_list *cpus)
{
	return cpus->count < MAX_THREADS ? cpus->count : MAX_THREADS;
}

static struct stream_job stream_of(struct ctx *ctx, enum stream_mix mix, const struct cpu_list *cpus, int node, uint64_t buffer_bytes)
{
	return (struct stream_job){
		.mix = mix, .cpus = cpus, .threads = threads_on(cpus), .part_bytes = buffer_bytes, .page = kind.page,
		.node = node, .time_ns = param_number(ctx, TIME), .windows = WINDOWS,
	};
}

static enum mem_outcome measure_bandwidth(struct ctx *ctx, const struct bandwidth_ask *ask)
{
	enum mem_outcome outcome;

	mem_cell_begin(ctx, &ask->cell, "B/s");
	outcome = mem_bandwidth_point(ctx, ask, NULL);
	mem_cell_end(ctx);
	return outcome;
}

struct peak { const struct mixture *of; const struct cpu_list *cpus; };

static enum mem_outcome tell_peak(struct ctx *ctx, const void *context)
{
	const struct peak *peak = context;
	const struct mixture *of = peak->of;
	uint64_t buffer_bytes = param_number(ctx, BUFFER);
	const struct point points[] = {
		point_text("mix", of->word), point_number("threads", threads_on(peak->cpus)), point_size("buffer", buffer_bytes), point_text("page", kind.word),
		POINT_LIST_END,
	};
	char column[32];
	struct text text = TEXT(column);
	struct bandwidth_ask ask = {
		.metric = "study.mlc.bandwidth", .points = points,
		.cell = { TABLE_PEAK, of->row, column, theirs_of(buffer_bytes) ? of->mb_tenths * MB_TENTH : VALUE_NONE },
		.job = stream_of(ctx, of->mix, peak->cpus, NUMA_ANY, buffer_bytes), .rounds = (unsigned)param_number(ctx, ROUNDS), .page_word = kind.word,
	};

	add_buffer(&text, buffer_bytes);
	text_add_format(&text, ", %u threads", ask.job.threads);
	return measure_bandwidth(ctx, &ask);
}

struct between { const struct pair *pair; uint64_t buffer_bytes; };

static enum mem_outcome tell_between(struct ctx *ctx, const void *context)
{
	const struct between *between = context;
	const struct pair *pair = between->pair;
	const struct their_buffer *theirs = pair->is_first ? theirs_of(between->buffer_bytes) : NULL;
	const struct point points[] = {
		point_number("from", pair->from->number), point_number("to", pair->to), point_size("buffer", between->buffer_bytes),
		point_text("page", kind.word), POINT_LIST_END,
	};
	char table[TITLE_BYTES], row[24], column[24];
	struct text text = TEXT(table);
	struct bandwidth_ask ask = {
		.metric = "study.mlc.matrix", .points = points,
		.cell = { table, row, column, theirs ? theirs->matrix_mb_tenths * MB_TENTH : VALUE_NONE },
		.job = stream_of(ctx, STREAM_READS, &pair->from->cpus, (int)pair->to, between->buffer_bytes),
		.rounds = (unsigned)param_number(ctx, ROUNDS), .page_word = kind.word,
	};

	text_add(&text, "bandwidth between nodes, MB/s: reads, ");
	add_buffer(&text, between->buffer_bytes);
	text_add(&text, " a thread");
	text_format(row, sizeof row, "from node %u", pair->from->number);
	text_format(column, sizeof column, "to node %u", pair->to);
	return measure_bandwidth(ctx, &ask);
}

static void tell_matrix(struct ctx *ctx, const struct pair *pair, uint64_t buffer_bytes)
{
	const struct between between = { pair, buffer_bytes };

	on_pages(ctx, tell_between, &between);
}

/* ---- loaded latencies ---- */

/* "00100 (25 ns)" */
static const char *const *delay_rows(void)
{
	static char words[DELAYS][24];
	static const char *rows[DELAYS];

	for (unsigned i = 0; i < DELAYS; i++) {
		text_format(words[i], sizeof words[i], "%05u (%llu ns)", their_counts[i], (unsigned long long)delays_ns[i]);
		rows[i] = words[i];
	}
	return rows;
}

struct load { const struct cpu_list *cpus; uint64_t buffer_bytes; };

static enum mem_outcome tell_loaded(struct ctx *ctx, const void *context)
{
	static struct loaded_told elsewhere;
	const struct load *load = context;
	const struct their_buffer *theirs = theirs_of(load->buffer_bytes);
	const struct point points[] = {
		point_number("threads", threads_on(load->cpus)), point_size("buffer", load->buffer_bytes), point_text("page", kind.word), POINT_LIST_END,
	};
	char table[TITLE_BYTES], curve[24];
	struct text title = TEXT(table), name = TEXT(curve);
	struct loaded_ask ask = {
		.prefix = "study.mlc.loaded", .points = points, .table = table, .curve = curve, .references_milli = theirs ? theirs->loaded : NULL,
		.rows = delay_rows(), .page_word = kind.word, .is_dram = true,
		.job = {
			.mix = STREAM_READS, .cpus = load->cpus, .threads = threads_on(load->cpus), .part_bytes = load->buffer_bytes,
			.page = kind.page, .time_ns = param_number(ctx, TIME),
			.rounds = (unsigned)param_number(ctx, ROUNDS), .delay_count = DELAYS, .delays_ns = delays_ns, .seed = ctx_seed(ctx),
		},
	};

	add_buffer(&name, load->buffer_bytes);
	text_add(&title, "loaded latency, ");
	add_buffer(&title, load->buffer_bytes);
	text_add(&title, " a thread (compare by bandwidth)");
	return mem_loaded_point(ctx, &ask, theirs ? &curves[theirs - their_buffers] : &elsewhere);
}

/* ---- cache to cache ---- */

/* Another core, of the same cluster if there is one: threads of one core have no cache between them to cross. */
static unsigned neighbour_of(unsigned cpu, const struct cpu_list *cpus)
{
	struct cpu_list cluster, siblings;
	const struct cpu_list *const lists[] = { &cluster, cpus };

	cluster_of(cpu, cpus, &cluster);
	cluster_siblings(cpu, cpus, &siblings);
	for (unsigned list = 0; list < COUNT_OF(lists); list++)
		for (unsigned i = 0; i < lists[list]->count; i++)
			if (!cluster_has(&siblings, lists[list]->cpus[i]))
				return lists[list]->cpus[i];
	return cpus->cpus[1];
}

static void tell_transfer(struct ctx *ctx, const struct transfer *of, const struct cpu_list *cpus)
{
	unsigned to = cpus->cpus[0], from = cpus->count > 1 ? neighbour_of(to, cpus) : to;
	const struct point points[] = { point_text("kind", of->word), point_number("from", from), point_number("to", to), POINT_LIST_END };
	const struct c2c_ask ask = {
		.metric = "study.mlc.c2c", .points = points, .cell = { TABLE_C2C, of->row, "latency", or_none(of->ns_hundredths, NS_HUNDREDTH) },
		.job = { .kind = of->kind, .from = from, .to = to, .time_ns = param_number(ctx, TIME) * param_number(ctx, ROUNDS), .seed = ctx_seed(ctx) },
	};
	struct mem_told told;

	mem_c2c_point(ctx, &ask, &told);
}

/* ---- all of it ---- */

static void tell_claim(struct ctx *ctx, const char *name, const char *words, const struct finding *finding)
{
	static const struct finding emulated = { CLAIM_NOT_COMPARABLE, "an emulator's times mean nothing" };

	curve_claim(ctx, name, words, ctx_identity(ctx)->emulator[0] ? &emulated : finding);
}

static void tell_claims(struct ctx *ctx)
{
	struct finding finding = claim_larger_buffer_is_lower(&curves[THEIR_SMALL], &curves[THEIR_LARGE]);

	tell_claim(ctx, "mlc.a", "the larger buffer has the lower latency", &finding);
	finding = claim_latency_falls(&curves[THEIR_FIRST], their_buffers[THEIR_FIRST].loaded, DELAYS);
	tell_claim(ctx, "mlc.b", "latency falls as bandwidth rises", &finding);
}

static void tell_profile(struct ctx *ctx, const struct cpu_list *cpus)
{
	each_pair(ctx, tell_idle, 0);
	for (unsigned i = 0; i < COUNT_OF(mixtures); i++) {
		const struct peak peak = { &mixtures[i], cpus };

		on_pages(ctx, tell_peak, &peak);
	}
	emit_log(ctx, "a delay is a count of MLC's own loop there, and ns here: compare the loaded curves by their bandwidth, not row by row");
	for_each_param(ctx, BUFFER, buffer_bytes) {
		const struct load load = { cpus, buffer_bytes };

		each_pair(ctx, tell_matrix, buffer_bytes);
		on_pages(ctx, tell_loaded, &load);
		for (unsigned i = 0; i < COUNT_OF(transfers) && !buffer_bytes_i; i++)
			tell_transfer(ctx, &transfers[i], cpus);
	}
}

static void run(struct ctx *ctx)
{
	struct cpu_list cpus;

	cpu_allowed(&cpus);
	set_kind(ctx);
	tell_profile(ctx, &cpus);
	tell_claims(ctx);
}

const struct step study_mlc = { .name = "study.mlc", .summary = "a laptop's memory, as Intel MLC measures it", .params = params, .run = run };
