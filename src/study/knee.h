/* knee.h: where a curve is as good as at its best.  Pure. */
#ifndef KNEE_H
#define KNEE_H

#include <stdint.h>

enum { KNEE_PERCENT = 95 };

struct knee_point { uint64_t x; int64_t y; };

/* The index of the point with the largest y, and of the one with the smallest x whose y is at least 95 % of that; -1 without points,
 * or when no y is above 0.  In any order. */
int knee_maximum(const struct knee_point *points, unsigned count);
int knee_of(const struct knee_point *points, unsigned count);

#endif
