/* descriptor.c: whole writes to a descriptor, in bounded time, the first error kept. */
#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "capacity.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/descriptor.h"

#define PATIENCE_NS SECONDS(60)    /* with a reader that does not read: a paused terminal, a full pipe */
#define INTERRUPTED_NS SECONDS(2)  /* once a signal has asked us to end */
enum { CHUNK_BYTES = 4096 };       /* what a pipe that is ready takes without blocking */

/* 0; -ETIMEDOUT when nobody takes it. */
static int wait_for_room(int fd, uint64_t *deadline_ns)
{
	struct pollfd poll = { .fd = fd, .events = POLLOUT };
	uint64_t now_ns;
	int ready;

	for (;;) {
		now_ns = clock_now_ns();
		if (now_ns >= *deadline_ns)
			return -ETIMEDOUT;
		ready = sys_poll(&poll, 1, (int)((*deadline_ns - now_ns) / MS(1)) + 1);
		if (ready == -EINTR && now_ns + INTERRUPTED_NS < *deadline_ns)
			*deadline_ns = now_ns + INTERRUPTED_NS;
		else if (ready && ready != -EINTR)
			return 0;
	}
}

static int write_all(struct output *output, const char *bytes, size_t count)
{
	struct descriptor *descriptor = (struct descriptor *)output;
	uint64_t deadline_ns = clock_now_ns() + PATIENCE_NS;

	while (count && !descriptor->error) {
		size_t chunk = count < CHUNK_BYTES ? count : CHUNK_BYTES;

		descriptor->error = wait_for_room(descriptor->fd, &deadline_ns);
		if (!descriptor->error)
			descriptor->error = sys_write_all(descriptor->fd, bytes, chunk);
		bytes += chunk;
		count -= chunk;
	}
	return descriptor->error;
}

static int flush(struct output *output)
{
	struct descriptor *descriptor = (struct descriptor *)output;
	int err = sys_fsync(descriptor->fd);

	/* A pipe or a terminal has no disk to reach. */
	if (!descriptor->error && err && err != -EINVAL && err != -EROFS)
		descriptor->error = err;
	return descriptor->error;
}

void descriptor_init(struct descriptor *descriptor, int fd)
{
	*descriptor = (struct descriptor){ .output = { write_all, flush }, .fd = fd };
}

bool descriptor_is_terminal(int fd)
{
	struct termios settings;

	return sys_ioctl(fd, TCGETS, &settings) == 0;
}
