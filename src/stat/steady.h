/*
 * steady.h: is a measurement in its steady state?  SNIA's rule (Solid State Storage Performance Test Specification): over
 * five rounds the values stay within 20 % of their mean, and the straight line fitted to them rises or falls by at most 10 % of it.
 */
#ifndef STEADY_H
#define STEADY_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/summary.h"

enum { STEADY_ROUNDS = 5 };

struct steady {
	bool is_steady;
	int64_t spread_ppm;  /* largest less smallest, of the mean */
	int64_t rise_ppm;    /* of the fitted line from the first round to the last, of the mean; negative: it falls */
};

/* False, and nothing else counts, when the mean is not above 0. */
bool steady_rounds(const int64_t rounds[STEADY_ROUNDS], struct steady *steady);

/* The samples cut into five rounds of equal number, each its mean; what does not divide is left out in front.  False as above,
 * and below five samples. */
bool steady_of(const struct samples *samples, struct steady *steady);

#endif
