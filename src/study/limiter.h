/*
 * limiter.h: what holds a device's bandwidth where it is, as a sentence with figures.  Pure.
 *
 * In this order: the link or bus (at least 85 % of what its coding leaves), the CPU (the threads were busy at least 90 % of the
 * time at the maximum), latency (the curve still rises with the bytes in flight where it ends), the board's bound, else what
 * is flat: the drive, or, where nothing is known of its link, the drive or a throttle.  A peak with less behind it is none of them.
 */
#ifndef LIMITER_H
#define LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#include "identity.h"
#include "study/reading.h"

/* What the device's own link or bus lets through. */
struct own_limit {
	uint64_t bytes_per_s;  /* 0: not known */
	char words[48];        /* "PCIe 8.0 GT/s x4", "mmc HS400" */
	char could[64];        /* where it trained lower than both ends can: "16.0 GT/s x4"; "" */
};

struct own_limit limiter_of_disk(const struct disk *disk); /* NULL: not known */

/* Is it known, and has no reading exceeded it?  Virtual machines tell of links that they do not have. */
bool limiter_is_believed(const struct readings *readings, const struct own_limit *own);

/* Of a PCIe link, in bytes a second of what its coding (8b/10b up to 5 GT/s, 128b/130b above) leaves; 0: not understood.
 * speed: "16.0 GT/s PCIe". */
uint64_t limiter_pcie(const char *speed, uint32_t width);
/* Of an eMMC or SD card at the timing that debugfs names, with the widest bus that it has; 0: not known. */
uint64_t limiter_mmc(const char *mode);

enum limiter {
	LIMITER_UNKNOWN, LIMITER_LINK, LIMITER_CPU, LIMITER_LATENCY, LIMITER_BOARD, LIMITER_DRIVE, LIMITER_FLAT, LIMITER_PEAK,
};

const char *limiter_word(enum limiter limiter); /* "link", "cpu", ... */

/* Which limit binds these readings; the sentence is added to text.  bound_bytes_per_s: the board file's; 0: none. */
enum limiter limiter_find(const struct readings *readings, const struct own_limit *own, uint64_t bound_bytes_per_s, struct text *text);

#endif
