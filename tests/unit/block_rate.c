/* block_rate.c: I/Os at a rate, and measuring until it is precise enough. */
#include "test.h"

#include <time.h>

#include "block/engine.h"
#include "block/pump.h"
#include "block_file.h"
#include "lib/random.h"

static struct block_result result;
static struct samples samples;
static unsigned visited;
static uint64_t nap_ns;

static void nap(uint64_t duration_ns)
{
	const struct timespec span = { .tv_nsec = (long)duration_ns };

	nanosleep(&span, NULL);
}

static struct block_job job_of(int fd, enum block_engine_choice engine, unsigned iodepth)
{
	visited = 0;
	nap_ns = 0;
	return (struct block_job){ .fd = fd, .rw = BLOCK_RANDREAD, .engine = engine, .iodepth = iodepth, .bs_bytes = BLOCK,
	                           .size_bytes = BLOCKS * BLOCK, .runtime_ns = MS(300), .seed = 1 };
}

static uint64_t longer_than(uint64_t bound_ns)
{
	uint64_t count = result.flows[BLOCK_SIDE_READ].lat.overflow, low, high;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		histogram_bounds(i, &low, &high);
		if (low >= bound_ns)
			count += result.flows[BLOCK_SIDE_READ].lat.buckets[i];
	}
	return count;
}

test(rate_is_kept)
{
	int fd = numbered_file();

	for (enum block_engine_choice engine = BLOCK_IO_URING; engine <= BLOCK_FIRST; engine++) {
		struct block_job job = job_of(fd, engine, 4);

		job.rate_iops = 1000;
		if (block_run(&job, &result))
			continue;
		check(result.ios >= 295 && result.ios <= 320);
		check(result.iops_milli > 950000 && result.iops_milli < 1050000);
		check(result.inflight_milli <= 4000);
	}
	close(fd);
}

test(rate_is_that_of_each_job)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_FIRST, 4);

	job.rate_iops = 500;
	job.numjobs = 2;
	check_equal(block_run(&job, &result), 0);
	check(result.ios >= 290 && result.ios <= 320);
	close(fd);
}

/* One visit of 100 ms: with a rate of 1000 a second, about a hundred others were to be made meanwhile. */
static void stall_once(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	(void)context, (void)offset_bytes, (void)buffer, (void)bytes;
	if (++visited == 50)
		nap(MS(100));
}

test(stall_shows_in_all_that_were_to_be_made_meanwhile)
{
	int fd = numbered_file();

	for (enum block_engine_choice engine = BLOCK_IO_URING; engine <= BLOCK_FIRST; engine++) {
		struct block_job job = job_of(fd, engine, 4);

		job.rate_iops = 1000;
		job.visit = stall_once;
		if (block_run(&job, &result))
			continue;
		check(longer_than(MS(20)) >= 60);
		check(result.flows[BLOCK_SIDE_READ].lat.max >= MS(80));
		job.rate_iops = 0;
		visited = 0;
		check_equal(block_run(&job, &result), 0);
		check(longer_than(MS(20)) <= 4); /* those in flight, or none: the visit comes behind the reaping */
	}
	close(fd);
}

test(rate_beyond_what_can_be_done_is_as_quick_as_it_goes)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_FIRST, 2);

	job.runtime_ns = MS(50);
	job.rate_iops = 1000000000;
	check_equal(block_run(&job, &result), 0);
	check(result.ios > 100);
	check(result.flows[BLOCK_SIDE_READ].lat.max > MS(20)); /* the last were to be made long before */
	check(result.inflight_milli <= 2000);
	close(fd);
}

/* ---- precision ---- */

static void fill(unsigned count, int64_t (*value)(unsigned i))
{
	samples_clear(&samples);
	for (unsigned i = 0; i < count; i++)
		samples_add(&samples, value(i));
}

static int64_t steady(unsigned i) { return 1000000 + (int64_t)(i * 7 % 16) * 1000; }
static int64_t wild(unsigned i) { return 1000000 + (int64_t)(i * 7 % 16) * 60000; }
static int64_t falling(unsigned i) { return 1000000 - (int64_t)i * 5000; }
static int64_t in_steps(unsigned i) { return i / 40 % 2 ? 1000000 : 400000; }

test(steady_samples_are_precise_and_wild_ones_are_not)
{
	fill(16, steady);
	check(precise_enough(&samples, 20000));
	check(!precise_enough(&samples, 1000));
	fill(16, wild);
	check(!precise_enough(&samples, 20000));
}

test(five_samples_are_never_precise)
{
	fill(5, steady);
	check(!precise_enough(&samples, 20000));
	fill(0, steady);
	check(!precise_enough(&samples, 20000));
}

test(what_goes_together_is_not_taken_for_many)
{
	fill(64, falling);
	check(!precise_enough(&samples, 60000));
	fill(400, in_steps);
	check(!precise_enough(&samples, 20000));
}

static void nap_as_told(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	(void)context, (void)offset_bytes, (void)buffer, (void)bytes;
	nap(nap_ns);
}

test(steady_job_ends_early_and_says_so)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_FIRST, 1);

	job.runtime_ns = SECONDS(10);
	job.runtime_min_ns = MS(320);
	job.precision_ppm = 300000;
	job.visit = nap_as_told;
	nap_ns = MS(1);
	check_equal(block_run(&job, &result), 0);
	check(result.precise);
	check(result.time_ns >= MS(320) && result.time_ns < SECONDS(5));
	job.numjobs = 2;
	check_equal(block_run(&job, &result), 0);
	check(result.precise);
	check(result.time_ns < SECONDS(5));
	close(fd);
}

/* Now quick, now a tenth as quick, for 100 ms each. */
static void nap_by_turns(void *context, uint64_t offset_bytes, void *buffer, size_t bytes)
{
	struct timespec now;

	(void)context, (void)offset_bytes, (void)buffer, (void)bytes;
	clock_gettime(CLOCK_MONOTONIC, &now);
	nap(now.tv_nsec / MS(100) % 2 ? MS(5) : US(500));
}

test(unsteady_job_takes_its_whole_runtime)
{
	int fd = numbered_file();
	struct block_job job = job_of(fd, BLOCK_FIRST, 1);

	job.runtime_ns = MS(900);
	job.runtime_min_ns = MS(320);
	job.precision_ppm = 20000;
	job.visit = nap_by_turns;
	check_equal(block_run(&job, &result), 0);
	check(!result.precise);
	check(result.time_ns >= MS(900));
	close(fd);
}
