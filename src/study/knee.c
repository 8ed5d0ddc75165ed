/* knee.c: see knee.h. */
#include "study/knee.h"

int knee_maximum(const struct knee_point *points, unsigned count)
{
	int best = -1;

	for (unsigned i = 0; i < count; i++)
		if (points[i].y > 0 && (best < 0 || points[i].y > points[best].y))
			best = (int)i;
	return best;
}

int knee_of(const struct knee_point *points, unsigned count)
{
	int maximum = knee_maximum(points, count), knee = maximum;

	for (unsigned i = 0; i < count && maximum >= 0; i++)
		if ((__int128)points[i].y * 100 >= (__int128)points[maximum].y * KNEE_PERCENT && points[i].x < points[knee].x)
			knee = (int)i;
	return knee;
}
