/* descriptor.h: an output that writes to a file descriptor. */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include <stdbool.h>

#include "lib/output.h"

struct descriptor {
	struct output output;
	int fd;
	int error;   /* the first -errno; nothing is written behind it */
};

void descriptor_init(struct descriptor *descriptor, int fd);
bool descriptor_is_terminal(int fd);

#endif
