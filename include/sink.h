/*
 * sink.h: where judged events go.  A sink formats and writes; it never decides.
 *
 * The runner calls, in this order: run_start, then for each step step_start, event..., step_end, then run_end.
 * A sink that cannot write says so by its return value (-errno) and is still called: the runner makes it an ERROR
 * of the run, and the verdict still appears elsewhere.
 */
#ifndef SINK_H
#define SINK_H

#include "board.h"
#include "event.h"
#include "identity.h"
#include "verdict.h"

struct run_info {
	const char *command_line;
	const char *version;
	const char *build_id;
	const struct board *board;
	const struct identity *identity;
	const char *serial, *station, *operator, *level, *only, *skip, *scratch, *peer; /* "" when there is none */
	const char *peer_state;    /* a JSON object: the peer's identity and state before the run, as it told them; "": no peer, or it does not tell */
	const char *clock;         /* the clock behind every time, with its resolution in clock_resolution_ps */
	uint64_t clock_resolution_ps, clock_overhead_ps;
	uint64_t seed;
	unsigned step_count;
	bool partial, simulated;
	uint64_t start_ns;         /* real time, since 1970 */
};

/* An event and what the runner made of it. */
struct judged {
	const struct event *event;
	enum outcome outcome;
	const struct limit *limit; /* NULL: none */
	const char *reason;        /* why it is FAIL or ERROR, for people; "" */
	uint64_t time_ns;          /* real time, since 1970 */
};

struct run_end {
	enum verdict verdict;
	const struct tally *tally;
	const char *last_line;     /* whole, without newline; "" for the record, whose hash stands in it */
	uint64_t time_ns;
};

struct sink;

/* NULL: the sink has nothing to do at that moment. */
struct sink_ops {
	int (*run_start)(struct sink *sink, const struct run_info *info);
	int (*step_start)(struct sink *sink, unsigned number, const char *name, uint64_t time_ns);
	int (*event)(struct sink *sink, const struct judged *judged);
	int (*step_end)(struct sink *sink, const char *name, enum outcome outcome, const char *reason, uint64_t time_ns);
	int (*run_end)(struct sink *sink, const struct run_end *end);
};

/* One open sink; the ops' own state is behind it, in the same struct. */
struct sink {
	const struct sink_ops *ops;
};

/* Calls one op of a sink: what it returns, 0 where the sink has nothing to do. */
#define sink_tell(sink, op, ...) ((sink)->ops->op ? (sink)->ops->op((sink), __VA_ARGS__) : 0)

#endif
