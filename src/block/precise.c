/*
 * precise.c: when a bandwidth is known well enough: by the exact 95 % interval of the median of its intervals.
 *
 * That holds for samples that know nothing of each other.  Intervals that go together (a lag-one autocorrelation above a half:
 * a drive that heats up, a cache that fills) are merged by twos until they do not, or are too few to tell.
 */
#include "block/pump.h"

enum { DEPENDENT_MILLI = 500, LEAST_TO_MERGE = 16 };

static void merge_neighbours(struct samples *samples)
{
	samples->count /= 2;
	for (unsigned i = 0; i < samples->count; i++)
		samples->values[i] = samples->values[2 * i] / 2 + samples->values[2 * i + 1] / 2;
}

static bool is_dependent(const struct summary *summary)
{
	return summary->autocorrelation_milli != VALUE_NONE && summary->autocorrelation_milli > DEPENDENT_MILLI;
}

bool precise_enough(struct samples *bandwidth, uint32_t ppm)
{
	struct summary summary;

	summary_of(bandwidth, &summary);
	while (is_dependent(&summary) && bandwidth->count >= LEAST_TO_MERGE) {
		merge_neighbours(bandwidth);
		summary_of(bandwidth, &summary);
	}
	if (!summary.count || !summary.has_interval || is_dependent(&summary))
		return false;
	return (unsigned __int128)(uint64_t)(summary.high - summary.low) * 500000 <= (unsigned __int128)(uint64_t)summary.median * ppm;
}
