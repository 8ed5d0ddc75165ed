/* mem_fault.c: each class of fault is told from the others: 20 of 20, over seeds, sizes, places and patterns. */
#include "mem/fault.h"

#include "capacity.h"
#include "mem/integrity.h"
#include "sys/map.h"
#include "test.h"

enum { BLOCK_BYTES = INTEGRITY_BLOCK_WORDS * 8, BLOCKS = 64, ROUNDS = 20 };

static _Alignas(4096) uint64_t buffer[BLOCKS * INTEGRITY_BLOCK_WORDS];
static struct integrity_result result;
static struct cpu_list cpus;

static const uint8_t all_differ[] = { FILLING_ADDRESS, FILLING_RANDOM, FILLING_STUCK_ADDRESS, FILLING_INVERSIONS_RANDOM, FILLING_16_BIT };
static const uint8_t any[] = { FILLING_ADDRESS, FILLING_RANDOM, FILLING_INVERSIONS, FILLING_CHECKERBOARD, FILLING_MUL, FILLING_BLOCK_MOVE,
	FILLING_MODULO_20, FILLING_8_BIT, FILLING_SOLID_BITS, FILLING_RANDOM_SEQUENCE };

static void run_on(uint64_t *at, uint64_t bytes, unsigned pattern, enum inject inject, unsigned round)
{
	struct integrity_job job = { .at = at, .bytes = bytes, .cpus = &cpus, .seed = 1000 * round + 7, .flush = true, .inject = inject,
	                             .filling = filling_at(pattern), .most_passes = 2 };

	cpu_allowed(&cpus);
	job.threads = cpus.count < 4 ? cpus.count : 4;
	check_equal(integrity_run(&job, &result), 0);
}

static void run(unsigned pattern, enum inject inject, unsigned round)
{
	run_on(buffer, (4 + round * 3 % (BLOCKS - 4)) * BLOCK_BYTES, pattern, inject, round);
}

/* Every round finds exactly the one word, and all 20 tell the class. */
static void rounds(enum inject inject, enum fault_class kind, const uint8_t *patterns, unsigned count)
{
	unsigned right = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		run(patterns[round % count], inject, round);
		right += result.was_injected && result.errors == 1 && result.looked == 1 && result.classes[kind] == 1;
	}
	check_equal(right, ROUNDS);
}

test(a_stuck_cell_is_a_cell_20_of_20) { rounds(INJECT_CELL, FAULT_CELL, any, COUNT_OF(any)); }
test(a_stuck_byte_lane_is_a_cell_although_it_makes_addresses_of_other_words_20_of_20) { rounds(INJECT_LANE, FAULT_CELL, all_differ, COUNT_OF(all_differ)); }
/* In a small buffer nothing drives the word out of such a cache. */
test(a_cell_behind_a_cache_on_the_memory_s_side_is_a_cell)
{
	enum { BYTES = 17 * MIB };
	void *at;

	check_equal(map_memory(BYTES, MAP_PAGE_SMALL, &at), 0);
	for (unsigned round = 0; round < 4; round++) {
		run_on(at, BYTES, FILLING_RANDOM, INJECT_CACHED_CELL, round);
		check_equal(result.errors, 1);
		check_equal(result.classes[FAULT_CELL], 1);
	}
	run_on(at, 8 * MIB, FILLING_RANDOM, INJECT_CACHED_CELL, 1);
	check_equal(result.classes[FAULT_WRITE], 1);
	unmap_memory(at, BYTES);
}

test(a_transient_reading_is_the_read_path_20_of_20) { rounds(INJECT_READ, FAULT_READ, any, COUNT_OF(any)); }
test(a_word_that_did_not_arrive_is_the_write_path_20_of_20) { rounds(INJECT_WRITE, FAULT_WRITE, any, COUNT_OF(any)); }
test(a_flipped_bit_is_the_write_path_20_of_20) { rounds(INJECT_BIT, FAULT_WRITE, any, COUNT_OF(any)); }
test(a_shorted_line_is_an_address_line_20_of_20) { rounds(INJECT_ADDRESS, FAULT_ADDRESS, all_differ, COUNT_OF(all_differ)); }

test(a_stale_line_is_coherency_20_of_20_and_with_one_cpu_the_read_path)
{
	cpu_allowed(&cpus);
	rounds(INJECT_COHERENCY, cpus.count > 1 ? FAULT_COHERENCY : FAULT_READ, any, COUNT_OF(any));
}

test(an_address_line_is_told_with_the_other_word)
{
	run(FILLING_ADDRESS, INJECT_ADDRESS, 3);
	check(result.faults[0].is_proven);
	check_equal(result.faults[0].partner_bytes, result.faults[0].found);
	check_equal(__builtin_popcountll(result.faults[0].partner_bytes ^ result.faults[0].offset_bytes), 1);
}

test(a_flipped_bit_is_told_with_its_bit_and_both_cpus)
{
	run(FILLING_RANDOM, INJECT_BIT, 5);
	check_equal(result.differing, 1 << 17);
	check_equal(result.faults[0].expected ^ result.faults[0].found, 1 << 17);
	check_equal(result.faults[0].found, result.faults[0].flushed);
	check(cpus.count < 2 || result.faults[0].cpu != result.faults[0].writer);
	check(cpus.count < 2 || result.faults[0].cpu != result.faults[0].other_cpu);
}

test(a_word_of_another_place_is_an_address_line_although_it_does_not_show_again)
{
	struct fault fault = { .expected = 0x1000, .found = 0x2000, .elsewhere = 0x2000, .again = 0x2000, .flushed = 0x2000,
	                       .rewritten = 0x1000, .inverted = ~0x1000ull };

	check_equal(fault_classify(&fault, true), FAULT_ADDRESS);
	check_equal(fault_classify(&fault, false), FAULT_WRITE);
	fault.is_proven = true;
	check_equal(fault_classify(&fault, false), FAULT_ADDRESS);
}

/* One bit of an address is the address of another word: unless it is proven, it is a bit. */
test(one_bit_of_an_address_is_a_bit)
{
	struct fault fault = { .expected = 64, .found = 64 ^ 1024 };

	cpu_allowed(&cpus);
	fault.cpu = fault.other_cpu = cpus.cpus[0];
	for (unsigned i = 0; i < 512; i++)
		buffer[i] = 8 * i;
	buffer[8] = fault.found;
	fault_look(&fault, buffer, 512, 8, fault.found / 8);
	check_equal(fault.kind, FAULT_WRITE);
	check_equal(buffer[8], 64);
	fault.found = buffer[8] = 64 ^ 1024 ^ 512;
	fault_look(&fault, buffer, 512, 8, fault.found / 8);
	check_equal(fault.kind, FAULT_ADDRESS);
	check(!fault.is_proven);
	check_equal(fault.partner_bytes, 64 ^ 1024 ^ 512);
	check_equal(buffer[8], 64);
}

/* Byte lane 1 stuck at 0: what is found is the address of another word. */
test(a_word_of_another_place_that_cannot_be_written_is_a_cell)
{
	struct fault fault = { .expected = 0x123456, .found = 0x120056, .elsewhere = 0x120056, .again = 0x120056, .flushed = 0x120056,
	                       .rewritten = 0x120056, .inverted = ~0x12ff56ull };

	check_equal(fault_classify(&fault, true), FAULT_CELL);
	fault.inverted = ~0x123456ull;
	check_equal(fault_classify(&fault, true), FAULT_CELL);
	fault.rewritten = 0x123456;
	check_equal(fault_classify(&fault, true), FAULT_ADDRESS);
}

test(what_stays_or_comes_back_wrong_is_a_cell)
{
	struct fault fault = { .expected = 1, .found = 3, .elsewhere = 3, .again = 3, .flushed = 3, .rewritten = 3, .inverted = ~1ull };

	check_equal(fault_classify(&fault, false), FAULT_CELL);
	fault.rewritten = 1;
	fault.inverted = ~3ull; /* coupled: only the inverse is lost */
	check_equal(fault_classify(&fault, false), FAULT_CELL);
}

test(a_wrong_line_that_all_cpus_share_is_the_read_path)
{
	struct fault fault = { .expected = 1, .found = 3, .elsewhere = 3, .again = 3, .flushed = 1 };

	check_equal(fault_classify(&fault, false), FAULT_READ);
	fault.elsewhere = fault.again = 1;
	check_equal(fault_classify(&fault, false), FAULT_READ);
	fault.again = 3;
	check_equal(fault_classify(&fault, false), FAULT_COHERENCY);
}

test(every_class_has_a_word)
{
	check_string(fault_word(FAULT_CELL), "cell");
	check_string(fault_word(FAULT_READ), "read path");
	check_string(fault_word(FAULT_WRITE), "write path");
	check_string(fault_word(FAULT_COHERENCY), "coherency");
	check_string(fault_word(FAULT_ADDRESS), "address line");
}
