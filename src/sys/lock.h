/*
 * lock.h: one instance at a time holds the machine.
 *
 * The lock is a flock(2) on the folder "/": it needs no file, works on read-only roots and for every user, and ends
 * with the last process that holds *fd open; a child that shall not hold it closes its copy.
 */
#ifndef LOCK_H
#define LOCK_H

#include <sys/types.h>

/* 0 and *fd; -EWOULDBLOCK when another instance has it, with its process in *holder (0: not told); or -errno. */
int lock_take(int *fd, pid_t *holder);

#endif
