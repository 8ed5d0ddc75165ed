/*
 * pump.h: the measuring loop: one job's queue, kept full by one thread; and what the jobs of a run share.
 */
#ifndef BLOCK_PUMP_H
#define BLOCK_PUMP_H

#include <stdatomic.h>

#include "block/engine.h"
#include "block/place.h"
#include "block/queue.h"
#include "sys/team.h"

struct block_run;

/* A job's own. */
struct block_lane {
	struct block_run *run;
	const struct block_job *job;       /* the run's, as the next two: at hand, for they are asked for each I/O */
	const struct block_engine *engine;
	uint64_t part_bytes;
	bool slat;                         /* asked for, and the engine can tell */
	bool paced;                        /* with a rate */
	unsigned number;
	struct block_place place;
	uint64_t asked;                    /* the blocks that were left at the start */
	enum { WARMING, MEASURING, DONE } phase;
	unsigned free_count;
	unsigned free[BLOCK_MAX_DEPTH];    /* slots */
	uint64_t ns_per_tick;              /* with 32 bits of fraction */
	uint64_t stamp_ticks;              /* when what is staged now was made */
	uint64_t due_ticks, period_ticks;  /* with a rate: when the next is to be made */
	uint64_t due_rest, period_rest;    /* of a tick: parts of job.rate_iops */
	uint64_t begin_ticks;              /* of the measured span; UINT64_MAX: not known yet */
	uint64_t last_ticks;               /* of the last counted completion */
	uint64_t look_ticks;               /* when an interval or the runtime may be over */
	uint64_t mark_ticks;               /* where the current interval began; 0: none has */
	uint64_t mark_bytes[BLOCK_SIDES];
	uint64_t busy_ticks;               /* in flight inside the span, summed over all I/Os */
	bool any_good;
	int unsupported;                   /* what the engine cannot do: -errno */
	int err;                           /* the engine's end */
	struct block_result result;
	struct block_queue queue;
};

struct block_run {
	const struct block_job *job;
	const struct block_engine *engine;
	uint64_t part_bytes;               /* of a block; BLOCK_PART_BYTES but in tests */
	uint64_t step_bytes;               /* from one slot's buffers to the next one's */
	uint64_t write_at_bytes;           /* from a slot's buffer for reads to its buffer for writes; 0: it is the same */
	char *buffers;
	unsigned jobs;
	bool filled[BLOCK_MAX_JOBS];       /* the job's buffers */
	unsigned lost;                     /* I/Os that the kernel may still be busy with: no memory is given back */
	uint64_t ramp_ticks, runtime_ticks, runtime_min_ticks, interval_ticks;
	atomic_uint gathered, going;
	atomic_int open_err;               /* of the first job whose engine would not open */
	_Atomic uint64_t start_ticks;      /* of all jobs at once */
	_Atomic uint64_t begin_ticks, end_ticks; /* 0: not yet; by the first job to be past the warm-up, the runtime */
	atomic_bool stop, any_good, precise;
	struct team team;
	struct zipf zipf;
	struct block_errors spared[2];     /* that trials met: errors, refusals; and how many were writes */
	unsigned spared_writes;
	struct block_lane lanes[];
};

/* After how many blocks of so many its warm-up is over: an eighth, and one queue. */
static inline uint64_t pump_warm_up_ios(uint64_t ios, unsigned depth)
{
	return ios / 8 + depth;
}

/* Runs a lane whose queue is open until all is done: 0, or -errno when the engine is at its end or cannot do it. */
int pump_run(struct block_lane *lane);

/* ---- precise.c ---- */

/* Is the 95 % interval of the median of these bandwidths within ppm of it, neighbours that go together taken as one? */
bool precise_enough(struct samples *bandwidth, uint32_t ppm);

/* ---- jobs.c ---- */

/* One attempt of all jobs with an engine; the result is theirs, merged, whatever is returned: 0 or -errno. */
int jobs_run(struct block_run *run, const struct block_job *job, const struct block_engine *engine, struct block_result *result);
bool jobs_met_device(const struct block_result *result); /* has it shown that the engine reaches it, well or badly? */
void jobs_clear(struct block_result *result);
void jobs_add_errors(struct block_errors *into, const struct block_errors *from);

/* ---- trial.c ---- */

/*
 * The quickest engine for the job, result->trial filled; NULL when trials cannot tell.  What they wrote is taken off the job's
 * limit; the errors that they met are spared in run, and result is that of the last one.
 */
const struct block_engine *trial_choose(struct block_run *run, struct block_job *job, struct block_result *result,
                                        uint64_t *tried_ios);

/* ---- engine.c ---- */
void engine_add_refusal(struct block_result *result, const char *engine, int err);
/* block_run with parts of another size. */
int engine_run_in_parts(const struct block_job *job, uint64_t part_bytes, struct block_result *result);

#endif
