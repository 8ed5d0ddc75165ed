/*
 * clock_check.h: can the clocks be trusted?  Do they run backwards between CPUs, do they agree, what can they tell apart?
 */
#ifndef CLOCK_CHECK_H
#define CLOCK_CHECK_H

#include <stdint.h>

#include "sys/cpu.h"

/* The two clocks compared; a unit test puts false ones here. */
struct clock_pair {
	uint64_t (*ticks)(void);                  /* the quick clock */
	uint64_t (*ticks_to_ns)(uint64_t ticks);
	uint64_t (*raw_ns)(void);                 /* CLOCK_MONOTONIC_RAW */
};
extern const struct clock_pair clock_pair;    /* those of sys/clock.h */

struct clock_check {
	uint64_t hops;               /* moves to another CPU */
	uint64_t pin_failures;
	uint64_t readings;
	uint64_t ticks_backwards, raw_backwards;
	uint64_t worst_back_ns;
	uint64_t span_ns;            /* of the comparison, by raw_ns */
	int64_t drift_ppm_milli;     /* the quick clock against raw_ns; VALUE_NONE when the span is 0 */
	uint64_t drift_error_ns;     /* how far each end of the comparison may be off: half a bracket */
};

/* Hops over all CPUs of list for duration_ns, at least one whole round, with the clocks read before and after each hop. */
void clock_check(const struct clock_pair *pair, const struct cpu_list *list, uint64_t duration_ns, struct clock_check *check);

/* What a clock read by read_ns can tell apart (the smallest step above 0) and what a reading costs, over count readings. */
void clock_grain(uint64_t (*read_ns)(void), unsigned count, uint64_t *resolution_ps, uint64_t *overhead_ps);

#endif
