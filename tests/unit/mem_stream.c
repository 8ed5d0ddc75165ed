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
	                            .page = MAP_PAGE_SMALL, .node = NUMA_ANY, .time_ns = MS(30), .windows = 6 };
}

test(each_window_is_a_sample_and_the_first_are_discarded)
{
	struct stream_job job = small_job(STREAM_READS, 1);

	job.kernel = &mem_kernel_c;
	check_equal(stream_run(&job, &result), 0);
	check_equal(result.rates.count, 6);
	check(result.discarded > 0);
	check(result.kernel[0] != 0);
}

test(next_to_nothing_of_a_small_buffer_is_left_out)
{
	struct stream_part part;

	stream_cut(&part, STREAM_READS, NULL, 127 * KIB, STREAM_CHUNK_BYTES);
	check_equal(part.pieces * part.piece_bytes, 127 * KIB);
	stream_cut(&part, STREAM_COPY, NULL, 191 * KIB, STREAM_CHUNK_BYTES);
	check(2 * part.pieces * part.piece_bytes > 188 * KIB && 2 * part.pieces * part.piece_bytes <= 191 * KIB);
	stream_cut(&part, STREAM_READS, NULL, 64 * MIB + 512, STREAM_CHUNK_BYTES);
	check_equal(part.piece_bytes, STREAM_CHUNK_BYTES);
}

test(what_comes_next_is_asked_for_whether_the_caches_have_it)
{
	struct stream_job job = small_job(STREAM_TRIAD, 1);

	job.kernel = &mem_kernel_c;
	check_equal(stream_run(&job, &result), 0);
	check(result.flushed_ps > 100);
	check(result.of_flushed_milli > 0);
	job.part_bytes = STREAM_CHUNK_BYTES;
	check_equal(stream_run(&job, &result), 0);
	check(result.of_flushed_milli == VALUE_NONE);
}

/* A trial goes through every kernel of the mix, on all threads; what it found was used. */
static void check_trial(enum stream_mix mix)
{
	unsigned count = 0;

	for (unsigned i = 0; kernels_usable(i); i++)
		count += kernels_usable(i)->work[mix] != NULL;
	check_equal(result.trial.candidates, count);
	check(result.trial.best && result.trial.best->work[mix]);
	check(result.trial.best_milli >= result.trial.second_milli);
	check(result.found == result.trial.best);
	check_string(result.kernel, result.found->name);
}

test(every_mix_runs_on_all_cpus_by_a_kernel_that_was_found_and_finds_its_data_right)
{
	cpu_allowed(&cpus);
	for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++) {
		struct stream_job job = small_job(mix, cpus.count);
		struct summary summary;

		check_equal(stream_run(&job, &result), 0);
		check_equal(result.wrong_chunks, 0);
		check(result.passes_milli > 0);
		check_trial(mix);
		summary_of(&result.rates, &summary);
		check(summary.max > 10000000 * 1000ll); /* ten MB/s; what is busy elsewhere may take the CPU for a window */
		check(summary.max < 10000000000000 * 1000ll);
	}
}

/* Plain C with one fault: its first sum, or one word of the piece that it was called for first, each time it comes by: a word that is stuck. */
static enum stream_mix faulty_mix;
static bool called_before;
static uint64_t *stuck;

static uint64_t work_wrongly(const struct kernel_span *span)
{
	struct kernel_span copy = *span;
	bool first = !called_before;
	uint64_t sum = kernels_run(&mem_kernel_c, faulty_mix == STREAM_NT_WRITES ? STREAM_WRITES : faulty_mix, &copy);

	called_before = true;
	if (faulty_mix == STREAM_READS)
		return sum ^ first;
	if (first)
		stuck = span->to + 7;
	if (span->to + 7 == stuck)
		*stuck = 1;
	return sum;
}

static uint64_t wrong_chunks(enum stream_mix mix)
{
	static kernel_work *work[STREAM_MIXES];
	static const struct mem_kernel kernel = { .name = "faulty", .streams = 1, .work = work };
	struct stream_job job = small_job(mix, 1);

	work[mix] = work_wrongly;
	faulty_mix = mix;
	called_before = false;
	job.kernel = &kernel;
	check_equal(stream_run(&job, &result), 0);
	check_equal(result.trial.candidates, 0);
	check_string(result.kernel, "faulty");
	return result.wrong_chunks;
}

test(a_word_that_is_wrong_once_is_one_wrong_chunk_whatever_the_mix)
{
	for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++)
		check_equal(wrong_chunks(mix), 1);
}

/* ---- a part by itself ---- */

static _Alignas(4096) char memory[64 * KIB];

test(a_part_is_cut_into_the_arrays_of_its_mix_and_counts_what_the_mix_says)
{
	static const struct { uint64_t pieces, step_bytes; } want[STREAM_MIXES] = {
		[STREAM_READS] = { 32, 2048 }, [STREAM_3_TO_1] = { 42, 2048 }, [STREAM_2_TO_1] = { 32, 3072 },
		[STREAM_1_TO_1] = { 32, 4096 }, [STREAM_TRIAD] = { 42, 1536 }, [STREAM_WRITES] = { 32, 2048 },
		[STREAM_NT_WRITES] = { 32, 2048 }, [STREAM_COPY] = { 32, 2048 },
	};

	for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++) {
		struct stream_part part;

		stream_cut(&part, mix, memory, sizeof(memory), 2048);
		check_equal(part.pieces, want[mix].pieces);
		check_equal(stream_step_bytes(&part), want[mix].step_bytes);
	}
}

test(pieces_of_any_number_of_calls_are_right_and_each_one_that_was_changed_is_wrong)
{
	for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++)
		for (unsigned calls = 0; calls < 100; calls += 33) {
			const struct mem_kernel *kernel;
			struct stream_part part;

			for (unsigned i = 0; (kernel = kernels_usable(i)); i++) {
				if (!kernel->work[mix])
					continue;
				stream_cut(&part, mix, memory, sizeof(memory), KERNEL_GRANULE);
				stream_fill(&part);
				for (unsigned done = 0; done < calls; done++)
					check(stream_work(&part, kernel, done));
				check_equal(stream_wrong_pieces(&part, calls), 0);
				check(stream_wrong_pieces(&part, calls + 1) == (mix != STREAM_READS && (calls < part.pieces || (mix != STREAM_COPY && mix != STREAM_TRIAD))));
				memory[3 * KERNEL_GRANULE + 5] ^= 1;
				memory[7 * KERNEL_GRANULE] ^= 0x10;
				check_equal(stream_wrong_pieces(&part, calls), 2);
			}
		}
}

/* ---- the kernel that is used ---- */

test(a_kernel_that_was_found_is_used_again_without_a_trial)
{
	struct stream_job job = small_job(STREAM_COPY, 1);

	job.kernel = kernels_usable(0);
	check_equal(stream_run(&job, &result), 0);
	check(result.found == kernels_usable(0));
	check_equal(result.trial.candidates, 0);
}

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
