/* inflate: each kind of block, and damage that must not get past. */
#include <errno.h>

#include "lib/inflate.h"
#include "lib/text.h"
#include "test.h"

static char out[400];

/* "hello\n", stored: final bit and kind 0, the length and its complement. */
static const uint8_t stored[] = { 0x01, 6, 0, 0xf9, 0xff, 'h', 'e', 'l', 'l', 'o', '\n' };

/* "abc" 100 times, by the fixed codes: one literal each, then the longest length, 258, and one of 39. */
static const uint8_t fixed[] = {
	0x4b, 0x4c, 0x4a, 0x4e, 0x1c, 0x45, 0xc4, 0x21, 0x00,
};

/* "0 squared is 0" to "19 squared is 361", a line each, by codes of its own. */
static const uint8_t dynamic[] = {
	0x55, 0xcf, 0x31, 0x0e, 0xc3, 0x40, 0x08, 0x44, 0xd1, 0x7e, 0x4e, 0xb1, 0x47, 0xd8, 0x61, 0x31, 0x59, 0x8e, 0x13, 0x29,
	0x29, 0x5c, 0x26, 0x96, 0xef, 0x6f, 0x4a, 0xa6, 0xfc, 0x12, 0x82, 0xc7, 0x1c, 0xd7, 0xef, 0x7e, 0xff, 0xbf, 0x9f, 0x71,
	0x5e, 0x63, 0x82, 0x3d, 0x09, 0xeb, 0xe9, 0x58, 0x3d, 0x13, 0x2e, 0xc3, 0x81, 0xa3, 0xb7, 0x1d, 0x88, 0xde, 0x2b, 0xf0,
	0x92, 0x6d, 0x89, 0xdd, 0x3b, 0x1c, 0xd9, 0x7b, 0x13, 0x9c, 0x72, 0x60, 0x16, 0x4f, 0x7d, 0x56, 0x33, 0x42, 0xa4, 0x3b,
	0xb8, 0x94, 0x95, 0xa0, 0x42, 0x33, 0x40, 0xa5, 0x96, 0x95, 0xa1, 0xf8, 0x9a, 0x11, 0xae, 0xed, 0xda, 0x23, 0xe0, 0x65,
	0x75, 0x2b, 0xf5, 0x45, 0xe2, 0x01,
};

test(stored_block_is_copied)
{
	check_equal(inflate(stored, sizeof stored, out, sizeof out), 6);
	check(!memcmp(out, "hello\n", 6));
}

test(fixed_codes_repeat_what_was_written)
{
	check_equal(inflate(fixed, sizeof fixed, out, sizeof out), 300);
	for (unsigned i = 0; i < 300; i++)
		check_equal(out[i], "abc"[i % 3]);
}

test(codes_of_its_own_give_the_text)
{
	char text[sizeof out];
	struct text expected = TEXT(text);

	for (unsigned i = 0; i < 20; i++)
		text_add_format(&expected, "%u squared is %u\n", i, i * i);
	check_equal(inflate(dynamic, sizeof dynamic, out, sizeof out), (long)expected.length);
	check(!memcmp(out, text, expected.length));
}

test(early_end_is_an_error_wherever_it_comes)
{
	for (size_t bytes = 0; bytes < sizeof dynamic; bytes++)
		check_equal(inflate(dynamic, bytes, out, sizeof out), -EINVAL);
	for (size_t bytes = 0; bytes < sizeof stored; bytes++)
		check_equal(inflate(stored, bytes, out, sizeof out), -EINVAL);
}

test(too_small_a_room_is_an_error_and_is_not_left)
{
	out[299] = '!';
	check_equal(inflate(fixed, sizeof fixed, out, 299), -ENOSPC);
	check_equal(out[299], '!');
	check_equal(inflate(stored, sizeof stored, out, 0), -ENOSPC);
}

test(stored_length_must_match_its_complement)
{
	uint8_t damaged[sizeof stored];

	memcpy(damaged, stored, sizeof stored);
	damaged[3] ^= 1;
	check_equal(inflate(damaged, sizeof damaged, out, sizeof out), -EINVAL);
}

test(distance_before_the_start_is_an_error)
{
	/* Fixed codes, at once the length 3 (0000001) and the distance 1 (00000). */
	static const uint8_t early[] = { 0x03, 0x02, 0x00 };

	check_equal(inflate(early, sizeof early, out, sizeof out), -EINVAL);
}

test(unknown_kind_of_block_is_an_error)
{
	static const uint8_t unknown[] = { 0x07 };

	check_equal(inflate(unknown, sizeof unknown, out, sizeof out), -EINVAL);
}

/* Whatever bit is flipped, it ends, within the room. */
test(every_flipped_bit_is_survived)
{
	uint8_t damaged[sizeof dynamic];

	for (unsigned bit = 0; bit < 8 * sizeof dynamic; bit++) {
		memcpy(damaged, dynamic, sizeof dynamic);
		damaged[bit / 8] ^= (uint8_t)(1 << bit % 8);
		check(inflate(damaged, sizeof damaged, out, sizeof out) <= (ssize_t)sizeof out);
	}
}

