/* xfi_design.c: the cells of xfi.h, their words, and the experiments that readings of them make. */
#include <string.h>

#include "lib/number.h"
#include "mem/reader.h"
#include "study/xfi.h"

enum { MATTERS_PPM = 30000, NOTHING_PPM = 50000 };

const char *xfi_factor_word(unsigned factor)
{
	static const char *const words[] = { "direction", "emc", "cpufreq", "cpuidle", "display", "load", "clocks" };

	return words[factor];
}

const char *xfi_finding_word(enum xfi_finding finding)
{
	static const char *const words[] = { "effect", "no effect", "cannot tell" };

	return words[finding];
}

static bool is_clock(unsigned factor)
{
	return factor >= XFI_EMC && factor <= XFI_CPUIDLE;
}

/* ---- cells ---- */

bool xfi_same(const struct xfi_cell *a, const struct xfi_cell *b)
{
	return !memcmp(a, b, sizeof *a);
}

static void add_cell(struct xfi_design *design, const struct xfi_cell *cell)
{
	if (design->cell_count < XFI_MAX_CELLS)
		design->cells[design->cell_count++] = *cell;
}

/* Which levels a number's bits give the factors; false: it is not one of their combinations. */
static bool combination(const struct xfi_design *design, unsigned bits, struct xfi_cell *cell)
{
	unsigned first_clock = 0;

	*cell = (struct xfi_cell){ { 0 } };
	for (unsigned factor = 0; factor < XFI_FACTORS; factor++) {
		bool is_set = bits >> factor & 1;

		if (is_set && (!design->is_varied[factor] || factor == XFI_DISPLAY))
			return false;
		if (design->together && is_clock(factor) && design->is_varied[factor]) {
			if (first_clock && is_set != (bits >> first_clock & 1))
				return false;
			first_clock = factor;
		}
		cell->levels[factor] = (uint8_t)(factor == XFI_LOAD && is_set ? design->load_count - 1 : is_set);
	}
	return true;
}

void xfi_design(struct xfi_design *design)
{
	struct xfi_cell cell;

	design->cell_count = 0;
	for (unsigned bits = 0; bits < 1u << XFI_FACTORS; bits++)
		if (combination(design, bits, &cell))
			add_cell(design, &cell);
	for (unsigned load = 1; load + 1 < design->load_count; load++)
		for (unsigned direction = 0; direction <= design->is_varied[XFI_DIRECTION]; direction++)
			add_cell(design, &(struct xfi_cell){ { [XFI_DIRECTION] = (uint8_t)direction, [XFI_LOAD] = (uint8_t)load } });
}

int xfi_clocks_of(const struct xfi_design *design, const struct xfi_cell *cell)
{
	int all = -2;

	for (unsigned factor = XFI_EMC; factor <= XFI_CPUIDLE; factor++)
		if (design->is_there[factor] && design->is_varied[factor])
			all = all == -2 || all == cell->levels[factor] ? cell->levels[factor] : -1;
	return all == -2 ? 0 : all;
}

/* ---- their words ---- */

unsigned xfi_number(const struct xfi_design *design, const struct xfi_cell *cell)
{
	int clocks = xfi_clocks_of(design, cell);

	if (!design->is_there[XFI_DISPLAY] || clocks < 0 || design->loads[cell->levels[XFI_LOAD]])
		return 0;
	return 1 + cell->levels[XFI_DIRECTION] + 2u * cell->levels[XFI_DISPLAY] + 4u * (unsigned)clocks;
}

static void add_clocks(struct text *text, const struct xfi_design *design, const struct xfi_cell *cell)
{
	const char *before = ", ";

	if (xfi_clocks_of(design, cell) == 1) {
		text_add(text, ", all held");
		return;
	}
	for (unsigned factor = XFI_EMC; factor <= XFI_CPUIDLE; factor++)
		if (cell->levels[factor]) {
			text_add_format(text, "%s%s", before, xfi_factor_word(factor));
			before = "+";
		}
	text_add(text, *before == ',' ? ", free" : " held");
}

void xfi_add_cell(struct text *text, const struct xfi_design *design, const struct xfi_cell *cell)
{
	unsigned number = xfi_number(design, cell);

	if (number)
		text_add_format(text, "T%u ", number);
	text_add(text, cell->levels[XFI_DIRECTION] == XFI_TX ? "tx" : "rx");
	if (design->is_there[XFI_DISPLAY])
		text_add(text, cell->levels[XFI_DISPLAY] ? ", display" : ", no display");
	add_clocks(text, design, cell);
	if (design->loads[cell->levels[XFI_LOAD]]) {
		text_add(text, ", ");
		reader_add_rate(text, design->loads[cell->levels[XFI_LOAD]]);
	}
}

/* Four digits that count. */
void xfi_add_rate(struct text *text, int64_t rate_milli)
{
	bool is_giga = rate_milli >= 1000000000000 || rate_milli <= -1000000000000;
	int64_t milli = rate_milli / (is_giga ? 1000000000 : 1000000), size = milli < 0 ? -milli : milli, step = size >= 100000 ? 100 : size >= 10000 ? 10 : 1;

	number_add_milli(text, milli / step * step);
	text_add(text, is_giga ? " Gbit/s" : " Mbit/s");
}

/* ---- experiments ---- */

/* Of a cell, in an experiment's factor; -1: the cell is none of it. */
static int level_of(const struct xfi_design *design, const struct xfi_cell *cell, unsigned factor)
{
	if (factor == XFI_CLOCKS)
		return xfi_clocks_of(design, cell);
	if (factor == XFI_LOAD && cell->levels[XFI_LOAD])
		return cell->levels[XFI_LOAD] + 1u == design->load_count ? 1 : -1;
	return cell->levels[factor];
}

static void choose_factors(const struct xfi_design *design, const struct xfi_view *view, struct xfi_factors *factors)
{
	bool has_clocks = false;

	factors->count = 0;
	for (unsigned factor = 0; factor < XFI_FACTORS; factor++) {
		if (!design->is_varied[factor] || (factor == XFI_DIRECTION && view->direction != XFI_BOTH))
			continue;
		if (!is_clock(factor) || !(view->clocks || design->together))
			factors->at[factors->count++] = (uint8_t)factor;
		else if (!has_clocks)
			factors->at[factors->count++] = XFI_CLOCKS;
		has_clocks |= is_clock(factor);
	}
}

static bool take(const struct xfi_design *design, const struct xfi_factors *factors, const struct xfi_reading *reading, struct observation *to)
{
	memset(to, 0, sizeof *to);
	for (unsigned i = 0; i < factors->count; i++) {
		int level = level_of(design, &reading->cell, factors->at[i]);

		if (level < 0)
			return false;
		to->levels[i] = (uint8_t)level;
	}
	to->value = reading->rate_milli;
	return true;
}

void xfi_experiment(const struct xfi_design *design, const struct xfi_readings *readings, const struct xfi_view *view, struct xfi_factors *factors,
                    struct experiment *experiment)
{
	choose_factors(design, view, factors);
	experiment->factor_count = factors->count;
	experiment->count = 0;
	memset(experiment->level_counts, 2, sizeof experiment->level_counts);
	for (unsigned i = 0; i < readings->count; i++) {
		const struct xfi_reading *reading = &readings->at[i];

		if (view->direction == XFI_BOTH || reading->cell.levels[XFI_DIRECTION] == view->direction)
			experiment->count += take(design, factors, reading, &experiment->observations[experiment->count]);
	}
}

int64_t xfi_mean(const struct xfi_readings *readings, const struct xfi_cell *cell)
{
	int64_t sum = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < readings->count; i++)
		if (xfi_same(&readings->at[i].cell, cell)) {
			sum += readings->at[i].rate_milli;
			count++;
		}
	return count ? sum / count : VALUE_NONE;
}

int64_t xfi_whole(const struct experiment *experiment)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < experiment->count; i++)
		sum += experiment->observations[i].value / experiment->count;
	return sum;
}

enum xfi_finding xfi_judge(const struct effect *effect, int64_t of)
{
	int64_t counts = of / 1000000 * MATTERS_PPM, bound = of / 1000000 * NOTHING_PPM, size = effect->value < 0 ? -effect->value : effect->value;

	if (!effect->told)
		return XFI_UNTOLD;
	if ((effect->low > 0 || effect->high < 0) && size >= counts)
		return XFI_MATTERS;
	return effect->low >= -bound && effect->high <= bound ? XFI_NOTHING : XFI_UNTOLD;
}
