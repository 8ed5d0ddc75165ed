/*
 * verdict.h: how a figure, a step and a run can end.  The rules stand in run/judge.c, and nowhere else; the words in lib/verdict.c.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"

enum outcome {
	OUTCOME_NONE,      /* nothing to judge: a log line */
	OUTCOME_PASS,      /* a figure inside its limit; a step without FAIL or ERROR */
	OUTCOME_MEASURED,  /* a figure without a limit */
	OUTCOME_WARNED,    /* inside the limit, outside the warning band */
	OUTCOME_SKIP,
	OUTCOME_ERROR,
	OUTCOME_FAIL,
};

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_ERROR, VERDICT_MEASURED, VERDICT_INTERRUPTED };

/* What the last line counts. */
struct tally {
	unsigned steps;     /* that were started or skipped, record.seal not counted */
	unsigned figures, failed, errors, warned, unjudged, skipped;
	unsigned null_required; /* limits that the board file requires and nobody has calibrated, met in this run or not */
	bool interrupted, partial, simulated;
};

enum verdict verdict_of(const struct tally *tally);
int verdict_status(enum verdict verdict);          /* 0 PASS, 1 FAIL, 2 ERROR, 3 MEASURED, 130 INTERRUPTED */
const char *verdict_word(enum verdict verdict);
const char *outcome_word(enum outcome outcome);

#endif
