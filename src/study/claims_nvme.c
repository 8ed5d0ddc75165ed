/* claims_nvme.c: the claims of edge-nvme, see claims.h. */
#include "lib/number.h"
#include "stat/rank.h"
#include "study/claims.h"

enum { MILLION = 1000000 };

#define HALF_GIGABYTE (512 * MIB)

static void add_named(struct text *text, const struct reading *reading)
{
	reading_add_shape(text, reading);
	text_add(text, ": ");
	reading_add(text, reading);
}

static bool is_single(const struct reading *reading)
{
	return reading->iodepth == 1 && reading->numjobs == 1;
}

/* One block at a time, of this size; NULL: not measured. */
static const struct reading *single_of(const struct readings *reads, uint64_t bs_bytes)
{
	for (unsigned i = 0; i < reads->count; i++)
		if (is_single(&reads->at[i]) && reads->at[i].bs_bytes == bs_bytes)
			return &reads->at[i];
	return NULL;
}

/* The quickest with an interval, one at a time, of blocks of at least that size. */
static const struct reading *best_single(const struct readings *reads, uint64_t from_bytes)
{
	const struct reading *best = NULL;

	for (unsigned i = 0; i < reads->count; i++) {
		const struct reading *reading = &reads->at[i];

		if (is_single(reading) && reading_has_interval(reading) && reading->bs_bytes >= from_bytes &&
		    (!best || reading->bandwidth_milli > best->bandwidth_milli))
			best = reading;
	}
	return best;
}

static const struct reading *smallest_single(const struct readings *reads)
{
	const struct reading *smallest = NULL;

	for (unsigned i = 0; i < reads->count; i++)
		if (is_single(&reads->at[i]) && reading_has_interval(&reads->at[i]) && (!smallest || reads->at[i].bs_bytes < smallest->bs_bytes))
			smallest = &reads->at[i];
	return smallest;
}

struct finding claim_larger_blocks(const struct readings *reads)
{
	const struct reading *smallest = smallest_single(reads), *best = best_single(reads, 0);
	static struct knee_point points[MAX_READINGS];
	unsigned count = 0;
	struct finding finding;
	struct text text = claims_begin(&finding);

	if (!smallest || (smallest == best && reads->count < 2)) {
		text_add(&text, "too few block sizes were measured");
		return finding;
	}
	finding.claim = smallest == best ? CLAIM_REFUTED : claims_of(reading_compare(best, CLEARLY_PPM, smallest));
	for (unsigned i = 0; i < reads->count; i++)
		if (is_single(&reads->at[i]))
			points[count++] = (struct knee_point){ reads->at[i].bs_bytes, reads->at[i].bandwidth_milli };
	add_named(&text, smallest);
	text_add(&text, ", ");
	add_named(&text, best);
	text_add(&text, "; 95 % of the maximum from ");
	number_add_size(&text, points[knee_of(points, count)].x);
	text_add(&text, " on");
	return finding;
}

/* Of the blocks below 0.5 GB, however many are in flight: the one that reaches 95 % of the large one's bandwidth with the least
 * block; or, when none does for sure, the quickest. */
static const struct reading *small_rival(const struct readings *reads, const struct reading *large)
{
	const struct reading *rival = NULL;
	bool reaches = false;

	for (unsigned i = 0; i < reads->count; i++) {
		const struct reading *reading = &reads->at[i];
		bool does = reading_compare(reading, KNEE_PPM, large) == ORDER_ABOVE;

		if (reading->bs_bytes >= HALF_GIGABYTE || !reading_has_interval(reading) || (reaches && !does))
			continue;
		if (!rival || (does && (!reaches || reading->bs_bytes < rival->bs_bytes)) ||
		    (!does && reading->bandwidth_milli > rival->bandwidth_milli))
			rival = reading;
		reaches = does;
	}
	return rival;
}

struct finding claim_half_gigabyte(const struct readings *reads)
{
	const struct reading *large = best_single(reads, HALF_GIGABYTE), *rival;
	struct finding finding;
	struct text text = claims_begin(&finding);

	if (!large) {
		text_add(&text, "no block of 0.5 GB was measured often enough for an interval: memory, the device's size or time forbade it");
		return finding;
	}
	rival = small_rival(reads, large);
	if (!rival) {
		text_add(&text, "no smaller block was measured");
		return finding;
	}
	finding.claim = claims_contrary(claims_of(reading_compare(rival, KNEE_PPM, large)));
	add_named(&text, large);
	text_add(&text, "; ");
	add_named(&text, rival);
	if (finding.claim == CLAIM_REFUTED) {
		text_add(&text, ": it takes bytes in flight, ");
		number_add_size(&text, reading_inflight_bytes(rival));
		text_add(&text, " here, not one large block");
	}
	return finding;
}

struct finding claim_64k_is_slow(const struct readings *reads)
{
	/* 0.09 GB/s, and a tenth to either side. */
	static const struct reading theirs = { .low_milli = 81000000000, .high_milli = 99000000000 };
	const struct reading *ours = single_of(reads, 64 * KIB);
	struct finding finding;
	struct text text = claims_begin(&finding);

	if (!ours) {
		text_add(&text, "64k was not measured; ");
	} else {
		if (reading_compare(ours, MILLION, &theirs) != ORDER_UNCLEAR)
			finding.claim = CLAIM_REFUTED;
		else if (reading_has_interval(ours) && ours->low_milli >= theirs.low_milli && ours->high_milli <= theirs.high_milli)
			finding.claim = CLAIM_SUPPORTED;
		add_named(&text, ours);
		text_add(&text, "; ");
	}
	text_add(&text, "its own plot has 1.01 GB/s there, and 0.09 at 2k");
	return finding;
}

struct finding claim_bus_maximum(const struct readings *reads, const struct own_limit *own)
{
	static const uint64_t low = 3600000000, high = 4400000000; /* about 4 GB/s */
	const struct reading *best = NULL;
	struct finding finding;
	struct text text = claims_begin(&finding);

	for (unsigned i = 0; i < reads->count; i++)
		if (!best || reads->at[i].bandwidth_milli > best->bandwidth_milli)
			best = &reads->at[i];
	if (!limiter_is_believed(reads, own) || !text_starts(own->words, "PCIe")) {
		finding.claim = CLAIM_NOT_COMPARABLE;
		text_add(&text, own->bytes_per_s && best ? "the link that is told is no real one, it was exceeded" : "no PCIe link is known here");
		return finding;
	}
	finding.claim = own->bytes_per_s >= low && own->bytes_per_s <= high ? CLAIM_SUPPORTED : CLAIM_REFUTED;
	text_add_format(&text, "%s does ", own->words);
	reading_add_rate(&text, (int64_t)own->bytes_per_s * 1000);
	if (own->could[0])
		text_add_format(&text, ", though both ends can %s", own->could);
	if (best) {
		text_add(&text, "; the most that was read is ");
		reading_add_rate(&text, best->bandwidth_milli);
	}
	return finding;
}

struct finding claim_busier_is_quicker(const int64_t *bandwidths, const int64_t *times, unsigned count)
{
	int64_t rho_milli;
	bool is_clear;
	struct finding finding;
	struct text text = claims_begin(&finding);

	if (!rank_correlation(bandwidths, times, count, &rho_milli, &is_clear)) {
		text_add_format(&text, "%u settings are too few", count);
		return finding;
	}
	if (is_clear)
		finding.claim = rho_milli < 0 ? CLAIM_SUPPORTED : CLAIM_REFUTED;
	text_add(&text, "rank correlation of a setting's bandwidth with the time to load: ");
	number_add_milli(&text, rho_milli);
	text_add_format(&text, " over %u settings", count);
	return finding;
}
