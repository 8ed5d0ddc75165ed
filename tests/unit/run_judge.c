/* run_judge: DESIGN's verdict table, row by row. */
#include <string.h>

#include "run/judge.h"
#include "test.h"

static char reason[400];

static struct event figure(int64_t value_milli)
{
	struct event event = { .kind = EVENT_FIGURE, .value_milli = value_milli, .metric = "block.read.iops", .unit = "1/s" };

	return event;
}

static enum outcome judged(int64_t value_milli, struct limit limit)
{
	struct event event = figure(value_milli);

	return judge_figure(&event, &limit, reason, sizeof reason);
}

test(figure_without_a_limit_is_measured)
{
	struct event event = figure(5000);

	check_equal(judge_figure(&event, NULL, reason, sizeof reason), OUTCOME_MEASURED);
}

test(figure_with_a_null_limit_is_measured)
{
	check_equal(judged(5000, (struct limit){ .required = true }), OUTCOME_MEASURED);
}

test(figure_below_its_minimum_fails_and_names_name_value_and_limit)
{
	check_equal(judged(4999, (struct limit){ .judged = true, .has_min = true, .min_milli = 5000 }), OUTCOME_FAIL);
	check_string(reason, "block.read.iops is 4.999 1/s, below its limit of 5");
}

test(figure_at_its_minimum_passes)
{
	check_equal(judged(5000, (struct limit){ .judged = true, .has_min = true, .min_milli = 5000 }), OUTCOME_PASS);
}

test(figure_above_its_maximum_fails)
{
	check_equal(judged(1, (struct limit){ .judged = true, .has_max = true, .max_milli = 0 }), OUTCOME_FAIL);
}

test(figure_inside_the_limit_and_outside_the_warning_band_is_warned)
{
	struct limit limit = { .judged = true, .has_min = true, .min_milli = 1000, .has_warn_min = true, .warn_min_milli = 2000 };

	check_equal(judged(1500, limit), OUTCOME_WARNED);
	check_equal(judged(2000, limit), OUTCOME_PASS);
	check_equal(judged(999, limit), OUTCOME_FAIL);
}

test(warning_bounds_alone_do_not_make_a_pass)
{
	check_equal(judged(5000, (struct limit){ .judged = true, .has_warn_max = true, .warn_max_milli = 9000 }), OUTCOME_MEASURED);
}

test(figure_without_a_value_is_an_error_whatever_the_limit)
{
	check_equal(judged(VALUE_NONE, (struct limit){ .judged = true, .has_max = true, .max_milli = 1 }), OUTCOME_ERROR);
	check_equal(judged(VALUE_NONE, (struct limit){ .judged = false }), OUTCOME_ERROR);
}

static enum verdict verdict(struct tally tally) { return verdict_of(&tally); }

test(any_failure_is_fail_whatever_else_went_wrong)
{
	check_equal(verdict((struct tally){ .figures = 9, .failed = 1, .errors = 3, .null_required = 1 }), VERDICT_FAIL);
}

test(error_without_failure_is_error)
{
	check_equal(verdict((struct tally){ .figures = 9, .errors = 1, .null_required = 1 }), VERDICT_ERROR);
}

test(nothing_measured_is_error)
{
	check_equal(verdict((struct tally){ .steps = 21, .skipped = 21 }), VERDICT_ERROR);
}

test(required_null_limit_is_measured)
{
	check_equal(verdict((struct tally){ .figures = 9, .null_required = 1 }), VERDICT_MEASURED);
}

test(simulated_run_is_never_pass)
{
	check_equal(verdict((struct tally){ .figures = 9, .simulated = true }), VERDICT_MEASURED);
	check_equal(verdict((struct tally){ .figures = 9, .failed = 1, .simulated = true }), VERDICT_FAIL);
}

test(warnings_and_skips_do_not_change_a_pass)
{
	check_equal(verdict((struct tally){ .figures = 9, .warned = 4, .skipped = 3, .unjudged = 9 }), VERDICT_PASS);
}

test(interrupted_run_is_interrupted)
{
	check_equal(verdict((struct tally){ .figures = 9, .interrupted = true }), VERDICT_INTERRUPTED);
}

test(interrupted_run_that_failed_before_is_interrupted_and_no_pass)
{
	check_equal(verdict((struct tally){ .figures = 9, .failed = 1, .interrupted = true }), VERDICT_INTERRUPTED);
}

test(statuses_are_those_of_the_design)
{
	check_equal(verdict_status(VERDICT_PASS), 0);
	check_equal(verdict_status(VERDICT_FAIL), 1);
	check_equal(verdict_status(VERDICT_ERROR), 2);
	check_equal(verdict_status(VERDICT_MEASURED), 3);
	check_equal(verdict_status(VERDICT_INTERRUPTED), 130);
}

test(step_without_figure_and_skip_is_an_error)
{
	check_equal(judge_step(&(struct step_sum){ 0 }), OUTCOME_ERROR);
	check_equal(judge_step(&(struct step_sum){ .skips = 1 }), OUTCOME_SKIP);
	check_equal(judge_step(&(struct step_sum){ .figures = 1, .skips = 1 }), OUTCOME_PASS);
	check_equal(judge_step(&(struct step_sum){ .figures = 1, .errors = 1 }), OUTCOME_ERROR);
	check_equal(judge_step(&(struct step_sum){ .figures = 1, .errors = 1, .fails = 1 }), OUTCOME_FAIL);
}

test(figure_without_a_value_is_not_counted_as_a_figure)
{
	struct event event = figure(VALUE_NONE);
	struct step_sum sum = { 0 };
	struct tally tally = { 0 };

	judge_count(&sum, &tally, &event, judge_event(&event, NULL, reason, sizeof reason));
	check_equal(tally.figures, 0);
	check_equal(tally.errors, 1);
}

test(claims_and_series_are_no_verdict_and_count_nothing)
{
	static const enum event_kind kinds[] = { EVENT_CLAIM, EVENT_SERIES, EVENT_ELEMENT, EVENT_SERIES_END };
	struct event event = { .metric = "edge-nvme.a", .aux = CLAIM_REFUTED, .value_milli = VALUE_NONE, .message = "words\nno" };
	struct limit limit = { .judged = true, .has_min = true, .min_milli = 1 };
	struct step_sum sum = { 0 };
	struct tally tally = { 0 }, none = { 0 };

	for (unsigned i = 0; i < COUNT_OF(kinds); i++) {
		event.kind = kinds[i];
		check_equal(judge_event(&event, &limit, reason, sizeof reason), OUTCOME_NONE);
		check_string(reason, "");
		judge_count(&sum, &tally, &event, OUTCOME_NONE);
	}
	check_equal(sum.figures + sum.skips + sum.fails + sum.errors, 0);
	check(!memcmp(&tally, &none, sizeof tally));
}
