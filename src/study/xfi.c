/*
 * xfi.c: study.xfi: what the throughput of a network port depends on: direction, each of the clocks, the display, memory traffic.  The study of a 10GBASE-T
 * port had one run of eight combinations; here all that are to be had are run (which, and why: xfi.h), several times, in blocks of a random order each, and what each
 * factor and each pair of them does is told with an interval.
 *
 * The display is switched once, between two halves: what drifted meanwhile counts as its.  Clocks are held for the time of a cell and freed behind it.
 * FAIL   the link went down; the load read wrong data
 * ERROR  a cell without any run that counts, the peer silent or gone (three times running: the rest is SKIP); a clock that was to be held at once is not
 * SKIP   factors that are not to be had here, by name and reason
 */
#include <string.h>

#include "env/clock_lock.h"
#include "lib/number.h"
#include "lib/random.h"
#include "mem/reader.h"
#include "step/net_account.h"
#include "step/net_point.h"
#include "study/xfi_tell.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/descriptor.h"
#include "sys/display.h"

enum { FACTORS_ASKED, REPEAT, TIME, OMIT, SETTLE, LOADS, PARALLEL, PORT };

static const struct param params[] = {
	[FACTORS_ASKED] = { "factors", PARAM_WORDS, .def = "direction,emc,cpufreq,cpuidle,display,load", .words = XFI_FACTOR_WORDS,
	                    .help = "what is varied, as far as it is to be had; clocks alone: all of them together" },
	[REPEAT] = { "repeat", PARAM_COUNT, .def = "auto", .words = "auto", .max = XFI_MAX_REPEATS, .help = "runs of each cell; auto: three, or as many more as an interval takes" },
	[TIME] = { "time", PARAM_DURATION, .def = "60s", .min = MS(50), .max = SECONDS(3600), .help = "of each run" },
	[OMIT] = { "omit", PARAM_DURATION, .def = "1s", .max = SECONDS(600), .help = "before it, not counted" },
	[SETTLE] = { "settle", PARAM_DURATION, .def = "1s", .max = SECONDS(600), .help = "between a change of clocks or load and the run" },
	[LOADS] = { "loads", PARAM_SIZES, .def = "0,500MB,1GB,2GB,4GB", .max = TIB,
	            .help = "memory read each second meanwhile; all combinations have the first and the last, those between are run with the clocks free" },
	[PARALLEL] = { "parallel", PARAM_COUNT, .def = "1", .min = 1, .max = MAX_NET_STREAMS, .help = "TCP streams" },
	[PORT] = { "port", PARAM_COUNT, .def = "5201", .min = 1, .max = 65534, .help = "of the peer" },
	PARAM_END
};

enum { TRIAL_MS = 200, MAX_FAILED = 3, PATIENCE_S = 300, FREEDOM = 6, USUAL = 3 };

static struct study {
	struct xfi_design design;
	struct xfi_readings readings;
	struct net_ask ask;
	struct net_measured measured;
	const struct stack *stack;
	bool is_asked[XFI_FACTORS + 1];
	bool asks_operator;        /* the display cannot be forced, but somebody is there */
	enum display display;      /* as it is */
	unsigned load_cpu, failed; /* running */
	bool over;                 /* no use to go on */
} study;

static enum clock_kind kind_of(unsigned factor)
{
	return (enum clock_kind)(factor - XFI_EMC);
}

/* ---- what can be varied here ---- */

static void drop(struct ctx *ctx, unsigned factor, const char *why)
{
	const struct point points[] = { point_text("direction", "both"), point_text("factor", xfi_factor_word(factor)), POINT_LIST_END };

	study.design.is_varied[factor] = false;
	emit_skip(ctx, "study.xfi.effect", points, "%s: %s", xfi_factor_word(factor), why);
}

/* One that is at its maximum all the time has no effect that could be seen; a firmware may refuse without a word. */
static bool try_clock(enum clock_kind kind, char *why, size_t size)
{
	unsigned changed;
	int err = clock_lock(kind, study.stack, why, size);

	if (err)
		return false;
	changed = clock_changed(kind);
	if (clock_unlock(kind, why, size))
		return false;
	if (!changed)
		text_format(why, size, "held at its maximum already: free it, to have it compared");
	return changed;
}

static void find_clocks(struct ctx *ctx, bool dry)
{
	char why[200];

	for (unsigned factor = XFI_EMC; factor <= XFI_CPUIDLE; factor++) {
		if (!study.is_asked[factor] && !study.is_asked[XFI_CLOCKS])
			continue;
		study.design.is_varied[factor] = clock_available(kind_of(factor), study.stack, why, sizeof why) && (dry || try_clock(kind_of(factor), why, sizeof why));
		study.design.is_there[factor] = study.design.is_varied[factor];
		if (!study.design.is_varied[factor])
			drop(ctx, factor, why);
	}
}

static enum display other_display(void)
{
	return study.display == DISPLAY_ON ? DISPLAY_OFF : DISPLAY_ON;
}

static bool can_be_forced(void)
{
	return !display_force(other_display()) && !display_release();
}

static void find_display(struct ctx *ctx, bool dry)
{
	char names[160], why[240];

	study.display = display_state(names, sizeof names);
	study.design.is_there[XFI_DISPLAY] = study.display != DISPLAY_UNKNOWN;
	study.asks_operator = false;
	if (!study.is_asked[XFI_DISPLAY])
		return;
	study.design.is_varied[XFI_DISPLAY] = study.design.is_there[XFI_DISPLAY];
	if (!study.design.is_there[XFI_DISPLAY]) {
		drop(ctx, XFI_DISPLAY, "unknown: no connector in /sys/class/drm tells its state");
	} else if (!dry && !can_be_forced()) {
		study.asks_operator = descriptor_is_terminal(0);
		if (study.asks_operator)
			return;
		text_format(why, sizeof why, "%s; its driver cannot be told otherwise, and nobody is there to be asked (standard input is no terminal)", names);
		drop(ctx, XFI_DISPLAY, why);
	} else if (dry) {
		study.asks_operator = descriptor_is_terminal(0);
	}
}

/* The order they are given in; the same twice, or more than there is room for, is left out. */
static void find_loads(struct ctx *ctx, bool dry)
{
	struct xfi_design *design = &study.design;
	char why[96];
	int err;

	design->load_count = 0;
	if (study.is_asked[XFI_LOAD])
		for_each_param(ctx, LOADS, load)
			if (design->load_count < EFFECTS_MAX_LEVELS)
				design->loads[design->load_count++] = load;
	design->is_varied[XFI_LOAD] = design->load_count > 1;
	err = !design->is_varied[XFI_LOAD] || dry ? 0 : reader_open(0);
	if (err) {
		text_format(why, sizeof why, "no buffer to be read: %s", sys_error(err));
		drop(ctx, XFI_LOAD, why);
	}
	if (!design->is_varied[XFI_LOAD]) {
		design->loads[0] = 0;
		design->load_count = 1;
	} else if (!dry && reader_may_fit_cache()) {
		emit_log(ctx, "the load's buffer of %llu MiB may stay in the caches in part", (unsigned long long)(reader_buffer_bytes() / MIB));
	}
}

static void find_factors(struct ctx *ctx, bool dry)
{
	bool each = false;

	memset(&study.design, 0, sizeof study.design);
	memset(study.is_asked, 0, sizeof study.is_asked);
	for_each_param(ctx, FACTORS_ASKED, factor)
		study.is_asked[factor] = true;
	for (unsigned factor = XFI_EMC; factor <= XFI_CPUIDLE; factor++)
		each |= study.is_asked[factor];
	study.design.together = study.is_asked[XFI_CLOCKS] && !each;
	study.design.is_varied[XFI_DIRECTION] = study.is_asked[XFI_DIRECTION];
	find_clocks(ctx, dry);
	find_display(ctx, dry);
	find_loads(ctx, dry);
	xfi_design(&study.design);
}

/* Of one direction an interval takes six runs more than there are cells. */
static unsigned repeats(const struct ctx *ctx)
{
	unsigned cells = study.design.cell_count / (1 + study.design.is_varied[XFI_DIRECTION]) * (1 + study.design.is_varied[XFI_DISPLAY]);
	unsigned least = 1 + (FREEDOM + cells - 1) / cells;

	return param_number(ctx, REPEAT) ? (unsigned)param_number(ctx, REPEAT) : least > USUAL ? least : USUAL;
}

/* ---- one run ---- */

static bool hold(struct ctx *ctx, const struct xfi_cell *cell, const struct point *points)
{
	char why[200];

	for (unsigned factor = XFI_EMC; factor <= XFI_CPUIDLE; factor++)
		if (cell->levels[factor] && clock_lock(kind_of(factor), study.stack, why, sizeof why)) {
			emit_error(ctx, xfi_metric, points, "%s could not be held: %s", xfi_factor_word(factor), why);
			return false;
		}
	return true;
}

static void let_go(struct ctx *ctx, const struct point *points)
{
	char why[200];

	for (unsigned factor = XFI_CPUIDLE; factor >= XFI_EMC; factor--)
		if (clock_unlock(kind_of(factor), why, sizeof why))
			emit_error(ctx, xfi_metric, points, "%s was not put back: %s", xfi_factor_word(factor), why);
}

static void keep(const struct xfi_cell *cell, const struct reader_told *load)
{
	static struct samples rates;
	const struct net_measured *measured = &study.measured;
	bool sends = cell->levels[XFI_DIRECTION] == XFI_TX;
	struct xfi_reading *reading = &study.readings.at[study.readings.count];
	struct net_steadiness steadiness;
	unsigned cpu;

	*reading = (struct xfi_reading){ .cell = *cell, .rate_milli = net_point_rate_milli(&study.ask, measured, sends, NULL) };
	if (reading->rate_milli == VALUE_NONE)
		return;
	study.readings.count++;
	reading->cpu0_milli = cpu_use_ppm_milli(&measured->before.account.cpu, &measured->after.account.cpu, 0, CPU_REST, NULL);
	if (reading->cpu0_milli != VALUE_NONE)
		reading->cpu0_milli = 1000000000 - reading->cpu0_milli;
	reading->busiest_milli = net_account_busiest(&measured->before.account, &measured->after.account, &cpu);
	net_point_rates(&study.ask, measured, sends, &rates);
	net_steady_find(&rates, &steadiness);
	reading->levels = steadiness.levels.count;
	reading->low_milli = steadiness.low_ppm_milli;
	for (unsigned i = 0; i < measured->moment_count; i++) {
		reading->cpu_hz += measured->moments[i].cpu_hz / measured->moment_count;
		reading->emc_hz += measured->moments[i].emc_hz / measured->moment_count;
	}
	reading->load_milli = load->elapsed_ns ? milli_per_second(load->bytes, load->elapsed_ns) : 0;
}

static void measure(struct ctx *ctx, const struct xfi_cell *cell, const struct point *points)
{
	uint64_t load_bytes_per_s = study.design.loads[cell->levels[XFI_LOAD]];
	struct reader_told load = { .bytes = 0 };
	int err = load_bytes_per_s ? reader_start(load_bytes_per_s, study.load_cpu) : 0;

	if (err) {
		emit_error(ctx, xfi_metric, points, "no thread for the load: %s", sys_error(err));
		return;
	}
	sys_sleep_ns(param_number(ctx, SETTLE));
	study.ask.job.test.reverse = cell->levels[XFI_DIRECTION] == XFI_RX;
	study.failed = net_point_run(ctx, &study.ask, &study.measured) ? 0 : study.failed + 1;
	if (load_bytes_per_s)
		reader_stop(&load);
	if (load.wrong_chunks)
		emit_fail(ctx, xfi_metric, points, "the load read %llu pieces of memory that were not what was written", (unsigned long long)load.wrong_chunks);
	if (!study.failed)
		keep(cell, &load);
	else if (study.failed == MAX_FAILED || study.measured.result.blame == NET_LINK)
		study.over = true;
}

static void run_cell(struct ctx *ctx, const struct xfi_cell *cell)
{
	struct point points[MAX_POINTS];

	xfi_points(&study.design, cell, points);
	if (hold(ctx, cell, points))
		measure(ctx, cell, points);
	let_go(ctx, points);
}

/* ---- all of them ---- */

static uint64_t cell_ns(const struct ctx *ctx)
{
	return param_number(ctx, SETTLE) + net_point_plan_ns(&study.ask);
}

static void run_block(struct ctx *ctx, unsigned block, enum display display)
{
	struct random_order order;

	random_order(&order, study.design.cell_count, ctx_seed(ctx), block);
	for (unsigned i = 0; i < study.design.cell_count && !study.over; i++) {
		struct xfi_cell cell = study.design.cells[random_order_at(&order, i)];

		cell.levels[XFI_DISPLAY] = display == DISPLAY_ON;
		if (!planned(ctx, cell_ns(ctx), 0))
			run_cell(ctx, &cell);
	}
}

static void run_blocks(struct ctx *ctx, enum display display, unsigned half)
{
	for (unsigned block = 0; block < repeats(ctx); block++)
		run_block(ctx, half * XFI_MAX_REPEATS + block, display);
}

/* It is the connector that tells, not the operator. */
static bool await_display(struct ctx *ctx, enum display wanted)
{
	uint64_t until_ns = clock_now_ns() + SECONDS(PATIENCE_S);
	char names[160];

	emit_log(ctx, "%s the display now, please: the study goes on by itself (%u s)", wanted == DISPLAY_ON ? "PLUG IN" : "UNPLUG", PATIENCE_S);
	while (display_state(names, sizeof names) != wanted && clock_now_ns() < until_ns)
		sys_sleep_ns(MS(200));
	return display_state(names, sizeof names) == wanted;
}

static void run_other_display(struct ctx *ctx, bool dry)
{
	enum display wanted = other_display();
	int err = 0;

	if (study.asks_operator)
		planned(ctx, SECONDS(PATIENCE_S), 0);
	if (!dry && study.asks_operator && !await_display(ctx, wanted)) {
		drop(ctx, XFI_DISPLAY, "it was not switched");
		return;
	}
	if (!dry && !study.asks_operator)
		err = display_force(wanted);
	if (err) {
		drop(ctx, XFI_DISPLAY, sys_error(err));
		return;
	}
	run_blocks(ctx, wanted, 1);
	err = dry ? 0 : display_release();
	if (err)
		emit_error(ctx, NULL, NULL, "the display's connector was not let go: %s", sys_error(err));
}

static void tell_plan(struct ctx *ctx)
{
	char buffer[MAX_MESSAGE];
	struct text text = TEXT(buffer);
	unsigned states = 1 + study.design.is_varied[XFI_DISPLAY], runs = study.design.cell_count * states * repeats(ctx);
	const char *before = "all combinations of ";

	for (unsigned factor = 0; factor < XFI_FACTORS; factor++)
		if (study.design.is_varied[factor]) {
			text_add_format(&text, "%s%s", before, xfi_factor_word(factor));
			before = " x ";
		}
	text_add_format(&text, "%s%s: %u cells", study.design.together ? " (the clocks as one)" : "", study.design.load_count > 2 ? ", the loads between with the clocks free" : "",
	                study.design.cell_count * states);
	text_add_format(&text, ", each %u times in blocks of random order (seed %llu): %u runs, about ", repeats(ctx), (unsigned long long)ctx_seed(ctx), runs);
	number_add_duration(&text, runs * cell_ns(ctx) / SECONDS(1) * SECONDS(1));
	text_add(&text, ". A cause may take three factors together: a fraction of the cells would lay it on others");
	emit_log(ctx, "%s", buffer);
}

static bool prepare(struct ctx *ctx)
{
	static struct cpu_list cpus;
	struct client_job *job = &study.ask.job;

	memset(&study.ask, 0, sizeof study.ask);
	study.stack = board_stack(ctx_board(ctx), ctx_identity(ctx));
	study.readings.count = study.failed = 0;
	study.over = false;
	cpu_allowed(&cpus);
	study.load_cpu = cpus.cpus[cpus.count - 1]; /* the first one has the interrupts, more often than not */
	job->test = (struct net_test){
		.protocol = NET_TCP, .streams = (unsigned)param_number(ctx, PARALLEL), .time_ns = param_number(ctx, TIME), .omit_ns = param_number(ctx, OMIT),
		.length_bytes = TEST_TCP_LENGTH_BYTES,
	};
	if (!net_point_peer(ctx, (uint16_t)param_number(ctx, PORT), &job->peer)) {
		emit_error(ctx, NULL, NULL, "there is no peer: assay study xfi HOST, with assay serve or iperf3 -s on it");
		return false;
	}
	if (address_interface(&job->peer, study.ask.nic))
		text_copy(study.ask.nic, sizeof study.ask.nic, "none"); /* no route: connecting tells why */
	text_copy(study.ask.port, sizeof study.ask.port, study.ask.nic);
	return true;
}

static void run(struct ctx *ctx)
{
	bool dry;

	if (!prepare(ctx))
		return;
	dry = planned(ctx, MS(TRIAL_MS), 0);
	find_factors(ctx, dry);
	tell_plan(ctx);
	run_blocks(ctx, study.display, 0);
	if (study.design.is_varied[XFI_DISPLAY] && !study.over)
		run_other_display(ctx, dry);
	reader_close();
	if (dry)
		return;
	xfi_tell(ctx, &study.design, &study.readings, &study.measured, study.display);
}

const struct step study_xfi = {
	.name = "study.xfi", .summary = "the 10GBASE-T study: what throughput depends on", .needs = NEEDS_NETWORK | NEEDS_PEER, .params = params, .run = run,
};
