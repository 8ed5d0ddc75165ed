/* claims_emmc.c: the claims of edge-emmc, over the rows of its table, see claims.h. */
#include "lib/number.h"
#include "lib/wide.h"
#include "stat/summary.h"
#include "study/claims.h"

enum {
	MILLION = 1000000,
	LITTLE_PPM = 200000,         /* as SNIA's bound on the spread in the steady state */
	LEAST_ROW = 3,
	MAX_ROWS = 16,
};

#define DD_BIG (64000 * KIB)         /* dd's bs=64000k, that the study calls 64 MB */

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
	struct text text = claims_begin(&finding);

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
	struct text text = claims_begin(&finding);

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
