/*
 * child.h: one step in a child of its own: own process group, killed with everything it started at its deadline.
 *
 * The child first runs dry and tells its plan, then runs.  A crash, a kill and a deadline are told apart; a child that
 * cannot even be killed is stuck in the kernel: it is left behind, and so is the device it was using.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "step/context.h"

enum child_how { CHILD_DONE, CHILD_CRASHED, CHILD_DEADLINE, CHILD_STUCK, CHILD_INTERRUPTED, CHILD_NOT_STARTED };

struct child_end {
	enum child_how how;
	char what[200];    /* one line on it; "" when DONE */
	char device[32];   /* that it was using when it ended; "" */
};

typedef void child_say(void *context, const struct event *event);

/*
 * Runs ctx->step (event_fd is set here).  Every event but END is handed to say.  The step may take slack_ns,
 * and twice what it planned.  plan_only: ends behind the dry run.
 */
void child_run(struct ctx *ctx, uint64_t slack_ns, bool plan_only, child_say *say, void *context, struct child_end *end);

#endif
