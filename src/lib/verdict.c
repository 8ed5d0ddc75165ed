/* verdict.c: the words of verdicts and outcomes, and a verdict's exit status. */
#include "verdict.h"

static const struct { const char *word; int status; } verdicts[] = {
	[VERDICT_PASS] = { "PASS", 0 },
	[VERDICT_FAIL] = { "FAIL", 1 },
	[VERDICT_ERROR] = { "ERROR", 2 },
	[VERDICT_MEASURED] = { "MEASURED", 3 },
	[VERDICT_INTERRUPTED] = { "INTERRUPTED", 130 },
};

static const char *const outcomes[] = {
	[OUTCOME_NONE] = "", [OUTCOME_PASS] = "PASS", [OUTCOME_MEASURED] = "measured", [OUTCOME_WARNED] = "warned",
	[OUTCOME_SKIP] = "SKIP", [OUTCOME_ERROR] = "ERROR", [OUTCOME_FAIL] = "FAIL",
};

int verdict_status(enum verdict verdict) { return verdicts[verdict].status; }
const char *verdict_word(enum verdict verdict) { return verdicts[verdict].word; }
const char *outcome_word(enum outcome outcome) { return outcomes[outcome]; }
