/* mem_faults.h: what mem.test says of wrong words. */
#ifndef MEM_FAULTS_H
#define MEM_FAULTS_H

#include "mem/integrity.h"
#include "step.h"

/*
 * Tells the wrong words of one pattern, then each that was looked at closely with what every look saw.  One defect counts once: where the board file bounds
 * the figure (is_judged), that fails, and this only tells more.  injected: the word of the fault that was made on purpose; NULL: none.
 */
void mem_faults_tell(struct ctx *ctx, const char *metric, const struct point *point, const struct integrity_result *result, bool is_judged,
                     const char *injected);

#endif
