/* mem_core_clock.c: the chain is as long as it says, and gives a frequency that a CPU may have. */
#include "mem/core_clock.h"

#include "sys/clock.h"
#include "test.h"

/* The least of some: whatever else runs only makes it longer. */
static uint64_t least_ns(uint64_t count)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < 50; i++) {
		uint64_t start = clock_now_ns(), took;

		core_clock_chain(count);
		took = clock_now_ns() - start;
		if (took < least)
			least = took;
	}
	return least;
}

test(four_times_the_additions_take_about_four_times_as_long)
{
	uint64_t once = least_ns(64 << 10), four = least_ns(64 << 12);

	check(four > 3 * once && four < 5 * once);
}

test(the_frequency_is_one_that_a_cpu_may_have)
{
	uint64_t hz = core_clock_hz();

	check(hz > 10000000 && hz < 10000000000); /* 10 MHz: an emulator's */
}
