/* Tests of lib/number.c. */
#include "test.h"

#include <errno.h>

#include "lib/number.h"

typedef int parse(const char *text, uint64_t *number);

static uint64_t parsed(parse *function, const char *text)
{
	uint64_t number = 0xbad;
	int err = function(text, &number);

	if (err)
		printf("# \"%s\" was refused: %d\n", text, err);
	check_equal(err, 0);
	return number;
}

static int refused(parse *function, const char *text)
{
	uint64_t number = 0xbad;
	int err = function(text, &number);

	check_equal(number, 0xbad);
	return err;
}

static int64_t milli(const char *text)
{
	int64_t value = 0xbad;

	check_equal(number_parse_milli(text, strlen(text), &value), 0);
	return value;
}

static int milli_refused(const char *text)
{
	int64_t value = 0xbad;
	int err = number_parse_milli(text, strlen(text), &value);

	check_equal(value, 0xbad);
	return err;
}

test(decimal_number_is_read_up_to_64_bits)
{
	check_equal(parsed(number_parse, "0"), 0);
	check_equal(parsed(number_parse, "007"), 7);
	check(parsed(number_parse, "18446744073709551615") == UINT64_MAX);
	check_equal(refused(number_parse, "18446744073709551616"), -ERANGE);
	check_equal(refused(number_parse, "99999999999999999999999"), -ERANGE);
}

test(decimal_number_must_be_whole)
{
	check_equal(refused(number_parse, ""), -EINVAL);
	check_equal(refused(number_parse, "-1"), -EINVAL);
	check_equal(refused(number_parse, "+1"), -EINVAL);
	check_equal(refused(number_parse, " 1"), -EINVAL);
	check_equal(refused(number_parse, "1 "), -EINVAL);
	check_equal(refused(number_parse, "1.0"), -EINVAL);
	check_equal(refused(number_parse, "99999999999999999999999x"), -EINVAL);
}

test(hexadecimal_number_with_and_without_0x)
{
	check_equal(parsed(number_parse_hex, "0x10DE"), 0x10de);
	check_equal(parsed(number_parse_hex, "ff"), 255);
	check_equal(parsed(number_parse_hex, "0"), 0);
	check(parsed(number_parse_hex, "ffffffffffffffff") == UINT64_MAX);
	check_equal(refused(number_parse_hex, "10000000000000000"), -ERANGE);
	check_equal(refused(number_parse_hex, "0x"), -EINVAL);
	check_equal(refused(number_parse_hex, ""), -EINVAL);
	check_equal(refused(number_parse_hex, "0xg"), -EINVAL);
}

test(size_suffix_alone_or_with_b_is_1024)
{
	check_equal(parsed(number_parse_size, "512"), 512);
	check_equal(parsed(number_parse_size, "4k"), 4096);
	check_equal(parsed(number_parse_size, "4K"), 4096);
	check_equal(parsed(number_parse_size, "4kb"), 4096);
	check_equal(parsed(number_parse_size, "4Kb"), 4096);
	check_equal(parsed(number_parse_size, "1m"), 1048576);
	check_equal(parsed(number_parse_size, "2g"), 2147483648);
	check_equal(parsed(number_parse_size, "1t"), 1099511627776);
	check_equal(parsed(number_parse_size, "1p"), 1125899906842624);
}

test(size_suffix_with_ib_is_1024)
{
	check_equal(parsed(number_parse_size, "4KiB"), 4096);
	check_equal(parsed(number_parse_size, "4kiB"), 4096);
	check_equal(parsed(number_parse_size, "3MiB"), 3145728);
}

test(size_suffix_with_capital_b_is_1000)
{
	check_equal(parsed(number_parse_size, "4kB"), 4000);
	check_equal(parsed(number_parse_size, "4KB"), 4000);
	check_equal(parsed(number_parse_size, "1MB"), 1000000);
	check_equal(parsed(number_parse_size, "1PB"), 1000000000000000);
}

test(size_with_a_fraction_must_be_whole_bytes)
{
	check_equal(parsed(number_parse_size, "1.5k"), 1536);
	check_equal(parsed(number_parse_size, "0.25k"), 256);
	check_equal(parsed(number_parse_size, "1.50000000000000000000000k"), 1536);
	check_equal(refused(number_parse_size, "1.1k"), -ERANGE);
	check_equal(refused(number_parse_size, "0.5"), -ERANGE);
}

test(size_with_an_unknown_suffix_is_refused)
{
	check_equal(refused(number_parse_size, "4x"), -EINVAL);
	check_equal(refused(number_parse_size, "4kk"), -EINVAL);
	check_equal(refused(number_parse_size, "4ki"), -EINVAL);
	check_equal(refused(number_parse_size, "4kBx"), -EINVAL);
	check_equal(refused(number_parse_size, "4 k"), -EINVAL);
	check_equal(refused(number_parse_size, "k"), -EINVAL);
	check_equal(refused(number_parse_size, "1.k"), -EINVAL);
	check_equal(refused(number_parse_size, ".5k"), -EINVAL);
	check_equal(refused(number_parse_size, ""), -EINVAL);
	check_equal(refused(number_parse_size, "-4k"), -EINVAL);
}

test(size_beyond_64_bits_is_out_of_range)
{
	check(parsed(number_parse_size, "16383p") == 16383ull << 50);
	check_equal(refused(number_parse_size, "16384p"), -ERANGE);
	check_equal(refused(number_parse_size, "99999999999999999999k"), -ERANGE);
	check_equal(refused(number_parse_size, "99999999999999999999.5k"), -ERANGE);
	check_equal(refused(number_parse_size, "99999999999999999999.5x"), -EINVAL);
	check_equal(refused(number_parse_size, "0.000000000000000000000001k"), -ERANGE);
}

test(bare_duration_is_seconds)
{
	check_equal(parsed(number_parse_duration, "2"), 2000000000);
	check_equal(parsed(number_parse_duration, "2s"), 2000000000);
	check_equal(parsed(number_parse_duration, "1.5s"), 1500000000);
	check_equal(parsed(number_parse_duration, "0.000000001"), 1);
}

test(duration_units)
{
	check_equal(parsed(number_parse_duration, "500ms"), 500000000);
	check_equal(parsed(number_parse_duration, "20us"), 20000);
	check_equal(parsed(number_parse_duration, "7ns"), 7);
	check_equal(parsed(number_parse_duration, "2m"), 120000000000);
	check_equal(parsed(number_parse_duration, "1h"), 3600000000000);
	check_equal(refused(number_parse_duration, "1d"), -EINVAL);
	check_equal(refused(number_parse_duration, "1S"), -EINVAL);
	check_equal(refused(number_parse_duration, "0.5ns"), -ERANGE);
	check_equal(refused(number_parse_duration, "9999999h"), -ERANGE);
}

test(milli_reads_decimals_exactly)
{
	check_equal(milli("1.337"), 1337);
	check_equal(milli("-0.005"), -5);
	check_equal(milli("0"), 0);
	check_equal(milli("-0"), 0);
	check_equal(milli("9000000000"), 9000000000000);
	check_equal(milli("9223372036854775.807"), INT64_MAX);
	check_equal(milli("-9223372036854775.807"), -INT64_MAX);
}

test(milli_reads_exponents)
{
	check_equal(milli("1e3"), 1000000);
	check_equal(milli("1.5E+2"), 150000);
	check_equal(milli("1e-3"), 1);
	check_equal(milli("0e999999999999"), 0);
	check_equal(milli("1000000000000000000000000e-24"), 1000);
}

test(milli_drops_zeros_that_do_not_count)
{
	check_equal(milli("1.50000000000000000000000000000000"), 1500);
	check_equal(milli("0.00100000"), 1);
	check_equal(milli("000000000000000000000000001"), 1000);
}

test(milli_never_rounds)
{
	check_equal(milli_refused("0.0001"), -ERANGE);
	check_equal(milli_refused("1e-4"), -ERANGE);
	check_equal(milli_refused("1.0000000000000000000000000001"), -ERANGE);
}

test(milli_beyond_its_range_is_refused)
{
	check_equal(milli_refused("9223372036854775.808"), -ERANGE);
	check_equal(milli_refused("-9223372036854775.808"), -ERANGE);
	check_equal(milli_refused("1e16"), -ERANGE);
	check_equal(milli_refused("1e999999999999"), -ERANGE);
}

test(milli_refuses_what_is_no_number)
{
	static const char *const faults[] = { "", "-", ".", ".5", "1.", "1.e3", "1e", "1e+", "+1", "1.2.3", "0x1", "nan", " 1", "1 ", "1e1.5" };

	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		check_equal(milli_refused(faults[i]), -EINVAL);
}

test(milli_reads_only_its_length)
{
	int64_t value;

	check_equal(number_parse_milli("12345", 2, &value), 0);
	check_equal(value, 12000);
}

#define check_written(expected, call) do { \
	char buffer_[64]; \
	struct text text = TEXT(buffer_); \
	call; \
	check_string(buffer_, expected); } while (0)

test(milli_is_written_without_trailing_zeros)
{
	check_written("1.337", number_add_milli(&text, 1337));
	check_written("2", number_add_milli(&text, 2000));
	check_written("-0.005", number_add_milli(&text, -5));
	check_written("0.05", number_add_milli(&text, 50));
	check_written("10.5", number_add_milli(&text, 10500));
	check_written("0", number_add_milli(&text, 0));
	check_written("9223372036854775.807", number_add_milli(&text, INT64_MAX));
	check_written("-9223372036854775.808", number_add_milli(&text, INT64_MIN));
}

test(size_is_written_with_its_largest_exact_unit)
{
	check_written("4k", number_add_size(&text, 4096));
	check_written("1500", number_add_size(&text, 1500));
	check_written("1536k", number_add_size(&text, 1536 << 10));
	check_written("256m", number_add_size(&text, 256 << 20));
	check_written("1p", number_add_size(&text, 1ull << 50));
	check_written("1024p", number_add_size(&text, 1ull << 60));
	check_written("0", number_add_size(&text, 0));
}

test(duration_is_written_for_people)
{
	check_written("0 ns", number_add_duration(&text, 0));
	check_written("999 ns", number_add_duration(&text, 999));
	check_written("1.337 us", number_add_duration(&text, 1337));
	check_written("20 us", number_add_duration(&text, 20000));
	check_written("1.235 ms", number_add_duration(&text, 1234567));
	check_written("1 s", number_add_duration(&text, 999999999));
	check_written("1.5 s", number_add_duration(&text, 1500000000));
	check_written("3 min 20 s", number_add_duration(&text, 200000000000));
	check_written("2 h 5 min", number_add_duration(&text, 7500000000000));
}

test(bytes_are_written_as_hex)
{
	check_written("00ff1a", number_add_hex(&text, (const uint8_t[]){ 0, 255, 26 }, 3));
}

test(time_is_written_as_iso_8601)
{
	check_written("1970-01-01T00:00:00.000000000Z", number_add_time(&text, 0));
	check_written("2026-11-30T14:22:05.123456789Z", number_add_time(&text, 1796048525123456789));
	check_written("2000-02-29T23:59:59.000000001Z", number_add_time(&text, 951868799000000001));
	check_written("2100-03-01T00:00:00.000000000Z", number_add_time(&text, 4107542400000000000));
	check_written("2554-07-21T23:34:33.709551615Z", number_add_time(&text, UINT64_MAX));
}

test(device_numbers_are_a_pair)
{
	uint32_t a = 0, b = 0;

	check_equal(number_parse_pair("8:17", 10, &a, &b), 0);
	check_equal(a, 8);
	check_equal(b, 17);
	check_equal(number_parse_pair("fe:1f", 16, &a, &b), 0);
	check_equal(a, 0xfe);
	check_equal(b, 0x1f);
	check_equal(number_parse_pair("8", 10, &a, &b), -EINVAL);
	check_equal(number_parse_pair("8:", 10, &a, &b), -EINVAL);
	check_equal(number_parse_pair(":8", 10, &a, &b), -EINVAL);
	check_equal(number_parse_pair("fe:1f", 10, &a, &b), -EINVAL);
	check_equal(number_parse_pair("4294967296:0", 10, &a, &b), -ERANGE);
}
