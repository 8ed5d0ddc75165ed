/* scratch_use.h: who else uses what a scratch argument names, or the disk that it lies on. */
#ifndef SCRATCH_USE_H
#define SCRATCH_USE_H

#include <stdbool.h>
#include <sys/stat.h>

bool scratch_is_swap(const struct stat *file);
bool scratch_has_loop(const struct stat *file, char loop[32]); /* the first loop device over it */

/*
 * Does a file system (the device that it lies on) lie on the disk that this device is, or is a partition of, be it through
 * md, dm or LUKS?
 */
bool scratch_shares_disk(dev_t device, dev_t file_system);
/* The same of the file system that an open file lies on; where its own number says nothing (btrfs), by what was mounted.
 * False where no block device is behind it (overlay, tmpfs, nfs). */
bool scratch_shares_file(dev_t device, int fd);

/*
 * Is it of the disk that this system runs from: what serves /, /usr or /boot, or what the kernel was told as its root?
 * 1; 0; -ENOTUNIQ when the kernel's word (in word) names it in a way that cannot be resolved here, and / has no device either.
 */
int scratch_serves_system(dev_t device, char word[64]);

#endif
