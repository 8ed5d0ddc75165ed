/*
 * zipf.h: ranks from 1 to n, rank r with a weight of r^-theta, by integers alone.
 *
 * Ranks below 128 have a weight each; above, 64 ranges to a power of two, each with the weight of its middle rank times
 * its width, and uniform within.  Against the exact law: a range's share is off by less than 3e-4 of it, a single rank's
 * by less than theta/100 of it.  theta 0 is uniform, 1 Zipf's law; beyond 4 all but the first ranks are as good as never met.
 */
#ifndef BLOCK_ZIPF_H
#define BLOCK_ZIPF_H

#include <stdint.h>

#include "lib/random.h"
#include "stat/histogram.h"

#define ZIPF_MAX_COUNT (1ull << HISTOGRAM_TOP_POWER)
enum { ZIPF_MAX_THETA_MILLI = 4000 };

struct zipf {
	uint64_t count, total;
	unsigned ranges;
	uint64_t up_to[HISTOGRAM_BUCKETS]; /* the weights of all ranges up to this one */
};

/* 1 <= count <= ZIPF_MAX_COUNT. */
void zipf_prepare(struct zipf *zipf, uint64_t count, uint32_t theta_milli);
uint64_t zipf_next(const struct zipf *zipf, struct random *random); /* a rank, less one */

#endif
