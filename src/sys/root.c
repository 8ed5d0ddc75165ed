/* root.c: see root.h.  openat2 would do, from kernel 5.6 on; a walk of our own also tells which links were passed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/root.h"

enum { MAX_LINKS = 40 };

static char root[MAX_PATH];

int root_set(const char *folder)
{
	int fd;

	if (*folder) {
		fd = sys_open(folder, O_RDONLY | O_DIRECTORY, 0);
		if (fd < 0)
			return fd;
		sys_close(fd);
	}
	if (strlen(folder) >= sizeof(root))
		return -ENAMETOOLONG;
	text_copy(root, sizeof(root), folder);
	for (size_t length = strlen(root); length && root[length - 1] == '/'; length--)
		root[length - 1] = '\0';
	return 0;
}

bool root_is_set(void)
{
	return root[0] != '\0';
}

int root_path(const char *canonical, char *to, size_t size)
{
	return text_format(to, size, "%s%s", root, *canonical ? canonical : "/") ? 0 : -ENAMETOOLONG;
}

int root_open(const char *canonical, int flags)
{
	char path[2 * MAX_PATH];
	int err = root_path(canonical, path, sizeof(path));

	return err ? err : sys_open(path, flags | O_NOFOLLOW, 0);
}

int root_readlink(const char *canonical, char *to, size_t size)
{
	char path[2 * MAX_PATH];
	long length = root_path(canonical, path, sizeof(path));

	if (!length)
		length = sys_call(SYS_readlinkat, AT_FDCWD, path, to, size);
	if (length < 0)
		return length;
	if ((size_t)length >= size)
		return -ENAMETOOLONG;
	to[length] = '\0';
	return 0;
}

static void leave_folder(char *canonical)
{
	char *slash = strrchr(canonical, '/');

	if (slash)
		*slash = '\0';
}

/* Moves the first component of rest behind canonical; -ENAMETOOLONG, else its length, 0 at the end. */
static int take_component(char *canonical, size_t size, char *rest)
{
	char *from = rest + strspn(rest, "/");
	size_t length = strcspn(from, "/"), done = strlen(canonical);

	if (length && done + 1 + length >= size)
		return -ENAMETOOLONG;
	if (length) {
		canonical[done] = '/';
		memcpy(canonical + done + 1, from, length);
		canonical[done + 1 + length] = '\0';
	}
	memmove(rest, from + length, strlen(from + length) + 1);
	return length;
}

static int follow(char *canonical, char *rest, const char *target)
{
	char longer[MAX_PATH]; /* no longer than rest */

	if (!text_format(longer, sizeof(longer), "%s/%s", target, rest))
		return -ENAMETOOLONG;
	memcpy(rest, longer, strlen(longer) + 1);
	if (*target == '/')
		*canonical = '\0';
	else
		leave_folder(canonical);
	return 0;
}

int root_walk(const char *path, char *canonical, size_t size, void (*passed)(const char *at, const char *target))
{
	char rest[MAX_PATH], target[MAX_PATH];
	unsigned links = 0;
	int err;

	if (!text_copy(rest, sizeof(rest), path))
		return -ENAMETOOLONG;
	*canonical = '\0';
	while ((err = take_component(canonical, size, rest)) > 0) {
		const char *name = strrchr(canonical, '/') + 1;
		if (!strcmp(name, ".") || !strcmp(name, "..")) {
			bool up = name[1] == '.';
			leave_folder(canonical);
			if (up)
				leave_folder(canonical);
			continue;
		}
		err = root_readlink(canonical, target, sizeof(target));
		if (err == -EINVAL)
			continue;
		if (err)
			return err;
		if (++links > MAX_LINKS)
			return -ELOOP;
		if (passed)
			passed(canonical, target);
		err = follow(canonical, rest, target);
		if (err)
			return err;
	}
	return err;
}
