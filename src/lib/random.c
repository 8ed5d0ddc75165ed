/*
 * random.c: see random.h.  random_below is Lemire's: a product's upper half, its few biased values drawn again.
 */
#include "lib/random.h"

static uint64_t rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t word = *state += 0x9e3779b97f4a7c15u;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
	word = (word ^ word >> 27) * 0x94d049bb133111ebu;
	return word ^ word >> 31;
}

void random_seed(struct random *random, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		random->state[i] = splitmix64(&seed);
}

uint64_t random_next(struct random *random)
{
	uint64_t *state = random->state;
	uint64_t result = rotate(state[1] * 5, 7) * 9, shifted = state[1] << 17;

	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= shifted;
	state[3] = rotate(state[3], 45);
	return result;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
	unsigned __int128 product = (unsigned __int128)random_next(random) * bound;

	/* Only there may a value be biased, and only then is the division worth its time. */
	if ((uint64_t)product < bound) {
		uint64_t biased = -bound % bound;

		while ((uint64_t)product < biased)
			product = (unsigned __int128)random_next(random) * bound;
	}
	return (uint64_t)(product >> 64);
}

void random_order(struct random_order *order, uint64_t count, uint64_t seed, uint64_t pass)
{
	unsigned bits = count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
	uint64_t state = splitmix64(&seed) ^ splitmix64(&pass);

	order->count = count;
	order->mask = (1ull << bits) - 1;
	order->shift = bits / 2 + 1;
	for (unsigned i = 0; i < 3; i++) {
		order->factors[i] = splitmix64(&state) | 1;
		order->addends[i] = splitmix64(&state);
	}
}
