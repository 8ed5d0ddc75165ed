/* stat_rank.c: Spearman's rank correlation, by written-out ranks. */
#include "stat/rank.h"

#include "test.h"

static int64_t rho;
static bool is_clear;

test(opposite_orders_are_minus_one)
{
	const int64_t bandwidth[] = { 90, 175, 1010, 2105, 2960, 3820 }, time[] = { 11900, 6100, 1063, 510, 363, 281 };

	check(rank_correlation(bandwidth, time, 6, &rho, &is_clear));
	check_equal(rho, -1000);
	check(is_clear);
}

/* Ranks 1 2 3 4 5 and 2 1 4 3 5: the squared differences add up to 4, rho = 1 - 6 * 4 / (5 * 24) = 0.8; too few for 95 %. */
test(a_textbook_case)
{
	const int64_t x[] = { 10, 20, 30, 40, 50 }, y[] = { 7, 3, 90, 80, 100 };

	check(rank_correlation(x, y, 5, &rho, &is_clear));
	check_equal(rho, 800);
	check(!is_clear);
}

/* y's ranks are 1.5 1.5 3 4 5: sums of squares of twice the centred ranks 40 and 38, of products 38; 38 / sqrt(40 * 38) = 0.974. */
test(equal_values_share_their_rank)
{
	const int64_t x[] = { 1, 2, 3, 4, 5 }, y[] = { 4, 4, 5, 6, 7 };

	check(rank_correlation(x, y, 5, &rho, &is_clear));
	check_equal(rho, 974);
}

test(no_order_is_not_clear)
{
	const int64_t x[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, y[] = { 3, 8, 1, 6, 5, 2, 7, 4 };

	check(rank_correlation(x, y, 8, &rho, &is_clear));
	check(!is_clear);
}

test(too_few_pairs_or_no_variation_have_none)
{
	const int64_t x[] = { 1, 2, 3, 4, 5 }, flat[] = { 7, 7, 7, 7, 7 };

	check(!rank_correlation(x, x, 4, &rho, &is_clear));
	check(!rank_correlation(x, flat, 5, &rho, &is_clear));
}
