/*
 * console.h: the run for people: one aligned line a figure, scaled to a readable unit, coloured on a terminal, plain
 * elsewhere; progress and time left on a terminal only; at the end what failed, once more, and the last line.
 * Claims and tables are table.h's; series are left to the record.
 */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

#include "lib/output.h"
#include "sink.h"

enum { CONSOLE_FAULTS = 16 };

struct console_sink {
	struct sink sink;
	struct output *output;
	bool terminal;
	bool progress_shown;   /* the cursor stands behind a progress line */
	unsigned step_count, step;
	const char *step_name;
	unsigned fault_count;  /* of FAIL and ERROR, kept for the end; those beyond CONSOLE_FAULTS are only counted */
	char faults[CONSOLE_FAULTS][200];
};

void console_sink_init(struct console_sink *sink, struct output *output, bool terminal);

/* A value and its unit for people: 3145728000 B/s -> "3.146 GB/s", 52300 ns -> "52.30 us"; exact below 1000. */
struct text;
void console_add_value(struct text *text, int64_t milli, const char *unit);

#endif
