/*
 * filling.c: see filling.h.
 *
 * address       each word holds its own address (its offset in the buffer): finds stuck or shorted address lines
 * random        no two places alike, all bits in both states: finds what depends on data
 * inversions    all bits turned over and back while neighbours hold the opposite: finds cells that disturb each other
 * walking       a single bit among its opposites, elsewhere in each word: finds shorted data lines
 * checkerboard  neighbouring bits, and neighbouring words, opposite: finds leaks between cells
 */
#include "capacity.h"
#include "mem/filling.h"

static void fill_address(uint64_t *to, size_t words, uint64_t first, uint64_t seed)
{
	(void)seed;
	for (size_t i = 0; i < words; i++)
		to[i] = (first + i) * sizeof(*to);
}

/* splitmix64 at position first + i: any place of the sequence can be had without those before it. */
static void fill_random(uint64_t *to, size_t words, uint64_t first, uint64_t seed)
{
	for (size_t i = 0; i < words; i++) {
		uint64_t word = seed + (first + i + 1) * 0x9e3779b97f4a7c15;

		word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
		word = (word ^ word >> 27) * 0x94d049bb133111eb;
		to[i] = word ^ word >> 31;
	}
}

static void fill_zero(uint64_t *to, size_t words, uint64_t first, uint64_t seed)
{
	(void)first;
	(void)seed;
	for (size_t i = 0; i < words; i++)
		to[i] = 0;
}

static void fill_walking(uint64_t *to, size_t words, uint64_t first, uint64_t seed)
{
	(void)seed;
	for (size_t i = 0; i < words; i++)
		to[i] = 1ull << (first + i) % 64;
}

static void fill_checkerboard(uint64_t *to, size_t words, uint64_t first, uint64_t seed)
{
	(void)seed;
	for (size_t i = 0; i < words; i++)
		to[i] = (first + i) % 2 ? 0xaaaaaaaaaaaaaaaa : 0x5555555555555555;
}

static const struct filling fillings[] = {
	{ .name = "address",      .fill = fill_address,      .passes = 2 },
	{ .name = "random",       .fill = fill_random,       .passes = 2 },
	{ .name = "inversions",   .fill = fill_zero,         .passes = 1, .moving = true },
	{ .name = "walking",      .fill = fill_walking,      .passes = 2 },
	{ .name = "checkerboard", .fill = fill_checkerboard, .passes = 2 },
};

const struct filling *filling_at(unsigned index)
{
	return index < COUNT_OF(fillings) ? &fillings[index] : NULL;
}

unsigned filling_sweeps(const struct filling *filling)
{
	return filling->passes * (filling->moving ? 4 : 2);
}

unsigned filling_checks(const struct filling *filling)
{
	return filling->passes * (filling->moving ? 3 : 1);
}
