/*
 * summary.h: a set of samples summed up: order statistics and the exact 95 % interval of the median.
 *
 * The interval is by binomial ranks (no assumption on the distribution): none below 6 samples; ranks 1-6 of 6, 2-8 of
 * 9, 10-21 of 30, 40-61 of 100.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

enum { MAX_SAMPLES = 1024 };

struct samples {
	unsigned count;
	uint64_t lost;           /* beyond MAX_SAMPLES: not kept, counted */
	int64_t values[MAX_SAMPLES]; /* any unit; the summary has the same */
};

struct summary {
	unsigned count;
	int64_t min, max, median, mean;
	int64_t deviation;       /* of the sample; VALUE_NONE below 2, or when a sample is 2^52 or more off the mean */
	int64_t p95, p99;        /* by nearest rank; VALUE_NONE below 20 and 100 samples */
	int64_t low, high;       /* 95 % interval of the median */
	bool has_interval;
	int64_t autocorrelation_milli; /* lag one; VALUE_NONE below 8 samples, or when all are equal, or as above */
};

void samples_clear(struct samples *samples);
void samples_add(struct samples *samples, int64_t value);

/* Sorts a copy; samples keep their order.  With no sample, count is 0 and nothing else counts. */
void summary_of(const struct samples *samples, struct summary *summary);

/* The median alone; VALUE_NONE with no sample. */
int64_t summary_median(const struct samples *samples);

/* Ranks (from 1) of the 95 % interval of the median of n samples; false when there is none (n < 6 or > MAX_SAMPLES). */
bool summary_median_ranks(unsigned n, unsigned *low, unsigned *high);

/* Adds n, median, low95, high95, p95, p99, min, max, deviation, as far as there are such; values are thousandths. */
void summary_facts(const struct summary *summary, struct facts *facts);

#endif
