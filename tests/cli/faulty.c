/*
 * faulty.c: a FUSE file system with one file, `disk`, that is a drive with a fault.
 *
 *     faulty MOUNTPOINT SIZE_MIB KIND BYTE
 *
 * KIND, at or from BYTE on:
 *   none   a good drive
 *   flip   reading gives one wrong bit there
 *   wrap   it is only BYTE bytes large, and what lies behind wraps around
 *   alias  the address bits that are set in BYTE are ignored
 *   stray  reading the 4 KiB there gives those 8 KiB behind
 *   stale  from there on, what was written once stays as it is
 *   zero   from there on, reading gives zeros
 *   end    from there on, reading fails
 *   worn   from there on, reading fails in the second half of each MiB
 *   drop   writes to the 4 KiB there are forgotten
 *   tear   of the 4 KiB there only the first half is written
 *   eio    reading there fails
 *   full   writing there fails
 *   space  writing there finds no space
 *   mute   writing there fails, and from the first write on reading is not taken at all
 *   short  reading there ends there
 *   vanish the BYTE-th read or write, and every one behind it, finds no device
 *   hang   reading there takes 14 s
 *   rate   a good drive that reads BYTE bytes a second, at any depth
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *data;
static bool written;
static uint64_t size, place;
static const char *kind;

static bool is(const char *word) { return !strcmp(kind, word); }
static bool covers(off_t offset, size_t count) { return (uint64_t)offset <= place && place < (uint64_t)offset + count; }

static bool has_vanished(void)
{
	static uint64_t count;

	return is("vanish") && ++count >= place;
}

static int get_attributes(const char *path, struct stat *status, struct fuse_file_info *info)
{
	(void)info;
	memset(status, 0, sizeof *status);
	if (!strcmp(path, "/")) {
		status->st_mode = S_IFDIR | 0755;
		status->st_nlink = 2;
		return 0;
	}
	if (strcmp(path, "/disk"))
		return -ENOENT;
	status->st_mode = S_IFREG | 0600;
	status->st_nlink = 1;
	status->st_size = (off_t)size;
	status->st_blocks = (blkcnt_t)(size / 512);
	return 0;
}

static int open_disk(const char *path, struct fuse_file_info *info)
{
	if (strcmp(path, "/disk"))
		return -ENOENT;
	info->direct_io = 1;
	return 0;
}

/* Where the sector of this address really lies. */
static uint64_t real(uint64_t at)
{
	if (is("wrap"))
		return at % place;
	return is("alias") ? at & ~place : at;
}

/* The part of the sector at offset that lies within count. */
static size_t part(off_t offset, size_t count)
{
	size_t left = 512 - (size_t)offset % 512;

	return left < count ? left : count;
}

static void read_part(char *to, uint64_t at, size_t count)
{
	if (is("zero") && at >= place)
		memset(to, 0, count);
	else if (is("stray") && at / 4096 == place / 4096)
		memcpy(to, data + at + 8192, count);
	else
		memcpy(to, data + real(at), count);
}

/* One after another, each as long as its bytes take; what was idle for up to 2 ms is made up for. */
static void pace(size_t count)
{
	static long long due_ns;
	struct timespec now;
	long long now_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = now.tv_sec * 1000000000ll + now.tv_nsec;
	if (due_ns < now_ns - 2000000)
		due_ns = now_ns - 2000000;
	due_ns += (long long)(count * 1000000000ull / place);
	now = (struct timespec){ due_ns / 1000000000, due_ns % 1000000000 };
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL);
}

static int read_disk(const char *path, char *to, size_t count, off_t offset, struct fuse_file_info *info)
{
	(void)path, (void)info;
	if ((is("eio") && covers(offset, count)) || (is("end") && (uint64_t)offset + count > place))
		return -EIO;
	if (is("worn") && (uint64_t)offset >= place && (offset % (1 << 20) + count) > 1 << 19)
		return -EIO;
	if (has_vanished())
		return -ENODEV;
	if (is("short") && covers(offset, count))
		count = place - (uint64_t)offset;
	if (is("mute") && written)
		return -EINVAL;
	if (is("hang") && covers(offset, count))
		sleep(14);
	if (is("rate")) {
		memcpy(to, data + offset, count);
		pace(count);
		return (int)count;
	}
	for (size_t done = 0, step; done < count; done += step) {
		step = part(offset + (off_t)done, count - done);
		read_part(to + done, (uint64_t)offset + done, step);
	}
	if (is("flip") && covers(offset, count))
		to[place - (uint64_t)offset] ^= 4;
	return (int)count;
}

/* Does the sector there keep what it has? */
static bool is_kept(uint64_t at)
{
	static bool kept; /* a block as a whole: its first sector tells */

	if (is("stale")) {
		kept = at % 4096 ? kept : at >= place && data[at];
		return kept;
	}
	return at / 4096 == place / 4096 && (is("drop") || (is("tear") && at % 4096 >= 2048));
}

static int write_disk(const char *path, const char *from, size_t count, off_t offset, struct fuse_file_info *info)
{
	(void)path, (void)info;
	written = true;
	if (has_vanished())
		return -ENODEV;
	if ((is("full") || is("mute")) && covers(offset, count))
		return -EIO;
	if (is("space") && covers(offset, count))
		return -ENOSPC;
	for (size_t done = 0, step; done < count; done += step) {
		uint64_t at = (uint64_t)offset + done;

		step = part((off_t)at, count - done);
		if (!is_kept(at))
			memcpy(data + real(at), from + done, step);
	}
	return (int)count;
}

static int sync_disk(const char *path, int only_data, struct fuse_file_info *info)
{
	(void)path, (void)only_data, (void)info;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct fuse_operations operations = {
		.getattr = get_attributes, .open = open_disk, .read = read_disk, .write = write_disk, .fsync = sync_disk,
	};
	char *options[] = { argv[0], "-f", "-s", argv[1], NULL };

	if (argc != 5)
		return 2;
	size = strtoull(argv[2], NULL, 10) << 20;
	kind = argv[3];
	place = strtoull(argv[4], NULL, 10);
	data = calloc(1, size);
	return data ? fuse_main(4, options, &operations, NULL) : 1;
}
