/* run_target.c: the device of a command: opened for reading alone, and labelled by what it is. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/scratch_open.h"
#include "run/target.h"

static char path[64], fault[300];
static struct scratch target;

static void make_file(off_t size_bytes)
{
	int fd;

	strcpy(path, "/tmp/assay-target.XXXXXX");
	fd = mkstemp(path);
	check(fd >= 0 && !ftruncate(fd, size_bytes));
	close(fd);
}

static int open_path(const char *what)
{
	fault[0] = '\0';
	return target_open(what, &target, fault, sizeof fault);
}

test(file_is_opened_for_reading_and_no_call_returns_before_its_time)
{
	int flags;

	make_file(5000);
	check_equal(open_path(path), 0);
	flags = fcntl(target.fd, F_GETFL);
	check_equal(flags & O_ACCMODE, O_RDONLY);
	check(!(flags & O_NONBLOCK));
	check(target.read_only && target.only && target.file_fd == target.fd);
	check_equal(target.size_bytes, 5000);
	check_string(target.role, "file");
	scratch_close(&target);
	unlink(path);
}

test(least_direct_block_is_found_in_a_file_of_one)
{
	make_file(4096);
	check_equal(open_path(path), 0);
	check(target.logical_block_bytes >= 512 && target.logical_block_bytes <= 4096);
	scratch_close(&target);
	unlink(path);
}

test(refusals_name_the_thing_and_the_cause)
{
	char expected[200];

	make_file(0);
	check_equal(open_path(path), -EINVAL);
	snprintf(expected, sizeof expected, "%s: its size is 0", path);
	check(!strncmp(fault, expected, strlen(expected)));
	check_equal(target.fd, -1);
	unlink(path);
	check_equal(open_path(path), -EINVAL);
	snprintf(expected, sizeof expected, "%s: no such file", path);
	check_string(fault, expected);
	check(!mkfifo(path, 0600));
	check_equal(open_path(path), -EINVAL);
	check(strstr(fault, "neither a block device nor a file"));
	unlink(path);
	check_equal(open_path("/dev/assay-none"), -EINVAL);
	check(strstr(fault, "nothing is ever created under /dev"));
	check(access("/dev/assay-none", F_OK));
}

test(role_is_that_of_the_partition_that_auto_found)
{
	target = (struct scratch){ .given = "auto", .node = "/dev/sda3", .name = "sda3" };
	target_only(&target);
	check_string(target.role, "sda3");
}

test(role_of_a_file_behind_a_loop_device_is_file)
{
	target = (struct scratch){ .given = "/tmp/file", .node = "/dev/loop0", .name = "loop0" };
	target_only(&target);
	check_string(target.role, "file");
}
