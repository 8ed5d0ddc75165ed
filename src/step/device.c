/* device.c: role -> device, and opening it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/text.h"
#include "scratch.h"
#include "step.h"
#include "step/device.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/identify.h"

static void from_disk(struct device *device, const struct disk *disk, const char *role)
{
	*device = (struct device){ .fd = -1, .disk = disk, .on = disk, .size_bytes = disk->size_bytes,
	                           .logical_block_bytes = disk->logical_block_bytes ? disk->logical_block_bytes : 512 };
	text_copy(device->role, sizeof device->role, role);
	text_copy(device->name, sizeof device->name, disk->name);
	text_copy(device->model, sizeof device->model, disk->model);
}

/* How people find a role's device: where it should be, or what it should be. */
static const char *whereabouts(const struct storage_role *role)
{
	return role->bus_path[0] ? role->bus_path : role->model[0] ? role->model : role->bus;
}

static bool find_role(struct ctx *ctx, const struct storage_role *role, struct device *device)
{
	int index = board_find_disk(role, ctx_identity(ctx));

	if (index == -EEXIST)
		emit_error(ctx, NULL, NULL, "role %s: several disks fit %s: make the board file's bus_path or model tell them apart",
		           role->role, whereabouts(role));
	else if (index < 0 && role->required)
		emit_fail(ctx, NULL, NULL, "declared device missing: role %s at %s", role->role, whereabouts(role));
	else if (index < 0)
		emit_skip(ctx, NULL, NULL, "optional device absent: role %s at %s", role->role, whereabouts(role));
	if (index < 0)
		return false;
	from_disk(device, &ctx_identity(ctx)->disks[index], role->role);
	device->declared = true;
	device->bound_bytes_per_s = role->bound_bytes_per_s;
	if (device->size_bytes || !role->required)
		return true;
	emit_fail(ctx, NULL, NULL, "declared device has no medium: role %s, %s", role->role, device->name);
	return false;
}

/* The disk that is the scratch, or has it as a partition; NULL: none of those known. */
static const struct disk *scratch_disk(const struct ctx *ctx, const struct scratch *scratch)
{
	const struct identity *identity = ctx_identity(ctx);

	for (unsigned i = 0; i < identity->disk_count; i++)
		if (!strcmp(identity->disks[i].name, scratch->name) || file_exists("/sys/block/%s/%s", identity->disks[i].name, scratch->name))
			return &identity->disks[i];
	return NULL;
}

/* The bound of the declared disk that the scratch lies on; 0: not known. */
static uint64_t bound_of(const struct ctx *ctx, const struct disk *disk)
{
	const struct board *board = ctx_board(ctx);

	for (unsigned i = 0; disk && i < board->storage_count; i++) {
		int index = board_find_disk(&board->storage[i], ctx_identity(ctx));

		if (index >= 0 && &ctx_identity(ctx)->disks[index] == disk)
			return board->storage[i].bound_bytes_per_s;
	}
	return 0;
}

static void from_scratch(struct device *device, const struct ctx *ctx)
{
	const struct scratch *scratch = ctx_scratch(ctx);

	*device = (struct device){ .fd = -1, .size_bytes = scratch->size_bytes,
	                           .logical_block_bytes = scratch->logical_block_bytes, .direct = scratch->direct,
	                           .writable = !scratch->read_only, .on = scratch_disk(ctx, scratch) };
	device->bound_bytes_per_s = bound_of(ctx, device->on);
	if (device->on)
		text_copy(device->model, sizeof device->model, device->on->model);
	text_copy(device->role, sizeof device->role, scratch->role);
	text_copy(device->name, sizeof device->name, scratch->name);
	text_copy(device->node, sizeof device->node, scratch->node);
}

static bool has_role(const struct ctx *ctx, unsigned index)
{
	const struct board *board = ctx_board(ctx);

	for (unsigned i = 0; i < board->storage_count; i++)
		if (board_find_disk(&board->storage[i], ctx_identity(ctx)) == (int)index)
			return true;
	return false;
}

static bool find_undeclared(struct ctx *ctx, unsigned index, struct device *device)
{
	const struct disk *disk = &ctx_identity(ctx)->disks[index];

	if (!ctx_board(ctx)->read_undeclared || has_role(ctx, index) ||
	    !text_in_list("nvme mmc sata scsi usb virtio", ' ', disk->bus))
		return false;
	from_disk(device, disk, disk->name);
	return true;
}

static bool is_usable(struct ctx *ctx, const struct device *device)
{
	bool aside = ctx_put_aside(ctx, device->name);

	if (aside)
		emit_skip(ctx, NULL, NULL, "%s: put aside, an earlier step got stuck on it", device->name);
	else if (!device->size_bytes && device->disk && !strcmp(device->disk->bus, "nvme"))
		emit_skip(ctx, NULL, NULL, "%s: size 0: a metadata format that the kernel cannot use", device->name);
	else if (!device->size_bytes)
		emit_skip(ctx, NULL, NULL, "%s: no medium", device->name);
	return !aside && device->size_bytes;
}

static void close_device(struct ctx *ctx, struct device *device)
{
	if (device->disk && device->fd >= 0)
		sys_close(device->fd);
	emit_device(ctx, "");
}

static bool only_scratch(const struct ctx *ctx)
{
	return ctx_scratch(ctx) && ctx_scratch(ctx)->only;
}

void device_done(struct ctx *ctx, struct device *device)
{
	close_device(ctx, device);
}

bool device_scratch(struct ctx *ctx, struct device *device)
{
	if (!ctx_scratch(ctx)) {
		emit_skip(ctx, NULL, NULL, "no --scratch given: there is nothing that may be written");
		return false;
	}
	from_scratch(device, ctx);
	if (!is_usable(ctx, device))
		return false;
	emit_device(ctx, device->name);
	return true;
}

static const struct storage_role *role_of(const struct board *board, const char *name)
{
	for (unsigned i = 0; i < board->storage_count; i++)
		if (!strcmp(board->storage[i].role, name))
			return &board->storage[i];
	return NULL;
}

bool device_role(struct ctx *ctx, const char *role, struct device *device)
{
	const struct storage_role *declared = role_of(ctx_board(ctx), role);

	if (only_scratch(ctx))
		return device_scratch(ctx, device);
	if (!declared) {
		emit_skip(ctx, NULL, NULL, "the board file declares no storage role %s: name a device", role);
		return false;
	}
	if (!find_role(ctx, declared, device) || !is_usable(ctx, device))
		return false;
	emit_device(ctx, device->name);
	return true;
}

bool device_next(struct ctx *ctx, struct device_walk *walk, struct device *device)
{
	unsigned roles = ctx_board(ctx)->storage_count, last = roles + ctx_identity(ctx)->disk_count;

	if (walk->at)
		close_device(ctx, device);
	*device = (struct device){ .fd = -1 };
	while (walk->at <= last) {
		unsigned at = walk->at++;
		bool found;

		if (only_scratch(ctx) && at != roles)
			continue;
		if (at < roles) {
			found = find_role(ctx, &ctx_board(ctx)->storage[at], device);
			walk->seen++;
		} else if (at == roles) {
			found = ctx_scratch(ctx) != NULL;
			if (found)
				from_scratch(device, ctx);
		} else {
			found = find_undeclared(ctx, at - roles - 1, device);
		}
		walk->seen += found;
		if (found && is_usable(ctx, device)) {
			emit_device(ctx, device->name); /* before it is opened: that, too, can get stuck */
			return true;
		}
	}
	if (!walk->seen)
		emit_skip(ctx, NULL, NULL, "no storage is declared and no --scratch given");
	return false;
}

static bool same_device(int fd, const struct disk *disk)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISBLK(status.st_mode) && major(status.st_rdev) == disk->dev_major &&
	       minor(status.st_rdev) == disk->dev_minor;
}

static void say_open_error(struct ctx *ctx, const struct device *device, int err)
{
	/* Not the user's rights (EACCES), but a device policy such as a container's: it was not given to us, nor asked for. */
	if (err == -EPERM && !device->declared) {
		emit_skip(ctx, NULL, NULL, "%s: withheld from this system by a device policy (EPERM), and not declared", device->node);
		return;
	}
	switch (err) {
	case -EACCES:
	case -EPERM:
		emit_error(ctx, NULL, NULL, "%s: %s: run as root, or as a member of the group that may read it",
		           device->node, sys_error(err));
		break;
	case -ENOMEDIUM:
		emit_skip(ctx, NULL, NULL, "%s: no medium", device->name);
		break;
	case -ENODEV:
	case -ENXIO:
	case -EIO:
		emit_fail(ctx, NULL, NULL, "%s: cannot be opened: %s", device->node, sys_error(err));
		break;
	default:
		emit_error(ctx, NULL, NULL, "%s: cannot be opened: %s", device->node, sys_error(err));
	}
}

/* A declared device has limits, and what the page cache does must not be judged by them. */
static bool allow_cache(struct ctx *ctx, const struct device *device)
{
	if (device->direct)
		return true;
	(device->declared ? emit_error : emit_warn)(ctx, NULL, NULL,
		"%s: no direct I/O, only through the page cache: not the drive's speed", device->node);
	return !device->declared;
}

static bool open_disk(struct ctx *ctx, struct device *device)
{
	uint64_t size_bytes = 0;
	int err = identify_node(device->name, device->node, sizeof device->node);

	if (err) {
		emit_error(ctx, NULL, NULL, "%s: there is no device node for it: %s", device->name, sys_error(err));
		return false;
	}
	device->fd = sys_open_direct(device->node, O_RDONLY, &device->direct);
	if (device->fd < 0) {
		say_open_error(ctx, device, device->fd);
		return false;
	}
	if (!same_device(device->fd, device->disk)) {
		emit_error(ctx, NULL, NULL, "%s is not the block device %u:%u that /sys calls %s", device->node,
		           device->disk->dev_major, device->disk->dev_minor, device->name);
		return false;
	}
	if (!sys_ioctl(device->fd, BLKGETSIZE64, &size_bytes))
		device->size_bytes = size_bytes;
	if (!device->size_bytes)
		emit_skip(ctx, NULL, NULL, "%s: no medium", device->name);
	return device->size_bytes && allow_cache(ctx, device);
}

/* SEEK_HOLE takes extents that were allocated but never written for holes, too. */
static bool has_holes(const struct scratch *scratch)
{
	long hole = scratch->file_fd < 0 ? -1 : sys_call(SYS_lseek, (long)scratch->file_fd, 0L, (long)SEEK_HOLE);

	return hole >= 0 && (uint64_t)hole < scratch->size_bytes;
}

int device_allocate(struct ctx *ctx, uint64_t offset_bytes, uint64_t size_bytes)
{
	int fd = ctx_scratch(ctx)->file_fd;
	long err = fd < 0 ? 0 : sys_call(SYS_fallocate, (long)fd, 0L, (long)offset_bytes, (long)size_bytes);

	return err == -ENOSPC || err == -EDQUOT ? (int)err : 0;
}

static bool open_device(struct ctx *ctx, struct device *device)
{
	if (!device->disk) {
		device->fd = ctx_scratch(ctx)->fd;
		device->unwritten = has_holes(ctx_scratch(ctx));
		if (ctx_scratch(ctx)->note[0])
			emit_log(ctx, "%s: %s", device->node, ctx_scratch(ctx)->note);
		return allow_cache(ctx, device);
	}
	if (file_is_simulated()) {
		emit_skip(ctx, NULL, NULL, "%s: simulated, there is no device behind it", device->name);
		return false;
	}
	return open_disk(ctx, device);
}

bool device_ready(struct ctx *ctx, struct device *device)
{
	if (device->state == DEVICE_CLOSED)
		device->state = open_device(ctx, device) ? DEVICE_READY : DEVICE_UNUSABLE;
	return device->state == DEVICE_READY;
}

void device_lost(struct device *device)
{
	device->state = DEVICE_UNUSABLE;
}
