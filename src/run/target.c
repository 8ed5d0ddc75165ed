/* target.c: see target.h. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/text.h"
#include "run/scratch_check.h"
#include "run/scratch_open.h"
#include "run/target.h"
#include "sys/call.h"
#include "sys/file.h"

/* The kernel's name of a block device. */
static void name_device(struct scratch *target, dev_t device)
{
	char folder[MAX_PATH];

	if (file_link(folder, sizeof folder, "/sys/dev/block/%u:%u", major(device), minor(device)) >= 0 && strrchr(folder, '/'))
		text_copy(target->name, sizeof target->name, strrchr(folder, '/') + 1);
	else
		text_format(target->name, sizeof target->name, "%u:%u", major(device), minor(device));
}

static const char *measure(struct scratch *target, const struct stat *status)
{
	int logical_bytes = 0;

	if (S_ISREG(status->st_mode)) {
		text_copy(target->name, sizeof target->name, "file");
		text_copy(target->note, sizeof target->note, "a file: what its file system does is measured with it");
		target->size_bytes = (uint64_t)status->st_size;
		target->logical_block_bytes = scratch_direct_bytes(target->fd);
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

int target_open(const char *path, struct scratch *target, char *fault, unsigned fault_size)
{
	struct opening opening = { .scratch = target, .option = "", .destroy = "", .fault = text_in(fault, fault_size) };
	const char *why;
	int err;

	*target = (struct scratch){ .fd = -1, .file_fd = -1, .read_only = true };
	err = scratch_take_name(&opening, path);
	if (!err)
		err = scratch_look(&opening);
	if (!err)
		err = scratch_open_checked(&opening, O_RDONLY);
	why = err ? NULL : measure(target, &opening.status);
	if (why)
		err = scratch_refuse(&opening, "%s", why);
	if (err)
		scratch_close(target);
	target_only(target);
	return err;
}

void target_only(struct scratch *target)
{
	/* A file that became a loop device is still the file that was named. */
	bool is_file = text_starts(target->name, "scratch") || (strcmp(target->given, target->node) && strcmp(target->given, "auto"));

	target->only = true;
	text_copy(target->role, sizeof target->role, is_file ? "file" : target->name);
}
