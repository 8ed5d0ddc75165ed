/*
 * scratch_device.c: may this block device be written to?  See run/scratch_open.h.
 *
 * O_EXCL keeps off whatever is mounted, swapped on or part of md, dm, LVM, and later mounts; what it does not see (a loop
 * device over a drive, an earlier holder's name) is looked up in /proc and /sys, behind the opening, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "run/scratch_check.h"
#include "run/scratch_open.h"
#include "run/scratch_use.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/identify.h"

struct kind {
	char type[16];               /* disk, partition */
	char label[64];              /* a partition's name in the GPT */
	char disk[32];               /* itself, or the disk that it is of */
	bool on_loop;                /* a loop device, or a partition of one */
	bool is_loop;                /* a whole one */
};

/* KEY=value of the device's uevent; empty when it has none. */
static void uevent_value(const struct stat *status, const char *key, char *value, size_t size)
{
	char uevent[1024], *at = uevent;

	value[0] = '\0';
	if (file_read_here(uevent, sizeof uevent, "/sys/dev/block/%u:%u/uevent", major(status->st_rdev), minor(status->st_rdev)) <= 0)
		return;
	while (*at) {
		size_t length = strcspn(at, "\n"), key_length = strlen(key);

		if (length > key_length && !memcmp(at, key, key_length) && at[key_length] == '=') {
			struct text text = text_in(value, size);
			text_add_bytes(&text, at + key_length + 1, length - key_length - 1);
			return;
		}
		at += length + (at[length] == '\n');
	}
}

static int look_up(struct opening *opening, struct kind *kind)
{
	char folder[MAX_PATH];

	if (file_is_simulated())
		return scratch_refuse(opening, "with --sysroot nobody could tell who uses this machine's devices: give a file, or leave --sysroot out");
	if (file_link(folder, sizeof folder, "/sys/dev/block/%u:%u", major(opening->status.st_rdev), minor(opening->status.st_rdev)) < 0)
		return scratch_refuse(opening, "/sys does not know this device: mount /sys, or give a file");
	text_copy(opening->scratch->name, sizeof opening->scratch->name, strrchr(folder, '/') + 1);
	uevent_value(&opening->status, "DEVTYPE", kind->type, sizeof kind->type);
	uevent_value(&opening->status, "PARTNAME", kind->label, sizeof kind->label);
	if (!strcmp(kind->type, "partition"))
		*strrchr(folder, '/') = '\0';
	text_copy(kind->disk, sizeof kind->disk, strrchr(folder, '/') + 1);
	kind->on_loop = text_starts(kind->disk, "loop");
	kind->is_loop = kind->on_loop && strcmp(kind->type, "partition");
	return 0;
}

/* A loop device over a drive would be a way round every check below. */
static bool loop_backing_is_file(const char *name)
{
	char backing[MAX_PATH];
	struct stat status;

	return file_read_here(backing, sizeof backing, "/sys/block/%s/loop/backing_file", name) > 0 &&
	       !stat(text_trim(backing), &status) && S_ISREG(status.st_mode);
}

/* ---- may it be written to at all? ---- */

static int check_label(struct opening *opening, const struct kind *kind)
{
	if (kind->on_loop && !loop_backing_is_file(kind->disk))
		return scratch_refuse(opening, "a loop device over something else than a file");
	if (kind->is_loop)
		return 0;
	if (strcmp(kind->type, "partition"))
		return scratch_refuse(opening, "a whole disk: make a partition named " SCRATCH_LABEL " on it (GPT), or give all of it up with --destroy "
		                      "and its serial number");
	if (strcmp(kind->label, SCRATCH_LABEL))
		return scratch_refuse(opening, "a partition named \"%s\", not " SCRATCH_LABEL ": name it so, or give it up with --destroy and the "
		                      "drive's serial number", kind->label);
	return 0;
}

/* One of zeros is what many drives have that have none. */
static bool is_serial(const char *serial)
{
	return serial[strspn(serial, "0x")];
}

/* The right number is never shown: it is to be read where the drive is, and not copied from here. */
static int check_serial(struct opening *opening, const struct kind *kind)
{
	static struct disk disk;
	char cid[64];

	identify_disk(kind->disk, &disk, cid);
	if (!is_serial(disk.serial) && !is_serial(cid))
		return scratch_refuse(opening, "%s has no serial number of its own, so that --destroy cannot mean it: leave --destroy out, and give a "
		                      "partition named " SCRATCH_LABEL " (GPT)%s", kind->disk, kind->is_loop ? ", or the file itself" : "");
	if (!is_serial(opening->destroy) || (strcmp(opening->destroy, disk.serial) && strcmp(opening->destroy, cid)))
		return scratch_refuse(opening, "--destroy %s is not the serial number of %s: see `assay probe` or its label for the number, and make "
		                      "sure that it is the drive you mean", opening->destroy, kind->disk);
	return 0;
}

static int check_system(struct opening *opening)
{
	char word[64] = "";

	switch (scratch_serves_system(opening->status.st_rdev, word)) {
	case 0:
		return 0;
	case -ENOTUNIQ:
		return opening->destroy[0] ? scratch_refuse(opening, "this system was started with root=%s, and which drive that is cannot be told "
		                                            "here: start it without", word) : 0;
	default:
		return scratch_refuse(opening, "on the disk that this system runs from, which is never written to: give a file, or another disk");
	}
}

static int check_kind(struct opening *opening, struct kind *kind)
{
	int err = look_up(opening, kind);

	if (err)
		return err;
	if (!identify_is_disk(kind->disk))
		return scratch_refuse(opening, "an eMMC's boot area or RPMB, or one path of several to a drive: never written to");
	err = check_system(opening);
	if (err)
		return err;
	return opening->destroy[0] ? check_serial(opening, kind) : check_label(opening, kind);
}

/* ---- is it free? ---- */

static int check_free(struct opening *opening)
{
	char holder[200];
	int err = identify_holder(opening->scratch->name, holder, sizeof holder);

	if (err)
		return scratch_refuse(opening, "who uses it cannot be told: %s: mount /proc and /sys", sys_error(err));
	return holder[0] ? scratch_refuse(opening, "in use: %s: free it first", holder) : 0;
}

static bool is_read_only(const struct opening *opening)
{
	int read_only = 0;

	return sys_ioctl(opening->scratch->fd, BLKROGET, &read_only) || read_only;
}

/* Who holds it is asked before, for its name, and behind, when nobody can come any more. */
static int open_alone(struct opening *opening)
{
	int err = check_free(opening);

	if (!err)
		err = scratch_open_checked(opening, O_RDWR | O_EXCL);
	if (!err && is_read_only(opening))
		err = scratch_refuse(opening, "read-only: give one that may be written");
	return err ? err : check_free(opening);
}

/* ---- what it is like ---- */

/* A loop device given by the user passes its file's cache only when it was set up so. */
static void look_behind_loop(struct scratch *scratch)
{
	char backing[MAX_PATH], dio[8] = "", offset[24] = "";

	if (file_read_here(dio, sizeof dio, "/sys/block/%s/loop/dio", scratch->name) > 0 && dio[0] == '0') {
		scratch->direct = false;
		text_copy(scratch->note, sizeof scratch->note, SCRATCH_CACHED);
	}
	/* The file's places are those of the device only without an offset. */
	if (file_read_here(offset, sizeof offset, "/sys/block/%s/loop/offset", scratch->name) > 0 && offset[0] == '0' &&
	    file_read_here(backing, sizeof backing, "/sys/block/%s/loop/backing_file", scratch->name) > 0)
		scratch->file_fd = sys_open(text_trim(backing), O_RDWR, 0); /* so that a step can fill its holes */
}

static int take_geometry(struct opening *opening)
{
	struct scratch *scratch = opening->scratch;
	int logical_bytes = 0;

	if (sys_ioctl(scratch->fd, BLKGETSIZE64, &scratch->device_bytes) || sys_ioctl(scratch->fd, BLKSSZGET, &logical_bytes))
		return scratch_refuse(opening, "its size cannot be told");
	sys_ioctl(scratch->fd, BLKGETDISKSEQ, &scratch->disk_sequence);
	scratch->logical_block_bytes = (uint32_t)logical_bytes;
	return scratch_take_size(opening, scratch->device_bytes);
}

int scratch_check_device(struct opening *opening)
{
	struct kind kind = { .is_loop = false };
	int err = check_kind(opening, &kind);

	if (!err)
		err = open_alone(opening);
	if (!err)
		err = take_geometry(opening);
	if (!err && opening->destroy[0]) {
		/* Another drive may have come to this name in between. */
		err = check_serial(opening, &kind);
		opening->scratch->destroyed = true;
	}
	if (!err)
		err = scratch_check_content(opening, kind.is_loop);
	if (!err && kind.is_loop)
		look_behind_loop(opening->scratch);
	return err;
}

/* ---- later ---- */

int scratch_recheck(const struct scratch *scratch, char *fault, unsigned fault_size)
{
	uint64_t size_bytes = 0, sequence = 0;
	struct stat status;

	if (!fstat(scratch->fd, &status) && !S_ISBLK(status.st_mode))
		return 0;
	if (sys_ioctl(scratch->fd, BLKGETSIZE64, &size_bytes) || !size_bytes) {
		text_format(fault, fault_size, "%s: device lost: it was there when it was checked", scratch->node);
		return -ENODEV;
	}
	if (size_bytes != scratch->device_bytes) {
		text_format(fault, fault_size, "%s: its size was %llu bytes when it was checked, and is now %llu", scratch->node,
		            (unsigned long long)scratch->device_bytes, (unsigned long long)size_bytes);
		return -ENODEV;
	}
	if (!sys_ioctl(scratch->fd, BLKGETDISKSEQ, &sequence) && scratch->disk_sequence &&
	    sequence != scratch->disk_sequence) {
		text_format(fault, fault_size, "%s: exchanged since it was checked", scratch->node);
		return -ENODEV;
	}
	return 0;
}
