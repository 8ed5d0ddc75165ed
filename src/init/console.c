/* console.c: see console.h. */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "init/console.h"
#include "lib/text.h"
#include "sys/call.h"

void console_open(void)
{
	int fd;

	if (sys_fcntl(1, F_GETFD, 0) >= 0)
		return;
	fd = sys_open("/dev/console", O_RDWR | O_NOCTTY, 0);
	if (fd < 0)
		fd = sys_open("/dev/null", O_RDWR, 0);
	if (fd < 0)
		return;
	for (int to = 0; to <= 2; to++) {
		if (fd == to)
			sys_fcntl(fd, F_SETFD, 0);
		else
			sys_call(SYS_dup3, fd, to, 0);
	}
	if (fd > 2)
		sys_close(fd);
}

void console_hush_kernel(void)
{
	int fd = sys_open("/proc/sys/kernel/printk", O_WRONLY, 0);

	if (fd < 0)
		return;
	sys_write(fd, "1\n", 2); /* only a panic; env.after reads the log itself */
	sys_close(fd);
}

void console_write(const char *text, size_t length)
{
	sys_write_all(1, text, length);
}

void console_say(const char *format, ...)
{
	char line[MAX_MESSAGE];
	struct text text = TEXT(line);
	va_list args;

	text_add(&text, "init: ");
	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	console_write(line, text.length);
	console_write("\n", 1);
}

void console_drain(int fd)
{
	int waiting = 0;

	for (unsigned i = 0; i < 200 && !sys_ioctl(fd, TIOCOUTQ, &waiting) && waiting > 0; i++)
		sys_sleep_ns(MS(10));
	sys_sleep_ns(MS(20)); /* what is left is in the device's own queue, 64 bytes at 115200 baud at most */
}
