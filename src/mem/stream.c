/* stream.c: see stream.h.  One measurement at a time: the state is static, since thread stacks are small. */
#include <errno.h>
#include <stdatomic.h>

#include "mem/stream.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/team.h"

enum {
	DISCARDED = 2,
	HALF_CHUNK = STREAM_CHUNK_BYTES / 2,
	TRIAL_CHUNKS = 4096, /* a trial pass goes through 256 MiB at most */
};

static const uint64_t first_word = 0x9e3779b97f4a7c15, other_word = ~0x9e3779b97f4a7c15, added = 0x0101010101010101;

struct worker {
	_Alignas(128) _Atomic uint64_t chunks; /* done; on a line pair of its own, so that counting disturbs nobody */
	uint64_t wrong;
};

static struct {
	const struct stream_job *job;
	struct stream_result *result;
	const struct mem_kernel *kernel;
	struct buffer buffer;
	uint64_t part_bytes;     /* whole pages, so that huge ones are not shared between threads */
	uint64_t part_chunks;
	_Atomic bool stop;
	struct team team;
	struct worker workers[MAX_THREADS];
} stream;

static char *chunk_at(unsigned member, uint64_t chunk)
{
	return (char *)stream.buffer.at + member * stream.part_bytes + chunk * STREAM_CHUNK_BYTES;
}

static uint64_t chunk_counts_bytes(void)
{
	return stream.job->mix == STREAM_UPDATE ? 2 * STREAM_CHUNK_BYTES : STREAM_CHUNK_BYTES;
}

/* Copying goes from the first half of a chunk's space to the same place in the second half of the part. */
static char *half_at(unsigned member, uint64_t chunk, unsigned half)
{
	return (char *)stream.buffer.at + member * stream.part_bytes +
	       half * (stream.part_chunks * HALF_CHUNK) + chunk * HALF_CHUNK;
}

/* Does one chunk; returns the sum of the words it read, 0 where it sums none. */
static uint64_t work_chunk(const struct mem_kernel *kernel, unsigned member, uint64_t chunk)
{
	switch (stream.job->mix) {
	case STREAM_READS:
		return kernel->read(chunk_at(member, chunk), STREAM_CHUNK_BYTES);
	case STREAM_UPDATE:
		kernel->update(chunk_at(member, chunk), STREAM_CHUNK_BYTES, added);
		break;
	case STREAM_COPY:
		kernel->copy(half_at(member, chunk, 1), half_at(member, chunk, 0), HALF_CHUNK);
		break;
	}
	return 0;
}

static uint64_t sum_of(uint64_t word, uint64_t bytes)
{
	return word * (bytes / sizeof(word));
}

static void touch(unsigned member, void *context)
{
	(void)context;
	buffer_touch(chunk_at(member, 0), stream.part_bytes);
}

static uint64_t time_of_pass_ns(const struct mem_kernel *kernel)
{
	uint64_t chunks = stream.part_chunks < TRIAL_CHUNKS ? stream.part_chunks : TRIAL_CHUNKS;
	uint64_t start = clock_now_ns(), sum = 0;

	for (uint64_t chunk = 0; chunk < chunks; chunk++)
		sum += work_chunk(kernel, 0, chunk);
	__asm__ volatile("" :: "r"(sum)); /* counts as used */
	return clock_now_ns() - start;
}

/* The quickest kernel for this mix on this part: the best of two passes each, after one that warms up. */
static void choose_kernel(unsigned member, void *context)
{
	const struct mem_kernel *kernel;
	uint64_t best_ns = UINT64_MAX;

	(void)member;
	(void)context;
	time_of_pass_ns(&mem_kernel_c);
	for (unsigned i = 0; (kernel = kernels_usable(i)); i++)
		for (unsigned pass = 0; pass < 2; pass++) {
			uint64_t time_ns = time_of_pass_ns(kernel);

			if (time_ns < best_ns) {
				best_ns = time_ns;
				stream.kernel = kernel;
			}
		}
}

static void fill(unsigned member, void *context)
{
	uint64_t half_bytes = stream.part_chunks * HALF_CHUNK;

	(void)context;
	stream.kernel->write(half_at(member, 0, 0), half_bytes, first_word);
	stream.kernel->write(half_at(member, 0, 1), half_bytes, stream.job->mix == STREAM_COPY ? other_word : first_word);
}

static void work(unsigned member, void *context)
{
	struct worker *worker = &stream.workers[member];
	uint64_t expected = stream.job->mix == STREAM_READS ? sum_of(first_word, STREAM_CHUNK_BYTES) : 0;
	uint64_t done = 0, wrong = 0;

	(void)context;
	while (!atomic_load_explicit(&stream.stop, memory_order_relaxed)) {
		wrong += work_chunk(stream.kernel, member, done % stream.part_chunks) != expected;
		atomic_store_explicit(&worker->chunks, ++done, memory_order_relaxed);
	}
	worker->wrong += wrong;
}

/* What each word of a chunk must be at the end; of a copy, that of its target half. */
static uint64_t expected_word(uint64_t chunk, uint64_t done)
{
	uint64_t visits = done / stream.part_chunks + (chunk < done % stream.part_chunks);

	switch (stream.job->mix) {
	case STREAM_UPDATE: return first_word + visits * added;
	case STREAM_COPY: return visits ? first_word : other_word;
	case STREAM_READS: break;
	}
	return first_word;
}

static void check(unsigned member, void *context)
{
	struct worker *worker = &stream.workers[member];
	bool copy = stream.job->mix == STREAM_COPY;
	uint64_t bytes = copy ? HALF_CHUNK : STREAM_CHUNK_BYTES;

	(void)context;
	for (uint64_t chunk = 0; chunk < stream.part_chunks; chunk++) {
		const char *at = copy ? half_at(member, chunk, 1) : chunk_at(member, chunk);

		worker->wrong += stream.kernel->read(at, bytes) != sum_of(expected_word(chunk, worker->chunks), bytes);
	}
}

static uint64_t chunks_done(void)
{
	uint64_t chunks = 0;

	for (unsigned i = 0; i < stream.job->threads; i++)
		chunks += atomic_load_explicit(&stream.workers[i].chunks, memory_order_relaxed);
	return chunks;
}

/* A window ends when this thread wakes, whenever that is: bytes and time are read together. */
static void sample_windows(void)
{
	const struct stream_job *job = stream.job;
	uint64_t chunks_before = chunks_done(), before_ns = clock_now_ns();

	for (unsigned window = 0; window < DISCARDED + job->windows; window++) {
		uint64_t chunks, now_ns;

		sys_sleep_ns(job->time_ns / job->windows);
		chunks = chunks_done();
		now_ns = clock_now_ns();
		if (window >= DISCARDED)
			samples_add(&stream.result->rates,
			            milli_per_second((chunks - chunks_before) * chunk_counts_bytes(), now_ns - before_ns));
		chunks_before = chunks;
		before_ns = now_ns;
	}
	stream.result->discarded = DISCARDED;
}

static int on_all(team_work *function)
{
	return team_run(&stream.team, stream.job->cpus, stream.job->threads, function, NULL);
}

static int prepare(void)
{
	int err = on_all(touch);

	if (err)
		return err;
	stream.result->huge_bytes = buffer_huge_bytes(&stream.buffer);
	if (!buffer_is_granted(&stream.buffer, stream.result->huge_bytes))
		return -ENOTSUP;
	stream.kernel = stream.job->kernel;
	if (!stream.kernel)
		err = team_run(&stream.team, stream.job->cpus, 1, choose_kernel, NULL);
	stream.result->kernel = err ? "" : stream.kernel->name;
	return err ? err : on_all(fill);
}

static int measure(void)
{
	int err;

	atomic_store(&stream.stop, false);
	err = team_start(&stream.team, stream.job->cpus, stream.job->threads, work, NULL);
	if (err)
		return err;
	sample_windows();
	atomic_store(&stream.stop, true);
	team_join(&stream.team);
	return on_all(check);
}

int stream_run(const struct stream_job *job, struct stream_result *result)
{
	int err;

	*result = (struct stream_result){ .kernel = "" };
	stream.job = job;
	stream.result = result;
	stream.part_bytes = buffer_round(job->part_bytes, job->page);
	stream.part_chunks = job->part_bytes / STREAM_CHUNK_BYTES;
	if (!stream.part_chunks || !job->threads || job->threads > MAX_THREADS || !job->windows)
		return -EINVAL;
	for (unsigned i = 0; i < job->threads; i++)
		stream.workers[i] = (struct worker){ 0 };
	err = buffer_map(&stream.buffer, stream.part_bytes * job->threads, job->page);
	if (err)
		return -ENOMEM;
	result->map_bytes = stream.buffer.bytes;
	err = prepare();
	if (!err)
		err = measure();
	result->error_cpu = stream.team.error_cpu;
	for (unsigned i = 0; i < job->threads; i++)
		result->wrong_chunks += stream.workers[i].wrong;
	if (!err)
		result->passes_milli = (uint64_t)milli_ratio(chunks_done(), stream.part_chunks * job->threads);
	buffer_unmap(&stream.buffer);
	return err;
}
