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

#endif
