/* claims_laptop.c: the claims of laptop-fio, see claims.h. */
#include "lib/number.h"
#include "study/claims.h"

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
	struct text text = claims_begin(&finding);

	if (!shallow || !deep) {
		text_add(&text, "depths 1 and 16 were not both measured");
		return finding;
	}
	finding.claim = claims_of(reading_compare(deep, CLEARLY_PPM, shallow));
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
	struct text text = claims_begin(&finding);

	if (!small || !large) {
		text_add(&text, "16m and 256m were not both measured. ");
	} else {
		finding.claim = claims_contrary(claims_of(reading_compare(small, KNEE_PPM, large)));
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
	struct text text = claims_begin(&finding);

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
