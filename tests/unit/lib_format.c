/* lib_format: the small printf gives what the C library's does, for every format that the program uses. */
#include <stdarg.h>
#include <stdlib.h>

#include "lib/format.h"
#include "test.h"

static char got[200], want[200];

__attribute__((format(printf, 1, 2))) static bool same(const char *format, ...)
{
	struct text text = TEXT(got);
	va_list args, again;

	va_start(args, format);
	va_copy(again, args);
	format_add(&text, format, args);
	vsnprintf(want, sizeof want, format, again);
	va_end(again);
	va_end(args);
	if (strcmp(got, want))
		printf("# \"%s\": got \"%s\", not \"%s\"\n", format, got, want);
	return !strcmp(got, want);
}

test(strings_are_padded_and_cut)
{
	check(same("%s|%8s|%-8s|%.3s|%8.2s|%.*s|%-*s|", "abc", "abc", "abc", "abcdef", "abcdef", 2, "xyz", 6, "q"));
	check(same("%s%s", "", "x"));
	check(same("%.0s|%2s", "abc", "abcdef"));
}

test(numbers_of_every_length_are_written)
{
	check(same("%d %d %i %u", 0, -1, INT32_MIN, UINT32_MAX));
	check(same("%ld %lld %llu %lu %zu", INT64_MIN, (long long)INT64_MAX, (unsigned long long)UINT64_MAX, 7ul, (size_t)9));
	check(same("%x %08x %llx %016llx", 0xbeefu, 0x1a2bu, 0xffffffffffffffffull, 0x12ull));
}

test(numbers_are_padded)
{
	check(same("%5d|%-5d|%05d|%-5u|%2u|%*d|%0*lld", 42, 42, -42, 42u, 12345u, 6, 7, 3, 5ll));
	check(same("%03u.%09u", 7u, 123456789u));
	check(same("%024u|%20d", 1u, -1));
}

test(letters_and_percent_signs_are_written)
{
	check(same("%c%c 100 %%|%3c|", 'a', 'z', 'q'));
}

test(text_that_does_not_fit_is_cut_and_says_so)
{
	char small[4];
	struct text text = TEXT(small);

	text_add_format(&text, "%s", "abcdef");
	check_string(small, "abc");
	check(text.cut);
}
