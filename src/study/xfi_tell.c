/* xfi_tell.c: see xfi_tell.h. */
#include <string.h>

#include "lib/number.h"
#include "study/curve.h"
#include "study/xfi_tell.h"

#define TABLE_CELLS "throughput, Gbit/s, of each combination (in brackets: two AGX Orins')"
#define TABLE_EFFECTS "effects on the throughput, and their share of all variation"
#define PLOT "throughput, Mbit/s, against memory load, MB/s (clocks free)"

const char xfi_metric[] = "study.xfi.throughput";

static const struct { uint16_t mbit_per_s; uint8_t cpu0_percent; } theirs[] = {
	{ 4700, 58 }, { 9400, 100 }, { 7500, 88 }, { 9400, 100 }, { 9400, 63 }, { 9400, 88 }, { 7800, 87 }, { 9400, 90 },
};

static struct facts facts;
static struct experiment experiment;
static struct xfi_factors factors;

/* ---- cells ---- */

static struct point point_load(uint64_t load_bytes_per_s)
{
	char word[32];
	struct text text = TEXT(word);

	number_add_milli(&text, (int64_t)(load_bytes_per_s / 1000000));
	return point_text("load", word);
}

void xfi_points(const struct xfi_design *design, const struct xfi_cell *cell, struct point points[MAX_POINTS])
{
	points[0] = point_text("display", !design->is_there[XFI_DISPLAY] ? "unknown" : cell->levels[XFI_DISPLAY] ? "on" : "off");
	for (unsigned factor = XFI_EMC; factor <= XFI_CPUIDLE; factor++)
		points[factor] = point_text(xfi_factor_word(factor), cell->levels[factor] ? "on" : "off");
	points[4] = point_load(design->loads[cell->levels[XFI_LOAD]]);
	points[5] = point_text("direction", cell->levels[XFI_DIRECTION] == XFI_TX ? "tx" : "rx");
	points[6] = (struct point)POINT_LIST_END;
}

/* What is told of a cell: of each of its readings; VALUE_NONE where that has none. */
typedef int64_t xfi_quantity(const struct xfi_reading *reading);

static int64_t rate(const struct xfi_reading *reading) { return reading->rate_milli; }
static int64_t cpu0(const struct xfi_reading *reading) { return reading->cpu0_milli; }
static int64_t busiest(const struct xfi_reading *reading) { return reading->busiest_milli; }
static int64_t levels(const struct xfi_reading *reading) { return reading->levels ? milli_whole(reading->levels) : VALUE_NONE; }
static int64_t low(const struct xfi_reading *reading) { return reading->levels ? reading->low_milli : VALUE_NONE; }
static int64_t cpu_clock(const struct xfi_reading *reading) { return reading->cpu_hz ? milli_whole(reading->cpu_hz) : VALUE_NONE; }
static int64_t emc_clock(const struct xfi_reading *reading) { return reading->emc_hz ? milli_whole(reading->emc_hz) : VALUE_NONE; }
static int64_t load(const struct xfi_reading *reading) { return reading->load_milli; }

static const struct quantity { const char *name, *unit, *column; xfi_quantity *of; } quantities[] = {
	{ "throughput", "bit/s", "Gbit/s", rate }, { "cpu0", "ppm", "CPU0, %", cpu0 }, { "busiest", "ppm", "", busiest }, { "levels", "1", "levels", levels },
	{ "low", "ppm", "low, %", low }, { "cpu_clock", "Hz", "CPU, MHz", cpu_clock }, { "emc_clock", "Hz", "EMC, MHz", emc_clock },
};

static const struct summary *over_runs(const struct xfi_readings *readings, const struct xfi_cell *cell, xfi_quantity *of)
{
	static struct samples samples;
	static struct summary summary;

	samples_clear(&samples);
	for (unsigned i = 0; i < readings->count; i++)
		if (xfi_same(&readings->at[i].cell, cell) && of(&readings->at[i]) != VALUE_NONE)
			samples_add(&samples, of(&readings->at[i]));
	summary_of(&samples, &summary);
	return &summary;
}

static int64_t reference_of(unsigned number, const struct quantity *quantity)
{
	if (!number)
		return VALUE_NONE;
	if (quantity->of == rate)
		return theirs[number - 1].mbit_per_s * 1000000000ll;
	return quantity->of == cpu0 ? theirs[number - 1].cpu0_percent * 10000000ll : VALUE_NONE;
}

/* Of the test as a whole, and both ends. */
static void add_ends(const struct net_measured *last)
{
	const struct nic *nic = &last->after.nic, *peer = &last->peer_after.nic;

	fact_text(&facts, "nic", nic->driver);
	fact_text(&facts, "irq_cpus", nic->irq_cpus);
	fact_text(&facts, "governor", last->after.governor);
	fact_number(&facts, "mtu", nic->mtu_bytes);
	fact_number(&facts, "rps_queues", nic->rps_queues);
	if (nic->has_speed)
		fact_number(&facts, "bound", nic->speed_mbit_per_s * 1000000ll);
	fact_text(&facts, "peer", last->peer_known ? last->peer_after.version : "unknown");
	if (!last->peer_known)
		return;
	fact_text(&facts, "peer_nic", peer->driver);
	fact_text(&facts, "peer_irq_cpus", peer->irq_cpus);
	fact_text(&facts, "peer_governor", last->peer_after.governor);
	fact_number(&facts, "peer_cpu_hz", (int64_t)last->peer_after.cpu_hz_max);
}

/* By the spread of all cells' runs: three of one alone have none. */
static void add_interval(const struct xfi_design *design, const struct xfi_readings *readings, const struct xfi_cell *cell, unsigned runs)
{
	const struct xfi_view view = { .direction = cell->levels[XFI_DIRECTION] };
	int64_t half, mean = xfi_mean(readings, cell);

	xfi_experiment(design, readings, &view, &factors, &experiment);
	half = effects_half(&experiment, runs);
	fact_milli(&facts, "mean", mean);
	if (half == VALUE_NONE)
		return;
	fact_milli(&facts, "low95", mean - half);
	fact_milli(&facts, "high95", mean + half);
}

static void add_throughput(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings, const struct xfi_cell *cell,
                           const struct point *points, unsigned runs, const struct net_measured *last)
{
	uint64_t asked = design->loads[cell->levels[XFI_LOAD]];
	int64_t reached_milli = over_runs(readings, cell, load)->median;

	add_interval(design, readings, cell, runs);
	add_ends(last);
	fact_milli(&facts, "load", reached_milli);
	if (asked && reached_milli < (int64_t)(asked / 100 * 95) * 1000)
		emit_warn(ctx, xfi_metric, points, "of the load of %llu MB/s %llu were reached", (unsigned long long)(asked / 1000000), (unsigned long long)reached_milli / 1000000000);
	if (design->load_count > 2 && !xfi_clocks_of(design, cell))
		fact_curve(&facts, PLOT, cell->levels[XFI_DIRECTION] == XFI_TX ? cell->levels[XFI_DISPLAY] ? "tx, display" : "tx" :
		           cell->levels[XFI_DISPLAY] ? "rx, display" : "rx", (int64_t)(asked / 1000));
}

static void tell_quantity(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings, const struct xfi_cell *cell,
                          const struct quantity *quantity, const struct net_measured *last)
{
	const struct summary *summary = over_runs(readings, cell, quantity->of);
	int64_t value_milli = summary->median;
	unsigned runs = summary->count;
	struct point points[MAX_POINTS];
	char metric[48], row[72];
	struct text text = TEXT(row);

	facts.count = facts.text_count = 0;
	text_format(metric, sizeof metric, "study.xfi.%s", quantity->name);
	xfi_points(design, cell, points);
	xfi_add_cell(&text, design, cell);
	if (runs) {
		summary_facts(summary, &facts);
		if (quantity->of == rate)
			add_throughput(ctx, design, readings, cell, points, runs, last);
	}
	if (*quantity->column)
		fact_cell(&facts, TABLE_CELLS, row, quantity->column, reference_of(xfi_number(design, cell), quantity));
	if (runs)
		emit_figure(ctx, metric, quantity->unit, points, value_milli, &facts);
	else if (quantity->of == rate)
		emit_skip_cell(ctx, metric, quantity->unit, points, &facts, "no run of it brought a rate");
}

static void tell_cell(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings, const struct xfi_cell *cell, const struct net_measured *last)
{
	for (unsigned i = 0; i < COUNT_OF(quantities); i++)
		tell_quantity(ctx, design, readings, cell, &quantities[i], last);
}

/* The study's own first, by number. */
static void tell_cells(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings, const struct net_measured *last, enum display display)
{
	for (unsigned number = COUNT_OF(theirs) + 1; number-- > 0; )
		for (unsigned state = 0; state < 2; state++)
			for (unsigned i = 0; i < design->cell_count; i++) {
				struct xfi_cell cell = design->cells[i];

				cell.levels[XFI_DISPLAY] = (uint8_t)state;
				if (!design->is_varied[XFI_DISPLAY] && state != (display == DISPLAY_ON))
					continue;
				if (xfi_number(design, &cell) == (COUNT_OF(theirs) + 1 - number) % (COUNT_OF(theirs) + 1))
					tell_cell(ctx, design, readings, &cell, last);
			}
}

/* ---- effects ---- */

static const char *const directions[] = { "tx", "rx", "both" };

static struct point point_level(const struct xfi_design *design, const char *key, unsigned factor, unsigned level)
{
	struct point point = point_text(key, factor == XFI_DIRECTION ? level ? "rx" : "tx" : level ? "on" : "off");

	if (factor == XFI_LOAD) {
		point = point_load(design->loads[level ? design->load_count - 1 : 0]);
		text_copy(point.key, sizeof point.key, key);
	}
	return point;
}

static void add_effect(const struct effect *effect)
{
	facts.count = facts.text_count = 0;
	fact_number(&facts, "n", experiment.count);
	if (effect->told) {
		fact_milli(&facts, "low95", effect->low);
		fact_milli(&facts, "high95", effect->high);
	}
	fact_text(&facts, "finding", xfi_finding_word(xfi_judge(effect, xfi_whole(&experiment))));
}

static void tell_share(struct ctx *ctx, unsigned direction, const char *factor, int64_t ppm)
{
	const struct point points[] = { point_text("direction", directions[direction]), point_text("factor", factor), POINT_LIST_END };
	char column[24];

	facts.count = facts.text_count = 0;
	fact_number(&facts, "n", experiment.count);
	text_format(column, sizeof column, "%s, %%", directions[direction]);
	fact_cell(&facts, TABLE_EFFECTS, factor, column, VALUE_NONE);
	emit_figure(ctx, "study.xfi.share", "ppm", points, ppm * 1000, &facts);
}

static void tell_main(struct ctx *ctx, const struct xfi_design *design, unsigned direction, unsigned place)
{
	unsigned factor = factors.at[place];
	const char *word = xfi_factor_word(factor);
	const struct point points[] = {
		point_text("direction", directions[direction]), point_text("factor", word), point_level(design, "from", factor, 0), point_level(design, "to", factor, 1), POINT_LIST_END,
	};
	struct effect effect;

	effects_main(&experiment, place, &effect);
	add_effect(&effect);
	fact_cell(&facts, TABLE_EFFECTS, word, directions[direction], VALUE_NONE);
	emit_figure(ctx, "study.xfi.effect", "bit/s", points, effect.level_a > effect.level_b ? -effect.value : effect.value, &facts);
	tell_share(ctx, direction, word, effect.share_ppm);
}

static void tell_pair(struct ctx *ctx, unsigned direction, unsigned place, unsigned other)
{
	char word[32];
	struct point points[3];
	struct effect effect;

	text_format(word, sizeof word, "%s+%s", xfi_factor_word(factors.at[place]), xfi_factor_word(factors.at[other]));
	points[0] = point_text("direction", directions[direction]);
	points[1] = point_text("factors", word);
	points[2] = (struct point)POINT_LIST_END;
	effects_pair(&experiment, place, other, &effect);
	add_effect(&effect);
	fact_cell(&facts, TABLE_EFFECTS, word, directions[direction], VALUE_NONE);
	emit_figure(ctx, "study.xfi.interaction", "bit/s", points, effect.value, &facts);
	tell_share(ctx, direction, word, effect.share_ppm);
}

static void tell_view(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings, unsigned direction)
{
	xfi_experiment(design, readings, &(struct xfi_view){ .direction = (uint8_t)direction }, &factors, &experiment);
	if (!experiment.count)
		return;
	for (unsigned i = 0; i < factors.count; i++)
		tell_main(ctx, design, direction, i);
	for (unsigned i = 0; i < factors.count; i++)
		for (unsigned k = i + 1; k < factors.count; k++)
			tell_pair(ctx, direction, i, k);
	tell_share(ctx, direction, "unexplained", effects_unexplained_ppm(&experiment));
}

/* jetson_clocks holds them all: one factor, where they have been varied one by one. */
static void tell_clocks(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings, unsigned direction)
{
	unsigned kinds = 0;

	for (unsigned factor = XFI_EMC; factor <= XFI_CPUIDLE; factor++)
		kinds += design->is_varied[factor];
	if (kinds < 2 || design->together)
		return;
	xfi_experiment(design, readings, &(struct xfi_view){ (uint8_t)direction, true }, &factors, &experiment);
	for (unsigned i = 0; i < factors.count && experiment.count; i++) {
		if (factors.at[i] == XFI_CLOCKS)
			tell_main(ctx, design, direction, i);
		for (unsigned k = i + 1; k < factors.count; k++)
			if (factors.at[i] == XFI_CLOCKS || factors.at[k] == XFI_CLOCKS)
				tell_pair(ctx, direction, i, k);
	}
}

/* ---- claims ---- */

static void tell_claims(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings)
{
	static const struct { const char *name, *words; struct finding (*judge)(const struct xfi_design *, const struct xfi_readings *); } claims[] = {
		{ "xfi.a", "RX is the same everywhere", claim_rx_is_the_same },
		{ "xfi.b", "TX depends on clocks rather than HDMI", claim_clocks_rather_than_display },
		{ "xfi.c", "clocks and HDMI do not interact (it does not look)", claim_no_interaction },
		{ "xfi.d", "display traffic keeps the memory clock up, and TX with it", claim_display_keeps_the_clock_up },
	};

	for (unsigned i = 0; i < COUNT_OF(claims); i++) {
		struct finding finding = claims[i].judge(design, readings);

		curve_claim(ctx, claims[i].name, claims[i].words, &finding);
	}
}

void xfi_tell(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings, const struct net_measured *last, enum display display)
{
	static const uint8_t all[] = { XFI_BOTH, XFI_TX, XFI_RX };
	char sentence[MAX_MESSAGE];

	tell_cells(ctx, design, readings, last, display);
	for (unsigned i = !design->is_varied[XFI_DIRECTION]; i < COUNT_OF(all) - !design->is_varied[XFI_DIRECTION]; i++) {
		tell_view(ctx, design, readings, all[i]);
		tell_clocks(ctx, design, readings, all[i]);
	}
	for (unsigned direction = XFI_TX; direction <= design->is_varied[XFI_DIRECTION]; direction++) {
		struct text text = TEXT(sentence);

		xfi_sentence(design, readings, direction, &text);
		emit_log(ctx, "%s", sentence);
	}
	tell_claims(ctx, design, readings);
}
