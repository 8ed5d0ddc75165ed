/* integrity.c: see integrity.h.  One test at a time: the state is static, since thread stacks are small. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "capacity.h"
#include "mem/cache.h"
#include "mem/integrity.h"
#include "sys/call.h"
#include "sys/map.h"
#include "sys/team.h"

/* This file is compiled for speed: what is not in a loop may be small. */
#define RARE __attribute__((cold, noinline))

enum {
	BLOCK_WORDS = INTEGRITY_BLOCK_WORDS,
	BLOCK_BYTES = BLOCK_WORDS * sizeof(uint64_t),
	MOVE_WORDS = BLOCK_WORDS + 8, /* how far a block is moved: to another page, and another line of it */
	NOT = 0, FIRST = 1, SECOND = 2, /* stages of the filling */
};

/* One time through the buffer: check what must be there, or write, or word by word both. */
struct sweep {
	uint8_t checks, writes;  /* NOT, or which stage */
	bool downwards;
	bool spares;             /* writes only what modulo-20 does not look at */
	bool moves;              /* every word down by MOVE_WORDS within the slice, those at its beginning to its end */
	bool is_moved;           /* checks what has been moved */
	bool fades;              /* begins after fade_ns */
};

static const struct sweep sweeps[] = {
	{ .writes = FIRST }, { .checks = FIRST },
	/* R. Nair, S. Thatte, J. Abraham, "Efficient algorithms for testing semiconductor random-access memories" (1978) */
	{ .writes = FIRST }, { .checks = FIRST, .writes = SECOND }, { .checks = SECOND, .writes = FIRST, .downwards = true }, { .checks = FIRST },
	{ .writes = FIRST }, { .checks = FIRST, .writes = SECOND }, { .checks = SECOND },
	{ .writes = FIRST }, { .moves = true }, { .checks = FIRST, .is_moved = true },
	{ .writes = FIRST }, { .writes = FIRST, .spares = true }, { .writes = FIRST, .spares = true }, { .checks = FIRST },
	{ .writes = FIRST }, { .checks = FIRST, .fades = true },
};

static const struct { uint8_t first, count, checks; } ways[] = {
	[WAY_PLAIN] = { 0, 2, 1 }, [WAY_MOVING] = { 2, 4, 3 }, [WAY_APPLIED] = { 6, 3, 2 },
	[WAY_MOVED] = { 9, 3, 1 }, [WAY_MODULO] = { 12, 4, 1 }, [WAY_FADE] = { 16, 2, 1 },
};

struct worker {
	_Alignas(128) uint64_t checked_words;
	uint64_t errors, differing;
};

static struct {
	const struct integrity_job *job;
	struct integrity_result *result;
	const struct sweep *sweep;
	struct filling_pass pass;
	unsigned turn, written_turn; /* by how many slices the threads have moved on, and had when they last wrote */
	uint64_t slice_words;
	atomic_uint looks;
	struct team team;
	struct worker workers[MAX_THREADS];
} test;

RARE uint64_t integrity_block_bytes(unsigned threads)
{
	return (uint64_t)BLOCK_BYTES * threads;
}

RARE uint64_t integrity_bytes(uint64_t bytes, unsigned threads)
{
	return bytes / integrity_block_bytes(threads) * integrity_block_bytes(threads);
}

RARE unsigned integrity_sweeps(const struct filling *filling, unsigned most_passes)
{
	return filling_passes(filling, most_passes) * ways[filling->way].count;
}

RARE unsigned integrity_checks(const struct filling *filling, unsigned most_passes)
{
	return filling_passes(filling, most_passes) * ways[filling->way].checks;
}

static RARE void note_error(struct worker *worker, uint64_t *at, uint64_t expected, uint64_t found)
{
	const struct integrity_job *job = test.job;
	unsigned member = (unsigned)(worker - test.workers), look;
	uint64_t place = (uint64_t)(at - job->at), words = test.slice_words * job->threads;
	struct fault *fault;

	worker->errors++;
	worker->differing |= expected ^ found;
	if (atomic_load_explicit(&test.looks, memory_order_relaxed) >= INTEGRITY_LOOKS)
		return;
	look = atomic_fetch_add(&test.looks, 1);
	if (look >= INTEGRITY_LOOKS)
		return;
	fault = &test.result->faults[look];
	*fault = (struct fault){ .expected = expected, .found = found, .cpu = job->cpus->cpus[member] };
	fault->writer = job->cpus->cpus[(place / test.slice_words + job->threads - test.written_turn) % job->threads];
	fault->other_cpu = job->cpus->cpus[(member + 1) % job->cpus->count];
	fault_look(fault, job->at, words, place, test.sweep->is_moved ? UINT64_MAX : filling_place(&test.pass, found, test.sweep->checks == SECOND, words));
}

static void check_block(struct worker *worker, uint64_t *at, const uint64_t *expected)
{
	for (unsigned i = 0; i < BLOCK_WORDS; i++) {
		uint64_t found = *(volatile uint64_t *)&at[i]; /* read once: what is compared is what is told */

		if (found != expected[i])
			note_error(worker, &at[i], expected[i], found);
	}
	worker->checked_words += BLOCK_WORDS;
}

typedef uint16_t __attribute__((may_alias)) half;

/* By stores of the filling's width. */
static void write_block(uint64_t *at, const uint64_t *words)
{
	switch (test.pass.filling->store_bytes) {
	case 1:
		for (unsigned i = 0; i < BLOCK_BYTES; i++)
			((volatile uint8_t *)at)[i] = ((const uint8_t *)words)[i];
		break;
	case 2:
		for (unsigned i = 0; i < BLOCK_BYTES / sizeof(half); i++)
			((volatile half *)at)[i] = ((const half *)words)[i];
		break;
	default:
		memcpy(at, words, BLOCK_BYTES);
	}
}

static void write_others(uint64_t *at, const uint64_t *words, uint64_t first)
{
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		if ((first + i) % FILLING_MODULUS != test.pass.value)
			*(volatile uint64_t *)&at[i] = words[i];
}

/* Checks each word and turns it over before it looks at the next one. */
static void turn_block(struct worker *worker, uint64_t *at, const uint64_t *expected, const uint64_t *words)
{
	bool downwards = test.sweep->downwards;

	for (unsigned n = 0; n < BLOCK_WORDS; n++) {
		unsigned i = downwards ? BLOCK_WORDS - 1 - n : n;
		uint64_t found = *(volatile uint64_t *)&at[i];

		if (found != expected[i])
			note_error(worker, &at[i], expected[i], found);
		*(volatile uint64_t *)&at[i] = words[i];
	}
	worker->checked_words += BLOCK_WORDS;
}

/* What must stand in a block, or be written to it: stages[FIRST], and the second where the sweep needs it. */
static void fill_stages(uint64_t stages[][BLOCK_WORDS], uint64_t first, uint64_t slice)
{
	const struct sweep *sweep = test.sweep;
	uint64_t from = sweep->is_moved ? (first - slice + MOVE_WORDS) % test.slice_words : first - slice;
	uint64_t whole = test.slice_words - from < BLOCK_WORDS ? test.slice_words - from : BLOCK_WORDS;

	filling_write(&test.pass, stages[FIRST], whole, slice + from);
	filling_write(&test.pass, stages[FIRST] + whole, BLOCK_WORDS - whole, slice);
	if (sweep->checks == SECOND || sweep->writes == SECOND)
		filling_apply(&test.pass, stages[SECOND], stages[FIRST], BLOCK_WORDS);
}

static RARE void move_slice(uint64_t *at)
{
	uint64_t saved[MOVE_WORDS], words = test.slice_words, distance = MOVE_WORDS % words;

	memcpy(saved, at, distance * sizeof(*at));
	memmove(at, at + distance, (words - distance) * sizeof(*at));
	memcpy(at + words - distance, saved, distance * sizeof(*at));
	if (test.job->flush)
		cache_flush(at, words * sizeof(*at));
}

static void sweep_slice(unsigned member, void *context)
{
	const struct sweep *sweep = test.sweep;
	struct worker *worker = &test.workers[member];
	uint64_t slice = (member + test.turn) % test.job->threads * test.slice_words;
	uint64_t blocks = test.slice_words / BLOCK_WORDS;
	uint64_t stages[3][BLOCK_WORDS];

	(void)context;
	if (sweep->moves) {
		move_slice(test.job->at + slice);
		return;
	}
	for (uint64_t n = 0; n < blocks; n++) {
		uint64_t first = slice + (sweep->downwards ? blocks - 1 - n : n) * BLOCK_WORDS;
		uint64_t *at = test.job->at + first;

		fill_stages(stages, first, slice);
		if (sweep->checks && sweep->writes)
			turn_block(worker, at, stages[sweep->checks], stages[sweep->writes]);
		else if (sweep->checks)
			check_block(worker, at, stages[sweep->checks]);
		else if (sweep->spares)
			write_others(at, stages[sweep->writes], first);
		else
			write_block(at, stages[sweep->writes]);
		if (sweep->writes && test.job->flush)
			cache_flush(at, BLOCK_BYTES);
	}
}

static bool goes_on(void)
{
	return !test.job->goes_on || test.job->goes_on(test.job->context);
}

static RARE int fade(void)
{
	for (uint64_t left_ns = test.job->fade_ns, nap_ns; left_ns; left_ns -= nap_ns) {
		nap_ns = left_ns < SECONDS(1) ? left_ns : SECONDS(1);
		sys_sleep_ns(nap_ns);
		if (!goes_on())
			return -ECANCELED;
	}
	return 0;
}

/* Before the first word is checked, a fault may be made on purpose; it is played to those who check it, and no longer. */
static RARE int run_sweep(const struct sweep *sweep, bool *is_checked)
{
	const struct integrity_job *job = test.job;
	int err = sweep->fades ? fade() : 0;

	test.sweep = sweep;
	if (!err && sweep->checks && !*is_checked)
		test.result->was_injected = inject_fault(job->inject, job->at, test.slice_words * job->threads, job->seed);
	if (!err)
		err = team_run(&test.team, job->cpus, job->threads, sweep_slice, NULL);
	if (sweep->checks)
		inject_end();
	*is_checked |= sweep->checks != NOT;
	if (sweep->writes || sweep->moves)
		test.written_turn = test.turn;
	test.turn = (test.turn + 1) % job->threads;
	return err ? err : goes_on() ? 0 : -ECANCELED;
}

static RARE int run_passes(const struct integrity_job *job)
{
	unsigned passes = filling_passes(job->filling, job->most_passes);
	bool is_checked = false;
	int err = 0;

	test.pass.pages = job->pages;
	test.pass.page_words_log2 = job->pages ? (unsigned)__builtin_ctzll(map_page_bytes() / sizeof(uint64_t)) : 0;
	for (unsigned i = 0; i < passes && !err; i++) {
		filling_pass(&test.pass, job->filling, job->seed, i, passes);
		for (unsigned n = 0; n < ways[job->filling->way].count && !err; n++)
			err = run_sweep(&sweeps[ways[job->filling->way].first + n], &is_checked);
	}
	return err;
}

static RARE void add_up(struct integrity_result *result)
{
	for (unsigned i = 0; i < test.job->threads; i++) {
		result->errors += test.workers[i].errors;
		result->differing |= test.workers[i].differing;
		result->checked_words += test.workers[i].checked_words;
	}
	result->looked = test.looks < INTEGRITY_LOOKS ? test.looks : INTEGRITY_LOOKS;
	for (unsigned i = 0; i < result->looked; i++)
		result->classes[result->faults[i].kind]++;
}

RARE int integrity_run(const struct integrity_job *job, struct integrity_result *result)
{
	int err;

	*result = (struct integrity_result){ 0 };
	if (!job->threads || job->threads > MAX_THREADS || !integrity_bytes(job->bytes, job->threads) ||
	    (job->filling->kind == FILLING_PHYSICAL && !job->pages))
		return -EINVAL;
	test.job = job;
	test.result = result;
	test.slice_words = integrity_bytes(job->bytes, job->threads) / job->threads / sizeof(uint64_t);
	test.turn = test.looks = 0;
	for (unsigned i = 0; i < job->threads; i++)
		test.workers[i] = (struct worker){ 0 };
	err = run_passes(job);
	result->error_cpu = test.team.error_cpu;
	add_up(result);
	return err;
}
