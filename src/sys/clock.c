/* clock.c: see clock.h.  A rate is measured from two pairs of readings, 2 ms apart or more, each the tightest of many. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "capacity.h"
#include "event.h"
#include "lib/wide.h"
#include "sys/clock.h"
#include "sys/cpu.h"

enum { TRIES = 32, READINGS = 4096, FRACTION_BITS = 32 };
#define PS_PER_SECOND 1000000000000ull

static const char reference_name[] = "monotonic_raw";
static struct clock_quality quality = { .name = reference_name };
static struct clock_quality reference = { .name = reference_name, .rate_error_ppm_milli = VALUE_NONE };
static atomic_bool counter_used; /* once it is, it stays so */
static uint64_t ns_per_tick, ticks_per_ns; /* with FRACTION_BITS of fraction */
static pthread_once_t measured = PTHREAD_ONCE_INIT;
static atomic_bool is_measured; /* the clock is read often: pthread_once alone would be half the cost */

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
struct moment { uint64_t now_ns, ticks, gap_ns; };

static struct moment start; /* now_ns 0: the rate is not measured */

__attribute__((cold)) static void read_both(struct moment *moment)
{
	moment->gap_ns = UINT64_MAX;
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before_ns = clock_now_ns();
		uint64_t between = cpu_counter();
		uint64_t gap_ns = clock_now_ns() - before_ns;
		if (gap_ns < moment->gap_ns)
			*moment = (struct moment){ before_ns + gap_ns / 2, between, gap_ns };
	}
}

/* Either moment may be off by half its gap.  A counter that did not run has no rate. */
__attribute__((cold)) static void measure_rate(void)
{
	struct moment now;
	uint64_t span_ns;

	read_both(&now);
	if (now.ticks <= start.ticks || now.now_ns <= start.now_ns)
		return;
	span_ns = now.now_ns - start.now_ns;
	quality.counter_hz = wide_divide((unsigned __int128)(now.ticks - start.ticks) * SECONDS(1), span_ns).whole;
	quality.rate_error_ppm_milli = wide_divide((unsigned __int128)(start.gap_ns + now.gap_ns) * SECONDS(1), 2 * span_ns).whole;
}

__attribute__((cold)) static void set_rate(void)
{
	uint64_t hz = counter_used ? quality.counter_hz : SECONDS(1);

	ns_per_tick = wide_divide((unsigned __int128)SECONDS(1) << FRACTION_BITS, hz).whole;
	ticks_per_ns = wide_divide((unsigned __int128)hz << FRACTION_BITS, SECONDS(1)).whole;
}

__attribute__((cold)) static void choose_clock(void)
{
	quality.rate_error_ppm_milli = VALUE_NONE;
	quality.counter_is_invariant = cpu_counter_invariant();
	if (quality.counter_is_invariant) {
		quality.counter_hz = cpu_counter_hz();
		if (!quality.counter_hz) {
			read_both(&start);
			while (clock_now_ns() - start.now_ns < MS(2))
				cpu_relax();
			measure_rate();
		}
		counter_used = quality.counter_hz != 0;
	}
	if (counter_used)
		quality.name = cpu_counter_name();
	set_rate();
}

static bool is_counter_used(void)
{
	return atomic_load_explicit(&counter_used, memory_order_relaxed);
}

static uint64_t read_chosen(void)
{
	return is_counter_used() ? cpu_counter() : clock_now_ns();
}

__attribute__((cold)) static void measure_readings(struct clock_quality *of, uint64_t (*read)(void), uint64_t hz)
{
	uint64_t begin = read(), last = begin, step = UINT64_MAX;

	for (unsigned i = 0; i < READINGS; i++) {
		uint64_t now = read();
		if (now > last && now - last < step)
			step = now - last;
		last = now;
	}
	of->overhead_ps = wide_divide((unsigned __int128)(last - begin) * PS_PER_SECOND, hz).whole / READINGS;
	of->resolution_ps = wide_divide((unsigned __int128)(step == UINT64_MAX ? 1 : step) * PS_PER_SECOND, hz).whole;
}

__attribute__((cold)) static void measure(void)
{
	choose_clock();
	measure_readings(&reference, clock_now_ns, SECONDS(1));
	measure_readings(&quality, read_chosen, counter_used ? quality.counter_hz : SECONDS(1));
	is_measured = true;
}

static void measure_once(void)
{
	if (!atomic_load_explicit(&is_measured, memory_order_acquire))
		pthread_once(&measured, measure);
}

__attribute__((cold)) void clock_refine(void)
{
	measure_once();
	if (!start.now_ns || !counter_used)
		return;
	measure_rate();
	set_rate();
}

const struct clock_quality *clock_quality(void)
{
	measure_once();
	return &quality;
}

const struct clock_quality *clock_reference(void)
{
	measure_once();
	return &reference;
}

uint64_t clock_ticks(void)
{
	if (is_counter_used())
		return cpu_counter();
	measure_once();
	return read_chosen();
}

uint64_t clock_ticks_to_ns(uint64_t ticks)
{
	measure_once();
	return (unsigned __int128)ticks * ns_per_tick >> FRACTION_BITS;
}

uint64_t clock_ns_per_tick(void)
{
	measure_once();
	return ns_per_tick;
}

uint64_t clock_ns_to_ticks(uint64_t duration_ns)
{
	measure_once();
	return (unsigned __int128)duration_ns * ticks_per_ns >> FRACTION_BITS;
}
