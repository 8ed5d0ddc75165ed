/* say.c: what commands print, to standard output and to standard error. */
#include <fcntl.h>
#include <stdarg.h>

#include "capacity.h"
#include "cli/cli.h"
#include "lib/text.h"
#include "report/console.h"
#include "sys/call.h"

static char buffer[16 << 10];

void cli_open_standard(void)
{
	int fd;

	do {
		fd = sys_open("/dev/null", O_RDWR, 0);
		if (fd < 0)
			fd = sys_open("/", O_RDONLY | O_DIRECTORY, 0); /* no /dev: a place holder, that writing fails on */
	} while (fd >= 0 && fd <= 2);
	if (fd > 2)
		sys_close(fd);
}

void cli_print(const char *format, ...)
{
	struct text text = TEXT(buffer);
	va_list args;

	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	sys_write_all(1, text.at, text.length);
}

const char *cli_value(int64_t milli, const char *unit)
{
	static char values[4][32];
	static unsigned turn;
	char *value = values[turn++ % COUNT_OF(values)];
	struct text text = text_in(value, sizeof values[0]);

	console_add_value(&text, milli, unit);
	return value;
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
