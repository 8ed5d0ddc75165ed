#include "test.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capacity.h"
#include "sys/call.h"
#include "sys/cpu.h"
#include "sys/map.h"
#include "sys_tree.h"

test(memory_is_zero_and_writable)
{
	void *at;
	char *bytes;

	check_equal(map_memory(1 << 20, MAP_PAGE_SMALL, &at), 0);
	bytes = at;
	check_equal(bytes[0], 0);
	check_equal(bytes[(1 << 20) - 1], 0);
	bytes[(1 << 20) - 1] = 7;
	check_equal(bytes[(1 << 20) - 1], 7);
	unmap_memory(at, 1 << 20);
}

test(thp_memory_is_aligned_to_2m)
{
	void *at;

	check_equal(map_memory(3 << 20, MAP_PAGE_THP, &at), 0);
	check_equal((uintptr_t)at % (2 << 20), 0);
	((char *)at)[(3 << 20) - 1] = 1;
	unmap_memory(at, 3 << 20);
}

test(small_pages_are_never_huge)
{
	void *at;

	check_equal(map_memory(8 << 20, MAP_PAGE_SMALL, &at), 0);
	memset(at, 1, 8 << 20);
	check_equal(map_huge_bytes(at), 0);
	unmap_memory(at, 8 << 20);
}

test(more_than_the_address_space_is_minus_enomem_and_null)
{
	void *at = &at;

	check_equal(map_memory((size_t)1 << 60, MAP_PAGE_SMALL, &at), -ENOMEM);
	check(at == NULL);
}

test(shared_memory_is_seen_by_the_parent)
{
	void *at;
	pid_t child;

	check_equal(map_shared(100, &at), 0);
	child = fork();
	if (!child) {
		*(int *)at = 42;
		_exit(0);
	}
	waitpid(child, NULL, 0);
	check_equal(*(int *)at, 42);
	unmap_memory(at, 100);
}

test(page_is_a_power_of_two_of_at_least_4k)
{
	uint64_t bytes = map_page_bytes();

	check(bytes >= 4096 && !(bytes & (bytes - 1)));
}

test(budget_is_above_nothing_and_at_most_all)
{
	const char *why = "";
	uint64_t budget = map_budget_bytes(&why), total = map_total_bytes();

	check(budget > 0);
	check(budget <= total);
	check(!strcmp(why, "available") || !strcmp(why, "cgroup") || !strcmp(why, "nodes"));
}

#define NODES "/sys/devices/system/node"
#define STATUS "/proc/self/status"

static void put_node(unsigned number, unsigned free_mib)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/node/node%u/meminfo", number);
	snprintf(text, sizeof(text), "Node %u MemTotal: %u kB\nNode %u MemFree: %u kB\n", number, 1024 << 10, number, free_mib << 10);
	tree_put(path, text);
}

/* The budget when 80, 128 and 90 MiB are free on nodes 0, 2 and 8: 16, 64 and 26 less the reserve.  node 3 has no memory. */
static uint64_t budget_of(const char *allowed, const char **why)
{
	char status[64];
	uint64_t budget = UINT64_MAX;

	tree_start();
	tree_put("/node/has_memory", "0,2,8\n");
	put_node(0, 80);
	put_node(2, 128);
	put_node(8, 90);
	snprintf(status, sizeof(status), "Name:\tx\nMems_allowed:\t1\nMems_allowed_list:\t%s\n", allowed);
	tree_put("/status", status);
	if (tree_over("/node", NODES)) {
		if (tree_over("/status", STATUS)) {
			budget = map_budget_bytes(why);
			tree_off(STATUS);
		}
		tree_off(NODES);
	}
	tree_end();
	return budget;
}

test(budget_is_that_of_the_nodes_that_a_cpuset_allows)
{
	const char *why = "";
	uint64_t budget = budget_of("2-3,8", &why);

	if (budget == UINT64_MAX)
		return; /* not root */
	check_equal(budget, (64 + 26) * MIB);
	check_string(why, "nodes");
	check_equal(budget_of("0", &why), 16 * MIB);
}

test(nodes_bound_nothing_where_all_that_have_memory_are_allowed)
{
	const char *why = "nodes";

	check(budget_of("0-3,8", &why) > 128 * MIB);
	check(strcmp(why, "nodes") || budget_of("0-3,8", &why) == UINT64_MAX);
}

#ifdef __x86_64__ /* qemu-user does not know the call */
test(budget_is_that_of_the_nodes_that_a_policy_binds_to)
{
	unsigned long node_0 = 1;
	const char *why = "";
	uint64_t budget;

	if (sys_call(SYS_set_mempolicy, MPOL_BIND, &node_0, 8 * sizeof(node_0)))
		return; /* a container may forbid it */
	budget = budget_of("0-3,8", &why);
	check_equal(sys_call(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0), 0);
	if (budget != UINT64_MAX) {
		check_equal(budget, 16 * MIB);
		check_string(why, "nodes");
	}
}
#endif

/* A page behind the end of a file: touched, it would be a SIGBUS.  qemu-user takes the call for done without doing it. */
test(populating_tells_of_pages_that_cannot_be_had)
{
	char path[] = "/tmp/assay-map.XXXXXX";
	int fd = mkstemp(path), err;
	void *at, *behind_end = mmap(NULL, 2 * map_page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	check_equal(map_memory(map_page_bytes(), MAP_PAGE_SMALL, &at), 0);
	check_equal(map_populate(at, map_page_bytes()), 0);
	unmap_memory(at, map_page_bytes());
	err = map_populate(behind_end, 2 * map_page_bytes());
	check(err == -EFAULT || err == -ENOMEM || (!err && !strcmp(cpu_counter_name(), "cntvct")));
	munmap(behind_end, 2 * map_page_bytes());
	close(fd);
	unlink(path);
}
