/* Tests of lib/crc32c.c; the 32-byte values are those of RFC 3720, B.4. */
#include "test.h"

#include "lib/crc32c.h"

test(crc32c_of_the_nine_digits)
{
	check_equal(crc32c(0, "123456789", 9), 0xe3069283);
}

test(crc32c_of_nothing_is_what_it_was)
{
	check_equal(crc32c(0, "", 0), 0);
	check_equal(crc32c(0x12345678, "", 0), 0x12345678);
}

test(crc32c_of_rfc_3720)
{
	uint8_t bytes[32];

	memset(bytes, 0, sizeof(bytes));
	check_equal(crc32c(0, bytes, sizeof(bytes)), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	check_equal(crc32c(0, bytes, sizeof(bytes)), 0x62a8ab43);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	check_equal(crc32c(0, bytes, sizeof(bytes)), 0x46dd794e);
}

test(crc32c_goes_on_where_it_stopped)
{
	static const char text[] = "the quick brown fox jumps over the lazy dog";
	uint32_t whole = crc32c(0, text, sizeof(text));

	for (size_t cut = 0; cut <= sizeof(text); cut++)
		check_equal(crc32c(crc32c(0, text, cut), text + cut, sizeof(text) - cut), whole);
}

test(crc32c_sees_every_bit)
{
	uint8_t bytes[20] = { 1, 2, 3 };
	uint32_t good = crc32c(0, bytes, sizeof(bytes));

	for (unsigned bit = 0; bit < 8 * sizeof(bytes); bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		check(crc32c(0, bytes, sizeof(bytes)) != good);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
