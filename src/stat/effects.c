/*
 * effects.c: contrasts of cell means, with the spread of the repeats pooled over all cells.
 *
 * A contrast is averaged over the combinations of the other factors for which every cell that it needs is there, so an experiment need not be whole.
 * Its interval is Student's (Bonferroni over all contrasts that this experiment has), t by the expansion of Fisher and Cornish from
 * the normal quantile (R. A. Fisher, E. A. Cornish, "The percentile points of distributions having known cumulants", 1960).
 */
#include <stddef.h>
#include <string.h>

#include "capacity.h"
#include "event.h"
#include "lib/wide.h"
#include "stat/effects.h"

enum {
	MIN_FREEDOM = 6,          /* below it the expansion, and the spread itself, are not worth much */
	SCALED_BITS = 30,         /* of a deviation: its square times all observations fits into 128 bits by far */
	FRACTION_BITS = 16,
};

struct cell { uint8_t levels[EFFECTS_MAX_FACTORS]; unsigned count; int64_t sum, mean; };

/* The experiment as cells, deviations from the mean of all, shifted so that they fit. */
static struct fit {
	unsigned count, shift;
	int64_t grand;
	__int128 within, total;   /* sums of squares */
	unsigned freedom;
	struct cell cells[EFFECTS_MAX_OBSERVATIONS];
} fit;

static int64_t scaled(int64_t value)
{
	/* The fraction keeps small spreads from vanishing where the values are small, too. */
	return (int64_t)((__int128)(value - fit.grand) * (1 << FRACTION_BITS) >> fit.shift);
}

static struct cell *find(const uint8_t levels[EFFECTS_MAX_FACTORS])
{
	for (unsigned i = 0; i < fit.count; i++)
		if (!memcmp(fit.cells[i].levels, levels, EFFECTS_MAX_FACTORS))
			return &fit.cells[i];
	return NULL;
}

static struct cell *take(const uint8_t levels[EFFECTS_MAX_FACTORS])
{
	struct cell *cell = find(levels);

	if (!cell) {
		cell = &fit.cells[fit.count++];
		memset(cell, 0, sizeof *cell);
		memcpy(cell->levels, levels, EFFECTS_MAX_FACTORS);
	}
	return cell;
}

static void choose_scale(const struct experiment *experiment)
{
	__int128 sum = 0;
	uint64_t largest = 0;

	for (unsigned i = 0; i < experiment->count; i++)
		sum += experiment->observations[i].value;
	fit.grand = (int64_t)wide_divide_signed(sum, experiment->count);
	for (unsigned i = 0; i < experiment->count; i++) {
		int64_t off = experiment->observations[i].value - fit.grand;
		uint64_t size = (uint64_t)(off < 0 ? -off : off);

		largest = size > largest ? size : largest;
	}
	for (fit.shift = 0; largest >> fit.shift >> (SCALED_BITS - FRACTION_BITS); )
		fit.shift++;
}

static void fit_cells(const struct experiment *experiment)
{
	memset(&fit, 0, offsetof(struct fit, cells));
	if (!experiment->count)
		return;
	choose_scale(experiment);
	for (unsigned i = 0; i < experiment->count; i++) {
		struct cell *cell = take(experiment->observations[i].levels);

		cell->sum += scaled(experiment->observations[i].value);
		cell->count++;
	}
	for (unsigned i = 0; i < fit.count; i++)
		fit.cells[i].mean = (int64_t)wide_divide_signed(fit.cells[i].sum, fit.cells[i].count);
	for (unsigned i = 0; i < experiment->count; i++) {
		int64_t value = scaled(experiment->observations[i].value), off = value - find(experiment->observations[i].levels)->mean;

		fit.total += (__int128)value * value;
		fit.within += (__int128)off * off;
	}
	fit.freedom = experiment->count - fit.count;
}

/* ---- contrasts ---- */

struct contrast { unsigned terms; __int128 sum; uint64_t inverse_counts; /* of the cells, in 2^-FRACTION_BITS */ };

/* mean[first=b] - mean[first=a] over the rests; of a pair, by how much that differs between the second's levels a and b. */
static struct contrast contrast_of(unsigned first, uint8_t first_a, uint8_t first_b, int second, uint8_t second_a, uint8_t second_b)
{
	struct contrast contrast = { .terms = 0 };

	for (unsigned i = 0; i < fit.count; i++) {
		uint8_t levels[EFFECTS_MAX_FACTORS];
		unsigned cells = second < 0 ? 2 : 4, sign = 0;
		const struct cell *of[4];

		if (fit.cells[i].levels[first] != first_a || (second >= 0 && fit.cells[i].levels[second] != second_a))
			continue;
		memcpy(levels, fit.cells[i].levels, sizeof levels);
		for (sign = 0; sign < cells; sign++) {
			levels[first] = sign & 1 ? first_b : first_a;
			if (second >= 0)
				levels[second] = sign & 2 ? second_b : second_a;
			of[sign] = find(levels);
			if (!of[sign])
				break;
		}
		if (sign < cells)
			continue;
		contrast.terms++;
		for (sign = 0; sign < cells; sign++) {
			/* b - a; of a pair (bb - ab) - (ba - aa) */
			bool plus = second < 0 ? sign == 1 : sign == 0 || sign == 3;

			contrast.sum += plus ? of[sign]->mean : -of[sign]->mean;
			contrast.inverse_counts += (1u << FRACTION_BITS) / of[sign]->count;
		}
	}
	return contrast;
}

static int64_t mean_of(const struct contrast *contrast)
{
	return contrast->terms ? (int64_t)wide_divide_signed(contrast->sum, contrast->terms) : 0;
}

/* All contrasts that are looked at: every two levels of a factor, every two levels of two factors against their first ones. */
static unsigned contrast_count(const struct experiment *experiment)
{
	unsigned count = 0;

	for (unsigned i = 0; i < experiment->factor_count; i++) {
		unsigned levels = experiment->level_counts[i];

		count += levels * (levels - 1) / 2;
		for (unsigned j = i + 1; j < experiment->factor_count; j++)
			count += (levels - 1) * (experiment->level_counts[j] - 1u);
	}
	return count;
}

/* Student's quantile for 95 % over so many contrasts, in thousandths. */
static uint64_t student_milli(unsigned freedom, unsigned contrasts)
{
	/* for 1, 2, 4, ... contrasts: the normal quantile, and the expansion's terms in 1/freedom, 1/freedom^2, ... */
	static const uint32_t terms[][5] = {
		{ 1960, 2372, 2822, 2556, 1590 }, { 2241, 3375, 4893, 5430, 4269 }, { 2498, 4520, 7738, 10140, 9562 },
		{ 2734, 5795, 11454, 17290, 18952 }, { 2955, 7191, 16132, 27555, 34363 }, { 3163, 8700, 21856, 41672, 58206 },
		{ 3359, 10318, 28707, 60437, 93418 }, { 3546, 12037, 36759, 84702, 143505 }, { 3725, 13853, 46084, 115374, 212576 },
	};
	uint64_t quantile = 0, power = 1;
	unsigned row = 0;

	while (1u << row < contrasts && row + 1 < COUNT_OF(terms))
		row++;
	for (unsigned i = 0; i < 5; i++, power *= freedom)
		quantile += wide_divide(terms[row][i], power).whole;
	return quantile + 2; /* what the divisions cut off */
}

static int64_t unscaled(__int128 value)
{
	return (int64_t)(value * ((__int128)1 << fit.shift) >> FRACTION_BITS);
}

/* Half of an interval: of what has so much of the cells' own variance. */
static int64_t half_of(uint64_t inverse_counts, unsigned contrasts, unsigned terms)
{
	__int128 half = wide_root(wide_divide((unsigned __int128)fit.within * inverse_counts, fit.freedom).whole);

	half = (half * (__int128)student_milli(fit.freedom, contrasts) >> (FRACTION_BITS / 2));
	return unscaled(wide_divide_signed(half, 1000ull * terms));
}

static void tell(const struct experiment *experiment, const struct contrast *contrast, struct effect *effect)
{
	int64_t half;

	effect->told = contrast->terms && fit.freedom >= MIN_FREEDOM;
	effect->value = unscaled(mean_of(contrast));
	if (!effect->told)
		return;
	half = half_of(contrast->inverse_counts, contrast_count(experiment), contrast->terms);
	effect->low = effect->value - half;
	effect->high = effect->value + half;
}

static int64_t share_ppm(__int128 squares)
{
	unsigned __int128 total = (unsigned __int128)fit.total;
	int64_t ppm;

	if (!total)
		return 0;
	ppm = (int64_t)wide_divide((unsigned __int128)squares * 1000000, total).whole;
	return ppm < 1000000 ? ppm : 1000000;
}

static bool is_larger(const struct contrast *a, const struct contrast *b)
{
	int64_t of_a = mean_of(a), of_b = mean_of(b);

	return a->terms && (!b->terms || (of_a < 0 ? -of_a : of_a) > (of_b < 0 ? -of_b : of_b));
}

/* ---- one factor ---- */

static int64_t main_share(const struct experiment *experiment, unsigned factor)
{
	int64_t off[EFFECTS_MAX_LEVELS] = { 0 };
	__int128 sum = 0, squares = 0;
	int64_t mean;

	for (uint8_t level = 1; level < experiment->level_counts[factor]; level++) {
		const struct contrast contrast = contrast_of(factor, 0, level, -1, 0, 0);

		off[level] = mean_of(&contrast);
	}
	for (unsigned i = 0; i < experiment->count; i++)
		sum += off[experiment->observations[i].levels[factor]];
	mean = (int64_t)wide_divide_signed(sum, experiment->count);
	for (unsigned i = 0; i < experiment->count; i++) {
		__int128 apart = off[experiment->observations[i].levels[factor]] - mean;

		squares += apart * apart;
	}
	return share_ppm(squares);
}

void effects_main(const struct experiment *experiment, unsigned factor, struct effect *effect)
{
	struct contrast best = { .terms = 0 };

	memset(effect, 0, sizeof *effect);
	fit_cells(experiment);
	for (uint8_t a = 0; a < experiment->level_counts[factor]; a++)
		for (uint8_t b = (uint8_t)(a + 1); b < experiment->level_counts[factor]; b++) {
			const struct contrast contrast = contrast_of(factor, a, b, -1, 0, 0);

			if (is_larger(&contrast, &best)) {
				best = contrast;
				effect->level_a = a;
				effect->level_b = b;
			}
		}
	tell(experiment, &best, effect);
	if (best.terms)
		effect->share_ppm = main_share(experiment, factor);
}

/* ---- a pair ---- */

/* What is left of the pair's contrasts once what each factor does by itself is taken off, squared and summed over the observations. */
static int64_t pair_share(const struct experiment *experiment, unsigned factor, unsigned other)
{
	static int64_t off[EFFECTS_MAX_LEVELS][EFFECTS_MAX_LEVELS];
	__int128 rows[EFFECTS_MAX_LEVELS] = { 0 }, columns[EFFECTS_MAX_LEVELS] = { 0 }, all = 0, squares = 0;
	unsigned row_counts[EFFECTS_MAX_LEVELS] = { 0 }, column_counts[EFFECTS_MAX_LEVELS] = { 0 };

	memset(off, 0, sizeof off);
	for (uint8_t a = 1; a < experiment->level_counts[factor]; a++)
		for (uint8_t b = 1; b < experiment->level_counts[other]; b++) {
			const struct contrast contrast = contrast_of(factor, 0, a, (int)other, 0, b);

			off[a][b] = mean_of(&contrast);
		}
	for (unsigned i = 0; i < experiment->count; i++) {
		uint8_t a = experiment->observations[i].levels[factor], b = experiment->observations[i].levels[other];

		rows[a] += off[a][b], columns[b] += off[a][b], all += off[a][b];
		row_counts[a]++, column_counts[b]++;
	}
	for (unsigned i = 0; i < experiment->count; i++) {
		uint8_t a = experiment->observations[i].levels[factor], b = experiment->observations[i].levels[other];
		__int128 apart = off[a][b] - wide_divide_signed(rows[a], row_counts[a]) - wide_divide_signed(columns[b], column_counts[b]) +
		                 wide_divide_signed(all, experiment->count);

		squares += apart * apart;
	}
	return share_ppm(squares);
}

void effects_pair(const struct experiment *experiment, unsigned factor, unsigned other, struct effect *effect)
{
	struct contrast best = { .terms = 0 };

	memset(effect, 0, sizeof *effect);
	fit_cells(experiment);
	for (uint8_t a = 1; a < experiment->level_counts[factor]; a++)
		for (uint8_t b = 1; b < experiment->level_counts[other]; b++) {
			const struct contrast contrast = contrast_of(factor, 0, a, (int)other, 0, b);

			if (is_larger(&contrast, &best)) {
				best = contrast;
				effect->level_a = a;
				effect->level_b = b;
			}
		}
	tell(experiment, &best, effect);
	if (best.terms)
		effect->share_ppm = pair_share(experiment, factor, other);
}

void effects_cells(const struct experiment *experiment, const uint8_t a[EFFECTS_MAX_FACTORS], const uint8_t b[EFFECTS_MAX_FACTORS], struct effect *effect)
{
	struct contrast contrast = { .terms = 0 };
	const struct cell *of_a, *of_b;

	memset(effect, 0, sizeof *effect);
	fit_cells(experiment);
	of_a = find(a);
	of_b = find(b);
	if (of_a && of_b)
		contrast = (struct contrast){ 1, of_b->mean - of_a->mean, (1u << FRACTION_BITS) / of_a->count + (1u << FRACTION_BITS) / of_b->count };
	tell(experiment, &contrast, effect);
}

int64_t effects_half(const struct experiment *experiment, unsigned repeats)
{
	fit_cells(experiment);
	return fit.freedom < MIN_FREEDOM || !repeats ? VALUE_NONE : half_of((1u << FRACTION_BITS) / repeats, 1, 1);
}

int64_t effects_unexplained_ppm(const struct experiment *experiment)
{
	fit_cells(experiment);
	return share_ppm(fit.within);
}
