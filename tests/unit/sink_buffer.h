/* sink_buffer.h: an output that keeps what a sink writes, as a string. */
#ifndef SINK_BUFFER_H
#define SINK_BUFFER_H

#include <string.h>

#include "lib/output.h"

struct buffer { struct output output; char bytes[128 << 10]; size_t size; };

static int keep(struct output *output, const char *bytes, size_t count)
{
	struct buffer *buffer = (struct buffer *)output;

	memcpy(buffer->bytes + buffer->size, bytes, count);
	buffer->size += count;
	buffer->bytes[buffer->size] = 0;
	return 0;
}

static struct buffer buffer = { .output = { .write = keep } };

#endif
