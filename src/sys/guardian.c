/*
 * guardian.c: see guardian.h.
 *
 * A session of its own, deaf to what ends the main process, so that only SIGKILL to itself can keep it from restoring.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/guard.h"
#include "sys/guardian.h"

struct saved {
	bool was_read_back, of_step, is_command;
	uint64_t offset;
	char path[2 * MAX_PATH];
	char before[MAX_GUARDED_TEXT], after[MAX_GUARDED_TEXT];
};

static struct saved saved[MAX_GUARDED];
static unsigned saved_count;
static pid_t group;

static int read_text(int fd, char text[MAX_GUARDED_TEXT])
{
	ssize_t length = sys_read(fd, text, MAX_GUARDED_TEXT);

	if (length == MAX_GUARDED_TEXT)
		return -EFBIG;
	if (length >= 0)
		text[length] = '\0';
	return length < 0 ? length : 0;
}

/* In this machine's own order of bytes, as the msr driver has it. */
static int read_word(int fd, uint64_t offset, char text[MAX_GUARDED_TEXT])
{
	uint64_t word;
	ssize_t got = sys_pread(fd, &word, sizeof(word), offset);

	if (got != sizeof(word))
		return got < 0 ? got : -EIO;
	text_format(text, MAX_GUARDED_TEXT, "%llx", (unsigned long long)word);
	return 0;
}

int guardian_read(const char *path, uint64_t offset, char text[MAX_GUARDED_TEXT])
{
	int err, fd = sys_open(path, O_RDONLY | O_NONBLOCK, 0);

	if (fd < 0)
		return fd;
	err = offset == GUARD_WHOLE ? read_text(fd, text) : read_word(fd, offset, text);
	sys_close(fd);
	return err;
}

/* One write: the kernel takes each as a whole setting. */
static int write_at(int fd, uint64_t offset, const char *text)
{
	size_t length = offset == GUARD_WHOLE ? strlen(text) : sizeof(uint64_t);
	uint64_t word = 0;
	ssize_t written;

	if (offset != GUARD_WHOLE && number_parse_hex(text, &word))
		return -EINVAL;
	written = offset == GUARD_WHOLE ? sys_write(fd, text, length) : sys_pwrite(fd, &word, length, offset);
	return written < 0 ? written : (size_t)written < length ? -EIO : 0;
}

int guardian_write(const char *path, uint64_t offset, const char *text)
{
	int err, fd = sys_open(path, O_WRONLY | O_NONBLOCK | (offset == GUARD_WHOLE ? O_TRUNC : 0), 0);

	if (fd < 0)
		return fd;
	err = write_at(fd, offset, text);
	sys_close(fd);
	return err;
}

void guardian_setting(const char *text, char setting[MAX_GUARDED_TEXT])
{
	const char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	text_copy(setting, MAX_GUARDED_TEXT, to ? from + 1 : text);
	if (to)
		setting[to - from - 1] = '\0';
	text_trim(setting);
}

static const char *without_zeros(const char *text)
{
	if (text_starts(text, "0x"))
		text += 2;
	while ((*text == '0' || *text == ',') && text[1])
		text++;
	return text;
}

bool guardian_same(const char *a, const char *b)
{
	char x[MAX_GUARDED_TEXT], y[MAX_GUARDED_TEXT];

	guardian_setting(a, x);
	guardian_setting(b, y);
	return !strcmp(without_zeros(x), without_zeros(y));
}

/* 0 when it reads as before, or as somebody else has set it since. */
static int restore(const struct saved *setting)
{
	char now[MAX_GUARDED_TEXT], before[MAX_GUARDED_TEXT];
	int err;

	if (setting->is_command)
		return guardian_write(setting->path, setting->offset, setting->before);
	err = guardian_read(setting->path, setting->offset, now);
	if (err)
		return err;
	if (guardian_same(now, setting->before) || (setting->was_read_back && !guardian_same(now, setting->after)))
		return 0;
	guardian_setting(setting->before, before);
	text_copy(now, sizeof(now), setting->before);
	err = guardian_write(setting->path, setting->offset, strchr(now, '[') ? before : now);
	if (!err)
		err = guardian_read(setting->path, setting->offset, now);
	return err ? err : guardian_same(now, setting->before) ? 0 : -EIO;
}

static int restore_all(void)
{
	int failed = 0;

	while (saved_count)
		failed += restore(&saved[--saved_count]) != 0;
	return failed;
}

static void forget(unsigned index)
{
	memmove(&saved[index], &saved[index + 1], (saved_count - index - 1) * sizeof(saved[0]));
	saved_count--;
}

static void forget_last(const struct guard_message *message)
{
	for (unsigned i = saved_count; i--; )
		if (saved[i].offset == message->offset && !strcmp(saved[i].path, message->path)) {
			forget(i);
			return;
		}
}

/* A killed step has put nothing back: the next one must not be measured with what it set.  In reverse, as at the end. */
static void restore_of_step(void)
{
	for (unsigned i = saved_count; i--; )
		if (saved[i].of_step && !restore(&saved[i]))
			forget(i);
}

static void save(const struct guard_message *message)
{
	struct saved *setting = &saved[saved_count];

	if (saved_count == MAX_GUARDED)
		return;
	saved_count++;
	setting->was_read_back = false;
	setting->of_step = message->of_step;
	setting->is_command = message->is_command;
	setting->offset = message->offset;
	text_copy(setting->path, sizeof(setting->path), message->path);
	text_copy(setting->before, sizeof(setting->before), message->text);
}

static void wrote(const char *text)
{
	if (!saved_count)
		return;
	saved[saved_count - 1].was_read_back = true;
	text_copy(saved[saved_count - 1].after, MAX_GUARDED_TEXT, text);
}

/* Group 1 would be everybody. */
static void end_group(void)
{
	if (group > 1)
		sys_kill(-group, SIGKILL);
}

static void take(const struct guard_message *message, int fd)
{
	static const int32_t gone = GUARD_GROUP_GONE;

	switch (message->kind) {
	case GUARD_SAVE:
		save(message);
		break;
	case GUARD_WROTE:
		wrote(message->text);
		break;
	case GUARD_FORGET:
		forget_last(message);
		break;
	case GUARD_GROUP:
		group = message->group;
		if (group)
			break;
		restore_of_step();
		sys_write(fd, &gone, sizeof(gone));
		break;
	}
}

static void settle_in(int socket, int process_fd)
{
	static const int deaf_to[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2 };
	int fd;

	sys_call(SYS_setsid);
	for (unsigned i = 0; i < COUNT_OF(deaf_to); i++)
		signal(deaf_to[i], SIG_IGN);
	prctl(PR_SET_NAME, "assay-guardian");
	/* A reader of our output waits for the main process, not for this one. */
	for (int standard = 0; standard <= 2; standard++)
		if (standard != socket && standard != process_fd)
			sys_close(standard);
	fd = sys_open("/proc/self/oom_score_adj", O_WRONLY, 0);
	if (fd >= 0) {
		sys_write(fd, "-1000", 5);
		sys_close(fd);
	}
}

enum { MAX_INTERRUPTIONS = 1000 };

/* The next message: its size; 0 or -errno when there will be no more. */
static ssize_t receive(int fd, int process_fd, struct guard_message *message)
{
	struct pollfd ready[] = { { .fd = fd, .events = POLLIN }, { .fd = process_fd, .events = POLLIN } };
	unsigned interruptions = 0; /* where poll itself is forbidden with EINTR, this must not spin for ever */
	ssize_t got;

	do {
		got = sys_poll(ready, process_fd < 0 ? 1 : 2, -1);
		if (got > 0)
			got = sys_call(SYS_recvfrom, fd, message, sizeof(*message), MSG_DONTWAIT, NULL, NULL);
	} while (got == -EINTR && ++interruptions < MAX_INTERRUPTIONS);
	return got;
}

void guardian_run(int fd, int process_fd)
{
	static struct guard_message message;
	bool asked = false;
	int32_t failed = 0;

	settle_in(fd, process_fd);
	sys_write(fd, &failed, sizeof(failed));
	while (!asked && receive(fd, process_fd, &message) == sizeof(message)) {
		asked = message.kind == GUARD_END;
		take(&message, fd);
	}
	end_group();
	failed = restore_all();
	if (asked)
		sys_write(fd, &failed, sizeof(failed));
	for (;;)
		sys_call(SYS_exit_group, failed != 0);
}
