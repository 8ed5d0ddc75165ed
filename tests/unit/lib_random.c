/* Tests of lib/random.c; the expected numbers come from the authors' definition, worked out apart from this code. */
#include "test.h"

#include "lib/random.h"

test(random_state_comes_from_splitmix64)
{
	struct random random;

	random_seed(&random, 0);
	check(random.state[0] == 0xe220a8397b1dcdaf);
	check(random.state[1] == 0x6e789e6aa1b965f4);
	check(random.state[2] == 0x06c45d188009454f);
	check(random.state[3] == 0xf88bb8a8724c81ec);
}

test(random_numbers_are_those_of_xoshiro256starstar)
{
	struct random random = { { 1, 2, 3, 4 } };

	check(random_next(&random) == 11520);
	check(random_next(&random) == 0);
	check(random_next(&random) == 1509978240);
	check(random_next(&random) == 1215971899390074240);
}

test(same_seed_gives_the_same_numbers)
{
	struct random a, b;

	random_seed(&a, 42);
	random_seed(&b, 42);
	for (unsigned i = 0; i < 100; i++)
		check(random_next(&a) == random_next(&b));
}

test(other_seed_gives_other_numbers)
{
	struct random a, b;

	random_seed(&a, 42);
	random_seed(&b, 43);
	check(random_next(&a) != random_next(&b));
}

test(random_below_covers_its_range_evenly)
{
	struct random random;
	unsigned counts[7] = { 0 };

	random_seed(&random, 1);
	for (unsigned i = 0; i < 70000; i++) {
		uint64_t number = random_below(&random, 7);

		check(number < 7);
		counts[number % 7]++;
	}
	for (unsigned i = 0; i < 7; i++)
		check(counts[i] > 9500 && counts[i] < 10500);
}

test(random_below_one_is_zero)
{
	struct random random;

	random_seed(&random, 9);
	check_equal(random_below(&random, 1), 0);
}

/* Without its second draw, every third number below 3 * 2^62 would come twice as often. */
test(random_below_a_huge_bound_is_even_too)
{
	struct random random;
	uint64_t bound = 3ull << 62;
	unsigned thirds = 0;

	random_seed(&random, 5);
	for (unsigned i = 0; i < 30000; i++) {
		uint64_t number = random_below(&random, bound);

		check(number < bound);
		thirds += number % 3 == 0;
	}
	check(thirds > 9500 && thirds < 10500);
}
