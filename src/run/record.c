/* record.c: opening the record's file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib/text.h"
#include "run/record.h"
#include "run/scratch_use.h"
#include "sys/call.h"

static int refuse(const char *path, const char *why, char *fault, unsigned fault_size)
{
	struct text text = text_in(fault, fault_size);

	text_add_format(&text, "--record %s: %s", path, why);
	return -EINVAL;
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is the folder /dev, or below it?  Up by its own "..", so that neither links nor a missing /proc deceive. */
static bool is_dev_folder(const char *folder)
{
	struct stat dev, here, above;
	bool inside = false, root = false;
	int fd = sys_open(folder, O_PATH | O_DIRECTORY, 0), up;

	if (fd < 0 || stat("/dev", &dev))
		root = true;
	while (!root && !inside && !fstat(fd, &here)) {
		inside = same(&here, &dev);
		up = (int)sys_call(SYS_openat, fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		root = up < 0 || fstat(up, &above) || same(&here, &above);
		sys_close(fd);
		fd = up;
	}
	if (fd >= 0)
		sys_close(fd);
	return inside;
}

static bool folder_of(const char *path, char folder[MAX_PATH])
{
	char *slash;

	if (!text_copy(folder, MAX_PATH, path))
		return false;
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	else
		text_copy(folder, MAX_PATH, ".");
	return true;
}

/* Asked of the folder: a file is not even made there. */
static bool is_on_destroyed(const char *folder, const struct scratch *scratch)
{
	struct stat area;
	int fd = scratch && scratch->destroyed && !fstat(scratch->fd, &area) ? sys_open(folder, O_PATH, 0) : -1;
	bool found = fd >= 0 && scratch_shares_file(area.st_rdev, fd);

	if (fd >= 0)
		sys_close(fd);
	return found;
}

/* An older record begins as every record does. */
static bool is_record(int fd)
{
	static const char begin[] = "{\"sequenceNumber\":0,";
	char first[sizeof begin] = "";

	return sys_pread(fd, first, sizeof begin - 1, 0) == (ssize_t)sizeof begin - 1 && !strcmp(first, begin);
}

/* Standard output or error goes to the same file: each would overwrite the other. */
static bool is_ours(const struct stat *info)
{
	struct stat standard;

	for (int fd = 1; fd <= 2; fd++)
		if (!fstat(fd, &standard) && same(&standard, info))
			return true;
	return false;
}

static int check_file(int fd, const struct stat *info, const struct scratch *scratch, const char **why)
{
	struct stat area;

	if (scratch && !fstat(scratch->file_fd >= 0 ? scratch->file_fd : scratch->fd, &area) && area.st_dev == info->st_dev &&
	    area.st_ino == info->st_ino) {
		*why = "it is the scratch area; give the record a file of its own";
		return -EINVAL;
	}
	if (is_ours(info)) {
		*why = "standard output or error goes there, too; give the record a file of its own";
		return -EINVAL;
	}
	if (info->st_size && !is_record(fd)) {
		*why = "it holds something that is not a record; give another name, or remove it";
		return -EINVAL;
	}
	return info->st_size ? sys_ftruncate(fd, 0) : 0;
}

int record_open(const char *path, const struct scratch *scratch, int *fd, char *fault, unsigned fault_size)
{
	char folder[MAX_PATH];
	const char *why = NULL;
	struct stat info;
	bool device;
	int err;

	*fd = -1;
	if (!folder_of(path, folder))
		return refuse(path, sys_error(-ENAMETOOLONG), fault, fault_size);
	if (is_on_destroyed(folder, scratch))
		return refuse(path, "it lies on the drive that --destroy gives up: give it a place on another", fault, fault_size);
	device = is_dev_folder(folder);
	*fd = sys_open(path, device ? O_WRONLY | O_NOCTTY : O_RDWR | O_CREAT | O_NOFOLLOW | O_NOCTTY, 0644);
	if (*fd == -ELOOP)
		return refuse(path, "a symbolic link: give the file itself", fault, fault_size);
	if (*fd < 0)
		return refuse(path, sys_error(*fd), fault, fault_size);
	if (fstat(*fd, &info)) {
		why = "its kind can not be told";
	} else if (S_ISFIFO(info.st_mode)) {
		why = "a FIFO: its reader could stop the run; give a file";
	} else if (S_ISBLK(info.st_mode)) {
		why = "a block device: a record would overwrite what is on it; give a file";
	} else if (device && !S_ISCHR(info.st_mode)) {
		why = "not a character device; nothing is made under /dev";
	} else if (S_ISREG(info.st_mode)) {
		err = check_file(*fd, &info, scratch, &why);
		if (err && !why)
			why = sys_error(err);
	}
	if (!why)
		return 0;
	sys_close(*fd);
	*fd = -1;
	return refuse(path, why, fault, fault_size);
}
