#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/call.h"
#include "sys/cpu.h"
#include "sys/map.h"

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
	check(!strcmp(why, "available") || !strcmp(why, "cgroup"));
}

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
