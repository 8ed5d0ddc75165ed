/*
 * clock.h: time.  CLOCK_MONOTONIC_RAW is the reference (no slewing, no steps); the CPU's own counter (TSC, CNTVCT) is
 * used for short spans where it is invariant, with its rate measured against the reference or told by the hardware.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>

uint64_t clock_now_ns(void);         /* CLOCK_MONOTONIC_RAW */
uint64_t clock_real_ns(void);        /* since 1970, for time stamps only */
uint64_t clock_boot_ns(void);        /* CLOCK_BOOTTIME: what the kernel's log uses */
uint64_t clock_thread_cpu_ns(void);  /* CPU time of this thread */
uint64_t clock_process_cpu_ns(void);

/* What the clock in use can tell apart and costs, measured on first use (about 2 ms), in picoseconds. */
struct clock_quality {
	const char *name;                /* "tsc", "cntvct", "monotonic_raw" */
	uint64_t resolution_ps;          /* smallest step seen above 0 */
	uint64_t overhead_ps;            /* of one reading */
	uint64_t counter_hz;             /* 0: counter not used */
	bool counter_is_invariant;
	int64_t rate_error_ppm_milli;    /* how far counter_hz may be off, as measured; VALUE_NONE: the hardware tells it */
};
const struct clock_quality *clock_quality(void);
const struct clock_quality *clock_reference(void); /* the same of CLOCK_MONOTONIC_RAW */

/* Measures the counter's rate again, over all the time since it was first measured.  No ticks of before may be turned
 * into time behind it: for a process that begins. */
void clock_refine(void);

/* The quick clock: ticks of the counter where it is invariant, else of CLOCK_MONOTONIC_RAW in ns. */
uint64_t clock_ticks(void);
uint64_t clock_ticks_to_ns(uint64_t ticks);
uint64_t clock_ns_to_ticks(uint64_t duration_ns);
/* A tick in ns, with 32 bits of fraction, for those who turn millions of ticks into ns: rounded down as above. */
uint64_t clock_ns_per_tick(void);

#endif
