/* mounts.h: the file systems that a run reads, below / as it is given. */
#ifndef INIT_MOUNTS_H
#define INIT_MOUNTS_H

/* Mounts proc, sysfs, devtmpfs, debugfs, and memory for /run, /tmp and /dev/shm.  What is mounted already stays as it is;
 * what cannot be mounted is named on the console, and the run goes on and says what it misses. */
void mounts_make(void);

#endif
