/*
 * core_clock.h: the frequency that a CPU really runs at, now, from a chain of dependent additions of one cycle each; no counter is needed.
 * mem/<arch>/core_clock_arch.c holds the chain.
 */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdint.h>

/* Of the CPU that the caller is pinned to, the quickest of some short rounds (interrupts only slow down); about a millisecond. */
uint64_t core_clock_hz(void);

/* count dependent additions, a multiple of 64 */
void core_clock_chain(uint64_t count);

#endif
