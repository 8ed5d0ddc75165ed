/*
 * watch.h: the state of the machine around a figure: CPU frequency and throttling before and after, cheap enough to
 * be read at every emit.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

struct conditions {
	uint64_t cpu_hz_min, cpu_hz_max; /* over the allowed CPUs; 0: not told */
	uint64_t throttles;
	bool has_throttles;              /* does this machine count them? */
};

void watch_read(struct conditions *conditions);
/* Adds cpu_hz_before, cpu_hz_after, throttles_before, throttles_after, as far as the machine tells them; the text
 * cpu_frequency = "not told" where it tells neither. */
void watch_facts(const struct conditions *before, const struct conditions *after, struct facts *facts);

#endif
