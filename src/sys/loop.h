/*
 * loop.h: a regular file as a raw block device.
 *
 * The device lives as long as its fd is open somewhere in the process tree and is gone after that, SIGKILL included:
 * the kernel clears it at the last close (autoclear).  No node is made in /dev.
 */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>

struct loop {
	char name[32];     /* "loop0" */
	char path[40];     /* "/dev/loop0" */
	int fd;
	bool direct_io;    /* granted by the kernel: the file's cache is not used a second time */
};

/* 0; -ENOENT when the file is not there, -EINVAL when it is no regular one; -ENODEV when /dev/loop-control or the
 * device's node is not there; -EBUSY when no device stays free; else -errno (EPERM, EACCES: not root). */
int loop_attach(const char *file, bool read_only, struct loop *loop);
void loop_detach(struct loop *loop); /* closes the fd */

#endif
