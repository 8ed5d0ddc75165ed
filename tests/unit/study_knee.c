/* study_knee.c: the knee of the studies' own curves. */
#include "study/knee.h"

#include "test.h"

/* The AGX Orin's NVMe drive: MB/s over the block size in KiB.  95 % of 3820 are 3629: 64M has 3530, 128M has 3725. */
static const struct knee_point nvme[] = {
	{ 2, 90 }, { 4, 175 }, { 8, 295 }, { 16, 520 }, { 32, 725 }, { 64, 1010 }, { 128, 1160 }, { 256, 1380 }, { 512, 1430 },
	{ 1024, 2105 }, { 2048, 2700 }, { 4096, 2960 }, { 8192, 3240 }, { 16384, 3405 }, { 32768, 3505 }, { 65536, 3530 },
	{ 131072, 3725 }, { 262144, 3755 }, { 524288, 3770 }, { 1048576, 3775 }, { 2097152, 3810 }, { 4194304, 3820 },
};

test(the_nvme_study_has_its_knee_at_128m)
{
	check_equal(nvme[knee_maximum(nvme, 22)].y, 3820);
	check_equal(nvme[knee_of(nvme, 22)].x, 131072);
	check_equal(nvme[knee_of(nvme, 22)].y, 3725);
}

/* By bytes in flight 64 KiB x 32 x 8 = 16 MiB bring 3684 MiB/s = 3863 MB/s; 95 % of that are 3670. */
test(by_bytes_in_flight_it_is_at_16m)
{
	struct knee_point points[23];

	memcpy(points, nvme, sizeof nvme);
	points[22] = (struct knee_point){ 16384, 3863 };
	check_equal(points[knee_of(points, 23)].x, 16384);
	check_equal(knee_of(points, 23), 22);
}

/* Its last column; 95 % of 290 are 275.5: 4096 KB has 277.6. */
test(the_emmc_study_has_its_knee_at_4m)
{
	const struct knee_point emmc[] = { { 1, 410 }, { 16, 5480 }, { 256, 22150 }, { 4096, 27760 }, { 64000, 29000 } };

	check_equal(emmc[knee_of(emmc, 5)].x, 4096);
}

test(exactly_95_percent_is_reached)
{
	const struct knee_point points[] = { { 1, 9499 }, { 2, 9500 }, { 3, 10000 } };

	check_equal(knee_of(points, 3), 1);
}

test(the_order_of_the_points_does_not_matter)
{
	const struct knee_point points[] = { { 8, 100 }, { 1, 50 }, { 4, 97 }, { 2, 70 } };

	check_equal(points[knee_of(points, 4)].x, 4);
}

test(no_points_and_nothing_above_0_have_none)
{
	const struct knee_point zero[] = { { 1, 0 }, { 2, -5 } };

	check_equal(knee_of(zero, 0), -1);
	check_equal(knee_of(zero, 2), -1);
	check_equal(knee_maximum(zero, 2), -1);
	check_equal(knee_of(nvme, 1), 0);
}

test(large_figures_do_not_overflow)
{
	const struct knee_point points[] = { { 1, INT64_MAX / 2 }, { 2, INT64_MAX } };

	check_equal(knee_of(points, 2), 1);
}
