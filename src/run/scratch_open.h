/*
 * scratch_open.h: checking and opening the --scratch argument.
 *
 * It is a file, a loop device over one, a partition whose name in its GPT is assay-scratch, or `auto` for the one such
 * partition.  With `destroy`, the serial number of the drive that it lies on, it may be a whole disk, any partition, and
 * hold anybody's data; a drive without a serial number cannot be given up so.
 *
 * Refused in any case: what is not there (nothing is ever created), what is mounted, swapped on or held, or of the disk that
 * the system runs from, an eMMC's boot areas and RPMB, what is read-only or below 16 MiB, and what does not answer.
 */
#ifndef SCRATCH_OPEN_H
#define SCRATCH_OPEN_H

#include "scratch.h"

/* The checks, with the descriptor left open and held.  Nothing is changed.  destroy: "" for none.  0; or -EINVAL with one line in fault that
 * names the thing, the cause and the way out. */
int scratch_check(const char *argument, const char *destroy, struct scratch *scratch, char *fault, unsigned fault_size);

/* The same; and a file becomes a loop device where that is permitted, so that a raw block device is tested. */
int scratch_open(const char *argument, const char *destroy, struct scratch *scratch, char *fault, unsigned fault_size);

/* Before anything is written: is the device the one that was checked, and as large?  0; or -ENODEV with a line in fault. */
int scratch_recheck(const struct scratch *scratch, char *fault, unsigned fault_size);

void scratch_close(struct scratch *scratch);

#endif
