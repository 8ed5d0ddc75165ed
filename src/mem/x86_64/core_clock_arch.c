/* core_clock_arch.c: x86-64.  Of registers, not of a constant: newer CPUs do an addition of a constant in no time. */
#include "mem/core_clock.h"

void core_clock_chain(uint64_t count)
{
	uint64_t sum = 0;

	for (; count; count -= 64)
		__asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(count) : "cc");
}
