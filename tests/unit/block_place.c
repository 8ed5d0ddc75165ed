/* Tests of block/place.c and block/zipf.c: where blocks lie, and how often. */
#include "test.h"

#include "block/place.h"
#include "capacity.h"

enum { BS = 4096, MOST = 100000 };

static struct block_place place;
static struct zipf zipf;
static unsigned seen[MOST];

static struct block_job job_of(enum block_rw rw, uint64_t blocks)
{
	return (struct block_job){ .rw = rw, .bs_bytes = BS, .offset_bytes = 8192, .size_bytes = blocks * BS, .seed = 5, .rwmixread = 70 };
}

/* Takes all that are left, or so many; false when one lies outside, or is no block of the region. */
static bool take(const struct block_job *job, uint64_t count)
{
	while (place.left && count--) {
		uint64_t at = place_next(&place).offset_bytes - job->offset_bytes;

		if (at % job->bs_bytes || at / job->bs_bytes >= place_blocks(job))
			return false;
		seen[at / job->bs_bytes]++;
	}
	return true;
}

static bool all_seen(uint64_t blocks, unsigned times)
{
	for (uint64_t i = 0; i < blocks; i++)
		if (seen[i] != times)
			return false;
	return true;
}

test(each_block_comes_once_in_every_order_and_number)
{
	static const uint64_t numbers[] = { 1, 2, 3, 5, 8, 17, 100, 255, 256, 257, 1000, 4099, 65536, 99991 };

	for (enum block_rw rw = BLOCK_READ; rw <= BLOCK_RANDRW; rw++)
		for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
			struct block_job job = job_of(rw, numbers[i]);

			if (rw == BLOCK_RW)
				continue;
			memset(seen, 0, sizeof seen);
			place_prepare(&place, &job, 0, NULL);
			check(take(&job, UINT64_MAX));
			check(all_seen(numbers[i], 1));
		}
}

test(jobs_together_take_each_block_once)
{
	for (unsigned jobs = 2; jobs <= 7; jobs++) {
		struct block_job job = job_of(BLOCK_RANDREAD, 1000);

		job.numjobs = jobs;
		memset(seen, 0, sizeof seen);
		for (unsigned i = 0; i < jobs; i++) {
			place_prepare(&place, &job, i, NULL);
			check(place.left >= 1000 / jobs && place.left <= 1000 / jobs + 1);
			check(take(&job, UINT64_MAX));
		}
		check(all_seen(1000, 1));
	}
}

test(every_pass_takes_each_block_once_in_another_order)
{
	struct block_job job = job_of(BLOCK_RANDREAD, 1000);
	uint64_t first[1000];
	unsigned same = 0;

	job.runtime_ns = 1;
	memset(seen, 0, sizeof seen);
	place_prepare(&place, &job, 0, NULL);
	for (unsigned pass = 0; pass < 3; pass++) {
		for (unsigned i = 0; i < 1000; i++) {
			uint64_t at = (place_next(&place).offset_bytes - 8192) / BS;

			seen[at]++;
			same += pass && first[i] == at;
			first[i] = pass ? first[i] : at;
		}
		check(all_seen(1000, pass + 1));
	}
	check(same < 20); /* 2 are to be expected */
}

/* From one place to the next it is a third of the way on average, and every second time it goes back. */
test(order_has_no_order)
{
	struct block_job job = job_of(BLOCK_RANDREAD, 50000);
	uint64_t before = 25000, way = 0, back = 0, near = 0;

	place_prepare(&place, &job, 0, NULL);
	for (unsigned i = 0; i < 50000; i++) {
		uint64_t at = (place_next(&place).offset_bytes - 8192) / BS, step = at > before ? at - before : before - at;

		way += step;
		back += at < before;
		near += step < 500;
		before = at;
	}
	check(way / 50000 > 15700 && way / 50000 < 17700);
	check(back > 24000 && back < 26000);
	check(near > 600 && near < 1400); /* 995 are to be expected */
}

test(seeds_make_different_orders)
{
	struct block_job job = job_of(BLOCK_RANDREAD, 10000);
	static uint64_t first[10000];
	unsigned same = 0;

	place_prepare(&place, &job, 0, NULL);
	for (unsigned i = 0; i < 10000; i++)
		first[i] = place_next(&place).offset_bytes;
	job.seed = 6;
	place_prepare(&place, &job, 0, NULL);
	for (unsigned i = 0; i < 10000; i++)
		same += place_next(&place).offset_bytes == first[i];
	check(same < 10);
}

test(shorter_block_at_the_end_is_taken_once_through_and_never_else)
{
	struct block_job job = job_of(BLOCK_RANDREAD, 10);
	uint64_t short_ones = 0;

	job.size_bytes += 512;
	check_equal(place_blocks(&job), 11);
	place_prepare(&place, &job, 0, NULL);
	while (place.left) {
		uint64_t at = place_next(&place).offset_bytes;

		short_ones += place_bytes(&place, at) == 512;
		check(place_bytes(&place, at) == (at == 8192 + 10 * BS ? 512 : BS));
	}
	check_equal(short_ones, 1);
	job.runtime_ns = 1;
	check_equal(place_blocks(&job), 10);
	place_prepare(&place, &job, 0, NULL);
	for (unsigned i = 0; i < 100; i++)
		check_equal(place_bytes(&place, place_next(&place).offset_bytes), BS);
}

test(jobs_in_sequence_begin_at_their_part_and_wrap)
{
	struct block_job job = job_of(BLOCK_READ, 10);

	job.runtime_ns = 1;
	job.numjobs = 4;
	place_prepare(&place, &job, 3, NULL);
	for (unsigned i = 0; i < 25; i++)
		check_equal(place_next(&place).offset_bytes, 8192 + (7 + i) % 10 * BS);
}

test(limit_is_shared_to_the_last_one)
{
	struct block_job job = job_of(BLOCK_READ, 10);
	uint64_t sum = 0;

	job.runtime_ns = 1;
	job.numjobs = 4;
	job.limit_ios = 1003;
	for (unsigned i = 0; i < 4; i++) {
		place_prepare(&place, &job, i, NULL);
		sum += place.left;
	}
	check_equal(sum, 1003);
}

test(sides_mix_as_asked_and_each_goes_on_where_it_was)
{
	struct block_job job = job_of(BLOCK_RW, 1000);
	uint64_t next[2] = { 0, 0 }, count[2] = { 0, 0 };

	job.runtime_ns = 1;
	place_prepare(&place, &job, 0, NULL);
	for (unsigned i = 0; i < 100000; i++) {
		struct block_at at = place_next(&place);

		check_equal(at.offset_bytes, 8192 + next[at.write] * BS);
		next[at.write] = (next[at.write] + 1) % 1000;
		count[at.write]++;
	}
	check(count[0] > 69000 && count[0] < 71000); /* 70000, deviation 145 */
	job.rwmixread = 100;
	place_prepare(&place, &job, 0, NULL);
	for (unsigned i = 0; i < 1000; i++)
		check(!place_next(&place).write);
	job.rwmixread = 0;
	place_prepare(&place, &job, 0, NULL);
	for (unsigned i = 0; i < 1000; i++)
		check(place_next(&place).write);
}

test(without_a_map_any_block_comes_at_any_time)
{
	struct block_job job = job_of(BLOCK_RANDREAD, 100);

	job.runtime_ns = 1;
	job.norandommap = true;
	memset(seen, 0, sizeof seen);
	place_prepare(&place, &job, 0, NULL);
	check(take(&job, 100000));
	for (unsigned i = 0; i < 100; i++)
		check(seen[i] > 800 && seen[i] < 1200); /* 1000, deviation 31 */
}

/* ---- zipf ---- */

static double root_of(double square)
{
	double root = square;

	for (unsigned i = 0; i < 60; i++)
		root = (root + square / root) / 2;
	return root;
}

static double weight_of(uint64_t rank, uint32_t theta_milli)
{
	double r = (double)rank;

	switch (theta_milli) {
	case 0:
		return 1;
	case 500:
		return 1 / root_of(r);
	case 1000:
		return 1 / r;
	case 1500:
		return 1 / (r * root_of(r));
	default:
		return 1 / (r * r);
	}
}

static const uint32_t thetas[] = { 0, 500, 1000, 1500, 2000 };

test(zipf_ranges_have_their_share_of_the_exact_law)
{
	for (unsigned t = 0; t < sizeof thetas / sizeof *thetas; t++) {
		double total = 0, worst = 0;

		zipf_prepare(&zipf, MOST, thetas[t]);
		for (uint64_t rank = 1; rank <= MOST; rank++)
			total += weight_of(rank, thetas[t]);
		for (unsigned i = 1; i < zipf.ranges; i++) {
			double share = (double)(zipf.up_to[i] - zipf.up_to[i - 1]) / (double)zipf.total, exact = 0;
			uint64_t low, high;

			histogram_bounds(i, &low, &high);
			for (uint64_t rank = low; rank <= high && rank <= MOST; rank++)
				exact += weight_of(rank, thetas[t]) / total;
			worst = share / exact - 1 > worst ? share / exact - 1 : 1 - share / exact > worst ? 1 - share / exact : worst;
		}
		check(worst < 0.0003);
	}
}

test(zipf_draws_ranks_as_often_as_the_exact_law_does)
{
	struct random random;

	random_seed(&random, 1);
	for (unsigned t = 0; t < sizeof thetas / sizeof *thetas; t++) {
		double total = 0;

		memset(seen, 0, sizeof seen);
		zipf_prepare(&zipf, 1000, thetas[t]);
		for (unsigned i = 0; i < 200000; i++) {
			uint64_t rank = zipf_next(&zipf, &random);

			check(rank < 1000);
			seen[rank]++;
		}
		for (uint64_t rank = 1; rank <= 1000; rank++)
			total += weight_of(rank, thetas[t]);
		for (uint64_t rank = 1; rank <= 1000; rank = rank < 10 ? rank + 1 : rank * 2) {
			double wanted = weight_of(rank, thetas[t]) / total * 200000, off = (double)seen[rank - 1] - wanted;

			check(off * off < 30 * wanted + 30); /* five deviations and a half */
		}
	}
}

test(zipf_of_few_and_of_very_many)
{
	struct random random;

	random_seed(&random, 1);
	zipf_prepare(&zipf, 1, 1200);
	for (unsigned i = 0; i < 100; i++)
		check_equal(zipf_next(&zipf, &random), 0);
	zipf_prepare(&zipf, ZIPF_MAX_COUNT, 4000);
	check(zipf.total > 0 && zipf.ranges == HISTOGRAM_BUCKETS);
	zipf_prepare(&zipf, ZIPF_MAX_COUNT, 0);
	for (unsigned i = 0; i < 1000; i++)
		check(zipf_next(&zipf, &random) < ZIPF_MAX_COUNT);
}

/* The most wanted block is not the first one, and it is wanted as often as its rank says. */
test(ranks_are_strewn_over_the_region)
{
	struct block_job job = job_of(BLOCK_RANDREAD, 1000);
	unsigned most = 0;

	job.runtime_ns = 1;
	job.distribution = BLOCK_ZIPF;
	zipf_prepare(&zipf, 1000, 1000);
	memset(seen, 0, sizeof seen);
	place_prepare(&place, &job, 0, &zipf);
	check(take(&job, 100000));
	for (unsigned i = 0; i < 1000; i++)
		most = seen[i] > seen[most] ? i : most;
	check(most != 0);
	check(seen[most] > 12800 && seen[most] < 13900); /* 1 in 7.485 */
}
