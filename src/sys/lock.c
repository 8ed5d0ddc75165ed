/* lock.c: see lock.h.  Method: proc(5), /proc/locks: `1: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE 0 EOF`. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/lock.h"

enum { FLOCK_EXCLUSIVE = 2, FLOCK_NO_WAIT = 4 }; /* LOCK_EX, LOCK_NB: libc's sys/file.h is hidden by our own */

struct lock_search { struct stat place; pid_t holder; };

static int find_holder(char *line, void *context)
{
	struct lock_search *search = context;
	const char *kind, *way;
	char *pid, *numbers, *inode;
	uint64_t holder, found;
	uint32_t from, to;

	text_word(&line);
	kind = text_word(&line);
	text_word(&line);
	way = text_word(&line);
	pid = text_word(&line);
	numbers = text_word(&line);
	inode = strrchr(numbers, ':');
	if (strcmp(kind, "FLOCK") || strcmp(way, "WRITE") || !inode)
		return 0;
	*inode++ = '\0';
	if (number_parse(pid, &holder) || number_parse_pair(numbers, 16, &from, &to) || number_parse(inode, &found))
		return 0;
	if (from != major(search->place.st_dev) || to != minor(search->place.st_dev) || found != search->place.st_ino)
		return 0;
	search->holder = (pid_t)holder;
	return 1;
}

int lock_take(int *fd, pid_t *holder)
{
	struct lock_search search = { .holder = 0 };
	int err, folder = sys_open("/", O_RDONLY | O_DIRECTORY, 0);

	*fd = -1;
	*holder = 0;
	if (folder < 0)
		return folder;
	err = sys_flock(folder, FLOCK_EXCLUSIVE | FLOCK_NO_WAIT);
	if (!err) {
		*fd = folder;
		return 0;
	}
	if (err == -EWOULDBLOCK && !fstat(folder, &search.place)) {
		file_each_line_here("/proc/locks", find_holder, &search);
		*holder = search.holder;
	}
	sys_close(folder);
	return err;
}
