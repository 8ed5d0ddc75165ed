/*
 * scratch_open.h: checking and opening the --scratch argument.
 *
 * It is a file, a loop device over one, a partition whose name in its GPT is assay-scratch, or `auto` for the one such
 * partition.  Refused: what is not there (nothing is ever created), a whole disk, another partition, what is mounted,
 * swapped on or held, a partition of the disk that the system runs from, what is read-only or below 16 MiB, what does not
 * answer, and whatever holds data that assay did not write.
 */
#ifndef SCRATCH_OPEN_H
#define SCRATCH_OPEN_H

#include "scratch.h"

/* The checks, with the descriptor left open and held.  Nothing is changed.  0; or -EINVAL with one line in fault that
 * names the thing, the cause and the way out. */
int scratch_check(const char *argument, struct scratch *scratch, char *fault, unsigned fault_size);

/* The same; and a file becomes a loop device where that is permitted, so that a raw block device is tested. */
int scratch_open(const char *argument, struct scratch *scratch, char *fault, unsigned fault_size);

void scratch_close(struct scratch *scratch);

#endif
