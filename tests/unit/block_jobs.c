/*
 * block_jobs.c: several jobs, both sides, parts of a block, what a job's fields promise.  An engine that this kernel lacks
 * (io_uring under qemu-user) must fall back, so that most tests hold wherever they run.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "block/engine.h"
#include "block/pump.h"
#include "block_file.h"
#include "scratch_block.h"
#include "sys/cpu.h"

static struct block_result result;
static atomic_uint visits[BLOCKS];
static atomic_uint wrong_visits;

static struct block_job job_of(int fd, enum block_rw rw, enum block_engine_choice engine, unsigned iodepth, unsigned numjobs)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		visits[i] = 0;
	wrong_visits = 0;
	return (struct block_job){ .fd = fd, .rw = rw, .engine = engine, .iodepth = iodepth, .numjobs = numjobs, .bs_bytes = BLOCK,
	                           .size_bytes = BLOCKS * BLOCK, .rwmixread = 70, .seed = 1 };
}

static void count_visit(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	(void)context;
	for (size_t i = 0; i < bytes; i += BLOCK) {
		uint64_t number = offset_bytes / BLOCK + i / BLOCK;

		if (number >= BLOCKS || ((unsigned char *)buffer)[i] != (unsigned char)number)
			wrong_visits++;
		else
			visits[number]++;
	}
}

static bool each_visited_once(void)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		if (visits[i] != 1)
			return false;
	return !wrong_visits;
}

test(jobs_together_read_every_block_once)
{
	int fd = numbered_file();

	for (enum block_engine_choice engine = BLOCK_AUTO; engine <= BLOCK_FIRST; engine++)
		for (unsigned numjobs = 1; numjobs <= 5; numjobs += 2)
			for (enum block_rw rw = BLOCK_READ; rw <= BLOCK_RANDREAD; rw++) {
				struct block_job job = job_of(fd, rw, engine, 4, numjobs);

				job.visit = count_visit;
				if (block_run(&job, &result)) {
					check((engine == BLOCK_IO_URING || engine == BLOCK_LIBAIO) && result.refused[0]);
					continue;
				}
				check(each_visited_once());
				check_equal(result.ios, BLOCKS);
				check_equal(result.flows[BLOCK_SIDE_READ].lat.count, BLOCKS);
				check_equal(result.numjobs, numjobs);
				check_equal(result.tried_ios, BLOCKS);
			}
	close(fd);
}

static unsigned cpu_count(void)
{
	struct cpu_list cpus;

	cpu_allowed(&cpus);
	return cpus.count;
}

test(jobs_that_share_a_cpu_are_counted)
{
	unsigned cpus = cpu_count();
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_READ, BLOCK_PSYNC, 1, cpus);

	if (cpus > 20)
		return; /* more than the tests may have jobs */
	check_equal(block_run(&job, &result), 0);
	check_equal(result.shared_cpus, 0);
	job.numjobs = cpus + 1;
	check_equal(block_run(&job, &result), 0);
	check_equal(result.shared_cpus, 2);
	job.numjobs = 3 * cpus;
	check_equal(block_run(&job, &result), 0);
	check_equal(result.shared_cpus, 3 * cpus);
	close(fd);
}

static _Thread_local int own_cpu = -1;
static atomic_uint moves, cpus_seen[MAX_CPUS];

static void note_cpu(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	int cpu = cpu_current();

	(void)context, (void)offset_bytes, (void)buffer, (void)bytes;
	moves += own_cpu >= 0 && own_cpu != cpu;
	if (own_cpu < 0)
		cpus_seen[cpu]++;
	own_cpu = cpu;
}

test(each_job_stays_on_a_cpu_of_its_own_and_the_caller_is_left_alone)
{
	unsigned cpus = cpu_count() < 4 ? cpu_count() : 4;
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_FIRST, 2, cpus);
	cpu_set_t before, after;

	sched_getaffinity(0, sizeof before, &before);
	job.runtime_ns = MS(30);
	job.visit = note_cpu;
	check_equal(block_run(&job, &result), 0);
	if (cpus > 1)
		check_equal(moves, 0);
	for (unsigned i = 0; i < MAX_CPUS && cpus > 1; i++)
		check(cpus_seen[i] <= 1);
	sched_getaffinity(0, sizeof after, &after);
	check(CPU_EQUAL(&before, &after));
	close(fd);
}

test(figures_of_jobs_add_up)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_FIRST, 4, 3);
	const struct block_flow *flow = &result.flows[BLOCK_SIDE_READ];

	job.runtime_ns = MS(100);
	job.ramp_ns = MS(10);
	result.flows[BLOCK_SIDE_READ].bandwidth.count = 0;
	/* A busy machine may not give its intervals' time: a few tries. */
	for (unsigned tries = 0; tries < 5 && flow->bandwidth.count < 4; tries++)
		check_equal(block_run(&job, &result), 0);
	check(result.ios > 100 && result.discarded > 0);
	check_equal(flow->lat.count, result.ios);
	check_equal(flow->ios, result.ios);
	check_equal(result.bytes, result.ios * BLOCK);
	check(result.time_ns >= MS(100) && result.time_ns < MS(1000));
	check_equal(result.bandwidth_milli, milli_per_second(result.bytes, result.time_ns));
	check(result.inflight_milli > 0 && result.inflight_milli <= 3 * (int64_t)result.iodepth * 1000);
	check(flow->bandwidth.count >= 4 && flow->bandwidth.count <= 40);
	check(result.tried_ios >= result.ios + result.discarded && result.tried_ios <= result.ios + result.discarded + 12);
	check(result.user_ns + result.system_ns <= 3 * MS(1200));
	close(fd);
}

test(intervals_of_jobs_are_summed)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_PSYNC, 1, 2);
	struct summary summary;

	job.runtime_ns = MS(200);
	check_equal(block_run(&job, &result), 0);
	summary_of(&result.flows[BLOCK_SIDE_READ].bandwidth, &summary);
	check(summary.mean > result.bandwidth_milli / 2 && summary.mean < result.bandwidth_milli * 2);
	close(fd);
}

test(limit_is_kept_to_the_last_one)
{
	int fd = numbered_file();

	for (unsigned numjobs = 1; numjobs <= 3; numjobs++) {
		struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_FIRST, 8, numjobs);

		job.runtime_ns = SECONDS(20);
		job.limit_ios = 1001;
		check_equal(block_run(&job, &result), 0);
		check_equal(result.ios, 1001);
		check_equal(result.tried_ios, 1001);
	}
	close(fd);
}

test(few_blocks_are_not_all_spent_on_the_warm_up)
{
	int fd = numbered_file();

	for (enum block_engine_choice engine = BLOCK_IO_URING; engine <= BLOCK_FIRST; engine++)
		for (unsigned each = 1; each <= 100; each += 9) {
			struct block_job job = job_of(fd, BLOCK_RANDREAD, engine, 32, 2);

			job.runtime_ns = SECONDS(20);
			job.ramp_ns = SECONDS(10);
			job.limit_ios = 2 * each;
			if (block_run(&job, &result))
				continue;
			check(result.ios > 0 && result.iops_milli != VALUE_NONE);
			check_equal(result.tried_ios, 2 * each);
		}
	close(fd);
}

test(sides_are_kept_apart)
{
	int fd = numbered_file();

	for (enum block_rw rw = BLOCK_RW; rw <= BLOCK_RANDRW; rw++) {
		struct block_job job = job_of(fd, rw, BLOCK_FIRST, 4, 2);
		const struct block_flow *reads = &result.flows[BLOCK_SIDE_READ], *writes = &result.flows[BLOCK_SIDE_WRITE];

		job.runtime_ns = SECONDS(20);
		job.limit_ios = 10000;
		check_equal(block_run(&job, &result), 0);
		check(reads->ios > 6500 && reads->ios < 7500); /* 7000, deviation 46 */
		check_equal(reads->ios + writes->ios, 10000);
		check_equal(writes->lat.count, writes->ios);
		check_equal(result.bandwidth_milli, milli_per_second(reads->bytes + writes->bytes, result.time_ns));
		check(reads->bandwidth_milli > writes->bandwidth_milli);
	}
	close(fd);
}

/* Its own as it was, or of those that assay writes. */
static bool is_own_or_written(int fd, unsigned number)
{
	static unsigned char block[BLOCK];
	bool own = true, written = true;

	if (pread(fd, block, sizeof block, (off_t)number * BLOCK) != sizeof block)
		return false;
	for (unsigned i = 0; i < BLOCK; i += 512) {
		own &= block[i] == (unsigned char)number && !memcmp(block + i, block + i + 1, 511);
		written &= !memcmp(block + i, SCRATCH_MAGIC, SCRATCH_MAGIC_BYTES);
	}
	return own || written;
}

test(mixed_jobs_never_write_what_they_have_read)
{
	for (enum block_engine_choice engine = BLOCK_IO_URING; engine <= BLOCK_FIRST; engine++)
		for (enum block_rw rw = BLOCK_RW; rw <= BLOCK_RANDRW; rw++) {
			int fd = numbered_file();
			struct block_job job = job_of(fd, rw, engine, 4, 2);

			job.bs_bytes = 2 * BLOCK;
			job.runtime_ns = SECONDS(20);
			job.limit_ios = 2000;
			if (!engine_run_in_parts(&job, BLOCK, &result)) {
				check(result.flows[BLOCK_SIDE_WRITE].ios > 0);
				for (unsigned i = 0; i < BLOCKS; i++)
					check(is_own_or_written(fd, i));
			}
			close(fd);
		}
}

test(buffers_of_mixed_jobs_are_twice_as_many)
{
	struct block_job job = { .rw = BLOCK_RANDWRITE, .bs_bytes = 4096, .iodepth = 8, .numjobs = 3 };

	check_equal(block_buffer_bytes(&job), 4096 * 8 * 3);
	job.rw = BLOCK_RANDRW;
	check_equal(block_buffer_bytes(&job), 2 * 4096 * 8 * 3);
	job.numjobs = 0;
	check_equal(block_buffer_bytes(&job), 2 * 4096 * 8);
}

test(side_that_is_not_there_has_no_figures)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDWRITE, BLOCK_FIRST, 4, 1);
	const struct block_flow *reads = &result.flows[BLOCK_SIDE_READ];

	job.runtime_ns = MS(20);
	check_equal(block_run(&job, &result), 0);
	check(result.flows[BLOCK_SIDE_WRITE].bandwidth.count > 0);
	check(reads->ios == 0 && reads->lat.count == 0 && reads->bandwidth.count == 0);
	check(reads->bandwidth_milli == VALUE_NONE && reads->iops_milli == VALUE_NONE);
	close(fd);
}

/* ---- blocks of many parts ---- */

test(parts_make_one_block)
{
	int fd = numbered_file();

	for (enum block_engine_choice engine = BLOCK_IO_URING; engine <= BLOCK_FIRST; engine++) {
		struct block_job job = job_of(fd, BLOCK_RANDREAD, engine, 3, 1);

		job.bs_bytes = 10 * BLOCK;
		job.visit = count_visit;
		if (engine_run_in_parts(&job, 3 * BLOCK, &result))
			continue;
		check(each_visited_once());
		check_equal(result.ios, 26);
		check_equal(result.flows[BLOCK_SIDE_READ].lat.count, 26);
		check_equal(result.bytes, BLOCKS * BLOCK);
	}
	close(fd);
}

test(error_in_a_part_has_the_address_of_the_part)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_READ, BLOCK_FIRST, 1, 1);

	job.bs_bytes = 64 * BLOCK;
	check(!ftruncate(fd, 200 * BLOCK));
	check_equal(engine_run_in_parts(&job, 4 * BLOCK, &result), 0);
	check_equal(result.ios, 3);
	check_equal(result.errors.count, 1);
	check_equal(result.errors.at_bytes[0], 200 * BLOCK);
	close(fd);
}

/* ---- latency in parts ---- */

test(latency_is_that_of_sending_and_of_completion)
{
	int fd = numbered_file();

	for (enum block_engine_choice engine = BLOCK_IO_URING; engine <= BLOCK_LIBAIO; engine++) {
		struct block_job job = job_of(fd, BLOCK_RANDREAD, engine, 4, 2);
		const struct block_flow *flow = &result.flows[BLOCK_SIDE_READ];

		job.runtime_ns = MS(20);
		job.slat = true;
		if (block_run(&job, &result))
			continue;
		check(flow->slat.count == flow->lat.count && flow->clat.count == flow->lat.count);
		check(flow->slat.sum + flow->clat.sum == flow->lat.sum);
		check(flow->slat.sum > 0 && flow->clat.max > 0);
		job.slat = false;
		check_equal(block_run(&job, &result), 0);
		check(flow->slat.count == 0 && flow->clat.count == 0 && flow->lat.count > 0);
	}
	close(fd);
}

test(psync_sends_and_completes_by_one_call)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_PSYNC, 1, 1);
	const struct block_flow *flow = &result.flows[BLOCK_SIDE_READ];

	job.slat = true;
	check_equal(block_run(&job, &result), 0);
	check_equal(flow->slat.count, 0);
	check(flow->lat.count == BLOCKS && !memcmp(&flow->clat, &flow->lat, sizeof flow->lat));
	close(fd);
}

/* ---- registering ---- */

enum { PLAIN, FIXED, NO_URING, WRONG };

static int outcome_of(struct block_job job)
{
	job.visit = count_visit;
	if (block_run(&job, &result) || strcmp(result.engine, "io_uring"))
		return NO_URING;
	if (!each_visited_once() || result.fixed_buffers != result.fixed_file)
		return WRONG;
	return result.fixed_buffers ? FIXED : PLAIN;
}

test(buffers_and_file_are_registered_where_they_can_be)
{
	int fd = numbered_file();
	int outcome = outcome_of(job_of(fd, BLOCK_READ, BLOCK_IO_URING, 8, 2));

	check(outcome == FIXED || outcome == NO_URING || geteuid());
	close(fd);
}

test(without_registering_all_is_read_all_the_same)
{
	static const unsigned errors[] = { EPERM, ENOMEM, EINVAL, EOPNOTSUPP, EFAULT, ENOSYS };

	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++) {
		int status = 0;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid)
			_exit(refuse_call(SYS_io_uring_register, errors[i])
			      ? outcome_of(job_of(numbered_file(), BLOCK_READ, BLOCK_IO_URING, 8, 1)) : NO_URING);
		waitpid(pid, &status, 0);
		check(WIFEXITED(status) && (WEXITSTATUS(status) == PLAIN || WEXITSTATUS(status) == NO_URING));
	}
}

test(without_locked_memory_the_buffers_alone_are_not_registered)
{
	static const struct rlimit none = { 0, 0 };
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct block_job job = job_of(numbered_file(), BLOCK_READ, BLOCK_IO_URING, 8, 1);

		if (setrlimit(RLIMIT_MEMLOCK, &none) || setuid(65534))
			_exit(0);
		job.visit = count_visit;
		if (block_run(&job, &result))
			_exit(0); /* no io_uring here, or (before 5.12) its rings are locked memory, too */
		_exit(!each_visited_once() || result.fixed_buffers);
	}
	waitpid(pid, &status, 0);
	check_equal(status, 0);
}

test(polling_that_the_file_does_not_have_is_refused_by_name)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_READ, BLOCK_FIRST, 4, 2);

	job.visit = count_visit;
	job.hipri = true;
	check_equal(block_run(&job, &result), 0);
	check(!strncmp(result.refused, "io_uring polled: ", 17));
	check(strcmp(result.engine, "io_uring polled"));
	check(each_visited_once());
	job.hipri = false;
	check_equal(block_run(&job, &result), 0);
	check(!strstr(result.refused, "polled"));
	close(fd);
}

/* ---- the quickest ---- */

test(auto_names_what_each_engine_brought)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_AUTO, 1, 1);

	job.runtime_ns = MS(20);
	check_equal(block_run(&job, &result), 0);
	check(strstr(result.trial, "psync ") && strstr(result.trial, " IOPS"));
	check(strstr(result.trial, "libaio ") || strstr(result.refused, "libaio: "));
	check(strstr(result.trial, "io_uring ") || strstr(result.refused, "io_uring: "));
	check(strstr(result.trial, result.engine) != NULL);
	check(result.tried_ios > result.ios + result.discarded + 16);
	job.iodepth = 4;
	check_equal(block_run(&job, &result), 0);
	check(!strstr(result.trial, "psync"));
	close(fd);
}

test(jobs_that_cannot_be_tried_are_not)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_AUTO, 1, 1);

	check_equal(block_run(&job, &result), 0);
	check_string(result.trial, "");
	check_equal(result.tried_ios, BLOCKS);
	job.runtime_ns = MS(20);
	job.visit = count_visit;
	check_equal(block_run(&job, &result), 0);
	check_string(result.trial, "");
	job.visit = NULL;
	job.limit_ios = 100;
	check_equal(block_run(&job, &result), 0);
	check_string(result.trial, "");
	check_equal(result.ios, 100);
	close(fd);
}

test(writes_of_trials_are_part_of_the_limit)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDWRITE, BLOCK_AUTO, 1, 1);

	job.runtime_ns = SECONDS(20);
	job.limit_ios = 6000;
	check_equal(block_run(&job, &result), 0);
	check(result.trial[0] || result.refused[0]);
	check_equal(result.tried_ios, 6000);
	check(result.ios < 6000);
	job.rw = BLOCK_RANDREAD;
	check_equal(block_run(&job, &result), 0);
	check_equal(result.ios, 6000);
	check(result.tried_ios > 6000);
	close(fd);
}

test(error_in_a_trial_is_not_forgotten)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_AUTO, 4, 1);

	job.runtime_ns = MS(20);
	check(!ftruncate(fd, BLOCK * (BLOCKS - 1)));
	check_equal(block_run(&job, &result), 0);
	check(result.errors.count > 0);
	check_equal(result.errors.at_bytes[0], BLOCK * (BLOCKS - 1));
	close(fd);
}

/* The last block finds no device, when pread reads it. */
static bool lose_at_the_last_block(void)
{
	const unsigned args = offsetof(struct seccomp_data, args);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, args + 3 * 8),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (BLOCKS - 1) * BLOCK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENODEV),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* psync, the last to be tried, reads every block once in its trial. */
static int outcome_of_a_loss(void)
{
	struct block_job job = job_of(numbered_file(), BLOCK_RANDREAD, BLOCK_AUTO, 1, 1);

	job.runtime_ns = SECONDS(20);
	job.limit_ios = 32 * BLOCKS;
	if (!lose_at_the_last_block())
		return 0;
	if (block_run(&job, &result))
		return 1;
	if (!result.device_gone || result.errors.count != 1 || result.errors.at_bytes[0] != (BLOCKS - 1) * BLOCK)
		return 2;
	if (result.ios || result.bytes || result.bandwidth_milli != VALUE_NONE || result.flows[BLOCK_SIDE_READ].lat.count)
		return 3;
	return result.iodepth == 1 && result.numjobs == 1 ? 0 : 4;
}

test(figures_of_a_trial_in_which_the_device_went_away_are_none)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(outcome_of_a_loss());
	waitpid(pid, &status, 0);
	check_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

static _Thread_local bool is_counted;
static atomic_uint threads;

static void count_thread(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	(void)context, (void)offset_bytes, (void)buffer, (void)bytes;
	threads += !is_counted;
	is_counted = true;
}

test(jobs_beyond_the_memory_are_not_tried)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_FIRST, 4, 1);
	uint64_t ios = 0;
	unsigned numjobs = 0;

	job.runtime_ns = SECONDS(1);
	job.visit = count_thread;
	threads = 0;
	check_equal(block_choose_jobs(&job, MS(4), 2 * 4 * BLOCK - 1, &numjobs, &ios), 0);
	check(numjobs == 1 && threads == 1);
	check_equal(block_choose_jobs(&job, MS(4), 2 * 4 * BLOCK, &numjobs, &ios), 0);
	check(cpu_count() == 1 || threads == 5); /* two rounds of two */
	close(fd);
}

test(number_of_jobs_is_chosen_among_the_cpus)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_FIRST, 4, 1);
	uint64_t ios = 0;
	unsigned numjobs = 0;

	job.runtime_ns = SECONDS(1);
	check_equal(block_choose_jobs(&job, MS(20), UINT64_MAX, &numjobs, &ios), 0);
	check(numjobs >= 1 && numjobs <= cpu_count());
	check(ios > 100);
	job.rw = BLOCK_RANDWRITE;
	job.limit_ios = 3200;
	check_equal(block_choose_jobs(&job, MS(20), UINT64_MAX, &numjobs, &ios), 0);
	check(ios > 0 && ios <= 3200);
	close(fd);
}

/* ---- faults of several ---- */

test(errors_of_all_jobs_are_told_and_end_all)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_RANDREAD, BLOCK_FIRST, 4, 3);

	job.runtime_ns = SECONDS(20);
	check(!ftruncate(fd, 10 * BLOCK));
	check_equal(block_run(&job, &result), 0);
	check(result.errors.count >= 16 && result.errors.count <= 3 * (16 + 4));
	check_equal(result.errors.first_err, -EIO);
	for (unsigned i = 0; i < result.errors.count; i++)
		check(result.errors.at_bytes[i] >= 10 * BLOCK && result.errors.at_bytes[i] < BLOCKS * BLOCK);
	check_equal(result.write_errors, 0);
	close(fd);
}

test(jobs_fall_back_together)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct block_job job = job_of(numbered_file(), BLOCK_READ, BLOCK_FIRST, 4, 3);

		job.visit = count_visit;
		if (!refuse_call(SYS_io_uring_enter, EPERM))
			_exit(0);
		_exit(block_run(&job, &result) || !each_visited_once() || strcmp(result.engine, "libaio") ||
		      strncmp(result.refused, "io_uring: ", 10));
	}
	waitpid(pid, &status, 0);
	check_equal(status, 0);
}
