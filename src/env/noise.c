/* noise.c: the threads and the loop. */
#include <stdatomic.h>
#include <stdbool.h>

#include "env/noise.h"
#include "sys/clock.h"

enum { CALIBRATION = 255, TURNS_PER_CHECK = 64 };

struct worker {
	pthread_t thread;
	struct noise *noise;
	uint16_t cpu;
	bool started;
};

static struct worker workers[MAX_CPUS];
static uint64_t duration_ticks;
static atomic_bool go;

void noise_calibrate(struct noise_loop *loop, uint32_t *deltas, unsigned count, uint64_t min_threshold_ticks)
{
	for (unsigned i = 1; i < count; i++)
		for (unsigned j = i; j > 0 && deltas[j - 1] > deltas[j]; j--) {
			uint32_t delta = deltas[j];
			deltas[j] = deltas[j - 1];
			deltas[j - 1] = delta;
		}
	*loop = (struct noise_loop){ .turn_ticks = deltas[count / 2] };
	loop->threshold_ticks = 10 * loop->turn_ticks;
	if (loop->threshold_ticks < min_threshold_ticks)
		loop->threshold_ticks = min_threshold_ticks;
}

static void calibrate(struct noise_loop *loop)
{
	uint32_t deltas[CALIBRATION];
	uint64_t last = clock_ticks();

	for (unsigned i = 0; i < CALIBRATION; i++) {
		uint64_t now = clock_ticks();
		uint64_t delta = now - last;

		deltas[i] = delta > UINT32_MAX ? UINT32_MAX : (uint32_t)delta;
		last = now;
	}
	noise_calibrate(loop, deltas, CALIBRATION, clock_ns_to_ticks(US(1)));
}

/* Turns come in fixed lots, so that the test for the end is no part of nearly all of them. */
static uint64_t watch_gaps(struct noise_loop *loop)
{
	uint64_t start = clock_ticks(), last = start;

	for (; last - start < duration_ticks; loop->readings += TURNS_PER_CHECK)
		for (unsigned i = 0; i < TURNS_PER_CHECK; i++) {
			uint64_t now = clock_ticks();

			noise_note(loop, now - last);
			last = now;
		}
	return last - start;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct noise *noise = worker->noise;
	struct noise_loop loop;

	noise->error = cpu_pin(worker->cpu);
	while (!atomic_load(&go))
		cpu_relax();
	if (noise->error)
		return NULL;
	calibrate(&loop);
	noise->run_ns = clock_ticks_to_ns(watch_gaps(&loop));
	noise->lost_ns = clock_ticks_to_ns(loop.lost_ticks);
	noise->max_ns = clock_ticks_to_ns(loop.max_ticks);
	noise->threshold_ns = clock_ticks_to_ns(loop.threshold_ticks);
	noise->turn_ps = clock_ticks_to_ns(loop.turn_ticks * 1000);
	noise->gaps = loop.gaps;
	noise->readings = loop.readings;
	return NULL;
}

void noise_measure(const struct cpu_list *list, uint64_t duration_ns, struct noise *noise)
{
	duration_ticks = clock_ns_to_ticks(duration_ns);
	atomic_store(&go, false);
	for (unsigned i = 0; i < list->count; i++) {
		noise[i] = (struct noise){ .error = 0 };
		workers[i] = (struct worker){ .noise = &noise[i], .cpu = list->cpus[i] };
		int err = thread_start(&workers[i].thread, work, &workers[i]);

		workers[i].started = err == 0;
		if (err)
			noise[i].error = err;
	}
	atomic_store(&go, true);
	for (unsigned i = 0; i < list->count; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
}
