/* scratch_content.c: see scratch_content.h. */
#include "run/scratch_content.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch_block.h"
#include "sys/call.h"
#include "sys/map.h"

enum { END_BYTES = 1 << 20, PLACES = 64, MAX_DESCRIPTORS = 1024 };

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

struct answer {
	int err;
	uint64_t at_bytes;
};

/* Nothing of the caller's stays open in it but what it needs: stuck in the kernel, it would hold its lock and its output. */
static void look(int fd, uint64_t size_bytes, int answer_fd)
{
	struct answer answer = { .at_bytes = 0 };

	for (int other = 0; other < MAX_DESCRIPTORS; other++)
		if (other != fd && other != answer_fd)
			close(other);
	answer.err = scratch_content(fd, size_bytes, &answer.at_bytes);
	sys_write_all(answer_fd, &answer, sizeof answer);
	_exit(0);
}

int scratch_content_in_time(int fd, uint64_t size_bytes, int time_ms, uint64_t *at_bytes)
{
	struct answer answer = { .err = -ETIMEDOUT };
	struct pollfd wait = { .events = POLLIN };
	int ends[2], err = sys_pipe(ends);
	pid_t pid;

	if (err)
		return err;
	pid = sys_fork();
	if (!pid)
		look(fd, size_bytes, ends[1]);
	sys_close(ends[1]);
	wait.fd = ends[0];
	if (pid < 0)
		answer.err = pid;
	else if (sys_poll(&wait, 1, time_ms) > 0 && sys_read(ends[0], &answer, sizeof answer) != sizeof answer)
		answer.err = -EIO;
	/* One that is stuck ends when its drive answers: it is not waited for. */
	if (pid > 0) {
		sys_kill(pid, SIGKILL);
		sys_waitpid(pid, NULL, answer.err == -ETIMEDOUT ? WNOHANG : 0);
	}
	sys_close(ends[0]);
	*at_bytes = answer.at_bytes;
	return answer.err;
}
