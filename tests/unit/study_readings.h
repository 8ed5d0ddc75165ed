/* study_readings.h: readings written out in MB/s, for the tests of the studies. */
#ifndef STUDY_READINGS_H
#define STUDY_READINGS_H

#include "study/reading.h"

#define MB 1000000000ll /* thousandths of B/s */

static struct readings readings;

/* With an interval of one per cent to either side. */
static struct reading *add(uint64_t bs_bytes, unsigned iodepth, unsigned numjobs, int64_t mb_per_s)
{
	struct reading *reading = &readings.at[readings.count++];

	*reading = (struct reading){
		.bs_bytes = bs_bytes, .iodepth = iodepth, .numjobs = numjobs, .bandwidth_milli = mb_per_s * MB,
		.low_milli = mb_per_s * MB / 100 * 99, .high_milli = mb_per_s * MB / 100 * 101, .n = 30, .whole = true,
	};
	return reading;
}

static const int64_t nvme_mb[] = {
	90, 175, 295, 520, 725, 1010, 1160, 1380, 1430, 2105, 2700, 2960, 3240, 3405, 3505, 3530, 3725, 3755, 3770, 3775, 3810, 3820,
};

/* The AGX Orin's curve, one block at a time. */
static inline void add_nvme_study(void)
{
	readings.count = 0;
	for (unsigned i = 0; i < COUNT_OF(nvme_mb); i++)
		add(2 * KIB << i, 1, 1, nvme_mb[i]);
}

#endif
