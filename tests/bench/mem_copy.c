/* mem_copy.c: McCalpin's STREAM Copy by its method, written anew: all CPUs copy doubles from one array to another; the best of ten passes behind the first.
 * mem_copy MEBIBYTES: of each array, at least four times the last cache.  Prints bytes read plus bytes written per second. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	long n = (argc > 1 ? atol(argv[1]) : 128) * (1l << 20) / (long)sizeof(double);
	double *from = malloc(n * sizeof *from), *to = malloc(n * sizeof *to), best = 1e9;

	if (!from || !to)
		return 1;
#pragma omp parallel for schedule(static)
	for (long i = 0; i < n; i++)
		from[i] = i, to[i] = 0;
	for (int pass = 0; pass < 11; pass++) {
		double start = now(), time;
#pragma omp parallel for schedule(static)
		for (long i = 0; i < n; i++)
			to[i] = from[i];
		time = now() - start;
		if (pass && time < best)
			best = time;
	}
	for (long i = 0; i < n; i++)
		if (to[i] != i)
			return 2;
	printf("%.0f\n", 2 * n * sizeof(double) / best);
	return 0;
}
