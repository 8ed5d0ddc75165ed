/* study_xfi.c: the cells of the 10 GbE study, and what is said of made-up readings of them. */
#include "lib/random.h"
#include "study/xfi.h"
#include "test.h"

static struct xfi_design design;
static struct xfi_readings readings;
static char sentence[400];

static void all_but_display(void)
{
	static const uint64_t loads[] = { 0, 500000000, 1000000000, 2000000000, 4000000000 };

	design = (struct xfi_design){ .load_count = 5 };
	memcpy(design.loads, loads, sizeof loads);
	for (unsigned factor = 0; factor < XFI_FACTORS; factor++)
		design.is_varied[factor] = design.is_there[factor] = factor != XFI_DISPLAY;
	xfi_design(&design);
}

/* The study's own eight. */
static void the_eight(void)
{
	design = (struct xfi_design){ .load_count = 1, .together = true };
	for (unsigned factor = 0; factor < XFI_FACTORS; factor++)
		design.is_varied[factor] = design.is_there[factor] = factor != XFI_LOAD;
	xfi_design(&design);
}

/* Each cell in both states of the display, where that is varied; Mbit/s of a cell, and noise of as much to either side. */
static void observe(unsigned repeats, unsigned noise, int64_t (*mbit_per_s)(const uint8_t *levels))
{
	struct random random;

	random_seed(&random, 7);
	readings.count = 0;
	for (unsigned i = 0; i < repeats * (1 + design.is_varied[XFI_DISPLAY]) * design.cell_count; i++) {
		struct xfi_reading *reading = &readings.at[readings.count++];

		*reading = (struct xfi_reading){ .cell = design.cells[i % design.cell_count], .emc_hz = 665600000 };
		reading->cell.levels[XFI_DISPLAY] = i / design.cell_count % (1 + design.is_varied[XFI_DISPLAY]);
		reading->rate_milli = (mbit_per_s(reading->cell.levels) * 1000 + (int64_t)random_below(&random, 2000 * noise + 1) - 1000 * noise) * 1000000;
		if (reading->cell.levels[XFI_EMC] || reading->cell.levels[XFI_LOAD])
			reading->emc_hz = 3199000000;
	}
}

static const char *says(unsigned direction)
{
	struct text text = TEXT(sentence);

	xfi_sentence(&design, &readings, direction, &text);
	return sentence;
}

static bool has(const char *text, const char *part)
{
	if (!text_find(text, part))
		printf("# no \"%s\" in: %s\n", part, text);
	return text_find(text, part);
}

static int64_t nothing(const uint8_t *levels) { (void)levels; return 9400; }
static int64_t emc_or_load_over_tx(const uint8_t *levels) { return levels[XFI_DIRECTION] || levels[XFI_EMC] || levels[XFI_LOAD] ? 9400 : 4700; }
static int64_t load_costs(const uint8_t *levels) { return levels[XFI_LOAD] ? 7000 : 9400; }
static int64_t clocks_alone(const uint8_t *levels) { return levels[XFI_DIRECTION] || levels[XFI_EMC] ? 9400 : 4700; }
static int64_t rx_by_display(const uint8_t *levels) { return levels[XFI_DIRECTION] && levels[XFI_DISPLAY] ? 7000 : 9400; }
static int64_t theirs(const uint8_t *levels)
{
	static const int64_t tx[] = { 4700, 7500, 9400, 7800 };

	return levels[XFI_DIRECTION] ? 9400 : tx[2 * levels[XFI_EMC] + levels[XFI_DISPLAY]];
}

test(all_combinations_of_the_ends_and_the_loads_between_with_the_clocks_free)
{
	unsigned between = 0;

	all_but_display();
	check_equal(design.cell_count, 32 + 2 * 3);
	for (unsigned i = 0; i < design.cell_count; i++)
		if (design.cells[i].levels[XFI_LOAD] % 4) {
			between++;
			check_equal(xfi_clocks_of(&design, &design.cells[i]), 0);
		}
	check_equal(between, 6);
	for (unsigned i = 0; i < design.cell_count; i++)
		for (unsigned k = 0; k < i; k++)
			check(!xfi_same(&design.cells[i], &design.cells[k]));
}

test(the_clocks_together_are_one_factor)
{
	the_eight();
	check_equal(design.cell_count, 4);
	for (unsigned i = 0; i < design.cell_count; i++)
		check(xfi_clocks_of(&design, &design.cells[i]) >= 0);
}

test(the_eight_have_their_numbers_and_others_have_none)
{
	struct xfi_cell t1 = { { 0 } }, t4 = { { [XFI_DIRECTION] = 1, [XFI_DISPLAY] = 1 } },
	                t7 = { { [XFI_EMC] = 1, [XFI_CPUFREQ] = 1, [XFI_CPUIDLE] = 1, [XFI_DISPLAY] = 1 } }, some = { { [XFI_EMC] = 1 } };
	char words[80];
	struct text text = TEXT(words);

	the_eight();
	check_equal(xfi_number(&design, &t1), 1);
	check_equal(xfi_number(&design, &t4), 4);
	check_equal(xfi_number(&design, &t7), 7);
	check_equal(xfi_number(&design, &some), 0);
	xfi_add_cell(&text, &design, &t7);
	check_string(words, "T7 tx, display, all held");
	all_but_display();
	check_equal(xfi_number(&design, &t1), 0); /* it is not known whether there is a display */
	text = TEXT(words);
	some.levels[XFI_CPUIDLE] = 1, some.levels[XFI_LOAD] = 1;
	xfi_add_cell(&text, &design, &some);
	check_string(words, "tx, emc+cpuidle held, 0.5 GB/s");
}

test(a_rate_has_four_digits_that_count)
{
	char words[40];
	struct text text = TEXT(words);

	xfi_add_rate(&text, 9412345678901);
	text_add(&text, ", ");
	xfi_add_rate(&text, -36499354432);
	text_add(&text, ", ");
	xfi_add_rate(&text, 0);
	check_string(words, "9.412 Gbit/s, -36.49 Mbit/s, 0 Mbit/s");
}

test(two_knobs_of_which_each_recovers_all_and_the_direction_that_has_nothing_to_recover)
{
	all_but_display();
	observe(3, 100, emc_or_load_over_tx);
	says(XFI_TX);
	check(has(sentence, "tx: 4.7"));
	check(has(sentence, "Gbit/s as found, 9."));
	check(has(sentence, "alone emc recovers 100 % of that: +4."));
	check(has(sentence, "load recovers "));
	check(has(sentence, "emc and load interact: -4."));
	check(has(sentence, "each does less beside the other"));
	check(has(sentence, "no effect: cpufreq (at most 1 %), cpuidle (at most 1 %)"));
	check(has(says(XFI_RX), "rx: 9."));
	check(has(sentence, "no combination brings more; no effect: emc"));
	check(!text_find(sentence, "recovers"));
}

test(a_knob_that_costs_is_said_to_cost)
{
	all_but_display();
	observe(3, 100, load_costs);
	check(has(says(XFI_TX), "alone load costs -2."));
}

test(noise_as_large_as_an_effect_is_not_told)
{
	all_but_display();
	observe(2, 4000, nothing);
	check(has(says(XFI_TX), "cannot be told: "));
	check(!text_find(sentence, "recovers"));
}

test(one_run_of_each_cell_tells_nothing)
{
	all_but_display();
	observe(1, 100, emc_or_load_over_tx);
	check(has(says(XFI_TX), "not told from chance; cannot be told: emc, cpufreq, cpuidle, load"));
}

test(a_cell_that_is_missing_is_no_mean)
{
	all_but_display();
	observe(3, 100, nothing);
	readings.count = 0;
	check(has(says(XFI_TX), "not measured"));
	check_equal(xfi_mean(&readings, &design.cells[0]), VALUE_NONE);
}

test(the_studys_own_figures_with_repeats_refute_two_of_its_conclusions)
{
	struct finding finding;

	the_eight();
	observe(4, 100, theirs);
	check_equal(claim_rx_is_the_same(&design, &readings).claim, CLAIM_SUPPORTED);
	finding = claim_clocks_rather_than_display(&design, &readings);
	check_equal(finding.claim, CLAIM_REFUTED);
	check(has(finding.text, "interaction -4.")); /* (7.8 - 7.5) - (9.4 - 4.7) */
	check_equal(claim_no_interaction(&design, &readings).claim, CLAIM_REFUTED);
}

test(clocks_alone_support_them)
{
	the_eight();
	observe(4, 50, clocks_alone);
	check_equal(claim_clocks_rather_than_display(&design, &readings).claim, CLAIM_SUPPORTED);
	check_equal(claim_no_interaction(&design, &readings).claim, CLAIM_SUPPORTED);
	observe(1, 50, clocks_alone);
	check_equal(claim_clocks_rather_than_display(&design, &readings).claim, CLAIM_CANNOT_TELL);
	check_equal(claim_no_interaction(&design, &readings).claim, CLAIM_CANNOT_TELL);
}

test(rx_that_the_display_slows_down_is_not_the_same)
{
	the_eight();
	observe(4, 50, rx_by_display);
	check_equal(claim_rx_is_the_same(&design, &readings).claim, CLAIM_REFUTED);
}

test(rx_that_was_not_measured_or_a_display_that_was_not_switched_is_not_comparable)
{
	all_but_display();
	observe(3, 50, nothing);
	check_equal(claim_clocks_rather_than_display(&design, &readings).claim, CLAIM_NOT_COMPARABLE);
	check_equal(claim_no_interaction(&design, &readings).claim, CLAIM_NOT_COMPARABLE);
	design.is_varied[XFI_DIRECTION] = false;
	check_equal(claim_rx_is_the_same(&design, &readings).claim, CLAIM_NOT_COMPARABLE);
}

test(a_load_that_lifts_the_memory_clock_and_the_rate_supports_the_causal_story)
{
	all_but_display();
	observe(3, 100, emc_or_load_over_tx);
	check_equal(claim_display_keeps_the_clock_up(&design, &readings).claim, CLAIM_SUPPORTED);
	observe(3, 100, nothing);
	check_equal(claim_display_keeps_the_clock_up(&design, &readings).claim, CLAIM_REFUTED);
	observe(1, 100, emc_or_load_over_tx);
	check_equal(claim_display_keeps_the_clock_up(&design, &readings).claim, CLAIM_CANNOT_TELL);
	for (unsigned i = 0; i < readings.count; i++)
		readings.at[i].emc_hz = 0;
	check_equal(claim_display_keeps_the_clock_up(&design, &readings).claim, CLAIM_NOT_COMPARABLE);
}
