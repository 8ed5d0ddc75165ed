/* mem_buffer.c: pages of a kind, by their true names. */
#include "mem/buffer.h"

#include <errno.h>

#include "capacity.h"
#include "sys/cpu.h"
#include "sys_tree.h"
#include "test.h"

test(huge_pages_round_up_to_whole_ones)
{
	check_equal(buffer_round(32 * KIB, MAP_PAGE_THP), 2 * MIB);
	check_equal(buffer_round(2 * MIB + 1, MAP_PAGE_2M), 4 * MIB);
	check_equal(buffer_round(1, MAP_PAGE_1G), GIB);
	check_equal(buffer_round(2 * MIB, MAP_PAGE_2M), 2 * MIB);
}

test(page_words_are_those_of_the_parameter)
{
	check_string(buffer_page_word(MAP_PAGE_THP), "thp");
	check_string(buffer_page_word(MAP_PAGE_2M), "2m");
	check_string(buffer_page_word(MAP_PAGE_1G), "1g");
	if (map_page_bytes() == 4096)
		check_string(buffer_page_word(MAP_PAGE_SMALL), "4k");
}

test(huge_pages_count_as_granted_from_half_of_the_buffer)
{
	struct buffer buffer = { .bytes = 4 * MIB, .page = MAP_PAGE_THP };

	check(!buffer_is_granted(&buffer, 0));
	check(!buffer_is_granted(&buffer, 2 * MIB - 1));
	check(buffer_is_granted(&buffer, 2 * MIB));
}

test(small_pages_are_always_granted_and_never_huge)
{
	struct buffer buffer;

	check_equal(buffer_map(&buffer, 4 * MIB, MAP_PAGE_SMALL), 0);
	buffer_touch(buffer.at, buffer.bytes);
	check_equal(buffer_huge_bytes(&buffer), 0);
	check(buffer_is_granted(&buffer, 0));
	buffer_unmap(&buffer);
	check(!buffer.at);
}

test(huge_pages_found_never_exceed_the_buffer)
{
	struct buffer one, two;

	check_equal(buffer_map(&one, 2 * MIB, MAP_PAGE_THP), 0);
	check_equal(buffer_map(&two, 2 * MIB, MAP_PAGE_THP), 0);
	buffer_touch(one.at, one.bytes);
	buffer_touch(two.at, two.bytes);
	check(buffer_huge_bytes(&one) <= one.bytes);
	check(buffer_huge_bytes(&two) <= two.bytes);
	buffer_unmap(&one);
	buffer_unmap(&two);
}

test(pages_from_a_pool_are_not_bound_by_free_memory)
{
	check(buffer_room_bytes(MAP_PAGE_2M) == UINT64_MAX);
	check(buffer_room_bytes(MAP_PAGE_SMALL) < UINT64_MAX);
}

/* What sysfs tells of the cache of the CPU that this process may use first; with another one on it, or not. */
static uint64_t last_cache_of(const char *size, const char *sharers)
{
	char place[64];
	struct cpu_list all;
	uint64_t bytes = 0;

	cpu_allowed(&all);
	snprintf(place, sizeof(place), "/sys/devices/system/cpu/cpu%u/cache", all.cpus[0]);
	tree_start();
	tree_put("/cache/index0/level", "2\n");
	tree_put("/cache/index0/size", "512K\n");
	tree_put("/cache/index0/type", "Unified\n");
	tree_put("/cache/index0/shared_cpu_list", "0-1023\n");
	tree_put("/cache/index1/level", "3\n");
	tree_put("/cache/index1/size", size);
	tree_put("/cache/index1/type", "Unified\n");
	tree_put("/cache/index1/shared_cpu_list", sharers);
	if (tree_over("/cache", place)) {
		bytes = buffer_last_cache_bytes();
		tree_off(place);
	}
	tree_end();
	return bytes;
}

test(last_caches_are_counted_as_often_as_the_cpus_have_one)
{
	struct cpu_list all;
	char own[16];

	cpu_allowed(&all);
	snprintf(own, sizeof(own), "%u\n", all.cpus[0]);
	if (!last_cache_of("32768K\n", "0-1023\n"))
		return; /* not root */
	check_equal(last_cache_of("32768K\n", "0-1023\n"), 32 * MIB);
	check_equal(last_cache_of("32768K\n", own), all.count * 32 * MIB);
}

test(cache_of_an_absurd_size_is_4_gib_at_most)
{
	uint64_t bytes = last_cache_of("4294967295K\n", "0-1023\n");

	check(!bytes || bytes == 4 * GIB);
}

test(a_buffer_below_four_times_the_last_cache_may_fit_it)
{
	uint64_t cache_bytes = buffer_last_cache_bytes();

	check(cache_bytes > 0);
	check(buffer_may_fit_cache(4 * cache_bytes - 4));
	check(!buffer_may_fit_cache(4 * cache_bytes));
}

static int fill_nothing(const struct buffer *buffer)
{
	(void)buffer;
	return -EIO;
}

test(a_buffer_is_had_on_its_node_or_tells_why_not)
{
	struct cpu_list cpus;
	struct buffer buffer;

	cpu_allowed(&cpus);
	check_equal(buffer_get(&buffer, 1, MAP_PAGE_SMALL, cpu_node(cpus.cpus[0]), buffer_fill), 0);
	check_equal(buffer.bytes, map_page_bytes());
	buffer_unmap(&buffer);
	check_equal(buffer_get(&buffer, 1, MAP_PAGE_SMALL, 1023, buffer_fill), -EXDEV);
	check(buffer.node_err < 0 && buffer.node_err != -EXDEV);
	buffer_unmap(&buffer);
	check_equal(buffer_get(&buffer, 1, MAP_PAGE_SMALL, NUMA_ANY, fill_nothing), -EIO);
	buffer_unmap(&buffer);
	check_equal(buffer_get(&buffer, 1ull << 60, MAP_PAGE_SMALL, NUMA_ANY, buffer_fill), -ENOMEM);
	check(!buffer.at);
}
