/* mem_integrity.c: the memory test finds what is planted, and finds nothing where nothing is. */
#include "mem/integrity.h"

#include <errno.h>

#include "capacity.h"
#include "mem/cache.h"
#include "sys/map.h"
#include "test.h"

enum { BLOCK_BYTES = INTEGRITY_BLOCK_WORDS * 8, BYTES = 256 * BLOCK_BYTES };

static _Alignas(4096) uint64_t buffer[BYTES / 8];
static struct integrity_result result;
static struct cpu_list cpus;

static uint64_t pages[BYTES / 4096];

static int run(unsigned pattern, enum inject inject)
{
	struct integrity_job job = { .at = buffer, .bytes = BYTES, .cpus = &cpus, .seed = 42, .flush = true, .inject = inject,
	                             .filling = filling_at(pattern), .most_passes = 4, .pages = pages };

	cpu_allowed(&cpus);
	job.threads = cpus.count < 4 ? cpus.count : 4;
	for (unsigned i = 0; i < COUNT_OF(pages); i++)
		pages[i] = 0x100000 + i * map_page_bytes();
	return integrity_run(&job, &result);
}

static uint64_t tested_words(void)
{
	return integrity_bytes(BYTES, cpus.count < 4 ? cpus.count : 4) / 8;
}

test(good_memory_has_no_errors_and_every_word_is_checked)
{
	for (unsigned i = 0; i < FILLING_COUNT; i++) {
		check_equal(run(i, INJECT_NONE), 0);
		check_equal(result.errors, 0);
		check_equal(result.looked, 0);
		check_equal(result.checked_words, integrity_checks(filling_at(i), 4) * tested_words());
	}
}

test(a_flipped_bit_is_found_once_by_every_pattern)
{
	for (unsigned i = 0; i < FILLING_COUNT; i++) {
		check_equal(run(i, INJECT_BIT), 0);
		check_equal(result.errors, 1);
		check_equal(result.differing, 1 << 17);
	}
}

test(a_word_that_landed_elsewhere_is_found_where_words_differ)
{
	static const uint8_t differ[] = { FILLING_ADDRESS, FILLING_RANDOM, FILLING_WALKING, FILLING_WALKING_ADDRESS, FILLING_OWN_PHYSICAL };

	for (unsigned i = 0; i < COUNT_OF(differ); i++) {
		check_equal(run(differ[i], INJECT_ADDRESS), 0);
		check(result.was_injected);
		check_equal(result.errors, 1);
	}
}

test(where_all_words_are_alike_no_address_fault_is_injected)
{
	check_equal(run(FILLING_INVERSIONS, INJECT_ADDRESS), 0);
	check(!result.was_injected);
	check_equal(result.errors, 0);
}

static bool spoil(void *context)
{
	unsigned *asked = context;

	if ((*asked)++ == 0)
		for (unsigned i = 0; i < BYTES / 8; i++)
			buffer[i] ^= 1ull << i % 3;
	return true;
}

test(every_one_of_many_wrong_words_is_counted_and_the_first_few_are_looked_at)
{
	unsigned asked = 0;
	struct integrity_job job = { .at = buffer, .bytes = BYTES, .cpus = &cpus, .threads = 1, .filling = filling_at(FILLING_RANDOM),
	                             .goes_on = spoil, .context = &asked };

	cpu_allowed(&cpus);
	check_equal(integrity_run(&job, &result), 0);
	check_equal(result.errors, BYTES / 8);
	check_equal(result.looked, INTEGRITY_LOOKS);
	check_equal(result.classes[FAULT_WRITE], INTEGRITY_LOOKS);
	check_equal(result.differing, 7);
}

test(own_physical_without_addresses_is_refused)
{
	struct integrity_job job = { .at = buffer, .bytes = BYTES, .cpus = &cpus, .threads = 1, .filling = filling_at(FILLING_OWN_PHYSICAL) };

	cpu_allowed(&cpus);
	check_equal(integrity_run(&job, &result), -EINVAL);
}

/* What is written by bytes and halves arrives whole. */
test(narrow_stores_write_the_same_words)
{
	static const uint8_t names[] = { FILLING_8_BIT, FILLING_16_BIT };

	for (unsigned n = 0; n < COUNT_OF(names); n++) {
		struct filling_pass pass = { .pages = NULL };
		uint64_t word;

		check_equal(run(names[n], INJECT_NONE), 0);
		filling_pass(&pass, filling_at(names[n]), 42, 1, 2);
		filling_write(&pass, &word, 1, 1234);
		check_equal(buffer[1234], word);
	}
}

static bool go_on_twice(void *context)
{
	return ++*(unsigned *)context < 3;
}

test(a_test_ends_behind_the_sweep_that_does_not_go_on_and_keeps_what_it_found)
{
	unsigned asked = 0;
	struct integrity_job job = { .at = buffer, .bytes = BYTES, .cpus = &cpus, .threads = 1, .filling = filling_at(0),
	                             .inject = INJECT_BIT, .goes_on = go_on_twice, .context = &asked };

	cpu_allowed(&cpus);
	check_equal(integrity_run(&job, &result), -ECANCELED);
	check_equal(asked, 3);
	check_equal(result.errors, 1);
	check_equal(result.checked_words, BYTES / 8);
}

test(a_cpu_that_is_not_there_is_named_and_nothing_counts_as_checked)
{
	struct integrity_job job = { .at = buffer, .bytes = BYTES, .cpus = &cpus, .threads = 1, .filling = filling_at(0) };

	cpu_allowed(&cpus);
	cpus.cpus[0] = MAX_CPUS - 1;
	check(integrity_run(&job, &result) < 0);
	check_equal(result.error_cpu, MAX_CPUS - 1);
	check_equal(result.checked_words, 0);
}

test(a_buffer_smaller_than_a_block_for_each_thread_is_refused)
{
	struct integrity_job job = { .at = buffer, .bytes = BLOCK_BYTES - 8, .cpus = &cpus, .threads = 1,
	                             .filling = filling_at(0) };

	cpu_allowed(&cpus);
	check(integrity_run(&job, &result) < 0);
}

test(whole_blocks_for_each_thread_are_used)
{
	check_equal(integrity_bytes(10 * BLOCK_BYTES + 5, 3), 9 * BLOCK_BYTES);
	check_equal(integrity_bytes(2 * BLOCK_BYTES, 3), 0);
}

test(a_flush_of_any_place_leaves_the_data_as_it_is)
{
	static char bytes[300];

	check(cache_line_bytes() >= 16);
	memset(bytes, 0x3c, sizeof(bytes));
	cache_flush(bytes + 1, 200);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		check_equal(bytes[i], 0x3c);
}
