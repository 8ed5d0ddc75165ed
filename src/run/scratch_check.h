/* scratch_check.h: what the two halves of the check of a scratch share: scratch.c (files, and all together), scratch_device.c. */
#ifndef SCRATCH_CHECK_H
#define SCRATCH_CHECK_H

#include <sys/stat.h>

#include "lib/text.h"
#include "scratch.h"

struct opening {
	struct scratch *scratch;
	const char *destroy;         /* the serial number that gives a drive up; "" */
	struct stat status;          /* of the argument, before it was opened */
	struct text fault;
	bool busy;                   /* held by what a run that was killed may have left: the kernel frees it in a moment */
};

#define SCRATCH_LABEL "assay-scratch"
#define SCRATCH_CACHED "through the page cache of the file: speeds are the memory's"

/* Writes the fault: -EINVAL. */
int scratch_refuse(struct opening *opening, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens what was looked at, and nothing else: 0 or -EINVAL. */
int scratch_open_checked(struct opening *opening, int flags);
/* Takes whole blocks of it: 0; -EINVAL when that is too small. */
int scratch_take_size(struct opening *opening, uint64_t size_bytes);
/* Looks at what lies there: 0; -EINVAL for others' data that was not given up. */
int scratch_check_content(struct opening *opening, bool is_file);

/* All of a block device's checks, and opening it. */
int scratch_check_device(struct opening *opening);

#endif
