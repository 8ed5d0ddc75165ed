#include "test.h"

#include <errno.h>

#include "sys/cluster.h"
#include "sys/map.h"
#include "sys/numa.h"
#include "sys_tree.h"

#define NODES "/sys/devices/system/node"
#define CPUS "/sys/devices/system/cpu"

/* ---- this machine ---- */

static int count_node(const struct numa_node *node, void *context)
{
	*(unsigned *)context += node->has_memory;
	return 0;
}

test(this_machine_has_a_node_with_memory)
{
	unsigned count = 0;

	check_equal(numa_each(count_node, &count), 0);
	check(count > 0);
}

test(memory_of_a_node_lies_there)
{
	void *at;

	check_equal(map_memory(4 * MIB, MAP_PAGE_SMALL, &at), 0);
	check_equal(numa_bind(at, 4 * MIB, 0), 0);
	memset(at, 1, 4 * MIB);
	check_equal(numa_check(at, 4 * MIB, 0), 0);
	unmap_memory(at, 4 * MIB);
}

test(memory_wherever_it_falls_is_asked_nothing)
{
	char page[1] = "";

	check_equal(numa_bind(page, 1, NUMA_ANY), 0);
	check_equal(numa_check(page, 1, NUMA_ANY), 0);
	check(numa_room_bytes(NUMA_ANY) == UINT64_MAX);
}

test(node_that_the_kernel_does_not_have_is_refused)
{
	void *at;

	check_equal(map_memory(MIB, MAP_PAGE_SMALL, &at), 0);
	check(numa_bind(at, MIB, 63) < 0);
	check(numa_bind(at, MIB, 1 << 20) < 0);
	check(numa_bind(at, MIB, -2) < 0);
	unmap_memory(at, MIB);
}

test(memory_of_one_node_is_not_another_s)
{
	void *at;

	check_equal(map_memory(MIB, MAP_PAGE_SMALL, &at), 0);
	memset(at, 1, MIB);
	check(numa_check(at, MIB, 63) < 0);
	unmap_memory(at, MIB);
}

test(memory_never_touched_lies_nowhere)
{
	void *at;

	check_equal(map_memory(MIB, MAP_PAGE_SMALL, &at), 0);
#ifdef __x86_64__ /* qemu-user does not know the call */
	int err = numa_check(at, MIB, 0);
	check(err == -ENOENT || err == -EFAULT);
#endif
	unmap_memory(at, MIB);
}

test(room_is_no_more_than_the_machine_has)
{
	uint64_t room = numa_room_bytes(0);

	check(room > 0);
	check(room == UINT64_MAX || room <= map_total_bytes());
}

/* ---- made up ---- */

struct nodes { unsigned count; struct numa_node at[8]; };

static int take_node(const struct numa_node *node, void *context)
{
	struct nodes *nodes = context;

	nodes->at[nodes->count++] = *node;
	return nodes->count == 8;
}

static void put_node(unsigned number, const char *cpus, unsigned total_mib)
{
	char path[128], text[512];

	snprintf(path, sizeof(path), "/node/node%u/cpulist", number);
	tree_put(path, cpus);
	snprintf(path, sizeof(path), "/node/node%u/meminfo", number);
	snprintf(text, sizeof(text), "Node %u MemTotal:       %u kB\nNode %u MemFree:        %u kB\nNode %u Inactive(anon):  7 kB\n"
	         "Node %u Inactive(file):  102400 kB\n", number, total_mib << 10, number, total_mib << 9, number, number);
	tree_put(path, text);
}

/* Sparse numbers; node 0 without memory, node 8 without CPUs. */
static bool start_nodes(void)
{
	tree_start();
	tree_put("/node/online", "0,2,8\n");
	put_node(0, "0\n", 0);
	put_node(2, "1-1023\n", 4096);
	put_node(8, "\n", 2048);
	if (tree_over("/node", NODES))
		return true;
	tree_end();
	return false;
}

static void end_nodes(void)
{
	tree_off(NODES);
	tree_end();
}

test(sparse_nodes_come_in_order_with_what_they_have)
{
	static struct nodes nodes;
	struct cpu_list all;

	if (!start_nodes())
		return;
	cpu_allowed(&all);
	check_equal(numa_each(take_node, &nodes), 0);
	check_equal(nodes.count, 3);
	check_equal(nodes.at[0].number, 0);
	check(!nodes.at[0].has_memory);
	check_equal(nodes.at[1].number, 2);
	check(nodes.at[1].has_memory);
	check_equal(nodes.at[0].cpus.count + nodes.at[1].cpus.count, all.count);
	check_equal(nodes.at[2].number, 8);
	check(nodes.at[2].has_memory);
	check_equal(nodes.at[2].cpus.count, 0);
	end_nodes();
}

test(each_stops_when_told_to)
{
	static struct nodes nodes;

	if (!start_nodes())
		return;
	nodes.count = 7;
	check_equal(numa_each(take_node, &nodes), 1);
	end_nodes();
}

test(room_of_a_node_is_what_is_free_and_what_files_give_back)
{
	if (!start_nodes())
		return;
	check_equal(numa_room_bytes(2), (2048 + 100) * MIB - 85899345); /* a 50th of 4 GiB */
	check_equal(numa_room_bytes(8), (1024 + 100) * MIB - 64 * MIB);
	check_equal(numa_room_bytes(0), 36 * MIB);
	check(numa_room_bytes(5) == UINT64_MAX);
	end_nodes();
}

test(room_of_a_node_that_has_less_than_the_reserve_is_none)
{
	tree_start();
	tree_put("/node/node0/meminfo", "Node 0 MemTotal: 8192000 kB\nNode 0 MemFree: 65535 kB\n");
	if (tree_over("/node", NODES)) {
		check_equal(numa_room_bytes(0), 0);
		tree_off(NODES);
	}
	tree_end();
}

test(made_up_node_cannot_be_bound)
{
	void *at;

	if (!start_nodes())
		return;
	check_equal(map_memory(MIB, MAP_PAGE_SMALL, &at), 0);
	check(numa_bind(at, MIB, 2) < 0);
	check(numa_bind(at, MIB, 8) < 0);
	memset(at, 1, MIB);
	check(numa_check(at, MIB, 2) < 0);
	unmap_memory(at, MIB);
	end_nodes();
}

test(kernel_without_numa_is_one_node_with_all_cpus)
{
	static struct nodes nodes;
	struct cpu_list all;

	tree_start();
	tree_put("/node/uevent", "");
	if (tree_over("/node", NODES)) {
		cpu_allowed(&all);
		check_equal(numa_each(take_node, &nodes), 0);
		check_equal(nodes.count, 1);
		check_equal(nodes.at[0].number, 0);
		check(nodes.at[0].has_memory);
		check_equal(nodes.at[0].cpus.count, all.count);
		check(numa_room_bytes(0) == UINT64_MAX);
		tree_off(NODES);
	}
	tree_end();
}

/* ---- clusters ---- */

static const struct cpu_list eight = { .count = 8, .cpus = { 0, 1, 2, 3, 8, 9, 10, 11 } };

static void put_cache(unsigned cpu, unsigned index, const char *level, const char *shared)
{
	char path[128];

	snprintf(path, sizeof(path), "/cpu/cpu%u/cache/index%u/level", cpu, index);
	tree_put(path, level);
	snprintf(path, sizeof(path), "/cpu/cpu%u/cache/index%u/shared_cpu_list", cpu, index);
	tree_put(path, shared);
}

test(cluster_is_who_shares_the_last_cache)
{
	struct cpu_list cluster;

	tree_start();
	put_cache(9, 0, "1\n", "9\n");
	put_cache(9, 1, "3\n", "8-10\n");
	put_cache(9, 2, "2\n", "9\n");
	put_cache(0, 0, "3\n", "1-3\n"); /* not even itself */
	put_cache(1, 0, "x\n", "1\n");
	if (tree_over("/cpu", CPUS)) {
		cluster_of(9, &eight, &cluster);
		check_equal(cluster.count, 3);
		check_equal(cluster.cpus[0], 8);
		check_equal(cluster.cpus[2], 10);
		cluster_of(0, &eight, &cluster);
		check_equal(cluster.count, 8);
		cluster_of(1, &eight, &cluster);
		check_equal(cluster.count, 8);
		cluster_of(2, &eight, &cluster);
		check_equal(cluster.count, 8);
		tree_off(CPUS);
	}
	tree_end();
}

test(siblings_are_threads_of_one_core)
{
	static const struct cpu_list few = { .count = 2, .cpus = { 0, 1 } };
	struct cpu_list siblings;

	tree_start();
	tree_put("/cpu/cpu1/topology/thread_siblings_list", "1,9\n");
	tree_put("/cpu/cpu2/topology/thread_siblings_list", "2-3\n");
	if (tree_over("/cpu", CPUS)) {
		cluster_siblings(1, &eight, &siblings);
		check_equal(siblings.count, 2);
		check_equal(siblings.cpus[1], 9);
		check(cluster_has(&siblings, 1) && cluster_has(&siblings, 9) && !cluster_has(&siblings, 2));
		cluster_siblings(1, &few, &siblings);
		check_equal(siblings.count, 1);
		cluster_siblings(2, &few, &siblings);
		check_equal(siblings.count, 0); /* neither is among them */
		cluster_siblings(8, &eight, &siblings); /* nobody tells */
		check_equal(siblings.count, 1);
		check_equal(siblings.cpus[0], 8);
		tree_off(CPUS);
	}
	tree_end();
}
