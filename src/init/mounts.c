/* mounts.c: see mounts.h. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "capacity.h"
#include "init/console.h"
#include "init/mounts.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"

#define QUIET (MS_NOSUID | MS_NOEXEC | MS_NODEV)

static const struct mount { const char *type, *target; unsigned long flags; const char *data; } mounts[] = {
	{ "proc", "/proc", QUIET, NULL },
	{ "sysfs", "/sys", QUIET, NULL },
	{ "devtmpfs", "/dev", MS_NOSUID | MS_NOEXEC, NULL },
	{ "debugfs", "/sys/kernel/debug", QUIET, NULL },
	{ "tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755" },
	{ "tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "mode=1777" },
	{ "tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777" },
};

/* A second memory file system would hide the first, without an error. */
static bool is_mounted(const char *path)
{
	char above[64];
	struct text parent = TEXT(above);
	struct stat here, there;

	text_add_format(&parent, "%s/..", path);
	return !stat(path, &here) && !stat(above, &there) && here.st_dev != there.st_dev;
}

static int stop_at_first(const char *name, void *context)
{
	(void)name;
	(void)context;
	return 1;
}

/* Somebody else may see and use the folder. */
static bool is_in_use(const struct mount *mount, bool made)
{
	return !made && (!strcmp(mount->type, "tmpfs") || file_each(mount->target, stop_at_first, NULL) == 1);
}

void mounts_make(bool owns_machine)
{
	for (unsigned i = 0; i < COUNT_OF(mounts); i++) {
		const struct mount *m = &mounts[i];
		bool made = sys_mkdir(m->target, 0755) == 0; /* or it is there already, or the mount says what is wrong */
		int err;

		if (is_mounted(m->target) || (!owns_machine && is_in_use(m, made)))
			continue;
		err = sys_mount(m->type, m->target, m->type, m->flags, m->data);
		if (err && err != -EBUSY)
			console_say("%s could not be mounted: %s", m->target, sys_error(err));
	}
}
