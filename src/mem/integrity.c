/* integrity.c: see integrity.h.  One test at a time: the state is static, since thread stacks are small. */
#include <errno.h>
#include <fcntl.h>

#include "mem/cache.h"
#include "mem/integrity.h"
#include "sys/call.h"
#include "sys/map.h"
#include "sys/team.h"

/* This file is compiled for speed: what is not in a loop may be small. */
#define RARE __attribute__((cold, noinline))

enum { BLOCK_BYTES = INTEGRITY_BLOCK_WORDS * sizeof(uint64_t) };

/* One time through the buffer: check what must be there, or write, or word by word both. */
struct sweep {
	bool checks, writes, downwards;
	uint64_t check_mask, write_mask; /* ~0: inverted */
};

static const struct sweep plain[] = { { .writes = true }, { .checks = true } };

/* R. Nair, S. Thatte, J. Abraham, "Efficient algorithms for testing semiconductor random-access memories" (1978) */
static const struct sweep moving[] = {
	{ .writes = true },
	{ .checks = true, .writes = true, .write_mask = ~0ull },
	{ .checks = true, .check_mask = ~0ull, .writes = true, .downwards = true },
	{ .checks = true },
};

struct worker {
	_Alignas(128) uint64_t checked_words;
	uint64_t errors;
	struct integrity_fault first;
};

static struct {
	const struct integrity_job *job;
	const struct sweep *sweep;
	unsigned turn;           /* by how many slices the threads have moved on */
	uint64_t invert;         /* of the pass */
	uint64_t slice_words;
	struct team team;
	struct worker workers[MAX_THREADS];
} test;

uint64_t integrity_bytes(uint64_t bytes, unsigned threads)
{
	return bytes / (BLOCK_BYTES * (uint64_t)threads) * (BLOCK_BYTES * (uint64_t)threads);
}

const char *integrity_where(uint64_t expected, uint64_t again)
{
	return again == expected ? "read path" : "cell or write path";
}

/* From /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst): bits 0-54 the page frame, bit 63 present. */
static uint64_t physical_of(const void *at)
{
	uint64_t page_bytes = map_page_bytes(), entry = 0;
	int fd = sys_open("/proc/self/pagemap", O_RDONLY, 0);
	ssize_t got;

	if (fd < 0)
		return 0;
	got = sys_pread(fd, &entry, sizeof(entry), (uintptr_t)at / page_bytes * sizeof(entry));
	sys_close(fd);
	entry &= (1ull << 55) - 1;
	return got == sizeof(entry) && entry ? entry * page_bytes + (uintptr_t)at % page_bytes : 0;
}

static RARE void note_error(struct worker *worker, uint64_t *at, uint64_t expected, uint64_t found)
{
	if (worker->errors++)
		return;
	cache_flush(at, sizeof(*at));
	worker->first = (struct integrity_fault){
		.offset_bytes = (uint64_t)((char *)at - (char *)test.job->at), .physical_bytes = physical_of(at),
		.expected = expected, .found = found, .again = *(volatile uint64_t *)at, .cpu = (unsigned)cpu_current(),
	};
}

static void check_block(struct worker *worker, uint64_t *at, const uint64_t *expected, uint64_t mask)
{
	for (unsigned i = 0; i < INTEGRITY_BLOCK_WORDS; i++) {
		uint64_t found = *(volatile uint64_t *)&at[i]; /* read once: what is compared is what is told */

		if (found != (expected[i] ^ mask))
			note_error(worker, &at[i], expected[i] ^ mask, found);
	}
	worker->checked_words += INTEGRITY_BLOCK_WORDS;
}

static void write_block(uint64_t *at, const uint64_t *expected, uint64_t mask)
{
	for (unsigned i = 0; i < INTEGRITY_BLOCK_WORDS; i++)
		at[i] = expected[i] ^ mask;
}

/* Checks each word and turns it over before it looks at the next one. */
static void turn_block(struct worker *worker, uint64_t *at, const uint64_t *expected, const struct sweep *sweep)
{
	for (unsigned n = 0; n < INTEGRITY_BLOCK_WORDS; n++) {
		unsigned i = sweep->downwards ? INTEGRITY_BLOCK_WORDS - 1 - n : n;
		uint64_t found = *(volatile uint64_t *)&at[i], right = expected[i] ^ sweep->check_mask ^ test.invert;

		if (found != right)
			note_error(worker, &at[i], right, found);
		*(volatile uint64_t *)&at[i] = expected[i] ^ sweep->write_mask ^ test.invert;
	}
	worker->checked_words += INTEGRITY_BLOCK_WORDS;
}

static void sweep_slice(unsigned member, void *context)
{
	const struct sweep *sweep = test.sweep;
	struct worker *worker = &test.workers[member];
	uint64_t first = (member + test.turn) % test.job->threads * test.slice_words;
	uint64_t blocks = test.slice_words / INTEGRITY_BLOCK_WORDS;
	uint64_t expected[INTEGRITY_BLOCK_WORDS];

	(void)context;
	for (uint64_t n = 0; n < blocks; n++) {
		uint64_t word = first + (sweep->downwards ? blocks - 1 - n : n) * INTEGRITY_BLOCK_WORDS;
		uint64_t *at = test.job->at + word;

		test.job->filling->fill(expected, INTEGRITY_BLOCK_WORDS, word, test.job->seed);
		if (sweep->checks && sweep->writes)
			turn_block(worker, at, expected, sweep);
		else if (sweep->writes)
			write_block(at, expected, sweep->write_mask ^ test.invert);
		else
			check_block(worker, at, expected, sweep->check_mask ^ test.invert);
		if (sweep->writes && test.job->flush)
			cache_flush(at, BLOCK_BYTES);
	}
}

static void inject(void)
{
	uint64_t words = test.slice_words * test.job->threads;
	uint64_t *at = test.job->at;

	switch (test.job->inject) {
	case INJECT_BIT:
		at[words / 2] ^= 1ull << 17;
		break;
	case INJECT_ADDRESS:
		at[words / 2] = at[0];
		break;
	case INJECT_NONE:
		break;
	}
}

static int run_pass(unsigned pass)
{
	const struct filling *filling = test.job->filling;
	const struct sweep *sweeps = filling->moving ? moving : plain;

	test.invert = pass % 2 ? ~0ull : 0;
	for (unsigned i = 0; i < filling_sweeps(filling) / filling->passes; i++) {
		int err;

		test.sweep = &sweeps[i];
		test.turn = i;
		err = team_run(&test.team, test.job->cpus, test.job->threads, sweep_slice, NULL);
		if (err)
			return err;
		if (pass == 0 && i == 0)
			inject();
		if (test.job->goes_on && !test.job->goes_on(test.job->context))
			return -ECANCELED;
	}
	return 0;
}

static void add_up(struct integrity_result *result)
{
	for (unsigned i = 0; i < test.job->threads; i++) {
		const struct worker *worker = &test.workers[i];

		if (worker->errors && !result->errors)
			result->first = worker->first;
		result->errors += worker->errors;
		result->checked_words += worker->checked_words;
	}
}

RARE int integrity_run(const struct integrity_job *job, struct integrity_result *result)
{
	int err = 0;

	*result = (struct integrity_result){ 0 };
	if (!job->threads || job->threads > MAX_THREADS || !integrity_bytes(job->bytes, job->threads))
		return -EINVAL;
	test.job = job;
	test.slice_words = integrity_bytes(job->bytes, job->threads) / job->threads / sizeof(uint64_t);
	for (unsigned i = 0; i < job->threads; i++)
		test.workers[i] = (struct worker){ 0 };
	for (unsigned pass = 0; pass < job->filling->passes && !err; pass++)
		err = run_pass(pass);
	result->error_cpu = test.team.error_cpu;
	add_up(result);
	return err;
}
