/* mem_loaded.c: every delay gets its rounds, a longer delay moves fewer bytes, what is read wrongly is found, and what cannot be is refused. */
#include <errno.h>

#include "mem/loaded.h"
#include "test.h"

static struct loaded_result result;
static struct cpu_list cpus;
static const uint64_t delays_ns[] = { 0, 5, 20000 };

/* Of a machine with one CPU there is nothing to test. */
static bool two_cpus(struct loaded_job *job, enum stream_mix mix)
{
	cpu_allowed(&cpus);
	*job = (struct loaded_job){ .mix = mix, .cpus = &cpus, .threads = 2, .part_bytes = MIB + 3 * 512, .page = MAP_PAGE_SMALL, .time_ns = MS(1),
	                            .rounds = 2, .delay_count = COUNT_OF(delays_ns), .delays_ns = delays_ns, .seed = 1 };
	return cpus.count > 1;
}

static void check_point(const struct loaded_point *point)
{
	check_equal(point->rounds, 2);
	for (unsigned i = 0; i < point->rounds; i++) {
		check(point->latency_ps[i] > 0);
		check(point->bandwidth_milli[i] > 0);
		check(point->chaser_milli[i] > 0 && point->chaser_milli[i] <= point->bandwidth_milli[i]);
	}
}

test(every_mix_has_latency_and_bandwidth_for_each_delay_and_round)
{
	struct loaded_job job;

	for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++) {
		if (!two_cpus(&job, mix))
			return;
		check_equal(loaded_run(&job, &result), 0);
		for (unsigned i = 0; i < COUNT_OF(delays_ns); i++)
			check_point(&result.points[i]);
		check_equal(result.wrong_chunks, 0);
		check(result.kernel[0] != 0);
	}
}

test(a_wait_takes_its_time_and_moves_fewer_bytes)
{
	struct loaded_job job;
	int64_t injected[2];

	if (!two_cpus(&job, STREAM_READS))
		return;
	job.time_ns = MS(10);
	check_equal(loaded_run(&job, &result), 0);
	check_equal(result.points[0].delay_ps, 0);
	check(result.points[1].delay_ps > 1000);
	check(result.points[2].delay_ps > 10000000 && result.points[2].delay_ps < 400000000); /* asked for 20 us; a busy machine's clock may change */
	for (unsigned i = 0; i < 2; i++) {
		const struct loaded_point *point = &result.points[2 * i];

		injected[i] = point->bandwidth_milli[0] + point->bandwidth_milli[1] - point->chaser_milli[0] - point->chaser_milli[1];
	}
	check(injected[0] > 2 * injected[1]);
}

/* What an injector counts in the time that a wait for 512 bytes took. */
static uint64_t bytes_in_a_wait(struct loaded_job *job)
{
	const struct loaded_point *point = &result.points[0];

	check_equal(loaded_run(job, &result), 0);
	return (uint64_t)(point->bandwidth_milli[0] - point->chaser_milli[0]) / 1000000 * point->delay_ps / 1000000000;
}

/* A copy counts 1024 bytes a step, 3:1 reads 2048.  On a busy machine the clock may change between wait and reading: the best of some tries. */
test(a_delay_means_the_same_for_every_mix)
{
	static const uint64_t long_ns[] = { 20000 };
	struct loaded_job job;

	for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++) {
		uint64_t bytes = UINT64_MAX;

		if (!two_cpus(&job, mix))
			return;
		job.time_ns = MS(10);
		job.rounds = job.delay_count = 1;
		job.delays_ns = long_ns;
		for (unsigned tries = 0; tries < 5 && bytes > 620; tries++)
			bytes = bytes_in_a_wait(&job);
		check(bytes <= 620);
	}
}

test(the_chasers_buffer_is_held_against_lines_that_were_flushed)
{
	struct loaded_job job;

	if (!two_cpus(&job, STREAM_READS))
		return;
	check_equal(loaded_run(&job, &result), 0);
	check(result.ordinary_ps > 0 && result.flushed_ps > 0);
	check(result.discarded > 0);
}

static kernel_work *right_work;
static unsigned calls;

static uint64_t read_wrong_once(const struct kernel_span *span)
{
	return right_work(span) ^ (++calls == 100);
}

test(a_word_that_is_read_wrongly_is_found)
{
	static kernel_work *work[STREAM_MIXES];
	struct mem_kernel faulty = mem_kernel_c;
	struct loaded_job job;

	if (!two_cpus(&job, STREAM_READS))
		return;
	right_work = mem_kernel_c.work[STREAM_READS];
	work[STREAM_READS] = read_wrong_once;
	faulty.work = work;
	job.kernel = &faulty;
	check_equal(loaded_run(&job, &result), 0);
	check_equal(result.wrong_chunks, 1);
}

test(one_thread_no_delay_no_round_and_too_small_a_part_are_refused)
{
	struct loaded_job right, job;

	two_cpus(&right, STREAM_READS);
	job = right, job.threads = 1;
	check_equal(loaded_run(&job, &result), -EINVAL);
	job = right, job.delay_count = 0;
	check_equal(loaded_run(&job, &result), -EINVAL);
	job = right, job.delay_count = LOADED_MAX_DELAYS + 1;
	check_equal(loaded_run(&job, &result), -EINVAL);
	job = right, job.rounds = 0;
	check_equal(loaded_run(&job, &result), -EINVAL);
	job = right, job.rounds = LOADED_ROUNDS_MAX + 1;
	check_equal(loaded_run(&job, &result), -EINVAL);
	job = right, job.part_bytes = STREAM_CHUNK_BYTES - 1;
	check_equal(loaded_run(&job, &result), -EINVAL);
}

test(a_cpu_that_is_not_there_is_named)
{
	struct loaded_job job;

	two_cpus(&job, STREAM_READS);
	cpus.count = 2;
	cpus.cpus[1] = MAX_CPUS - 1;
	check(loaded_run(&job, &result) < 0);
	check_equal(result.error_cpu, MAX_CPUS - 1);
	check_equal(result.points[0].rounds, 0);
}

test(more_than_any_machine_has_is_no_memory)
{
	struct loaded_job job;

	if (!two_cpus(&job, STREAM_READS))
		return;
	job.part_bytes = 1ull << 60;
	check_equal(loaded_run(&job, &result), -ENOMEM);
}
