/*
 * stream.h: bandwidth of memory: threads on CPUs of their own, each working through a part of one buffer.
 *
 * How bytes are counted (a mix's name is part of the figure, so this must not change):
 *   reads  each byte read once
 *   1:1    every line is read, changed and written back in place, after Intel MLC's 1:1 (a line written for each one
 *          read): bytes read plus bytes written; the line was read anyway, so no write-allocate read comes on top
 *   copy   from one half of the part to the other, after STREAM's Copy: bytes read plus bytes written; the read that
 *          write-allocate adds is not counted
 *
 * All threads run through the whole measurement; the windows are cut out of its middle by one clock, and a window's
 * bytes are the sum over the threads.  What was read is summed and compared, what was written is read back at the end.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>

#include "mem/buffer.h"
#include "mem/kernels.h"
#include "stat/summary.h"
#include "sys/cpu.h"

enum stream_mix { STREAM_READS, STREAM_UPDATE, STREAM_COPY };
#define STREAM_MIX_WORDS "reads|1:1|copy" /* in the order of enum stream_mix */

enum { STREAM_CHUNK_BYTES = 64 << 10 }; /* a thread's part is cut into these; its counter moves on by one at a time */

struct stream_job {
	enum stream_mix mix;
	const struct cpu_list *cpus;
	unsigned threads;
	uint64_t part_bytes;     /* of each thread */
	enum map_page page;
	uint64_t time_ns;        /* of all windows that count */
	unsigned windows;
	const struct mem_kernel *kernel; /* NULL: the quickest, found by a trial */
};

struct stream_result {
	struct samples rates;    /* a window each: thousandths of B/s */
	unsigned discarded;      /* windows, before the first that counts */
	const char *kernel;      /* that was used */
	uint64_t huge_bytes, map_bytes;
	uint64_t passes_milli;   /* how often a thread went through its part, on average */
	uint64_t wrong_chunks;   /* the data was not what it must be: the memory or the CPU is at fault */
	unsigned error_cpu;
};

/* 0; -ENOMEM: no such memory; -ENOTSUP: its pages were not granted (huge_bytes of map_bytes were);
 * any other -errno: a thread could not run on CPU error_cpu. */
int stream_run(const struct stream_job *job, struct stream_result *result);

#endif
