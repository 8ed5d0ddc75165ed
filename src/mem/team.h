/*
 * team.h: threads that work side by side, each pinned to a CPU of its own.
 *
 * Nobody works until everybody is pinned and waiting: then all set off together, or none does.
 */
#ifndef TEAM_H
#define TEAM_H

#include <pthread.h>

#include "sys/cpu.h"

typedef void team_work(unsigned member, void *context);

struct team {
	team_work *work;
	void *context;
	unsigned count, arrived;
	int error;               /* 0, or the first -errno of starting or pinning */
	unsigned error_cpu;      /* the CPU it happened on */
	enum { TEAM_GATHERING, TEAM_WORKING, TEAM_ABANDONED } state;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct team_member {
		struct team *team;
		unsigned number, cpu;
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
