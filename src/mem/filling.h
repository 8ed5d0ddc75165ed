/*
 * filling.h: what a memory test writes: every word is a pure function of its place, so that it need not be stored to be
 * checked.
 */
#ifndef FILLING_H
#define FILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct filling {
	const char *name;
	/* The words number first, first + 1, ... of the buffer. */
	void (*fill)(uint64_t *to, size_t words, uint64_t first, uint64_t seed);
	bool moving;       /* also turned over word by word, upwards and then downwards: "moving inversions" */
	unsigned passes;   /* every second one with all bits inverted */
};

/* In the order of FILLING_WORDS; NULL behind the last. */
const struct filling *filling_at(unsigned index);
#define FILLING_WORDS "address|random|inversions|walking|checkerboard"

/* How often the whole buffer is gone through, written or read or both. */
unsigned filling_sweeps(const struct filling *filling);
/* How often every word is checked. */
unsigned filling_checks(const struct filling *filling);

#endif
