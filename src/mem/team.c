/* team.c: see team.h. */
#include "mem/team.h"

#include <errno.h>

static void note_error(struct team *team, int error, unsigned cpu)
{
	if (error && !team->error) {
		team->error = error;
		team->error_cpu = cpu;
	}
}

/* Waits for the others; tells whether there is work to be done. */
static bool gather(struct team *team, const struct team_member *member, int pin_error)
{
	bool go;

	pthread_mutex_lock(&team->mutex);
	note_error(team, pin_error, member->cpu);
	team->arrived++;
	pthread_cond_broadcast(&team->changed);
	while (team->state == TEAM_GATHERING)
		pthread_cond_wait(&team->changed, &team->mutex);
	go = team->state == TEAM_WORKING;
	pthread_mutex_unlock(&team->mutex);
	return go;
}

static void *member_run(void *argument)
{
	struct team_member *member = argument;
	struct team *team = member->team;

	if (gather(team, member, cpu_pin(member->cpu)))
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
		if (error) {
			pthread_mutex_lock(&team->mutex);
			note_error(team, error, member->cpu);
			pthread_mutex_unlock(&team->mutex);
		} else {
			team->count++;
		}
	}
}

int team_start(struct team *team, const struct cpu_list *cpus, unsigned count, team_work *work, void *context)
{
	if (!count || count > MAX_THREADS || count > cpus->count)
		return -EINVAL;
	team->work = work;
	team->context = context;
	team->count = team->arrived = team->error_cpu = 0;
	team->error = 0;
	team->state = TEAM_GATHERING;
	pthread_mutex_init(&team->mutex, NULL);
	pthread_cond_init(&team->changed, NULL);
	start_members(team, cpus, count);

	pthread_mutex_lock(&team->mutex);
	while (team->arrived < team->count)
		pthread_cond_wait(&team->changed, &team->mutex);
	team->state = team->error ? TEAM_ABANDONED : TEAM_WORKING;
	pthread_cond_broadcast(&team->changed);
	pthread_mutex_unlock(&team->mutex);
	if (team->error)
		team_join(team);
	return team->error;
}

void team_join(struct team *team)
{
	for (unsigned i = 0; i < team->count; i++)
		pthread_join(team->members[i].thread, NULL);
	pthread_cond_destroy(&team->changed);
	pthread_mutex_destroy(&team->mutex);
}

int team_run(struct team *team, const struct cpu_list *cpus, unsigned count, team_work *work, void *context)
{
	int error = team_start(team, cpus, count, work, context);

	if (!error)
		team_join(team);
	return error;
}
