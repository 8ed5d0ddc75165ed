/*
 * stream.h: bandwidth of memory: threads on CPUs of their own, each working through a part of one buffer.
 *
 * How bytes are counted (a mix's name is part of the figure, so this must not change); a part is cut into one, two or three arrays:
 *   reads      each byte read once
 *   3:1 2:1 1:1  after Intel MLC: lines read for each line that is written; the written one is changed in place, so that its own read is among them and
 *              no write-allocate comes on top: to += from + other, to += from, to += a word.  Bytes read plus bytes written: 4, 3, 2 lines
 *   triad      after STREAM's Triad, to = from + 3 * other: 24 bytes an element; the read that write-allocate adds is not counted
 *   writes     bytes written, by whatever store is quickest but those of nt-writes; write-allocate is not counted
 *   nt-writes  the same by non-temporal stores only
 *   copy       from one array to the other, after STREAM's Copy: bytes read plus bytes written; write-allocate is not counted.
 *              Copy and triad may use non-temporal stores where those are quicker: the kernel's name tells
 *
 * All threads run through the whole measurement, the trial of the kernels in front of it too; the windows are cut out of its middle by one clock, and a window's
 * bytes are the sum over the threads.  What was read is summed and compared, what was written is read back at the end.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/buffer.h"
#include "mem/kernels.h"
#include "stat/summary.h"
#include "sys/cpu.h"
#include "sys/numa.h"

#define STREAM_MIX_WORDS "reads|3:1|2:1|1:1|triad|writes|nt-writes|copy" /* in the order of enum stream_mix */

enum { STREAM_CHUNK_BYTES = 64 << 10 }; /* a thread works through so much between two looks at the clock or the end */

/* ---- a part: what one thread works on, piece by piece; for the engines that run kernels in their own time ---- */
struct stream_part {
	enum stream_mix mix;
	char *at;                /* aligned to a page */
	size_t piece_bytes;      /* of one array: a multiple of KERNEL_GRANULE */
	uint64_t pieces;         /* of each array; 0: the part is too small */
};

/* Cuts bytes at `at` into a mix's arrays, whose pieces hold about step_bytes together (at least KERNEL_GRANULE each). */
void stream_cut(struct stream_part *part, enum stream_mix mix, void *at, uint64_t bytes, size_t step_bytes);
uint64_t stream_step_bytes(const struct stream_part *part); /* what one stream_work counts */
void stream_fill(const struct stream_part *part);
/* Works on the next piece: done is how many calls there were since stream_fill, in this order.  Is what it read right? */
bool stream_work(const struct stream_part *part, const struct mem_kernel *kernel, uint64_t done);
/* How many arrays a mix has; a piece of one of them: the array that is written, or of which all is read, is the first. */
unsigned stream_arrays(enum stream_mix mix);
uint64_t *stream_piece(const struct stream_part *part, unsigned array, uint64_t piece);
/* Reads back what done calls have left: how many pieces are wrong. */
uint64_t stream_wrong_pieces(const struct stream_part *part, uint64_t done);

/* ---- threads side by side, each on a part of its own ---- */
struct stream_job {
	enum stream_mix mix;
	const struct cpu_list *cpus;
	unsigned threads;
	uint64_t part_bytes;     /* of each thread */
	enum map_page page;
	int node;                /* the memory's, or NUMA_ANY: of the CPU that works on it */
	uint64_t time_ns;        /* of all windows that count */
	unsigned windows;
	const struct mem_kernel *kernel; /* NULL: the quickest for this mix, found by a trial on all threads; or what an earlier job found */
};

struct stream_trial {
	unsigned candidates;     /* 0: there was no trial */
	const struct mem_kernel *best, *second; /* second NULL: there was only one */
	int64_t best_milli, second_milli;       /* thousandths of B/s, in the trial's short windows */
};

struct stream_result {
	struct samples rates;    /* a window each: thousandths of B/s */
	unsigned discarded;      /* windows, before the first that counts */
	const struct mem_kernel *found; /* that was used; NULL before there was one */
	const char *kernel;      /* its name */
	struct stream_trial trial;
	uint64_t huge_bytes, map_bytes;
	int node_err;            /* as of struct buffer; with NUMA_ANY: do all parts lie on the nodes of their threads */
	uint64_t passes_milli;   /* how often a thread went through its part, on average */
	int64_t flushed_ps, of_flushed_milli; /* chase_prove_lines of what came next in the first part: a load from memory, and one as the caches are as a part of
	                            it; VALUE_NONE: too few lines.  What streaming gets from the caches is what they still have of it, however large they are */
	uint64_t wrong_chunks;   /* the data was not what it must be: the memory or the CPU is at fault */
	unsigned error_cpu;
};

/* 0; -ENOMEM: no such memory; -ENOTSUP: its pages were not granted (huge_bytes of map_bytes were); -EXDEV: they are not to be had on the node, node_err
 * tells why; any other -errno: a thread could not run on CPU error_cpu. */
int stream_run(const struct stream_job *job, struct stream_result *result);

#endif
