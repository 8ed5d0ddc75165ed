/*
 * wide.c: see wide.h.
 */
#include "lib/wide.h"

#include "event.h"

int64_t wide_ratio(unsigned __int128 numerator, uint64_t denominator)
{
	unsigned __int128 ratio;

	if (!denominator)
		return VALUE_NONE;
	ratio = numerator / denominator;
	ratio += numerator % denominator >= denominator - denominator / 2;
	return ratio > INT64_MAX ? VALUE_NONE : (int64_t)ratio;
}

int64_t wide_ratio_milli(unsigned __int128 numerator, uint64_t denominator)
{
	unsigned __int128 whole, part;

	if (!denominator)
		return VALUE_NONE;
	whole = numerator / denominator;
	part = numerator % denominator * 1000;
	if (whole > INT64_MAX / 1000)
		return VALUE_NONE;
	return wide_ratio(whole * 1000 * denominator + part, denominator);
}

/* Digit by digit, two bits of the square for one of the root. */
uint64_t wide_root(unsigned __int128 square)
{
	unsigned __int128 root = 0;

	for (unsigned __int128 bit = (unsigned __int128)1 << 126; bit; bit >>= 2) {
		if (square >= root + bit) {
			square -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return (uint64_t)root;
}
