/*
 * capture.h: the copy of what file.c reads, as a tree that --sysroot takes.  Of file.c only.
 *
 * Paths are canonical ones (root.h).  A file is copied whole when it is first read; links keep their target; the
 * entries of a folder that was listed are there too, their files empty until one is read.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>

int capture_start(const char *folder, bool scrub); /* 0 or -errno */
int capture_end(void);                             /* 0 or the first fault, -errno */
bool capture_is_on(void);

void capture_file(const char *canonical);
void capture_link(const char *at, const char *target);
void capture_entry(const char *canonical);         /* a link, a folder, or a file without its content */

#endif
