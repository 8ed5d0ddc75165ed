/*
 * loaded.h: the latency of memory while other CPUs move data: Intel MLC's loaded latency.
 *
 * One CPU chases through a buffer of its own; each of the others works through its own, 512 bytes of each of its mix's arrays at a time, and waits
 * behind each such step: `delay_ns` for every 512 bytes that the step counts, whatever the mix (a spin that is calibrated in ns).  With a delay of
 * 0 there is no wait, and the steps are of 64 KiB, as those of mem.bandwidth.  Bandwidth is that of all of them, the chaser's lines among it, as MLC
 * counts it.
 */
#ifndef LOADED_H
#define LOADED_H

#include <stdint.h>

#include "mem/stream.h"
#include "stat/summary.h"

enum { LOADED_MAX_DELAYS = 64, LOADED_ROUNDS_MAX = 16 };

struct loaded_job {
	enum stream_mix mix;       /* of the injectors */
	const struct cpu_list *cpus; /* the first one chases, the others inject; at least two */
	unsigned threads;          /* the chaser among them */
	uint64_t part_bytes;       /* of each thread, the chaser's as well */
	enum map_page page;
	uint64_t time_ns;          /* of one delay in one round */
	unsigned rounds;           /* the delays are gone through so often, in another order each time */
	unsigned delay_count;
	const uint64_t *delays_ns;
	uint64_t seed;
	const struct mem_kernel *kernel; /* of the injectors; NULL: the quickest, found by the trial of stream_run */
};

struct loaded_point {
	unsigned rounds;                          /* values of each */
	int64_t latency_ps[LOADED_ROUNDS_MAX];    /* median of that round */
	int64_t bandwidth_milli[LOADED_ROUNDS_MAX];
	int64_t chaser_milli[LOADED_ROUNDS_MAX];  /* of the bandwidth, the chaser's part */
	uint64_t delay_ps;                        /* what the wait for 512 bytes really took, on average */
};

struct loaded_result {
	struct loaded_point points[LOADED_MAX_DELAYS]; /* as delays_ns */
	const char *kernel;
	uint64_t huge_bytes, map_bytes;
	uint64_t wrong_chunks;
	uint64_t discarded;                       /* batches, while it settled on each delay */
	int64_t ordinary_ps, flushed_ps, of_flushed_milli; /* of the chaser's buffer before the others begin, by chase_prove; VALUE_NONE: it is too small */
	unsigned error_cpu;
};

/* As stream_run.  The buffers are mapped once for all delays. */
int loaded_run(const struct loaded_job *job, struct loaded_result *result);

#endif
