/*
 * random.h: reproducible pseudo-random numbers (xoshiro256** seeded by splitmix64, Blackman and Vigna).
 * Not for secrets, nor for the nonce of an integrity test: that comes from sys/entropy.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

struct random { uint64_t state[4]; };

void random_seed(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
uint64_t random_below(struct random *random, uint64_t bound); /* uniform; bound > 0 */

/*
 * Every number below count once, in an order of the seed's and the pass's, without a map: a bijection on the next power
 * of two (multiplications by odd numbers, additions, xor-shifts), walked on until it falls below count.
 */
struct random_order {
	uint64_t count, mask;
	uint64_t factors[3], addends[3];
	unsigned shift;
};

void random_order(struct random_order *order, uint64_t count, uint64_t seed, uint64_t pass); /* 1 to 2^63 */

/* index < count.  Here, for it is asked for each I/O. */
static inline uint64_t random_order_at(const struct random_order *order, uint64_t index)
{
	do {
		#pragma GCC unroll 3
		for (unsigned i = 0; i < 3; i++) {
			index = (index * order->factors[i] + order->addends[i]) & order->mask;
			index ^= index >> order->shift;
		}
	} while (index >= order->count);
	return index;
}

#endif
