/*
 * fio_json.h: the points of `assay block` as one document in the shape of fio's json+ output, for the tools that read it.
 *
 * The sink keeps no histogram: it writes as the events come, which therefore come in this order, for each point and
 * within it for each side (reads and writes have the point side=read|write behind the others when rw is rw or randrw):
 *   a figure block.<rw>.bandwidth   numbers ios, bytes, time_s, and of the interval rates n, min, max, mean, deviation; of the whole
 *                                   job user_ns, system_ns, elapsed_s (warm-up included, as in the CPU times); texts engine,
 *                                   device, direct
 *   a figure block.<rw>.iops        n, min, max, mean, deviation
 *   a figure block.<rw>.inflight    added up over the sides
 *   series block.<rw>.slat, .clat, .lat, as far as there are such: n, min, max, mean, deviation, overflow, quantiles as p50 or
 *                                   p99.9, in ns; elements are a bucket's middle in ns and its count
 * All else is passed over.  What is missing is 0, and a point without figures has no job; but one that failed has: error is then EIO
 * (5), and error_text says why.  A mean depth, not its distribution, is known: all of iodepth_level stands at it.
 *
 * fio's buckets end at 17 s, and its reader never ends over a longer one: such I/Os are counted in the last bucket, and
 * `clipped` tells how many they are.  The figures of one point are one job, however many threads it had (group_reporting).
 */
#ifndef FIO_JSON_H
#define FIO_JSON_H

#include <stdbool.h>

#include "lib/output.h"
#include "lib/text.h"
#include "report/fio_shape.h"
#include "sink.h"

enum { FIO_JSON_READ, FIO_JSON_WRITE, FIO_JSON_SIDES };

struct fio_json_sink {
	struct sink sink;
	struct output *output;
	char buffer[12 << 10];
	struct text text;        /* in buffer: what was not written yet */
	char fault[MAX_MESSAGE]; /* the first that belongs to no job */

	/* the open job */
	unsigned job_count;      /* of those begun */
	bool in_job;
	char rw[12], bs[48], iodepth[48], numjobs[48];
	int side;                /* that is open; -1: none */
	unsigned sides_done;     /* a bit each */
	unsigned parts_done;     /* of the open side: a bit each */
	int series;              /* the latency that is open; -1: none */
	bool in_bins;
	uint64_t clipped;
	struct fio_classes classes;
	uint64_t user_ns, system_ns, elapsed_ms;
	int64_t inflight_milli;
	bool failed;
	char error_text[MAX_MESSAGE];
};

void fio_json_sink_init(struct fio_json_sink *sink, struct output *output);

#endif
