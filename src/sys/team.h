/*
 * team.h: threads that work side by side, each pinned to a CPU of its own.
 *
 * Nobody works until everybody is pinned and waiting: then all set off together, or none does.
 */
#ifndef TEAM_H
#define TEAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "sys/cpu.h"

typedef void team_work(unsigned member, void *context);

enum team_state { TEAM_GATHERING, TEAM_WORKING, TEAM_ABANDONED };

struct team {
	team_work *work;
	void *context;
	unsigned count;
	atomic_int error;        /* 0, or the first -errno of starting or pinning */
	unsigned error_cpu;      /* the CPU it happened on; to be read once all are ready */
	atomic_uint state;       /* enum team_state */
	struct team_member {
		struct team *team;
		unsigned number, cpu;
		atomic_uint ready;   /* pinned and waiting */
		pthread_t thread;
	} members[MAX_THREADS];
};

/* Starts count threads (at most MAX_THREADS and cpus->count), number i on cpus->cpus[i].  Returns once all work: 0; or
 * -errno, team->error_cpu telling where, with every thread ended and no work done. */
int team_start(struct team *team, const struct cpu_list *cpus, unsigned count, team_work *work, void *context);
void team_join(struct team *team);

/* Both: team_start's result, once the work is done. */
int team_run(struct team *team, const struct cpu_list *cpus, unsigned count, team_work *work, void *context);

#endif
