/*
 * chase.h: load-to-use latency by a dependent pointer chase.
 *
 * Every cache line of the buffer holds a pointer to another; all lines form one random cycle, so that neither a stride nor a short cycle
 * helps a prefetcher.  Each load needs the result of the one before.
 *
 * Across pages, each line follows any other, so that all pages are visited at random.  Within pages, some lines of one page follow one
 * another before the next page, so that a page's place in memory (TLB) is asked for once for all of them: what is left of the difference
 * is the TLB's.  They are some and not all of the page's lines, and no two of them neighbours, for whoever takes all lines of a page in a row
 * meets lines that the prefetchers have brought beside the one before.  The cycle comes back to the page for the others.
 */
#ifndef CHASE_H
#define CHASE_H

#include <stdint.h>

#include "lib/random.h"
#include "stat/summary.h"

enum { CHASE_BATCH_MIN = 1000 }; /* loads of a sample, at least */

struct chase {
	void *at;
	const void *place;       /* where the next walk begins */
	uint64_t walked;         /* loads since it was linked */
	struct random_order order; /* of the cycle, across pages */
	uint64_t lines;
	unsigned line_bytes;
};

struct chase_result {
	struct samples samples;  /* a batch each: picoseconds per load */
	uint64_t discarded;      /* batches of the warm-up */
	uint64_t batch_loads;    /* of a sample */
	uint64_t loads;          /* of all samples */
};

/* Links the lines in bytes at `at` into one cycle, across pages.  Lines of 64 B, or the machine's if they are longer. */
void chase_link(struct chase *chase, void *at, uint64_t bytes, uint64_t seed);
/* The same within pages of page_bytes, of which the buffer holds whole ones; a single page is linked as above. */
void chase_link_within(struct chase *chase, void *at, uint64_t bytes, uint64_t page_bytes, uint64_t seed);

/*
 * Chases for about time_ns after a warm-up, on the CPU the caller is pinned to.  Linking went through the lines in the very order of the
 * chase, so that the caches hold what they would after a lap; the warm-up is another lap, or 20 ms of one.
 */
void chase_measure(struct chase *chase, uint64_t time_ns, struct chase_result *result);

/* Goes on so many loads, up to 15 more: how many. */
uint64_t chase_walk(struct chase *chase, uint64_t loads);

/* Picoseconds per load as the caches have the lines, and of lines that were flushed before: the latency of memory itself, whatever the caches may hold.
 * No samples below CHASE_PROOF_LINES lines. */
struct chase_proof { struct samples ordinary, flushed; };
enum { CHASE_PROOF_LINES = 2016, CHASE_CACHED_BELOW_MILLI = 850 };

/* Goes on through some 40 thousand lines of a cycle across pages, or once through a smaller one. */
void chase_prove(struct chase *chase, struct chase_proof *proof);
/* The same of lines that others have in work, not linked and not changed: line gives the address of each index below count, whole words, none of
 * them twice.  How many were loaded. */
typedef const void *chase_line(const void *context, uint64_t index);
uint64_t chase_prove_lines(chase_line *line, const void *context, uint64_t count, struct chase_proof *proof);
/* The first to the second: below CHASE_CACHED_BELOW_MILLI the caches hold part of the buffer; VALUE_NONE: there was no proof. */
int64_t chase_proof_milli(const struct chase_proof *proof);

#endif
