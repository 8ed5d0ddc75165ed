/*
 * wide.h: the few 128-bit operations that exact sums need.
 */
#ifndef WIDE_H
#define WIDE_H

#include <stdint.h>

/* denominator is not 0.  All divide by these, so that of libgcc's routines one is enough. */
struct quotient { unsigned __int128 whole, rest; };
struct quotient wide_divide(unsigned __int128 numerator, unsigned __int128 denominator);
__int128 wide_divide_signed(__int128 numerator, unsigned __int128 denominator); /* towards 0 */

/* numerator/denominator rounded to nearest; VALUE_NONE when denominator is 0 or it does not fit. */
int64_t wide_ratio(unsigned __int128 numerator, uint64_t denominator);
/* The same in thousandths, for any numerator. */
int64_t wide_ratio_milli(unsigned __int128 numerator, uint64_t denominator);
/* The whole part of the square root. */
uint64_t wide_root(unsigned __int128 square);

#endif
