/*
 * ktap.h: the run as KTAP 1 for a serial console: one test a step, its figures as diagnostics, the last line as it is (KTAP readers
 * pass over it).  A step with FAIL or ERROR is `not ok`.  Claims are diagnostics; series are left to the record.
 */
#ifndef KTAP_H
#define KTAP_H

#include "lib/output.h"
#include "sink.h"

struct ktap_sink {
	struct sink sink;
	struct output *output;
	unsigned step, step_count;
};

void ktap_sink_init(struct ktap_sink *sink, struct output *output);

#endif
