/* xfi_sentence.c: one direction of the study in plain words, see xfi.h. */
#include "lib/number.h"
#include "lib/wide.h"
#include "study/xfi.h"

enum { MAX_PAIRS_SAID = 3, ENOUGH_PERCENT = 98 };

/* One direction's experiment; a combination is a bit for each factor that is not at its first level. */
static struct experiment experiment;
static struct xfi_factors factors;

static unsigned bits_of(const uint8_t levels[EFFECTS_MAX_FACTORS])
{
	unsigned bits = 0;

	for (unsigned i = 0; i < factors.count; i++)
		bits |= (unsigned)levels[i] << i;
	return bits;
}

static int64_t mean_of(unsigned bits)
{
	__int128 sum = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < experiment.count; i++)
		if (bits_of(experiment.observations[i].levels) == bits) {
			sum += experiment.observations[i].value;
			count++;
		}
	return count ? (int64_t)(sum / count) : VALUE_NONE;
}

/* The fewest knobs that bring all but 2 % of the most. */
static unsigned best_of(int64_t *most)
{
	unsigned best = 0;

	*most = VALUE_NONE;
	for (unsigned bits = 0; bits < 1u << factors.count; bits++)
		if (mean_of(bits) > *most)
			*most = mean_of(bits);
	for (unsigned knobs = 0; knobs <= factors.count; knobs++)
		for (best = 0; best < 1u << factors.count; best++)
			if ((unsigned)__builtin_popcount(best) == knobs && mean_of(best) / 100 >= *most / 10000 * ENOUGH_PERCENT)
				return best;
	return best;
}

static void from_nothing(unsigned to, struct effect *effect)
{
	uint8_t none[EFFECTS_MAX_FACTORS] = { 0 }, levels[EFFECTS_MAX_FACTORS] = { 0 };

	for (unsigned i = 0; i < factors.count; i++)
		levels[i] = to >> i & 1;
	effects_cells(&experiment, none, levels, effect);
}

static void add_knobs(struct text *text, unsigned bits)
{
	const char *before = "";

	for (unsigned i = 0; i < factors.count; i++)
		if (bits >> i & 1) {
			text_add_format(text, "%s%s", before, xfi_factor_word(factors.at[i]));
			before = "+";
		}
}

static void add_percent(struct text *text, int64_t part, int64_t of)
{
	text_add_format(text, "%lld %%", of ? (long long)(int64_t)wide_divide_signed((__int128)part * 100, (unsigned __int128)(of < 0 ? -of : of)) : 0);
}

static void add_effect(struct text *text, const struct effect *effect)
{
	if (effect->value > 0)
		text_add(text, "+");
	xfi_add_rate(text, effect->value);
	text_add(text, " (");
	xfi_add_rate(text, effect->low);
	text_add(text, " to ");
	xfi_add_rate(text, effect->high);
	text_add(text, ")");
}

static void add_singles(struct text *text, int64_t most, int64_t gap)
{
	const char *before = "; alone ";

	for (unsigned i = 0; i < factors.count; i++) {
		struct effect effect;

		from_nothing(1u << i, &effect);
		if (xfi_judge(&effect, most) != XFI_MATTERS)
			continue;
		text_add_format(text, "%s%s %s ", before, xfi_factor_word(factors.at[i]), effect.value > 0 ? "recovers" : "costs");
		if (effect.value > 0 && gap > 0) {
			add_percent(text, effect.value, gap);
			text_add(text, " of that: ");
		}
		add_effect(text, &effect);
		before = ", ";
	}
}

/* Of the factor with any other: is there one that matters? */
static bool is_in_a_pair(unsigned factor, int64_t most)
{
	struct effect effect;

	for (unsigned other = 0; other < factors.count; other++) {
		if (other == factor)
			continue;
		effects_pair(&experiment, factor, other, &effect);
		if (xfi_judge(&effect, most) == XFI_MATTERS)
			return true;
	}
	return false;
}

static void add_pairs(struct text *text, int64_t most)
{
	unsigned said = 0;

	for (unsigned i = 0; i < factors.count; i++)
		for (unsigned k = i + 1; k < factors.count; k++) {
			struct effect effect;

			effects_pair(&experiment, i, k, &effect);
			if (xfi_judge(&effect, most) != XFI_MATTERS || said++ == MAX_PAIRS_SAID)
				continue;
			text_add_format(text, "; %s and %s interact: ", xfi_factor_word(factors.at[i]), xfi_factor_word(factors.at[k]));
			xfi_add_rate(text, effect.value);
			text_add(text, effect.value < 0 ? ", each does less beside the other" : ", they do more together");
		}
}

static void add_list(struct text *text, enum xfi_finding finding, const char *words, int64_t most)
{
	const char *before = words;

	for (unsigned i = 0; i < factors.count; i++) {
		struct effect effect;

		effects_main(&experiment, i, &effect);
		if (xfi_judge(&effect, most) != finding || is_in_a_pair(i, most))
			continue;
		text_add_format(text, "%s%s", before, xfi_factor_word(factors.at[i]));
		if (finding == XFI_NOTHING) {
			text_add(text, " (at most ");
			add_percent(text, (effect.high > -effect.low ? effect.high : -effect.low) + most / 200, most);
			text_add(text, ")");
		}
		before = ", ";
	}
}

void xfi_sentence(const struct xfi_design *design, const struct xfi_readings *readings, unsigned direction, struct text *text)
{
	const struct xfi_view view = { .direction = (uint8_t)direction };
	struct effect effect;
	int64_t most;
	unsigned best;

	xfi_experiment(design, readings, &view, &factors, &experiment);
	text_add(text, direction == XFI_TX ? "tx: " : "rx: ");
	if (mean_of(0) == VALUE_NONE) {
		text_add(text, "not measured with the clocks free and no load");
		return;
	}
	best = best_of(&most);
	from_nothing(best, &effect);
	xfi_add_rate(text, mean_of(0));
	text_add(text, " as found");
	if (!best) {
		text_add(text, ", and no combination brings more");
	} else {
		text_add(text, ", ");
		xfi_add_rate(text, mean_of(best));
		text_add(text, " with ");
		add_knobs(text, best);
	}
	if (best && xfi_judge(&effect, most) == XFI_UNTOLD)
		text_add(text, ", yet not told from chance");
	add_singles(text, most, effect.value);
	add_pairs(text, most);
	add_list(text, XFI_NOTHING, "; no effect: ", most);
	add_list(text, XFI_UNTOLD, "; cannot be told: ", most);
}
