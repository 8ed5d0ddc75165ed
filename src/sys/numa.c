/*
 * numa.c: see numa.h.
 *
 * Method: mbind(2), move_pages(2), Documentation/ABI/stable/sysfs-devices-node.  MPOL_BIND: what cannot be had on that node is an
 * end of the process, never memory of another one under its name.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/map.h"
#include "sys/numa.h"

/* The kernel has 2^10 of them at most (NODES_SHIFT), wherever their numbers lie. */
enum { NODE_NUMBERS = 1024, WORD_BITS = 8 * sizeof(unsigned long), SAMPLE = 64 };

#define NODES "/sys/devices/system/node"

/* "0-1,8"; where there is no NUMA: "0". */
static void read_online(char *list, size_t size)
{
	if (file_read_here(list, size, NODES "/online") <= 0)
		text_copy(list, size, "0");
}

struct meminfo { uint64_t total_bytes, free_bytes; bool is_told; };

/* `Node 0 MemFree:  1234 kB`.  A page of an inactive file is given back when asked for, as in map.c. */
static int take_meminfo(char *line, void *context)
{
	struct meminfo *info = context;
	const char *name, *value;
	uint64_t kib;

	text_word(&line);
	text_word(&line);
	name = text_word(&line);
	value = text_word(&line);
	if (!number_take(&value, &kib))
		return 0;
	if (!strcmp(name, "MemTotal:"))
		info->total_bytes = kib * KIB;
	if (!strcmp(name, "MemFree:") || !strcmp(name, "Inactive(file):"))
		info->free_bytes += kib * KIB, info->is_told = true;
	return 0;
}

static void read_meminfo(unsigned node, struct meminfo *info)
{
	char path[64];

	*info = (struct meminfo){ .total_bytes = 0 };
	text_format(path, sizeof(path), NODES "/node%u/meminfo", node);
	file_each_line_here(path, take_meminfo, info);
}

static void read_node(unsigned number, struct numa_node *node)
{
	char list[4096];
	struct meminfo info;
	struct cpu_list all;

	cpu_allowed(&all);
	node->number = number;
	if (file_read_here(list, sizeof(list), NODES "/node%u/cpulist", number) < 0) {
		node->has_memory = !number;
		node->cpus = number ? (struct cpu_list){ .count = 0 } : all;
		return;
	}
	read_meminfo(number, &info);
	node->has_memory = info.total_bytes != 0;
	node->cpus.count = 0;
	for (unsigned i = 0; i < all.count; i++)
		if (cpu_list_has(list, all.cpus[i]))
			node->cpus.cpus[node->cpus.count++] = all.cpus[i];
}

int numa_each(int (*each)(const struct numa_node *node, void *context), void *context)
{
	char online[256];
	int stop = 0;

	read_online(online, sizeof(online));
	for (unsigned number = 0; number < NODE_NUMBERS && !stop; number++) {
		struct numa_node node;
		if (!cpu_list_has(online, number))
			continue;
		read_node(number, &node);
		stop = each(&node, context);
	}
	return stop;
}

/* All memory lies on it, whether a kernel without NUMA or a container forbids to ask. */
static bool is_only_node(int node)
{
	char online[256];

	read_online(online, sizeof(online));
	return cpu_list_count(online) == 1 && cpu_list_has(online, (unsigned)node);
}

static int unless_only(int err, int node)
{
	return (err == -ENOSYS || err == -EPERM) && is_only_node(node) ? 0 : err;
}

int numa_bind(void *at, uint64_t bytes, int node)
{
	unsigned long mask[NODE_NUMBERS / WORD_BITS] = { 0 };

	if (node == NUMA_ANY)
		return 0;
	if (node < 0 || node >= NODE_NUMBERS)
		return -EINVAL;
	mask[node / WORD_BITS] = 1ul << node % WORD_BITS;
	/* The kernel takes one bit less than it is told. */
	return unless_only(sys_call(SYS_mbind, at, bytes, MPOL_BIND, mask, NODE_NUMBERS + 1, 0), node);
}

int numa_check(const void *at, uint64_t bytes, int node)
{
	uint64_t page_bytes = map_page_bytes(), pages = bytes / page_bytes;
	unsigned count = pages < SAMPLE ? (unsigned)pages : SAMPLE;
	const void *asked[SAMPLE];
	int lies_on[SAMPLE], err;

	if (node == NUMA_ANY || !count)
		return 0;
	for (unsigned i = 0; i < count; i++)
		asked[i] = (const char *)at + pages * i / count * page_bytes;
	err = sys_call(SYS_move_pages, 0, count, asked, NULL, lies_on, 0);
	if (err)
		return unless_only(err, node);
	for (unsigned i = 0; i < count; i++)
		if (lies_on[i] != node)
			return lies_on[i] < 0 ? lies_on[i] : -EXDEV;
	return 0;
}

uint64_t numa_room_bytes(int node)
{
	struct meminfo info = { .is_told = false };
	uint64_t reserve_bytes;

	if (node >= 0)
		read_meminfo((unsigned)node, &info);
	if (!info.is_told)
		return UINT64_MAX;
	/* Who is bound to the node is killed when the kernel's own reserve there is touched: MemAvailable leaves it out, a node's MemFree does not. */
	reserve_bytes = info.total_bytes / 50 > 64 * MIB ? info.total_bytes / 50 : 64 * MIB;
	return info.free_bytes > reserve_bytes ? info.free_bytes - reserve_bytes : 0;
}
