/*
 * block_engine.c: the loop and its three engines, on a file.  An engine that this kernel lacks (io_uring under
 * qemu-user) must fall back, so that most tests hold wherever they run.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "block/engine.h"
#include "block/queue.h"
#include "block_file.h"
#include "scratch_block.h"

static struct block_result result;
static unsigned visits[BLOCKS + 1];

static void count_visit(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	(void)context;
	for (size_t i = 0; i < bytes; i += BLOCK) {
		uint64_t number = offset_bytes / BLOCK + i / BLOCK;

		check(number < BLOCKS && ((unsigned char *)buffer)[i] == (unsigned char)number);
		visits[number < BLOCKS ? number : BLOCKS]++;
	}
}

static struct block_job once_through(int fd, enum block_engine_choice engine, unsigned iodepth, uint64_t bs_bytes)
{
	memset(visits, 0, sizeof visits);
	return (struct block_job){ .fd = fd, .rw = BLOCK_READ, .engine = engine, .iodepth = iodepth, .bs_bytes = bs_bytes,
	                           .size_bytes = BLOCKS * BLOCK, .visit = count_visit };
}

static bool each_visited_once(void)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		if (visits[i] != 1)
			return false;
	return true;
}

test(one_pass_reads_every_block_once)
{
	int fd = numbered_file();
	struct block_job job = once_through(fd, BLOCK_AUTO, 8, 16384);

	check_equal(block_run(&job, &result), 0);
	check(each_visited_once());
	check_equal(result.ios, 64);
	check_equal(result.bytes, 1048576);
	check_equal(result.errors.count, 0);
	close(fd);
}

test(every_engine_that_is_there_reads_the_same)
{
	int fd = numbered_file();

	for (enum block_engine_choice engine = BLOCK_IO_URING; engine <= BLOCK_PSYNC; engine++) {
		struct block_job job = once_through(fd, engine, 4, 4096);
		int err = block_run(&job, &result);

		check(!err ? each_visited_once() : engine != BLOCK_PSYNC && result.refused[0]);
	}
	close(fd);
}

test(one_pass_ends_with_a_shorter_block)
{
	int fd = numbered_file();
	struct block_job job = once_through(fd, BLOCK_AUTO, 2, 65536);

	job.size_bytes = 5 * BLOCK + 16 * BLOCK;
	check_equal(block_run(&job, &result), 0);
	check_equal(result.ios, 2);
	check_equal(result.bytes, 21 * 4096);
	check_equal(visits[20], 1);
	check_equal(visits[21], 0);
	close(fd);
}

test(psync_holds_one_in_flight_and_says_so)
{
	int fd = numbered_file();
	struct block_job job = once_through(fd, BLOCK_PSYNC, 32, 4096);

	check_equal(block_run(&job, &result), 0);
	check_string(result.engine, "psync");
	check_equal(result.iodepth, 1);
	check(each_visited_once());
	close(fd);
}

static uint64_t furthest_bytes;

static void note_place(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	(void)context, (void)buffer;
	check_equal(offset_bytes % 12288, 4096);
	if (offset_bytes + bytes > furthest_bytes)
		furthest_bytes = offset_bytes + bytes;
}

test(random_blocks_stay_inside_a_region_that_they_do_not_divide)
{
	int fd = numbered_file();
	const struct block_job job = { .fd = fd, .rw = BLOCK_RANDREAD, .iodepth = 4, .bs_bytes = 12288, .offset_bytes = 4096,
	                               .size_bytes = 100000, .runtime_ns = MS(20), .seed = 1, .visit = note_place };

	furthest_bytes = 0;
	check_equal(block_run(&job, &result), 0);
	check(result.ios > 100);
	check_equal(furthest_bytes, 4096 + 8 * 12288); /* the last whole block is reached, nothing behind it */
	close(fd);
}

test(sequential_reads_begin_again_before_a_block_that_would_not_fit)
{
	int fd = numbered_file();
	const struct block_job job = { .fd = fd, .rw = BLOCK_READ, .iodepth = 2, .bs_bytes = 12288, .offset_bytes = 4096,
	                               .size_bytes = 100000, .runtime_ns = MS(20), .visit = note_place };

	furthest_bytes = 0;
	check_equal(block_run(&job, &result), 0);
	check_equal(furthest_bytes, 4096 + 8 * 12288);
	check_equal(result.errors.count, 0);
	close(fd);
}

test(figures_agree_with_each_other)
{
	int fd = numbered_file();
	const struct block_job job = { .fd = fd, .rw = BLOCK_READ, .iodepth = 4, .bs_bytes = 4096, .size_bytes = BLOCKS * BLOCK,
	                               .runtime_ns = MS(60), .ramp_ns = MS(10) };

	check_equal(block_run(&job, &result), 0);
	check(result.discarded > 0);
	check(result.time_ns >= MS(60));
	check_equal(result.bytes, result.ios * 4096);
	check_equal(result.flows[BLOCK_SIDE_READ].lat.count, result.ios);
	check_equal(result.bandwidth_milli, milli_per_second(result.bytes, result.time_ns));
	check_equal(result.iops_milli, milli_per_second(result.ios, result.time_ns));
	check(result.flows[BLOCK_SIDE_READ].bandwidth.count >= 6 && result.flows[BLOCK_SIDE_READ].bandwidth.count <= 40);
	check(result.inflight_milli > 0 && result.inflight_milli <= (int64_t)result.iodepth * 1000);
	close(fd);
}

/* Writes blocks to a pipe: nothing for 100 ms, then one a millisecond. */
static pid_t late_writer(const int ends[2], unsigned blocks)
{
	static char block[BLOCK];
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	close(ends[0]); /* or the last write would wait for ever */
	signal(SIGPIPE, SIG_DFL);
	usleep(100000);
	while (blocks-- && write(ends[1], block, sizeof block) == sizeof block)
		usleep(1000);
	_exit(0);
}

test(depth_counts_what_is_in_flight_in_the_span_whenever_it_began_or_ends)
{
	int ends[2];
	pid_t pid;

	check(!pipe(ends));
	pid = late_writer(ends, 200);
	const struct block_job job = { .fd = ends[0], .rw = BLOCK_READ, .engine = BLOCK_IO_URING, .iodepth = 8, .bs_bytes = BLOCK,
	                               .size_bytes = GIB, .runtime_ns = MS(20), .ramp_ns = MS(10) };

	if (!block_run(&job, &result)) /* qemu-user has no io_uring */
		check(result.inflight_milli > 4000 && result.inflight_milli <= 8000);
	close(ends[0]);
	close(ends[1]);
	waitpid(pid, NULL, 0);
}

test(wants_of_the_system_are_no_fault_of_the_device)
{
	static const int ours[] = { ENOMEM, ENOSPC, EFBIG, EDQUOT, EPERM, EACCES, EAGAIN, ENOBUFS };

	for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++)
		check(!block_is_fault(-ours[i], true) && !block_is_fault(-ours[i], false));
	check(block_is_fault(-EIO, false) && block_is_fault(-ENODATA, false) && block_is_fault(-ENXIO, false));
	check(block_is_fault(-EINVAL, true) && !block_is_fault(-EINVAL, false));
	check(block_is_fault(-EOPNOTSUPP, true) && !block_is_fault(-EOPNOTSUPP, false));
}

test(read_past_the_end_is_an_error_with_its_address)
{
	int fd = numbered_file();
	struct block_job job = once_through(fd, BLOCK_AUTO, 1, 4096);

	check(!ftruncate(fd, 200 * BLOCK));
	check_equal(block_run(&job, &result), 0);
	check_equal(result.errors.at_bytes[0], 200 * 4096);
	check_equal(result.errors.first_err, -EIO);
	check_equal(result.ios, 200);
	close(fd);
}

test(job_stops_after_sixteen_errors)
{
	int fd = numbered_file();
	struct block_job job = once_through(fd, BLOCK_PSYNC, 1, 4096);

	check(!ftruncate(fd, 100 * BLOCK));
	check_equal(block_run(&job, &result), 0);
	check_equal(result.errors.count, 16);
	close(fd);
}

test(short_read_is_an_error)
{
	int fd = numbered_file();
	struct block_job job = once_through(fd, BLOCK_AUTO, 4, 65536);

	check(!ftruncate(fd, BLOCKS * BLOCK - 100));
	check_equal(block_run(&job, &result), 0);
	check_equal(result.errors.count, 1);
	check_equal(result.errors.at_bytes[0], BLOCKS * BLOCK - 65536);
	close(fd);
}

/* Each sector begins with the magic, and no two in the file are alike. */
test(what_is_written_is_known_for_ours_and_cannot_be_compressed)
{
	int fd = numbered_file();
	struct block_job job = once_through(fd, BLOCK_FIRST, 8, 65536);
	static char sectors[8 * 65536 / 512][512];

	job.rw = BLOCK_WRITE;
	job.visit = NULL;
	job.size_bytes = sizeof sectors;
	check_equal(block_run(&job, &result), 0);
	check_equal(result.bytes, sizeof sectors);
	check_equal(pread(fd, sectors, sizeof sectors, 0), sizeof sectors);
	for (unsigned i = 0; i < sizeof sectors / sizeof *sectors; i++) {
		check(!memcmp(sectors[i], SCRATCH_MAGIC, SCRATCH_MAGIC_BYTES));
		for (unsigned other = 0; other < i; other++)
			check(!strcmp(result.engine, "psync") || memcmp(sectors[i], sectors[other], sizeof *sectors));
	}
	check_equal(lseek(fd, 0, SEEK_END), 1048576);
	close(fd);
}

test(nonsense_is_refused)
{
	struct block_job job = once_through(0, BLOCK_AUTO, 0, 4096);

	check_equal(block_run(&job, &result), -EINVAL);
	job = once_through(0, BLOCK_AUTO, 257, 4096);
	check_equal(block_run(&job, &result), -EINVAL);
	job = once_through(0, BLOCK_AUTO, 1, 2 * BLOCKS * BLOCK);
	job.runtime_ns = MS(10);
	check_equal(block_run(&job, &result), -EINVAL);
	job = once_through(0, BLOCK_AUTO, 1, 4096);
	job.numjobs = 65;
	check_equal(block_run(&job, &result), -EINVAL);
	job = once_through(0, BLOCK_AUTO, 1, 4096);
	job.rwmixread = 101;
	check_equal(block_run(&job, &result), -EINVAL);
	job = once_through(0, BLOCK_AUTO, 1, BLOCK_MAX_BYTES + 1);
	check_equal(block_run(&job, &result), -EINVAL);
}

test(read_once_tells_success_from_failure)
{
	int fd = numbered_file();

	check_equal(block_read_once(fd, (BLOCKS - 1) * BLOCK, BLOCK), 0);
	check_equal(block_read_once(fd, BLOCKS * BLOCK, BLOCK), -EIO);
	check_equal(block_read_once(-1, 0, BLOCK), -EBADF);
	close(fd);
}

/* ---- with system calls refused by a seccomp filter, in a child: the filter cannot be taken off again ---- */

enum { READ_ALL, FELL_BACK, REFUSED, WRONG, NO_FILTER };

/* One pass with a call refused, in a child. */
static int outcome_with(unsigned number, unsigned err, enum block_engine_choice engine)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		int fd = numbered_file();
		struct block_job job = once_through(fd, engine, 4, 16384);

		if (!refuse_call(number, err))
			_exit(NO_FILTER);
		if (block_run(&job, &result))
			_exit(result.refused[0] ? REFUSED : WRONG);
		_exit(!each_visited_once() ? WRONG : result.refused[0] ? FELL_BACK : READ_ALL);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

static const int injected[] = { ENOSYS, EPERM, EACCES, ENOMEM, EINVAL, EMFILE, EAGAIN, EINTR, EBUSY, EOPNOTSUPP, EFAULT, ENXIO };

test(every_error_of_io_uring_setup_falls_back)
{
	for (unsigned i = 0; i < sizeof injected / sizeof *injected; i++) {
		int outcome = outcome_with(SYS_io_uring_setup, (unsigned)injected[i], BLOCK_AUTO);
		check(outcome == FELL_BACK || outcome == NO_FILTER);
	}
}

test(every_error_of_io_uring_enter_falls_back_and_never_hangs)
{
	for (unsigned i = 0; i < sizeof injected / sizeof *injected; i++) {
		int outcome = outcome_with(SYS_io_uring_enter, (unsigned)injected[i], BLOCK_AUTO);
		check(outcome == FELL_BACK || outcome == NO_FILTER);
	}
}

test(enter_that_claims_success_and_does_nothing_never_hangs)
{
	int outcome = outcome_with(SYS_io_uring_enter, 0, BLOCK_AUTO);

	check(outcome == FELL_BACK || outcome == NO_FILTER);
}

test(every_error_of_libaio_is_refused_by_name)
{
	static const unsigned calls[] = { SYS_io_setup, SYS_io_submit, SYS_io_getevents };

	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
		int outcome = outcome_with(calls[i], EPERM, BLOCK_LIBAIO);
		check(outcome == REFUSED || outcome == NO_FILTER);
	}
}

test(call_that_the_kernel_does_not_take_from_psync_is_no_fault_of_the_device)
{
	int outcome = outcome_with(SYS_pread64, EINVAL, BLOCK_PSYNC);

	check(outcome == REFUSED || outcome == NO_FILTER);
	outcome = outcome_with(SYS_pread64, EPERM, BLOCK_PSYNC);
	check(outcome == REFUSED || outcome == NO_FILTER);
}

/* How many of a pass's writes, each failing with err, were the device's fault (100 and more) or ours; 200: no filter. */
static int writes_with(unsigned err)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct block_job job = once_through(numbered_file(), BLOCK_PSYNC, 1, 65536);

		job.rw = BLOCK_WRITE;
		job.visit = NULL;
		if (!refuse_call(SYS_pwrite64, err))
			_exit(200);
		_exit(block_run(&job, &result) ? 201 : (int)(result.errors.count ? 100 + result.errors.count : result.refusals.count));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

test(writes_without_space_are_counted_apart_from_the_devices_errors)
{
	int outcome = writes_with(ENOSPC);

	check(outcome == 16 || outcome == 200);
	outcome = writes_with(EIO);
	check(outcome == 116 || outcome == 200);
}

test(refusals_are_named_in_order)
{
	int fd = numbered_file(), status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct block_job job = once_through(fd, BLOCK_AUTO, 4, 16384);

		if (!refuse_call(SYS_io_uring_setup, EPERM) || !refuse_call(SYS_io_setup, EAGAIN))
			_exit(0);
		_exit(block_run(&job, &result) || strcmp(result.refused, "io_uring: EPERM; libaio: EAGAIN") ||
		      strcmp(result.engine, "psync"));
	}
	waitpid(pid, &status, 0);
	check_equal(status, 0);
	close(fd);
}

test(memory_that_is_not_to_be_had_is_told)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct block_job job = once_through(numbered_file(), BLOCK_AUTO, 4, 4096);

		_exit(refuse_call(SYS_mmap, ENOMEM) && block_run(&job, &result) != -ENOMEM);
	}
	waitpid(pid, &status, 0);
	check_equal(status, 0);
}
