/*
 * engine.h: keeps reads and writes in flight on a block device or file, and measures them.
 *
 * Three ways to the kernel, all by raw system calls: io_uring, libaio's, and pread/pwrite (one at a time).  FIRST takes the
 * first that works, AUTO the quickest after a short trial of each; why another did not work is told, never hidden.  The
 * loop makes no other system call, and prints nothing.  A device that stops answering is for the caller's deadline.
 *
 * Words and their meaning are fio's.  Where fio measures twice (slat, clat, lat), so do we: slat from a block's being made to
 * its being sent, clat from there to its being reaped, lat both.
 */
#ifndef BLOCK_ENGINE_H
#define BLOCK_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/histogram.h"
#include "stat/summary.h"

enum { BLOCK_MAX_DEPTH = 256, BLOCK_MAX_JOBS = 64, BLOCK_MAX_ERRORS = 16 };

/* A block beyond this goes as several I/Os of at most this size, one behind the other: no call of Linux does 2 GiB. */
#define BLOCK_PART_BYTES (1ull << 30)
#define BLOCK_MAX_BYTES (4ull << 30)

/* In the order of BLOCK_RW_WORDS. */
enum block_rw { BLOCK_READ, BLOCK_RANDREAD, BLOCK_WRITE, BLOCK_RANDWRITE, BLOCK_RW, BLOCK_RANDRW };
#define BLOCK_RW_WORDS "read|randread|write|randwrite|rw|randrw"

enum block_side { BLOCK_SIDE_READ, BLOCK_SIDE_WRITE, BLOCK_SIDES };

/* AUTO, IO_URING, LIBAIO, PSYNC are in the order of BLOCK_ENGINE_WORDS. */
enum block_engine_choice { BLOCK_AUTO, BLOCK_IO_URING, BLOCK_LIBAIO, BLOCK_PSYNC, BLOCK_FIRST };
#define BLOCK_ENGINE_WORDS "auto|io_uring|libaio|psync"

/*
 * RANDOM: every block of the region once, in an order of the seed's, then again in another (fio's random map, without a
 * map); with norandommap any block at any time.  ZIPF: the block of rank r with a weight of r^-theta, ranks strewn over the region.
 */
enum block_distribution { BLOCK_RANDOM, BLOCK_ZIPF };

struct block_job {
	int fd;
	enum block_rw rw;
	enum block_engine_choice engine;
	bool hipri;                  /* polled completion, io_uring only; AUTO tries it too where the device has it */
	unsigned iodepth;            /* of each job, 1 to BLOCK_MAX_DEPTH */
	unsigned numjobs;            /* threads, each on a CPU of its own (they are shared beyond their number), with a queue and
	                              * buffers of its own; 0 is 1, which is the caller's thread, not pinned.  Over one region: job i
	                              * begins at its i-th part, and wraps */
	uint64_t bs_bytes;           /* to BLOCK_MAX_BYTES */
	uint64_t offset_bytes;       /* of the region, whose whole blocks are used */
	uint64_t size_bytes;
	uint64_t runtime_ns;         /* 0: all jobs together once through the region (random: each block once), a shorter block at its
	                              * end included */
	uint64_t runtime_min_ns;     /* with precision: never less */
	uint32_t precision_ppm;      /* ends once the 95 % interval of the bandwidth (of several jobs, of the first one's) is within
	                              * this; 0: the whole runtime */
	uint64_t ramp_ns;            /* warm-up: what completes in it is discarded, and counted; ends early when an eighth of limit_ios is sent */
	uint64_t limit_ios;          /* of all jobs, warm-up included; 0: none */
	uint64_t rate_iops;          /* of each job; latency is then from the intended time; 0: as quick as it goes */
	unsigned rwmixread;          /* BLOCK_RW, BLOCK_RANDRW: per cent of reads */
	enum block_distribution distribution;
	uint32_t zipf_theta_milli;
	bool norandommap;
	bool slat;                   /* send and wait by separate calls where they can be told apart: costs a call */
	uint64_t seed;               /* of the random places */
	/* Called with each block's buffer: before a write, after a good read.  NULL: none; a write then carries, also of rw and
	 * randrw, blocks that a scratch check knows for assay's, and that no device can compress.  Of several jobs, by their threads at once. */
	void (*visit)(void *context, uint64_t offset_bytes, void *buffer, size_t bytes);
	void *context;
};

/* After BLOCK_MAX_ERRORS, or at once when the device is gone, the job sends no more, and ends. */
struct block_errors {
	unsigned count;
	int first_err;               /* -errno; a short transfer is -EIO */
	uint64_t at_bytes[BLOCK_MAX_ERRORS + BLOCK_MAX_DEPTH]; /* addresses in order of completion; of several jobs as many as fit */
};

/* One side: reads or writes. */
struct block_flow {
	uint64_t ios, bytes;         /* within the measured span */
	int64_t bandwidth_milli;     /* of the totals; VALUE_NONE without any */
	int64_t iops_milli;
	struct samples bandwidth;    /* thousandths of B/s, of about 32 intervals, each from completion to completion; all jobs together */
	struct histogram lat;        /* ns */
	struct histogram slat, clat; /* empty unless job.slat; psync sends and completes by one call: clat is lat, slat is empty */
};

struct block_result {
	const char *engine;          /* "io_uring", "io_uring polled", "libaio", "psync" */
	char refused[128];           /* engines that were tried before it: "io_uring: ENOSYS; libaio: EAGAIN"; "" */
	char trial[128];             /* AUTO: what each brought in its trial: "io_uring 412k, libaio 398k, psync 51k IOPS"; "" */
	unsigned iodepth;            /* granted; less than asked for where the engine cannot do it */
	unsigned numjobs;
	unsigned shared_cpus;        /* jobs that had to share a CPU with another */
	bool fixed_buffers, fixed_file; /* registered with io_uring */
	struct block_errors errors;   /* the device's, see block_is_fault */
	struct block_errors refusals; /* the system's: no memory, no space, not permitted */
	unsigned write_errors;       /* of both together, how many were writes */
	bool device_gone;
	uint64_t shrunk_bytes;       /* where the device now ends, before the end of the job; 0: it has not shrunk */
	bool precise;                /* ended by job.precision_ppm, before the runtime was over */
	uint64_t discarded;          /* completed during the warm-up */
	uint64_t tried_ios;          /* sent in all: warm-up, trials and failed ones included */
	uint64_t ios, bytes, time_ns; /* both sides; from the first completion behind the warm-up (itself not counted) to the last within the runtime */
	int64_t bandwidth_milli, iops_milli; /* both sides */
	int64_t inflight_milli;      /* the true mean depth of all jobs: time in flight within the span, over the span */
	uint64_t user_ns, system_ns; /* CPU time of the jobs' threads, warm-up included */
	struct block_flow flows[BLOCK_SIDES];
};

/* Does it read, write, both; is it random? */
bool block_reads(enum block_rw rw);
bool block_writes(enum block_rw rw);
bool block_is_random(enum block_rw rw);

/* Of memory: bs x iodepth x numjobs, and as much again for rw and randrw, which must not write what they have just read. */
uint64_t block_buffer_bytes(const struct block_job *job);

/*
 * Runs the job.  0 also when I/O failed: see errors.  -errno when no engine could do it (`refused` tells), or without
 * memory for the buffers; what was found before that is in the errors all the same.
 */
int block_run(const struct block_job *job, struct block_result *result);

/*
 * The quickest number of jobs for this job (1, 2, 4, ... as many as there are CPUs, and as most_bytes of buffers allow; 1 always),
 * by trials of trial_ns each: 0 and *numjobs, or -errno.  *trial_ios: what the trials sent.
 */
int block_choose_jobs(const struct block_job *job, uint64_t trial_ns, uint64_t most_bytes, unsigned *numjobs, uint64_t *trial_ios);

/*
 * Does this -errno of an I/O speak against the device?  Not the want of memory, space or permission, and not a call
 * that the kernel does not take, as long as no I/O has been good.
 */
bool block_is_fault(int err, bool any_good);

/* One read, for its success alone: 0 or -errno. */
int block_read_once(int fd, uint64_t offset_bytes, size_t bytes);

#endif
