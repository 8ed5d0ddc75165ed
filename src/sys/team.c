/* team.c: see team.h.  Those who wait sleep in futex(2) on the word that they wait for. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "sys/call.h"
#include "sys/team.h"

static void wait_while(atomic_uint *word, unsigned value)
{
	while (atomic_load(word) == value)
		sys_call(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
}

static void set(atomic_uint *word, unsigned value)
{
	atomic_store(word, value);
	sys_call(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
}

static void note_error(struct team *team, int error, unsigned cpu)
{
	int none = 0;

	if (error && atomic_compare_exchange_strong(&team->error, &none, error))
		team->error_cpu = cpu;
}

static void *member_run(void *argument)
{
	struct team_member *member = argument;
	struct team *team = member->team;

	note_error(team, cpu_pin(member->cpu), member->cpu);
	set(&member->ready, true);
	wait_while(&team->state, TEAM_GATHERING);
	if (team->state == TEAM_WORKING)
		team->work(member->number, team->context);
	return NULL;
}

static void start_members(struct team *team, const struct cpu_list *cpus, unsigned count)
{
	int error = 0;

	while (!error && team->count < count) {
		struct team_member *member = &team->members[team->count];

		*member = (struct team_member){ .team = team, .number = team->count, .cpu = cpus->cpus[team->count] };
		error = thread_start(&member->thread, member_run, member);
		note_error(team, error, member->cpu);
		team->count += !error;
	}
}

int team_start(struct team *team, const struct cpu_list *cpus, unsigned count, team_work *work, void *context)
{
	if (!count || count > MAX_THREADS || count > cpus->count)
		return -EINVAL;
	team->work = work;
	team->context = context;
	team->count = team->error_cpu = 0;
	team->error = 0;
	team->state = TEAM_GATHERING;
	start_members(team, cpus, count);
	for (unsigned i = 0; i < team->count; i++)
		wait_while(&team->members[i].ready, false);
	set(&team->state, team->error ? TEAM_ABANDONED : TEAM_WORKING);
	if (team->error)
		team_join(team);
	return team->error;
}

void team_join(struct team *team)
{
	for (unsigned i = 0; i < team->count; i++)
		pthread_join(team->members[i].thread, NULL);
}

int team_run(struct team *team, const struct cpu_list *cpus, unsigned count, team_work *work, void *context)
{
	int error = team_start(team, cpus, count, work, context);

	if (!error)
		team_join(team);
	return error;
}
