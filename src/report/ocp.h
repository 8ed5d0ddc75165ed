/*
 * ocp.h: the record: OCP Test & Validation output v2.0, JSONL, sealed at its end (seal.h).
 *
 * Every line goes to the record's output and, when standard output is JSONL too, to a second one.  An output that
 * fails is not written to again; the error is returned by every later call.
 *
 * A series is ended with what came of it when its step ends in the middle.  A claim is an extension, no diagnosis: it is no verdict on this board.
 */
#ifndef OCP_H
#define OCP_H

#include "lib/output.h"
#include "lib/sha256.h"
#include "sink.h"

enum { OCP_OUTPUTS = 2 };

struct ocp_sink {
	struct sink sink;
	struct output *outputs[OCP_OUTPUTS]; /* the record's file first; NULL: none */
	int errors[OCP_OUTPUTS];             /* the first -errno of each: one that fails does not end the other */
	struct sha256 sha;      /* of all lines so far */
	uint64_t sequence;
	unsigned step;          /* number of the open step */
	unsigned series;        /* number of the last series, in the whole run */
	uint64_t elements;      /* of it, so far */
	bool in_series;
};

void ocp_sink_init(struct ocp_sink *sink, struct output *record, struct output *standard);

#endif
