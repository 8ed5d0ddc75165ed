/* clock.c: see clock.h.  A rate is measured from two pairs of readings taken 2 ms apart, each the tightest of many. */
#include "sys/clock.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "capacity.h"
#include "lib/wide.h"
#include "sys/cpu.h"

enum { TRIES = 32, READINGS = 4096, FRACTION_BITS = 32 };
#define PS_PER_SECOND 1000000000000ull

static struct clock_quality quality = { .name = "monotonic_raw" };
static bool counter_used;
static uint64_t ns_per_tick, ticks_per_ns; /* with FRACTION_BITS of fraction */
static pthread_once_t measured = PTHREAD_ONCE_INIT;

static uint64_t read_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return SECONDS(now.tv_sec) + now.tv_nsec;
}

uint64_t clock_now_ns(void) { return read_ns(CLOCK_MONOTONIC_RAW); }
uint64_t clock_real_ns(void) { return read_ns(CLOCK_REALTIME); }
uint64_t clock_boot_ns(void) { return read_ns(CLOCK_BOOTTIME); }
uint64_t clock_thread_cpu_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }
uint64_t clock_process_cpu_ns(void) { return read_ns(CLOCK_PROCESS_CPUTIME_ID); }

/* Both clocks at one moment: the counter between the two readings of the reference that lie closest together. */
static void read_both(uint64_t *now_ns, uint64_t *ticks)
{
	uint64_t least_gap_ns = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before_ns = clock_now_ns();
		uint64_t between = cpu_counter();
		uint64_t gap_ns = clock_now_ns() - before_ns;
		if (gap_ns >= least_gap_ns)
			continue;
		least_gap_ns = gap_ns;
		*now_ns = before_ns + gap_ns / 2;
		*ticks = between;
	}
}

static uint64_t measure_counter_hz(void)
{
	uint64_t from_ns, from, to_ns, to;

	read_both(&from_ns, &from);
	while (clock_now_ns() - from_ns < MS(2))
		cpu_relax();
	read_both(&to_ns, &to);
	if (to <= from || to_ns <= from_ns)
		return 0;
	return wide_divide((unsigned __int128)(to - from) * SECONDS(1), to_ns - from_ns).whole;
}

static void choose_clock(void)
{
	uint64_t hz = SECONDS(1);

	quality.counter_is_invariant = cpu_counter_invariant();
	if (quality.counter_is_invariant) {
		quality.counter_hz = cpu_counter_hz();
		if (!quality.counter_hz)
			quality.counter_hz = measure_counter_hz();
		counter_used = quality.counter_hz != 0;
	}
	if (counter_used) {
		quality.name = cpu_counter_name();
		hz = quality.counter_hz;
	}
	ns_per_tick = wide_divide((unsigned __int128)SECONDS(1) << FRACTION_BITS, hz).whole;
	ticks_per_ns = wide_divide((unsigned __int128)hz << FRACTION_BITS, SECONDS(1)).whole;
}

static uint64_t read_chosen(void)
{
	return counter_used ? cpu_counter() : clock_now_ns();
}

static uint64_t ticks_to_ps(uint64_t ticks)
{
	return wide_divide((unsigned __int128)ticks * PS_PER_SECOND, counter_used ? quality.counter_hz : SECONDS(1)).whole;
}

static void measure_readings(void)
{
	uint64_t first = read_chosen(), last = first, step = UINT64_MAX;

	for (unsigned i = 0; i < READINGS; i++) {
		uint64_t now = read_chosen();
		if (now > last && now - last < step)
			step = now - last;
		last = now;
	}
	quality.overhead_ps = ticks_to_ps(last - first) / READINGS;
	quality.resolution_ps = step == UINT64_MAX ? ticks_to_ps(1) : ticks_to_ps(step);
}

static void measure(void)
{
	choose_clock();
	measure_readings();
}

const struct clock_quality *clock_quality(void)
{
	pthread_once(&measured, measure);
	return &quality;
}

uint64_t clock_ticks(void)
{
	pthread_once(&measured, measure);
	return read_chosen();
}

uint64_t clock_ticks_to_ns(uint64_t ticks)
{
	pthread_once(&measured, measure);
	return (unsigned __int128)ticks * ns_per_tick >> FRACTION_BITS;
}

uint64_t clock_ns_to_ticks(uint64_t duration_ns)
{
	pthread_once(&measured, measure);
	return (unsigned __int128)duration_ns * ticks_per_ns >> FRACTION_BITS;
}
