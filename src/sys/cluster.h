/*
 * cluster.h: which CPUs share a cache that others do not, as sysfs tells (cpuN/cache/indexM/shared_cpu_list of the highest level).
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "sys/cpu.h"

/* The CPUs out of `of` that share the last cache with cpu, itself among them; all of them where sysfs does not tell. */
void cluster_of(unsigned cpu, const struct cpu_list *of, struct cpu_list *cluster);

#endif
