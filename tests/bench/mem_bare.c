/* mem_bare.c SIZE_BYTES thp|4k CPU MILLISECONDS: a bare random chase, to hold assay's latency against.  Prints ns per load, the median of batches.
 * Nothing of assay is in it: every 64th byte of a buffer holds a pointer, all of them one random cycle (Sattolo), one lap is walked before the clock counts. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20, BATCHES_MAX = 100000 };

static double times[BATCHES_MAX];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static unsigned long next_random(void)
{
	static unsigned long state = 88172645463325252ul;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

int main(int argc, char **argv)
{
	size_t size = argc > 4 ? strtoull(argv[1], NULL, 0) : 0, lines = size / LINE, *next;
	char *all = mmap(NULL, size + 2 * HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = (char *)(((size_t)all + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1));
	double start, before, end;
	unsigned batches = 0, batch = size < 1 << 20 ? 20000 : 1000; /* some 0.1 ms: a busy machine interrupts few of them */
	cpu_set_t cpus;
	void **place;

	if (!size || all == MAP_FAILED)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[3]), &cpus);
	if (sched_setaffinity(0, sizeof cpus, &cpus))
		return 2;
	for (unsigned i = (unsigned)now() % 1000; i; i--) /* another cycle each time */
		next_random();
	madvise(all, size + 2 * HUGE_PAGE, strcmp(argv[2], "thp") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	memset(at, 0, size);
	next = malloc(lines * sizeof *next);
	for (size_t i = 0; i < lines; i++)
		next[i] = i;
	for (size_t i = lines - 1; i > 0; i--) {
		size_t j = next_random() % i, keep = next[i];

		next[i] = next[j];
		next[j] = keep;
	}
	for (size_t i = 0; i < lines; i++)
		*(void **)(at + i * LINE) = at + next[i] * LINE;
	free(next);
	place = (void **)at;
	start = now();
	for (size_t i = 0; i < lines || now() - start < 20e6; i++)
		place = *place;
	before = now();
	end = before + atof(argv[4]) * 1e6;
	while (before < end && batches < BATCHES_MAX) {
		double after;

		for (unsigned i = 0; i < batch; i += 8) {
			place = *place; place = *place; place = *place; place = *place;
			place = *place; place = *place; place = *place; place = *place;
		}
		__asm__ volatile("" : "+r"(place));
		after = now();
		times[batches++] = (after - before) / batch;
		before = after;
	}
	qsort(times, batches, sizeof *times, ascending);
	printf("%.4f\n", times[batches / 2]);
	return 0;
}
