/*
 * wide.c: see wide.h.
 */
#include "event.h"
#include "lib/wide.h"

/* Inlined where the rest is not wanted, it would be another routine of libgcc's. */
__attribute__((noinline))
struct quotient wide_divide(unsigned __int128 numerator, unsigned __int128 denominator)
{
	return (struct quotient){ .whole = numerator / denominator, .rest = numerator % denominator };
}

__int128 wide_divide_signed(__int128 numerator, unsigned __int128 denominator)
{
	unsigned __int128 sign = numerator < 0 ? -1 : 0; /* two's complement: x ^ sign - sign is x or -x */

	return (__int128)((wide_divide(((unsigned __int128)numerator ^ sign) - sign, denominator).whole ^ sign) - sign);
}

int64_t wide_ratio(unsigned __int128 numerator, uint64_t denominator)
{
	struct quotient ratio;

	if (!denominator)
		return VALUE_NONE;
	ratio = wide_divide(numerator, denominator);
	ratio.whole += ratio.rest >= denominator - denominator / 2;
	return ratio.whole > INT64_MAX ? VALUE_NONE : (int64_t)ratio.whole;
}

int64_t wide_ratio_milli(unsigned __int128 numerator, uint64_t denominator)
{
	if (numerator >= (unsigned __int128)denominator * (INT64_MAX / 1000 + 1))
		return VALUE_NONE;
	return wide_ratio(numerator * 1000, denominator);
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
