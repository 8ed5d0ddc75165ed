/* scratch_content.c: see scratch_content.h. */
#include "run/scratch_content.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "scratch.h"
#include "sys/call.h"
#include "sys/map.h"

enum { END_BYTES = 1 << 20, PLACES = 64 };

static bool is_nobodys(const char *block)
{
	if (!memcmp(block, SCRATCH_MAGIC, SCRATCH_MAGIC_BYTES))
		return true;
	return !block[0] && !memcmp(block, block + 1, SCRATCH_BLOCK_BYTES - 1);
}

static int sample(int fd, char *buffer, uint64_t from_bytes, size_t bytes, uint64_t *at_bytes)
{
	ssize_t count = sys_pread(fd, buffer, bytes, from_bytes);

	*at_bytes = from_bytes;
	if (count != (ssize_t)bytes)
		return count < 0 ? (int)count : -EIO;
	for (size_t i = 0; i < bytes; i += SCRATCH_BLOCK_BYTES) {
		*at_bytes = from_bytes + i;
		if (!is_nobodys(buffer + i))
			return -EEXIST;
	}
	return 0;
}

int scratch_content(int fd, uint64_t size_bytes, uint64_t *at_bytes)
{
	uint64_t stride_bytes = (size_bytes - 2 * END_BYTES) / PLACES / SCRATCH_BLOCK_BYTES * SCRATCH_BLOCK_BYTES;
	void *buffer;
	int err = map_memory(END_BYTES, MAP_PAGE_SMALL, &buffer);

	if (err)
		return err;
	err = sample(fd, buffer, 0, END_BYTES, at_bytes);
	for (uint64_t i = 0; i < PLACES && !err; i++)
		err = sample(fd, buffer, END_BYTES + i * stride_bytes, SCRATCH_BLOCK_BYTES, at_bytes);
	if (!err)
		err = sample(fd, buffer, size_bytes - END_BYTES, END_BYTES, at_bytes);
	unmap_memory(buffer, END_BYTES);
	return err;
}
