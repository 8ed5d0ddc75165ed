/*
 * event.h: what a step says, and the only thing that passes from measuring to judging and printing.
 *
 * A struct event is flat, holds no pointer, and goes through a pipe in one atomic write (it is smaller than
 * PIPE_BUF).  Values are fixed point: thousandths of their unit in an int64_t (1.337 ns is 1337), so that golden
 * files are exact.
 *
 * A figure's name is `metric[key=value,...]`: metric names and the order of the keys are an interface, see the README.
 */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capacity.h"

enum event_kind {
	EVENT_FIGURE = 1,     /* metric, points, value_milli, unit and the evidence behind it */
	EVENT_FAIL,           /* the board is at fault: message; metric and points where it belongs to a figure */
	EVENT_ERROR,          /* it could not be measured: message */
	EVENT_SKIP,           /* this point does not apply or was not asked for: message is the reason */
	EVENT_WARN,           /* inside the limits, yet a human should look: message */
	EVENT_LOG,            /* message, for the record only */
	EVENT_PROGRESS,       /* of the runner, about once a second: value_milli of 1000 is the part of the plan that is over, aux the ns left */
	EVENT_PLAN,           /* of the dry run: value_milli is the time in ns (not thousandths), aux the bytes to be written */
	EVENT_DEVICE,         /* message names the device in use from here on ("" for none): what is put aside if the step gets stuck */
	EVENT_CLAIM,          /* of a study: aux is an enum claim, metric its name ("edge-nvme.a"), message the claim, a newline, and what speaks for or against it */
	EVENT_SERIES,         /* elements follow, up to EVENT_SERIES_END: metric, points, unit and facts as of a figure */
	EVENT_ELEMENT,        /* value_milli at aux: the middle of a bucket or the time since the start, in ns */
	EVENT_SERIES_END,     /* aux is how many elements there were */
	EVENT_END,            /* the step's run() returned */
};

/* How a claim stands against our figures.  It never changes a verdict: a claim is about another machine. */
enum claim { CLAIM_SUPPORTED, CLAIM_REFUTED, CLAIM_CANNOT_TELL, CLAIM_NOT_COMPARABLE };

/* A figure without a value (not a number, nothing counted, overflow).  It is judged ERROR, never compared. */
#define VALUE_NONE INT64_MIN

struct point {
	char key[16];
	char value[48];
};

struct fact {
	char key[24];
	int64_t milli; /* thousandths */
};

struct text_fact {
	char key[24];
	char text[72];
};

/* Evidence: n, discarded, median, interval, quantiles, engine, clock, bound and so on, by name. */
struct facts {
	uint32_t count;
	uint32_t text_count;
	struct fact numbers[MAX_FACTS];
	struct text_fact texts[MAX_TEXT_FACTS];
};

struct event {
	uint32_t kind; /* enum event_kind */
	uint32_t point_count;
	int64_t value_milli;
	uint64_t aux;
	char metric[64];
	char unit[8];
	struct point points[MAX_POINTS];
	char message[MAX_MESSAGE];
	struct facts facts;
};

_Static_assert(sizeof(struct event) <= 4096, "an event must pass a pipe in one atomic write");

/* Writes `metric[key=value,...]` (or the bare metric without points) into name, whole or cut at size; returns its length. */
size_t event_metric_name(const struct event *event, char *name, size_t size);

/* Adds to evidence; a key that is there already gets the new value; VALUE_NONE is left out; a full list drops the
 * addition (the lists are sized for the largest step, a unit test holds it). */
void fact_milli(struct facts *facts, const char *key, int64_t milli);
void fact_number(struct facts *facts, const char *key, int64_t number); /* a whole number; saturates at the fixed-point range */
void fact_text(struct facts *facts, const char *key, const char *text);
/*
 * The figure is a cell of a study's table: texts `table`, `row`, `column`, and what the study itself had there, in the
 * figure's own unit (another machine's), VALUE_NONE where it had none.  A table is printed when its step ends.
 */
void fact_cell(struct facts *facts, const char *table, const char *row, const char *column, int64_t reference_milli);
/*
 * The figure is a point of a curve: texts `plot` (the drawing's title, its axes named) and `curve`; its place across is `across`, in thousandths, its height the
 * value.  A plot is drawn when its step ends, all curves of one title over one another.
 */
void fact_curve(struct facts *facts, const char *plot, const char *curve, int64_t across_milli);
const char *fact_find_text(const struct facts *facts, const char *key); /* NULL when absent */
const char *claim_word(enum claim claim); /* "supported", "cannot tell", ... */
const struct fact *fact_find(const struct facts *facts, const char *key); /* NULL when absent */

/* numerator/denominator as thousandths, rounded to nearest; VALUE_NONE when denominator is 0 or it does not fit. */
int64_t milli_ratio(uint64_t numerator, uint64_t denominator);
/* count per second in thousandths: count * 1e9 / time_ns. */
int64_t milli_per_second(uint64_t count, uint64_t time_ns);
/* a whole number as thousandths, VALUE_NONE when it does not fit */
int64_t milli_whole(uint64_t number);

#endif
