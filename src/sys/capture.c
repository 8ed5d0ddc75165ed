/* capture.c: see capture.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/capture.h"
#include "sys/root.h"

enum { MAX_COPY_BYTES = 4 << 20, VPD_HEADER_BYTES = 4 };

static char folder[MAX_PATH];
static bool scrubbing;
static int first_fault;

static int check_empty(int fd)
{
	char entries[1024] __attribute__((aligned(8)));
	const struct dirent *entry;
	long got;

	while ((got = sys_call(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < got; at += entry->d_reclen) {
			entry = (const void *)(entries + at);
			if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
				return -ENOTEMPTY;
		}
	return (int)got;
}

int capture_start(const char *to, bool scrub)
{
	int fd = sys_open(to, O_RDONLY | O_DIRECTORY, 0), err;

	if (fd < 0)
		return fd;
	err = check_empty(fd);
	sys_close(fd);
	if (err)
		return err;
	if (!text_copy(folder, sizeof(folder), to)) {
		folder[0] = '\0';
		return -ENAMETOOLONG;
	}
	scrubbing = scrub;
	first_fault = 0;
	return 0;
}

int capture_end(void)
{
	folder[0] = '\0';
	return first_fault;
}

bool capture_is_on(void)
{
	return folder[0] != '\0';
}

static int note(int err)
{
	if (err < 0 && err != -EEXIST && !first_fault)
		first_fault = err;
	return err;
}

/* The place of a copy, with the folders above it made. */
static int make_place(const char *canonical, char *to, size_t size)
{
	size_t length = strlen(folder);

	if (!text_format(to, size, "%s%s", folder, canonical))
		return note(-ENAMETOOLONG);
	for (char *slash = to + length; (slash = strchr(slash + 1, '/'));) {
		int err;
		*slash = '\0';
		err = note(sys_mkdir(to, 0755));
		*slash = '/';
		if (err && err != -EEXIST)
			return err;
	}
	return 0;
}

/* Names of files whose content tells one board or one owner from another. */
static bool is_private(const char *canonical)
{
	static const char names[] = "serial serial-number serial_number cid wwid address perm_address vpd_pg80 vpd_pg83 eui nguid uuid "
		"unique_id product_serial product_uuid board_serial chassis_serial";
	const char *slash = strrchr(canonical, '/'), *name = slash ? slash + 1 : canonical;

	return text_in_list(names, ' ', name) || text_starts(name, "nvidia,ether-mac");
}

/* Full of serial numbers in places of its own: it is left out. */
static bool is_private_table(const char *canonical)
{
	return text_starts(canonical, "/sys/firmware/dmi/tables");
}

/* Letters and digits become 2: an address so made is a valid one, administered locally, neither all 0 nor all f. */
static void scrub_bytes(char *bytes, size_t count, bool is_vpd)
{
	size_t from = is_vpd ? VPD_HEADER_BYTES : text_starts(bytes, "0x") ? 2 : 0;

	for (size_t i = from; i < count; i++)
		if (isalnum((unsigned char)bytes[i]))
			bytes[i] = '2';
}

/* All 0 or all f is what an empty EEPROM gives: a finding, and nobody's number. */
static bool is_blank(const char *bytes, size_t count)
{
	if (strlen(bytes) + 1 < count)
		return false; /* binary: NULs inside */
	return !bytes[strspn(bytes, "0x:- \n")] || !bytes[strspn(bytes, "fF:- \n")];
}

static int copy_bytes(int from, int to, const char *canonical)
{
	bool hide = scrubbing && is_private(canonical), is_vpd = text_find(canonical, "vpd_pg") != NULL;
	char block[4096 + 1];
	ssize_t got;

	for (size_t total = 0; total < MAX_COPY_BYTES; total += got) {
		int err;
		got = sys_read(from, block, sizeof(block) - 1);
		if (got <= 0)
			return 0; /* what the kernel refuses to tell is no fault of the copy */
		block[got] = '\0';
		if (hide && !is_blank(block, got))
			scrub_bytes(block, got, is_vpd && !total);
		err = sys_write_all(to, block, got);
		if (err)
			return err;
	}
	return -EFBIG;
}

static bool is_filled(const char *path)
{
	struct stat status;

	return !stat(path, &status) && status.st_size > 0;
}

void capture_file(const char *canonical)
{
	char place[2 * MAX_PATH];
	int from, to;

	if ((scrubbing && is_private_table(canonical)) || make_place(canonical, place, sizeof(place)) || is_filled(place))
		return;
	from = root_open(canonical, O_RDONLY | O_NONBLOCK);
	if (from < 0)
		return;
	to = note(sys_open(place, O_WRONLY | O_CREAT | O_TRUNC, 0644));
	if (to >= 0) {
		note(copy_bytes(from, to, canonical));
		sys_close(to);
	}
	sys_close(from);
}

void capture_link(const char *at, const char *target)
{
	char place[2 * MAX_PATH];

	if (!make_place(at, place, sizeof(place)))
		note(sys_call(SYS_symlinkat, target, AT_FDCWD, place));
}

void capture_entry(const char *canonical)
{
	char path[2 * MAX_PATH], place[2 * MAX_PATH], target[MAX_PATH];
	struct stat status;
	int fd;

	if (!*canonical || root_path(canonical, path, sizeof(path)) || lstat(path, &status))
		return;
	if (S_ISLNK(status.st_mode)) {
		if (!root_readlink(canonical, target, sizeof(target)))
			capture_link(canonical, target);
		return;
	}
	if (make_place(canonical, place, sizeof(place)))
		return;
	if (S_ISDIR(status.st_mode)) {
		note(sys_mkdir(place, 0755));
		return;
	}
	fd = note(sys_open(place, O_WRONLY | O_CREAT | O_EXCL, 0644));
	if (fd >= 0)
		sys_close(fd);
}
