/*
 * mem_point.h: one measurement of memory told as figures: what the steps mem.* and the study mlc share.
 *
 * Each function plans its point in the dry run, measures it and emits its figure, or why there is none.  A figure's interval covers what another run
 * would find: it is over rounds, not over the samples of one, which are alike.  Bandwidth maps its memory anew for each round; latency for as many as fit a
 * sum of 4 GiB, so that the rounds of a large buffer share mappings; loaded latency and lines between caches keep one for all, and their intervals do not
 * have in them what other pages would change.
 */
#ifndef MEM_POINT_H
#define MEM_POINT_H

#include "mem/c2c.h"
#include "mem/loaded.h"
#include "mem/stream.h"
#include "step/mem_shared.h"
#include "sys/numa.h"

/* A place in a study's table; table NULL: none. */
struct mem_cell { const char *table, *row, *column; int64_t reference_milli; };

/* What was told, for claims and curves: in thousandths of the figure's unit. */
struct mem_told {
	bool is_told;
	int64_t median_milli, low_milli, high_milli; /* 95 % interval; VALUE_NONE where there is none */
	int64_t of_flushed_milli;  /* of a latency: see mem/chase.h; VALUE_NONE: not held against flushed lines */
};

enum { MEM_ROUNDS = 8, MEM_ROUNDS_MAX = 16 };

struct latency_ask {
	const char *metric;        /* "mem.latency"; with .tlb behind it for the part of the TLB */
	const struct point *points;
	struct mem_cell cell;
	uint64_t size_bytes, time_ns; /* time of all rounds */
	unsigned rounds;
	enum map_page page;
	const char *page_word;     /* in the figure's name */
	unsigned cpu;
	int node;                  /* or NUMA_ANY */
	bool is_dram;              /* the figure is meant to be memory's: ERROR where the caches hold part of the buffer (by lines that were flushed) */
	bool tells_tlb;
};
enum mem_outcome mem_latency_point(struct ctx *ctx, const struct latency_ask *ask, struct mem_told *told);
/* The same for several points, as mem_bandwidth_begin. */
enum mem_outcome mem_latency_begin(struct ctx *ctx, const struct latency_ask *ask, struct mem_told *told);
void mem_latency_finish(struct ctx *ctx);

struct bandwidth_ask {
	const char *metric;        /* "mem.bandwidth" */
	const struct point *points;
	struct mem_cell cell;
	struct stream_job job;     /* of one round */
	unsigned rounds;
	const char *page_word;
	bool is_dram;              /* the figure is meant to be memory's: ERROR where the caches hold part of what is streamed; else that is said in a log */
};
enum mem_outcome mem_bandwidth_point(struct ctx *ctx, const struct bandwidth_ask *ask, struct mem_told *told);
/* The same for several points, whose rounds come in turn: what drifts meanwhile is then in each one's interval.  Begin does the first round, and
 * comes back with what speaks against the point; finish does all others, and tells (so does begin, where there are too many points).  What ask points
 * to, its points apart, and told (or NULL) are in use until then: cell and page_word too. */
enum mem_outcome mem_bandwidth_begin(struct ctx *ctx, const struct bandwidth_ask *ask, struct mem_told *told);
void mem_bandwidth_finish(struct ctx *ctx);

/* The whole curve of a buffer: PREFIX.latency ns, PREFIX.bandwidth B/s [delay,...points] for each delay, and PREFIX.knee B/s [...points]: the most bandwidth
 * with a latency of at most twice that of the longest delay.  Cells: rows are the delays, columns "latency ns" and "bandwidth MB/s". */
struct loaded_ask {
	const char *prefix;        /* "mem.loaded" */
	const struct point *points; /* of the curve: the delay comes first by itself */
	const char *table;         /* NULL: none */
	const char *curve;         /* its name in the plot of latency over bandwidth; NULL: not drawn */
	const int64_t (*references_milli)[2]; /* for each delay, latency in ps and bandwidth in thousandths of B/s; NULL: none */
	const char *const *rows;   /* NULL: "25 ns" */
	struct loaded_job job;
	const char *page_word;
	bool is_dram;              /* meant to be memory's: ERROR where the caches hold part of the chaser's buffer; else that is said in a log, from 64 MiB on */
};
struct loaded_told { unsigned count; struct mem_told latency[LOADED_MAX_DELAYS], bandwidth[LOADED_MAX_DELAYS]; };
enum mem_outcome mem_loaded_point(struct ctx *ctx, const struct loaded_ask *ask, struct loaded_told *told);

struct c2c_ask {
	const char *metric;        /* "mem.c2c" */
	const struct point *points;
	struct mem_cell cell;
	struct c2c_job job;
};
enum mem_outcome mem_c2c_point(struct ctx *ctx, const struct c2c_ask *ask, struct mem_told *told);

/* ---- for their files: evidence in common ---- */
void mem_fact_cell(struct facts *facts, const struct mem_cell *cell);
/* Nothing is told yet: all VALUE_NONE.  Returns told; of NULL, a place that nobody reads. */
struct mem_told *mem_told_none(struct mem_told *told);
/* Between the two, whatever refuses the point fills the cell, too. */
void mem_cell_begin(struct ctx *ctx, const struct mem_cell *cell, const char *unit);
void mem_cell_end(struct ctx *ctx);
/* n (rounds), median, low95, high95, min, max of the rounds' medians (thousandths of the unit), and into told. */
void mem_tell_rounds(const struct samples *rounds, struct facts *facts, struct mem_told *told);

#endif
