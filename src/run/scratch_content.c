/* scratch_content.c: see scratch_content.h. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/interrupt.h"
#include "run/scratch_content.h"
#include "scratch_block.h"
#include "sys/call.h"
#include "sys/map.h"

enum { CHUNK_BYTES = 1 << 20, WHOLE_BYTES = 1 << 30, SECTOR_BYTES = 512, DAMAGED_BITS = 2, MAX_UNREADABLE = 64, PLACES = 4096, MAX_DESCRIPTORS = 1024 };

struct look {
	int fd;
	bool whole;
	char *buffer;
	unsigned unreadable;         /* blocks so far: beyond some the drive is broken, and every further one may take seconds */
	void (*progress)(void *context); /* NULL: nobody waits */
	void *context;
};

static unsigned set_bits(const char *sector)
{
	unsigned bits = 0;
	uint64_t word;

	for (size_t i = 0; i < SECTOR_BYTES; i += sizeof word) {
		memcpy(&word, sector + i, sizeof word);
		for (; word && bits <= DAMAGED_BITS; word &= word - 1)
			bits++;
	}
	return bits;
}

static bool has_magic(const char *at)
{
	return !memcmp(at, SCRATCH_MAGIC, SCRATCH_MAGIC_BYTES);
}

/* A block that begins with the magic, or sectors that do or are zeros; but for what a failing drive may have made of
 * zeros: it is verify that must find that, not we. */
static bool is_nobodys(const char *block)
{
	unsigned bits = 0;

	if (has_magic(block))
		return true;
	for (size_t i = 0; i < SCRATCH_BLOCK_BYTES && bits <= DAMAGED_BITS; i += SECTOR_BYTES)
		bits += has_magic(block + i) ? 0 : set_bits(block + i);
	return bits <= DAMAGED_BITS;
}

static int sample(struct look *look, uint64_t from_bytes, size_t bytes, uint64_t *at_bytes);

/* What cannot be read is a fault of the drive, for the steps to tell, and holds nothing that could be lost; but its neighbours do:
 * of a drive with many bad places at least one block of each chunk is looked at. */
static int sample_apart(struct look *look, uint64_t from_bytes, size_t bytes, uint64_t *at_bytes)
{
	int err = 0;

	for (size_t i = 0; i < bytes && !err && (!i || look->unreadable < MAX_UNREADABLE); i += SCRATCH_BLOCK_BYTES)
		err = sample(look, from_bytes + i, SCRATCH_BLOCK_BYTES, at_bytes);
	return err;
}

static int sample(struct look *look, uint64_t from_bytes, size_t bytes, uint64_t *at_bytes)
{
	ssize_t count = sys_pread(look->fd, look->buffer, bytes, from_bytes);

	if (look->progress)
		look->progress(look->context);
	*at_bytes = from_bytes;
	if ((count >= 0 && count != (ssize_t)bytes) || count == -EIO || count == -ENODATA) {
		look->unreadable += bytes == SCRATCH_BLOCK_BYTES;
		return bytes > SCRATCH_BLOCK_BYTES ? sample_apart(look, from_bytes, bytes, at_bytes) : 0;
	}
	if (count < 0)
		return (int)count;
	for (size_t i = 0; i < bytes; i += SCRATCH_BLOCK_BYTES) {
		*at_bytes = from_bytes + i;
		if (!is_nobodys(look->buffer + i))
			return -EEXIST;
	}
	return 0;
}

/* Blocks evenly spread from from_bytes on, and the last chunk. */
static int sample_rest(struct look *look, uint64_t from_bytes, uint64_t size_bytes, uint64_t *at_bytes)
{
	uint64_t stride_bytes = (size_bytes - from_bytes) / PLACES / SCRATCH_BLOCK_BYTES * SCRATCH_BLOCK_BYTES;
	int err = sample(look, size_bytes - CHUNK_BYTES, CHUNK_BYTES, at_bytes);

	for (uint64_t i = 0; i < PLACES && stride_bytes && !err; i++)
		err = sample(look, from_bytes + i * stride_bytes, SCRATCH_BLOCK_BYTES, at_bytes);
	return err;
}

static int look_through(struct look *look, uint64_t size_bytes, uint64_t *at_bytes)
{
	uint64_t whole_bytes = look->whole || size_bytes < WHOLE_BYTES ? size_bytes : WHOLE_BYTES, done_bytes = 0;
	void *buffer;
	int err = map_memory(CHUNK_BYTES, MAP_PAGE_SMALL, &buffer);

	if (err)
		return err;
	look->buffer = buffer;
	while (!err && done_bytes < whole_bytes) {
		uint64_t left_bytes = whole_bytes - done_bytes;
		size_t chunk_bytes = left_bytes < CHUNK_BYTES ? left_bytes : CHUNK_BYTES;

		err = sample(look, done_bytes, chunk_bytes, at_bytes);
		done_bytes += chunk_bytes;
	}
	if (!err && done_bytes < size_bytes)
		err = sample_rest(look, done_bytes, size_bytes, at_bytes);
	unmap_memory(buffer, CHUNK_BYTES);
	return err;
}

int scratch_content(int fd, bool is_file, uint64_t size_bytes, uint64_t *at_bytes)
{
	struct look look = { .fd = fd, .whole = is_file };

	return look_through(&look, size_bytes, at_bytes);
}

struct answer {
	int err;          /* -EINPROGRESS: it goes on */
	uint64_t at_bytes;
};

static void tell_progress(void *context)
{
	const struct answer answer = { .err = -EINPROGRESS };

	sys_write_all(*(int *)context, &answer, sizeof answer);
}

/* Nothing of the caller's stays open in it but what it needs: stuck in the kernel, it would hold its lock and its output. */
static void look_as_child(int fd, bool is_file, uint64_t size_bytes, int answer_fd)
{
	struct look look = { .fd = fd, .whole = is_file, .progress = tell_progress, .context = &answer_fd };
	struct answer answer = { .at_bytes = 0 };

	for (int other = 0; other < MAX_DESCRIPTORS; other++)
		if (other != fd && other != answer_fd)
			close(other);
	answer.err = look_through(&look, size_bytes, &answer.at_bytes);
	sys_write_all(answer_fd, &answer, sizeof answer);
	_exit(0);
}

int scratch_content_in_time(int fd, bool is_file, uint64_t size_bytes, int time_ms, uint64_t *at_bytes)
{
	struct answer answer = { .err = -ETIMEDOUT };
	struct pollfd wait = { .events = POLLIN };
	int ends[2], err = sys_pipe(ends);
	pid_t pid;

	if (err)
		return err;
	pid = sys_fork();
	if (!pid)
		look_as_child(fd, is_file, size_bytes, ends[1]);
	sys_close(ends[1]);
	wait.fd = ends[0];
	if (pid < 0)
		answer.err = pid;
	else
		answer.err = -EINPROGRESS;
	while (answer.err == -EINPROGRESS) {
		int ready = sys_poll(&wait, 1, time_ms);

		if (ready == 0 || interrupt_pending())
			answer.err = ready ? -EINTR : -ETIMEDOUT;
		else if (ready > 0 && sys_read(ends[0], &answer, sizeof answer) != sizeof answer)
			answer.err = -EIO;
		else if (ready < 0 && ready != -EINTR)
			answer.err = ready;
	}
	/* One that is stuck ends when its drive answers: it is not waited for. */
	if (pid > 0) {
		sys_kill(pid, SIGKILL);
		sys_waitpid(pid, NULL, answer.err == -ETIMEDOUT || answer.err == -EINTR ? WNOHANG : 0);
	}
	sys_close(ends[0]);
	*at_bytes = answer.at_bytes;
	return answer.err;
}
