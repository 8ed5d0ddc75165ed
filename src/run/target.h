/*
 * target.h: the device that a command is given, opened for reading alone: `assay block DEV`, `assay study NAME DEV`.
 *
 * A block device, or a file, which is then labelled so (role=file).  Nothing is ever made: a mistyped name under /dev must not
 * become a file in memory that scores 4 GB/s.  What is to be written to is opened as a scratch instead, see scratch_open.h.
 */
#ifndef TARGET_H
#define TARGET_H

#include "scratch.h"

/* 0; or -EINVAL with one line in fault that names the thing, the cause and the way out. */
int target_open(const char *path, struct scratch *target, char *fault, unsigned fault_size);

/* A scratch that a command was given becomes its one device, under its own name. */
void target_only(struct scratch *target);

#endif
