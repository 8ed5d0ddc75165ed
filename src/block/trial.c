/*
 * trial.c: which engine, and how many jobs, are the quickest for a job: found by running it for a moment with each.
 *
 * Engines: two rounds of 15 ms each, the second in reverse, so that what the first one warms up favours nobody; the better of
 * the two counts, and within 2 % the earlier engine wins.  What trials write is part of the job's limit.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "block/pump.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/map.h"

enum {
	ROUNDS = 2,
	TRIAL_NS = 15000000,
	TRIAL_RAMP_NS = 2000000,
	TRIAL_MOST_BYTES = 16 << 20, /* in flight: on a slow eMMC, as much as it does in 60 ms */
	LEAST_IOS = 16,              /* fewer tell nothing */
	LIMIT_PART = 32,
	TIE_PER_CENT = 2,
};

struct candidate {
	const struct block_engine *engine;
	int err;
	uint64_t iops;               /* of its better round */
};

static uint64_t iops_of(const struct block_result *result)
{
	return result->ios < LEAST_IOS || result->iops_milli == VALUE_NONE ? 0 : (uint64_t)result->iops_milli / 1000;
}

static bool is_quicker(uint64_t iops, uint64_t best)
{
	return iops * 100 > best * (100 + TIE_PER_CENT);
}

/* A partition's queue is its disk's. */
static bool has_polling(int fd)
{
	static const char *const folders[] = { "", "/.." };
	struct stat status;
	char text[8];

	if (fstat(fd, &status) || !S_ISBLK(status.st_mode))
		return false;
	for (unsigned i = 0; i < COUNT_OF(folders); i++)
		if (file_read_here(text, sizeof text, "/sys/dev/block/%u:%u%s/queue/io_poll", major(status.st_rdev),
		                   minor(status.st_rdev), folders[i]) > 0)
			return text[0] == '1';
	return false;
}

static unsigned list_candidates(const struct block_job *job, struct candidate candidates[4])
{
	unsigned count = 0;

	if (job->hipri || has_polling(job->fd))
		candidates[count++].engine = &block_engine_polled;
	candidates[count++].engine = &block_engine_uring;
	candidates[count++].engine = &block_engine_aio;
	if (job->iodepth == 1)
		candidates[count++].engine = &block_engine_psync;
	return count;
}

static bool can_be_tried(const struct block_job *job)
{
	uint64_t jobs = job->numjobs ? job->numjobs : 1;

	return job->runtime_ns && !job->visit && !job->rate_iops && job->bs_bytes * job->iodepth * jobs <= TRIAL_MOST_BYTES &&
	       (!job->limit_ios || job->limit_ios >= jobs * LEAST_IOS * LIMIT_PART);
}

static struct block_job trial_of(const struct block_job *job, uint64_t trial_ns, uint64_t limit_ios, unsigned number)
{
	struct block_job trial = *job;

	trial.runtime_ns = trial_ns;
	trial.ramp_ns = limit_ios ? 0 : TRIAL_RAMP_NS; /* which would take all of a few */
	trial.precision_ppm = 0;
	trial.limit_ios = limit_ios;
	trial.slat = false;
	trial.seed += number + 1; /* other places: what one has read must not be cached for the next */
	return trial;
}

static void take_off_limit(struct block_job *job, uint64_t ios)
{
	if (job->limit_ios && block_writes(job->rw))
		job->limit_ios -= ios < job->limit_ios ? ios : job->limit_ios - 1;
}

static void add_figure(struct text *text, const struct candidate *candidate)
{
	bool thousands = candidate->iops >= 10000;

	text_add_format(text, "%s%s %llu%s", text->length ? ", " : "", candidate->engine->name,
	                (unsigned long long)(thousands ? candidate->iops / 1000 : candidate->iops), thousands ? "k" : "");
}

static const struct block_engine *judge(const struct candidate *candidates, unsigned count, struct block_result *result)
{
	struct text text = TEXT(result->trial);
	const struct block_engine *best = NULL;
	uint64_t best_iops = 0;

	for (unsigned i = 0; i < count; i++) {
		if (candidates[i].err)
			continue;
		add_figure(&text, &candidates[i]);
		if (is_quicker(candidates[i].iops, best_iops)) {
			best = candidates[i].engine;
			best_iops = candidates[i].iops;
		}
	}
	if (text.length)
		text_add(&text, " IOPS");
	return best;
}

/* One round of one engine: false when the device has shown a fault, and trying is over. */
static bool try_one(struct block_run *run, struct block_job *job, struct candidate *candidate, unsigned number,
                    uint64_t limit_ios, struct block_result *result, uint64_t *tried_ios)
{
	struct block_job trial = trial_of(job, TRIAL_NS, limit_ios, number);

	candidate->err = jobs_run(run, &trial, candidate->engine, result);
	*tried_ios += result->tried_ios;
	take_off_limit(job, result->tried_ios);
	jobs_add_errors(&run->spared[0], &result->errors);
	jobs_add_errors(&run->spared[1], &result->refusals);
	run->spared_writes += result->write_errors;
	/* Polling that nobody asked for is no refusal. */
	if (candidate->err && !jobs_met_device(result) && (candidate->engine != &block_engine_polled || job->hipri))
		engine_add_refusal(result, candidate->engine->name, candidate->err);
	if (iops_of(result) > candidate->iops)
		candidate->iops = iops_of(result);
	return !result->errors.count && !result->refusals.count && !run->lost;
}

const struct block_engine *trial_choose(struct block_run *run, struct block_job *job, struct block_result *result,
                                        uint64_t *tried_ios)
{
	struct candidate candidates[4] = { { .engine = NULL } };
	unsigned count = list_candidates(job, candidates), number = 0;
	uint64_t limit_ios = job->limit_ios / LIMIT_PART;

	if (!can_be_tried(job))
		return NULL;
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < count; i++) {
			struct candidate *candidate = &candidates[round ? count - 1 - i : i];

			if (!candidate->err && !try_one(run, job, candidate, number++, limit_ios, result, tried_ios))
				return NULL;
		}
	return judge(candidates, count, result);
}

/* 0 when nothing came of it. */
static uint64_t iops_with(const struct block_job *job, unsigned jobs, unsigned number, uint64_t trial_ns, uint64_t *left_ios,
                          struct block_result *result, uint64_t *trial_ios)
{
	struct block_job trial = trial_of(job, trial_ns, job->limit_ios ? *left_ios / LIMIT_PART : 0, number * 64);
	int err;

	trial.numjobs = jobs;
	if (job->limit_ios && !trial.limit_ios)
		return 0;
	err = block_run(&trial, result);
	*trial_ios += result->tried_ios;
	*left_ios -= result->tried_ios < *left_ios ? result->tried_ios : *left_ios;
	return err || result->errors.count || result->refusals.count ? 0 : iops_of(result);
}

/* The number behind this one: twice as many, and as many as there are CPUs at last. */
static unsigned next_number(unsigned jobs, unsigned most)
{
	return jobs == most ? most + 1 : 2 * jobs < most ? 2 * jobs : most;
}

static bool fits(const struct block_job *job, unsigned jobs, uint64_t most_bytes)
{
	struct block_job all = *job;

	all.numjobs = jobs;
	return jobs == 1 || block_buffer_bytes(&all) <= most_bytes;
}

int block_choose_jobs(const struct block_job *job, uint64_t trial_ns, uint64_t most_bytes, unsigned *numjobs, uint64_t *trial_ios)
{
	uint64_t left_ios = job->limit_ios, best_iops = 0;
	struct cpu_list cpus;
	unsigned most, number = 0;
	void *result;
	int err = map_memory(sizeof(struct block_result), MAP_PAGE_SMALL, &result);

	*numjobs = 1;
	*trial_ios = 0;
	if (err)
		return err;
	cpu_allowed(&cpus);
	most = cpus.count < BLOCK_MAX_JOBS ? cpus.count : BLOCK_MAX_JOBS;
	for (unsigned jobs = 1; jobs <= most && fits(job, jobs, most_bytes); jobs = next_number(jobs, most)) {
		uint64_t iops = 0;

		for (unsigned round = 0; round < ROUNDS; round++) {
			uint64_t one = iops_with(job, jobs, number++, trial_ns / ROUNDS, &left_ios, result, trial_ios);

			iops = one > iops ? one : iops;
		}
		if (is_quicker(iops, best_iops)) {
			best_iops = iops;
			*numjobs = jobs;
		}
	}
	unmap_memory(result, sizeof(struct block_result));
	return 0;
}
