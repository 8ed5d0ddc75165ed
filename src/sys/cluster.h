/*
 * cluster.h: which CPUs share a cache that others do not, as sysfs tells (cpuN/cache/indexM/shared_cpu_list of the highest level), and which
 * are threads of one core (cpuN/topology/thread_siblings_list).
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "sys/cpu.h"

/* The CPUs out of `of` that share the last cache with cpu, itself among them; all of them where sysfs does not tell. */
void cluster_of(unsigned cpu, const struct cpu_list *of, struct cpu_list *cluster);
/* The CPUs out of `of` that are threads of cpu's core, itself among them if it is in `of`; none but itself where sysfs does not tell. */
void cluster_siblings(unsigned cpu, const struct cpu_list *of, struct cpu_list *siblings);
/* Is cpu in the list? */
bool cluster_has(const struct cpu_list *list, unsigned cpu);

#endif
