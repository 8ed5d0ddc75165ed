/*
 * noise.h: how much of a CPU's time is taken away from a program that runs on it: gaps in a counter loop.
 *
 * One thread pinned to each CPU, all at the same time, does nothing but read the quick clock.  Two readings further apart
 * than the threshold are a gap; what is lost in it is the distance less one undisturbed turn of the loop.  The threshold is
 * ten times the loop's median turn, and at least 1 us.  (The method of sysjitter and of the kernel's osnoise tracer.)
 */
#ifndef NOISE_H
#define NOISE_H

#include <stdint.h>

#include "sys/cpu.h"

struct noise {
	int error;             /* 0; -errno when the CPU could not be measured */
	uint64_t run_ns, lost_ns, max_ns;
	uint64_t gaps, readings;
	uint64_t turn_ps;      /* the loop's median turn */
	uint64_t threshold_ns;
};

/* Of each CPU in list, in its order; returns when all are done. */
void noise_measure(const struct cpu_list *list, uint64_t duration_ns, struct noise *noise);

/* ---- for the unit tests: the method over any series of readings ---- */
struct noise_loop {
	uint64_t turn_ticks, threshold_ticks; /* of the clock read */
	uint64_t lost_ticks, max_ticks, gaps, readings;
};
/* Takes the median of count deltas (sorted in place) for the turn; min_threshold_ticks is 1 us. */
void noise_calibrate(struct noise_loop *loop, uint32_t *deltas, unsigned count, uint64_t min_threshold_ticks);

static inline void noise_note(struct noise_loop *loop, uint64_t delta_ticks)
{
	if (delta_ticks <= loop->threshold_ticks)
		return;
	loop->gaps++;
	loop->lost_ticks += delta_ticks - loop->turn_ticks;
	if (delta_ticks > loop->max_ticks)
		loop->max_ticks = delta_ticks;
}

#endif
