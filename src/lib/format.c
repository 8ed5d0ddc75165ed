/* format.c: a small printf. */
#include <string.h>

#include "lib/format.h"

struct conversion {
	bool left, zero;
	int width, precision;   /* -1: none */
	unsigned longs;         /* l, ll; z counts as one l: size_t is a long on every target */
	char kind;
};

static void pad(struct text *text, char with, int count)
{
	while (count-- > 0)
		text_add_bytes(text, &with, 1);
}

static void add_padded(struct text *text, const struct conversion *conversion, const char *bytes, size_t length)
{
	int space = conversion->width - (int)length;

	if (!conversion->left)
		pad(text, ' ', space);
	text_add_bytes(text, bytes, length);
	if (conversion->left)
		pad(text, ' ', space);
}

static void add_number(struct text *text, const struct conversion *conversion, uint64_t number, bool negative)
{
	const unsigned base = conversion->kind == 'x' ? 16 : 10;
	char digits[40], *at = digits + sizeof digits;

	do {
		*--at = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	if (conversion->zero && !conversion->left)
		while (at > digits + 1 && digits + sizeof digits - at < conversion->width - negative)
			*--at = '0';
	if (negative)
		*--at = '-';
	add_padded(text, conversion, at, (size_t)(digits + sizeof digits - at));
}

/* An int, or a * from the arguments. */
static const char *read_int(const char *format, int *number, va_list *args)
{
	if (*format == '*') {
		*number = va_arg(*args, int);
		return format + 1;
	}
	for (*number = 0; *format >= '0' && *format <= '9'; format++)
		*number = *number * 10 + *format - '0';
	return format;
}

/* What stands behind a %, up to and with its letter. */
static const char *read_conversion(const char *format, struct conversion *conversion, va_list *args)
{
	*conversion = (struct conversion){ .precision = -1 };
	for (; *format == '-' || *format == '0'; format++) {
		conversion->left |= *format == '-';
		conversion->zero |= *format == '0';
	}
	format = read_int(format, &conversion->width, args);
	if (conversion->width < 0) {
		conversion->left = true;
		conversion->width = -conversion->width;
	}
	if (*format == '.')
		format = read_int(format + 1, &conversion->precision, args);
	for (; *format == 'l' || *format == 'z'; format++)
		conversion->longs++;
	conversion->kind = *format;
	return *format ? format + 1 : format;
}

static void add_string(struct text *text, const struct conversion *conversion, const char *string)
{
	size_t length;

	if (!string)
		string = "(null)";
	length = conversion->precision < 0 ? strlen(string) : strnlen(string, (size_t)conversion->precision);
	add_padded(text, conversion, string, length);
}

static void add_signed(struct text *text, const struct conversion *conversion, va_list *args)
{
	int64_t number = conversion->longs ? va_arg(*args, long) : va_arg(*args, int);

	add_number(text, conversion, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, number < 0);
}

static void add_one(struct text *text, const struct conversion *conversion, va_list *args)
{
	char letter;

	switch (conversion->kind) {
	case 's':
		add_string(text, conversion, va_arg(*args, const char *));
		break;
	case 'c':
		letter = (char)va_arg(*args, int);
		add_padded(text, conversion, &letter, 1);
		break;
	case 'd':
	case 'i':
		add_signed(text, conversion, args);
		break;
	case 'u':
	case 'x':
		add_number(text, conversion, conversion->longs ? va_arg(*args, unsigned long) : va_arg(*args, unsigned), false);
		break;
	default:
		text_add_bytes(text, &conversion->kind, conversion->kind != 0);
	}
}

void format_add(struct text *text, const char *format, va_list args)
{
	struct conversion conversion;
	va_list own;

	va_copy(own, args);
	while (*format) {
		size_t plain = strcspn(format, "%");

		text_add_bytes(text, format, plain);
		format += plain;
		if (*format == '%') {
			format = read_conversion(format + 1, &conversion, &own);
			add_one(text, &conversion, &own);
		}
	}
	va_end(own);
}
