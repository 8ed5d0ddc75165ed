/* loop.c: see loop.h.  LOOP_CONFIGURE does all at once from kernel 5.8 on; before, LOOP_SET_FD and what follows. */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/text.h"
#include "sys/call.h"
#include "sys/loop.h"

/* Another process may take the device between its being found free and our taking it. */
enum { TRIES = 8, LARGE_BLOCK_BYTES = 4096 };

static int open_backing(const char *file, bool read_only)
{
	int fd = sys_open(file, (read_only ? O_RDONLY : O_RDWR) | O_NONBLOCK, 0);
	struct stat status;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		return fd;
	sys_close(fd);
	return -EINVAL;
}

static int open_device(const char *path, int flags)
{
	int fd = sys_open(path, flags, 0);

	return fd == -ENOENT ? -ENODEV : fd;
}

static int configure_in_steps(int fd, const struct loop_config *config)
{
	struct loop_info64 info = config->info;
	int err = sys_ioctl_number(fd, LOOP_SET_FD, config->fd);

	if (err)
		return err;
	info.lo_flags &= LO_FLAGS_AUTOCLEAR;
	err = sys_ioctl(fd, LOOP_SET_STATUS64, &info);
	if (err)
		sys_ioctl_number(fd, LOOP_CLR_FD, 0);
	return err;
}

static int configure(int fd, int backing, const char *file, bool read_only)
{
	struct loop_config config = { .fd = backing };
	int err;

	config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO | (read_only ? LO_FLAGS_READ_ONLY : 0);
	text_copy((char *)config.info.lo_file_name, sizeof(config.info.lo_file_name), file);
	err = sys_ioctl(fd, LOOP_CONFIGURE, &config);
	return err == -EINVAL || err == -ENOTTY ? configure_in_steps(fd, &config) : err;
}

static bool has_direct_io(int fd)
{
	struct loop_info64 info;

	return !sys_ioctl(fd, LOOP_GET_STATUS64, &info) && (info.lo_flags & LO_FLAGS_DIRECT_IO);
}

/* A file on a disk with large blocks can be had directly only by a device with blocks as large. */
static bool ask_for_direct_io(int fd)
{
	if (has_direct_io(fd))
		return true;
	if (!sys_ioctl_number(fd, LOOP_SET_DIRECT_IO, 1) && has_direct_io(fd))
		return true;
	if (sys_ioctl_number(fd, LOOP_SET_BLOCK_SIZE, LARGE_BLOCK_BYTES))
		return false;
	if (!sys_ioctl_number(fd, LOOP_SET_DIRECT_IO, 1) && has_direct_io(fd))
		return true;
	sys_ioctl_number(fd, LOOP_SET_BLOCK_SIZE, 512);
	return false;
}

static int attach_free(int control, int backing, const char *file, bool read_only, struct loop *loop)
{
	int number = sys_ioctl_number(control, LOOP_CTL_GET_FREE, 0), err;

	if (number < 0)
		return number;
	text_format(loop->name, sizeof(loop->name), "loop%d", number);
	text_format(loop->path, sizeof(loop->path), "/dev/%s", loop->name);
	loop->fd = open_device(loop->path, read_only ? O_RDONLY : O_RDWR);
	if (loop->fd < 0)
		return loop->fd;
	err = configure(loop->fd, backing, file, read_only);
	if (err) {
		loop_detach(loop);
		return err;
	}
	loop->direct_io = ask_for_direct_io(loop->fd);
	return 0;
}

int loop_attach(const char *file, bool read_only, struct loop *loop)
{
	int control, err = -EBUSY, backing = open_backing(file, read_only);

	memset(loop, 0, sizeof(*loop));
	loop->fd = -1;
	if (backing < 0)
		return backing;
	control = open_device("/dev/loop-control", O_RDWR);
	if (control < 0) {
		sys_close(backing);
		return control;
	}
	for (unsigned i = 0; i < TRIES && err == -EBUSY; i++)
		err = attach_free(control, backing, file, read_only, loop);
	sys_close(control);
	sys_close(backing); /* the device holds the file from here on */
	return err;
}

void loop_detach(struct loop *loop)
{
	if (loop->fd >= 0)
		sys_close(loop->fd);
	loop->fd = -1;
}
