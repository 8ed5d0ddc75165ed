/*
 * c2c_groups.c: see c2c.h: CPUs in groups, by the gap between near and far pairs.
 *
 * Each CPU moves to the group that it agrees with best (near members count for it, far ones against) until none moves: correlation
 * clustering by local moves, so that one pair that was measured wrongly neither joins two groups nor splits one.
 */
#include <stdbool.h>

#include "mem/c2c.h"

enum { PASSES_MAX = 16 };

/* The largest value in [from, to), 0: none; or, to 0, the least above from. */
static int64_t find(const int64_t *pairs, unsigned count, int64_t from, int64_t to)
{
	int64_t found = 0;

	for (unsigned i = 0; i < count * count; i++) {
		int64_t value = pairs[i];

		if (i / count == i % count)
			continue;
		if (to ? value >= from && value < to && value > found : value > from && (!found || value < found))
			found = value;
	}
	return found;
}

/* Below it pairs are near: the lower side of the widest gap of a quarter or more; 0: there is none.  Two steps go up a quarter at least, so
 * that no list of sorted values is needed. */
static int64_t near_most(const int64_t *pairs, unsigned count)
{
	int64_t most = 0, above_most = 0;

	for (int64_t value = find(pairs, count, 0, 0), next; value; value = next) {
		next = find(pairs, count, value, value + (value + 3) / 4);
		if (next != value)
			continue;
		next = find(pairs, count, value, 0);
		if (next && (!most || (__int128)next * most > (__int128)above_most * value)) {
			most = value;
			above_most = next;
		}
	}
	return most;
}

static int agreement(const int64_t *row, unsigned count, unsigned me, const unsigned *group, unsigned number, int64_t near)
{
	int sum = 0;

	for (unsigned i = 0; i < count; i++)
		if (i != me && group[i] == number)
			sum += row[i] <= near ? 1 : -1;
	return sum;
}

/* To the best group, the first of several that are as good; false: it stays. */
static bool move(const int64_t *pairs, unsigned count, unsigned me, unsigned *group, int64_t near)
{
	const int64_t *row = pairs + (uint64_t)me * count;
	int best = agreement(row, count, me, group, group[me], near);
	unsigned before = group[me];

	for (unsigned number = 0; number < count; number++) {
		int sum = agreement(row, count, me, group, number, near);

		if (sum > best) {
			best = sum;
			group[me] = number;
		}
	}
	return group[me] != before;
}

/* From 0 in the order of their first members. */
static unsigned renumber(unsigned *group, unsigned count)
{
	unsigned groups = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned old = group[i];
		bool is_new = old < count;

		for (unsigned j = i; is_new && j < count; j++)
			if (group[j] == old)
				group[j] = count + groups;
		groups += is_new;
	}
	for (unsigned i = 0; i < count; i++)
		group[i] -= count;
	return groups;
}

unsigned c2c_groups(const int64_t *pairs, unsigned count, unsigned *group)
{
	int64_t near = near_most(pairs, count);
	bool moved = true;

	for (unsigned i = 0; i < count; i++)
		group[i] = near ? i : 0;
	for (unsigned pass = 0; near && moved && pass < PASSES_MAX; pass++) {
		moved = false;
		for (unsigned i = 0; i < count; i++)
			moved |= move(pairs, count, i, group, near);
	}
	return count ? renumber(group, count) : 0;
}
