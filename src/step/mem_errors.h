/*
 * mem_errors.h: memory errors that the machine itself tells: EDAC's counters, and the kernel's log.
 *
 * mem.test judges what came in its own time, since a run may end with it; env.after judges the whole run again, by the board file's rules and all of the log.
 */
#ifndef MEM_ERRORS_H
#define MEM_ERRORS_H

#include "step.h"

struct mem_errors {
	int64_t corrected, uncorrected;  /* EDAC's, of all memory controllers; -1: it does not tell */
	uint64_t logged, logged_fatal;   /* lines of the kernel's log that tell of memory errors, and those of uncorrected ones */
};

/* Begins: reads of the log start behind what is there now. */
void mem_errors_start(const struct ctx *ctx, struct mem_errors *errors);
/* Now: counters as they stand, lines since the start. */
void mem_errors_read(struct ctx *ctx, struct mem_errors *errors);

/* edac_ce_before, edac_ce_after and so on, kernel_memory_errors. */
void mem_errors_facts(const struct mem_errors *before, const struct mem_errors *after, struct facts *facts);
/* FAIL for uncorrected errors between the two, WARN for corrected ones; the log counts where EDAC does not tell. */
void mem_errors_judge(struct ctx *ctx, const char *metric, const struct mem_errors *before, const struct mem_errors *after);

#endif
