/* target.c: see target.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/text.h"
#include "run/target.h"
#include "scratch_block.h"
#include "sys/call.h"
#include "sys/file.h"

static int refuse(const struct scratch *target, char *fault, unsigned size, const char *why)
{
	text_format(fault, size, "%s: %s", target->given, why);
	return -EINVAL;
}

static const char *wrong_kind(const char *path, mode_t mode)
{
	if (S_ISBLK(mode) || (S_ISREG(mode) && !text_starts(path, "/dev/")))
		return NULL;
	if (S_ISCHR(mode))
		return "a character device, not a block device (nvme0n1, not nvme0): see `assay probe`";
	if (S_ISDIR(mode))
		return "a directory: give a block device, or a file";
	return S_ISREG(mode) ? "under /dev but not a block device: see `assay probe`" : "neither a block device nor a file";
}

static const char *open_fault(int err, const char *path)
{
	if (err == -ENOENT)
		return text_starts(path, "/dev/") ? "no such device, and nothing is ever created under /dev: see `assay probe`" : "no such file";
	if (err == -EACCES || err == -EPERM)
		return "not permitted: run as root, or as a member of the group that may read it";
	return err == -ENOMEDIUM ? "no medium in it" : sys_error(err);
}

/* The kernel's name of a block device. */
static void name_device(struct scratch *target, dev_t device)
{
	char folder[MAX_PATH];

	if (file_link(folder, sizeof folder, "/sys/dev/block/%u:%u", major(device), minor(device)) >= 0 && strrchr(folder, '/'))
		text_copy(target->name, sizeof target->name, strrchr(folder, '/') + 1);
	else
		text_format(target->name, sizeof target->name, "%u:%u", major(device), minor(device));
}

/* The least that direct I/O does on this file system: nothing tells it before 6.1, so it is tried. */
static uint32_t direct_block_bytes(int fd)
{
	static char buffer[2 * SCRATCH_BLOCK_BYTES];
	char *aligned = buffer + SCRATCH_BLOCK_BYTES - (uintptr_t)buffer % SCRATCH_BLOCK_BYTES;

	for (uint32_t bytes = 512; bytes < SCRATCH_BLOCK_BYTES; bytes *= 2)
		if (sys_pread(fd, aligned, bytes, 0) == (ssize_t)bytes)
			return bytes;
	return SCRATCH_BLOCK_BYTES;
}

static const char *measure(struct scratch *target, const struct stat *status)
{
	int logical_bytes = 0;

	if (S_ISREG(status->st_mode)) {
		text_copy(target->name, sizeof target->name, "file");
		text_copy(target->note, sizeof target->note, "a file: what its file system does is measured with it");
		target->size_bytes = (uint64_t)status->st_size;
		target->logical_block_bytes = target->direct ? direct_block_bytes(target->fd) : 512;
		target->file_fd = target->fd;
	} else {
		name_device(target, status->st_rdev);
		if (sys_ioctl(target->fd, BLKGETSIZE64, &target->size_bytes) || sys_ioctl(target->fd, BLKSSZGET, &logical_bytes))
			return "its size cannot be told";
		target->logical_block_bytes = (uint32_t)logical_bytes;
	}
	target->device_bytes = target->size_bytes;
	return target->size_bytes ? NULL : "its size is 0: no medium in it, an empty file, or a format that the kernel cannot use";
}

static int open_direct(struct scratch *target)
{
	int fd = sys_open(target->node, O_RDONLY | O_DIRECT | O_NONBLOCK, 0);

	target->direct = fd != -EINVAL;
	return fd == -EINVAL ? sys_open(target->node, O_RDONLY | O_NONBLOCK, 0) : fd;
}

int target_open(const char *path, struct scratch *target, char *fault, unsigned fault_size)
{
	struct stat status;
	const char *why;

	*target = (struct scratch){ .fd = -1, .file_fd = -1, .read_only = true };
	if (!text_copy(target->given, sizeof target->given, path)) {
		target->given[32] = '\0';
		return refuse(target, fault, fault_size, "... and so on: the path is too long");
	}
	text_copy(target->node, sizeof target->node, path);
	/* The kind first: opening a FIFO or a tape has effects. */
	target->fd = sys_open(path, O_PATH, 0);
	if (target->fd < 0)
		return refuse(target, fault, fault_size, open_fault(target->fd, path));
	why = fstat(target->fd, &status) ? "cannot be looked at" : wrong_kind(path, status.st_mode);
	sys_close(target->fd);
	target->fd = why ? -1 : open_direct(target);
	if (!why && target->fd < 0)
		why = open_fault(target->fd, path);
	if (!why)
		why = fstat(target->fd, &status) ? "cannot be looked at" : wrong_kind(path, status.st_mode);
	if (!why)
		why = measure(target, &status);
	if (why && target->fd >= 0)
		sys_close(target->fd);
	if (why)
		target->fd = target->file_fd = -1;
	target_only(target);
	return why ? refuse(target, fault, fault_size, why) : 0;
}

void target_only(struct scratch *target)
{
	/* A file that became a loop device is still the file that was named. */
	bool is_file = text_starts(target->name, "scratch") || strcmp(target->given, target->node);

	target->only = true;
	text_copy(target->role, sizeof target->role, is_file ? "file" : target->name);
}
