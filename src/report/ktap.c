/* ktap.c: the KTAP sink. */
#include "lib/number.h"
#include "lib/text.h"
#include "report/claims.h"
#include "report/ktap.h"

static int put(struct ktap_sink *ktap, const struct text *text)
{
	return ktap->output->write(ktap->output, text->at, text->length);
}

static int run_start(struct sink *sink, const struct run_info *info)
{
	char buffer[64];
	struct text text = TEXT(buffer);

	((struct ktap_sink *)sink)->step_count = info->step_count;
	text_add_format(&text, "KTAP version 1\n1..%u\n", info->step_count);
	return put((struct ktap_sink *)sink, &text);
}

static int step_start(struct sink *sink, unsigned number, const char *name, uint64_t time_ns)
{
	(void)name;
	(void)time_ns;
	((struct ktap_sink *)sink)->step = number;
	return 0;
}

static int put_claim(struct ktap_sink *ktap, const struct event *event)
{
	char buffer[MAX_METRIC + MAX_MESSAGE];
	struct text text = TEXT(buffer);
	struct claim_text claim;

	claims_split(event, &claim);
	text_add_format(&text, "# claim %s %s: %s: %s\n", event->metric, claim.verdict, claim.words, claim.evidence);
	return put(ktap, &text);
}

static int put_event(struct sink *sink, const struct judged *judged)
{
	const struct event *event = judged->event;
	char buffer[MAX_METRIC + MAX_MESSAGE + 64], name[MAX_METRIC];
	struct text text = TEXT(buffer);

	switch (event->kind) {
	case EVENT_CLAIM:
		return put_claim((struct ktap_sink *)sink, event);
	case EVENT_PROGRESS:
	case EVENT_SERIES:
	case EVENT_ELEMENT:
	case EVENT_SERIES_END:
		return 0;
	default:
		break;
	}
	event_metric_name(event, name, sizeof name);
	text_add_format(&text, "# %s%s%s", name, name[0] ? " " : "", outcome_word(judged->outcome));
	if (event->kind == EVENT_FIGURE && event->value_milli != VALUE_NONE) {
		text_add(&text, " ");
		number_add_milli(&text, event->value_milli);
		text_add_format(&text, " %s", event->unit);
	}
	if (judged->reason[0])
		text_add_format(&text, " %s", judged->reason);
	text_add(&text, "\n");
	return put((struct ktap_sink *)sink, &text);
}

static int step_end(struct sink *sink, const char *name, enum outcome outcome, const char *reason, uint64_t time_ns)
{
	struct ktap_sink *ktap = (struct ktap_sink *)sink;
	bool bad = outcome == OUTCOME_FAIL || outcome == OUTCOME_ERROR;
	char buffer[320];
	struct text text = TEXT(buffer);

	(void)time_ns;
	/* What the runner itself has to say comes behind the tests that were announced. */
	if (ktap->step > ktap->step_count)
		text_add(&text, "# ");
	text_add_format(&text, "%s %u %s", bad ? "not ok" : "ok", ktap->step, name);
	if (outcome == OUTCOME_SKIP || outcome == OUTCOME_ERROR)
		text_add_format(&text, " # %s %s", outcome_word(outcome), reason);
	text_add(&text, "\n");
	return put(ktap, &text);
}

static int run_end(struct sink *sink, const struct run_end *end)
{
	char buffer[640];
	struct text text = TEXT(buffer);

	text_add_format(&text, "%s\n", end->last_line);
	return put((struct ktap_sink *)sink, &text);
}

static const struct sink_ops ops = { run_start, step_start, put_event, step_end, run_end };

void ktap_sink_init(struct ktap_sink *sink, struct output *output)
{
	*sink = (struct ktap_sink){ .sink = { &ops }, .output = output };
}
