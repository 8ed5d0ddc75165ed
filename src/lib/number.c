/*
 * number.c: see number.h.  A decimal fraction is taken exactly: what it leaves over below one unit is -ERANGE, never
 * rounded.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "capacity.h"
#include "lib/number.h"
#include "lib/wide.h"

#define SECOND_NS SECONDS(1)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int add_digit(uint64_t *number, unsigned base, unsigned digit)
{
	if (__builtin_mul_overflow(*number, (uint64_t)base, number) || __builtin_add_overflow(*number, (uint64_t)digit, number))
		return -ERANGE;
	return 0;
}

/* Digits from *text on, which is moved behind them. */
static int take_digits(const char **text, uint64_t *number)
{
	int err = 0;

	if (!is_digit(**text))
		return -EINVAL;
	for (*number = 0; is_digit(**text); ++*text)
		if (!err)
			err = add_digit(number, 10, (unsigned)(**text - '0'));
	return err;
}

bool number_take(const char **text, uint64_t *number)
{
	const char *at = *text + strspn(*text, " \t\n\v\f\r");
	int err = take_digits(&at, number);

	if (err == -EINVAL) {
		*number = 0;
		return false;
	}
	if (err)
		*number = UINT64_MAX;
	*text = at;
	return true;
}

int number_parse(const char *text, uint64_t *number)
{
	uint64_t value;
	int err = take_digits(&text, &value);

	if (err == -EINVAL || *text)
		return -EINVAL;
	if (!err)
		*number = value;
	return err;
}

static int hex_digit(char c)
{
	c = lower(c);
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int number_parse_hex(const char *text, uint64_t *number)
{
	uint64_t value = 0;
	int err = 0;

	if (text[0] == '0' && lower(text[1]) == 'x')
		text += 2;
	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		int digit = hex_digit(*text);

		if (digit < 0)
			return -EINVAL;
		if (!err)
			err = add_digit(&value, 16, (unsigned)digit);
	}
	if (!err)
		*number = value;
	return err;
}

/* whole + fraction / fraction_of, as it is written. */
struct decimal { uint64_t whole, fraction, fraction_of; };

static int take_fraction(const char **text, struct decimal *decimal)
{
	size_t digits = strspn(*text, "0123456789"), counted = digits;
	int err = 0;

	if (!digits)
		return -EINVAL;
	while (counted && (*text)[counted - 1] == '0')
		counted--;
	for (size_t i = 0; i < counted && !err; i++) {
		err = add_digit(&decimal->fraction, 10, (unsigned)((*text)[i] - '0'));
		if (!err)
			err = add_digit(&decimal->fraction_of, 10, 0);
	}
	*text += digits;
	return err;
}

/* Moves *text behind all of it even when it does not fit, so that what follows is still looked at. */
static int take_decimal(const char **text, struct decimal *decimal)
{
	int err = take_digits(text, &decimal->whole), fault;

	decimal->fraction = 0;
	decimal->fraction_of = 1;
	if (err == -EINVAL || **text != '.')
		return err;
	++*text;
	fault = take_fraction(text, decimal);
	return fault == -EINVAL || !err ? fault : err;
}

static int decimal_times(const struct decimal *decimal, uint64_t worth, uint64_t *number)
{
	struct quotient part = wide_divide((unsigned __int128)decimal->fraction * worth, decimal->fraction_of);
	unsigned __int128 value = (unsigned __int128)decimal->whole * worth + part.whole;

	if (part.rest || value > UINT64_MAX)
		return -ERANGE;
	*number = (uint64_t)value;
	return 0;
}

/* `unit` gives what a suffix is worth, 0 when there is none of that name. */
static int parse_with_unit(const char *text, uint64_t (*unit)(const char *suffix), uint64_t *number)
{
	struct decimal decimal;
	uint64_t worth;
	int err = take_decimal(&text, &decimal);

	if (err == -EINVAL)
		return err;
	worth = unit(text);
	if (!worth)
		return -EINVAL;
	return err ? err : decimal_times(&decimal, worth, number);
}

static uint64_t power(uint64_t base, unsigned exponent)
{
	uint64_t value = 1;

	while (exponent--)
		value *= base;
	return value;
}

static const char prefixes[] = "kmgtp";

/* 1 to 5 for k m g t p in either case, 0 for anything else. */
static unsigned prefix_power(char prefix)
{
	const char *at = prefix ? strchr(prefixes, lower(prefix)) : NULL;

	return at ? (unsigned)(at - prefixes) + 1 : 0;
}

static uint64_t size_unit(const char *suffix)
{
	unsigned exponent = prefix_power(suffix[0]);

	if (!*suffix)
		return 1;
	if (!exponent)
		return 0;
	suffix++;
	if (strcmp(suffix, "B") == 0)
		return power(1000, exponent);
	return !*suffix || strcmp(suffix, "b") == 0 || strcmp(suffix, "iB") == 0 ? power(1024, exponent) : 0;
}

int number_parse_pair(const char *text, unsigned base, uint32_t *first, uint32_t *second)
{
	const char *colon = strchr(text, ':');
	uint64_t a, b;
	char left[16];

	if (!colon || !text_format(left, sizeof left, "%.*s", (int)(colon - text), text))
		return -EINVAL;
	if (base == 16 ? number_parse_hex(left, &a) || number_parse_hex(colon + 1, &b)
	               : number_parse(left, &a) || number_parse(colon + 1, &b))
		return -EINVAL;
	if (a > UINT32_MAX || b > UINT32_MAX)
		return -ERANGE;
	*first = (uint32_t)a;
	*second = (uint32_t)b;
	return 0;
}

int number_parse_size(const char *text, uint64_t *bytes)
{
	return parse_with_unit(text, size_unit, bytes);
}

static uint64_t duration_unit(const char *suffix)
{
	static const struct { char name[3]; uint64_t ns; } units[] = {
		{ "", SECOND_NS }, { "s", SECOND_NS }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
		{ "m", 60 * SECOND_NS }, { "h", 3600 * SECOND_NS },
	};

	for (unsigned i = 0; i < COUNT_OF(units); i++)
		if (strcmp(suffix, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

int number_parse_duration(const char *text, uint64_t *duration_ns)
{
	return parse_with_unit(text, duration_unit, duration_ns);
}

/* digits * 10^exponent, where digits does not end in a zero unless it is 0. */
struct scientific { bool negative; uint64_t digits; int exponent; };

enum { EXPONENT_LIMIT = 100000 }; /* beyond any that fits, and far from overflow */

/* Zeros count only once another digit follows them, so that 1.5000...0 and 1000...0e-30 fit. */
static int take_significant(const char **at, const char *end, struct scientific *number)
{
	const char *start = *at;
	int zeros = 0, err = 0;
	bool fraction = false;

	for (; *at < end && (is_digit(**at) || (**at == '.' && !fraction && *at > start)); ++*at) {
		if (**at == '.') {
			fraction = true;
			continue;
		}
		number->exponent -= fraction;
		zeros++;
		if (**at == '0')
			continue;
		for (; zeros && !err; zeros--)
			err = add_digit(&number->digits, 10, zeros == 1 ? (unsigned)(**at - '0') : 0);
	}
	number->exponent += zeros;
	return *at == start || (*at)[-1] == '.' ? -EINVAL : err;
}

static int take_exponent(const char **at, const char *end, struct scientific *number)
{
	bool negative = false;
	int exponent = 0;

	if (*at == end || lower(**at) != 'e')
		return 0;
	++*at;
	if (*at < end && (**at == '-' || **at == '+'))
		negative = *(*at)++ == '-';
	if (*at == end)
		return -EINVAL;
	for (; *at < end && is_digit(**at); ++*at)
		if (exponent < EXPONENT_LIMIT)
			exponent = exponent * 10 + (**at - '0');
	number->exponent += negative ? -exponent : exponent;
	return 0;
}

static int milli_of(const struct scientific *number, int64_t *milli)
{
	uint64_t value = number->digits;

	if (!value) {
		*milli = 0;
		return 0;
	}
	if (number->exponent < -3)
		return -ERANGE;
	for (int i = -3; i < number->exponent; i++)
		if (add_digit(&value, 10, 0))
			return -ERANGE;
	if (value > INT64_MAX)
		return -ERANGE;
	*milli = number->negative ? -(int64_t)value : (int64_t)value;
	return 0;
}

int number_parse_milli(const char *text, size_t length, int64_t *milli)
{
	struct scientific number = { .negative = length && text[0] == '-' };
	const char *at = text + number.negative, *end = text + length;
	int err = take_significant(&at, end, &number);

	if (err == -EINVAL || take_exponent(&at, end, &number) || at != end)
		return -EINVAL;
	return err ? err : milli_of(&number, milli);
}

void number_add_milli(struct text *text, int64_t milli)
{
	uint64_t size = milli < 0 ? -(uint64_t)milli : (uint64_t)milli;
	unsigned rest = (unsigned)(size % 1000);

	text_add_format(text, "%s%" PRIu64, milli < 0 ? "-" : "", size / 1000);
	if (rest % 10)
		text_add_format(text, ".%03u", rest);
	else if (rest % 100)
		text_add_format(text, ".%02u", rest / 10);
	else if (rest)
		text_add_format(text, ".%u", rest / 100);
}

void number_add_size(struct text *text, uint64_t bytes)
{
	unsigned exponent = 0;

	for (; bytes && bytes % 1024 == 0 && prefixes[exponent]; exponent++)
		bytes /= 1024;
	text_add_format(text, "%" PRIu64, bytes);
	if (exponent)
		text_add_bytes(text, &prefixes[exponent - 1], 1);
}

const char *number_size_word(uint64_t bytes, char word[24])
{
	struct text text = text_in(word, 24);

	number_add_size(&text, bytes);
	return word;
}

void number_add_duration(struct text *text, uint64_t duration_ns)
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	uint64_t milli = duration_ns, seconds = duration_ns / SECOND_NS;
	unsigned unit = 0;

	if (seconds >= 7200) {
		text_add_format(text, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
	} else if (seconds >= 120) {
		text_add_format(text, "%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
	} else if (duration_ns < 1000) {
		text_add_format(text, "%" PRIu64 " ns", duration_ns);
	} else {
		for (unit = 1; unit < 3 && milli >= 1000000; unit++)
			milli = (milli + 500) / 1000;
		number_add_milli(text, (int64_t)milli);
		text_add_format(text, " %s", names[unit]);
	}
}

void number_add_hex(struct text *text, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_add_format(text, "%02x", bytes[i]);
}

/* Days since 1970 to a date of the Gregorian calendar: whole 400-year cycles of years that begin in March. */
static void date_of(uint64_t days, unsigned *year, unsigned *month, unsigned *day)
{
	uint64_t shifted = days + 719468; /* from 0000-03-01 */
	unsigned of_cycle = (unsigned)(shifted % 146097);
	unsigned of_year, cycle_year, march_month;

	cycle_year = (of_cycle - of_cycle / 1460 + of_cycle / 36524 - of_cycle / 146096) / 365;
	of_year = of_cycle - (365 * cycle_year + cycle_year / 4 - cycle_year / 100);
	march_month = (5 * of_year + 2) / 153;
	*day = of_year - (153 * march_month + 2) / 5 + 1;
	*month = march_month < 10 ? march_month + 3 : march_month - 9;
	*year = (unsigned)(shifted / 146097) * 400 + cycle_year + (*month <= 2);
}

void number_add_time(struct text *text, uint64_t real_ns)
{
	uint64_t seconds = real_ns / SECOND_NS;
	unsigned of_day = (unsigned)(seconds % 86400), year, month, day;

	date_of(seconds / 86400, &year, &month, &day);
	text_add_format(text, "%04u-%02u-%02uT%02u:%02u:%02u.%09uZ", year, month, day, of_day / 3600, of_day / 60 % 60,
	                of_day % 60, (unsigned)(real_ns % SECOND_NS));
}
