/* Tests of lib/wide.c. */
#include "test.h"

#include "event.h"
#include "lib/wide.h"

test(wide_ratio_rounds_to_nearest)
{
	check_equal(wide_ratio(7, 2), 4);
	check_equal(wide_ratio(4, 3), 1);
	check_equal(wide_ratio(5, 3), 2);
	check_equal(wide_ratio(0, 1), 0);
	check_equal(wide_ratio(6, 1), 6);
}

test(wide_ratio_is_none_where_there_is_no_number)
{
	check(wide_ratio(1, 0) == VALUE_NONE);
	check(wide_ratio_milli(1, 0) == VALUE_NONE);
	check(wide_ratio((unsigned __int128)1 << 63, 1) == VALUE_NONE);
	check_equal(wide_ratio(INT64_MAX, 1), INT64_MAX);
}

test(wide_ratio_milli_takes_the_widest_numerator)
{
	check_equal(wide_ratio_milli(((unsigned __int128)1 << 100) + 1, 1ull << 63), (1ll << 37) * 1000);
	check(wide_ratio_milli(~(unsigned __int128)0, 1) == VALUE_NONE);
	check(wide_ratio_milli(~(unsigned __int128)0, UINT64_MAX) == VALUE_NONE);
}

test(wide_root_is_the_whole_part)
{
	check(wide_root(0) == 0);
	check(wide_root(1) == 1);
	check(wide_root(3) == 1);
	check(wide_root(4) == 2);
	check(wide_root(99) == 9);
	check(wide_root((unsigned __int128)1 << 126) == 1ull << 63);
	check(wide_root(~(unsigned __int128)0) == UINT64_MAX);
}
