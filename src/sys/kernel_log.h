/*
 * kernel_log.h: what the kernel logs during a run.
 *
 * The log is opened when the run starts and read when it ends: its descriptor stands behind what was logged before, so
 * that no clock has to tell which record belongs to the run (the log's own clock drifts from every other).
 */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_LOG_ERROR = 3, KERNEL_LOG_WARNING = 4 };

struct kernel_record {
	unsigned level;       /* 0 emergency ... 7 debug */
	bool from_kernel;     /* false: user space wrote it */
	uint64_t sequence;
	const char *message;
};

/* /dev/kmsg behind its last record, or (for tests) an ordinary file of such records at its start; "" is /dev/kmsg.
 * A descriptor for kernel_log_read, or -errno: -EPERM where the log is restricted, -ENOENT without /dev/kmsg. */
int kernel_log_open(const char *test_file);

/* `LEVEL,SEQUENCE,...;MESSAGE`, taken apart in place.  0, or -EINVAL (a continuation line, too). */
int kernel_log_parse(char *line, struct kernel_record *record);

/* Calls each(record, context) for every record up to now, without waiting.  *lost: how many were overwritten before
 * they could be read, by their numbers; of those before the first that is read, only that there were any.  0 or -errno. */
int kernel_log_read(int fd, void (*each)(const struct kernel_record *record, void *context), void *context, uint64_t *lost);

#endif
