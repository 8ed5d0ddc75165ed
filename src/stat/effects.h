/*
 * effects.h: what each factor of an experiment, and each pair of factors, does to a value, with intervals; in integers.
 *
 * Observations are of cells, each a combination of the factors' levels, several times each.  An effect is the difference that going from a factor's first level
 * to another one makes, averaged over the cells of the other factors; an interaction of a pair is how much the one's effect changes with the other's level.
 * An interval that contains 0, or an effect smaller than what counts, is "no effect"; too few repeats is "cannot be told".
 */
#ifndef EFFECTS_H
#define EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

enum { EFFECTS_MAX_FACTORS = 8, EFFECTS_MAX_LEVELS = 8, EFFECTS_MAX_OBSERVATIONS = 4096 };

struct observation { uint8_t levels[EFFECTS_MAX_FACTORS]; int64_t value; };

struct experiment {
	unsigned factor_count;
	uint8_t level_counts[EFFECTS_MAX_FACTORS];
	unsigned count;
	struct observation observations[EFFECTS_MAX_OBSERVATIONS];
};

struct effect {
	bool told;                  /* false: not enough repeats, or cells are missing */
	uint8_t level_a, level_b;   /* of the first and of the second factor (interactions), or from a to b: the pair that differs most */
	int64_t value;              /* in the values' unit */
	int64_t low, high;          /* its 95 % interval, corrected for how many effects and interactions this experiment has (Holm or Bonferroni) */
	int64_t share_ppm;          /* of the whole variation between observations, what this explains */
};

void effects_main(const struct experiment *experiment, unsigned factor, struct effect *effect);
void effects_pair(const struct experiment *experiment, unsigned factor, unsigned other, struct effect *effect);
/* From one cell to another, both with all their levels; the levels in effect and its share mean nothing. */
void effects_cells(const struct experiment *experiment, const uint8_t a[EFFECTS_MAX_FACTORS], const uint8_t b[EFFECTS_MAX_FACTORS], struct effect *effect);
/* Half of the 95 % interval of a cell's mean over so many repeats, alone; VALUE_NONE: too few repeats. */
int64_t effects_half(const struct experiment *experiment, unsigned repeats);
int64_t effects_unexplained_ppm(const struct experiment *experiment); /* the share that repeats of the same cell differ by */

#endif
