/* Tests of lib/utf8.c. */
#include "test.h"

#include "lib/utf8.h"

static int64_t decoded(const char *text)
{
	uint32_t point;

	return utf8_decode(text, text + strlen(text), &point) == strlen(text) ? (int64_t)point : -1;
}

test(shortest_and_longest_of_each_length_are_read)
{
	check_equal(decoded("\x7f"), 0x7f);
	check_equal(decoded("\xc2\x80"), 0x80);
	check_equal(decoded("\xdf\xbf"), 0x7ff);
	check_equal(decoded("\xe0\xa0\x80"), 0x800);
	check_equal(decoded("\xef\xbf\xbf"), 0xffff);
	check_equal(decoded("\xf0\x90\x80\x80"), 0x10000);
	check_equal(decoded("\xf4\x8f\xbf\xbf"), 0x10ffff);
}

test(longer_than_needed_is_refused)
{
	check_equal(decoded("\xc0\x80"), -1);
	check_equal(decoded("\xc1\xbf"), -1);
	check_equal(decoded("\xe0\x9f\xbf"), -1);
	check_equal(decoded("\xf0\x8f\xbf\xbf"), -1);
}

test(surrogates_and_points_too_high_are_refused)
{
	check_equal(decoded("\xed\xa0\x80"), -1);
	check_equal(decoded("\xed\xbf\xbf"), -1);
	check_equal(decoded("\xf4\x90\x80\x80"), -1);
	check_equal(decoded("\xf8\x88\x80\x80\x80"), -1);
	check_equal(decoded("\xff"), -1);
}

test(cut_and_stray_bytes_are_refused)
{
	static const char nothing[] = "a";
	uint32_t point;

	check_equal(decoded("\xc3"), -1);
	check_equal(decoded("\xe2\x82"), -1);
	check_equal(decoded("\x80"), -1);
	check_equal(decoded("\xc3("), -1);
	check_equal(utf8_decode(nothing, nothing, &point), 0);
}

test(every_point_survives_writing_and_reading)
{
	for (uint32_t point = 0; point <= 0x10ffff; point++) {
		char bytes[4];
		uint32_t back = 0;
		unsigned length = utf8_encode(point, bytes);

		if (point >= 0xd800 && point <= 0xdfff) {
			check_equal(length, 0);
			continue;
		}
		check_equal(utf8_decode(bytes, bytes + length, &back), length);
		check_equal(back, point);
	}
	check_equal(utf8_encode(0x110000, (char[4]){ 0 }), 0);
}

test(characters_are_counted_not_bytes)
{
	static const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";

	check_equal(utf8_count(text, text + strlen(text)), 4);
}
