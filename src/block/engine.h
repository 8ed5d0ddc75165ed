/*
 * engine.h: keeps reads or writes in flight on a block device or file, and measures them.
 *
 * Three ways to the kernel, all by raw system calls: io_uring, libaio's, and pread/pwrite (one at a time).  AUTO takes
 * the first that works; why the ones before it did not is told, never hidden.  The loop makes no other system call,
 * and prints nothing.  A device that stops answering is for the caller's deadline.
 */
#ifndef BLOCK_ENGINE_H
#define BLOCK_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/histogram.h"
#include "stat/summary.h"

enum { BLOCK_MAX_DEPTH = 256, BLOCK_MAX_ERRORS = 16 };

enum block_rw { BLOCK_READ, BLOCK_RANDREAD, BLOCK_WRITE };

/* In the order of BLOCK_ENGINE_WORDS. */
enum block_engine_choice { BLOCK_AUTO, BLOCK_IO_URING, BLOCK_LIBAIO, BLOCK_PSYNC };
#define BLOCK_ENGINE_WORDS "auto|io_uring|libaio|psync"

struct block_job {
	int fd;
	enum block_rw rw;
	enum block_engine_choice engine;
	unsigned iodepth;            /* 1 to BLOCK_MAX_DEPTH */
	uint64_t bs_bytes;
	uint64_t offset_bytes;       /* of the region, whose whole blocks are used */
	uint64_t size_bytes;
	uint64_t runtime_ns;         /* 0: once through the region, a shorter block at its end included */
	uint64_t ramp_ns;            /* warm-up: what completes in it is discarded, and counted */
	uint64_t seed;               /* of the random places */
	/* Called with each block's buffer: before a write, after a good read.  NULL: none. */
	void (*visit)(void *context, uint64_t offset_bytes, void *buffer, size_t bytes);
	void *context;
};

/* After BLOCK_MAX_ERRORS, or at once when the device is gone, the job sends no more, and ends. */
struct block_errors {
	unsigned count;
	int first_err;               /* -errno; a short transfer is -EIO */
	uint64_t at_bytes[BLOCK_MAX_ERRORS + BLOCK_MAX_DEPTH]; /* every address, in order of completion */
};

struct block_result {
	const char *engine;
	char refused[128];           /* engines that were tried before it: "io_uring: ENOSYS; libaio: EAGAIN"; "" */
	unsigned iodepth;            /* granted; less than asked for where the engine cannot do it */
	struct block_errors errors;   /* the device's, see block_is_fault */
	struct block_errors refusals; /* the system's: no memory, no space, not permitted */
	bool device_gone;
	uint64_t discarded;          /* completed during the warm-up */
	/* From the first completion behind the warm-up (itself not counted) to the last within the runtime: */
	uint64_t ios, bytes, time_ns;
	int64_t bandwidth_milli;     /* of the totals; VALUE_NONE without any */
	int64_t iops_milli;
	int64_t inflight_milli;      /* the true mean depth: time in flight within the span, over the span */
	struct samples bandwidth;    /* thousandths of B/s, of about 32 intervals, each from completion to completion */
	struct histogram latency;    /* ns, from being sent to being reaped */
};

/*
 * Runs the job.  0 also when I/O failed: see errors.  -errno when no engine could do it (`refused` tells), or without
 * memory for the buffers (bs x iodepth); what was found before that is in the errors all the same.
 */
int block_run(const struct block_job *job, struct block_result *result);

/*
 * Does this -errno of an I/O speak against the device?  Not the want of memory, space or permission, and not a call
 * that the kernel does not take, as long as no I/O has been good.
 */
bool block_is_fault(int err, bool any_good);

/* One read, for its success alone: 0 or -errno. */
int block_read_once(int fd, uint64_t offset_bytes, size_t bytes);

#endif
