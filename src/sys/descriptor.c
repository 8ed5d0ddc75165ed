/* descriptor.c: whole writes to a descriptor, the first error kept. */
#include <errno.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "sys/call.h"
#include "sys/descriptor.h"

static int write_all(struct output *output, const char *bytes, size_t count)
{
	struct descriptor *descriptor = (struct descriptor *)output;

	if (!descriptor->error)
		descriptor->error = sys_write_all(descriptor->fd, bytes, count);
	return descriptor->error;
}

static int flush(struct output *output)
{
	struct descriptor *descriptor = (struct descriptor *)output;
	int err = sys_fsync(descriptor->fd);

	/* A pipe or a terminal has no disk to reach. */
	if (!descriptor->error && err && err != -EINVAL && err != -EROFS)
		descriptor->error = err;
	return descriptor->error;
}

void descriptor_init(struct descriptor *descriptor, int fd)
{
	*descriptor = (struct descriptor){ .output = { write_all, flush }, .fd = fd };
}

bool descriptor_is_terminal(int fd)
{
	struct termios settings;

	return sys_ioctl(fd, TCGETS, &settings) == 0;
}
