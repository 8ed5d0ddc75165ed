/*
 * scratch_use.c: see scratch_use.h.
 *
 * Method: proc(5) for swaps, mountinfo, fdinfo and cmdline; /sys/dev/block leads from a device number to its folder, whose parent is the disk when it is
 * a partition, and whose slaves/ are what md and dm devices rest on.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "capacity.h"
#include "lib/number.h"
#include "lib/text.h"
#include "run/scratch_use.h"
#include "sys/call.h"
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

bool scratch_shares_disk(dev_t device, dev_t file_system)
{
	char disk[MAX_PATH];
	struct layer top = { .disk = disk };

	if (!find_folder(device, disk) || !find_folder(file_system, top.folder))
		return false;
	to_disk(disk);
	return rests_on_disk(&top);
}

/* ---- the device under an open file ---- */

struct mount_search { uint64_t id; dev_t device; };

static int find_id(char *line, void *context)
{
	return text_starts(line, "mnt_id:") && !number_parse(text_trim(line + strlen("mnt_id:")), context);
}

static bool node_number(const char *node, dev_t *device)
{
	struct stat status;

	if (*node != '/' || stat(node, &status) || !S_ISBLK(status.st_mode))
		return false;
	*device = status.st_rdev;
	return true;
}

static int find_mount(char *line, void *context)
{
	struct mount_search *search = context;
	char *rest = text_find(line, " - ");
	uint64_t id;
	uint32_t from, to;

	if (!rest || number_parse(text_word(&line), &id) || id != search->id)
		return 0;
	text_word(&line);
	if (!number_parse_pair(text_word(&line), 10, &from, &to) && from) {
		search->device = makedev(from, to);
		return 1;
	}
	rest += 3;
	text_word(&rest); /* the type */
	return node_number(text_word(&rest), &search->device);
}

static bool device_under(int fd, dev_t *device)
{
	struct mount_search search = { .id = 0 };
	struct stat status;
	char path[48];

	text_format(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	if (file_each_line_here(path, find_id, &search.id) == 1 && file_each_line_here("/proc/self/mountinfo", find_mount, &search) == 1) {
		*device = search.device;
		return true;
	}
	if (fstat(fd, &status) || !major(status.st_dev))
		return false;
	*device = status.st_dev;
	return true;
}

bool scratch_shares_file(dev_t device, int fd)
{
	dev_t under;

	return device_under(fd, &under) && scratch_shares_disk(device, under);
}

/* ---- the disk that the system runs from ---- */

/* 1: on it; 0: not; -ENODEV: what serves this path is no block device. */
static int serves_path(dev_t device, const char *path)
{
	int fd = sys_open(path, O_PATH, 0);
	dev_t under;
	bool found;

	if (fd < 0)
		return -ENODEV;
	found = device_under(fd, &under);
	sys_close(fd);
	return found ? scratch_shares_disk(device, under) : -ENODEV;
}

/* The value of the last root= on the kernel's command line. */
static bool root_word(char word[64])
{
	char line[4096], *at = line, *one;
	bool found = false;

	if (file_read_here(line, sizeof line, "/proc/cmdline") <= 0)
		return false;
	while (*(one = text_word(&at)))
		if (text_starts(one, "root="))
			found = text_copy(word, 64, one + strlen("root=")) || true;
	return found;
}

/* By name or number; UUID=, LABEL= and the like need what udev or the kernel's start knew: -ENOTUNIQ. */
static int serves_root_word(dev_t device, const char *word)
{
	uint32_t from, to;
	dev_t root;

	if (node_number(word, &root))
		return scratch_shares_disk(device, root);
	if (!number_parse_pair(word, 10, &from, &to))
		return scratch_shares_disk(device, makedev(from, to));
	return strchr(word, '=') ? -ENOTUNIQ : 0;
}

int scratch_serves_system(dev_t device, char word[64])
{
	static const char *const paths[] = { "/", "/usr", "/boot", "/boot/efi", "/efi" };
	int root = 0;

	for (unsigned i = 0; i < COUNT_OF(paths); i++) {
		int found = serves_path(device, paths[i]);

		if (found == 1)
			return 1;
		if (i == 0)
			root = found;
	}
	if (!root_word(word))
		return 0;
	/* Where / is on a device, that device is what the word meant. */
	return root == 0 && strchr(word, '=') ? 0 : serves_root_word(device, word);
}
