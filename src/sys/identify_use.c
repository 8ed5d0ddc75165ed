/*
 * identify_use.c: who uses a block device, and finding one by its partition's name.
 *
 * Method: proc(5) for mountinfo and swaps; holders/ in /sys shows md, dm and the like, never mounts and swap.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

#include "capacity.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/file.h"
#include "sys/identify.h"
#include "sys/identify_disk.h"

/* Where a disk or partition is in /sys: in /sys/block itself, or below a disk there. */
struct place { const char *name; char folder[MAX_PATH], disk[32]; };

static int find_place(const char *disk, void *context)
{
	struct place *place = context;

	if (!file_exists("/sys/block/%s/%s/partition", disk, place->name))
		return 0;
	text_format(place->folder, sizeof(place->folder), "/sys/block/%s/%s", disk, place->name);
	text_copy(place->disk, sizeof(place->disk), disk);
	return 1;
}

static int locate(const char *name, struct place *place)
{
	int found;

	place->name = name;
	place->disk[0] = '\0';
	if (!*name || strchr(name, '/'))
		return -ENODEV;
	text_format(place->folder, sizeof(place->folder), "/sys/block/%s", name);
	if (file_exists("%s", place->folder))
		return 0;
	found = file_each("/sys/block", find_place, place);
	return found == 1 ? 0 : found < 0 ? found : -ENODEV;
}

/* ---- one device: its name and number against each table ---- */

struct use {
	const char *name;
	char folder[MAX_PATH];
	uint32_t major, minor;
	char *holder;
	unsigned size;
};

static void tell(const struct use *use, const char *what, const char *which)
{
	text_format(use->holder, use->size, "/dev/%s %s%s", use->name, what, which);
}

/* A source as mountinfo and swaps have it: by name, or, when it is a node of this machine, by number. */
static bool is_node_of(const char *node, const struct use *use)
{
	const char *slash = strrchr(node, '/');
	struct stat status;

	if (!slash)
		return false;
	if (!strcmp(slash + 1, use->name))
		return true;
	return !file_is_simulated() && !stat(node, &status) && S_ISBLK(status.st_mode) && major(status.st_rdev) == use->major &&
	       minor(status.st_rdev) == use->minor;
}

/* btrfs and others mount under a number of their own, so the source counts, too. */
static int find_mount(char *line, void *context)
{
	struct use *use = context;
	char *rest = text_find(line, " - "), *numbers, *at;
	const char *source = "";
	uint32_t from, to;

	if (rest) {
		rest += 3;
		text_word(&rest); /* the type */
		source = text_word(&rest);
	}
	text_word(&line);
	text_word(&line);
	numbers = text_word(&line);
	text_word(&line); /* what is mounted of it */
	at = text_word(&line);
	if (!*at || number_parse_pair(numbers, 10, &from, &to))
		return 0;
	if ((from != use->major || to != use->minor) && !is_node_of(source, use))
		return 0;
	tell(use, "is mounted on ", at);
	return 1;
}

static int find_swap(char *line, void *context)
{
	struct use *use = context;
	const char *node = text_word(&line);

	if (!*node || !is_node_of(node, use))
		return 0;
	tell(use, "is swap", "");
	return 1;
}

static int find_holder(const char *name, void *context)
{
	char mapped[64], uuid[8], volume[128];

	file_string(mapped, sizeof(mapped), "/sys/block/%s/dm/name", name);
	file_string(uuid, sizeof(uuid), "/sys/block/%s/dm/uuid", name);
	text_format(volume, sizeof(volume), "%s (%s)", mapped, name);
	if (text_starts(name, "md"))
		tell(context, "is a member of ", name);
	else if (*mapped)
		tell(context, text_starts(uuid, "LVM-") ? "holds LVM volume " : "holds device mapper volume ", volume);
	else
		tell(context, "is held by ", name);
	return 1;
}

static int find_loop(const char *name, void *context)
{
	char file[MAX_PATH];

	if (!text_starts(name, "loop"))
		return 0;
	file_string(file, sizeof(file), "/sys/block/%s/loop/backing_file", name);
	if (!*file || !is_node_of(file, context))
		return 0;
	tell(context, "is behind ", name);
	return 1;
}

/* 1 when it is used, 0 when not, or -errno.  Only the list of mounts must be there: a kernel may have no swap. */
static int look_at(struct use *use)
{
	char holders[MAX_PATH];
	int found = identify_numbers(use->folder, &use->major, &use->minor);

	if (!found)
		found = file_each_line("/proc/self/mountinfo", find_mount, use);
	if (found)
		return found;
	if (file_each_line("/proc/swaps", find_swap, use) == 1)
		return 1;
	if (!text_format(holders, sizeof(holders), "%s/holders", use->folder))
		return -ENAMETOOLONG;
	return file_each(holders, find_holder, use) == 1 || file_each("/sys/block", find_loop, use) == 1;
}

static int look_at_partition(const char *name, void *context)
{
	const struct use *disk = context;
	struct use use = { .name = name, .holder = disk->holder, .size = disk->size };

	if (!file_exists("%s/%s/partition", disk->folder, name))
		return 0;
	if (!text_format(use.folder, sizeof(use.folder), "%s/%s", disk->folder, name))
		return -ENAMETOOLONG;
	return look_at(&use);
}

int identify_holder(const char *name, char *holder, unsigned size)
{
	struct place place;
	struct use use = { .name = name, .holder = holder, .size = size };
	int found = locate(name, &place);

	*holder = '\0';
	if (found)
		return found;
	text_copy(use.folder, sizeof(use.folder), place.folder);
	found = look_at(&use);
	if (!found && *place.disk) {
		use.name = place.disk;
		text_format(use.folder, sizeof(use.folder), "/sys/block/%s", place.disk);
		found = look_at(&use);
	} else if (!found) {
		found = file_each(place.folder, look_at_partition, &use);
	}
	return found < 0 ? found : 0;
}

/* ---- by a partition's name ---- */

struct label_search { const char *label, *disk; char *partition, *on; unsigned found; };

static int find_label(char *line, void *context)
{
	return text_starts(line, "PARTNAME=") && !strcmp(line + strlen("PARTNAME="), context);
}

static int look_for_label(const char *name, void *context)
{
	struct label_search *search = context;
	char uevent[MAX_PATH], label[64];

	if (!file_exists("/sys/block/%s/%s/partition", search->disk, name))
		return 0;
	text_format(uevent, sizeof(uevent), "/sys/block/%s/%s/uevent", search->disk, name);
	text_copy(label, sizeof(label), search->label);
	if (file_each_line(uevent, find_label, label) != 1)
		return 0;
	text_copy(search->partition, 32, name);
	text_copy(search->on, 32, search->disk);
	search->found++;
	return 0;
}

static int look_on_disk(const char *disk, void *context)
{
	struct label_search *search = context;
	char folder[MAX_PATH];

	if (!identify_is_disk(disk))
		return 0;
	search->disk = disk;
	text_format(folder, sizeof(folder), "/sys/block/%s", disk);
	file_each(folder, look_for_label, search);
	return 0;
}

int identify_partition(const char *label, char partition[32], char disk[32])
{
	struct label_search search = { .label = label, .partition = partition, .on = disk };

	*partition = *disk = '\0';
	file_each("/sys/block", look_on_disk, &search);
	return search.found == 1 ? 0 : search.found ? -EEXIST : -ENODEV;
}

int identify_node(const char *name, char *path, unsigned size)
{
	struct place place;
	struct stat status;
	uint32_t from, to;
	int err = locate(name, &place);

	if (!text_format(path, size, "/dev/%s", name))
		return -ENAMETOOLONG;
	for (char *mark = path; (mark = strchr(mark, '!'));)
		*mark = '/'; /* as /sys writes a slash in a name */
	if (file_is_simulated())
		return -ENODEV;
	if (!err)
		err = identify_numbers(place.folder, &from, &to);
	if (err)
		return err;
	if (stat(path, &status))
		return -ENOENT;
	if (!S_ISBLK(status.st_mode))
		return -ENOTBLK;
	return major(status.st_rdev) == from && minor(status.st_rdev) == to ? 0 : -ENODEV;
}
