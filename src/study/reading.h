/*
 * reading.h: what a study keeps of each point that it measured, and how two of them are compared: by their 95 % intervals.
 */
#ifndef READING_H
#define READING_H

#include <stdbool.h>
#include <stdint.h>

#include "block/engine.h"
#include "lib/text.h"

enum { MAX_READINGS = 288 };

struct reading {
	enum block_rw rw;
	uint64_t bs_bytes;
	uint64_t size_bytes;        /* of the region or the transfer */
	unsigned iodepth, numjobs;
	int64_t bandwidth_milli;    /* both sides together */
	int64_t low_milli, high_milli; /* 95 % interval of the intervals' bandwidths; VALUE_NONE: too few of them */
	unsigned n;                 /* of those */
	int64_t iops_milli;
	int64_t inflight_milli;     /* what was really in flight */
	bool whole;                 /* all I/Os that were asked for were done in time */
	uint32_t cpu_ppm;           /* of the time of its threads that they were on a CPU */
};

struct readings {
	unsigned count;
	unsigned left_out;          /* for want of room */
	struct reading at[MAX_READINGS];
};

/* From a result; NULL when there is no room, or no bandwidth. */
const struct reading *readings_add(struct readings *readings, const struct block_job *job, const struct block_result *result);

uint64_t reading_inflight_bytes(const struct reading *reading); /* as asked: block size x depth x jobs */
bool reading_has_interval(const struct reading *reading);

enum order { ORDER_BELOW = -1, ORDER_UNCLEAR, ORDER_ABOVE };

/* Is a's bandwidth above, or below, ppm millionths of b's, with no overlap of their intervals? */
enum order reading_compare(const struct reading *a, uint32_t ppm, const struct reading *b);

/* "270 MB/s", "3.82 GB/s"; with its interval: "3.82 GB/s (3.79 to 3.85)"; "4k x 32 x 8", depth and jobs of 1 left out. */
void reading_add_rate(struct text *text, int64_t bandwidth_milli);
void reading_add(struct text *text, const struct reading *reading);
void reading_add_shape(struct text *text, const struct reading *reading);

#endif
