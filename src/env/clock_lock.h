/*
 * clock_lock.h: holds a machine's clocks at their maximum and lets them go again, one kind at a time (what jetson_clocks does, taken apart).
 *
 *     emc       of the board file's clock `emc`: 1 into its lock, then its maximum (or the cap, where that is lower) into its rate
 *     cpufreq   each policy's scaling_max_freq into scaling_min_freq; the governor stays
 *     cpuidle   1 into the `disable` of every state of every CPU
 * Every write goes by sys/guard, is read back (a firmware may refuse without a word), and is undone by the guardian should this process be killed.
 */
#ifndef CLOCK_LOCK_H
#define CLOCK_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "board.h"

enum clock_kind { CLOCK_EMC, CLOCK_CPUFREQ, CLOCK_CPUIDLE, CLOCK_KINDS };
const char *clock_kind_word(enum clock_kind kind); /* "emc" */

/* Is there anything to lock?  stack may be NULL.  False with one line in why: "no cpufreq on this machine". */
bool clock_available(enum clock_kind kind, const struct stack *stack, char *why, size_t size);
/* 0; or -errno with the file named in fault, and all as it was before.  What reads as wanted is left alone. */
int clock_lock(enum clock_kind kind, const struct stack *stack, char *fault, size_t size);
/* How many settings clock_lock had to change: 0 where all of them were held before. */
unsigned clock_changed(enum clock_kind kind);
int clock_unlock(enum clock_kind kind, char *fault, size_t size);

#endif
