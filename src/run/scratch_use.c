/*
 * scratch_use.c: see scratch_use.h.
 *
 * Method: proc(5) for swaps; /sys/dev/block leads from a device number to its folder, whose parent is the disk when it is
 * a partition, and whose slaves/ are what md and dm devices rest on.
 */
#include <string.h>
#include <sys/sysmacros.h>

#include "capacity.h"
#include "lib/text.h"
#include "run/scratch_use.h"
#include "sys/file.h"

enum { MAX_LAYERS = 8 }; /* LVM over LUKS over md is three */

struct same_file {
	const struct stat *wanted;
	char path[MAX_PATH];
	char loop[32];
};

static bool is_wanted(const struct same_file *same)
{
	struct stat found;

	return !stat(same->path, &found) && found.st_dev == same->wanted->st_dev && found.st_ino == same->wanted->st_ino;
}

/* A line of /proc/swaps begins with the path, its spaces as \040 (then no such file is found, and opening tells). */
static int check_swap_line(char *line, void *context)
{
	struct same_file *same = context;

	text_format(same->path, sizeof same->path, "%.*s", (int)strcspn(line, " \t"), line);
	return same->path[0] == '/' && is_wanted(same);
}

static int check_loop(const char *name, void *context)
{
	struct same_file *same = context;

	if (!text_starts(name, "loop") || file_read_here(same->path, sizeof same->path, "/sys/block/%s/loop/backing_file", name) <= 0)
		return 0;
	text_trim(same->path);
	text_copy(same->loop, sizeof same->loop, name);
	return is_wanted(same);
}

bool scratch_is_swap(const struct stat *file)
{
	static struct same_file same;

	same.wanted = file;
	return file_each_line_here("/proc/swaps", check_swap_line, &same) == 1;
}

bool scratch_has_loop(const struct stat *file, char loop[32])
{
	static struct same_file same;

	same.wanted = file;
	if (file_each("/sys/block", check_loop, &same) != 1)
		return false;
	text_copy(loop, 32, same.loop);
	return true;
}

/* ---- the disk behind it ---- */

struct layer {
	char folder[MAX_PATH];   /* of a disk, md or dm device, canonical */
	const char *disk;        /* the folder that is looked for */
	unsigned depth;
};

/* A partition's folder becomes that of its disk. */
static void to_disk(char *folder)
{
	if (file_exists("%s/partition", folder))
		*strrchr(folder, '/') = '\0';
}

static bool rests_on_disk(struct layer *layer);

static int try_slave(const char *slave, void *context)
{
	const struct layer *above = context;
	struct layer layer = { .disk = above->disk, .depth = above->depth + 1 };

	return file_link(layer.folder, sizeof layer.folder, "%s/slaves/%s", above->folder, slave) >= 0 && rests_on_disk(&layer);
}

static bool rests_on_disk(struct layer *layer)
{
	char slaves[MAX_PATH];

	to_disk(layer->folder);
	if (!strcmp(layer->folder, layer->disk))
		return true;
	return layer->depth < MAX_LAYERS && text_format(slaves, sizeof slaves, "%s/slaves", layer->folder) &&
	       file_each(slaves, try_slave, layer) == 1;
}

static bool find_folder(dev_t device, char folder[MAX_PATH])
{
	return file_link(folder, MAX_PATH, "/sys/dev/block/%u:%u", major(device), minor(device)) >= 0;
}

bool scratch_shares_disk(dev_t partition, dev_t file_system)
{
	char disk[MAX_PATH];
	struct layer top = { .disk = disk };

	if (!find_folder(partition, disk) || !find_folder(file_system, top.folder))
		return false;
	to_disk(disk);
	return rests_on_disk(&top);
}

bool scratch_serves_root(dev_t partition)
{
	struct stat root;

	return !stat("/", &root) && scratch_shares_disk(partition, root.st_dev);
}
