/*
 * beside.h: loads side by side, each in a process of its own, on CPUs of its own.
 *
 * All are ready before any begins; who is done measuring goes on loading until the last one is done, too, and is then ended.  A
 * process dies with its parent.  Waits are bounded: one that stops is ended, and said; the others' rates of that time are no rates.
 */
#ifndef STUDY_BESIDE_H
#define STUDY_BESIDE_H

#include "study/loads.h"

enum { BESIDE_MAX = 2 };

enum beside_end {
	BESIDE_MEASURED,
	BESIDE_VOID,     /* another failed meanwhile, or could not be started */
	BESIDE_FAILED,   /* said, as what follows */
	BESIDE_LATE,     /* it did not come to an end in its time, and was ended */
	BESIDE_STUCK,    /* it can not even be killed */
};

/* patience_ns: what each may take.  The results of those that were measured count. */
void beside_run(struct ctx *ctx, const struct load_job *jobs, unsigned count, uint64_t patience_ns, struct load_result *results,
                enum beside_end *ends);

/* How much of its window lies in that of the other, in thousandths of 1 (of the time that was measured). */
int64_t beside_overlap_milli(const struct load_result *result, const struct load_result *other);

#endif
