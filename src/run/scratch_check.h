/* scratch_check.h: what the parts of the check of a scratch share: scratch.c (files, and all together), scratch_device.c; and target.c. */
#ifndef SCRATCH_CHECK_H
#define SCRATCH_CHECK_H

#include <linux/fs.h>
#include <sys/stat.h>

#include "lib/text.h"
#include "scratch.h"

struct opening {
	struct scratch *scratch;
	const char *option;          /* before the argument in what is said: "--scratch ", "" */
	const char *destroy;         /* the serial number that gives a drive up; "" */
	struct stat status;          /* of the argument, before it was opened */
	struct text fault;
	bool busy;                   /* held by what a run that was killed may have left: the kernel frees it in a moment */
};

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t) /* from kernel 5.15 on */
#endif

#define SCRATCH_LABEL "assay-scratch"
#define SCRATCH_CACHED "through the page cache of the file: speeds are the memory's"

/* Writes the fault: -EINVAL. */
int scratch_refuse(struct opening *opening, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes the argument as what is read and written: 0 or -EINVAL. */
int scratch_take_name(struct opening *opening, const char *argument);
/* What is it?  Without opening it: 0 or -EINVAL. */
int scratch_look(struct opening *opening);
/* Opens what was looked at, and nothing else: 0 or -EINVAL. */
int scratch_open_checked(struct opening *opening, int flags);
/* The least that direct I/O does on the file system of this file. */
uint32_t scratch_direct_bytes(int fd);
/* Takes whole blocks of it: 0; -EINVAL when that is too small. */
int scratch_take_size(struct opening *opening, uint64_t size_bytes);
/* Looks at what lies there: 0; -EINVAL for others' data that was not given up. */
int scratch_check_content(struct opening *opening, bool is_file);

/* All of a block device's checks, and opening it. */
int scratch_check_device(struct opening *opening);

#endif
