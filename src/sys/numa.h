/*
 * numa.h: which NUMA nodes there are, and memory that lies on one of them.
 *
 * Node numbers may have holes, a node may have no CPU or no memory: all comes from /sys/devices/system/node of the very machine
 * that this runs on, whatever --sysroot says: what is measured is this one.  A kernel without NUMA is one node, 0, with all CPUs.
 */
#ifndef NUMA_H
#define NUMA_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"
#include "sys/cpu.h"

struct numa_node {
	unsigned number;
	bool has_memory;
	struct cpu_list cpus;      /* of those that this process may use; none: nothing can run there */
};

/* Calls each(node, context) in the order of their numbers, until it returns non-zero; returns that, or 0. */
int numa_each(int (*each)(const struct numa_node *node, void *context), void *context);

enum { NUMA_ANY = -1 };            /* in place of a node: wherever the first touch puts it */

/* Before the first touch: the pages of [at, at + bytes) will lie on that node, or a touch ends the process (out of memory; SIGBUS for 2m, 1g):
 * ask numa_room_bytes first.  0 or -errno (-EINVAL: no such node, or none with memory); 0 for NUMA_ANY, and for the only node where the
 * kernel has no NUMA or a container forbids the call. */
int numa_bind(void *at, uint64_t bytes, int node);
/* Once touched: do the pages lie there?  A sample of them is asked (move_pages(2)).  0; -EXDEV: not all of them; -ENOENT, -EFAULT: not touched;
 * or -errno. */
int numa_check(const void *at, uint64_t bytes, int node);
/* What can be had on that node: MemFree and Inactive(file) of its meminfo (reclaimed when asked for), less a 50th of it and at least 64 MiB; UINT64_MAX for
 * NUMA_ANY and where it is not told. */
uint64_t numa_room_bytes(int node);

#endif
