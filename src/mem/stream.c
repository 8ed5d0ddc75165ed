/* stream.c: see stream.h.  One measurement at a time: the state is static, since thread stacks are small. */
#include <errno.h>
#include <stdatomic.h>

#include "mem/cache.h"
#include "mem/chase.h"
#include "mem/stream.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/team.h"

enum { DISCARDED = 2, TRIAL_PASSES = 5, MAX_CANDIDATES = 32, READING_TRIES = 8, WINDOW_TRIES = 32, NEXT_PART = 8, NEXT_LINES = 4 * CHASE_PROOF_LINES };

static const uint64_t trial_ns = US(1500), settle_ns = US(200), reading_ns = US(20), next_bytes = 4 * MIB;

struct worker {
	_Alignas(128) _Atomic uint64_t done; /* pieces; on a line pair of its own, so that counting disturbs nobody */
	uint64_t wrong;
	int err;
	struct stream_part part;
};

static struct {
	const struct stream_job *job;
	struct stream_result *result;
	const struct mem_kernel *_Atomic kernel;
	struct buffer buffer;
	uint64_t part_bytes;     /* whole pages, so that huge ones are not shared between threads */
	_Atomic bool stop;
	struct team team;
	struct worker workers[MAX_THREADS];
} stream;

static void touch(unsigned member, void *context)
{
	struct worker *worker = &stream.workers[member];

	(void)context;
	worker->err = buffer_fill_part(&stream.buffer, worker->part.at, stream.part_bytes);
}

static void fill(unsigned member, void *context)
{
	(void)context;
	stream_fill(&stream.workers[member].part);
}

/* ---- do the caches have what comes next? ---- */

struct next { struct stream_part part; uint64_t done, piece_lines, line_bytes; struct random_order order; };

static const void *next_line(const void *context, uint64_t index)
{
	const struct next *next = context;
	uint64_t arrays = stream_arrays(next->part.mix), line = random_order_at(&next->order, index), piece = next->done + line / arrays / next->piece_lines;

	return (const char *)stream_piece(&next->part, line % arrays, piece % next->part.pieces) + line / arrays % next->piece_lines * next->line_bytes;
}

/*
 * Whoever goes round and round gets from a cache the lines that it has kept until they come again.  So not any lines are asked for, of which it has
 * the last ones even where it drops each just before it is needed, but those of the eighth of the part that comes next.  sysfs has no say in it.
 * At once and quickly: where others share a cache, they have it soon.
 */
static void prove(const struct worker *worker)
{
	static struct chase_proof proof; /* 16 KiB */
	const uint64_t arrays = stream_arrays(worker->part.mix), line_bytes = cache_line_bytes();
	struct next next = { .part = worker->part, .done = worker->done, .line_bytes = line_bytes > 64 ? line_bytes : 64 };
	uint64_t pieces = worker->part.pieces / NEXT_PART;

	if (pieces * arrays * worker->part.piece_bytes < next_bytes)
		pieces = next_bytes / arrays / worker->part.piece_bytes;
	if (pieces > worker->part.pieces)
		pieces = worker->part.pieces;
	next.piece_lines = worker->part.piece_bytes / next.line_bytes;
	random_order(&next.order, pieces * arrays * next.piece_lines, worker->done, 0);
	chase_prove_lines(next_line, &next, next.order.count < NEXT_LINES ? next.order.count : NEXT_LINES, &proof);
	stream.result->flushed_ps = summary_median(&proof.flushed);
	stream.result->of_flushed_milli = chase_proof_milli(&proof);
}

/* ---- */

static void work(unsigned member, void *context)
{
	struct worker *worker = &stream.workers[member];
	const struct stream_part part = worker->part;
	uint64_t done = 0, wrong = 0;

	(void)context;
	while (!atomic_load_explicit(&stream.stop, memory_order_relaxed)) {
		wrong += !stream_work(&part, atomic_load_explicit(&stream.kernel, memory_order_relaxed), done);
		atomic_store_explicit(&worker->done, ++done, memory_order_relaxed);
	}
	worker->wrong = wrong;
	if (!member)
		prove(worker);
}

static void check(unsigned member, void *context)
{
	struct worker *worker = &stream.workers[member];

	(void)context;
	worker->wrong += stream_wrong_pieces(&worker->part, worker->done);
}

static uint64_t pieces_done(void)
{
	uint64_t pieces = 0;

	for (unsigned i = 0; i < stream.job->threads; i++)
		pieces += atomic_load_explicit(&stream.workers[i].done, memory_order_relaxed);
	return pieces;
}

/* A window ends when this thread wakes, whenever that is: bytes and time are read together. */
struct window { uint64_t pieces, start_ns; };

/* Both at one moment: this thread shares a CPU with one that works, and may have to wait in between. */
static void window_start(struct window *window)
{
	uint64_t before_ns;

	for (unsigned tries = 0; tries < READING_TRIES; tries++) {
		before_ns = clock_now_ns();
		window->pieces = pieces_done();
		window->start_ns = clock_now_ns();
		if (window->start_ns - before_ns < reading_ns + stream.job->threads * reading_ns / 16)
			return;
	}
}

/* Thousandths of B/s; the next window starts where this one ends.  Where others have the CPU all the time it gets longer: memory is slow then, not at 0. */
static int64_t window_rate(struct window *window, uint64_t time_ns)
{
	const struct window before = *window;

	for (unsigned tries = 0; tries < WINDOW_TRIES; tries++) {
		sys_sleep_ns(time_ns);
		window_start(window);
		if (window->pieces != before.pieces)
			break;
	}
	return milli_per_second((window->pieces - before.pieces) * stream_step_bytes(&stream.workers[0].part),
	                        window->start_ns - before.start_ns);
}

/* The kernels of this mix: NULL where number index is none; *end behind the last of all. */
static const struct mem_kernel *candidate(unsigned index, bool *end)
{
	const struct mem_kernel *kernel = index < MAX_CANDIDATES ? kernels_usable(index) : NULL;

	*end = !kernel;
	return kernel && kernel->work[stream.job->mix] ? kernel : NULL;
}

static const struct mem_kernel *first_candidate(void)
{
	const struct mem_kernel *kernel = NULL;
	bool end = false;

	for (unsigned i = 0; !kernel && !end; i++)
		kernel = candidate(i, &end);
	return kernel;
}

static int64_t trial_rate(const struct mem_kernel *kernel)
{
	struct window window;

	atomic_store(&stream.kernel, kernel);
	sys_sleep_ns(settle_ns); /* whoever is within a piece ends it */
	window_start(&window);
	return window_rate(&window, trial_ns);
}

static void note_candidate(struct stream_trial *trial, const struct mem_kernel *kernel, int64_t rate)
{
	trial->candidates++;
	if (rate > trial->best_milli) {
		trial->second = trial->best;
		trial->second_milli = trial->best_milli;
		trial->best = kernel;
		trial->best_milli = rate;
	} else if (rate > trial->second_milli) {
		trial->second = kernel;
		trial->second_milli = rate;
	}
}

/* In turn, and the best window of each counts: what disturbs only slows down. */
static void find_kernel(struct stream_trial *trial)
{
	int64_t rates[MAX_CANDIDATES] = { 0 };
	const struct mem_kernel *kernel;
	bool end = false;

	for (unsigned pass = 0; pass < TRIAL_PASSES; pass++, end = false)
		for (unsigned i = 0; kernel = candidate(i, &end), !end; i++) {
			int64_t rate = kernel ? trial_rate(kernel) : 0;

			if (rate > rates[i])
				rates[i] = rate;
		}
	for (unsigned i = 0; kernel = candidate(i, &end), !end; i++)
		if (kernel)
			note_candidate(trial, kernel, rates[i]);
}

static void sample_windows(void)
{
	const struct stream_job *job = stream.job;
	struct window window;

	window_start(&window);
	for (unsigned i = 0; i < DISCARDED; i++)
		window_rate(&window, job->time_ns / job->windows);
	for (unsigned i = 0; i < job->windows; i++) {
		int64_t rate = window_rate(&window, job->time_ns / job->windows);

		if (rate) /* else nobody had a CPU all that time: it says nothing of the memory */
			samples_add(&stream.result->rates, rate);
	}
	stream.result->discarded = DISCARDED;
}

static int on_all(team_work *function)
{
	return team_run(&stream.team, stream.job->cpus, stream.job->threads, function, NULL);
}

static void cut_parts(void)
{
	for (unsigned i = 0; i < stream.job->threads; i++) {
		stream.workers[i] = (struct worker){ 0 };
		stream_cut(&stream.workers[i].part, stream.job->mix, (char *)stream.buffer.at + i * stream.part_bytes,
		           stream.job->part_bytes, STREAM_CHUNK_BYTES);
	}
}

/* Each touches its own part, so that it lies where that thread runs. */
static int touch_parts(const struct buffer *buffer)
{
	int err;

	(void)buffer;
	cut_parts();
	err = on_all(touch);
	for (unsigned i = 0; !err && i < stream.job->threads; i++) {
		err = stream.workers[i].err;
		stream.team.error_cpu = stream.job->cpus->cpus[i];
	}
	return err;
}

/* Do the parts lie where their threads touched them first?  A full node, or a policy of ours, puts them elsewhere. */
static int check_own_nodes(void)
{
	int err = 0;

	for (unsigned i = 0; i < stream.job->threads && !err; i++)
		err = numa_check(stream.workers[i].part.at, stream.job->part_bytes, cpu_node(stream.job->cpus->cpus[i]));
	return err;
}

static int prepare(void)
{
	const struct stream_job *job = stream.job;
	int err = buffer_get(&stream.buffer, stream.part_bytes * job->threads, job->page, job->node, touch_parts);

	stream.result->map_bytes = stream.buffer.bytes;
	stream.result->huge_bytes = stream.buffer.huge_bytes;
	stream.result->node_err = err || job->node != NUMA_ANY ? stream.buffer.node_err : check_own_nodes();
	return err ? err : on_all(fill);
}

static int measure(void)
{
	int err;

	atomic_store(&stream.kernel, stream.job->kernel ? stream.job->kernel : first_candidate());
	atomic_store(&stream.stop, false);
	err = team_start(&stream.team, stream.job->cpus, stream.job->threads, work, NULL);
	if (err)
		return err;
	if (!stream.job->kernel) {
		find_kernel(&stream.result->trial);
		if (stream.result->trial.best)
			atomic_store(&stream.kernel, stream.result->trial.best);
	}
	sample_windows();
	atomic_store(&stream.stop, true);
	team_join(&stream.team);
	stream.result->found = atomic_load(&stream.kernel);
	stream.result->kernel = stream.result->found->name;
	return on_all(check);
}

static void add_up(void)
{
	for (unsigned i = 0; i < stream.job->threads; i++)
		stream.result->wrong_chunks += stream.workers[i].wrong;
	stream.result->passes_milli = (uint64_t)milli_ratio(pieces_done(), stream.workers[0].part.pieces * stream.job->threads);
}

int stream_run(const struct stream_job *job, struct stream_result *result)
{
	int err;

	*result = (struct stream_result){ .kernel = "", .flushed_ps = VALUE_NONE, .of_flushed_milli = VALUE_NONE };
	stream.job = job;
	stream.result = result;
	stream.part_bytes = buffer_round(job->part_bytes, job->page);
	if (job->part_bytes < STREAM_CHUNK_BYTES || !job->threads || job->threads > MAX_THREADS || !job->windows)
		return -EINVAL;
	err = prepare();
	if (!err) {
		err = measure();
		add_up();
	}
	result->error_cpu = stream.team.error_cpu;
	buffer_unmap(&stream.buffer);
	return err;
}
