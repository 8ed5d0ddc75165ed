/* mounts.h: the file systems that a run reads, below / as it is given. */
#ifndef INIT_MOUNTS_H
#define INIT_MOUNTS_H

#include <stdbool.h>

/* Mounts proc, sysfs, devtmpfs, debugfs, and memory for /run, /tmp and /dev/shm.  What is mounted already stays as it is;
 * what cannot be mounted is named on the console, and the run goes on and says what it misses.
 * In a container (not owns_machine), whose folders may be the host's, nothing is hidden: no folder that holds anything is
 * mounted over, and a folder that was there before gets no memory. */
void mounts_make(bool owns_machine);

#endif
