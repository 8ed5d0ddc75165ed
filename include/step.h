/*
 * step.h: what a self-test step is, and what it may do.
 *
 * A step is one file in src/step/ (a study: src/study/) and one line of step/sequence.def.  It runs in a child of its
 * own, asks for its parameters and for the devices that play a role, calls an engine, and emits events.
 * It never prints and never judges.
 *
 * The same run() is called once before, dry: then planned() is true for every point, adds up time and bytes, and
 * nothing is touched.  The deadline of the step comes from that sum.
 */
#ifndef STEP_H
#define STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "event.h"
#include "identity.h"
#include "param.h"

enum needs {
	NEEDS_NOTHING = 0,
	NEEDS_STORAGE = 1 << 0,
	NEEDS_SCRATCH = 1 << 1, /* writes to it */
	NEEDS_NETWORK = 1 << 2,
	NEEDS_PEER = 1 << 3,
};

struct ctx;

struct step {
	const char *name;    /* "block.read" */
	const char *summary; /* one line for help and plan */
	unsigned needs;      /* enum needs, or'ed */
	const struct param *params; /* NULL: none; else ended by PARAM_END */
	void (*run)(struct ctx *ctx); /* NULL: not in this version */
};

/* ---- what the step was given ---- */
const struct board *ctx_board(const struct ctx *ctx);
const struct identity *ctx_identity(const struct ctx *ctx);
const struct param_value *param_values(const struct ctx *ctx, unsigned param); /* index into .params */
uint64_t param_number(const struct ctx *ctx, unsigned param);                  /* the first of its values */
const char *param_string(const struct ctx *ctx, unsigned param);               /* PARAM_TEXT; "" where the default is none */
const char *param_text(const struct ctx *ctx, unsigned param, unsigned index, char *word, unsigned size); /* PARAM_WORDS, PARAM_WORD */
/* What the board file's cap on wear leaves this run to write, the points planned so far taken off; UINT64_MAX: no cap. */
uint64_t ctx_write_left(const struct ctx *ctx);
const char *ctx_peer(const struct ctx *ctx);  /* HOST of --peer, or of a command; "": none */
uint64_t ctx_seed(const struct ctx *ctx);     /* for choosing places and orders; never for a nonce */
uint64_t ctx_start_throttles(const struct ctx *ctx); /* cpu_throttle_count() at the start of the run */
bool ctx_put_aside(const struct ctx *ctx, const char *device); /* an earlier step got stuck on it */
bool ctx_judges(const struct ctx *ctx, const char *metric, const struct point *points); /* does the board file bound this figure? */
/* What this run told before: the env.snapshot.counter of that name, or the figure of block.health with that whole name. */
bool ctx_start_counter(const struct ctx *ctx, const char *name, int64_t *milli);
int ctx_kernel_log(const struct ctx *ctx); /* kernel_log_open() at the start of the run: a descriptor behind what was logged before, or -errno */

/*
 * For each point, before it is measured: true in the dry run, which has then added the point's time and bytes to be
 * written to the plan; the step goes on to its next point.
 */
bool planned(struct ctx *ctx, uint64_t time_ns, uint64_t write_bytes);

#define for_each_param(ctx, param, name) \
	for (unsigned name##_i = 0; name##_i < param_values(ctx, param)->count; name##_i++) \
		for (uint64_t name = param_values(ctx, param)->numbers[name##_i], name##_once = 1; name##_once; name##_once = 0)

/* ---- what the step says ---- */
#define POINT_LIST_END { .key = "" }
struct point point_text(const char *key, const char *value);
struct point point_size(const char *key, uint64_t bytes);   /* 4096 -> "4k", 1500 -> "1500" */
struct point point_number(const char *key, uint64_t number);

/* points: ended by an empty key; NULL: none.  evidence: NULL: none beyond what is added to every figure
 * (clock and its resolution and overhead, CPU frequency and throttle counters before and after, noise floor). */
void emit_figure(struct ctx *ctx, const char *metric, const char *unit, const struct point *points, int64_t value_milli,
                 const struct facts *evidence);
void emit_fail(struct ctx *ctx, const char *metric, const struct point *points, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void emit_error(struct ctx *ctx, const char *metric, const struct point *points, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void emit_skip(struct ctx *ctx, const char *metric, const struct point *points, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A cell of a table (fact_cell) that stays empty; unit: of the figure that it would have been. */
void emit_skip_cell(struct ctx *ctx, const char *metric, const char *unit, const struct point *points, const struct facts *cell,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));
/* From here on what fails, is in error or is skipped is that cell, whose unit is its figure's; NULL: none.  `cell` is in use until then. */
void emit_cell(struct ctx *ctx, const struct facts *cell, const char *unit);
void emit_warn(struct ctx *ctx, const char *metric, const struct point *points, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void emit_log(struct ctx *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emit_device(struct ctx *ctx, const char *name); /* the device in use from here on; "" for none */

/* A series: its start, any number of elements, its end; not to be mixed with another. */
void emit_series(struct ctx *ctx, const char *metric, const char *unit, const struct point *points, const struct facts *facts);
void emit_element(struct ctx *ctx, uint64_t at_ns, int64_t value_milli);
void emit_series_end(struct ctx *ctx);

/* Of a study, behind its figures. */
void emit_claim(struct ctx *ctx, const char *name, enum claim claim, const char *words, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

struct histogram;
/* n, overflow, min, max, mean, deviation, quantiles to 99.9999, interval of the median; ns */
void latency_facts(const struct histogram *latency, struct facts *facts);
/* The figures of a latency, one by one: "p50", "p95", "p99", "p99.9", "max", "mean"; NULL behind the last.  *value_milli is
 * VALUE_NONE where there are too few samples. */
const char *latency_quantity(const struct histogram *latency, unsigned index, int64_t *value_milli);
/* prefix.p50 .p95 .p99 .p99.9 .max .mean, each with n, discarded, overflow and the whole summary as evidence */
void emit_latency(struct ctx *ctx, const char *prefix, const struct point *points, const struct histogram *latency,
                  const struct facts *evidence);

#endif
