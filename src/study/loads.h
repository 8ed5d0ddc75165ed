/*
 * loads.h: the four loads that study.interference puts beside one another: each is one call of its engine, and tells bytes per second.
 *
 *   storage   blocks of 128 KiB, read one behind the other from a random place on, 16 in flight, by one thread
 *   network   one TCP connection over loopback, 128 KiB a call: a sender and a receiver
 *   memory    streaming reads: a thread on each of its CPUs, each through a buffer of its own
 *   messages  of 1 MiB from a writer to a reader through shared memory, as quick as the reader takes them, reading all of each
 */
#ifndef STUDY_LOADS_H
#define STUDY_LOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "step/device.h"
#include "sys/cpu.h"

struct ctx;
struct mem_kernel;

enum { LOAD_BLOCK_BYTES = 128 << 10, LOAD_DEPTH = 16, LOAD_MESSAGE_BYTES = 1 << 20 };

enum load { LOAD_STORAGE, LOAD_NETWORK, LOAD_MEMORY, LOAD_MESSAGES, LOADS };
#define LOAD_WORDS "storage|network|memory|messages" /* in the order of enum load */

struct load_job {
	enum load load;
	const struct cpu_list *cpus; /* that this process is pinned to already */
	uint64_t runtime_ns, ramp_ns;
	const struct device *device; /* of storage: at least a block long */
	uint64_t buffer_bytes;       /* of memory: each thread's */
	const struct mem_kernel *kernel; /* of memory: the one that an earlier result has found; NULL: by a trial, in load_run */
	uint64_t seed;               /* of where storage begins to read */
};

struct load_result {
	int64_t rate_milli;          /* B/s in thousandths */
	uint64_t window_ns, end_ns;  /* how long was measured, and clock_now_ns() behind it */
	uint64_t cpu_ns, call_ns;    /* CPU time, and the time of the whole call, what comes before and behind the window included */
	const struct mem_kernel *kernel;
	char engine[32];
};

extern const char load_metric[];
const char *load_word(enum load load);
/* Of one point: `load`. */
struct point load_point(enum load load);

/* Before it, what would take long in it: 0 or -errno. */
int load_prepare(const struct load_job *job);

/* False when there is no rate: why has been said (FAIL for what the board did, else ERROR), unless ctx is NULL.  Static state: one at a time. */
bool load_run(struct ctx *ctx, const struct load_job *job, struct load_result *result);

#endif
