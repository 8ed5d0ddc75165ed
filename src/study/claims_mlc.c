/*
 * claims_mlc.c: the claims of mlc, over curves of latency against bandwidth, see claims.h.
 *
 * Two curves are compared at equal bandwidth.  Each has a band: its upper edge joins the points' corners of least bandwidth and most latency, its lower
 * edge those of most bandwidth and least latency, and an edge never falls as bandwidth rises (where memory is saturated, points of about one bandwidth
 * lie above one another).  A point is apart from a band when its own corner next to it is.
 */
#include "lib/number.h"
#include "lib/wide.h"
#include "stat/rank.h"
#include "step/mem_point.h"
#include "study/claims.h"

enum { LEAST_COMPARED = 3 };
enum edge { EDGE_LOWER, EDGE_UPPER };
struct corner { int64_t x, y; }; /* bandwidth, latency */

static bool has_interval(const struct loaded_told *curve, unsigned i)
{
	return curve->latency[i].is_told && curve->latency[i].low_milli != VALUE_NONE && curve->bandwidth[i].is_told &&
	       curve->bandwidth[i].low_milli != VALUE_NONE;
}

static struct corner corner_of(const struct loaded_told *curve, unsigned i, enum edge edge)
{
	if (edge == EDGE_UPPER)
		return (struct corner){ curve->bandwidth[i].low_milli, curve->latency[i].high_milli };
	return (struct corner){ curve->bandwidth[i].high_milli, curve->latency[i].low_milli };
}

/* No lower than what lies before it, of the upper edge; no higher than what comes, of the lower one. */
static int64_t height_of(const struct loaded_told *curve, enum edge edge, struct corner of)
{
	for (unsigned i = 0; i < curve->count; i++) {
		struct corner corner = corner_of(curve, i, edge);

		if (has_interval(curve, i) && (edge == EDGE_UPPER ? corner.x <= of.x && corner.y > of.y : corner.x >= of.x && corner.y < of.y))
			of.y = corner.y;
	}
	return of.y;
}

/* The edge's latency at bandwidth x; false: x is beyond the curve. */
static bool edge_at(const struct loaded_told *curve, enum edge edge, int64_t x, int64_t *y)
{
	struct corner left = { INT64_MIN, 0 }, right = { INT64_MAX, 0 };
	int64_t rise;

	for (unsigned i = 0; i < curve->count; i++) {
		struct corner corner = corner_of(curve, i, edge);

		if (!has_interval(curve, i))
			continue;
		if (corner.x <= x && corner.x > left.x)
			left = corner;
		if (corner.x >= x && corner.x < right.x)
			right = corner;
	}
	if (left.x == INT64_MIN || right.x == INT64_MAX)
		return false;
	*y = height_of(curve, edge, left);
	rise = height_of(curve, edge, right) - *y;
	if (right.x > left.x)
		*y += (int64_t)wide_divide_signed((__int128)rise * (x - left.x), (unsigned __int128)(right.x - left.x));
	return true;
}

struct comparison { unsigned point; enum order order; int64_t lower, upper; };

/* Point i of a curve against another's band: false where that one has no such bandwidth. */
static bool compare(const struct loaded_told *curve, unsigned i, const struct loaded_told *other, struct comparison *to)
{
	const struct mem_told *latency = &curve->latency[i], *bandwidth = &curve->bandwidth[i];

	to->point = i;
	if (!has_interval(curve, i) || !edge_at(other, EDGE_UPPER, bandwidth->high_milli, &to->upper) ||
	    !edge_at(other, EDGE_LOWER, bandwidth->low_milli, &to->lower))
		return false;
	to->order = latency->low_milli > to->upper ? ORDER_ABOVE : latency->high_milli < to->lower ? ORDER_BELOW : ORDER_UNCLEAR;
	return true;
}

static void add_ns(struct text *text, const char *before, int64_t latency_ps)
{
	text_add(text, before);
	number_add_milli(text, (latency_ps + 50) / 100 * 100);
}

/* "at 12.36 GB/s 57.1 ns (56 to 58.2) against 54 to 55.3" */
static void add_comparison(struct text *text, const struct loaded_told *curve, const struct comparison *of)
{
	const struct mem_told *latency = &curve->latency[of->point];

	text_add(text, "at ");
	reading_add_rate(text, curve->bandwidth[of->point].median_milli);
	add_ns(text, " ", latency->median_milli);
	add_ns(text, " ns (", latency->low_milli);
	add_ns(text, " to ", latency->high_milli);
	add_ns(text, ") against ", of->lower);
	add_ns(text, " to ", of->upper);
}

struct finding claim_larger_buffer_is_lower(const struct loaded_told *small, const struct loaded_told *large)
{
	unsigned below = 0, above = 0, compared = 0;
	struct comparison now, example = { .order = ORDER_UNCLEAR }; /* one that is apart, if there is any */
	struct finding finding;
	struct text text = claims_begin(&finding);

	for (unsigned i = 0; i < large->count; i++) {
		if (!compare(large, i, small, &now))
			continue;
		below += now.order == ORDER_BELOW;
		above += now.order == ORDER_ABOVE;
		if (!compared++ || now.order != ORDER_UNCLEAR)
			example = now;
	}
	if (compared < LEAST_COMPARED) {
		text_add_format(&text, "both have intervals at %u equal bandwidths only", compared);
		return finding;
	}
	if (below * 2 > compared && !above)
		finding.claim = CLAIM_SUPPORTED;
	if (above * 2 > compared && !below)
		finding.claim = CLAIM_REFUTED;
	text_add_format(&text, "of %u equal bandwidths its latency is lower at %u, higher at %u, not apart at %u; ", compared, below, above,
	                compared - below - above);
	add_comparison(&text, large, &example);
	text_add(&text, ". Theirs are one run each");
	return finding;
}

/* Spearman's; false: too few. */
static bool correlate(struct text *text, const int64_t *bandwidths, const int64_t *latencies, unsigned count, const char *of, bool *is_clear,
                      int64_t *rho_milli)
{
	if (!rank_correlation(bandwidths, latencies, count, rho_milli, is_clear)) {
		text_add_format(text, "%u delays of %s are too few", count, of);
		return false;
	}
	text_add_format(text, "over %u delays of %s: ", count, of);
	number_add_milli(text, *rho_milli);
	return true;
}

struct finding claim_latency_falls(const struct loaded_told *ours, const int64_t (*theirs)[2], unsigned count)
{
	int64_t bandwidths[LOADED_MAX_DELAYS], latencies[LOADED_MAX_DELAYS], rho_milli;
	unsigned told = 0;
	bool is_clear;
	struct finding finding;
	struct text text = claims_begin(&finding);

	for (unsigned i = 0; i < ours->count; i++)
		if (has_interval(ours, i)) {
			bandwidths[told] = ours->bandwidth[i].median_milli;
			latencies[told++] = ours->latency[i].median_milli;
		}
	text_add(&text, "rank correlation of latency with bandwidth, ");
	if (correlate(&text, bandwidths, latencies, told, "ours", &is_clear, &rho_milli) && is_clear)
		finding.claim = rho_milli < 0 ? CLAIM_SUPPORTED : CLAIM_REFUTED;
	for (unsigned i = 0; i < count; i++) {
		latencies[i] = theirs[i][0];
		bandwidths[i] = theirs[i][1];
	}
	text_add(&text, "; ");
	if (correlate(&text, bandwidths, latencies, count, "their own table", &is_clear, &rho_milli) && is_clear && rho_milli > 0)
		text_add(&text, ": it rises there, the reverse of the claim");
	return finding;
}
