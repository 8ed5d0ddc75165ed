/*
 * chase.h: load-to-use latency by a dependent pointer chase.
 *
 * Every cache line of the buffer holds a pointer to another; all lines form one random cycle (Sattolo), so that
 * neither a stride nor a short cycle helps a prefetcher, and all pages are visited at random.  Each load needs the
 * result of the one before.
 */
#ifndef CHASE_H
#define CHASE_H

#include <stdint.h>

#include "stat/summary.h"

enum { CHASE_BATCH_MIN = 1000 }; /* loads of a sample, at least */

struct chase {
	void *at;
	uint64_t lines;
	unsigned line_bytes;
};

struct chase_result {
	struct samples samples;  /* a batch each: picoseconds per load */
	uint64_t discarded;      /* batches of the warm-up, which is at least one lap */
	uint64_t batch_loads;    /* of a sample */
	uint64_t loads;          /* of all samples */
};

/* Links the lines in bytes at `at` into one cycle.  Lines of 64 B, or the machine's if they are longer. */
void chase_link(struct chase *chase, void *at, uint64_t bytes, uint64_t seed);

/* Chases for about time_ns after the warm-up, on the CPU the caller is pinned to. */
void chase_measure(const struct chase *chase, uint64_t time_ns, struct chase_result *result);

#endif
