/* core_clock_arch.c: aarch64.  Of registers, not of a constant: newer CPUs do an addition of a constant in no time. */
#include "mem/core_clock.h"

void core_clock_chain(uint64_t count)
{
	uint64_t sum = 0;

	for (; count; count -= 64)
		__asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(count));
}
