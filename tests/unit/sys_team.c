/* sys_team.c: everybody works, on a CPU of his own, or nobody does. */
#include "sys/team.h"

#include <stdatomic.h>

#include "test.h"

static struct team team;
static struct cpu_list cpus;
static _Atomic unsigned worked;
static int cpu_seen[MAX_THREADS];

static void note(unsigned member, void *context)
{
	(void)context;
	cpu_seen[member] = cpu_current();
	worked++;
}

test(every_member_works_once_on_its_own_cpu)
{
	cpu_allowed(&cpus);
	worked = 0;
	check_equal(team_run(&team, &cpus, cpus.count, note, NULL), 0);
	check_equal(worked, cpus.count);
	for (unsigned i = 0; i < cpus.count; i++)
		check_equal(cpu_seen[i], cpus.cpus[i]);
}

test(a_cpu_that_is_not_there_is_named_and_nobody_works)
{
	cpu_allowed(&cpus);
	cpus.cpus[1] = MAX_CPUS - 1;
	cpus.count = 2;
	worked = 0;
	check(team_run(&team, &cpus, 2, note, NULL) < 0);
	check_equal(team.error_cpu, MAX_CPUS - 1);
	check_equal(worked, 0);
}

test(more_members_than_cpus_are_refused)
{
	cpu_allowed(&cpus);
	check(team_run(&team, &cpus, cpus.count + 1, note, NULL) < 0);
	check(team_run(&team, &cpus, 0, note, NULL) < 0);
}
