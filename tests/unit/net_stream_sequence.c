#include "net/stream_sequence.h"
#include "test.h"

static struct sequence sequence;

static void forget(void)
{
	memset(&sequence, 0, sizeof sequence);
}

static enum sequence_kind add(uint64_t number)
{
	return sequence_add(&sequence, number, UINT64_MAX / 2);
}

test(numbers_in_order_are_new)
{
	forget();
	for (uint64_t i = 1; i <= 200000; i++)
		check_equal(add(i), SEQUENCE_NEW);
	check_equal(sequence.highest, 200000);
}

test(one_that_comes_behind_a_greater_one_is_reordered_and_only_once)
{
	forget();
	check_equal(add(1), SEQUENCE_NEW);
	check_equal(add(4), SEQUENCE_NEW);
	check_equal(add(2), SEQUENCE_REORDERED);
	check_equal(add(2), SEQUENCE_DUPLICATE);
	check_equal(add(3), SEQUENCE_REORDERED);
	check_equal(add(4), SEQUENCE_DUPLICATE);
	check_equal(add(5), SEQUENCE_NEW);
}

test(a_duplicate_is_told_over_65536_numbers_and_stale_beyond)
{
	forget();
	check_equal(add(10), SEQUENCE_NEW);
	check_equal(add(10 + 65535), SEQUENCE_NEW);
	check_equal(add(10), SEQUENCE_DUPLICATE);
	check_equal(add(11), SEQUENCE_REORDERED);
	check_equal(add(9), SEQUENCE_STALE);
	check_equal(add(10 + 65536), SEQUENCE_NEW);
	check_equal(add(10), SEQUENCE_STALE);
}

test(a_place_that_was_jumped_over_is_not_taken_for_seen)
{
	forget();
	for (uint64_t i = 1; i <= 65536; i++)
		add(i);
	check_equal(add(65536 + 100), SEQUENCE_NEW);
	for (uint64_t i = 65537; i < 65536 + 100; i++)
		check_equal(add(i), SEQUENCE_REORDERED);
	check_equal(add(65536 + 50), SEQUENCE_DUPLICATE);
	check_equal(add(1000000), SEQUENCE_NEW);
	check_equal(add(1000000 - 65535), SEQUENCE_REORDERED);
}

test(nothing_and_what_cannot_have_been_sent_yet_are_foreign)
{
	forget();
	check_equal(sequence_add(&sequence, 0, 1000), SEQUENCE_FOREIGN);
	check_equal(sequence_add(&sequence, 1001, 1000), SEQUENCE_FOREIGN);
	check_equal(sequence_add(&sequence, 0x8000000000000001, 1000), SEQUENCE_FOREIGN);
	check_equal(sequence.highest, 0);
	check_equal(sequence_add(&sequence, 1000, 1000), SEQUENCE_NEW);
}

test(a_counter_of_32_bits_goes_on_beyond_them)
{
	forget();
	check_equal(sequence_whole(&sequence, 1), 1);
	check_equal(sequence_whole(&sequence, 0xfffffffe), 0);
	sequence.highest = 0xffffffff;
	check_equal(sequence_whole(&sequence, 0), 0x100000000);
	check_equal(sequence_whole(&sequence, 0xfffffffe), 0xfffffffe);
	sequence.highest = 0x100000005;
	check_equal(sequence_whole(&sequence, 0xffffffff), 0xffffffff);
}

/* Each transit differs by 16 us from the one before: J += (16 - J) / 16, by hand: 1000, 1937.5, 2816.4 ns. */
test(jitter_is_rfc_1889s)
{
	forget();
	check_equal(sequence_jitter(&sequence, 1000000, 5000000), 0);
	check_equal(sequence_jitter(&sequence, 2000000, 6016000), 1000);
	check_equal(sequence_jitter(&sequence, 3000000, 7000000), 1937);
	check_equal(sequence_jitter(&sequence, 4000000, 8016000), 2816);
}

/* The sender's clock may be anything, even ahead. */
test(steady_transit_has_no_jitter)
{
	forget();
	for (uint64_t i = 0; i < 100; i++)
		check_equal(sequence_jitter(&sequence, UINT64_MAX / 2 + i * 1000, i * 1000), 0);
}
