/* mem_filling.c: the patterns of the memory test: their words, their values, and whose content a word is. */
#include "mem/filling.h"

#include "capacity.h"
#include "sys/map.h"
#include "test.h"

static uint64_t pages[4] = { 0x40000, 0x13000, 0x200000, 0x7000 };

static struct filling_pass pass_of(unsigned name, unsigned index, unsigned most)
{
	struct filling_pass pass = { .pages = pages, .page_words_log2 = 9 };

	filling_pass(&pass, filling_at(name), 0, index, filling_passes(filling_at(name), most));
	return pass;
}

static uint64_t word_of(unsigned name, unsigned index, uint64_t place)
{
	struct filling_pass pass = pass_of(name, index, 0);
	uint64_t word;

	filling_write(&pass, &word, 1, place);
	return word;
}

static uint64_t applied(unsigned name, uint64_t from)
{
	struct filling_pass pass = pass_of(name, 0, 0);
	uint64_t to;

	filling_apply(&pass, &to, &from, 1);
	return to;
}

test(there_are_as_many_words_as_patterns)
{
	unsigned words = 1;

	for (const char *at = FILLING_WORDS; *at; at++)
		words += *at == '|';
	check_equal(words, FILLING_COUNT);
	check(filling_at(FILLING_COUNT - 1) && !filling_at(FILLING_COUNT));
}

test(every_pattern_has_a_value_and_a_polarity)
{
	for (unsigned i = 0; i < FILLING_COUNT; i++)
		check(filling_at(i)->values >= 1 && filling_at(i)->polarities >= 1 && filling_at(i)->polarities <= 2);
}

test(a_pattern_is_the_same_wherever_it_is_started)
{
	uint64_t whole[64], part[32];

	for (unsigned i = 0; i < FILLING_COUNT; i++) {
		struct filling_pass pass = pass_of(i, 1, 2);

		filling_write(&pass, whole, 64, 1000);
		filling_write(&pass, part, 32, 1032);
		check(!memcmp(whole + 32, part, sizeof(part)));
	}
}

test(an_address_is_the_offset_and_then_its_inverse)
{
	check_equal(word_of(FILLING_ADDRESS, 0, 5), 40);
	check_equal(word_of(FILLING_ADDRESS, 1, 5), ~40ull);
	check_equal(word_of(FILLING_STUCK_ADDRESS, 0, 4), 32);
	check_equal(word_of(FILLING_STUCK_ADDRESS, 0, 5), ~40ull);
}

test(a_physical_address_is_that_of_its_page)
{
	check_equal(word_of(FILLING_OWN_PHYSICAL, 0, 512 + 3), 0x13018);
	check_equal(word_of(FILLING_OWN_PHYSICAL, 1, 512 + 3), ~0x13018ull);
}

test(words_that_are_one_address_line_apart_are_inverse)
{
	for (unsigned line = 0; line < 40; line++)
		check_equal(word_of(FILLING_WALKING_ADDRESS, 0, 12345), ~word_of(FILLING_WALKING_ADDRESS, 0, 12345 ^ 1ull << line));
}

test(bits_walk_through_all_places)
{
	uint64_t ones = 0, zeroes = 0, flips = 0;

	for (unsigned i = 0; i < 64; i++) {
		check_equal(word_of(FILLING_WALKING_ONES, i, 7), 1ull << i);
		check_equal(word_of(FILLING_WALKING_ZEROES, i, 8), ~(1ull << i));
		ones |= word_of(FILLING_WALKING_ONES, i, 7);
		zeroes |= ~word_of(FILLING_WALKING_ZEROES, i, 7);
		flips |= word_of(FILLING_BIT_FLIP, 2 * i, 0);
		check_equal(word_of(FILLING_BIT_FLIP, 2 * i, 1), ~word_of(FILLING_BIT_FLIP, 2 * i, 0));
		check_equal(word_of(FILLING_BIT_FLIP, 2 * i + 1, 0), ~word_of(FILLING_BIT_FLIP, 2 * i, 0));
	}
	check_equal(ones & zeroes & flips, ~0ull);
	check_equal(word_of(FILLING_BIT_SPREAD, 2, 0), 5ull << 1);
	check_equal(word_of(FILLING_WALKING, 0, 66), 4);
	check_equal(word_of(FILLING_INVERSIONS_64BIT, 6, 66), 1ull << 5);
}

test(a_block_sequence_has_every_byte)
{
	check_equal(word_of(FILLING_BLOCK_SEQUENTIAL, 0, 9), 0);
	check_equal(word_of(FILLING_BLOCK_SEQUENTIAL, 0xa7, 9), 0xa7a7a7a7a7a7a7a7);
	check_equal(word_of(FILLING_BLOCK_SEQUENTIAL, 255, 9), ~0ull);
}

test(modulo_20_has_one_word_of_twenty_inverse)
{
	for (unsigned value = 0; value < 20; value++) {
		unsigned others = 0;

		for (unsigned i = 0; i < 20; i++)
			others += word_of(FILLING_MODULO_20, 2 * value, 40 + i) == ~word_of(FILLING_MODULO_20, 2 * value, 40 + value);
		check_equal(others, 19);
	}
}

test(an_operation_is_done)
{
	uint64_t from = 0x123456789abcdef0, operand = applied(FILLING_XOR, 0);

	check(operand & 1);
	check_equal(applied(FILLING_XOR, from), from ^ operand);
	check_equal(applied(FILLING_SUB, from), from + applied(FILLING_SUB, 0));
	check_equal(applied(FILLING_MUL, from), from * applied(FILLING_MUL, 1));
	check(applied(FILLING_DIV, from) && applied(FILLING_DIV, from) < from);
	check_equal(applied(FILLING_OR, from), from | applied(FILLING_OR, 0));
	check_equal(applied(FILLING_AND, from), from & applied(FILLING_AND, ~0ull));
	check_equal(applied(FILLING_RANDOM_SEQUENCE, from), ~from);
	check_equal(applied(FILLING_INVERSIONS, from), ~from);
}

test(fewer_passes_are_spread_over_the_values_and_keep_both_polarities)
{
	const struct filling *flip = filling_at(FILLING_BIT_FLIP);
	uint64_t bits = 0;

	check_equal(filling_passes(flip, 0), 128);
	check_equal(filling_passes(flip, 9), 8);
	check_equal(filling_passes(flip, 1), 2);
	check_equal(filling_passes(filling_at(FILLING_ADDRESS), 1), 2);
	check_equal(filling_passes(filling_at(FILLING_BLOCK_SEQUENTIAL), 1000), 256);
	for (unsigned i = 0; i < 8; i++) {
		struct filling_pass pass = { .pages = NULL };

		filling_pass(&pass, flip, 3, i, 8);
		bits |= 1ull << pass.value;
		check_equal(pass.invert, i % 2 ? ~0ull : 0);
	}
	check_equal(bits, 1ull << 3 | 1ull << 19 | 1ull << 35 | 1ull << 51);
}

/* Every pattern all of whose words differ tells whose content a word is, in both polarities. */
test(the_place_of_a_content_is_computed_back)
{
	static const uint8_t names[] = { FILLING_ADDRESS, FILLING_RANDOM, FILLING_STUCK_ADDRESS, FILLING_INCREMENT, FILLING_8_BIT, FILLING_16_BIT,
		FILLING_OWN_PHYSICAL, FILLING_INVERSIONS_RANDOM, FILLING_RANDOM_SEQUENCE, FILLING_XOR };

	for (unsigned n = 0; n < COUNT_OF(names); n++)
		for (unsigned i = 0; i < filling_at(names[n])->polarities; i++)
			for (uint64_t place = 0; place < 2048; place += 97) {
				struct filling_pass pass = pass_of(names[n], i, 0);

				check_equal(filling_place(&pass, word_of(names[n], i, place), false, 2048), place);
				check_equal(filling_place(&pass, word_of(names[n], i, place), false, place), UINT64_MAX);
			}
}

test(the_place_of_an_inverse_is_that_of_the_word)
{
	struct filling_pass pass = pass_of(FILLING_INVERSIONS_RANDOM, 0, 0);

	check_equal(filling_place(&pass, ~word_of(FILLING_INVERSIONS_RANDOM, 0, 77), true, 2048), 77);
	pass = pass_of(FILLING_MUL, 0, 0);
	check_equal(filling_place(&pass, word_of(FILLING_MUL, 0, 77), true, 2048), UINT64_MAX);
}

test(what_is_nobodys_content_has_no_place)
{
	for (unsigned i = 0; i < FILLING_COUNT; i++) {
		struct filling_pass pass = pass_of(i, 0, 0);

		check_equal(filling_place(&pass, 0x123456789abcdef1, false, 2048), UINT64_MAX);
	}
}
