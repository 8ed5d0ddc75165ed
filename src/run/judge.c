/* judge.c: DESIGN's verdict table, and nothing else. */
#include "lib/number.h"
#include "lib/text.h"
#include "run/judge.h"

static void explain(char *reason, unsigned size, const struct event *figure, const char *what, int64_t bound_milli)
{
	char name[MAX_METRIC];
	struct text out = text_in(reason, size);

	event_metric_name(figure, name, sizeof name);
	text_add_format(&out, "%s is ", name);
	number_add_milli(&out, figure->value_milli);
	text_add_format(&out, " %s, %s ", figure->unit, what);
	number_add_milli(&out, bound_milli);
}

enum outcome judge_figure(const struct event *figure, const struct limit *limit, char *reason, unsigned size)
{
	int64_t value = figure->value_milli;

	reason[0] = 0;
	if (value == VALUE_NONE) {
		text_copy(reason, size, "no value: nothing was counted, or it is not finite");
		return OUTCOME_ERROR;
	}
	if (!limit || !limit->judged)
		return OUTCOME_MEASURED;
	if (limit->has_min && value < limit->min_milli) {
		explain(reason, size, figure, "below its limit of", limit->min_milli);
		return OUTCOME_FAIL;
	}
	if (limit->has_max && value > limit->max_milli) {
		explain(reason, size, figure, "above its limit of", limit->max_milli);
		return OUTCOME_FAIL;
	}
	if (limit->has_warn_min && value < limit->warn_min_milli) {
		explain(reason, size, figure, "below the warning at", limit->warn_min_milli);
		return OUTCOME_WARNED;
	}
	if (limit->has_warn_max && value > limit->warn_max_milli) {
		explain(reason, size, figure, "above the warning at", limit->warn_max_milli);
		return OUTCOME_WARNED;
	}
	/* Warning bounds alone do not make a figure good: nobody said what is bad. */
	return limit->has_min || limit->has_max ? OUTCOME_PASS : OUTCOME_MEASURED;
}

enum outcome judge_event(const struct event *event, const struct limit *limit, char *reason, unsigned size)
{
	reason[0] = 0;
	switch (event->kind) {
	case EVENT_FIGURE:
		return judge_figure(event, limit, reason, size);
	case EVENT_FAIL:
		text_copy(reason, size, event->message);
		return OUTCOME_FAIL;
	case EVENT_ERROR:
		text_copy(reason, size, event->message);
		return OUTCOME_ERROR;
	case EVENT_SKIP:
		text_copy(reason, size, event->message);
		return OUTCOME_SKIP;
	case EVENT_WARN:
		text_copy(reason, size, event->message);
		return OUTCOME_WARNED;
	case EVENT_LOG:
		text_copy(reason, size, event->message);
		return OUTCOME_NONE;
	default:
		return OUTCOME_NONE;
	}
}

void judge_count(struct step_sum *sum, struct tally *tally, const struct event *event, enum outcome outcome)
{
	if (event->kind == EVENT_FIGURE && outcome != OUTCOME_ERROR) {
		sum->figures++;
		tally->figures++;
		tally->unjudged += outcome == OUTCOME_MEASURED;
	}
	sum->skips += outcome == OUTCOME_SKIP;
	sum->fails += outcome == OUTCOME_FAIL;
	sum->errors += outcome == OUTCOME_ERROR;
	tally->skipped += outcome == OUTCOME_SKIP;
	tally->failed += outcome == OUTCOME_FAIL;
	tally->errors += outcome == OUTCOME_ERROR;
	tally->warned += outcome == OUTCOME_WARNED;
}

enum outcome judge_step(const struct step_sum *sum)
{
	if (sum->fails)
		return OUTCOME_FAIL;
	if (sum->errors)
		return OUTCOME_ERROR;
	if (sum->figures)
		return OUTCOME_PASS;
	return sum->skips ? OUTCOME_SKIP : OUTCOME_ERROR;
}

enum verdict verdict_of(const struct tally *tally)
{
	/* Before FAIL, although a bad board stays bad: status 130 is promised, it is no PASS either, and failed=N tells. */
	if (tally->interrupted)
		return VERDICT_INTERRUPTED;
	if (tally->failed)
		return VERDICT_FAIL;
	if (tally->errors || !tally->figures)
		return VERDICT_ERROR;
	if (tally->null_required || tally->simulated)
		return VERDICT_MEASURED;
	return VERDICT_PASS;
}
