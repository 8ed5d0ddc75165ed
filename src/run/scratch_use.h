/* scratch_use.h: who else uses what a scratch argument names, or the disk that it lies on. */
#ifndef SCRATCH_USE_H
#define SCRATCH_USE_H

#include <stdbool.h>
#include <sys/stat.h>

bool scratch_is_swap(const struct stat *file);
bool scratch_has_loop(const struct stat *file, char loop[32]); /* the first loop device over it */

/*
 * Does a file system (its st_dev) lie on the disk that this partition is of, be it through md, dm or LUKS?  False when
 * nothing can be told: a file system without a block device, or with a number of its own (btrfs, overlay, tmpfs).
 */
bool scratch_shares_disk(dev_t partition, dev_t file_system);
bool scratch_serves_root(dev_t partition);

#endif
