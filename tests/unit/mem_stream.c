/* mem_stream.c: windows give samples, bytes are counted as the mix says, failures are told apart. */
#include "mem/stream.h"

#include <errno.h>

#include "test.h"

static struct stream_result result;
static struct cpu_list cpus;

static struct stream_job small_job(enum stream_mix mix, unsigned threads)
{
	cpu_allowed(&cpus);
	return (struct stream_job){ .mix = mix, .cpus = &cpus, .threads = threads, .part_bytes = 1 * MIB,
	                            .page = MAP_PAGE_SMALL, .time_ns = MS(60), .windows = 6 };
}

static int64_t median_of(enum stream_mix mix)
{
	struct stream_job job = small_job(mix, 1);
	struct summary summary;

	check_equal(stream_run(&job, &result), 0);
	summary_of(&result.rates, &summary);
	return summary.median;
}

test(each_window_is_a_sample_and_the_first_are_discarded)
{
	struct stream_job job = small_job(STREAM_READS, 1);

	check_equal(stream_run(&job, &result), 0);
	check_equal(result.rates.count, 6);
	check(result.discarded > 0);
	check(result.kernel[0] != 0);
}

test(every_mix_runs_on_all_cpus_and_finds_its_data_right)
{
	cpu_allowed(&cpus);
	for (enum stream_mix mix = STREAM_READS; mix <= STREAM_COPY; mix++) {
		struct stream_job job = small_job(mix, cpus.count);

		check_equal(stream_run(&job, &result), 0);
		check_equal(result.wrong_chunks, 0);
		check(result.passes_milli > 0);
	}
}

test(bandwidth_is_above_ten_megabytes_and_below_ten_terabytes_a_second)
{
	for (enum stream_mix mix = STREAM_READS; mix <= STREAM_COPY; mix++) {
		int64_t milli = median_of(mix);

		check(milli > 10000000 * 1000ll);
		check(milli < 10000000000000 * 1000ll);
	}
}

test(a_cpu_that_is_not_there_is_named)
{
	struct stream_job job = small_job(STREAM_READS, 1);

	cpus.cpus[0] = MAX_CPUS - 1;
	check(stream_run(&job, &result) < 0);
	check_equal(result.error_cpu, MAX_CPUS - 1);
	check_equal(result.rates.count, 0);
}

test(more_than_any_machine_has_is_no_memory)
{
	struct stream_job job = small_job(STREAM_READS, 1);

	job.part_bytes = 1ull << 60;
	check_equal(stream_run(&job, &result), -ENOMEM);
}

test(a_part_smaller_than_a_chunk_is_refused)
{
	struct stream_job job = small_job(STREAM_READS, 1);

	job.part_bytes = STREAM_CHUNK_BYTES - 1;
	check_equal(stream_run(&job, &result), -EINVAL);
}
