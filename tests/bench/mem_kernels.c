/*
 * mem_kernels.c: the rate of every kernel of a mix that this CPU can run, on all CPUs at once: windows of 20 ms, the kernels in turn, many times.
 * mem_kernels MIX MEBIBYTES PASSES: a part of so much for each thread.  Prints NAME, a tab and the median in B/s, a line a kernel.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem/stream.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/team.h"

enum { MOST = 64 };
static const char *const mixes[] = { "reads", "3:1", "2:1", "1:1", "triad", "writes", "nt-writes", "copy" };
static struct { _Alignas(128) _Atomic uint64_t done; struct stream_part part; } workers[MAX_THREADS];
static const struct mem_kernel *_Atomic kernel;
static _Atomic bool stop;
static struct cpu_list cpus;
static struct team team;
static struct samples rates[MOST];

static void fill(unsigned member, void *context)
{
	(void)context;
	stream_fill(&workers[member].part);
}

static void work(unsigned member, void *context)
{
	(void)context;
	for (uint64_t done = 0; !stop; atomic_store_explicit(&workers[member].done, ++done, memory_order_relaxed))
		if (!stream_work(&workers[member].part, kernel, done))
			exit(3);
}

static uint64_t bytes_done(void)
{
	uint64_t done = 0;

	for (unsigned i = 0; i < cpus.count; i++)
		done += workers[i].done;
	return done * stream_step_bytes(&workers[0].part);
}

static int64_t rate_of(const struct mem_kernel *of)
{
	uint64_t before, start_ns;

	kernel = of;
	sys_sleep_ns(MS(1));
	before = bytes_done();
	start_ns = clock_now_ns();
	sys_sleep_ns(MS(20));
	return milli_per_second(bytes_done() - before, clock_now_ns() - start_ns);
}

int main(int argc, char **argv)
{
	enum stream_mix mix = 0;
	uint64_t part_bytes = (argc > 2 ? strtoull(argv[2], NULL, 10) : 128) * MIB;
	int passes = argc > 3 ? atoi(argv[3]) : 10;
	const struct mem_kernel *each;
	struct buffer buffer;

	while (mix < STREAM_MIXES && strcmp(mixes[mix], argc > 1 ? argv[1] : "reads"))
		mix++;
	cpu_allowed(&cpus);
	if (mix == STREAM_MIXES || buffer_map(&buffer, part_bytes * cpus.count, MAP_PAGE_THP))
		return 2;
	for (unsigned i = 0; i < cpus.count; i++)
		stream_cut(&workers[i].part, mix, (char *)buffer.at + i * part_bytes, part_bytes, STREAM_CHUNK_BYTES);
	for (unsigned i = 0; (each = kernels_usable(i)) && !kernel; i++)
		if (each->work[mix])
			kernel = each;
	if (team_run(&team, &cpus, cpus.count, fill, NULL) || team_start(&team, &cpus, cpus.count, work, NULL))
		return 2;
	for (int pass = 0; pass < passes; pass++)
		for (unsigned i = 0; i < MOST && (each = kernels_usable(i)); i++)
			if (each->work[mix])
				samples_add(&rates[i], rate_of(each));
	stop = true;
	team_join(&team);
	for (unsigned i = 0; i < MOST && (each = kernels_usable(i)); i++)
		if (each->work[mix]) {
			struct summary summary;

			summary_of(&rates[i], &summary);
			printf("%s\t%lld\n", each->name, (long long)(summary.median / 1000));
		}
	return 0;
}
