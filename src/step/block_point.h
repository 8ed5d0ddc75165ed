/*
 * block_point.h: one point of a device: can it be done, how long will it take, measured, and its figures told.
 *
 * Its figures are block.<rw>.{bandwidth, iops, latency.*, inflight}[role,bs,iodepth,numjobs], with side=read|write behind
 * for rw and randrw; where slat was measured, also {slat,clat}.mean.  A figure is never given under a depth that was not
 * held, nor, for a declared device, from the page cache; a scratch without direct I/O has its figures, with direct=no among
 * the evidence.
 * FAIL   an I/O failed (the first address is named), the device went away
 * SKIP   the device cannot do this block size, the buffers would take too much memory, the board file's cap on wear leaves
 *        too little, or the engine holds another depth
 * ERROR  the device is there but could not be measured; I/O that the system refused, which is not the device's fault
 */
#ifndef BLOCK_POINT_H
#define BLOCK_POINT_H

#include "block/engine.h"
#include "step.h"
#include "step/device.h"

/* One figure of a point as a cell of a study's table, see fact_cell. */
struct block_cell {
	const char *quantity;        /* "bandwidth", "iops", "latency.mean", "latency.p99", ..., of block.<rw>.<quantity>; NULL ends a list */
	enum block_side side;        /* of rw and randrw; else not looked at */
	const char *table, *row, *column;
	int64_t reference_milli;     /* in the figure's own unit; VALUE_NONE */
};

struct block_ask {
	struct block_job job;        /* all but fd and seed; size_bytes 0: to the end of the device */
	bool choose_jobs;            /* job.numjobs is found by trial */
	uint64_t startdelay_ns;      /* idle before it */
	uint64_t buffers_bytes;      /* the most memory for buffers; never more than a quarter of what is free */
	bool series;                 /* the histograms, bucket by bucket, too */
	const struct block_cell *cells; /* NULL: none */
	const char *prefix;          /* of its figures' names, for a study that varies more than these points; NULL: block.<rw> */
	const struct point *points;  /* of them, at most MAX_POINTS - 1; NULL: role, bs, iodepth, numjobs */
};

enum block_point_end {
	POINT_PLANNED,               /* this was the dry run */
	POINT_SKIPPED,
	POINT_FAILED,                /* by the device or the system: said */
	POINT_MEASURED,
};

/* *result (may be NULL) is set when it was measured, until the next call.  The caller has not to call device_ready. */
enum block_point_end block_point_run(struct ctx *ctx, struct device *device, const struct block_ask *ask,
                                     const struct block_result **result);

/* The metric block.<rw>.<quantity>, in a buffer that the next call overwrites; and that of a point, which may have another prefix. */
const char *block_metric(enum block_rw rw, const char *quantity);
const char *block_point_metric(const struct block_ask *ask, const char *quantity);

/* Tells a result's figures: for block_point_run. */
void block_figures(struct ctx *ctx, const struct device *device, const struct block_ask *ask, const struct point *points,
                   const struct block_result *result);

#endif
