/* loss.c: see loss.h. */
#include <errno.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "block/loss.h"
#include "capacity.h"
#include "lib/text.h"
#include "sys/call.h"

enum { TURNS = 10, TURN_MS = 20 };

/* A removed disk says 0 bytes, a removed disk's partition its old size: /sys tells. */
static bool is_gone(int fd, dev_t device, uint64_t *size_bytes)
{
	char path[48];
	struct stat status;

	text_format(path, sizeof path, "/sys/dev/block/%u:%u", major(device), minor(device));
	return sys_ioctl(fd, BLKGETSIZE64, size_bytes) || !*size_bytes || (!stat("/sys/dev/block", &status) && stat(path, &status));
}

/* One that is being removed fails everything at once, and is gone a moment later. */
static bool is_being_lost(const struct block_job *job, dev_t device, const struct block_result *result, uint64_t *size_bytes)
{
	bool gone = is_gone(job->fd, device, size_bytes);

	for (unsigned i = 0; !gone && i < TURNS && result->errors.count >= BLOCK_MAX_ERRORS; i++) {
		sys_sleep_ns(MS(TURN_MS));
		gone = is_gone(job->fd, device, size_bytes);
	}
	return gone;
}

void block_judge_loss(const struct block_job *job, struct block_result *result)
{
	struct stat status;
	uint64_t size_bytes = 0;

	result->shrunk_bytes = 0;
	if (!(result->errors.count + result->refusals.count) || fstat(job->fd, &status) || !S_ISBLK(status.st_mode))
		return;
	if (is_being_lost(job, status.st_rdev, result, &size_bytes))
		result->device_gone = true;
	else if (size_bytes < job->offset_bytes + job->size_bytes)
		result->shrunk_bytes = size_bytes;
	if ((result->device_gone || result->shrunk_bytes) && !result->errors.count && result->refusals.first_err == -ENOSPC) {
		result->errors = result->refusals;
		result->refusals.count = 0;
	}
}
