/* cpu_use.c: see its header. */
#include <string.h>

#include "event.h"
#include "lib/number.h"
#include "net/cpu_use.h"
#include "sys/file.h"

/* user nice system idle iowait irq softirq steal; what follows (guest) is part of user */
static const enum cpu_kind columns[] = {
	CPU_USER, CPU_USER, CPU_SYSTEM, CPU_REST, CPU_REST, CPU_IRQ, CPU_SOFTIRQ, CPU_REST,
};

void cpu_use_parse(const char *line, struct cpu_use *use)
{
	const char *at = line + 3;
	uint64_t cpu, ticks;

	if (strncmp(line, "cpu", 3) || *at == ' ' || use->count == MAX_CPUS || !number_take(&at, &cpu))
		return;
	use->cpus[use->count] = (uint16_t)cpu;
	memset(use->ticks[use->count], 0, sizeof use->ticks[0]);
	for (unsigned i = 0; i < COUNT_OF(columns) && number_take(&at, &ticks); i++)
		use->ticks[use->count][columns[i]] += ticks;
	use->count++;
}

static int each_line(char *line, void *context)
{
	cpu_use_parse(line, context);
	return strncmp(line, "cpu", 3) != 0; /* the CPUs stand first; the long line of interrupts is not wanted */
}

int cpu_use_read(struct cpu_use *use)
{
	int err;

	use->count = 0;
	err = file_each_line_here("/proc/stat", each_line, use);
	return err < 0 ? err : 0;
}

const char *cpu_use_kind(enum cpu_kind kind)
{
	static const char *const names[] = { "user", "system", "irq", "softirq", "rest" };

	return names[kind];
}

static const uint64_t *ticks_of(const struct cpu_use *use, unsigned cpu)
{
	for (unsigned i = 0; i < use->count; i++)
		if (use->cpus[i] == cpu)
			return use->ticks[i];
	return NULL;
}

int64_t cpu_use_ppm_milli(const struct cpu_use *before, const struct cpu_use *after, unsigned cpu, enum cpu_kind kind, uint64_t *ticks)
{
	const uint64_t *from = ticks_of(before, cpu), *to = ticks_of(after, cpu);
	uint64_t sum = 0;

	for (unsigned i = 0; from && to && i < CPU_KINDS; i++)
		sum += to[i] > from[i] ? to[i] - from[i] : 0; /* the kernel's iowait may run backwards */
	if (ticks)
		*ticks = sum;
	if (!sum)
		return VALUE_NONE;
	return milli_ratio((to[kind] > from[kind] ? to[kind] - from[kind] : 0) * 1000000, sum);
}
