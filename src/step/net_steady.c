/* net_steady.c: is a rate one rate?  Where it changes its level, and how the machine was then. */
#include <string.h>

#include "lib/text.h"
#include "step/net_point.h"

enum {
	RUN_MIN = 5,                       /* intervals of a level, at least: half a second of the usual ones */
	STALL_MAX = 2,                     /* intervals in a row that are no level, however low: `low` has them */
	NOTICED_PPM = 70000,               /* a change that counts, held so long */
	LOW_PPM = 900000,                  /* of the median */
	MOST_PPM = 10000000,               /* so that sums of squares fit */
};

/* The squares' median of what neighbours differ by: twice the noise's variance, whatever the levels are. */
static int64_t noise_squared(const int64_t *values, unsigned count)
{
	static struct samples squares;

	samples_clear(&squares);
	for (unsigned i = 1; i < count; i++) {
		int64_t apart = values[i] - values[i - 1];

		samples_add(&squares, apart * apart);
	}
	/* The median of a square of a normal variable is 0.455 of its mean; of two such, half is one's. */
	return squares.count ? summary_median(&squares) * 1099 / 1000 : 0;
}

/* The middle one of a value and its two neighbours on either side, as far as there are as many. */
static int64_t middle_of(const int64_t *values, unsigned count, unsigned index)
{
	unsigned reach = index < count - 1 - index ? index : count - 1 - index, n = 0;
	int64_t sorted[2 * STALL_MAX + 1];

	if (reach > STALL_MAX)
		reach = STALL_MAX;
	for (unsigned i = index - reach; i <= index + reach; i++) {
		unsigned at = n++;

		for (; at && sorted[at - 1] > values[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = values[i];
	}
	return sorted[reach];
}

static int64_t mean_of(const struct samples *rates, unsigned from, unsigned to)
{
	__int128 sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += rates->values[i];
	return (int64_t)(sum / (to - from));
}

void net_steady_find(const struct samples *rates, struct net_steadiness *steadiness)
{
	static int64_t values[MAX_SAMPLES], middles[MAX_SAMPLES];
	int64_t median = summary_median(rates), penalty, low = 0;
	unsigned logarithm = 1;

	memset(steadiness, 0, sizeof *steadiness);
	if (!rates->count || median <= 0)
		return;
	/* In ppm of the median, so that squares fit. */
	for (unsigned i = 0; i < rates->count; i++) {
		int64_t ppm = milli_ratio((uint64_t)rates->values[i] * 1000, (uint64_t)(median / 1000 + !(median / 1000)));

		values[i] = ppm != VALUE_NONE && ppm / 1000 < MOST_PPM ? ppm / 1000 : MOST_PPM;
		low += values[i] < LOW_PPM;
	}
	steadiness->low_ppm_milli = milli_ratio((uint64_t)low * 1000000, rates->count);
	while (rates->count >> logarithm)
		logarithm++;
	penalty = noise_squared(values, rates->count) * 4 * logarithm;
	if (penalty < (int64_t)NOTICED_PPM * NOTICED_PPM * RUN_MIN)
		penalty = (int64_t)NOTICED_PPM * NOTICED_PPM * RUN_MIN;
	for (unsigned i = 0; i < rates->count; i++)
		middles[i] = middle_of(values, rates->count, i);
	levels_find(middles, rates->count, penalty, RUN_MIN, &steadiness->levels);
	for (unsigned i = 0; i < steadiness->levels.count; i++)
		steadiness->levels.means[i] = mean_of(rates, steadiness->levels.starts[i], i + 1 < steadiness->levels.count ? steadiness->levels.starts[i + 1] : rates->count);
}

/* The intervals that count, as net_point_rates has them: when the n-th began, since the measured time did. */
static uint64_t start_of(const struct net_result *result, unsigned index)
{
	uint64_t first_ns = 0;

	for (unsigned i = 0, n = 0; i < result->interval_count; i++) {
		const struct net_interval *interval = &result->intervals[i];

		if (interval->omitted || interval->end_ns - interval->start_ns < MS(10))
			continue;
		if (!n)
			first_ns = interval->start_ns;
		if (n++ == index)
			return interval->start_ns - first_ns;
	}
	return result->elapsed_ns;
}

/* The moment nearest to the middle of a level, and within it: another's tells nothing of this one. */
static const struct net_moment *moment_of(const struct net_measured *measured, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t middle_ns = (from_ns + to_ns) / 2, nearest_ns = UINT64_MAX;
	const struct net_moment *nearest = NULL;

	for (unsigned i = 0; i < measured->moment_count; i++) {
		uint64_t at_ns = measured->moments[i].at_ns - measured->result.start_ns, off_ns = at_ns > middle_ns ? at_ns - middle_ns : middle_ns - at_ns;

		if (at_ns < from_ns || at_ns > to_ns || off_ns >= nearest_ns)
			continue;
		nearest_ns = off_ns;
		nearest = &measured->moments[i];
	}
	return nearest;
}

static void tell_level(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, bool sends, const struct levels *levels, unsigned index, unsigned count)
{
	unsigned end = index + 1 < levels->count ? levels->starts[index + 1] : count;
	uint64_t from_ns = start_of(&measured->result, levels->starts[index]), to_ns = start_of(&measured->result, end);
	const struct net_moment *moment = moment_of(measured, from_ns, to_ns);
	struct point points[NET_POINTS + 1];
	struct facts facts = { .count = 0 };

	net_point_points(ask, sends, points);
	points[4] = point_number("level", index);
	fact_number(&facts, "n", end - levels->starts[index]);
	fact_number(&facts, "start_ns", (int64_t)from_ns);
	fact_number(&facts, "lasts_ns", (int64_t)(to_ns - from_ns));
	if (moment && moment->cpu_hz)
		fact_number(&facts, "cpu_hz", (int64_t)moment->cpu_hz);
	if (moment && moment->emc_hz)
		fact_number(&facts, "emc_hz", (int64_t)moment->emc_hz);
	if (moment && moment->has_temperature)
		fact_milli(&facts, "temperature_c", moment->temperature_milli);
	emit_figure(ctx, "net.steady.level", "bit/s", points, levels->means[index], &facts);
}

void net_steady_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, bool sends)
{
	static struct samples rates;
	struct net_steadiness steadiness;
	struct point points[NET_POINTS + 1];
	struct facts facts = { .count = 0 };

	net_point_rates(ask, measured, sends, &rates);
	net_point_points(ask, sends, points);
	net_steady_find(&rates, &steadiness);
	if (!rates.count && measured->result.interval_count && sends && !ask->loopback)
		return emit_skip(ctx, "net.steady.levels", points, "what was sent is not what arrived, whose intervals only the receiver knows: measure the other way (-R) from there");
	if (!steadiness.levels.count)
		return;
	fact_number(&facts, "n", rates.count);
	fact_number(&facts, "run_min", RUN_MIN);
	emit_figure(ctx, "net.steady.levels", "1", points, milli_whole(steadiness.levels.count), &facts);
	emit_figure(ctx, "net.steady.low", "ppm", points, steadiness.low_ppm_milli, &facts);
	if (steadiness.levels.count > 1)
		for (unsigned i = 0; i < steadiness.levels.count; i++)
			tell_level(ctx, ask, measured, sends, &steadiness.levels, i, rates.count);
}
