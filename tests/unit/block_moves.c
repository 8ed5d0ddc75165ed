/* block_moves.c: devices with wrong addresses, simulated in blocks of 4 KiB: wrap, alias and misdirection are told apart. */
#include "test.h"

#include "block/moves.h"
#include "lib/random.h"

enum { BLOCK = 4096, MAX_PLACES = 16384 };

static uint32_t cells[MAX_PLACES];
static bool chosen[MAX_PLACES];
static struct moves moves;
static struct moves_ground ground;

typedef uint32_t map(uint32_t place, uint64_t how);

static uint32_t same(uint32_t place, uint64_t how) { (void)how; return place; }
static uint32_t wraps(uint32_t place, uint64_t blocks) { return place % (uint32_t)blocks; }
static uint32_t ignores(uint32_t place, uint64_t bits) { return place & ~(uint32_t)bits; }
static uint32_t joins(uint32_t place, uint64_t bits) { return place & (uint32_t)bits ? place | (uint32_t)bits : place; }

static void begin(uint32_t places, map *where, uint64_t how)
{
	moves = (struct moves){ .blocks = 0 };
	ground = (struct moves_ground){ .size_bytes = (uint64_t)places * BLOCK, .first_good_bytes = UINT64_MAX / 2 };
	for (uint32_t i = 0; i < places; i++)
		if (chosen[i])
			cells[where(i, how)] = i;
}

static enum move judge(uint32_t places, map *where, uint64_t how)
{
	for (uint32_t i = 0; i < places; i++) {
		uint64_t at = (uint64_t)i * BLOCK, other = (uint64_t)cells[where(i, how)] * BLOCK;

		if (!chosen[i])
			continue;
		ground.checked_bytes += BLOCK;
		if (at != other) {
			moves_add(&moves, at, other);
			continue;
		}
		if (!ground.good_bytes)
			ground.first_good_bytes = at;
		ground.good_bytes += BLOCK;
	}
	return moves_judge(&moves, &ground);
}

static enum move all_of(uint32_t places, map *where, uint64_t how)
{
	memset(chosen, 1, sizeof chosen);
	begin(places, where, how);
	return judge(places, where, how);
}

/* The places that differ from the first in one bit, and every tenth or so. */
static enum move some_of(uint32_t places, map *where, uint64_t how)
{
	struct random random;

	random_seed(&random, 9);
	for (uint32_t i = 0; i < places; i++)
		chosen[i] = !(i & (i - 1)) || random_below(&random, 10) == 0 || i == places - 1;
	begin(places, where, how);
	return judge(places, where, how);
}

test(every_capacity_is_told_exactly)
{
	static const uint32_t capacities[] = { 1, 2, 3, 1000, 4096, 5120, 5123, 6000, 8191, 8192, 8193, 9999, 10240, 12288, 16000, 16383 };

	for (unsigned i = 0; i < sizeof capacities / sizeof *capacities; i++) {
		check_equal(all_of(16384, wraps, capacities[i]), MOVE_WRAP);
		check_equal(moves.step_bytes, (uint64_t)capacities[i] * BLOCK);
	}
}

test(capacity_of_a_device_of_an_odd_size_is_told)
{
	for (uint32_t capacity = 100; capacity < 9973; capacity += 97) {
		check_equal(all_of(9973, wraps, capacity), MOVE_WRAP);
		check_equal(moves.step_bytes, (uint64_t)capacity * BLOCK);
	}
}

test(every_ignored_address_bit_is_named)
{
	for (unsigned bit = 0; bit < 13; bit++) {
		check_equal(all_of(16384, ignores, 1u << bit), MOVE_ALIAS);
		check_equal(moves.any_bits, (uint64_t)BLOCK << bit);
	}
}

test(ignored_bit_of_a_device_of_an_odd_size_is_named)
{
	for (unsigned bit = 0; bit < 13; bit++) {
		check_equal(all_of(10007, ignores, 1u << bit), bit < 13 ? MOVE_ALIAS : MOVE_WRAP);
		check_equal(moves.any_bits, (uint64_t)BLOCK << bit);
	}
}

test(without_its_highest_bit_a_device_wraps)
{
	check_equal(all_of(16384, ignores, 8192), MOVE_WRAP);
	check_equal(moves.step_bytes, 8192 * BLOCK);
	check_equal(all_of(10007, ignores, 8192), MOVE_WRAP);
	check_equal(moves.step_bytes, 8192 * BLOCK);
}

test(two_ignored_bits_are_both_named)
{
	check_equal(all_of(16384, ignores, 0x0204), MOVE_ALIAS);
	check_equal(moves.any_bits, 0x0204ull * BLOCK);
}

test(two_bits_joined_are_both_named)
{
	check_equal(all_of(16384, joins, 0x0210), MOVE_ALIAS);
	check_equal(moves.any_bits, 0x0210ull * BLOCK);
}

test(sample_finds_every_ignored_bit)
{
	for (unsigned bit = 0; bit < 13; bit++) {
		check_equal(some_of(16384, ignores, 1u << bit), MOVE_ALIAS);
		check_equal(moves.any_bits, (uint64_t)BLOCK << bit);
	}
}

test(sample_finds_the_wrap_at_a_multiple_at_most)
{
	static const uint32_t capacities[] = { 5123, 6000, 8191, 9999, 4096, 8192 };

	for (unsigned i = 0; i < sizeof capacities / sizeof *capacities; i++) {
		check_equal(some_of(16384, wraps, capacities[i]), MOVE_WRAP);
		check_equal(moves.step_bytes % ((uint64_t)capacities[i] * BLOCK), 0);
	}
}

/* One block that went elsewhere is no property of the addresses, however near it lies. */
test(one_block_elsewhere_is_misdirected)
{
	for (uint32_t to = 1; to < 16384; to *= 2) {
		memset(chosen, 1, sizeof chosen);
		begin(16384, same, 0);
		cells[to] = 0;
		check_equal(judge(16384, same, 0), MOVE_MISDIRECTED);
	}
}

test(swapped_stretch_is_misdirected)
{
	memset(chosen, 1, sizeof chosen);
	begin(16384, same, 0);
	for (uint32_t i = 0; i < 256; i++) {
		cells[1024 + i] = 2048 + i;
		cells[2048 + i] = 1024 + i;
	}
	check_equal(judge(16384, same, 0), MOVE_MISDIRECTED);
}

test(blocks_strewn_at_random_are_misdirected)
{
	memset(chosen, 1, sizeof chosen);
	begin(16384, same, 0);
	for (uint32_t i = 0; i < 16384; i++)
		cells[i] = i * 2654435761u >> 18;
	check_equal(judge(16384, same, 0), MOVE_MISDIRECTED);
}

test(everything_one_block_off_is_misdirected)
{
	memset(chosen, 1, sizeof chosen);
	begin(16384, same, 0);
	for (uint32_t i = 0; i < 16383; i++)
		cells[i] = i + 1;
	cells[16383] = 0;
	check_equal(judge(16384, same, 0), MOVE_MISDIRECTED);
}

/* 2 MiB of writes in flight: of two on one cell that near, either may be the last. */
test(writes_that_overtook_one_another_do_not_hide_the_wrap)
{
	memset(chosen, 1, sizeof chosen);
	begin(16384, wraps, 300);
	ground.unordered_bytes = 512 * BLOCK;
	for (uint32_t i = 0; i < 100; i++)
		cells[i] = cells[i] > 300 ? cells[i] - 300 : cells[i];
	check_equal(judge(16384, wraps, 300), MOVE_WRAP);
	check_equal(moves.step_bytes, 300 * BLOCK);
}
