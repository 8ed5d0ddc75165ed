/* Tests of lib/text.c. */
#include "test.h"

#include "lib/text.h"

test(text_grows_by_pieces)
{
	char buffer[32];
	struct text text = TEXT(buffer);

	text_add(&text, "one");
	text_add_format(&text, " %d ", 2);
	text_add_bytes(&text, "three...", 5);
	check_string(buffer, "one 2 three");
	check_equal(text.length, 11);
	check(!text.cut);
}

test(text_that_fills_the_buffer_to_its_nul_is_not_cut)
{
	char buffer[4];
	struct text text = TEXT(buffer);

	text_add_format(&text, "%s", "abc");
	check_string(buffer, "abc");
	check(!text.cut);
	text_add(&text, "");
	check(!text.cut);
}

test(text_that_does_not_fit_is_cut_and_says_so)
{
	char buffer[8] = "xxxxxxx";
	struct text text = text_in(buffer, 4);

	text_add(&text, "abcd");
	check_string(buffer, "abc");
	check(text.cut);
	check_equal(text.length, 3);
	check_equal(buffer[4], 'x');
}

test(format_that_does_not_fit_is_cut_and_says_so)
{
	char buffer[8] = "xxxxxxx";
	struct text text = text_in(buffer, 4);

	text_add_format(&text, "%d", 123456);
	check_string(buffer, "123");
	check(text.cut);
	text_add_format(&text, "more");
	check_string(buffer, "123");
	check_equal(text.length, 3);
}

test(buffer_of_no_size_is_never_touched)
{
	char buffer[2] = "x";
	struct text text = text_in(buffer, 0);

	text_add(&text, "a");
	text_add_format(&text, "%d", 1);
	check(text.cut);
	check_equal(text.length, 0);
	check_string(buffer, "x");
}

test(copy_tells_when_it_was_cut)
{
	char to[4];

	check(text_copy(to, sizeof(to), "abc"));
	check_string(to, "abc");
	check(!text_copy(to, sizeof(to), "abcd"));
	check_string(to, "abc");
}

test(beginnings_and_ends)
{
	check(text_starts("nvme0n1", "nvme"));
	check(text_starts("nvme0n1", ""));
	check(!text_starts("nvm", "nvme"));
	check(text_ends("trip_point_0_temp", "_temp"));
	check(!text_ends("temp", "_temp"));
	check(!text_ends("xtempx", "temp"));
}

test(part_is_found_in_any_case)
{
	check(text_has_nocase("Samsung SSD 980", "ssd"));
	check(text_has_nocase("Samsung SSD 980", "980"));
	check(text_has_nocase("abc", ""));
	check(!text_has_nocase("ss", "ssd"));
	check(!text_has_nocase("", "a"));
}

test(list_holds_whole_words_only)
{
	check(text_in_list("read,write", ',', "read"));
	check(text_in_list("read,write", ',', "write"));
	check(!text_in_list("read,write", ',', "rea"));
	check(!text_in_list("read,write", ',', "read,write"));
	check(!text_in_list("read,write", ',', ""));
	check(text_in_list("read,,write", ',', ""));
}

test(white_space_is_cut_off_both_ends)
{
	char both[] = " \t a b \r\n", only[] = " \n", none[] = "ab";

	check_string(text_trim(both), "a b");
	check_string(text_trim(only), "");
	check_string(text_trim(none), "ab");
}

test(distance_counts_edits)
{
	check_equal(text_distance("", ""), 0);
	check_equal(text_distance("block", "block"), 0);
	check_equal(text_distance("blok", "block"), 1);
	check_equal(text_distance("kitten", "sitting"), 3);
	check_equal(text_distance("", "abc"), 3);
}

test(very_long_words_are_far_apart)
{
	static const char word[] = "0123456789012345678901234567890123456789012345678901234567890123";

	check_equal(text_distance(word, word), 0);
	check_equal(text_distance(word, "a"), 64);
	check_equal(text_distance("a", word), 64);
}

static const char *name_at(unsigned index, const void *context)
{
	static const char *const names[] = { "bs", "iodepth", "runtime", "jetson-agx-orin", NULL };

	(void)context;
	return names[index];
}

test(nearest_name_is_found)
{
	check_string(text_nearest("iodpeth", name_at, NULL), "iodepth");
	check_string(text_nearest("run-time", name_at, NULL), "runtime");
	check_string(text_nearest("bz", name_at, NULL), "bs");
}

test(beginning_of_a_long_name_is_near)
{
	check_string(text_nearest("jetson", name_at, NULL), "jetson-agx-orin");
}

test(word_like_none_of_the_names_has_no_nearest)
{
	check(!text_nearest("verify", name_at, NULL));
	check(!text_nearest("x", name_at, NULL));
	check(!text_nearest("", name_at, NULL));
}

test(words_are_taken_one_after_another)
{
	char line[] = "  one\ttwo  three\n", *at = line;

	check_string(text_word(&at), "one");
	check_string(text_word(&at), "two");
	check_string(text_word(&at), "three");
	check_string(text_word(&at), "");
	check_string(text_word(&at), "");
}

test(part_of_a_text_is_found)
{
	const char *text = "abcabd";

	check(text_find(text, "abd") == text + 3);
	check(text_find(text, "") == text);
	check(text_find(text, "abe") == NULL);
	check(text_find("", "a") == NULL);
}

test(exchanged_letters_are_one_slip)
{
	check_equal(text_distance("rnu", "run"), 1);
	check_equal(text_distance("x68", "x86"), 1);
	check_equal(text_distance("abcd", "badc"), 2);
	check_equal(text_distance("abc", "cba"), 2);
}

test(cut_format_says_so)
{
	char small[4];

	check(!text_format(small, sizeof small, "%s", "abcd"));
	check_string(small, "abc");
	check(text_format(small, sizeof small, "%u", 123u));
}
