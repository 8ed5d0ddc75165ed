/* verify_io.c: the way of a verification's data to the device and back, span by span. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "block/loss.h"
#include "lib/text.h"
#include "step/verify.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/map.h"

enum { MAX_FAULTS = 64 }; /* beyond it one side gives the device up */
#define PATIENCE_NS SECONDS(8)

/* One span, while it is gone through. */
struct passage {
	struct check *check;
	uint64_t reached_bytes; /* the end of what was tried */
};

static void reach(struct passage *passage, uint64_t end_bytes)
{
	if (end_bytes > passage->reached_bytes)
		passage->reached_bytes = end_bytes;
}

static void fill(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	struct passage *passage = context;

	pattern_fill(&passage->check->pattern, offset_bytes, buffer, bytes);
	reach(passage, offset_bytes + bytes);
}

static bool has_address(const struct block_errors *errors, uint64_t offset_bytes)
{
	for (unsigned i = 0; i < errors->count && i < COUNT_OF(errors->at_bytes); i++)
		if (errors->at_bytes[i] == offset_bytes)
			return true;
	return false;
}

/* What was never written right is a write error, and not reported again as corruption. */
static bool was_written(const struct check *check, uint64_t offset_bytes)
{
	return !has_address(&check->write.errors, offset_bytes) && !has_address(&check->write.refusals, offset_bytes);
}

static void compare(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	struct passage *passage = context;
	struct check *check = passage->check;

	check->read.bytes += bytes;
	reach(passage, offset_bytes + bytes);
	if (check->mode != VERIFY_SURFACE && was_written(check, offset_bytes))
		pattern_check(&check->pattern, offset_bytes, buffer, bytes, &check->tally);
}

static void add_errors(struct block_errors *sum, const struct block_errors *errors, struct passage *passage)
{
	if (!sum->count)
		sum->first_err = errors->first_err;
	for (unsigned i = 0; i < errors->count; i++) {
		reach(passage, errors->at_bytes[i] + VERIFY_CHUNK_BYTES);
		if (sum->count < COUNT_OF(sum->at_bytes))
			sum->at_bytes[sum->count++] = errors->at_bytes[i];
	}
}

/* A device that takes its time for each of its faults must not keep us from telling them before the step's deadline. */
static bool is_given_up(const struct check *check, const struct block_result *sum)
{
	unsigned faults = sum->errors.count + sum->refusals.count;
	uint64_t time_ns = 2 * VERIFY_PLANNED_NS(check->spans.wanted_bytes) + PATIENCE_NS;

	return sum->device_gone || faults >= MAX_FAULTS || (faults && sum->time_ns > time_ns);
}

static void note(struct block_result *result, int err, uint64_t at_bytes, bool any_good)
{
	struct block_errors *errors = block_is_fault(err, any_good) ? &result->errors : &result->refusals;

	if (!errors->count)
		errors->first_err = err;
	errors->at_bytes[errors->count++] = at_bytes;
	result->device_gone |= err == -ENODEV || err == -ENXIO;
}

/* 0, or -errno of the I/O. */
static int plain_io(const struct block_job *job, uint64_t at_bytes, char *buffer, size_t bytes)
{
	bool writes = job->rw == BLOCK_WRITE;
	ssize_t count;

	if (writes)
		job->visit(job->context, at_bytes, buffer, bytes);
	count = writes ? sys_pwrite(job->fd, buffer, bytes, at_bytes) : sys_pread(job->fd, buffer, bytes, at_bytes);
	if (count != (ssize_t)bytes)
		return count < 0 ? (int)count : -EIO;
	if (!writes)
		job->visit(job->context, at_bytes, buffer, bytes);
	return 0;
}

/* The pieces of a sample are small and many: a call for each costs less than to set an engine up. */
static int run_plain(const struct block_job *job, struct block_result *result)
{
	static void *buffer;
	static bool any_good;
	uint64_t at_bytes = job->offset_bytes, end_bytes = at_bytes + job->size_bytes;
	int err = buffer ? 0 : map_memory(job->bs_bytes, MAP_PAGE_THP, &buffer);

	result->engine = "psync";
	while (!err && at_bytes < end_bytes && !result->device_gone && result->errors.count + result->refusals.count < BLOCK_MAX_ERRORS) {
		uint64_t bytes = end_bytes - at_bytes < job->bs_bytes ? end_bytes - at_bytes : job->bs_bytes;
		int fault = plain_io(job, at_bytes, buffer, bytes);

		if (fault)
			note(result, fault, at_bytes, any_good);
		any_good |= !fault;
		at_bytes += bytes;
	}
	block_judge_loss(job, result);
	return err;
}

/* One run of the engine, which stops early after some errors.  *tried_bytes: as far as it came. */
static int run_once(struct check *check, enum block_rw rw, uint64_t offset_bytes, uint64_t bytes, uint64_t *tried_bytes)
{
	static struct block_result result;
	struct block_result *sum = rw == BLOCK_WRITE ? &check->write : &check->read;
	struct passage passage = { .check = check, .reached_bytes = offset_bytes };
	const struct block_job job = {
		.fd = check->scratch->fd, .rw = rw, .engine = check->engine, .iodepth = VERIFY_DEPTH, .bs_bytes = VERIFY_CHUNK_BYTES,
		.offset_bytes = offset_bytes, .size_bytes = bytes, .visit = rw == BLOCK_WRITE ? fill : compare, .context = &passage,
	};
	uint64_t start_ns = clock_now_ns();
	int err;

	result.errors.count = result.refusals.count = 0;
	result.device_gone = false;
	err = check->spans.span_bytes ? run_plain(&job, &result) : block_run(&job, &result);
	sum->time_ns += clock_now_ns() - start_ns;
	sum->engine = result.engine;
	text_copy(sum->refused, sizeof sum->refused, result.refused);
	sum->device_gone |= result.device_gone;
	if (result.shrunk_bytes)
		sum->shrunk_bytes = result.shrunk_bytes;
	add_errors(&sum->errors, &result.errors, &passage);
	add_errors(&sum->refusals, &result.refusals, &passage);
	*tried_bytes = passage.reached_bytes - offset_bytes;
	if (*tried_bytes > bytes)
		*tried_bytes = bytes;
	return err;
}

static int run_span(struct check *check, enum block_rw rw, uint64_t offset_bytes, uint64_t bytes, uint64_t *done_bytes)
{
	const struct block_result *sum = rw == BLOCK_WRITE ? &check->write : &check->read;
	uint64_t tried_bytes = 1;
	int err = 0;

	*done_bytes = 0;
	while (!err && tried_bytes && *done_bytes < bytes && !is_given_up(check, sum)) {
		err = run_once(check, rw, offset_bytes + *done_bytes, bytes - *done_bytes, &tried_bytes);
		*done_bytes += tried_bytes;
	}
	return err;
}

/* Behind a loop device the want of space would look like an I/O error: the holes of a scratch file are filled before. */
static int fill_holes(const struct check *check, uint64_t offset_bytes, uint64_t bytes)
{
	int fd = check->scratch->file_fd;
	long err = fd < 0 ? 0 : sys_call(SYS_fallocate, (long)fd, 0L, (long)offset_bytes, (long)bytes);

	return err == -ENOSPC || err == -EDQUOT ? (int)err : 0;
}

static void drop_cache(int fd)
{
	if (fd >= 0)
		sys_call(SYS_fadvise64, (long)fd, 0L, 0L, (long)POSIX_FADV_DONTNEED);
}

static int write_spans(struct check *check)
{
	int err = 0;

	for (; check->end_span < check->spans.count; check->end_span++) {
		uint64_t offset_bytes, bytes;

		spans_get(&check->spans, check->end_span, &offset_bytes, &bytes);
		if (!bytes)
			continue;
		err = fill_holes(check, offset_bytes, bytes);
		if (!err)
			err = run_span(check, BLOCK_WRITE, offset_bytes, bytes, &check->end_bytes);
		check->write.bytes += check->end_bytes;
		if (err || check->end_bytes < bytes || is_given_up(check, &check->write))
			return err;
		check->end_bytes = 0;
	}
	return 0;
}

int verify_write(struct check *check)
{
	int err = write_spans(check);

	if (err)
		return err;
	check->sync_err = sys_fsync(check->scratch->fd);
	drop_cache(check->scratch->fd);
	drop_cache(check->scratch->file_fd);
	return 0;
}

int verify_read(struct check *check)
{
	for (uint64_t i = 0; i < check->spans.count; i++) {
		uint64_t offset_bytes, bytes, done_bytes;
		int err;

		spans_get(&check->spans, i, &offset_bytes, &bytes);
		if (verify_writes(check) && i >= check->end_span)
			bytes = i == check->end_span ? check->end_bytes : 0;
		err = bytes ? run_span(check, BLOCK_READ, offset_bytes, bytes, &done_bytes) : 0;
		if (err || is_given_up(check, &check->read))
			return err;
	}
	return 0;
}

uint64_t verify_find_bad(const struct check *check, uint64_t at_bytes, uint64_t end_bytes, uint64_t piece_bytes)
{
	while (at_bytes < end_bytes) {
		uint64_t left_bytes = end_bytes - at_bytes, bytes = left_bytes < piece_bytes ? left_bytes : piece_bytes;

		if (block_read_once(check->scratch->fd, at_bytes, bytes))
			return at_bytes;
		at_bytes += bytes;
	}
	return end_bytes;
}
