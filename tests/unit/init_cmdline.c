/* The kernel's command line as process 1 reads it. */
#include "test.h"

#include "init/cmdline.h"

static struct cmdline c;

static void parse(const char *text)
{
	cmdline_clear(&c);
	cmdline_add(&c, text);
}

test(words_of_others_are_ignored)
{
	parse("BOOT_IMAGE=/vmlinuz ro console=ttyS0 assay quiet xassay.level=short myassay.lock\n");
	check_equal(c.argc, 1);
	check_string(c.argv[0], "run");
	check(!c.argv[1]);
}

test(a_word_becomes_an_option_of_the_run)
{
	parse("console=ttyS0 assay.level=short assay.lock assay.only=board.identity,block.read\n");
	check_equal(c.argc, 4);
	check_string(c.argv[1], "--level=short");
	check_string(c.argv[2], "--lock");
	check_string(c.argv[3], "--only=board.identity,block.read");
	check(!c.argv[4]);
	check_string(c.fault, "");
}

test(the_value_may_hold_an_equals_sign)
{
	parse("assay.set=block.read.bs=4k");
	check_string(c.argv[1], "--set=block.read.bs=4k");
}

test(quotes_around_the_value_keep_spaces)
{
	parse("assay.station=\"line 3\" assay.level=short");
	check_equal(c.argc, 3);
	check_string(c.argv[1], "--station=line 3");
	check_string(c.argv[2], "--level=short");
}

test(quotes_around_the_word_keep_spaces)
{
	parse("\"assay.station=line 3\" assay.level=short");
	check_equal(c.argc, 3);
	check_string(c.argv[1], "--station=line 3");
}

test(a_quote_inside_a_value_stays_as_in_the_kernel)
{
	parse("assay.station=a\"b c\"d");
	check_string(c.argv[1], "--station=a\"b c\"d");
}

test(an_open_quote_reaches_to_the_end)
{
	parse("assay.station=\"a b");
	check_equal(c.argc, 2);
	check_string(c.argv[1], "--station=a b");
}

test(an_empty_quoted_value_is_empty)
{
	parse("assay.station=\"\" assay.lock");
	check_string(c.argv[1], "--station=");
	check_string(c.argv[2], "--lock");
}

test(the_same_word_twice_counts_once)
{
	parse("assay.set=a.b=1 assay.set=a.c=1 -- assay.set=a.b=1");
	check_equal(c.argc, 3);
	check_string(c.argv[2], "--set=a.c=1");
}

test(the_words_of_init_do_not_reach_the_run)
{
	parse("assay.result=/dev/ttyS1,qemu assay.wait=5 assay.end=halt");
	check_equal(c.argc, 1);
	check_string(c.result, "/dev/ttyS1,qemu");
	check_equal(c.wait_ns, 5000000000);
	check_equal(c.end, END_HALT);
}

test(results_add_up)
{
	parse("assay.result=qemu assay.result=ttyS1,ttyS2");
	check_string(c.result, "qemu,ttyS1,ttyS2");
	check_string(c.fault, "");
}

test(too_many_results_are_a_fault)
{
	for (unsigned i = 0; i < 40; i++)
		i ? cmdline_add_word(&c, "assay.result=ttyS1") : cmdline_clear(&c);
	check_string(c.fault, "assay.result=ttyS1: too many devices");
}

test(without_a_word_the_board_powers_off)
{
	parse("");
	check_equal(c.end, END_POWEROFF);
	check_equal(c.wait_ns, 0);
}

test(an_unknown_end_is_a_fault_that_names_the_word)
{
	parse("assay.end=explode assay.wait=never");
	check_string(c.fault, "assay.end=explode: poweroff, halt or reboot is meant");
}

test(a_time_that_is_none_is_a_fault)
{
	parse("assay.wait=never");
	check_string(c.fault, "assay.wait=never: not a time such as 5s or 500ms");
}

test(too_many_words_are_a_fault_and_not_a_crash)
{
	cmdline_clear(&c);
	for (unsigned i = 0; i < CMDLINE_WORDS + 5; i++) {
		char word[32];

		snprintf(word, sizeof(word), "assay.set=a.b=%u", i);
		cmdline_add_word(&c, word);
	}
	check_equal(c.argc, CMDLINE_WORDS);
	check(!c.argv[CMDLINE_WORDS]);
	check(strstr(c.fault, "too many words"));
}

test(a_longer_command_line_than_any_kernel_takes_is_a_fault)
{
	static char text[CMDLINE_BYTES + 64];

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "assay.station=", 14);
	parse(text);
	check_equal(c.argc, 1);
	check_string(c.fault, "/proc/cmdline: longer than 4095 bytes");
}

test(addresses_are_init_s_own_and_count_once)
{
	parse("assay.ip=10.0.0.1/24@eth0,fd00::1/64@eth0 assay.ip=10.1.0.1/24@eth1 assay.gateway=10.0.0.254 -- assay.ip=10.1.0.1/24@eth1");
	check_equal(c.argc, 1);
	check_string(c.ip, "10.0.0.1/24@eth0,fd00::1/64@eth0,10.1.0.1/24@eth1");
	check_string(c.gateway, "10.0.0.254");
	check_string(c.fault, "");
}

test(too_many_addresses_are_a_fault)
{
	cmdline_clear(&c);
	for (unsigned i = 0; i < 99; i++) {
		char word[64];

		snprintf(word, sizeof(word), "assay.ip=10.0.0.%u/24@eth0", i);
		cmdline_add_word(&c, word);
	}
	check(strstr(c.fault, "too many addresses"));
}

test(the_server_takes_the_words_that_are_the_run_s_else)
{
	parse("assay.one-off assay.serve assay.port=5301 assay.result=qemu");
	check(c.serves);
	check_equal(c.argc, 3);
	check_string(c.argv[0], "serve");
	check_string(c.argv[1], "--one-off");
	check_string(c.argv[2], "--port=5301");
	check_string(c.result, "qemu");
}

test(the_server_s_word_has_no_value)
{
	parse("assay.serve=--one-off");
	check(strstr(c.fault, "assay.serve=--one-off: has no value"));
}

test(a_word_that_begins_like_the_server_s_is_another)
{
	parse("assay.server assay.serve-me=1");
	check(!c.serves);
	check_equal(c.argc, 3);
	check_string(c.argv[0], "run");
}
