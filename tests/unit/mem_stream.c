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
	                            .page = MAP_PAGE_SMALL, .node = NUMA_ANY, .time_ns = MS(60), .windows = 6 };
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
	for (enum stream_mix mix = STREAM_READS; mix < STREAM_MIXES; mix++) {
		struct stream_job job = small_job(mix, cpus.count);

		check_equal(stream_run(&job, &result), 0);
		check_equal(result.wrong_chunks, 0);
		check(result.passes_milli > 0);
	}
}

test(bandwidth_is_above_ten_megabytes_and_below_ten_terabytes_a_second)
{
	for (enum stream_mix mix = STREAM_READS; mix < STREAM_MIXES; mix++) {
		int64_t milli = median_of(mix);

		check(milli > 10000000 * 1000ll);
		check(milli < 10000000000000 * 1000ll);
	}
}

/* A kernel with one fault: its first sum, or always the same word where its first call was. */
static bool read_before;
static uint64_t *faulty;

static uint64_t read_wrong_once(const void *from, size_t bytes)
{
	bool right = read_before;

	read_before = true;
	return mem_kernel_c.read(from, bytes) ^ !right;
}

static bool is_faulty(void *at)
{
	if (!faulty)
		faulty = at;
	return faulty == at;
}

static void update_wrong(void *at, size_t bytes, uint64_t add)
{
	mem_kernel_c.update(at, bytes, add);
	if (is_faulty(at))
		faulty[7] = 1; /* a stuck word */
}

static void copy_wrong(void *to, const void *from, size_t bytes)
{
	mem_kernel_c.copy(to, from, bytes);
	if (is_faulty(to))
		faulty[7] ^= 1ull << 40;
}

static uint64_t wrong_chunks(enum stream_mix mix)
{
	static struct mem_kernel kernel;
	struct stream_job job = small_job(mix, 1);

	kernel = mem_kernel_c;
	kernel.read = mix == STREAM_READS ? read_wrong_once : mem_kernel_c.read;
	kernel.update = update_wrong;
	kernel.copy = copy_wrong;
	job.kernel = &kernel;
	read_before = false;
	faulty = NULL;
	check_equal(stream_run(&job, &result), 0);
	return result.wrong_chunks;
}

test(a_word_that_is_read_wrong_once_is_a_wrong_chunk) { check_equal(wrong_chunks(STREAM_READS), 1); }
test(a_word_that_is_updated_wrongly_is_found_at_the_end) { check_equal(wrong_chunks(STREAM_1_TO_1), 1); }
test(a_word_that_is_copied_wrongly_is_found_at_the_end) { check_equal(wrong_chunks(STREAM_COPY), 1); }

test(wrong_chunks_are_not_carried_over_to_a_run_that_cannot_start)
{
	struct stream_job job = small_job(STREAM_READS, 1);

	check_equal(wrong_chunks(STREAM_COPY), 1);
	cpus.cpus[0] = MAX_CPUS - 1;
	check(stream_run(&job, &result) < 0);
	check_equal(result.wrong_chunks, 0);
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
