/*
 * root.h: walking a path as the board would, below the folder that --sysroot gave.  Of file.c and capture.c only.
 *
 * The sysroot is the root of the walk: `..` stops there, an absolute link begins there, so that nothing outside it is
 * ever looked at.
 */
#ifndef ROOT_H
#define ROOT_H

#include <stdbool.h>
#include <stddef.h>

int root_set(const char *folder);           /* "" is /; 0 or -errno */
bool root_is_set(void);

/* Resolves all links of a path that exists: canonical, absolute, without the sysroot.  Each link on the way is handed
 * to passed (may be NULL) with its own place and its target.  0 or -errno. */
int root_walk(const char *path, char *canonical, size_t size, void (*passed)(const char *at, const char *target));

/* The path on this machine of a canonical one: 0 or -ENAMETOOLONG. */
int root_path(const char *canonical, char *to, size_t size);
int root_open(const char *canonical, int flags);
int root_readlink(const char *canonical, char *to, size_t size); /* 0 or -errno; -EINVAL: no link */

#endif
