/*
 * identify_disk.c: struct disk from /sys/block.
 *
 * Method: Documentation/ABI/{stable,testing}/sysfs-block, sysfs-bus-pci; debugfs mmcN/ios (drivers/mmc/core/debugfs.c).
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/file.h"
#include "sys/identify.h"
#include "sys/identify_disk.h"

enum { SECTOR_BYTES = 512 };

#define DEVICES "/sys/devices/"

struct disk_search { struct identity *identity; bool take_virtual; };

bool identify_is_disk(const char *name)
{
	const char *boot = text_find(name, "boot");
	uint64_t hidden;

	if (text_starts(name, "mmcblk") && ((boot && isdigit((unsigned char)boot[4]) && !boot[5]) || text_ends(name, "rpmb")))
		return false;
	return file_number(&hidden, "/sys/block/%s/hidden", name) || !hidden;
}

int identify_numbers(const char *folder, uint32_t *major, uint32_t *minor)
{
	char text[32];
	ssize_t length = file_readf(text, sizeof(text), "%s/dev", folder);

	if (length < 0)
		return length;
	return number_parse_pair(text_trim(text), 10, major, minor);
}

void identify_bus_path(const char *folder, char *to, unsigned size)
{
	char path[MAX_PATH];

	if (file_link(path, sizeof(path), "%s/device", folder) < 0 && file_link(path, sizeof(path), "%s", folder) < 0)
		*path = '\0';
	text_copy(to, size, text_starts(path, DEVICES) ? path + strlen(DEVICES) : path);
}

/* ---- what kind it is ---- */

static bool has_component(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	for (const char *at = path; (at = text_find(at, prefix)); at++)
		if ((at == path || at[-1] == '/') && isdigit((unsigned char)at[length]))
			return true;
	return false;
}

static const char *bus_of(const char *name, const char *path)
{
	static const struct { const char *prefix, *bus; } by_name[] = {
		{ "nvme", "nvme" }, { "mmcblk", "mmc" }, { "vd", "virtio" }, { "loop", "loop" }, { "zram", "zram" },
		{ "ram", "ram" }, { "md", "md" }, { "dm-", "dm" },
	};

	for (unsigned i = 0; i < COUNT_OF(by_name); i++)
		if (text_starts(name, by_name[i].prefix))
			return by_name[i].bus;
	if (has_component(path, "usb"))
		return "usb";
	if (has_component(path, "ata"))
		return "sata";
	return has_component(path, "host") ? "scsi" : "other";
}

/* ---- a drive of several controllers stands below a virtual subsystem; its first controller tells where it is ---- */

static int find_controller(const char *name, void *context)
{
	size_t digits = text_starts(name, "nvme") ? strspn(name + 4, "0123456789") : 0;

	if (!digits || name[4 + digits])
		return 0;
	return text_copy(context, 32, name), 1;
}

static void step_out_of_subsystem(struct disk *disk)
{
	char folder[MAX_PATH], controller[32];

	if (!text_find(disk->bus_path, "virtual/nvme-subsystem/"))
		return;
	text_format(folder, sizeof(folder), "/sys/block/%s/device", disk->name);
	if (file_each(folder, find_controller, controller) != 1)
		return;
	text_format(folder, sizeof(folder), "/sys/class/nvme/%s", controller);
	if (file_exists("%s", folder)) {
		char path[MAX_PATH];
		file_link(path, sizeof(path), "%s", folder);
		text_copy(disk->bus_path, sizeof(disk->bus_path), text_starts(path, DEVICES) ? path + strlen(DEVICES) : path);
	}
}

bool identify_above(const struct disk *disk, const char *file, char *folder, size_t size)
{
	struct text text = text_in(folder, size);

	text_add(&text, DEVICES);
	text_add(&text, disk->bus_path);
	for (char *slash; (slash = strrchr(folder, '/')) && slash > folder + strlen(DEVICES) - 1; *slash = '\0')
		if (file_exists("%s/%s", folder, file))
			return true;
	return false;
}

/* ---- model, serial, mode, link ---- */

static void read_model(struct disk *disk)
{
	char vendor[16];

	file_string(disk->model, sizeof(disk->model), "/sys/block/%s/device/%s", disk->name, strcmp(disk->bus, "mmc") ? "model" : "name");
	if (strcmp(disk->bus, "usb") && strcmp(disk->bus, "scsi"))
		return;
	file_string(vendor, sizeof(vendor), "/sys/block/%s/device/vendor", disk->name);
	if (*vendor && *disk->model) {
		char whole[sizeof(vendor) + sizeof(disk->model)];
		text_format(whole, sizeof(whole), "%s %s", vendor, disk->model);
		text_copy(disk->model, sizeof(disk->model), whole);
	}
}

/* SCSI's page 80h: four bytes of header, the last two the length of what follows. */
static void read_page_80(struct disk *disk)
{
	char page[4 + 252 + 1];
	ssize_t length = file_readf(page, sizeof(page), "/sys/block/%s/device/vpd_pg80", disk->name);

	if (length <= 4)
		return;
	text_copy(disk->serial, sizeof(disk->serial), text_trim(page + 4));
}

/* The hub's own serial, the address of its controller, is not the drive's. */
static void read_usb_serial(struct disk *disk)
{
	char folder[MAX_PATH];

	if (identify_above(disk, "serial", folder, sizeof(folder)) && !text_starts(strrchr(folder, '/'), "/usb"))
		file_string(disk->serial, sizeof(disk->serial), "%s/serial", folder);
}

static void read_disk_serial(struct disk *disk)
{
	if (!strcmp(disk->bus, "usb"))
		read_usb_serial(disk);
	else
		file_string(disk->serial, sizeof(disk->serial), "/sys/block/%s/%sserial", disk->name,
		            strcmp(disk->bus, "virtio") ? "device/" : "");
	if (!*disk->serial)
		read_page_80(disk);
}

/* The host's number stands in the path: .../mmc_host/mmc0/mmc0:0001. */
static int find_timing(char *line, void *context)
{
	struct disk *disk = context;
	char *from = text_starts(line, "timing spec:") ? strchr(line, '(') : NULL, *to = from ? strrchr(from, ')') : NULL;

	if (!to)
		return 0;
	*to = '\0';
	text_copy(disk->mode, sizeof(disk->mode), from + 1);
	return 1;
}

static void read_mode(struct disk *disk)
{
	const char *host = text_find(disk->bus_path, "mmc_host/");
	char path[MAX_PATH];

	if (!host)
		return;
	host += strlen("mmc_host/");
	text_format(path, sizeof(path), "/sys/kernel/debug/%.*s/ios", (int)strcspn(host, "/"), host);
	file_each_line(path, find_timing, disk);
}

static void read_speed(char *to, size_t size, const char *folder, const char *file)
{
	file_string(to, size, "%s/%s", folder, file);
	if (text_starts(to, "Unknown"))
		*to = '\0';
}

static uint32_t read_number(const char *folder, const char *file)
{
	uint64_t number;

	return file_number(&number, "%s/%s", folder, file) || number > UINT32_MAX ? 0 : number;
}

static void read_link(struct disk *disk)
{
	char folder[MAX_PATH];

	if (!identify_above(disk, "current_link_speed", folder, sizeof(folder)))
		return;
	read_speed(disk->link_speed, sizeof(disk->link_speed), folder, "current_link_speed");
	read_speed(disk->link_speed_max, sizeof(disk->link_speed_max), folder, "max_link_speed");
	disk->link_width = read_number(folder, "current_link_width");
	disk->link_width_max = read_number(folder, "max_link_width");
	*strrchr(folder, '/') = '\0';
	read_speed(disk->port_speed_max, sizeof(disk->port_speed_max), folder, "max_link_speed");
	disk->port_width_max = read_number(folder, "max_link_width");
}

static void read_disk(const char *name, struct disk *disk)
{
	char folder[MAX_PATH];
	uint64_t sectors;

	text_format(folder, sizeof(folder), "/sys/block/%s", name);
	text_copy(disk->name, sizeof(disk->name), name);
	identify_bus_path(folder, disk->bus_path, sizeof(disk->bus_path));
	step_out_of_subsystem(disk);
	text_copy(disk->bus, sizeof(disk->bus), bus_of(name, disk->bus_path));
	identify_numbers(folder, &disk->dev_major, &disk->dev_minor);
	if (!file_number(&sectors, "%s/size", folder))
		disk->size_bytes = sectors * SECTOR_BYTES;
	disk->logical_block_bytes = read_number(folder, "queue/logical_block_size");
	disk->physical_block_bytes = read_number(folder, "queue/physical_block_size");
	disk->rotational = read_number(folder, "queue/rotational");
	disk->read_only = read_number(folder, "ro");
	disk->removable = read_number(folder, "removable");
	read_model(disk);
	read_disk_serial(disk);
	if (!strcmp(disk->bus, "mmc"))
		read_mode(disk);
	if (!strcmp(disk->bus, "nvme"))
		read_link(disk);
}

void identify_disk(const char *name, struct disk *disk, char cid[64])
{
	memset(disk, 0, sizeof(*disk));
	read_disk(name, disk);
	*cid = '\0';
	if (!strcmp(disk->bus, "mmc"))
		file_string(cid, 64, "/sys/block/%s/device/cid", name);
}

/* Loop, RAM and network disks that nobody has set up are not listed: they would fill the table. */
static int add_disk(const char *name, void *context)
{
	struct disk_search *search = context;
	struct disk *disk = &search->identity->disks[search->identity->disk_count];
	bool is_virtual;

	if (search->identity->disk_count == MAX_DISKS)
		return 1;
	if (!identify_is_disk(name))
		return 0;
	memset(disk, 0, sizeof(*disk));
	read_disk(name, disk);
	is_virtual = text_starts(disk->bus_path, "virtual/");
	if (is_virtual != search->take_virtual || (is_virtual && !disk->size_bytes))
		return 0;
	search->identity->disk_count++;
	return 0;
}

void identify_disks(struct identity *identity)
{
	struct disk_search search = { .identity = identity };

	file_each("/sys/block", add_disk, &search);
	search.take_virtual = true;
	file_each("/sys/block", add_disk, &search);
	if (identity->disk_count < MAX_DISKS)
		memset(&identity->disks[identity->disk_count], 0, sizeof(struct disk));
}
