/* kernel_log.c: /dev/kmsg gives one record a read, an ordinary file many; both are split at newlines. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/number.h"
#include "sys/call.h"
#include "sys/kernel_log.h"

enum { RECORD_BYTES = 8 << 10 }; /* the kernel's own bound; a smaller read is EINVAL */

static char buffer[2 * RECORD_BYTES];

int kernel_log_open(const char *test_file)
{
	int fd;

	if (test_file[0])
		return sys_open(test_file, O_RDONLY, 0);
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

/* Hands on every whole line; returns how many bytes of the last, unfinished one remain, moved to the front. */
static size_t split(char *end, void (*each)(const struct kernel_record *, void *), void *context)
{
	struct kernel_record record;
	char *line = buffer, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
		*newline = '\0';
		if (!kernel_log_parse(line, &record))
			each(&record, context);
		line = newline + 1;
	}
	memmove(buffer, line, (size_t)(end - line));
	return (size_t)(end - line);
}

int kernel_log_read(int fd, void (*each)(const struct kernel_record *record, void *context), void *context, uint64_t *lost)
{
	size_t have = 0;

	*lost = 0;
	for (;;) {
		ssize_t got = sys_read(fd, buffer + have, RECORD_BYTES);

		if (got == -EPIPE)
			(*lost)++; /* the kernel tells that records are gone, not how many */
		else if (got == -EINTR)
			continue;
		else if (got == -EAGAIN || got == 0)
			return 0;
		else if (got < 0)
			return (int)got;
		else
			have = split(buffer + have + got, each, context);
		if (have > RECORD_BYTES)
			have = 0; /* no record is that long: not a log */
	}
}
