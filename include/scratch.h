/*
 * scratch.h: the one place that a run may write to.
 *
 * The --scratch argument is a file, a loop device over one, a partition whose name in its GPT is assay-scratch, or `auto`
 * for the one such partition.  Refused: what is not there (nothing is ever created), a whole disk, another partition, what
 * is mounted, swapped on or held, what is read-only or below 16 MiB, and whatever holds data that assay did not write.
 *
 * It is held by `fd`, exclusively, from the check to the end.  A step uses that very descriptor, by pread and pwrite:
 * opening the device anew would meet the exclusive hold.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"

/*
 * Every block that assay writes to a scratch begins with these bytes, so that data of somebody else's is told apart.
 */
#define SCRATCH_MAGIC "\x89" "assay\x1a\x01"
enum { SCRATCH_MAGIC_BYTES = 8, SCRATCH_BLOCK_BYTES = 4096 };

struct scratch {
	char given[MAX_PATH];         /* the argument; "auto" */
	char node[MAX_PATH];          /* what is read and written: the file, or the device's node */
	char name[32];                /* the device's kernel name, "scratch file" for a file */
	char note[160];               /* what people should know of the way it is tested; "" */
	int fd;                       /* read and write, with O_DIRECT when `direct` */
	int file_fd;                  /* the file behind it, also behind a loop device; -1: none */
	uint64_t size_bytes;          /* whole SCRATCH_BLOCK_BYTES */
	uint32_t logical_block_bytes; /* the least that direct I/O does */
	bool direct;                  /* false: through the page cache */
};

/* The checks, with the descriptor left open and held.  Nothing is changed.  0; or -EINVAL with one line in fault that
 * names the thing, the cause and the way out. */
int scratch_check(const char *argument, struct scratch *scratch, char *fault, unsigned fault_size);

/* The same; and a file becomes a loop device where that is permitted, so that a raw block device is tested. */
int scratch_open(const char *argument, struct scratch *scratch, char *fault, unsigned fault_size);

void scratch_close(struct scratch *scratch);

struct ctx;
const struct scratch *ctx_scratch(const struct ctx *ctx); /* NULL: none was given */

#endif
