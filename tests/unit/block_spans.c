/* block_spans.c: what a verification covers: never twice, never beyond the end, the first and the last always. */
#include "test.h"

#include "block/spans.h"
#include "capacity.h"

static struct spans spans;

static bool covers(uint64_t place_bytes)
{
	for (uint64_t i = 0; i < spans.count; i++) {
		uint64_t offset_bytes, bytes;

		spans_get(&spans, i, &offset_bytes, &bytes);
		if (offset_bytes <= place_bytes && place_bytes < offset_bytes + bytes)
			return true;
	}
	return false;
}

static uint64_t covered_bytes(void)
{
	uint64_t sum_bytes = 0;

	for (uint64_t i = 0; i < spans.count; i++) {
		uint64_t offset_bytes, bytes;

		spans_get(&spans, i, &offset_bytes, &bytes);
		sum_bytes += bytes;
	}
	return sum_bytes;
}

/* Disjoint, inside, at granules: by brute force. */
static bool is_sound(void)
{
	for (uint64_t i = 0; i < spans.count; i++) {
		uint64_t a, a_bytes, b, b_bytes;

		spans_get(&spans, i, &a, &a_bytes);
		if (a % spans.granule_bytes || a + a_bytes > spans.device_bytes)
			return false;
		for (uint64_t j = 0; j < i; j++) {
			spans_get(&spans, j, &b, &b_bytes);
			if (a_bytes && b_bytes && a < b + b_bytes && b < a + a_bytes)
				return false;
		}
	}
	return true;
}

test(all_of_the_device_is_one_span_with_its_odd_end)
{
	spans_plan(&spans, 32 * MIB + 1536, UINT64_MAX, 4096, false, 1);
	check_equal(spans.count, 1);
	check_equal(covered_bytes(), 32 * MIB + 1536);
	check(covers(32 * MIB + 1535));
}

test(less_than_all_ends_with_the_last_of_the_device)
{
	spans_plan(&spans, 32 * MIB, 16 * MIB, 4096, false, 1);
	check_equal(covered_bytes(), 16 * MIB);
	check(covers(0) && covers(15 * MIB - 1) && !covers(15 * MIB) && covers(31 * MIB) && covers(32 * MIB - 1));
}

test(less_than_all_touches_the_odd_end)
{
	spans_plan(&spans, 32 * MIB + 512, 16 * MIB, 4096, false, 1);
	check(covers(0) && covers(32 * MIB + 511) && is_sound());
	check(covered_bytes() <= 16 * MIB);
}

test(one_granule_is_the_last)
{
	spans_plan(&spans, 32 * MIB, 4096, 4096, false, 1);
	check_equal(covered_bytes(), 4096);
	check(covers(32 * MIB - 4096));
	spans_plan(&spans, 32 * MIB, 4096, 4096, true, 1);
	check_equal(covered_bytes(), 4096);
	check(covers(32 * MIB - 4096));
}

test(sample_has_first_last_and_every_power_of_two)
{
	spans_plan(&spans, 3 * TIB + 4096, 64 * MIB, 4096, true, 77);
	check(is_sound());
	check(covers(0) && covers(3 * TIB + 4095));
	for (uint64_t place = spans.span_bytes; place < 3 * TIB; place *= 2)
		check(covers(place));
	check(covered_bytes() <= 64 * MIB);
	check(covered_bytes() > 60 * MIB);
}

test(sample_is_spread_evenly)
{
	unsigned in_tenth[10] = { 0 };

	spans_plan(&spans, 10000 * MIB, 1000 * MIB, 4096, true, 5);
	check(is_sound());
	for (uint64_t i = 0; i < spans.count; i++) {
		uint64_t offset_bytes, bytes;

		spans_get(&spans, i, &offset_bytes, &bytes);
		in_tenth[offset_bytes / (1000 * MIB)] += bytes > 0;
	}
	for (unsigned i = 0; i < 10; i++)
		check(in_tenth[i] >= spans.count / 10 * 8 / 10);
}

test(same_seed_gives_the_same_places_another_gives_others)
{
	struct spans again;
	unsigned different = 0;

	spans_plan(&again, 100 * MIB, 10 * MIB, 4096, true, 5);
	for (unsigned seed = 5; seed <= 6; seed++) {
		spans_plan(&spans, 100 * MIB, 10 * MIB, 4096, true, seed);
		for (uint64_t i = 0; i < spans.count; i++) {
			uint64_t a, b, bytes;

			spans_get(&spans, i, &a, &bytes);
			spans_get(&again, i, &b, &bytes);
			different += a != b;
		}
		check(seed == 5 ? !different : different > 50);
	}
}

test(sample_of_any_size_is_sound)
{
	for (uint64_t device_bytes = 512; device_bytes < 4 * MIB; device_bytes = device_bytes * 3 / 2 / 512 * 512 + 512)
		for (uint64_t wanted_bytes = 4096; wanted_bytes <= device_bytes; wanted_bytes *= 3) {
			spans_plan(&spans, device_bytes, wanted_bytes, 4096, true, device_bytes);
			check(is_sound() && covers(device_bytes - 1));
			check(covered_bytes() <= (wanted_bytes < device_bytes ? wanted_bytes : device_bytes));
			check(covered_bytes() > 0);
		}
}

test(logical_blocks_of_16_kib_are_kept_whole)
{
	spans_plan(&spans, 64 * MIB, 5 * MIB + 4096, 16384, true, 3);
	check(is_sound() && covers(64 * MIB - 1));
	for (uint64_t i = 0; i < spans.count; i++) {
		uint64_t offset_bytes, bytes;

		spans_get(&spans, i, &offset_bytes, &bytes);
		check_equal(bytes % 16384, 0);
	}
}
