/* result.c: see result.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "init/banner.h"
#include "init/cmdline.h"
#include "init/console.h"
#include "init/result.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/exit_device.h"

void result_show(const struct ending *ending)
{
	char letters[1024];
	struct text text = TEXT(letters);

	banner_add(&text, verdict_word(ending->verdict));
	console_write(letters, text.length);
	console_write(ending->line, strlen(ending->line));
	console_write("\n", 1);
	console_drain(1);
}

/* Opened without waiting for a carrier; -ENOTTY when it is no character device: a drive is never written to here. */
static int open_device(const char *path)
{
	struct stat status;
	int fd = sys_open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK, 0);

	if (fd < 0 || (!fstat(fd, &status) && S_ISCHR(status.st_mode)))
		return fd;
	sys_close(fd);
	return -ENOTTY;
}

static int open_when_there(const char *path)
{
	int fd = open_device(path);

	for (unsigned i = 0; i < 40 && (fd == -ENOENT || fd == -ENXIO || fd == -ENODEV); i++) {
		sys_sleep_ns(MS(50));
		fd = open_device(path);
	}
	return fd;
}

/* Flow control may hold a line up for ever: 2 s of no progress are enough. */
static int write_patiently(int fd, const char *bytes, size_t count)
{
	while (count) {
		struct pollfd out = { .fd = fd, .events = POLLOUT };
		ssize_t written = sys_write(fd, bytes, count);

		if (written > 0) {
			bytes += written;
			count -= (size_t)written;
		} else if (written != -EAGAIN && written != -EINTR) {
			return written ? (int)written : -EIO;
		} else if (sys_poll(&out, 1, 2000) == 0) {
			return -ETIMEDOUT;
		}
	}
	return 0;
}

static void send_to(const struct ending *ending, const char *device)
{
	char path[MAX_PATH], line[sizeof(ending->line) + 1];
	struct text where = TEXT(path), what = TEXT(line);
	int fd, err;

	text_add_format(&where, "%s%s", text_starts(device, "/dev/") ? "" : "/dev/", device);
	text_add_format(&what, "%s\n", ending->line);
	fd = open_when_there(path);
	err = fd < 0 ? fd : write_patiently(fd, line, what.length);
	if (err)
		console_say("the result could not be written to %s: %s", path,
		            err == -ENOTTY ? "a character device is expected" : sys_error(err));
	if (fd < 0)
		return;
	console_drain(fd);
	sys_close(fd);
}

void result_send(const struct ending *ending, const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		char device[sizeof(((struct cmdline *)0)->result)];
		struct text name = TEXT(device);

		text_add_bytes(&name, list, length);
		if (length && strcmp(device, "qemu"))
			send_to(ending, device);
		list += length + (list[length] == ',');
	}
}

void result_exit(const struct ending *ending, const char *list)
{
	int err;

	if (!text_in_list(list, ',', "qemu"))
		return;
	err = exit_device((unsigned)verdict_status(ending->verdict));
	console_say("QEMU's exit device: %s", sys_error(err));
}
