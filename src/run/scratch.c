/* scratch.c: see run/scratch_open.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "run/scratch_check.h"
#include "run/scratch_content.h"
#include "run/scratch_open.h"
#include "run/scratch_use.h"
#include "scratch_block.h"
#include "sys/call.h"
#include "sys/identify.h"
#include "sys/loop.h"

enum { MIN_BYTES = 16 << 20, ANSWER_MS = 10000, TURNS = 10, TURN_MS = 100 };
enum { LOCK_EXCLUSIVE_NOW = 2 | 4 }; /* flock's LOCK_EX | LOCK_NB: libc's header of them is hidden by our sys/file.h */

int scratch_refuse(struct opening *opening, const char *format, ...)
{
	va_list args;

	text_add_format(&opening->fault, "%s%s: ", opening->option, opening->scratch->given);
	va_start(args, format);
	text_add_vformat(&opening->fault, format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- what it is ---- */

static int find_labelled(struct opening *opening)
{
	struct scratch *scratch = opening->scratch;
	char partition[32], disk[32];
	int err = identify_partition(SCRATCH_LABEL, partition, disk);

	if (err == -EEXIST)
		return scratch_refuse(opening, "several partitions are named " SCRATCH_LABEL ": name the device that is meant");
	if (err)
		return scratch_refuse(opening, "no partition is named " SCRATCH_LABEL ": give a file, or name one so (GPT partition name)");
	err = identify_node(partition, scratch->node, sizeof scratch->node);
	return err ? scratch_refuse(opening, "%s is named " SCRATCH_LABEL ", but its node cannot be used: %s", partition, sys_error(err)) : 0;
}

static int refuse_missing(struct opening *opening, int err)
{
	const char *node = opening->scratch->node;

	if (err != -ENOENT)
		return scratch_refuse(opening, "%s", sys_error(err));
	if (text_starts(node, "/dev/"))
		return scratch_refuse(opening, "no such device, and nothing is ever created under /dev: see `assay probe`");
	if (opening->scratch->read_only)
		return scratch_refuse(opening, "no such file");
	return scratch_refuse(opening, "no such file, and none is created: dd if=/dev/zero of=%s bs=1M count=256", node);
}

/* O_PATH looks without opening: a device node has no side effect, a FIFO does not block. */
int scratch_look(struct opening *opening)
{
	mode_t mode;
	int fd = sys_open(opening->scratch->node, O_PATH, 0);

	if (fd < 0)
		return refuse_missing(opening, fd);
	if (fstat(fd, &opening->status)) {
		sys_close(fd);
		return scratch_refuse(opening, "cannot be looked at");
	}
	sys_close(fd);
	mode = opening->status.st_mode;
	if (S_ISDIR(mode))
		return scratch_refuse(opening, "a directory: give a block device, or a file");
	if (S_ISCHR(mode))
		return scratch_refuse(opening, "a character device, not a block device (nvme0n1, not nvme0): see `assay probe`");
	if (!S_ISREG(mode) && !S_ISBLK(mode))
		return scratch_refuse(opening, "neither a block device nor a file");
	if (S_ISREG(mode) && text_starts(opening->scratch->node, "/dev/"))
		return scratch_refuse(opening, "under /dev but not a block device: give a file elsewhere, or see `assay probe`");
	return 0;
}

/* ---- opening it ---- */

static int refuse_open(struct opening *opening, int err)
{
	switch (err) {
	case -EBUSY:
		opening->busy = true;
		return scratch_refuse(opening, "in use by something that /proc and /sys do not show, another assay or a tool that formats it, say: free it first");
	case -EROFS:
		return scratch_refuse(opening, "read-only: give one that may be written");
	case -ETXTBSY:
		return scratch_refuse(opening, "in use as a program or as swap: give another file");
	case -EACCES:
	case -EPERM:
		return scratch_refuse(opening, "%s: run as root, or give a file of your own", sys_error(err));
	case -ENOMEDIUM:
		return scratch_refuse(opening, "no medium in it");
	default:
		return scratch_refuse(opening, "cannot be opened: %s", sys_error(err));
	}
}

/* It may have been exchanged between the look and the opening. */
int scratch_open_checked(struct opening *opening, int flags)
{
	struct scratch *scratch = opening->scratch;
	struct stat now;

	scratch->fd = sys_open_direct(scratch->node, flags, &scratch->direct);
	if (scratch->fd < 0)
		return refuse_open(opening, scratch->fd);
	if (fstat(scratch->fd, &now) || now.st_dev != opening->status.st_dev || now.st_ino != opening->status.st_ino ||
	    now.st_rdev != opening->status.st_rdev)
		return scratch_refuse(opening, "exchanged while it was opened");
	return 0;
}

int scratch_take_size(struct opening *opening, uint64_t size_bytes)
{
	if (size_bytes < MIN_BYTES)
		return scratch_refuse(opening, "too small, %llu bytes: at least 16 MiB are needed", (unsigned long long)size_bytes);
	opening->scratch->size_bytes = size_bytes / SCRATCH_BLOCK_BYTES * SCRATCH_BLOCK_BYTES;
	opening->scratch->device_bytes = size_bytes;
	return 0;
}

int scratch_check_content(struct opening *opening, bool is_file)
{
	struct scratch *scratch = opening->scratch;
	uint64_t at_bytes = 0;
	int err = scratch_content_in_time(scratch->fd, is_file, scratch->size_bytes, ANSWER_MS, &at_bytes);

	switch (err) {
	case 0:
		return 0;
	case -EINTR:
		return scratch_refuse(opening, "interrupted before all of it was looked at");
	case -ETIMEDOUT:
		return scratch_refuse(opening, "does not answer: %u s were not enough to read some of it", ANSWER_MS / 1000);
	case -EEXIST:
		scratch->foreign = opening->destroy[0];
		return scratch->foreign ? 0 : scratch_refuse(opening, "holds data that assay did not write, at byte %llu: give another, or write "
		                                             "zeros over it yourself", (unsigned long long)at_bytes);
	default:
		return scratch_refuse(opening, "byte %llu cannot be read: %s", (unsigned long long)at_bytes, sys_error(err));
	}
}

/* ---- a file ---- */

static int check_unused(struct opening *opening)
{
	char loop[32];

	if (scratch_is_swap(&opening->status))
		return scratch_refuse(opening, "in use as swap: give another file");
	opening->busy = true;
	if (scratch_has_loop(&opening->status, loop))
		return scratch_refuse(opening, "already behind %s: detach that, or give another file", loop);
	/* What O_EXCL is to a device; the kernel takes no notice, another assay does. */
	if (sys_flock(opening->scratch->fd, LOCK_EXCLUSIVE_NOW) == -EWOULDBLOCK)
		return scratch_refuse(opening, "locked by another program");
	opening->busy = false;
	return 0;
}

/* Nothing tells it before 6.1, so it is tried. */
uint32_t scratch_direct_bytes(int fd)
{
	static char buffer[2 * SCRATCH_BLOCK_BYTES];
	char *aligned = buffer + SCRATCH_BLOCK_BYTES - (uintptr_t)buffer % SCRATCH_BLOCK_BYTES;

	for (uint32_t bytes = 512; bytes < SCRATCH_BLOCK_BYTES; bytes *= 2)
		if (sys_pread(fd, aligned, bytes, 0) == (ssize_t)bytes)
			return bytes;
	return SCRATCH_BLOCK_BYTES;
}

static int check_file(struct opening *opening)
{
	struct scratch *scratch = opening->scratch;
	int err;

	if (opening->destroy[0])
		return scratch_refuse(opening, "a file has no serial number for --destroy to mean: leave --destroy out");
	text_copy(scratch->name, sizeof scratch->name, "scratch file");
	err = scratch_open_checked(opening, O_RDWR);
	if (!err)
		err = scratch_take_size(opening, (uint64_t)opening->status.st_size);
	if (!err)
		err = check_unused(opening);
	if (!err)
		err = scratch_check_content(opening, true);
	if (err)
		return err;
	scratch->file_fd = scratch->fd;
	scratch->logical_block_bytes = scratch_direct_bytes(scratch->fd);
	text_copy(scratch->note, sizeof scratch->note, scratch->direct
	          ? "a file with direct I/O; as root it would be a raw block device (loop)"
	          : SCRATCH_CACHED);
	return 0;
}

/* ---- all together ---- */

static int check_once(struct opening *opening)
{
	struct scratch *scratch = opening->scratch;
	int err = 0;

	opening->busy = false;
	if (!strcmp(scratch->given, "auto"))
		err = find_labelled(opening);
	if (!err)
		err = scratch_look(opening);
	if (!err)
		err = S_ISREG(opening->status.st_mode) ? check_file(opening) : scratch_check_device(opening);
	if (err)
		scratch_close(scratch);
	return err;
}

int scratch_take_name(struct opening *opening, const char *argument)
{
	struct scratch *scratch = opening->scratch;

	if (text_copy(scratch->given, sizeof scratch->given, argument) && text_copy(scratch->node, sizeof scratch->node, argument))
		return 0;
	scratch->given[32] = '\0'; /* enough to know it by; all of it would leave no room for the cause */
	return scratch_refuse(opening, "... and so on: the path is longer than %d bytes", MAX_PATH - 1);
}

int scratch_check(const char *argument, const char *destroy, struct scratch *scratch, char *fault, unsigned fault_size)
{
	struct opening opening = { .scratch = scratch, .option = "--scratch ", .destroy = destroy, .fault = text_in(fault, fault_size) };
	int err;

	*scratch = (struct scratch){ .fd = -1, .file_fd = -1, .role = "scratch" };
	err = scratch_take_name(&opening, argument);
	if (!err)
		err = check_once(&opening);
	for (unsigned i = 0; opening.busy && i < TURNS; i++) {
		sys_sleep_ns(MS(TURN_MS));
		opening.fault = text_in(fault, fault_size);
		err = check_once(&opening);
	}
	return err;
}

/* By its descriptor where /proc is there: it cannot be another file then. */
static int attach_loop(const struct scratch *scratch, struct loop *loop)
{
	char path[32];
	int err;

	text_format(path, sizeof path, "/proc/self/fd/%d", scratch->file_fd);
	err = loop_attach(path, false, loop);
	return err == -ENOENT ? loop_attach(scratch->node, false, loop) : err;
}

/* Takes the loop device over, exclusively, and keeps the file open for its lock and its holes. */
static int use_loop(struct scratch *scratch, const struct loop *loop)
{
	uint64_t size_bytes = 0;
	int logical_bytes = 0, fd = sys_open(loop->path, O_RDWR | O_EXCL | O_DIRECT, 0);

	if (fd < 0)
		return fd;
	if (sys_ioctl(fd, BLKGETSIZE64, &size_bytes) || sys_ioctl(fd, BLKSSZGET, &logical_bytes) || size_bytes < scratch->size_bytes) {
		sys_close(fd);
		return -EIO;
	}
	scratch->fd = fd;
	scratch->device_bytes = size_bytes;
	sys_ioctl(fd, BLKGETDISKSEQ, &scratch->disk_sequence);
	scratch->direct = loop->direct_io;
	scratch->logical_block_bytes = (uint32_t)logical_bytes;
	text_copy(scratch->node, sizeof scratch->node, loop->path);
	text_copy(scratch->name, sizeof scratch->name, loop->name);
	text_copy(scratch->note, sizeof scratch->note, loop->direct_io ? "a loop device with direct I/O over the file" : SCRATCH_CACHED);
	return 0;
}

int scratch_open(const char *argument, const char *destroy, struct scratch *scratch, char *fault, unsigned fault_size)
{
	struct loop loop;
	int err = scratch_check(argument, destroy, scratch, fault, fault_size);

	/* Without the right to it, or without loop devices, the file itself is tested: the note says so. */
	if (err || scratch->file_fd < 0 || scratch->file_fd != scratch->fd || attach_loop(scratch, &loop))
		return err;
	use_loop(scratch, &loop);
	loop_detach(&loop);
	return 0;
}

void scratch_close(struct scratch *scratch)
{
	if (scratch->file_fd >= 0 && scratch->file_fd != scratch->fd)
		sys_close(scratch->file_fd);
	if (scratch->fd >= 0)
		sys_close(scratch->fd);
	scratch->fd = scratch->file_fd = -1;
}
