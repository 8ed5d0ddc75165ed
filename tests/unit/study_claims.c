/* study_claims.c: every claim of the storage studies, each way it can be judged: by the study's own figures first. */
#include "study/claims.h"

#include "study_readings.h"
#include "test.h"

static const struct own_limit none = { .bytes_per_s = 0 };

static bool has(const struct finding *finding, const char *part)
{
	if (!text_find(finding->text, part))
		printf("# %s\n", finding->text);
	return text_find(finding->text, part);
}

#define judged(finding, expected) check_equal((finding).claim, expected)

/* ---- edge-nvme ---- */

test(larger_blocks_use_the_bus_better_in_their_own_data)
{
	struct finding finding;

	add_nvme_study();
	finding = claim_larger_blocks(&readings);
	judged(finding, CLAIM_SUPPORTED);
	check(has(&finding, "2k: 90 MB/s"));
	check(has(&finding, "4g: 3.82 GB/s (3.78 to 3.86)"));
	check(has(&finding, "95 % of the maximum from 128m on"));
}

test(larger_blocks_that_bring_nothing_refute_it)
{
	struct finding finding;

	readings.count = 0;
	add(4 * KIB, 1, 1, 300);
	add(64 * KIB, 1, 1, 290);
	finding = claim_larger_blocks(&readings);
	judged(finding, CLAIM_REFUTED);
	readings.count = 0;
	add(4 * KIB, 1, 1, 300);
	add(64 * KIB, 1, 1, 302);
	finding = claim_larger_blocks(&readings);
	judged(finding, CLAIM_REFUTED); /* apart from the 5 % that count */
	readings.at[1].high_milli = 400 * MB;
	finding = claim_larger_blocks(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	readings.count = 1;
	finding = claim_larger_blocks(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
}

/* Of 3820, 95 % are 3629: 128m has 3725, 1 % less is 3688, while 1 % more than 3820 times 0.95 is 3665. */
test(half_a_gigabyte_is_refuted_by_128m)
{
	struct finding finding;

	add_nvme_study();
	finding = claim_half_gigabyte(&readings);
	judged(finding, CLAIM_REFUTED);
	check(has(&finding, "128m: 3.73 GB/s"));
	check(has(&finding, "bytes in flight, 128m here"));
}

test(and_by_64k_with_256_in_flight)
{
	struct finding finding;

	add_nvme_study();
	add(64 * KIB, 32, 8, 3863);
	finding = claim_half_gigabyte(&readings);
	judged(finding, CLAIM_REFUTED);
	check(has(&finding, "64k x 32 x 8: 3.86 GB/s"));
	check(has(&finding, "bytes in flight, 16m here"));
}

test(half_a_gigabyte_is_supported_where_nothing_smaller_comes_near)
{
	struct finding finding;

	readings.count = 0;
	add(4 * KIB, 1, 1, 100);
	add(128 * MIB, 1, 1, 2000);
	add(512 * MIB, 1, 1, 3800);
	finding = claim_half_gigabyte(&readings);
	judged(finding, CLAIM_SUPPORTED);
	readings.at[1].high_milli = 3700 * MB;
	finding = claim_half_gigabyte(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
}

test(without_a_block_of_that_size_nothing_is_said)
{
	struct finding finding;

	readings.count = 0;
	add(4 * KIB, 1, 1, 100);
	add(256 * MIB, 1, 1, 3800);
	finding = claim_half_gigabyte(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	check(has(&finding, "no block of 0.5 GB"));
	add(512 * MIB, 1, 1, 3800)->low_milli = VALUE_NONE;
	finding = claim_half_gigabyte(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
}

test(their_own_plot_refutes_64k_at_0_09)
{
	struct finding finding;

	add_nvme_study();
	finding = claim_64k_is_slow(&readings);
	judged(finding, CLAIM_REFUTED);
	check(has(&finding, "64k: 1.01 GB/s"));
	check(has(&finding, "0.09 at 2k"));
	readings.count = 0;
	add(64 * KIB, 1, 1, 90);
	finding = claim_64k_is_slow(&readings);
	judged(finding, CLAIM_SUPPORTED);
	readings.at[0].high_milli = 120 * MB;
	finding = claim_64k_is_slow(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	readings.count = 0;
	finding = claim_64k_is_slow(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
}

test(four_gigabytes_are_gen3s_maximum_and_half_of_gen4s)
{
	const struct own_limit gen3 = { 3938461538, "PCIe 8.0 GT/s x4", "16.0 GT/s PCIe x4" }, gen4 = { 7876923076, "PCIe 16.0 GT/s x4", "" };
	const struct own_limit emmc = { 400000000, "mmc HS400", "" };
	struct finding finding;

	add_nvme_study();
	finding = claim_bus_maximum(&readings, &gen3);
	judged(finding, CLAIM_SUPPORTED);
	check(has(&finding, "PCIe 8.0 GT/s x4 does 3.94 GB/s, though both ends can 16.0 GT/s PCIe x4; the most that was read is 3.82 GB/s"));
	finding = claim_bus_maximum(&readings, &gen4);
	judged(finding, CLAIM_REFUTED);
	check(has(&finding, "7.88 GB/s"));
	finding = claim_bus_maximum(&readings, &none);
	judged(finding, CLAIM_NOT_COMPARABLE);
	finding = claim_bus_maximum(&readings, &emmc);
	judged(finding, CLAIM_NOT_COMPARABLE);
}

test(a_busier_bus_loads_quicker_where_times_fall_with_bandwidth)
{
	const int64_t bandwidth[] = { 90, 175, 1010, 2105, 2960, 3820 }, falls[] = { 11900, 6100, 1063, 510, 363, 281 };
	const int64_t rises[] = { 1, 2, 3, 4, 5, 6 }, mixed[] = { 3, 5, 1, 6, 2, 4 };
	struct finding finding = claim_busier_is_quicker(bandwidth, falls, 6);

	judged(finding, CLAIM_SUPPORTED);
	check(has(&finding, "-1 over 6 settings"));
	finding = claim_busier_is_quicker(bandwidth, rises, 6);
	judged(finding, CLAIM_REFUTED);
	finding = claim_busier_is_quicker(bandwidth, mixed, 6);
	judged(finding, CLAIM_CANNOT_TELL);
	finding = claim_busier_is_quicker(bandwidth, falls, 3);
	judged(finding, CLAIM_CANNOT_TELL);
}

/* ---- edge-emmc ---- */

static void add_row(uint64_t bs_bytes, const int64_t *hundredths, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		add(bs_bytes, 1, 1, 1)->bandwidth_milli = hundredths[i] * (MB / 100);
}

static const int64_t emmc[5][6] = {
	{ 350, 380, 405, 410, 400, 410 }, { 4960, 5550, 5490, 5538, 5560, 5480 }, { 21425, 22800, 22175, 21925, 22000, 22150 },
	{ 25600, 27350, 27375, 27524, 26675, 27760 }, { 27260, 27760, 27850, 28250, 26825, 29000 },
};

static void add_emmc_study(void)
{
	static const uint64_t sizes[] = { KIB, 16 * KIB, 256 * KIB, 4096 * KIB, 64000 * KIB };

	readings.count = 0;
	for (unsigned i = 0; i < 5; i++)
		add_row(sizes[i], emmc[i], 6);
}

/* The medians of the last two rows are 273.63 and 278.05: 1.6 % apart. */
test(their_own_table_is_flat_from_4m)
{
	struct finding finding;

	add_emmc_study();
	finding = claim_flat_from_4m(&readings);
	judged(finding, CLAIM_SUPPORTED);
	check(has(&finding, "4m: 274 MB/s (256 MB/s to 278 MB/s, n=6)"));
	check(has(&finding, "64000k: 278 MB/s (268 MB/s to 290 MB/s, n=6)"));
}

test(a_curve_that_rises_beyond_4m_is_not_flat)
{
	struct finding finding;
	const int64_t quick[] = { 40000, 41000, 40500 }, wide[] = { 27000, 30000, 40000 };

	add_emmc_study();
	readings.count = 24;
	add_row(64000 * KIB, quick, 3);
	finding = claim_flat_from_4m(&readings);
	judged(finding, CLAIM_REFUTED);
	readings.count = 24;
	add_row(64000 * KIB, wide, 3);
	finding = claim_flat_from_4m(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	readings.count = 24;
	finding = claim_flat_from_4m(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	check(has(&finding, "too few transfers"));
}

test(beyond_64m_needs_a_larger_block)
{
	const int64_t same[] = { 28000, 28100, 27900, 28200 }, more[] = { 38000, 38100, 37900, 38200 };
	struct finding finding;

	add_emmc_study();
	finding = claim_nothing_beyond_64m(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	add_row(256 * MIB, same, 4);
	finding = claim_nothing_beyond_64m(&readings);
	judged(finding, CLAIM_SUPPORTED);
	readings.count = 30;
	add_row(256 * MIB, more, 4);
	finding = claim_nothing_beyond_64m(&readings);
	judged(finding, CLAIM_REFUTED);
}

/* Its widest row is the first: 3.50 to 4.10 are 15 % of the median 4.03. */
test(the_transfer_size_matters_little_in_their_own_table)
{
	struct finding finding;

	add_emmc_study();
	finding = claim_transfer_matters_little(&readings);
	judged(finding, CLAIM_SUPPORTED);
	check(has(&finding, "of 5 block sizes 0 vary"));
	check(has(&finding, "at most by 15 %, at 1k"));
}

test(it_matters_where_most_rows_spread)
{
	const int64_t spread[] = { 10000, 15000, 20000 };
	struct finding finding;

	readings.count = 0;
	add_row(KIB, spread, 3);
	add_row(16 * KIB, spread, 3);
	add_row(4 * MIB, emmc[3], 6);
	finding = claim_transfer_matters_little(&readings);
	judged(finding, CLAIM_REFUTED);
	readings.count = 0;
	add_row(KIB, spread, 3);
	add_row(256 * KIB, emmc[2], 6);
	add_row(4 * MIB, emmc[3], 6);
	finding = claim_transfer_matters_little(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	readings.count = 9;
	finding = claim_transfer_matters_little(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	check(has(&finding, "only 2 block sizes"));
}

test(a_transfer_that_was_cut_short_is_no_transfer)
{
	struct finding finding;

	add_emmc_study();
	for (unsigned i = 18; i < 24; i++)
		readings.at[i].whole = false;
	finding = claim_flat_from_4m(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
}

/* ---- laptop-fio ---- */

static struct reading *add_laptop(enum block_rw rw, uint64_t size_bytes, unsigned iodepth, int64_t mb_per_s, int64_t inflight_milli)
{
	struct reading *reading = add(4 * KIB, iodepth, 1, mb_per_s);

	reading->rw = rw;
	reading->size_bytes = size_bytes;
	reading->iops_milli = reading->bandwidth_milli / 4096;
	reading->inflight_milli = inflight_milli;
	return reading;
}

test(a_deeper_queue_that_was_held_brings_more)
{
	struct finding finding;

	readings.count = 0;
	add_laptop(BLOCK_RANDREAD, 256 * MIB, 1, 300, 990);
	finding = claim_deeper_is_quicker(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	add_laptop(BLOCK_RANDREAD, 256 * MIB, 16, 1200, 15900);
	finding = claim_deeper_is_quicker(&readings);
	judged(finding, CLAIM_SUPPORTED);
	check(has(&finding, "15.9 in flight"));
	check(has(&finding, "0.78 in flight"));
	readings.count = 1;
	add_laptop(BLOCK_RANDREAD, 256 * MIB, 16, 301, 15900);
	finding = claim_deeper_is_quicker(&readings);
	judged(finding, CLAIM_REFUTED);
}

test(small_files_are_not_slow_when_16m_is_as_quick)
{
	struct finding finding;

	readings.count = 0;
	finding = claim_small_files_are_slow(&readings);
	judged(finding, CLAIM_CANNOT_TELL);
	check(has(&finding, "one I/O"));
	add_laptop(BLOCK_RANDRW, 256 * MIB, 4, 304, 3900);
	add_laptop(BLOCK_RANDRW, 16 * MIB, 4, 317, 3900);
	finding = claim_small_files_are_slow(&readings);
	judged(finding, CLAIM_REFUTED);
	readings.count = 1;
	add_laptop(BLOCK_RANDRW, 16 * MIB, 4, 100, 3900);
	finding = claim_small_files_are_slow(&readings);
	judged(finding, CLAIM_SUPPORTED);
}

test(an_enterprise_drive_is_not_comparable)
{
	struct finding finding;

	readings.count = 0;
	add_laptop(BLOCK_RANDREAD, 256 * MIB, 16, 304, 15900);
	finding = claim_far_below_enterprise(&readings);
	judged(finding, CLAIM_NOT_COMPARABLE);
	check(has(&finding, "the most here: 74219 IOPS"));
}
