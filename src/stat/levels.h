/*
 * levels.h: where a series changes its level: the steps of a latency curve (caches), or a rate that jumps (a link, a throttle).
 *
 * The cut into runs that makes the sum of squared deviations from each run's mean, plus a penalty for each run, least; found exactly
 * (optimal partitioning; B. Jackson et al., "An algorithm for optimal partitioning of data on an interval", 2005), in integers.
 */
#ifndef LEVELS_H
#define LEVELS_H

#include <stdint.h>

enum { MAX_LEVELS = 16, LEVELS_MAX_VALUES = 1024 };

struct levels {
	unsigned count;            /* of runs, at least 1 for a series that is not empty */
	unsigned starts[MAX_LEVELS]; /* index of the first value of each; starts[0] is 0 */
	int64_t means[MAX_LEVELS];
};

/* penalty: in squares of the values' unit; run_min: values of a run, at least.  More runs than MAX_LEVELS: the penalty is
 * doubled until they fit. */
void levels_find(const int64_t *values, unsigned count, int64_t penalty, unsigned run_min, struct levels *levels);

/* log2 of a positive value, in thousandths: for curves whose steps are ratios. */
int64_t levels_log2_milli(uint64_t value);

#endif
