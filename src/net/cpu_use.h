/*
 * cpu_use.h: what each CPU's time went into, by kind, from /proc/stat (in ticks of 1/100 s).
 */
#ifndef CPU_USE_H
#define CPU_USE_H

#include <stdint.h>

#include "capacity.h"

enum cpu_kind { CPU_USER, CPU_SYSTEM, CPU_IRQ, CPU_SOFTIRQ, CPU_REST, CPU_KINDS }; /* user includes nice */

struct cpu_use {
	unsigned count;
	uint16_t cpus[MAX_CPUS];
	uint64_t ticks[MAX_CPUS][CPU_KINDS];
};

int cpu_use_read(struct cpu_use *use);           /* 0 or -errno */
const char *cpu_use_kind(enum cpu_kind kind);    /* "user" */

/* The part of CPU number cpu's time between two readings that went into kind, in thousandths of a ppm; VALUE_NONE when it
 * is not in both, or no tick passed.  *ticks (may be NULL): how many passed in all. */
int64_t cpu_use_ppm_milli(const struct cpu_use *before, const struct cpu_use *after, unsigned cpu, enum cpu_kind kind, uint64_t *ticks);

/* ---- pure, for the unit tests: one line of /proc/stat; others than "cpuN ..." are passed over ---- */
void cpu_use_parse(const char *line, struct cpu_use *use);

#endif
