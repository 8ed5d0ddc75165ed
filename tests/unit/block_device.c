/* block_device.c: from a board's roles and a machine's disks to devices, and what is said of those that are not there. */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "step/context.h"
#include "step/device.h"
#include "sys/file.h"
#include "sys_tree.h"

static struct board board;
static struct identity identity;
static struct put_aside aside;
static struct scratch scratch;
static struct ctx ctx;
static int events[2];
static struct event event;

static void set_up(void)
{
	memset(&board, 0, sizeof board);
	memset(&identity, 0, sizeof identity);
	memset(&aside, 0, sizeof aside);
	check(!pipe2(events, O_NONBLOCK)); /* an event that is not there must not hold us up */
	ctx = (struct ctx){ .board = &board, .identity = &identity, .put_aside = &aside, .event_fd = events[1] };
}

static void take_down(void)
{
	close(events[0]);
	close(events[1]);
}

static struct disk *add_disk(const char *name, const char *bus, const char *bus_path, uint64_t size_bytes)
{
	struct disk *disk = &identity.disks[identity.disk_count++];

	strcpy(disk->name, name);
	strcpy(disk->bus, bus);
	strcpy(disk->bus_path, bus_path);
	disk->size_bytes = size_bytes;
	disk->logical_block_bytes = 512;
	return disk;
}

static void add_role(const char *role, const char *bus_path, bool required)
{
	struct storage_role *storage = &board.storage[board.storage_count++];

	strcpy(storage->role, role);
	strcpy(storage->bus_path, bus_path);
	storage->required = required;
	storage->bound_bytes_per_s = 7880000000;
}

/* Walks, and returns the roles in their order, each followed by a blank. */
static const char *roles(void)
{
	static char list[256];
	struct device device;

	list[0] = '\0';
	for_each_storage(&ctx, &device) {
		strcat(list, device.role);
		strcat(list, " ");
	}
	return list;
}

/* The next event is of this kind and says this. */
static bool said(enum event_kind kind, const char *message)
{
	if (read(events[0], &event, sizeof event) != (ssize_t)sizeof event)
		return false;
	if (event.kind != kind || strcmp(event.message, message))
		printf("# event %u \"%s\"\n", event.kind, event.message);
	return event.kind == kind && !strcmp(event.message, message);
}

test(missing_required_device_is_a_failure_that_says_where_it_should_be)
{
	set_up();
	add_role("nvme", "0004:01:00.0", true);
	check_string(roles(), "");
	check(said(EVENT_FAIL, "declared device missing: role nvme at 0004:01:00.0"));
	take_down();
}

test(missing_optional_device_is_skipped)
{
	set_up();
	add_role("nvme", "0004:01:00.0", false);
	check_string(roles(), "");
	check(said(EVENT_SKIP, "optional device absent: role nvme at 0004:01:00.0"));
	take_down();
}

test(two_disks_for_one_role_are_an_error)
{
	set_up();
	add_role("nvme", "0004:01", true);
	add_disk("nvme0n1", "nvme", "pci0004:00/0004:01:00.0/nvme", 1000000);
	add_disk("nvme1n1", "nvme", "pci0004:00/0004:01:00.1/nvme", 1000000);
	check_string(roles(), "");
	check(said(EVENT_ERROR, "role nvme: several disks fit 0004:01: make the board file's bus_path or model tell them apart"));
	take_down();
}

test(declared_device_is_walked_once_by_its_role_with_its_bound)
{
	struct device_walk walk = { 0, 0 };
	struct device device;

	set_up();
	board.read_undeclared = true;
	add_role("nvme", "0004:01:00.0", true);
	add_disk("nvme0n1", "nvme", "pci0004:00/0004:01:00.0/nvme", 1000000);
	check(device_next(&ctx, &walk, &device));
	check_string(device.role, "nvme");
	check_string(device.name, "nvme0n1");
	check_equal(device.bound_bytes_per_s, 7880000000);
	check_equal(device.size_bytes, 1000000);
	check(!device_next(&ctx, &walk, &device));
	take_down();
}

test(undeclared_disks_are_walked_by_name_but_not_loops_and_memory)
{
	set_up();
	board.read_undeclared = true;
	add_disk("loop0", "loop", "virtual/block/loop0", 1000000);
	add_disk("zram0", "zram", "virtual/block/zram0", 1000000);
	add_disk("md0", "md", "virtual/block/md0", 1000000);
	add_disk("dm-0", "dm", "virtual/block/dm-0", 1000000);
	add_disk("sda", "sata", "pci0000:00/ata1", 1000000);
	add_disk("vda", "virtio", "pci0000:00/virtio0", 1000000);
	check_string(roles(), "sda vda ");
	take_down();
}

test(undeclared_disks_are_left_alone_when_the_board_says_so)
{
	set_up();
	add_disk("sda", "sata", "pci0000:00/ata1", 1000000);
	check_string(roles(), "");
	check(said(EVENT_SKIP, "no storage is declared and no --scratch given"));
	take_down();
}

test(scratch_comes_behind_the_roles_and_before_the_undeclared)
{
	set_up();
	board.read_undeclared = true;
	add_role("emmc", "3460000", true);
	add_disk("sda", "sata", "pci0000:00/ata1", 1000000);
	add_disk("mmcblk0", "mmc", "platform/3460000.mmc", 1000000);
	scratch = (struct scratch){ .role = "scratch", .fd = -1, .file_fd = -1, .size_bytes = 33554432, .logical_block_bytes = 4096 };
	ctx.scratch = &scratch;
	check_string(roles(), "emmc scratch sda ");
	take_down();
}

test(scratch_partition_has_the_bound_of_the_declared_disk_it_lies_on)
{
	struct device_walk walk = { 0, 0 };
	struct device device;

	set_up();
	tree_start();
	tree_put("/sys/block/nvme0n1/nvme0n1p3/partition", "3\n");
	check(!file_root(tree));
	add_role("nvme", "0004:01:00.0", true);
	add_disk("nvme0n1", "nvme", "pci0004:00/0004:01:00.0/nvme", 1000000);
	scratch = (struct scratch){ .role = "scratch", .name = "nvme0n1p3", .fd = -1, .file_fd = -1, .size_bytes = 33554432 };
	ctx.scratch = &scratch;
	check(device_next(&ctx, &walk, &device) && device_next(&ctx, &walk, &device));
	check_string(device.role, "scratch");
	check_equal(device.bound_bytes_per_s, 7880000000);
	strcpy(scratch.name, "sda3");
	walk = (struct device_walk){ 1, 1 };
	check(device_next(&ctx, &walk, &device));
	check_equal(device.bound_bytes_per_s, 0);
	check(!file_root(""));
	tree_end();
	take_down();
}

test(scratch_through_the_page_cache_is_measured_with_a_warning_said_once)
{
	struct device_walk walk = { 0, 0 };
	struct device device;

	set_up();
	scratch = (struct scratch){ .role = "scratch", .node = "/tmp/s", .name = "scratch file", .fd = -1, .file_fd = -1, .size_bytes = 33554432 };
	ctx.scratch = &scratch;
	check(device_next(&ctx, &walk, &device));
	check(device_ready(&ctx, &device));
	check(device_ready(&ctx, &device));
	check(said(EVENT_DEVICE, "scratch file"));
	check(said(EVENT_WARN, "/tmp/s: no direct I/O, only through the page cache: not the drive's speed"));
	check(!device_next(&ctx, &walk, &device));
	check(said(EVENT_DEVICE, ""));
	take_down();
}

test(reader_without_a_card_is_skipped)
{
	set_up();
	board.read_undeclared = true;
	add_disk("sdb", "usb", "usb1", 0);
	check_string(roles(), "");
	check(said(EVENT_SKIP, "sdb: no medium"));
	take_down();
}

test(required_device_without_a_medium_is_a_failure)
{
	set_up();
	add_role("sd", "3400000", true);
	add_disk("mmcblk1", "mmc", "platform/3400000.mmc", 0);
	check_string(roles(), "");
	check(said(EVENT_FAIL, "declared device has no medium: role sd, mmcblk1"));
	take_down();
}

test(device_put_aside_is_skipped_with_the_reason)
{
	set_up();
	board.read_undeclared = true;
	add_disk("sda", "sata", "pci0000:00/ata1", 1000000);
	aside.count = 1;
	strcpy(aside.devices[0], "sda");
	check_string(roles(), "");
	check(said(EVENT_SKIP, "sda: put aside, an earlier step got stuck on it"));
	take_down();
}

test(disk_without_a_node_is_an_error_said_once)
{
	struct device_walk walk = { 0, 0 };
	struct device device;

	set_up();
	board.read_undeclared = true;
	add_disk("nvme99n1", "nvme", "pci0000:00/nvme", 1000000);
	check(device_next(&ctx, &walk, &device));
	check(!device_ready(&ctx, &device));
	check(!device_ready(&ctx, &device));
	check(said(EVENT_DEVICE, "nvme99n1"));
	check(read(events[0], &event, sizeof event) == (ssize_t)sizeof event);
	check_equal(event.kind, EVENT_ERROR);
	check(!strncmp(event.message, "nvme99n1: there is no device node for it", 40));
	check(!device_next(&ctx, &walk, &device));
	check(said(EVENT_DEVICE, ""));
	take_down();
}
