/* study_limiter.c: which limit binds, each on a curve made for it, and the sentence that says so. */
#include "study/limiter.h"

#include "study_readings.h"
#include "test.h"

static char sentence[240];
static const struct own_limit unknown = { .bytes_per_s = 0 };
static const struct own_limit gen3 = { 3938461538, "PCIe 8.0 GT/s x4", "" }, gen4 = { 7876923076, "PCIe 16.0 GT/s x4", "" };

static enum limiter find(const struct own_limit *own, uint64_t bound_bytes_per_s)
{
	struct text text = TEXT(sentence);

	return limiter_find(&readings, own, bound_bytes_per_s, &text);
}

static bool says(const char *part)
{
	if (!text_find(sentence, part))
		printf("# %s\n", sentence);
	return text_find(sentence, part);
}

/* ---- own limits ---- */

test(pcie_rates_less_their_coding)
{
	check_equal(limiter_pcie("2.5 GT/s PCIe", 1), 250000000);
	check_equal(limiter_pcie("5.0 GT/s PCIe", 4), 2000000000);
	check_equal(limiter_pcie("8.0 GT/s PCIe", 4) / 1000000, 3938);
	check_equal(limiter_pcie("16.0 GT/s PCIe", 4) / 1000000, 7876);
	check_equal(limiter_pcie("32.0 GT/s PCIe", 16) / 1000000, 63015);
	check_equal(limiter_pcie("Unknown", 4), 0);
	check_equal(limiter_pcie("", 4), 0);
	check_equal(limiter_pcie("16.0 GT/s PCIe", 0), 0);
}

test(emmc_modes)
{
	check_equal(limiter_mmc("mmc HS400 enhanced strobe"), 400000000);
	check_equal(limiter_mmc("mmc HS200"), 200000000);
	check_equal(limiter_mmc("mmc DDR52"), 104000000);
	check_equal(limiter_mmc("sd uhs SDR104"), 104000000);
	check_equal(limiter_mmc("legacy"), 0);
}

test(a_disk_tells_its_link_and_what_both_ends_could)
{
	struct disk disk = { .link_speed = "8.0 GT/s PCIe", .link_width = 4, .link_speed_max = "16.0 GT/s PCIe", .link_width_max = 4,
	                     .port_speed_max = "16.0 GT/s PCIe", .port_width_max = 8 };
	struct own_limit own = limiter_of_disk(&disk);

	check_string(own.words, "PCIe 8.0 GT/s x4");
	check_equal(own.bytes_per_s / 1000000, 3938);
	check_string(own.could, "16.0 GT/s PCIe x4");
	strcpy(disk.port_speed_max, "8.0 GT/s PCIe");
	disk.port_width_max = 4;
	own = limiter_of_disk(&disk);
	check_string(own.could, "");
	own = limiter_of_disk(NULL);
	check_equal(own.bytes_per_s, 0);
}

test(an_emmc_tells_its_mode)
{
	const struct disk disk = { .mode = "mmc HS400" };
	struct own_limit own = limiter_of_disk(&disk);

	check_string(own.words, "mmc HS400");
	check_equal(own.bytes_per_s, 400000000);
}

/* ---- which one ---- */

/* 3820 of 3938 are 97 %. */
test(the_nvme_study_at_gen3_is_limited_by_its_link)
{
	add_nvme_study();
	check_equal(find(&gen3, 0), LIMITER_LINK);
	check(says("limited by the link: 3.82 GB/s is 97 % of PCIe 8.0 GT/s x4"));
}

/* 95 % are reached at 128m, and the plateau's six have 3725 to 3820: the middle is 3773, 48 % of 7877. */
test(the_nvme_study_at_gen4_is_limited_by_its_drive)
{
	add_nvme_study();
	check_equal(find(&gen4, 0), LIMITER_DRIVE);
	check(says("limited by the drive: flat at 3.77 GB/s from 128m in flight on, 48 % of PCIe 16.0 GT/s x4"));
}

test(a_link_that_trained_low_is_said_to)
{
	struct own_limit low = gen3;

	strcpy(low.could, "16.0 GT/s PCIe x4");
	add_nvme_study();
	check_equal(find(&low, 0), LIMITER_LINK);
	check(says("though both ends can 16.0 GT/s PCIe x4"));
}

/* Throttled at 270 MB/s: flat from 64k on. */
static void add_throttled(void)
{
	readings.count = 0;
	add(2 * KIB, 1, 1, 40);
	add(4 * KIB, 1, 1, 80);
	add(16 * KIB, 1, 1, 190);
	add(64 * KIB, 1, 1, 268);
	add(MIB, 1, 1, 270);
	add(16 * MIB, 1, 1, 271);
	add(64 * KIB, 32, 8, 270);
}

test(a_throttle_at_270_is_named_with_its_figure)
{
	add_throttled();
	check_equal(find(&unknown, 0), LIMITER_FLAT);
	check(says("limited at 270 MB/s, flat from 64k in flight on, by neither the CPU nor a link that is known"));
}

test(a_throttle_below_its_link_is_the_drives)
{
	add_throttled();
	check_equal(find(&gen3, 0), LIMITER_DRIVE);
	check(says("flat at 270 MB/s from 64k in flight on, 7 % of PCIe 8.0 GT/s x4"));
}

/* QEMU's NVMe drive tells of 2.5 GT/s x1. */
test(a_link_that_was_exceeded_is_not_believed)
{
	const struct own_limit virtual = { 250000000, "PCIe 2.5 GT/s x1", "" };

	add_throttled();
	check(!limiter_is_believed(&readings, &virtual));
	check(limiter_is_believed(&readings, &gen3));
	check(!limiter_is_believed(&readings, &unknown));
	check_equal(find(&virtual, 0), LIMITER_FLAT);
	check(says("limited at 270 MB/s"));
}

/* Bursts: 242 to 301 MB/s, and more at one depth. */
test(the_level_is_the_middle_of_a_noisy_plateau)
{
	static const int64_t noisy[] = { 301, 270, 274, 258, 293, 270, 262 };

	readings.count = 0;
	add(4 * KIB, 1, 1, 60);
	for (unsigned i = 0; i < COUNT_OF(noisy); i++)
		add(64 * KIB << i, 1, 1, noisy[i]);
	check_equal(find(&unknown, 0), LIMITER_FLAT);
	check(says("limited at 270 MB/s, flat from 64k in flight on"));
}

test(a_boards_bound_is_named)
{
	add_throttled();
	check_equal(find(&unknown, 280000000), LIMITER_BOARD);
	check(says("96 % of the board file's bound"));
	check_equal(find(&unknown, 1000000000), LIMITER_FLAT);
}

test(a_busy_thread_is_limited_by_the_cpu)
{
	add_throttled();
	readings.at[5].cpu_ppm = 971000;
	check_equal(find(&unknown, 0), LIMITER_CPU);
	check(says("limited by the CPU: at 271 MB/s (16m) the thread of the 1 job was busy 97 % of the time"));
	readings.at[5].cpu_ppm = 500000;
	check_equal(find(&unknown, 0), LIMITER_FLAT);
}

test(a_curve_that_still_rises_is_limited_by_latency)
{
	readings.count = 0;
	add(4 * KIB, 1, 1, 40);
	add(4 * KIB, 4, 1, 160);
	add(4 * KIB, 16, 1, 620);
	add(4 * KIB, 32, 1, 1200);
	check_equal(find(&gen4, 0), LIMITER_LATENCY);
	check(says("grows with the bytes in flight up to the largest tried, 1.2 GB/s at 128k"));
}

test(a_peak_is_no_plateau)
{
	readings.count = 0;
	add(4 * KIB, 1, 1, 300);
	add(64 * KIB, 1, 1, 2000);
	add(MIB, 1, 1, 1500);
	add(16 * MIB, 1, 1, 1000);
	check_equal(find(&unknown, 0), LIMITER_PEAK);
	check(says("at most 2 GB/s, with 64k in flight, and less with more"));
}

test(two_points_tell_nothing)
{
	readings.count = 0;
	check_equal(find(&unknown, 0), LIMITER_UNKNOWN);
	add(4 * KIB, 1, 1, 300);
	add(64 * KIB, 1, 1, 300);
	check_equal(find(&unknown, 0), LIMITER_UNKNOWN);
	check(says("cannot be told from 2 points"));
}
