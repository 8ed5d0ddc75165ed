/* step_param: parameters from text: lists, ranges, words, bounds. */
#include <errno.h>
#include <string.h>

#include "param.h"
#include "test.h"

static const struct param sizes = { .name = "bs", .type = PARAM_SIZES, .min = 512, .max = GIB };
static const struct param counts = { .name = "iodepth", .type = PARAM_COUNTS, .min = 1, .max = 256 };
static const struct param duration = { .name = "runtime", .type = PARAM_DURATION, .min = MS(10) };
static const struct param words = { .name = "mix", .type = PARAM_WORDS, .words = "reads|1:1|copy" };
static const struct param one = { .name = "size", .type = PARAM_SIZE, .min = 0 };
static const struct param rates = { .name = "rate", .type = PARAM_RATES, .min = 1, .max = 1000 };

static struct param_value value;
static char fault[200];

static int parse(const struct param *param, const char *text)
{
	return param_parse(param, text, &value, fault, sizeof fault);
}

test(list_of_sizes_is_read)
{
	check_equal(parse(&sizes, "4k,128k,4m"), 0);
	check_equal(value.count, 3);
	check_equal(value.numbers[0], 4096);
	check_equal(value.numbers[2], 4 << 20);
}

test(range_by_factor_includes_its_end_when_hit)
{
	check_equal(parse(&sizes, "2k:16k:*2"), 0);
	check_equal(value.count, 4);
	check_equal(value.numbers[3], 16384);
	check_equal(parse(&sizes, "2k:15k:*2"), 0);
	check_equal(value.count, 3);
}

test(range_by_step_adds)
{
	check_equal(parse(&counts, "1:9:+4"), 0);
	check_equal(value.count, 3);
	check_equal(value.numbers[2], 9);
}

test(ranges_and_single_values_mix)
{
	check_equal(parse(&counts, "1,4:16:*2,32"), 0);
	check_equal(value.count, 5);
}

test(words_are_indices_into_their_list)
{
	char word[16];

	check_equal(parse(&words, "copy,1:1"), 0);
	check_equal(value.numbers[0], 2);
	check_equal(value.numbers[1], 1);
	param_word(&words, 1, word, sizeof word);
	check_string(word, "1:1");
}

test(one_word_is_no_list)
{
	static const struct param word = { .name = "page", .type = PARAM_WORD, .words = "4k|thp" };

	check_equal(parse(&word, "thp"), 0);
	check_equal(value.count, 1);
	check_equal(value.numbers[0], 1);
	check_equal(parse(&word, "4k,thp"), -EINVAL);
	check_string(fault, "page: \"4k,thp\" is not out of 4k|thp");
}

test(unknown_word_is_refused_with_the_words_there_are)
{
	check_equal(parse(&words, "write"), -EINVAL);
	check_string(fault, "mix: \"write\" is not out of reads|1:1|copy");
	check_equal(parse(&words, ""), -EINVAL);
	check_equal(parse(&words, "read"), -EINVAL);
}

test(values_outside_the_bounds_are_refused)
{
	check_equal(parse(&sizes, "511"), -EINVAL);
	check_equal(parse(&sizes, "2g"), -EINVAL);
	check_equal(parse(&counts, "0"), -EINVAL);
	check_equal(parse(&duration, "9ms"), -EINVAL);
	check_equal(parse(&duration, "10ms"), 0);
}

test(a_count_may_have_a_word_for_0_and_0_itself_is_then_refused)
{
	static const struct param threads = { .name = "threads", .type = PARAM_COUNTS, .words = "all", .min = 1, .max = 256 };

	check_equal(parse(&threads, "1,all,2"), 0);
	check_equal(value.count, 3);
	check_equal(value.numbers[1], 0);
	check_equal(parse(&threads, "0"), -EINVAL);
	check_string(fault, "threads: \"0\" is outside 1 to 256");
	check_equal(parse(&threads, "al"), -EINVAL);
	check_string(fault, "threads: \"al\" is not what it takes: whole numbers such as 1,32 or 1:32:*2, or all");
}

test(cpus_are_numbers_and_cpu_0_is_not_the_word)
{
	static const struct param cpus = { .name = "cpu", .type = PARAM_NUMBERS, .words = "none|all", .max = MAX_CPUS - 1 };

	check_equal(parse(&cpus, "none"), 0);
	check_equal(value.numbers[0], PARAM_OF_WORD(0));
	check_equal(parse(&cpus, "0,4:6:+1"), 0);
	check_equal(value.count, 4);
	check_equal(value.numbers[0], 0);
	check_equal(value.numbers[3], 6);
	check_equal(parse(&cpus, "1024"), -EINVAL);
	check_equal(parse(&cpus, "any"), -EINVAL);
	check_string(fault, "cpu: \"any\" is not what it takes: numbers such as 0,4 or 0:7:+1, or none|all");
	check_equal(parse(&cpus, "18446744073709551615"), -EINVAL);
	check_equal(parse(&cpus, "all,3"), 0);
	check_equal(value.numbers[0], PARAM_OF_WORD(1));
	check_equal(value.numbers[1], 3);
}

test(bad_ranges_are_refused)
{
	const char *const bad[] = { "4k:2k:*2", "1k:4k", "1k:4k:2", "1k:4k:*1", "1k:4k:+0", "1k:4k:*", ":4k:*2", "1k::*2" };

	for (unsigned i = 0; i < COUNT_OF(bad); i++)
		check_equal(parse(&sizes, bad[i]), -EINVAL);
}

test(empty_items_are_refused)
{
	check_equal(parse(&sizes, ""), -EINVAL);
	check_equal(parse(&sizes, "4k,,8k"), -EINVAL);
	check_equal(parse(&sizes, "4k,"), -EINVAL);
}

test(too_many_values_are_refused_not_cut)
{
	check_equal(parse(&counts, "1:65:+1"), -EINVAL);
	check_equal(parse(&counts, "1:64:+1"), 0);
	check_equal(value.count, MAX_LIST);
}

test(single_parameter_takes_no_list)
{
	check_equal(parse(&one, "1m,2m"), -EINVAL);
	check_equal(parse(&one, "0"), 0);
}

test(range_that_overflows_ends)
{
	static const struct param wide = { .name = "n", .type = PARAM_COUNTS };

	check_equal(parse(&wide, "9223372036854775808:18446744073709551615:*2"), 0);
	check_equal(value.count, 1);
}

test(rate_max_is_flat_out)
{
	check_equal(parse(&rates, "10,max"), 0);
	check_equal(value.numbers[1], 0);
	check_equal(parse(&rates, "0"), -EINVAL);
}

test(bit_rates_are_decimal_as_iperf3s)
{
	static const struct param rate = { .name = "bitrate", .type = PARAM_BITRATE, .max = 400000000000 };
	static const char *const bad[] = { "", "M", "1.5", "10MB", "x", "-1", "500G", "99999999999999999999T", "1,2" };

	check_equal(parse(&rate, "10M"), 0);
	check_equal(value.numbers[0], 10000000);
	check_equal(parse(&rate, "1.5g"), 0);
	check_equal(value.numbers[0], 1500000000);
	check_equal(parse(&rate, "0"), 0);
	for (unsigned i = 0; i < COUNT_OF(bad); i++)
		check_equal(parse(&rate, bad[i]), -EINVAL);
}

test(text_is_taken_as_it_is)
{
	static const struct param text = { .name = "title", .type = PARAM_TEXT };
	char longest[MAX_PARAM_TEXT + 1];

	check_equal(parse(&text, "a, b:c*"), 0);
	check_string(value.text, "a, b:c*");
	memset(longest, 'x', MAX_PARAM_TEXT);
	longest[MAX_PARAM_TEXT] = 0;
	check_equal(parse(&text, longest), -EINVAL);
	longest[MAX_PARAM_TEXT - 1] = 0;
	check_equal(parse(&text, longest), 0);
}
