/*
 * scratch.h: the one place that a run may write to, as a step gets it; or the device that a command was given.
 *
 * It is held by `fd`, exclusively, from the check (run/scratch_open.h) to the end.  A step uses that very descriptor, by pread
 * and pwrite: opening the device anew would meet the exclusive hold.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"

struct scratch {
	char given[MAX_PATH];         /* the argument; "auto" */
	char node[MAX_PATH];          /* what is read and written: the file, or the device's node */
	char name[32];                /* the device's kernel name, "scratch file" for a file */
	char role[32];                /* of its figures: "scratch", or the device's kernel name when a command names it */
	char note[160];               /* what people should know of the way it is tested; "" */
	int fd;                       /* read and write, with O_DIRECT when `direct` */
	int file_fd;                  /* the file behind it, also behind a loop device; -1: none */
	uint64_t size_bytes;          /* whole SCRATCH_BLOCK_BYTES */
	uint64_t device_bytes;        /* all of it when it was checked, its odd end included; 0: not told */
	uint64_t disk_sequence;       /* of a block device then; 0: not known */
	uint32_t logical_block_bytes; /* the least that direct I/O does */
	bool direct;                  /* false: through the page cache */
	bool read_only;               /* a command's device that is only read: nobody checked that it may be written */
	bool only;                    /* a command's one device: no other is looked at */
	bool destroyed;               /* given up by --destroy */
	bool foreign;                 /* and it held others' data: what is read of it is nobody's business */
};

struct ctx;
const struct scratch *ctx_scratch(const struct ctx *ctx); /* NULL: none was given */

#endif
