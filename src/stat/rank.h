/* rank.h: do two quantities rise together?  Spearman's rank correlation, equal values sharing their mean rank. */
#ifndef RANK_H
#define RANK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * In thousandths, -1000 to 1000, over count pairs.  False below 5 pairs, or when one of the two does not vary.
 * *is_clear: too far from 0 for chance at 95 % (by the normal approximation, |rho| > 1.96 / sqrt(n - 1)).
 */
bool rank_correlation(const int64_t *x, const int64_t *y, unsigned count, int64_t *rho_milli, bool *is_clear);

#endif
