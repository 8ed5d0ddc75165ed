/*
 * interrupts.h: which CPUs take a drive's interrupts, from /proc/interrupts.
 *
 * Its lines are those of its controller (msi_irqs, else irq, in sysfs), or the one with its host's name (mmc0).
 */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "identity.h"

struct interrupts {
	unsigned lines;             /* of the drive; 0: not told */
	unsigned cpus;              /* that are online */
	bool spread;                /* the lines are aimed at several CPUs (a line for administration alone left out) */
	uint32_t counts[MAX_CPUS];  /* since the start, by CPU number; it wraps */
};

void interrupts_read(const struct disk *disk, struct interrupts *interrupts);

struct interrupt_share {
	uint64_t total;
	unsigned cpu;               /* the busiest */
	int64_t ppm_milli;          /* of the total; VALUE_NONE: there were none */
};

/* Of those that came between two readings; before NULL: since the start of the machine. */
void interrupts_share(const struct interrupts *before, const struct interrupts *after, struct interrupt_share *share);

/* The head line of /proc/interrupts: which CPU each column is of.  CPUs that are offline have none.  How many. */
unsigned interrupts_columns(char *line, uint16_t cpus[MAX_CPUS]);

/* ---- for the unit tests: a file in the form of /proc/interrupts, and which lines are the drive's ---- */
struct interrupt_lines {
	bool (*is_mine)(unsigned number, const char *action, void *context); /* action: the last word */
	void *context;
	struct interrupts *interrupts;
	unsigned columns;
	int target;                 /* the CPU that the first line is aimed at; -1 */
	uint16_t cpus[MAX_CPUS];    /* of each column */
};
int interrupts_take_line(char *line, void *lines); /* of file_each_line; the head line first */

#endif
