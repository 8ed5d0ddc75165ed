/* rank.c: see rank.h. */
#include "lib/wide.h"
#include "stat/rank.h"

enum { LEAST_PAIRS = 5, SCALE = 1000 }; /* of the root, for its decimals */

/* Twice the distance of its rank from the middle one: whole also where equal values share a rank. */
static int64_t place(const int64_t *values, unsigned count, unsigned index)
{
	int64_t at = 0;

	for (unsigned i = 0; i < count; i++)
		at += (values[i] < values[index]) - (values[i] > values[index]);
	return at;
}

bool rank_correlation(const int64_t *x, const int64_t *y, unsigned count, int64_t *rho_milli, bool *is_clear)
{
	__int128 xx = 0, yy = 0, xy = 0;
	uint64_t root;

	for (unsigned i = 0; i < count; i++) {
		int64_t a = place(x, count, i), b = place(y, count, i);

		xx += a * a;
		yy += b * b;
		xy += a * b;
	}
	root = wide_root((unsigned __int128)(xx * yy) * SCALE * SCALE);
	if (count < LEAST_PAIRS || !root)
		return false;
	*rho_milli = (int64_t)wide_divide_signed(xy * 1000 * SCALE, root);
	*is_clear = (__int128)*rho_milli * *rho_milli * (count - 1) > 3841600; /* 1.96 squared, in millionths */
	return true;
}
