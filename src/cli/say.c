/* say.c: what commands print, to standard output and to standard error. */
#include <stdarg.h>

#include "cli/cli.h"
#include "lib/text.h"
#include "sys/call.h"

static char buffer[16 << 10];

void cli_print(const char *format, ...)
{
	struct text text = TEXT(buffer);
	va_list args;

	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	sys_write_all(1, text.at, text.length);
}

int cli_usage(const char *format, ...)
{
	struct text text = TEXT(buffer);
	va_list args;

	text_add(&text, "assay: ");
	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	text_add(&text, "\n");
	sys_write_all(2, text.at, text.length);
	return 2;
}
