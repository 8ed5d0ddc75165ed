/* pingpong.c CPU CPU SECONDS: two threads take turns in writing one line; the median time of one way, in ns.  Shares nothing with assay. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIPS = 500, MOST = 100000 };
static struct { long value; char rest[248]; } shared __attribute__((aligned(256)));
static double times[MOST];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static void *other(void *cpu)
{
	pin(*(int *)cpu);
	for (;;) {
		long value;

		while ((value = __atomic_load_n(&shared.value, __ATOMIC_ACQUIRE)) == 0)
			;
		if (value < 0)
			return NULL;
		__atomic_store_n(&shared.value, 0, __ATOMIC_RELEASE);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int mine, its, count = 0;
	pthread_t thread;
	double start;

	if (argc < 4)
		return 1;
	mine = atoi(argv[1]);
	its = atoi(argv[2]);
	pin(mine);
	if (pthread_create(&thread, NULL, other, &its))
		return 1;
	start = now();
	while (count < MOST && now() - start < atof(argv[3]) * 1e9) {
		double before = now();

		for (int i = 0; i < TRIPS; i++) {
			__atomic_store_n(&shared.value, 1, __ATOMIC_RELEASE);
			while (__atomic_load_n(&shared.value, __ATOMIC_ACQUIRE))
				;
		}
		times[count++] = (now() - before) / TRIPS / 2;
	}
	__atomic_store_n(&shared.value, -1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	qsort(times, count, sizeof *times, compare);
	printf("%.3f\n", times[count / 2]);
	return 0;
}
