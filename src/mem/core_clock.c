/* core_clock.c: see core_clock.h. */
#include "capacity.h"
#include "lib/wide.h"
#include "mem/core_clock.h"
#include "sys/clock.h"

enum { ROUNDS = 8, ROUND_ADDS = 64 << 12 }; /* a tenth of a millisecond each */

uint64_t core_clock_hz(void)
{
	uint64_t before = clock_ticks(), quickest = UINT64_MAX;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t now;

		core_clock_chain(ROUND_ADDS);
		now = clock_ticks();
		if (now - before < quickest)
			quickest = now - before;
		before = now;
	}
	/* In ticks of 2^-32 ns: a nanosecond would be too coarse. */
	return (uint64_t)wide_divide(((unsigned __int128)ROUND_ADDS * SECONDS(1)) << 32, (unsigned __int128)quickest * clock_ns_per_tick() + 1).whole;
}
