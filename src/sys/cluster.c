/* cluster.c: see cluster.h. */
#include "lib/number.h"
#include "lib/text.h"
#include "sys/cluster.h"
#include "sys/file.h"

#define CACHE "/sys/devices/system/cpu/cpu%u/cache/index%u/"

enum { MAX_INDEXES = 10 };

/* The CPUs on the cache of the highest level; "" when none is told. */
static void read_sharers(unsigned cpu, char *list, size_t size)
{
	uint64_t highest = 0, level;
	char word[16];
	unsigned last = 0;

	list[0] = '\0';
	for (unsigned index = 0; index < MAX_INDEXES; index++)
		if (file_read_here(word, sizeof(word), CACHE "level", cpu, index) > 0 && !number_parse(text_trim(word), &level) && level > highest)
			highest = level, last = index;
	if (highest)
		file_read_here(list, size, CACHE "shared_cpu_list", cpu, last);
}

static void choose(const char *list, unsigned cpu, const struct cpu_list *of, bool all, struct cpu_list *chosen)
{
	chosen->count = 0;
	for (unsigned i = 0; i < of->count; i++)
		if (all || of->cpus[i] == cpu || cpu_list_has(list, of->cpus[i]))
			chosen->cpus[chosen->count++] = of->cpus[i];
}

void cluster_of(unsigned cpu, const struct cpu_list *of, struct cpu_list *cluster)
{
	char list[4096];

	read_sharers(cpu, list, sizeof(list));
	choose(list, cpu, of, !cpu_list_has(list, cpu), cluster);
}

void cluster_siblings(unsigned cpu, const struct cpu_list *of, struct cpu_list *siblings)
{
	char list[256];

	if (file_read_here(list, sizeof(list), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu) <= 0)
		list[0] = '\0';
	choose(list, cpu, of, false, siblings);
}

bool cluster_has(const struct cpu_list *list, unsigned cpu)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->cpus[i] == cpu)
			return true;
	return false;
}
