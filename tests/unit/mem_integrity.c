/* mem_integrity.c: the memory test finds what is planted, and finds nothing where nothing is. */
#include "mem/integrity.h"

#include <errno.h>

#include "capacity.h"
#include "mem/cache.h"
#include "test.h"

enum { BLOCK_BYTES = INTEGRITY_BLOCK_WORDS * 8, BYTES = 256 * BLOCK_BYTES };

static _Alignas(4096) uint64_t buffer[BYTES / 8];
static struct integrity_result result;
static struct cpu_list cpus;

static int run(const char *pattern, enum integrity_inject inject)
{
	struct integrity_job job = { .at = buffer, .bytes = BYTES, .cpus = &cpus, .seed = 42, .flush = true, .inject = inject };

	cpu_allowed(&cpus);
	job.threads = cpus.count < 4 ? cpus.count : 4;
	for (unsigned i = 0; (job.filling = filling_at(i)); i++)
		if (!strcmp(job.filling->name, pattern))
			return integrity_run(&job, &result);
	return -1;
}

static uint64_t tested_words(void)
{
	return integrity_bytes(BYTES, cpus.count < 4 ? cpus.count : 4) / 8;
}

static const char *const names[] = { "address", "random", "inversions", "walking", "checkerboard" };

test(good_memory_has_no_errors_and_every_word_is_checked)
{
	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		check_equal(run(names[i], INJECT_NONE), 0);
		check_equal(result.errors, 0);
		check_equal(result.checked_words, filling_checks(filling_at(i)) * tested_words());
	}
}

test(a_flipped_bit_is_found_by_every_pattern)
{
	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		check_equal(run(names[i], INJECT_BIT), 0);
		check_equal(result.errors, 1);
		check_equal(result.first.offset_bytes, tested_words() / 2 * 8);
		check_equal(result.first.expected ^ result.first.found, 1 << 17);
	}
}

test(a_flipped_bit_stays_wrong_when_read_again)
{
	check_equal(run("random", INJECT_BIT), 0);
	check_equal(result.first.again, result.first.found);
	check_string(integrity_where(result.first.expected, result.first.again), "cell or write path");
}

test(a_good_second_reading_puts_the_fault_on_the_read_path)
{
	check_string(integrity_where(0x55, 0x55), "read path");
	check_string(integrity_where(0x55, 0x54), "cell or write path");
}

test(a_word_that_landed_elsewhere_is_found_by_address)
{
	check_equal(run("address", INJECT_ADDRESS), 0);
	check_equal(result.errors, 1);
	check_equal(result.first.found, 0);
	check_equal(result.first.expected, tested_words() / 2 * 8);
}

test(a_word_that_landed_elsewhere_is_found_by_random)
{
	check_equal(run("random", INJECT_ADDRESS), 0);
	check_equal(result.errors, 1);
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

test(the_words_of_the_parameter_are_the_patterns_in_their_order)
{
	char words[96] = "";

	for (unsigned i = 0; filling_at(i); i++) {
		strcat(words, i ? "|" : "");
		strcat(words, filling_at(i)->name);
	}
	check_string(words, FILLING_WORDS);
}

test(a_pattern_is_the_same_wherever_it_is_started)
{
	uint64_t whole[64], part[32];

	for (unsigned i = 0; filling_at(i); i++) {
		filling_at(i)->fill(whole, 64, 1000, 7);
		filling_at(i)->fill(part, 32, 1032, 7);
		check(!memcmp(whole + 32, part, sizeof(part)));
	}
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
