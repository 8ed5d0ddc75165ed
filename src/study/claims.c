/* claims.c: see claims.h. */
#include "lib/number.h"
#include "lib/wide.h"
#include "stat/rank.h"
#include "stat/summary.h"
#include "study/claims.h"
#include "study/knee.h"

enum {
	MILLION = 1000000,
	CLEARLY_PPM = 1050000,       /* of another: a difference that counts */
	KNEE_PPM = KNEE_PERCENT * 10000,
	LITTLE_PPM = 200000,         /* as SNIA's bound on the spread in the steady state */
	LEAST_ROW = 3,
	MAX_ROWS = 16,
};

#define HALF_GIGABYTE (512 * MIB)
#define DD_BIG (64000 * KIB)         /* dd's bs=64000k, that the study calls 64 MB */

/* SUPPORTED when above, REFUTED when below. */
static enum claim claim_of(enum order order)
{
	return order == ORDER_ABOVE ? CLAIM_SUPPORTED : order == ORDER_BELOW ? CLAIM_REFUTED : CLAIM_CANNOT_TELL;
}

static enum claim contrary(enum claim claim)
{
	return claim == CLAIM_SUPPORTED ? CLAIM_REFUTED : claim == CLAIM_REFUTED ? CLAIM_SUPPORTED : claim;
}

static struct text begin(struct finding *finding)
{
	finding->claim = CLAIM_CANNOT_TELL;
	return text_in(finding->text, sizeof finding->text);
}

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

/* ---- edge-nvme ---- */

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
	struct text text = begin(&finding);

	if (!smallest || (smallest == best && reads->count < 2)) {
		text_add(&text, "too few block sizes were measured");
		return finding;
	}
	finding.claim = smallest == best ? CLAIM_REFUTED : claim_of(reading_compare(best, CLEARLY_PPM, smallest));
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
	struct text text = begin(&finding);

	if (!large) {
		text_add(&text, "no block of 0.5 GB was measured often enough for an interval: memory, the device's size or time forbade it");
		return finding;
	}
	rival = small_rival(reads, large);
	if (!rival) {
		text_add(&text, "no smaller block was measured");
		return finding;
	}
	finding.claim = contrary(claim_of(reading_compare(rival, KNEE_PPM, large)));
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
	struct text text = begin(&finding);

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
	struct text text = begin(&finding);

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
	struct text text = begin(&finding);

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

/* ---- edge-emmc ---- */

/* A row of the table: one block size over the transfer sizes, those that were transferred whole. */
struct row {
	uint64_t bs_bytes;
	struct summary summary;
	int64_t low, high;      /* the interval of the median; below 6 transfers all of them */
};

static void take_row(const struct readings *reads, uint64_t bs_bytes, struct row *row)
{
	static struct samples samples;

	samples_clear(&samples);
	for (unsigned i = 0; i < reads->count; i++)
		if (reads->at[i].bs_bytes == bs_bytes && reads->at[i].whole)
			samples_add(&samples, reads->at[i].bandwidth_milli);
	row->bs_bytes = bs_bytes;
	summary_of(&samples, &row->summary);
	row->low = row->summary.has_interval ? row->summary.low : row->summary.min;
	row->high = row->summary.has_interval ? row->summary.high : row->summary.max;
}

static void add_row(struct text *text, const struct row *row)
{
	number_add_size(text, row->bs_bytes);
	text_add(text, ": ");
	reading_add_rate(text, row->summary.median);
	text_add(text, " (");
	reading_add_rate(text, row->low);
	text_add(text, " to ");
	reading_add_rate(text, row->high);
	text_add_format(text, ", n=%u)", row->summary.count);
}

/* Does the larger block bring no more?  Only where the rows lie apart by what counts, or their medians do not. */
static struct finding adds_nothing(const struct row *small, const struct row *large)
{
	struct finding finding;
	struct text text = begin(&finding);

	if (small->summary.count < LEAST_ROW || large->summary.count < LEAST_ROW) {
		text_add(&text, "too few transfers of these block sizes were measured");
		return finding;
	}
	if ((__int128)large->low * MILLION > (__int128)small->high * CLEARLY_PPM)
		finding.claim = CLAIM_REFUTED;
	else if ((__int128)large->summary.median * MILLION <= (__int128)small->summary.median * CLEARLY_PPM)
		finding.claim = CLAIM_SUPPORTED;
	add_row(&text, small);
	text_add(&text, ", ");
	add_row(&text, large);
	return finding;
}

struct finding claim_flat_from_4m(const struct readings *reads)
{
	static struct row small, large;

	take_row(reads, 4 * MIB, &small);
	take_row(reads, DD_BIG, &large);
	return adds_nothing(&small, &large);
}

struct finding claim_nothing_beyond_64m(const struct readings *reads)
{
	static struct row small, large;
	uint64_t beyond_bytes = 0;

	for (unsigned i = 0; i < reads->count; i++)
		if (reads->at[i].bs_bytes > DD_BIG && reads->at[i].bs_bytes > beyond_bytes)
			beyond_bytes = reads->at[i].bs_bytes;
	take_row(reads, DD_BIG, &small);
	take_row(reads, beyond_bytes, &large);
	return adds_nothing(&small, &large);
}

/* The block sizes of the readings, each once. */
static unsigned block_sizes(const struct readings *reads, uint64_t sizes[MAX_ROWS])
{
	unsigned count = 0;

	for (unsigned i = 0; i < reads->count; i++) {
		unsigned at = 0;

		while (at < count && sizes[at] != reads->at[i].bs_bytes)
			at++;
		if (at == count && count < MAX_ROWS)
			sizes[count++] = reads->at[i].bs_bytes;
	}
	return count;
}

static uint64_t spread_ppm(const struct row *row)
{
	return (uint64_t)wide_divide((unsigned __int128)(uint64_t)(row->summary.max - row->summary.min) * MILLION,
	                             (unsigned __int128)(uint64_t)row->summary.median).whole;
}

struct finding claim_transfer_matters_little(const struct readings *reads)
{
	static struct row row;
	uint64_t sizes[MAX_ROWS], widest_ppm = 0, widest_bytes = 0;
	unsigned count = block_sizes(reads, sizes), rows = 0, wide = 0;
	struct finding finding;
	struct text text = begin(&finding);

	for (unsigned i = 0; i < count; i++) {
		take_row(reads, sizes[i], &row);
		if (row.summary.count < LEAST_ROW || row.summary.median <= 0)
			continue;
		rows++;
		wide += spread_ppm(&row) > LITTLE_PPM;
		if (spread_ppm(&row) >= widest_ppm) {
			widest_ppm = spread_ppm(&row);
			widest_bytes = sizes[i];
		}
	}
	if (rows < LEAST_ROW) {
		text_add_format(&text, "only %u block sizes have three transfer sizes or more", rows);
		return finding;
	}
	finding.claim = !wide ? CLAIM_SUPPORTED : wide > rows / 2 ? CLAIM_REFUTED : CLAIM_CANNOT_TELL;
	text_add_format(&text, "of %u block sizes %u vary by more than 20 %% over the transfer sizes, at most by %llu %%, at ", rows, wide,
	                (unsigned long long)(widest_ppm + 5000) / 10000);
	number_add_size(&text, widest_bytes);
	return finding;
}

/* ---- laptop-fio ---- */

static const struct reading *laptop_reading(const struct readings *all, enum block_rw rw, uint64_t size_bytes, unsigned iodepth)
{
	for (unsigned i = 0; i < all->count; i++)
		if (all->at[i].rw == rw && all->at[i].size_bytes == size_bytes && all->at[i].iodepth == iodepth)
			return &all->at[i];
	return NULL;
}

static void add_iops(struct text *text, const struct reading *reading)
{
	number_add_milli(text, (reading->iops_milli + 500) / 1000 * 1000);
	text_add(text, " IOPS, ");
	number_add_milli(text, (reading->inflight_milli + 5) / 10 * 10);
	text_add(text, " in flight");
}

struct finding claim_deeper_is_quicker(const struct readings *all)
{
	const struct reading *shallow = laptop_reading(all, BLOCK_RANDREAD, 256 * MIB, 1);
	const struct reading *deep = laptop_reading(all, BLOCK_RANDREAD, 256 * MIB, 16);
	struct finding finding;
	struct text text = begin(&finding);

	if (!shallow || !deep) {
		text_add(&text, "depths 1 and 16 were not both measured");
		return finding;
	}
	finding.claim = claim_of(reading_compare(deep, CLEARLY_PPM, shallow));
	text_add(&text, "depth 1: ");
	add_iops(&text, shallow);
	text_add(&text, "; depth 16: ");
	add_iops(&text, deep);
	text_add(&text, ". Theirs never was deep: 74.2k IOPS x 10.49 us are 0.78 in flight");
	return finding;
}

struct finding claim_small_files_are_slow(const struct readings *all)
{
	const struct reading *small = laptop_reading(all, BLOCK_RANDRW, 16 * MIB, 4), *large = laptop_reading(all, BLOCK_RANDRW, 256 * MIB, 4);
	struct finding finding;
	struct text text = begin(&finding);

	if (!small || !large) {
		text_add(&text, "16m and 256m were not both measured. ");
	} else {
		finding.claim = contrary(claim_of(reading_compare(small, KNEE_PPM, large)));
		text_add(&text, "16m: ");
		add_iops(&text, small);
		text_add(&text, "; 256m: ");
		add_iops(&text, large);
		text_add(&text, ". ");
	}
	text_add(&text, "Their 1000 IOPS of 4k is one I/O, no rate");
	return finding;
}

struct finding claim_far_below_enterprise(const struct readings *all)
{
	const struct reading *best = NULL;
	struct finding finding;
	struct text text = begin(&finding);

	finding.claim = CLAIM_NOT_COMPARABLE;
	for (unsigned i = 0; i < all->count; i++)
		if (all->at[i].rw == BLOCK_RANDREAD && (!best || all->at[i].iops_milli > best->iops_milli))
			best = &all->at[i];
	text_add(&text, "400k is a data sheet's figure at another depth, 1000 is one I/O");
	if (best) {
		text_add(&text, "; the most here: ");
		add_iops(&text, best);
	}
	return finding;
}
