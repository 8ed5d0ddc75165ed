/*
 * output.h: where bytes go, for those who format and know nothing of Linux: a descriptor (sys/descriptor.h), a buffer in a test.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stddef.h>

struct output {
	/* All bytes, or -errno; after an error nothing more is written, and the same error returned. */
	int (*write)(struct output *output, const char *bytes, size_t count);
	/* Brings what was written to where it stays: 0 or -errno.  NULL: it is there already. */
	int (*flush)(struct output *output);
};

#endif
