/* engine.c: what is asked of an engine, which one does it, and the memory for it. */
#include <errno.h>
#include <string.h>

#include "block/loss.h"
#include "block/pump.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/map.h"

enum {
	BUFFER_ALIGN = 64 << 10,     /* of the first; no logical block is larger */
	BUFFER_STEP = 4096,
};

bool block_reads(enum block_rw rw)
{
	return rw != BLOCK_WRITE && rw != BLOCK_RANDWRITE;
}

bool block_writes(enum block_rw rw)
{
	return rw != BLOCK_READ && rw != BLOCK_RANDREAD;
}

bool block_is_random(enum block_rw rw)
{
	return rw == BLOCK_RANDREAD || rw == BLOCK_RANDWRITE || rw == BLOCK_RANDRW;
}

/* For reads, and for writes that must not carry what was read. */
static unsigned buffers_each(const struct block_job *job)
{
	return block_reads(job->rw) && block_writes(job->rw) ? 2 : 1;
}

uint64_t block_buffer_bytes(const struct block_job *job)
{
	return job->bs_bytes * job->iodepth * (job->numjobs ? job->numjobs : 1) * buffers_each(job);
}

void engine_add_refusal(struct block_result *result, const char *engine, int err)
{
	size_t length = strlen(result->refused);
	struct text refused = text_in(result->refused + length, sizeof result->refused - length);
	const char *name = sys_error(err);

	/* Only the symbol of "EPERM (operation not permitted)". */
	text_add_format(&refused, "%s%s: %.*s", length ? "; " : "", engine, (int)strcspn(name, " "), name);
}

static const struct block_engine *const engines[] = {
	&block_engine_polled, &block_engine_uring, &block_engine_aio, &block_engine_psync,
};

static bool is_asked_for(const struct block_job *job, const struct block_engine *engine)
{
	if (engine == &block_engine_polled)
		return job->hipri && (job->engine == BLOCK_AUTO || job->engine == BLOCK_FIRST || job->engine == BLOCK_IO_URING);
	switch (job->engine) {
	case BLOCK_IO_URING:
		return engine == &block_engine_uring;
	case BLOCK_LIBAIO:
		return engine == &block_engine_aio;
	case BLOCK_PSYNC:
		return engine == &block_engine_psync;
	default:
		return true;
	}
}

/* In their order, or those asked for alone.  A job that has met the device is not begun again by another engine. */
static int try_engines(struct block_run *run, const struct block_job *job, struct block_result *result, uint64_t *tried_ios)
{
	int err = -ENOSYS;

	for (unsigned i = 0; i < COUNT_OF(engines) && err && !run->lost && !jobs_met_device(result); i++) {
		if (!is_asked_for(job, engines[i]))
			continue;
		err = jobs_run(run, job, engines[i], result);
		*tried_ios += result->tried_ios;
		if (err)
			engine_add_refusal(result, engines[i]->name, err);
	}
	return err;
}

/* What a trial found wrong with the device is not forgotten, nor told twice when the run met it, too. */
static void add_spared(const struct block_run *run, struct block_result *result)
{
	if (result->errors.count + result->refusals.count)
		return;
	jobs_add_errors(&result->errors, &run->spared[0]);
	jobs_add_errors(&result->refusals, &run->spared[1]);
	result->write_errors += run->spared_writes;
}

/* The figures of 15 ms are none of the job's. */
static void leave_faults(const struct block_run *run, struct block_result *result)
{
	unsigned iodepth = result->iodepth, numjobs = result->numjobs;

	jobs_clear(result);
	result->iodepth = iodepth;
	result->numjobs = numjobs;
	result->device_gone = true;
	add_spared(run, result);
}

static int try_quickest(struct block_run *run, struct block_job *job, struct block_result *result, uint64_t *tried_ios)
{
	const struct block_engine *quickest = trial_choose(run, job, result, tried_ios);
	int err = -ENOSYS;

	if (run->lost)
		return -EIO;
	if (result->device_gone) {
		leave_faults(run, result);
		return 0;
	}
	jobs_clear(result);
	if (quickest) {
		err = jobs_run(run, job, quickest, result);
		*tried_ios += result->tried_ios;
	}
	if (err && !run->lost && !jobs_met_device(result)) {
		result->refused[0] = result->trial[0] = '\0';
		err = try_engines(run, job, result, tried_ios);
	}
	add_spared(run, result);
	return err;
}

static int run_job(struct block_run *run, const struct block_job *asked, struct block_result *result)
{
	struct block_job job = *asked;
	uint64_t tried_ios = 0;
	int err;

	if (job.engine == BLOCK_AUTO)
		err = try_quickest(run, &job, result, &tried_ios);
	else
		err = try_engines(run, &job, result, &tried_ios);
	result->tried_ios = tried_ios;
	return err;
}

static bool has_places(const struct block_job *job)
{
	return job->distribution != BLOCK_ZIPF || (job->zipf_theta_milli <= ZIPF_MAX_THETA_MILLI &&
	       place_blocks(job) <= ZIPF_MAX_COUNT);
}

static bool is_sane(const struct block_job *job)
{
	return job->iodepth >= 1 && job->iodepth <= BLOCK_MAX_DEPTH && job->numjobs <= BLOCK_MAX_JOBS && job->bs_bytes &&
	       job->bs_bytes <= BLOCK_MAX_BYTES && job->size_bytes && (job->bs_bytes <= job->size_bytes || !job->runtime_ns) &&
	       job->rwmixread <= 100 && has_places(job);
}

static int run_with_memory(struct block_run *run, const struct block_job *job, uint64_t part_bytes, struct block_result *result)
{
	uint64_t step_bytes = (job->bs_bytes + BUFFER_STEP - 1) / BUFFER_STEP * BUFFER_STEP, lost;
	size_t bytes = run->jobs * job->iodepth * buffers_each(job) * step_bytes + BUFFER_ALIGN;
	void *buffers;
	int err = map_memory(bytes, MAP_PAGE_THP, &buffers);

	if (err)
		return err;
	run->buffers = (char *)(((uintptr_t)buffers + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN);
	run->write_at_bytes = (buffers_each(job) - 1) * step_bytes;
	run->step_bytes = buffers_each(job) * step_bytes;
	run->part_bytes = part_bytes;
	if (job->distribution == BLOCK_ZIPF && block_is_random(job->rw))
		zipf_prepare(&run->zipf, place_blocks(job), job->zipf_theta_milli);
	clock_quality();
	err = run_job(run, job, result);
	lost = run->lost;
	if (!lost)
		unmap_memory(buffers, bytes);
	return err;
}

int engine_run_in_parts(const struct block_job *job, uint64_t part_bytes, struct block_result *result)
{
	unsigned jobs = job->numjobs ? job->numjobs : 1;
	size_t bytes = sizeof(struct block_run) + jobs * sizeof(struct block_lane);
	void *state;
	struct block_run *run;
	int err;

	result->refused[0] = result->trial[0] = '\0';
	result->engine = "none";
	jobs_clear(result);
	if (!is_sane(job))
		return -EINVAL;
	err = map_memory(bytes, MAP_PAGE_SMALL, &state);
	if (err)
		return err;
	run = state;
	run->jobs = jobs;
	err = run_with_memory(run, job, part_bytes, result);
	/* Memory that the kernel may still write to is left where it is. */
	if (!run->lost)
		unmap_memory(state, bytes);
	return err;
}

int block_run(const struct block_job *job, struct block_result *result)
{
	int err = engine_run_in_parts(job, BLOCK_PART_BYTES, result);

	block_judge_loss(job, result);
	return err;
}

int block_read_once(int fd, uint64_t offset_bytes, size_t bytes)
{
	void *buffer;
	ssize_t count;
	int err = map_memory(bytes + BUFFER_ALIGN, MAP_PAGE_SMALL, &buffer);

	if (err)
		return err;
	count = sys_pread(fd, (char *)buffer + BUFFER_ALIGN - (uintptr_t)buffer % BUFFER_ALIGN, bytes, offset_bytes);
	unmap_memory(buffer, bytes + BUFFER_ALIGN);
	if (count < 0)
		return (int)count;
	return (size_t)count == bytes ? 0 : -EIO;
}
