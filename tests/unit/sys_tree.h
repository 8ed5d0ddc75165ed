/* sys_tree.h: a made-up root for the tests of sys/: a folder of its own below /tmp, removed by tree_end. */
#ifndef SYS_TREE_H
#define SYS_TREE_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree[64];

static inline void tree_start(void)
{
	strcpy(tree, "/tmp/assay-unit.XXXXXX");
	if (!mkdtemp(tree))
		abort();
}

static inline const char *tree_path(const char *path)
{
	static char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s", tree, path);
	return whole;
}

static inline void tree_folders(const char *path)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s", tree_path(path));
	for (char *slash = whole + strlen(tree); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
}

static inline void tree_put_bytes(const char *path, const char *bytes, size_t count)
{
	FILE *file;

	tree_folders(path);
	file = fopen(tree_path(path), "w");
	if (!file || fwrite(bytes, 1, count, file) != count || fclose(file))
		abort();
}

static inline void tree_put(const char *path, const char *content)
{
	tree_put_bytes(path, content, strlen(content));
}

static inline void tree_link(const char *path, const char *target)
{
	tree_folders(path);
	if (symlink(target, tree_path(path)))
		abort();
}

/* The content of a file of the tree; "(none)" when it is not there. */
static inline const char *tree_get(const char *path)
{
	static char content[4096];
	FILE *file = fopen(tree_path(path), "r");
	size_t length;

	if (!file)
		return "(none)";
	length = fread(content, 1, sizeof(content) - 1, file);
	content[length] = '\0';
	fclose(file);
	return content;
}

static inline void tree_end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", tree);
	if (system(command))
		abort();
}

/*
 * Lays a folder of the tree over one of the machine's, for this process alone, until tree_off.  False where that is not
 * allowed (not root): what is read "here", whatever the sysroot says, can not be made up then.
 */
static inline bool tree_over(const char *path, const char *place)
{
	static bool is_own;

	if (!is_own && (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)))
		return false;
	is_own = true;
	return !mount(tree_path(path), place, NULL, MS_BIND, NULL);
}

static inline void tree_off(const char *place)
{
	if (umount(place))
		abort();
}

#endif
