/*
 * reader.h: memory traffic at a given rate, as a display's scan-out makes it, while something else is measured.
 *
 * One thread, named for what it does ("load 2 GB/s", in /proc/PID/task/TID/comm), reads a buffer beyond the caches from end to end, again and again, in bursts of
 * a quarter of a millisecond.  What it missed for want of CPU or memory it does not make up for: the rate that was reached is told.
 */
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/text.h"

struct reader_told {
	uint64_t bytes, elapsed_ns; /* what was read, in what time */
	uint64_t cpu_ns;            /* of the thread */
	uint64_t wrong_chunks;      /* the data was not what was written: the memory is at fault */
};

/* Maps and fills the buffer, which stays for any number of starts; 0 bytes: four times the last cache, as far as memory allows.  0 or -errno. */
int reader_open(uint64_t bytes);
uint64_t reader_buffer_bytes(void);
bool reader_may_fit_cache(void);
/* rate_bytes_per_s above 0; 0; -ENXIO: reader_open was not called; -EINVAL; or -errno: the thread is not to be had, or not on that CPU. */
int reader_start(uint64_t rate_bytes_per_s, unsigned cpu);
void reader_stop(struct reader_told *told);
void reader_close(void);

/* "0.5 GB/s", exact. */
void reader_add_rate(struct text *text, uint64_t rate_bytes_per_s);

#endif
