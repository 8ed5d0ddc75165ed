/*
 * inject.h: faults made on purpose, one of each class, to prove that the test finds it and tells its class.
 *
 * A word in real memory is made wrong behind the writer's back before it is checked, so that the loops cost nothing.  How such a fault goes on behaving is
 * played to the closer look (fault.c), whose accesses all come by here.
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>
#include <stdint.h>

enum inject { INJECT_NONE, INJECT_BIT, INJECT_ADDRESS, INJECT_CELL, INJECT_READ, INJECT_WRITE, INJECT_COHERENCY, INJECT_LANE, INJECT_UE, INJECT_CACHED_CELL };
#define INJECT_WORDS "none|bit|address|cell|read|write|coherency|lane|ue|cached-cell" /* in this order; bit is write, always in bit 17 */

/* cached-cell: a cache on the memory's side gives back what was written, until 4 MiB of others have come by.
 * ue does not come back: what the kernel does to who consumes an uncorrected error is done to this thread.
 * Makes one word of the buffer, chosen by the seed, wrong.  False: nothing was done (none; or address, where all words are alike). */
bool inject_fault(enum inject inject, uint64_t *buffer, uint64_t words, uint64_t seed);
/* Nothing is played any more. */
void inject_end(void);

/* ---- for the closer look ---- */
void inject_look(uint64_t *at, unsigned cpu); /* begins, on that CPU */
uint64_t inject_read(const uint64_t *at);
void inject_write(uint64_t *at, uint64_t word);
void inject_flush(const uint64_t *at);

#endif
