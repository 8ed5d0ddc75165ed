#include <stdlib.h>

#include "capacity.h"
#include "event.h"
#include "lib/random.h"
#include "stat/effects.h"
#include "test.h"

static struct experiment experiment;
static struct effect effect;

enum { A, B, C, FACTORS };

/* Three factors of 2, 2 and 3 levels; `repeats` of each cell; value(levels) plus noise of about +-noise. */
static void observe(unsigned repeats, uint64_t seed, int64_t noise, int64_t (*value)(const uint8_t *levels))
{
	static const uint8_t counts[] = { 2, 2, 3 };
	struct random random;

	random_seed(&random, seed);
	experiment = (struct experiment){ .factor_count = FACTORS };
	memcpy(experiment.level_counts, counts, sizeof counts);
	for (unsigned i = 0; i < repeats * 12; i++) {
		struct observation *at = &experiment.observations[experiment.count++];

		at->levels[A] = i % 2, at->levels[B] = i / 2 % 2, at->levels[C] = i / 4 % 3;
		at->value = value(at->levels);
		for (unsigned n = 0; n < 4 && noise; n++)
			at->value += (int64_t)random_below(&random, (uint64_t)noise + 1) - noise / 2;
	}
}

static int64_t nothing(const uint8_t *levels) { (void)levels; return 9400000000000; }
static int64_t b_alone(const uint8_t *levels) { return levels[B] ? 9400000000000 : 4700000000000; }
static int64_t either(const uint8_t *levels) { return levels[A] || levels[B] ? 9400 : 4700; }
static int64_t rising(const uint8_t *levels) { return 1000 * levels[C]; }

static bool is_clear(void) { return effect.told && (effect.low > 0 || effect.high < 0); }

test(a_planted_effect_is_told_with_its_size)
{
	observe(3, 1, 0, b_alone);
	effects_main(&experiment, B, &effect);
	check(effect.told);
	check_equal(effect.level_a, 0);
	check_equal(effect.level_b, 1);
	check(llabs(effect.value - 4700000000000) < 4700000000000 / 10000);
	check(effect.share_ppm > 999000);
	effects_main(&experiment, A, &effect);
	check(effect.told && llabs(effect.value) < 1000000);
	check_equal(effect.share_ppm, 0);
}

test(the_interval_holds_the_planted_value_and_not_0)
{
	observe(4, 7, 200000000000, b_alone);
	effects_main(&experiment, B, &effect);
	check(is_clear());
	check(effect.low <= 4700000000000 && effect.high >= 4700000000000);
	check(effect.high - effect.low < 1000000000000);
	check(effects_unexplained_ppm(&experiment) > 0 && effects_unexplained_ppm(&experiment) < 100000);
}

test(an_interaction_is_told_apart_from_the_main_effects)
{
	observe(3, 3, 100, either);
	effects_pair(&experiment, A, B, &effect);
	check(is_clear());
	check(effect.value < -4500 && effect.value > -4900);
	check(effect.share_ppm > 300000 && effect.share_ppm < 360000); /* a third of it is in each main effect */
	effects_main(&experiment, A, &effect);
	check(is_clear() && effect.value > 2200 && effect.value < 2500);
	effects_pair(&experiment, A, C, &effect);
	check(!is_clear());
	effects_main(&experiment, C, &effect);
	check(!is_clear());
}

test(of_several_levels_the_two_that_differ_most_are_named)
{
	observe(3, 5, 10, rising);
	effects_main(&experiment, C, &effect);
	check_equal(effect.level_a, 0);
	check_equal(effect.level_b, 2);
	check(effect.value > 1980 && effect.value < 2020);
}

test(missing_cells_leave_the_effects_of_the_others_unbiased)
{
	observe(3, 9, 0, either);
	/* All with A = 1 and C above 0 are gone. */
	for (unsigned i = 0; i < experiment.count; )
		if (experiment.observations[i].levels[A] && experiment.observations[i].levels[C])
			experiment.observations[i] = experiment.observations[--experiment.count];
		else
			i++;
	effects_main(&experiment, C, &effect);
	check(effect.told && !effect.value);
	effects_pair(&experiment, A, B, &effect);
	check(llabs(effect.value + 4700) <= 1);
}

test(too_few_repeats_are_said_so)
{
	observe(1, 1, 0, b_alone);
	effects_main(&experiment, B, &effect);
	check(!effect.told);
	experiment.count = 0;
	effects_main(&experiment, B, &effect);
	effects_pair(&experiment, A, B, &effect);
	check(!effect.told && !effect.value);
}

/* With 95 % over all of them together, about one experiment in twenty may raise a false alarm; Bonferroni's are fewer. */
test(false_alarms_are_as_rare_as_said)
{
	unsigned alarms = 0;

	for (uint64_t seed = 1; seed <= 400; seed++) {
		bool alarm = false;

		observe(3, seed, 1000000000, nothing);
		for (unsigned i = 0; i < FACTORS; i++) {
			effects_main(&experiment, i, &effect);
			alarm |= is_clear();
			for (unsigned j = i + 1; j < FACTORS; j++) {
				effects_pair(&experiment, i, j, &effect);
				alarm |= is_clear();
			}
		}
		alarms += alarm;
	}
	check(alarms >= 1);  /* a detector that never fires is none */
	check(alarms <= 28);
}

test(two_cells_are_compared_by_the_spread_of_all)
{
	uint8_t a[EFFECTS_MAX_FACTORS] = { 1, 0, 2 }, b[EFFECTS_MAX_FACTORS] = { 1, 1, 2 }, none[EFFECTS_MAX_FACTORS] = { 1, 1, 3 };

	observe(3, 11, 100000000000, b_alone);
	effects_cells(&experiment, a, b, &effect);
	check(is_clear() && effect.low < 4700000000000 && effect.high > 4700000000000);
	effects_cells(&experiment, b, a, &effect);
	check(is_clear() && effect.value < 0);
	effects_cells(&experiment, a, none, &effect);
	check(!effect.told);
}

test(a_cell_s_own_interval_is_of_its_repeats)
{
	int64_t of_one, of_four;

	observe(4, 12, 100000, nothing);
	of_one = effects_half(&experiment, 1);
	of_four = effects_half(&experiment, 4);
	check(of_one > 60000 && of_one < 240000); /* the noise of four uniform numbers deviates by 58 % of its width, about two of that */
	check(llabs(of_one - 2 * of_four) <= 2);
	observe(1, 13, 100000, nothing);
	check_equal(effects_half(&experiment, 1), VALUE_NONE);
}
