/* block_scratch.c: what may be written to, and above all what may not; nobody loses a file by a typo. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "run/scratch_content.h"
#include "run/scratch_open.h"
#include "run/scratch_use.h"
#include "scratch_block.h"
#include "sys/file.h"
#include "sys/loop.h"
#include "sys_tree.h"

static char folder[64], fault[300];
static struct scratch scratch;

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void make_folder(void)
{
	strcpy(folder, "/tmp/assay-scratch-XXXXXX");
	check(mkdtemp(folder) != NULL);
	fault[0] = '\0';
}

static void remove_folder(const char *name)
{
	unlink(path_of(name));
	rmdir(folder);
}

/* A file of holes, with text at one place. */
static int make_file(const char *name, uint64_t size_bytes, uint64_t at_bytes, const void *text, size_t length)
{
	int fd = open(path_of(name), O_RDWR | O_CREAT | O_EXCL, 0600);

	check(fd >= 0 && !ftruncate(fd, (off_t)size_bytes) && pwrite(fd, text, length, (off_t)at_bytes) == (ssize_t)length);
	return fd;
}

static bool says(const char *what)
{
	if (!strstr(fault, what))
		printf("# \"%s\" does not say \"%s\"\n", fault, what);
	return strstr(fault, what) != NULL;
}

static int check_path(const char *path)
{
	return scratch_check(path, "", &scratch, fault, sizeof fault);
}

test(missing_file_is_refused_and_not_created)
{
	make_folder();
	check_equal(check_path(path_of("none")), -EINVAL);
	check(says("no such file"));
	check(access(path_of("none"), F_OK));
	remove_folder("none");
}

test(missing_device_is_refused_and_nothing_is_created_under_dev)
{
	check_equal(check_path("/dev/assay-no-such-device"), -EINVAL);
	check(says("no such device"));
	check(access("/dev/assay-no-such-device", F_OK));
}

test(directory_is_named_as_such)
{
	check_equal(check_path("/tmp"), -EINVAL);
	check(says("--scratch /tmp: a directory"));
}

test(character_device_is_named_as_such)
{
	check_equal(check_path("/dev/null"), -EINVAL);
	check(says("character device"));
}

test(fifo_is_refused_without_waiting_for_its_other_end)
{
	make_folder();
	check(!mkfifo(path_of("fifo"), 0600));
	check_equal(check_path(path_of("fifo")), -EINVAL);
	check(says("neither a block device nor a file"));
	remove_folder("fifo");
}

test(file_below_sixteen_mebibytes_is_refused)
{
	make_folder();
	close(make_file("small", 16777215, 0, "", 0));
	check_equal(check_path(path_of("small")), -EINVAL);
	check(says("too small, 16777215 bytes"));
	remove_folder("small");
}

test(file_of_zeros_is_taken_and_held)
{
	struct scratch second;

	make_folder();
	close(make_file("zeros", 16777216 + 5000, 0, "", 0));
	check_equal(check_path(path_of("zeros")), 0);
	check_equal(scratch.size_bytes, 16777216 + 4096);
	check(scratch.fd >= 0 && scratch.file_fd == scratch.fd);
	check(scratch.logical_block_bytes >= 512 && scratch.logical_block_bytes <= 4096);
	check_equal(scratch_check(path_of("zeros"), "", &second, fault, sizeof fault), -EINVAL);
	check(says("locked"));
	scratch_close(&scratch);
	check_equal(scratch.fd, -1);
	remove_folder("zeros");
}

test(file_with_a_word_in_it_is_refused_and_untouched)
{
	char word[8] = "";
	int fd;

	make_folder();
	fd = make_file("precious", 33554432, 100, "precious", 8);
	check_equal(check_path(path_of("precious")), -EINVAL);
	check(says("holds data that assay did not write, at byte 0"));
	check_equal(pread(fd, word, 8, 100), 8);
	check(!memcmp(word, "precious", 8));
	close(fd);
	remove_folder("precious");
}

test(file_that_may_not_be_written_is_refused)
{
	make_folder();
	close(make_file("locked", 16777216, 0, "", 0));
	check(!chmod(path_of("locked"), 0400));
	if (geteuid()) {
		check_equal(check_path(path_of("locked")), -EINVAL);
		check(says("run as root"));
	}
	remove_folder("locked");
}

test(path_that_does_not_fit_is_refused)
{
	char path[700];

	memset(path, 'a', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	check_equal(check_path(path), -EINVAL);
	check(says("longer than 511 bytes"));
}

/* ---- sampling ---- */

enum { SIZE = 64 << 20 };

static int content_with(uint64_t place_bytes, const void *text, size_t length, uint64_t *at_bytes)
{
	int fd, err;

	make_folder();
	fd = make_file("content", SIZE, place_bytes, text, length);
	err = scratch_content(fd, true, SIZE, at_bytes);
	close(fd);
	remove_folder("content");
	return err;
}

test(data_in_the_last_block_is_found)
{
	uint64_t at_bytes;

	check_equal(content_with(SIZE - 1, "x", 1, &at_bytes), -EEXIST);
	check_equal(at_bytes, SIZE - 4096);
}

test(data_behind_the_first_block_is_found)
{
	uint64_t at_bytes;

	check_equal(content_with(1024 * 1024 - 1, "x", 1, &at_bytes), -EEXIST);
	check_equal(at_bytes, 1024 * 1024 - 4096);
}

test(file_full_of_data_in_the_middle_is_found)
{
	static char text[2 << 20];
	uint64_t at_bytes;

	memset(text, 'x', sizeof text);
	check_equal(content_with(30 << 20, text, sizeof text, &at_bytes), -EEXIST);
}

test(blocks_of_an_earlier_run_are_nobodys)
{
	uint64_t at_bytes;

	check_equal(content_with(0, SCRATCH_MAGIC "whatever follows", 24, &at_bytes), 0);
}

static int content_of_block(char block[4096])
{
	uint64_t at_bytes;

	return content_with(8 << 20, block, 4096, &at_bytes);
}

test(sectors_of_an_earlier_run_are_nobodys_also_behind_zeros)
{
	char block[4096] = "";

	memcpy(block + 512, SCRATCH_MAGIC "whatever follows", 24);
	memcpy(block + 7 * 512, SCRATCH_MAGIC "whatever follows", 24);
	check_equal(content_of_block(block), 0);
}

test(one_foreign_sector_among_them_is_somebodys)
{
	char block[4096] = "";

	memcpy(block + 512, SCRATCH_MAGIC "whatever follows", 24);
	memcpy(block + 3 * 512, "precious", 8);
	check_equal(content_of_block(block), -EEXIST);
}

test(magic_inside_a_sector_is_somebodys)
{
	char block[4096] = "";

	memcpy(block + 520, SCRATCH_MAGIC "whatever follows", 24);
	check_equal(content_of_block(block), -EEXIST);
}

test(two_set_bits_are_the_drives_and_three_are_somebodys)
{
	char block[4096] = "";

	block[100] = 1;
	block[4000] = 4;
	check_equal(content_of_block(block), 0);
	block[2000] = 8;
	check_equal(content_of_block(block), -EEXIST);
}

test(file_is_not_given_up_by_a_serial_number)
{
	make_folder();
	close(make_file("zeros", 16777216, 0, "", 0));
	check_equal(scratch_check(path_of("zeros"), "S1", &scratch, fault, sizeof fault), -EINVAL);
	check(says("no serial number"));
	remove_folder("zeros");
}

test(text_that_only_begins_like_the_magic_is_somebodys)
{
	uint64_t at_bytes;

	check_equal(content_with(0, "\x89" "assay\n", 7, &at_bytes), -EEXIST);
}

test(content_is_the_same_when_a_child_looks)
{
	uint64_t at_bytes;
	int fd, err;

	make_folder();
	fd = make_file("content", SIZE, SIZE - 1, "x", 1);
	err = scratch_content_in_time(fd, true, SIZE, 20000, &at_bytes);
	check_equal(err, -EEXIST);
	check_equal(at_bytes, SIZE - 4096);
	check_equal(pwrite(fd, "", 1, SIZE - 1), 1);
	check_equal(scratch_content_in_time(fd, true, SIZE, 20000, &at_bytes), 0);
	close(fd);
	remove_folder("content");
}

/* ---- later ---- */

/* A loop device over 16 MiB where one may be made, as it was checked. */
static bool take_loop(struct loop *loop, struct scratch *device)
{
	int err;

	make_folder();
	close(make_file("disk", 16777216, 0, "", 0));
	err = loop_attach(path_of("disk"), false, loop);
	*device = (struct scratch){ .fd = loop->fd, .node = "/dev/disk", .device_bytes = 16777216 };
	return !err && !ioctl(loop->fd, BLKGETDISKSEQ, &device->disk_sequence);
}

test(device_that_is_the_same_may_be_written_to)
{
	struct scratch device;
	struct loop loop;

	if (take_loop(&loop, &device))
		check_equal(scratch_recheck(&device, fault, sizeof fault), 0);
	loop_detach(&loop);
	remove_folder("disk");
}

test(device_that_was_exchanged_is_noticed)
{
	struct scratch device;
	struct loop loop;

	if (take_loop(&loop, &device)) {
		device.disk_sequence--;
		check_equal(scratch_recheck(&device, fault, sizeof fault), -ENODEV);
		check(says("/dev/disk: exchanged since it was checked"));
	}
	loop_detach(&loop);
	remove_folder("disk");
}

test(device_of_another_size_is_noticed)
{
	struct scratch device;
	struct loop loop;

	if (take_loop(&loop, &device)) {
		device.device_bytes = 16777216 + 512;
		check_equal(scratch_recheck(&device, fault, sizeof fault), -ENODEV);
		check(says("its size was 16777728 bytes when it was checked, and is now 16777216"));
	}
	loop_detach(&loop);
	remove_folder("disk");
}

/* ---- the disk behind it, in a made-up /sys: two disks, a partition 3 on each, a dm device on the first one's partition 2 ---- */

static void make_disks(void)
{
	tree_start();
	tree_put("/sys/devices/pci/block/sda/sda2/partition", "2\n");
	tree_put("/sys/devices/pci/block/sda/sda3/partition", "3\n");
	tree_put("/sys/devices/pci/block/sdb/sdb3/partition", "3\n");
	tree_link("/sys/devices/virtual/block/dm-0/slaves/sda2", "../../../../pci/block/sda/sda2");
	tree_link("/sys/dev/block/8:2", "../../devices/pci/block/sda/sda2");
	tree_link("/sys/dev/block/8:3", "../../devices/pci/block/sda/sda3");
	tree_link("/sys/dev/block/8:19", "../../devices/pci/block/sdb/sdb3");
	tree_link("/sys/dev/block/253:0", "../../devices/virtual/block/dm-0");
	check(!file_root(tree));
}

static void remove_disks(void)
{
	check(!file_root(""));
	tree_end();
}

test(partition_beside_the_file_system_shares_its_disk)
{
	make_disks();
	check(scratch_shares_disk(makedev(8, 3), makedev(8, 2)));
	check(!scratch_shares_disk(makedev(8, 19), makedev(8, 2)));
	remove_disks();
}

test(file_system_on_dm_lies_on_the_disk_below)
{
	make_disks();
	check(scratch_shares_disk(makedev(8, 3), makedev(253, 0)));
	check(!scratch_shares_disk(makedev(8, 19), makedev(253, 0)));
	remove_disks();
}

test(file_system_without_a_device_lies_on_no_disk)
{
	make_disks();
	check(!scratch_shares_disk(makedev(8, 3), makedev(0, 27)));
	remove_disks();
}
