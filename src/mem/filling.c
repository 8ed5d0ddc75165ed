/*
 * filling.c: the table of patterns, and the few loops that write them.
 *
 * Of this project: address (each word its own offset), random, inversions (moving inversions of zeros and ones), walking, checkerboard.
 * memtester 4.7's tests, tests.c: stuck-address (address and its inverse by turns) to 16-bit.  Its arithmetic is done on two buffers that are then compared; here
 *   what is done to memory is compared with the same operation on the computed word, which no address line can make alike.
 * memtest86+'s: walking-address (each word the inverse of all that are one address line away: the parity of its place), own-physical, inversions-8bit to bit-fade.
 */
#include "capacity.h"
#include "mem/filling.h"

#define COLD __attribute__((cold, noinline))
#define ALL ~0ull
#define EACH_BYTE 0x0101010101010101ull

static const struct filling fillings[] = {
	[FILLING_ADDRESS]          = { .per_word = 8, .values = 1, .polarities = 2 },
	[FILLING_RANDOM]           = { .kind = FILLING_MIXED, .values = 1, .polarities = 2 },
	[FILLING_INVERSIONS]       = { .way = WAY_MOVING, .values = 1, .polarities = 1 },
	[FILLING_WALKING]          = { .base = 1, .turn = true, .values = 1, .polarities = 2 },
	[FILLING_CHECKERBOARD]     = { .base = 0x55 * EACH_BYTE, .alternate = ALL, .values = 1, .polarities = 2 },
	[FILLING_STUCK_ADDRESS]    = { .per_word = 8, .alternate = ALL, .values = 1, .polarities = 2 },
	[FILLING_XOR]              = { .kind = FILLING_MIXED, .base = 1, .way = WAY_APPLIED, .operation = APPLY_XOR, .values = 1, .polarities = 1 },
	[FILLING_SUB]              = { .kind = FILLING_MIXED, .base = 2, .way = WAY_APPLIED, .operation = APPLY_SUB, .values = 1, .polarities = 1 },
	[FILLING_MUL]              = { .kind = FILLING_MIXED, .base = 3, .way = WAY_APPLIED, .operation = APPLY_MUL, .values = 1, .polarities = 1 },
	[FILLING_DIV]              = { .kind = FILLING_MIXED, .base = 4, .way = WAY_APPLIED, .operation = APPLY_DIV, .values = 1, .polarities = 1 },
	[FILLING_OR]               = { .kind = FILLING_MIXED, .base = 5, .way = WAY_APPLIED, .operation = APPLY_OR, .values = 1, .polarities = 1 },
	[FILLING_AND]              = { .kind = FILLING_MIXED, .base = 6, .way = WAY_APPLIED, .operation = APPLY_AND, .values = 1, .polarities = 1 },
	[FILLING_INCREMENT]        = { .base = 0x9e3779b97f4a7c15, .per_word = 1, .values = 1, .polarities = 2 },
	[FILLING_SOLID_BITS]       = { .alternate = ALL, .values = 1, .polarities = 2 },
	[FILLING_BLOCK_SEQUENTIAL] = { .per_value = EACH_BYTE, .values = 256, .polarities = 1 },
	[FILLING_BIT_SPREAD]       = { .base = 5, .alternate = ALL, .values = 64, .polarities = 2 },
	[FILLING_BIT_FLIP]         = { .base = 1, .alternate = ALL, .values = 64, .polarities = 2 },
	[FILLING_WALKING_ONES]     = { .base = 1, .values = 64, .polarities = 1 },
	[FILLING_WALKING_ZEROES]   = { .base = ~1ull, .values = 64, .polarities = 1 },
	[FILLING_8_BIT]            = { .kind = FILLING_MIXED, .base = 7, .store_bytes = 1, .values = 1, .polarities = 2 },
	[FILLING_16_BIT]           = { .kind = FILLING_MIXED, .base = 8, .store_bytes = 2, .values = 1, .polarities = 2 },
	[FILLING_WALKING_ADDRESS]  = { .kind = FILLING_PARITY, .values = 1, .polarities = 2 },
	[FILLING_OWN_PHYSICAL]     = { .kind = FILLING_PHYSICAL, .values = 1, .polarities = 2 },
	[FILLING_INVERSIONS_8BIT]  = { .base = EACH_BYTE, .way = WAY_MOVING, .values = 8, .polarities = 2 },
	[FILLING_INVERSIONS_RANDOM] = { .kind = FILLING_MIXED, .base = 9, .way = WAY_MOVING, .values = 1, .polarities = 2 },
	[FILLING_INVERSIONS_64BIT] = { .base = 1, .turn = true, .way = WAY_MOVING, .values = 64, .polarities = 2 },
	[FILLING_BLOCK_MOVE]       = { .kind = FILLING_MIXED, .base = 10, .way = WAY_MOVED, .values = 1, .polarities = 2 },
	[FILLING_RANDOM_SEQUENCE]  = { .kind = FILLING_MIXED, .base = 11, .way = WAY_APPLIED, .values = 1, .polarities = 1 },
	[FILLING_MODULO_20]        = { .kind = FILLING_MODULO, .way = WAY_MODULO, .values = FILLING_MODULUS, .polarities = 2 },
	[FILLING_BIT_FADE]         = { .way = WAY_FADE, .values = 1, .polarities = 2 },
};

COLD const struct filling *filling_at(unsigned name)
{
	return name < COUNT_OF(fillings) ? &fillings[name] : NULL;
}

COLD unsigned filling_passes(const struct filling *filling, unsigned most)
{
	unsigned values = most / filling->polarities;

	if (!most || values > filling->values)
		values = filling->values;
	return (values ? values : 1) * filling->polarities;
}

COLD void filling_pass(struct filling_pass *pass, const struct filling *filling, uint64_t seed, unsigned index, unsigned passes)
{
	unsigned polarities = filling->polarities;

	pass->filling = filling;
	pass->seed = seed + filling->base;
	pass->value = (unsigned)((index / polarities * filling->values / (passes / polarities) + seed) % filling->values);
	pass->invert = index % polarities ? ~0ull : 0;
}

static uint64_t rotate(uint64_t word, unsigned bits)
{
	return word << (bits & 63) | word >> (-bits & 63);
}

/* splitmix64 (Vigna) at that place: any place of the sequence can be had without those before it. */
static inline uint64_t mixed(uint64_t seed, uint64_t place)
{
	uint64_t word = seed + (place + 1) * 0x9e3779b97f4a7c15;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
	word = (word ^ word >> 27) * 0x94d049bb133111eb;
	return word ^ word >> 31;
}

static uint64_t parity(uint64_t word)
{
	for (unsigned shift = 32; shift; shift /= 2)
		word ^= word >> shift;
	return -(word & 1);
}

static void write_linear(const struct filling_pass *pass, uint64_t *to, size_t words, uint64_t first)
{
	const struct filling *filling = pass->filling;
	uint64_t add = rotate(filling->base, pass->value) + filling->per_value * pass->value + first * filling->per_word;
	uint64_t invert = pass->invert ^ (-(first & 1) & filling->alternate), per_word = filling->per_word, alternate = filling->alternate;
	bool turn = filling->turn;

	for (size_t i = 0; i < words; i++) {
		to[i] = (turn ? rotate(add, first + i) : add) ^ invert;
		add += per_word;
		invert ^= alternate;
	}
}

void filling_write(const struct filling_pass *pass, uint64_t *to, size_t words, uint64_t first)
{
	uint64_t invert = pass->invert, other = ~invert, mask = (1ull << pass->page_words_log2) - 1, seed = pass->seed;

	switch (pass->filling->kind) {
	case FILLING_LINEAR:
		write_linear(pass, to, words, first);
		break;
	case FILLING_MIXED:
		for (size_t i = 0; i < words; i++)
			to[i] = mixed(seed, first + i) ^ invert;
		break;
	case FILLING_PARITY:
		for (size_t i = 0; i < words; i++)
			to[i] = parity(first + i) ^ invert;
		break;
	case FILLING_PHYSICAL:
		for (size_t i = 0; i < words; i++)
			to[i] = (pass->pages[(first + i) >> pass->page_words_log2] + ((first + i) & mask) * sizeof(*to)) ^ invert;
		break;
	case FILLING_MODULO:
		invert ^= mixed(seed, pass->value);
		other = ~invert;
		for (size_t i = 0; i < words; i++)
			to[i] = (first + i) % FILLING_MODULUS == pass->value ? invert : other;
		break;
	}
}

void filling_apply(const struct filling_pass *pass, uint64_t *to, const uint64_t *from, size_t words)
{
	uint64_t operand = mixed(pass->seed, ~0ull - 1) | 1;
	unsigned operation = pass->filling->operation;

	if (operation == APPLY_NOT)
		for (size_t i = 0; i < words; i++)
			to[i] = ~from[i];
	for (size_t i = 0; i < words && operation != APPLY_NOT; i++)
		switch (operation) {
		case APPLY_XOR: to[i] = from[i] ^ operand; break;
		case APPLY_SUB: to[i] = from[i] - operand; break;
		case APPLY_MUL: to[i] = from[i] * operand; break;
		case APPLY_DIV: to[i] = from[i] / (operand >> 40 | 1); break;
		case APPLY_OR: to[i] = from[i] | operand; break;
		case APPLY_AND: to[i] = from[i] & operand; break;
		}
}

/* mixed() backwards: its multipliers are odd, a xor with its own upper bits is undone from the top. */
static COLD uint64_t unmixed(uint64_t seed, uint64_t word)
{
	word = (word ^ word >> 31 ^ word >> 62) * 0x319642b2d24d8ec3;
	word = (word ^ word >> 27 ^ word >> 54) * 0x96de1b173f119089;
	word ^= word >> 30 ^ word >> 60;
	return (word - seed) * 0xf1de83e19937733d - 1;
}

static COLD uint64_t page_of(const struct filling_pass *pass, uint64_t physical, uint64_t words)
{
	uint64_t page_bytes = sizeof(uint64_t) << pass->page_words_log2, page = physical & ~(page_bytes - 1);

	for (uint64_t i = 0; i < words >> pass->page_words_log2; i++)
		if (pass->pages[i] == page)
			return (i << pass->page_words_log2) + (physical - page) / sizeof(uint64_t);
	return UINT64_MAX;
}

/* Whatever is computed back counts only if that place really has this content. */
static COLD bool is_content(const struct filling_pass *pass, uint64_t content, uint64_t place, uint64_t words)
{
	uint64_t word;

	if (place >= words)
		return false;
	filling_write(pass, &word, 1, place);
	return word == content;
}

COLD uint64_t filling_place(const struct filling_pass *pass, uint64_t content, bool second_stage, uint64_t words)
{
	const struct filling *filling = pass->filling;
	uint64_t places[2] = { UINT64_MAX, UINT64_MAX }, word;

	if (filling->way == WAY_MOVED || (second_stage && filling->operation != APPLY_NOT))
		return UINT64_MAX;
	content = second_stage ? ~content : content;
	word = content ^ pass->invert;
	if (filling->kind == FILLING_MIXED) {
		places[0] = unmixed(pass->seed, word);
	} else if (filling->kind == FILLING_PHYSICAL) {
		places[0] = page_of(pass, word, words);
	} else if (filling->per_word) {
		places[0] = (word - filling->base) / filling->per_word;
		places[1] = ((word ^ filling->alternate) - filling->base) / filling->per_word;
	}
	for (unsigned i = 0; i < COUNT_OF(places); i++)
		if (is_content(pass, content, places[i], words))
			return places[i];
	return UINT64_MAX;
}
