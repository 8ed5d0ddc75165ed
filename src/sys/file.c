/* file.c: see file.h.  A path goes straight to the kernel unless a sysroot or a capture needs every link on its way. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/capture.h"
#include "sys/file.h"
#include "sys/map.h"
#include "sys/root.h"

/* A fifo or a device in a made-up tree must not hold us up. */
enum { READ_FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY };

int file_root(const char *path)
{
	return root_set(path);
}

bool file_is_simulated(void)
{
	return root_is_set();
}

int file_capture(const char *folder, bool scrub)
{
	return folder ? capture_start(folder, scrub) : capture_end();
}

static bool is_plain(void)
{
	return !root_is_set() && !capture_is_on();
}

static int walk(const char *path, char *canonical, size_t size)
{
	return root_walk(path, canonical, size, capture_is_on() ? capture_link : NULL);
}

static int open_file(const char *path)
{
	char canonical[MAX_PATH];
	int err;

	if (is_plain())
		return sys_open(path, READ_FLAGS, 0);
	err = walk(path, canonical, sizeof(canonical));
	if (err)
		return err;
	if (capture_is_on())
		capture_file(canonical);
	return root_open(canonical, READ_FLAGS);
}

/* Fills to with what fd gives, NUL-terminated; closes fd. */
static ssize_t read_all(int fd, char *to, size_t size)
{
	size_t length = 0;
	ssize_t got = 1;

	if (fd < 0)
		return fd;
	while (got && length < size - 1) {
		got = sys_read(fd, to + length, size - 1 - length);
		if (got == -EINTR)
			continue;
		if (got < 0)
			break;
		length += got;
	}
	sys_close(fd);
	to[length] = '\0';
	return got < 0 && !length ? got : (ssize_t)length;
}

static int format_path(char path[MAX_PATH], const char *format, va_list args)
{
	struct text text = text_in(path, MAX_PATH);

	text_add_vformat(&text, format, args);
	return text.cut ? -ENAMETOOLONG : 0;
}

ssize_t file_read(const char *path, char *to, size_t size)
{
	to[0] = '\0';
	return read_all(open_file(path), to, size);
}

static ssize_t read_formatted(char *to, size_t size, const char *format, va_list args)
{
	char path[MAX_PATH];
	int err = format_path(path, format, args);

	to[0] = '\0';
	return err ? err : file_read(path, to, size);
}

ssize_t file_readf(char *to, size_t size, const char *format, ...)
{
	va_list args;
	ssize_t length;

	va_start(args, format);
	length = read_formatted(to, size, format, args);
	va_end(args);
	return length;
}

void file_string(char *to, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	read_formatted(to, size, format, args);
	va_end(args);
	text_trim(to);
}

int file_number(uint64_t *number, const char *format, ...)
{
	char text[64];
	va_list args;
	ssize_t length;

	*number = 0;
	va_start(args, format);
	length = read_formatted(text, sizeof(text), format, args);
	va_end(args);
	return length < 0 ? length : number_parse(text_trim(text), number);
}

ssize_t file_link(char *to, size_t size, const char *format, ...)
{
	char path[MAX_PATH];
	va_list args;
	int err;

	to[0] = '\0';
	va_start(args, format);
	err = format_path(path, format, args);
	va_end(args);
	if (!err)
		err = walk(path, to, size);
	if (err) {
		to[0] = '\0';
		return err;
	}
	if (capture_is_on())
		capture_entry(to);
	return strlen(to);
}

bool file_exists(const char *format, ...)
{
	char path[MAX_PATH], canonical[MAX_PATH];
	va_list args;
	int err;

	va_start(args, format);
	err = format_path(path, format, args);
	va_end(args);
	if (err)
		return false;
	if (is_plain())
		return !sys_call(SYS_faccessat, AT_FDCWD, path, 0 /* F_OK */);
	if (walk(path, canonical, sizeof(canonical)))
		return false;
	if (capture_is_on())
		capture_entry(canonical);
	return true;
}

int file_here(const char *path, char *to, size_t size)
{
	char canonical[MAX_PATH];
	int err = root_walk(path, canonical, sizeof(canonical), NULL);

	return err ? err : root_path(canonical, to, size);
}

ssize_t file_load(const char *path, char *to, size_t size)
{
	int fd = sys_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0); /* a FIFO must not hold us */
	struct stat status;
	ssize_t length;

	to[0] = '\0';
	if (fd >= 0 && (fstat(fd, &status) || !S_ISREG(status.st_mode))) {
		sys_close(fd);
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	}
	length = read_all(fd, to, size);
	return length == (ssize_t)size - 1 ? -EFBIG : length;
}

ssize_t file_read_here(char *to, size_t size, const char *format, ...)
{
	char path[MAX_PATH];
	va_list args;
	int err;

	to[0] = '\0';
	va_start(args, format);
	err = format_path(path, format, args);
	va_end(args);
	return err ? err : read_all(sys_open(path, READ_FLAGS, 0), to, size);
}

/* ---- folders ---- */

/* As the kernel gives it to getdents64(2). */
struct entry { uint64_t inode; int64_t offset; uint16_t bytes; uint8_t type; char name[]; };

enum { ENTRY_BYTES = 1 << 20, MAX_ENTRIES = 32 << 10 };

struct listing {
	unsigned count;
	const char *names[MAX_ENTRIES];
	_Alignas(8) char entries[ENTRY_BYTES];
};

/* Numbers by what they are worth: nvme2 before nvme10. */
static int compare_names(const char *x, const char *y)
{
	while (*x && *y) {
		size_t x_digits = strspn(x, "0123456789"), y_digits = strspn(y, "0123456789");
		int order = x_digits && y_digits && x_digits != y_digits ? (x_digits > y_digits) - (x_digits < y_digits) : 0;
		if (order)
			return order;
		if (*x != *y)
			return (unsigned char)*x - (unsigned char)*y;
		x++;
		y++;
	}
	return (unsigned char)*x - (unsigned char)*y;
}

/* Shell's sort, its gaps less than halved each time: short, and quick enough for the tens of thousands of /proc. */
static void sort_names(const char **names, unsigned count)
{
	for (unsigned gap = count; gap > 1; ) {
		gap = gap < 5 ? 1 : gap * 5 / 11;
		for (unsigned i = gap; i < count; i++) {
			const char *name = names[i];
			unsigned at = i;

			for (; at >= gap && compare_names(names[at - gap], name) > 0; at -= gap)
				names[at] = names[at - gap];
			names[at] = name;
		}
	}
}

static int add_names(struct listing *listing, const char *entries, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		const struct entry *entry = (const struct entry *)(entries + at);
		at += entry->bytes;
		if (!strcmp(entry->name, ".") || !strcmp(entry->name, ".."))
			continue;
		if (listing->count == MAX_ENTRIES)
			return -EFBIG;
		listing->names[listing->count++] = entry->name;
	}
	return 0;
}

static int read_listing(int fd, struct listing *listing)
{
	size_t used = 0;

	for (;;) {
		long got = sys_call(SYS_getdents64, fd, listing->entries + used, ENTRY_BYTES - used);
		int err;
		if (got == -EINVAL && used)
			return -EFBIG; /* no room left for one more */
		if (got <= 0)
			return got;
		err = add_names(listing, listing->entries + used, got);
		if (err)
			return err;
		used += got;
	}
}

static int open_folder(const char *path, char *canonical, size_t size)
{
	int err;

	if (is_plain())
		return sys_open(path, O_RDONLY | O_DIRECTORY, 0);
	err = walk(path, canonical, size);
	return err ? err : root_open(canonical, O_RDONLY | O_DIRECTORY);
}

static void capture_listing(const char *canonical, const struct listing *listing)
{
	char path[MAX_PATH];

	capture_entry(canonical);
	for (unsigned i = 0; i < listing->count; i++)
		if (text_format(path, sizeof(path), "%s/%s", canonical, listing->names[i]))
			capture_entry(path);
}

int file_each(const char *path, int (*each)(const char *name, void *context), void *context)
{
	char canonical[MAX_PATH];
	struct listing *listing;
	void *map;
	int err, fd = open_folder(path, canonical, sizeof(canonical));

	if (fd < 0)
		return fd;
	err = map_memory(sizeof(*listing), MAP_PAGE_SMALL, &map);
	listing = map;
	if (!err)
		err = read_listing(fd, listing);
	sys_close(fd);
	if (!err) {
		sort_names(listing->names, listing->count);
		if (capture_is_on())
			capture_listing(canonical, listing);
		for (unsigned i = 0; i < listing->count && !err; i++)
			err = each(listing->names[i], context);
	}
	unmap_memory(map, sizeof(*listing));
	return err;
}

/* ---- lines ---- */

static int give_lines(char *line, size_t *length, bool at_end, int (*each)(char *line, void *context), void *context)
{
	char *end;
	int stop = 0;

	while (!stop && *length && ((end = memchr(line, '\n', *length)) || at_end)) {
		size_t used = end ? (size_t)(end - line) + 1 : *length;
		line[end ? used - 1 : used] = '\0';
		stop = each(line, context);
		line += used;
		*length -= used;
	}
	return stop;
}

static int each_line_of(int fd, int (*each)(char *line, void *context), void *context)
{
	char buffer[MAX_LINE];
	size_t length = 0;
	int stop = fd < 0 ? fd : 0;
	ssize_t got = 1;

	while (!stop && got) {
		size_t held;
		if (length == sizeof(buffer) - 1) {
			stop = -EFBIG;
			break;
		}
		got = sys_read(fd, buffer + length, sizeof(buffer) - 1 - length);
		if (got == -EINTR)
			continue;
		if (got < 0) {
			stop = got;
			break;
		}
		length += got;
		held = length;
		stop = give_lines(buffer, &length, got == 0, each, context);
		memmove(buffer, buffer + held - length, length);
	}
	if (fd >= 0)
		sys_close(fd);
	return stop;
}

int file_each_line(const char *path, int (*each)(char *line, void *context), void *context)
{
	return each_line_of(open_file(path), each, context);
}

int file_each_line_here(const char *path, int (*each)(char *line, void *context), void *context)
{
	return each_line_of(sys_open(path, READ_FLAGS, 0), each, context);
}
