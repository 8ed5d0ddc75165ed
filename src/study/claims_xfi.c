/*
 * claims_xfi.c: the claims of xfi, see xfi.h.
 *
 * An interaction is (both - one) - (other - neither): by that measure the study's own table has, over TX, HDMI +2.8 Gbit/s with the clocks free and -1.6 with
 * them held, so -4.4; it had one run a cell, and no interval.
 */
#include "study/xfi.h"

static struct experiment experiment;
static struct xfi_factors factors;

static void look(const struct xfi_design *design, const struct xfi_readings *readings, unsigned direction, bool clocks)
{
	xfi_experiment(design, readings, &(struct xfi_view){ (uint8_t)direction, clocks }, &factors, &experiment);
}

/* Its place in the experiment; -1: it was not varied. */
static int place_of(unsigned factor)
{
	for (unsigned i = 0; i < factors.count; i++)
		if (factors.at[i] == factor)
			return (int)i;
	return -1;
}

static void add_told(struct text *text, const char *name, const struct effect *effect)
{
	text_add_format(text, "%s ", name);
	xfi_add_rate(text, effect->value);
	if (!effect->told) {
		text_add(text, " (too few runs for an interval)");
		return;
	}
	text_add(text, " (");
	xfi_add_rate(text, effect->low);
	text_add(text, " to ");
	xfi_add_rate(text, effect->high);
	text_add(text, ")");
}

struct finding claim_rx_is_the_same(const struct xfi_design *design, const struct xfi_readings *readings)
{
	struct finding finding;
	struct text text = claims_begin(&finding);
	unsigned nothing = 0, matter = 0;
	struct effect effect, largest = { .told = false };
	unsigned most = 0;

	if (!design->is_varied[XFI_DIRECTION]) {
		finding.claim = CLAIM_NOT_COMPARABLE;
		text_add(&text, "rx was not measured");
		return finding;
	}
	look(design, readings, XFI_RX, false);
	for (unsigned i = 0; i < factors.count; i++) {
		effects_main(&experiment, i, &effect);
		nothing += xfi_judge(&effect, xfi_whole(&experiment)) == XFI_NOTHING;
		matter += xfi_judge(&effect, xfi_whole(&experiment)) == XFI_MATTERS;
		if (!i || (effect.value < 0 ? -effect.value : effect.value) > (largest.value < 0 ? -largest.value : largest.value)) {
			largest = effect;
			most = factors.at[i];
		}
	}
	if (!factors.count) {
		text_add(&text, "nothing but the direction was varied");
		return finding;
	}
	finding.claim = matter ? CLAIM_REFUTED : nothing == factors.count ? CLAIM_SUPPORTED : CLAIM_CANNOT_TELL;
	text_add(&text, "of ");
	xfi_add_rate(&text, xfi_whole(&experiment));
	add_told(&text, ", at most", &largest);
	text_add_format(&text, " by %s", xfi_factor_word(most));
	return finding;
}

/* Clocks, display, and both together over TX; false, with the reason, where one of them was not varied. */
static bool clocks_and_display(const struct xfi_design *design, const struct xfi_readings *readings, struct effect *clocks, struct effect *display,
                               struct effect *both, struct text *text)
{
	int of_clocks, of_display;

	look(design, readings, XFI_TX, true);
	of_clocks = place_of(XFI_CLOCKS);
	of_display = place_of(XFI_DISPLAY);
	if (of_clocks < 0 || of_display < 0) {
		text_add_format(text, "%s not varied here", of_clocks < 0 && of_display < 0 ? "clocks and display were" : of_clocks < 0 ? "the clocks were" : "the display was");
		return false;
	}
	effects_main(&experiment, (unsigned)of_clocks, clocks);
	effects_main(&experiment, (unsigned)of_display, display);
	effects_pair(&experiment, (unsigned)of_clocks, (unsigned)of_display, both);
	return true;
}

struct finding claim_clocks_rather_than_display(const struct xfi_design *design, const struct xfi_readings *readings)
{
	struct finding finding;
	struct text text = claims_begin(&finding);
	struct effect clocks, display, both;
	enum xfi_finding of_clocks, of_display, of_both;

	if (!clocks_and_display(design, readings, &clocks, &display, &both, &text)) {
		finding.claim = CLAIM_NOT_COMPARABLE;
		return finding;
	}
	of_clocks = xfi_judge(&clocks, xfi_whole(&experiment));
	of_display = xfi_judge(&display, xfi_whole(&experiment));
	of_both = xfi_judge(&both, xfi_whole(&experiment));
	if (of_clocks == XFI_MATTERS && of_display == XFI_NOTHING && of_both == XFI_NOTHING)
		finding.claim = CLAIM_SUPPORTED;
	else if (of_clocks == XFI_NOTHING || of_display == XFI_MATTERS || of_both == XFI_MATTERS)
		finding.claim = CLAIM_REFUTED;
	add_told(&text, "clocks", &clocks);
	add_told(&text, ", display", &display);
	add_told(&text, ", interaction", &both);
	return finding;
}

struct finding claim_no_interaction(const struct xfi_design *design, const struct xfi_readings *readings)
{
	struct finding finding;
	struct text text = claims_begin(&finding);
	struct effect clocks, display, both;

	if (!clocks_and_display(design, readings, &clocks, &display, &both, &text)) {
		finding.claim = CLAIM_NOT_COMPARABLE;
	} else {
		enum xfi_finding of_both = xfi_judge(&both, xfi_whole(&experiment));

		finding.claim = of_both == XFI_MATTERS ? CLAIM_REFUTED : of_both == XFI_NOTHING ? CLAIM_SUPPORTED : CLAIM_CANNOT_TELL;
		add_told(&text, "interaction", &both);
	}
	text_add(&text, "; theirs, one run a cell: -4.4 Gbit/s (the display +2.8 with the clocks free, -1.6 with them held)");
	return finding;
}

/* The mean memory clock over TX with the clocks free, at a load; 0: not told. */
static uint64_t clock_at(const struct xfi_design *design, const struct xfi_readings *readings, unsigned load)
{
	uint64_t sum_hz = 0, count = 0;

	for (unsigned i = 0; i < readings->count; i++) {
		const struct xfi_reading *reading = &readings->at[i];

		if (reading->cell.levels[XFI_DIRECTION] == XFI_TX && xfi_clocks_of(design, &reading->cell) == 0 && reading->cell.levels[XFI_LOAD] == load && reading->emc_hz) {
			sum_hz += reading->emc_hz;
			count++;
		}
	}
	return count ? sum_hz / count : 0;
}

struct finding claim_display_keeps_the_clock_up(const struct xfi_design *design, const struct xfi_readings *readings)
{
	struct finding finding;
	struct text text = claims_begin(&finding);
	uint64_t idle_hz = clock_at(design, readings, 0), loaded_hz = clock_at(design, readings, design->load_count - 1);
	uint8_t none[EFFECTS_MAX_FACTORS] = { 0 }, loaded[EFFECTS_MAX_FACTORS] = { 0 };
	struct effect effect;
	enum xfi_finding of_load;
	int place;

	look(design, readings, XFI_TX, false);
	place = place_of(XFI_LOAD);
	if (place < 0 || !idle_hz || !loaded_hz) {
		finding.claim = CLAIM_NOT_COMPARABLE;
		text_add(&text, place < 0 ? "no load was varied" : "the memory clock is not told here");
		return finding;
	}
	loaded[place] = 1;
	effects_cells(&experiment, none, loaded, &effect);
	of_load = xfi_judge(&effect, xfi_whole(&experiment));
	if (of_load == XFI_MATTERS && effect.value > 0 && loaded_hz > idle_hz + idle_hz / 20)
		finding.claim = CLAIM_SUPPORTED;
	else if (effect.told && (of_load == XFI_NOTHING || (of_load == XFI_MATTERS && effect.value < 0) || loaded_hz <= idle_hz + idle_hz / 20))
		finding.claim = CLAIM_REFUTED;
	text_add_format(&text, "by the synthetic load, clocks free: memory clock %llu MHz without, %llu with it", (unsigned long long)(idle_hz / 1000000),
	                (unsigned long long)(loaded_hz / 1000000));
	add_told(&text, "; tx", &effect);
	return finding;
}
