/* judge.h: the rules of the verdict, pure: the same figure and limit always end the same way. */
#ifndef JUDGE_H
#define JUDGE_H

#include "board.h"
#include "event.h"
#include "verdict.h"

/* What a figure is worth against its limit (NULL: none).  reason gets one line for FAIL, ERROR and WARNED. */
enum outcome judge_figure(const struct event *figure, const struct limit *limit, char *reason, unsigned size);

/* Any event: figures by judge_figure, the others by their kind. */
enum outcome judge_event(const struct event *event, const struct limit *limit, char *reason, unsigned size);

/* What a step said in all, so far. */
struct step_sum { unsigned figures, skips, fails, errors; };
void judge_count(struct step_sum *sum, struct tally *tally, const struct event *event, enum outcome outcome);

/* How a step ends: FAIL before ERROR; without a figure and without a SKIP it is ERROR. */
enum outcome judge_step(const struct step_sum *sum);

#endif
