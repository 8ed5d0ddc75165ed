/*
 * context.h: what stands behind struct ctx.  Filled by run/, used by the step through the functions of step.h only.
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include "scratch.h"
#include "step.h"
#include "sys/watch.h"

struct put_aside {
	unsigned count;
	char devices[MAX_PUT_ASIDE][32];
};

/* What env.snapshot.counter (by its name) and block.health (by the whole name of its figure) told, for env.after to compare with. */
struct counters {
	unsigned count;
	struct { char name[72]; int64_t milli; } at[1024];
};

struct ctx {
	const struct step *step;
	const struct board *board;
	const struct identity *identity;
	const struct scratch *scratch;    /* NULL: none was given */
	const struct put_aside *put_aside;
	const struct counters *counters;
	int kernel_log;                   /* kernel_log_open() at the start of the run: a descriptor or -errno */
	const char *peer;                 /* numeric; "": none */
	uint64_t seed;
	uint64_t start_throttles;
	int64_t noise_milli;              /* the worst CPU's env.noise so far in this run, ppm; VALUE_NONE: not measured */
	int event_fd;
	bool dry;
	uint64_t write_left_bytes;        /* at the start of the step; UINT64_MAX: no cap */
	uint64_t element_count;           /* of the series that is open */
	const struct facts *cell;         /* of what is refused; NULL: none */
	const char *cell_unit;
	uint64_t plan_ns, plan_write_bytes;
	struct conditions before;         /* when the step started */
	struct param_value params[MAX_PARAMS];
};

/* One --set STEP.PARAM=VALUE, split. */
struct setting { const char *step, *param, *value; };

/*
 * The parameters of ctx->step: the default of the level, then the board file's, then --set.  0; or -EINVAL with a line in fault.
 */
int context_params(struct ctx *ctx, enum level level, const struct setting *settings, unsigned count,
                   char *fault, unsigned fault_size);

/* Sends one event as it stands; a step whose runner is gone ends here. */
void context_send(struct ctx *ctx, const struct event *event);

#endif
