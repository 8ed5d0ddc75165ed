#include "block/mmc.h"
#include "test.h"

static struct health health;

static void parse(uint8_t pre_eol, uint8_t a, uint8_t b)
{
	static uint8_t bytes[MMC_EXT_CSD_BYTES];

	bytes[267] = pre_eol;
	bytes[268] = a;
	bytes[269] = b;
	health_clear(&health);
	mmc_ext_csd_parse(bytes, &health);
}

static void parse_text(const char *life, const char *pre_eol)
{
	health_clear(&health);
	mmc_life_parse(life, pre_eol, &health);
}

test(wear_is_told_as_the_end_of_its_tenth)
{
	parse(1, 1, 10);
	check_equal(health.milli[HEALTH_PRE_EOL], 1000);
	check_equal(health.milli[HEALTH_LIFE_A], 100000 * 1000ll);
	check_equal(health.milli[HEALTH_LIFE_B], 1000000 * 1000ll);
}

test(a_life_that_is_over_is_beyond_one)
{
	parse(3, 11, 1);
	check_equal(health.milli[HEALTH_PRE_EOL], 3000);
	check_equal(health.milli[HEALTH_LIFE_A], 1100000 * 1000ll);
}

test(undefined_and_reserved_values_tell_nothing)
{
	parse(0, 0, 12);
	check_equal(health.milli[HEALTH_PRE_EOL], VALUE_NONE);
	check_equal(health.milli[HEALTH_LIFE_A], VALUE_NONE);
	check_equal(health.milli[HEALTH_LIFE_B], VALUE_NONE);
	parse(4, 255, 0);
	check_equal(health.milli[HEALTH_PRE_EOL], VALUE_NONE);
	check_equal(health.milli[HEALTH_LIFE_A], VALUE_NONE);
}

test(the_kernels_words_mean_the_same)
{
	parse_text("0x0b 0x0a\n", "0x02\n");
	check_equal(health.milli[HEALTH_LIFE_A], 1100000 * 1000ll);
	check_equal(health.milli[HEALTH_LIFE_B], 1000000 * 1000ll);
	check_equal(health.milli[HEALTH_PRE_EOL], 2000);
}

test(what_is_no_such_text_tells_nothing)
{
	parse_text("", "");
	check_equal(health.milli[HEALTH_LIFE_A], VALUE_NONE);
	check_equal(health.milli[HEALTH_PRE_EOL], VALUE_NONE);
	parse_text("0x01", "what");
	check_equal(health.milli[HEALTH_LIFE_A], 100000 * 1000ll);
	check_equal(health.milli[HEALTH_LIFE_B], VALUE_NONE);
	parse_text("0x0000000000000001 0x02", "0x01 0x02");
	check_equal(health.milli[HEALTH_LIFE_A], VALUE_NONE);
	check_equal(health.milli[HEALTH_LIFE_B], 200000 * 1000ll);
	check_equal(health.milli[HEALTH_PRE_EOL], 1000);
}
