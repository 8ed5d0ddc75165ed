/* iperf_number.c: see its header. */
#include <errno.h>

#include "net/iperf_number.h"

/* What is read of a number so far: digits that count, and the power of ten behind them. */
struct reading { uint64_t digits; int power; bool fraction; };

/* More digits than a count has only move the point. */
static void take_digit(struct reading *reading, char c)
{
	bool kept = reading->digits < 100000000000000000ull;

	if (kept)
		reading->digits = reading->digits * 10 + (uint64_t)(c - '0');
	reading->power += !kept - reading->fraction;
}

static const char *take_digits(const char *at, const char *end, struct reading *reading)
{
	for (; at < end && ((*at >= '0' && *at <= '9') || *at == '.'); at++)
		if (*at == '.')
			reading->fraction = true;
		else
			take_digit(reading, *at);
	return at;
}

/* "e+15", "E-7", "". */
static int exponent(const char *at, const char *end)
{
	bool negative;
	int power = 0;

	if (at == end)
		return 0;
	negative = *++at == '-';
	for (at += negative || *at == '+'; at < end; at++)
		if (power < 10000)
			power = power * 10 + (*at - '0');
	return negative ? -power : power;
}

static int scale(uint64_t *digits, int power)
{
	for (; power < 0 && *digits; power++)
		*digits /= 10;
	for (; power > 0 && *digits; power--)
		if (__builtin_mul_overflow(*digits, 10ull, digits))
			return -ERANGE;
	return *digits > INT64_MAX ? -ERANGE : 0;
}

int iperf_number(const struct json *json, int token, unsigned decimals, int64_t *value)
{
	const char *at = json->text + json->tokens[token].start, *end = json->text + json->tokens[token].end;
	struct reading reading = { .power = (int)decimals };
	bool negative = *at == '-';
	int err;

	if (json_type(json, token) != JSON_NUMBER)
		return -EINVAL;
	at = take_digits(at + negative, end, &reading);
	err = scale(&reading.digits, reading.power + exponent(at, end));
	if (!err)
		*value = negative ? -(int64_t)reading.digits : (int64_t)reading.digits;
	return err;
}

void iperf_number_add(struct text *json, const char *key, int64_t value)
{
	json_add_key(json, key);
	text_add_format(json, "%lld", (long long)value);
}

void iperf_number_add_decimal(struct text *json, const char *key, uint64_t value, unsigned decimals)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	json_add_key(json, key);
	text_add_format(json, "%llu.%0*llu", (unsigned long long)(value / unit), (int)decimals, (unsigned long long)(value % unit));
}
