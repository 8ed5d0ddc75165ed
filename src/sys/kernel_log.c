/* kernel_log.c: /dev/kmsg gives one record a read, an ordinary file many; both are split at newlines. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/number.h"
#include "sys/call.h"
#include "sys/kernel_log.h"

enum { RECORD_BYTES = 8 << 10 }; /* the kernel's own bound; a smaller read is EINVAL */

static char buffer[2 * RECORD_BYTES];

int kernel_log_open(const char *test_file)
{
	struct stat status;
	int fd;

	if (test_file[0]) {
		fd = sys_open(test_file, O_RDONLY | O_NONBLOCK, 0);
		if (fd < 0 || (!fstat(fd, &status) && S_ISREG(status.st_mode)))
			return fd;
		sys_close(fd);
		return -EINVAL;
	}
	fd = sys_open("/dev/kmsg", O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	long err = sys_call(SYS_lseek, fd, 0l, SEEK_END);
	if (err < 0) {
		sys_close(fd);
		return (int)err;
	}
	return fd;
}

int kernel_log_parse(char *line, struct kernel_record *record)
{
	const char *at = line;
	uint64_t prefix;

	if (!number_take(&at, &prefix) || *at++ != ',' || !number_take(&at, &record->sequence) || *at != ',')
		return -EINVAL;
	record->level = prefix & 7;
	record->from_kernel = prefix >> 3 == 0;
	at = strchr(at, ';');
	if (!at)
		return -EINVAL;
	record->message = at + 1;
	return 0;
}

struct reading {
	void (*each)(const struct kernel_record *, void *);
	void *context;
	uint64_t next; /* the sequence number that must follow; 0: not known yet */
	uint64_t lost;
};

/* Records are numbered without a gap: numbers that are passed over were overwritten. */
static void take_record(struct reading *reading, const struct kernel_record *record)
{
	if (reading->next && record->sequence > reading->next)
		reading->lost += record->sequence - reading->next;
	reading->next = record->sequence + 1;
	reading->each(record, reading->context);
}

/* Hands on every whole line; returns how many bytes of the last, unfinished one remain, moved to the front. */
static size_t split(char *end, struct reading *reading)
{
	struct kernel_record record;
	char *line = buffer, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
		*newline = '\0';
		if (!kernel_log_parse(line, &record))
			take_record(reading, &record);
		line = newline + 1;
	}
	memmove(buffer, line, (size_t)(end - line));
	return (size_t)(end - line);
}

int kernel_log_read(int fd, void (*each)(const struct kernel_record *record, void *context), void *context, uint64_t *lost)
{
	struct reading reading = { .each = each, .context = context };
	size_t have = 0;
	ssize_t got;

	for (;;) {
		got = sys_read(fd, buffer + have, RECORD_BYTES);
		if (got == -EPIPE)
			reading.lost += !reading.next; /* before the first that is read: at least one */
		else if (got > 0)
			have = split(buffer + have + got, &reading);
		else if (got != -EINTR)
			break;
		if (have > RECORD_BYTES)
			have = 0; /* no record is that long: not a log */
	}
	*lost = reading.lost;
	return got == -EAGAIN ? 0 : (int)got;
}
