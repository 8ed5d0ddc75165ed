/* guard.c: see guard.h; this is the main process's side, guardian.c the other. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lib/number.h"
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

/* How many could not be restored at the end; an answer to the end of a group may stand before it, where that one came too late. */
static int hear_end(int32_t *failed)
{
	int err;

	do {
		err = hear(failed);
	} while (!err && *failed == GUARD_GROUP_GONE);
	return err;
}

int guard_note_group(pid_t group)
{
	int32_t gone;
	int err;

	message.group = group;
	err = tell(GUARD_GROUP);
	return err || group ? err : hear(&gone);
}

/* What it reads after the write is told even when the write was refused: it may have been taken in part. */
static int write_saved(const char *value)
{
	int write_err = guardian_write(message.path, message.offset, value);
	int err = guardian_read(message.path, message.offset, message.text);

	if (!err)
		err = tell(GUARD_WROTE);
	if (write_err || err)
		return write_err ? write_err : err;
	return guardian_same(message.text, value) ? 0 : -EIO;
}

/* message.text is what is there before. */
static int save(const char *path, uint64_t offset, bool of_step)
{
	int err;

	if (saved_count == MAX_GUARDED)
		return -ENOSPC;
	message.offset = offset;
	message.of_step = of_step;
	message.is_command = false;
	if (!text_copy(message.path, sizeof(message.path), path))
		return -ENAMETOOLONG;
	err = guardian_read(path, offset, message.text);
	if (!err)
		err = tell(GUARD_SAVE);
	saved_count += !err;
	return err;
}

int guard_write(const char *path, const char *value, char *readback, size_t size)
{
	char here[sizeof(message.path)];
	int err;

	if (readback)
		*readback = '\0';
	err = file_here(path, here, sizeof(here));
	if (!err)
		err = save(here, GUARD_WHOLE, false);
	if (err)
		return err;
	err = write_saved(value);
	if (readback && (!err || err == -EIO)) {
		text_copy(readback, size, message.text);
		text_trim(readback);
	}
	return err;
}

static const char *in_hex(uint64_t word, char hex[20])
{
	text_format(hex, 20, "%llx", (unsigned long long)word);
	return hex;
}

int guard_word_back(const char *path, uint64_t offset, uint64_t value, uint64_t before)
{
	char hex[20];
	int err = guardian_read(path, offset, message.text);

	if (err)
		return err;
	if (guardian_same(message.text, in_hex(value, hex))) {
		err = guardian_write(path, offset, in_hex(before, hex));
		if (!err)
			err = guardian_read(path, offset, message.text);
		if (err || !guardian_same(message.text, hex))
			return err ? err : -EIO;
	}
	message.offset = offset;
	text_copy(message.path, sizeof(message.path), path);
	saved_count--;
	return tell(GUARD_FORGET);
}

int guard_word(const char *path, uint64_t offset, uint64_t value, uint64_t *before)
{
	char hex[20];
	uint64_t now;
	int err = save(path, offset, true);

	if (err)
		return err;
	number_parse_hex(message.text, before);
	err = write_saved(in_hex(value, hex));
	if (err && !number_parse_hex(message.text, &now)) /* it may have been taken in part */
		guard_word_back(path, offset, now, *before);
	return err;
}

static int forget(const char *here)
{
	message.offset = GUARD_WHOLE;
	text_copy(message.path, sizeof(message.path), here);
	saved_count--;
	return tell(GUARD_FORGET);
}

/* Where it still reads as it was set. */
static int put_back(const char *here, const char *value, const char *before)
{
	int err = guardian_read(here, GUARD_WHOLE, message.text);

	if (!err && guardian_same(message.text, value)) {
		err = guardian_write(here, GUARD_WHOLE, before);
		if (!err)
			err = guardian_read(here, GUARD_WHOLE, message.text);
		if (!err && !guardian_same(message.text, before))
			err = -EIO;
	}
	return err ? err : forget(here);
}

int guard_set_back(const char *path, const char *value, const char *before)
{
	char here[sizeof(message.path)];
	int err = file_here(path, here, sizeof(here));

	return err ? err : put_back(here, value, before);
}

int guard_set(const char *path, const char *value, char *before, size_t size)
{
	char here[sizeof(message.path)], was[MAX_GUARDED_TEXT], now[MAX_GUARDED_TEXT];
	int err = file_here(path, here, sizeof(here));

	if (!err)
		err = save(here, GUARD_WHOLE, true);
	if (err)
		return err;
	guardian_setting(message.text, was);
	err = text_copy(before, size, was) ? write_saved(value) : -ENAMETOOLONG;
	if (err) { /* it may have been taken in part */
		guardian_setting(message.text, now);
		put_back(here, now, was);
	}
	return err;
}

int guard_command(const char *path, const char *word, const char *undo)
{
	char here[sizeof(message.path)];
	int err = file_here(path, here, sizeof(here));

	if (err || saved_count == MAX_GUARDED)
		return err ? err : -ENOSPC;
	message.offset = GUARD_WHOLE;
	message.of_step = message.is_command = true;
	text_copy(message.path, sizeof(message.path), here);
	text_copy(message.text, sizeof(message.text), undo);
	err = tell(GUARD_SAVE);
	if (err)
		return err;
	saved_count++;
	err = guardian_write(here, GUARD_WHOLE, word);
	if (err)
		forget(here);
	return err;
}

int guard_command_back(const char *path, const char *undo)
{
	char here[sizeof(message.path)];
	int err = file_here(path, here, sizeof(here));

	if (!err)
		err = guardian_write(here, GUARD_WHOLE, undo);
	return err ? err : forget(here);
}

int guard_descriptor(void)
{
	return guardian_fd;
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
	if (!tell(GUARD_END) && hear_end(&failed) == -ETIMEDOUT)
		guard_forget(); /* it is stuck; waiting for it would be, too */
	else
		part();
	return failed;
}
