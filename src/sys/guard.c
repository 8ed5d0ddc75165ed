/* guard.c: see guard.h; this is the main process's side, guardian.c the other. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/guard.h"
#include "sys/guardian.h"

static int guardian_fd = -1;
static pid_t guardian;
static unsigned saved_count;

/* Static, too large for a stack; only the main thread changes settings. */
static struct guard_message message;

enum { ANSWER_MS = 10000 }; /* a write to sysfs can get stuck; the verdict must not */

/* The guardian's answer: 0 or -errno. */
static int hear(int32_t *answer)
{
	struct pollfd poll = { .fd = guardian_fd, .events = POLLIN };
	ssize_t got;

	if (sys_poll(&poll, 1, ANSWER_MS) == 0)
		return -ETIMEDOUT;
	do {
		got = sys_read(guardian_fd, answer, sizeof(*answer));
	} while (got == -EINTR);
	return got == sizeof(*answer) ? 0 : got < 0 ? (int)got : -EPIPE;
}

static void part(void)
{
	int status;

	sys_close(guardian_fd);
	guardian_fd = -1;
	while (sys_waitpid(guardian, &status, 0) == -EINTR)
		;
}

static int fork_guardian(const int fds[2])
{
	int process_fd = sys_call(SYS_pidfd_open, sys_getpid(), 0);

	guardian = sys_fork();
	if (guardian == 0) {
		sys_close(fds[0]);
		guardian_run(fds[1], process_fd);
	}
	if (process_fd >= 0)
		sys_close(process_fd);
	return guardian < 0 ? guardian : 0;
}

int guard_start(void)
{
	int32_t settled;
	int fds[2], err;

	if (guardian_fd >= 0)
		return -EALREADY;
	err = sys_call(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds);
	if (err)
		return err;
	err = fork_guardian(fds);
	sys_close(fds[1]);
	if (err) {
		sys_close(fds[0]);
		return err;
	}
	guardian_fd = fds[0];
	saved_count = 0;
	err = hear(&settled);
	if (err)
		part();
	return err;
}

/* Once it is in the queue the guardian gets it, whatever becomes of us. */
static int tell(enum guard_kind kind)
{
	long sent;

	if (guardian_fd < 0)
		return -ENOTCONN;
	message.kind = kind;
	do {
		sent = sys_call(SYS_sendto, guardian_fd, &message, sizeof(message), MSG_NOSIGNAL, NULL, 0);
	} while (sent == -EINTR);
	return sent < 0 ? sent : 0;
}

int guard_note_group(pid_t group)
{
	message.group = group;
	return tell(GUARD_GROUP);
}

/* What it reads after the write is told even when the write was refused: it may have been taken in part. */
static int write_saved(const char *path, const char *value)
{
	int write_err = guardian_write(path, value);
	int err = guardian_read(path, message.text);

	if (!err)
		err = tell(GUARD_WROTE);
	if (write_err || err)
		return write_err ? write_err : err;
	return guardian_same(message.text, value) ? 0 : -EIO;
}

int guard_write(const char *path, const char *value, char *readback, size_t size)
{
	char here[sizeof(message.path)];
	int err;

	if (readback)
		*readback = '\0';
	if (saved_count == MAX_GUARDED)
		return -ENOSPC;
	err = file_here(path, here, sizeof(here));
	if (err)
		return err;
	text_copy(message.path, sizeof(message.path), here);
	err = guardian_read(here, message.text);
	if (!err)
		err = tell(GUARD_SAVE);
	if (err)
		return err;
	saved_count++;
	err = write_saved(here, value);
	if (readback && (!err || err == -EIO)) {
		text_copy(readback, size, message.text);
		text_trim(readback);
	}
	return err;
}

void guard_forget(void)
{
	if (guardian_fd >= 0)
		sys_close(guardian_fd);
	guardian_fd = -1;
}

int guard_end(void)
{
	int32_t failed = saved_count; /* should the guardian be gone */

	if (guardian_fd < 0)
		return 0;
	if (!tell(GUARD_END) && hear(&failed) == -ETIMEDOUT)
		guard_forget(); /* it is stuck; waiting for it would be, too */
	else
		part();
	return failed;
}
