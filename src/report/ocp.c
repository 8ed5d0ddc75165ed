/* ocp.c: events as lines of OCP Test & Validation v2.0 (where schema and prose differ, the schema is followed). */
#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "lib/number.h"
#include "report/claims.h"
#include "report/line.h"
#include "report/ocp.h"
#include "report/ocp_start.h"
#include "report/seal.h"

static char buffer[MAX_LINE];

static int put(struct ocp_sink *ocp, const struct text *line)
{
	sha256_add(&ocp->sha, line->at, line->length);
	for (unsigned i = 0; i < OCP_OUTPUTS; i++) {
		if (line->cut && !ocp->errors[i])
			ocp->errors[i] = -EOVERFLOW;
		if (ocp->outputs[i] && !ocp->errors[i])
			ocp->errors[i] = ocp->outputs[i]->write(ocp->outputs[i], line->at, line->length);
	}
	return ocp->errors[0] ? ocp->errors[0] : ocp->errors[1];
}

static int flush(struct ocp_sink *ocp)
{
	for (unsigned i = 0; i < OCP_OUTPUTS; i++)
		if (ocp->outputs[i] && ocp->outputs[i]->flush && !ocp->errors[i])
			ocp->errors[i] = ocp->outputs[i]->flush(ocp->outputs[i]);
	return ocp->errors[0] ? ocp->errors[0] : ocp->errors[1];
}

static struct text begin_run(struct ocp_sink *ocp, uint64_t time_ns)
{
	struct text line = TEXT(buffer);

	line_begin(&line, ocp->sequence++, time_ns);
	return line;
}

static struct text begin_step(struct ocp_sink *ocp, uint64_t time_ns)
{
	struct text line = TEXT(buffer);

	line_begin_step(&line, ocp->sequence++, time_ns, ocp->step);
	return line;
}

static int put_version(struct ocp_sink *ocp, uint64_t time_ns)
{
	struct text line = begin_run(ocp, time_ns);

	line_open(&line, "schemaVersion");
	line_add_number(&line, "major", 2);
	line_add_number(&line, "minor", 0);
	line_end(&line, 2);
	return put(ocp, &line);
}

static int run_start(struct sink *sink, const struct run_info *info)
{
	struct ocp_sink *ocp = (struct ocp_sink *)sink;
	struct text line;

	put_version(ocp, info->start_ns);
	line = begin_run(ocp, info->start_ns);
	line_open(&line, "testRunArtifact");
	ocp_start_add(&line, info);
	line_end(&line, 2);
	return put(ocp, &line);
}

static int step_start(struct sink *sink, unsigned number, const char *name, uint64_t time_ns)
{
	struct ocp_sink *ocp = (struct ocp_sink *)sink;
	struct text line;

	ocp->step = number;
	line = begin_step(ocp, time_ns);
	line_open(&line, "testStepStart");
	line_add_string(&line, "name", name);
	line_end(&line, 3);
	return put(ocp, &line);
}

static void add_facts(struct text *line, const struct judged *judged)
{
	const struct event *event = judged->event;

	line_open(line, "metadata");
	line_open(line, "point");
	for (unsigned i = 0; i < event->point_count; i++)
		line_add_string(line, event->points[i].key, event->points[i].value);
	line_close(line, 1);
	if (judged->outcome != OUTCOME_NONE)
		line_add_string(line, "outcome", outcome_word(judged->outcome));
	for (unsigned i = 0; i < event->facts.count; i++)
		if (event->facts.numbers[i].milli != VALUE_NONE)
			line_add_milli(line, event->facts.numbers[i].key, event->facts.numbers[i].milli);
	for (unsigned i = 0; i < event->facts.text_count; i++)
		line_add_string(line, event->facts.texts[i].key, event->facts.texts[i].text);
	if (judged->limit && judged->limit->has_warn_min)
		line_add_milli(line, "warn_min", judged->limit->warn_min_milli);
	if (judged->limit && judged->limit->has_warn_max)
		line_add_milli(line, "warn_max", judged->limit->warn_max_milli);
	if (judged->limit && judged->limit->source[0])
		line_add_string(line, "limit_source", judged->limit->source);
	line_close(line, 1);
}

static void add_validator(struct text *line, const char *name, const char *type, int64_t milli)
{
	json_add_separator(line);
	text_add(line, "{");
	line_add_string(line, "name", name);
	line_add_string(line, "type", type);
	line_add_milli(line, "value", milli);
	text_add(line, "}");
}

static void add_validators(struct text *line, const struct limit *limit)
{
	if (!limit || (!limit->has_min && !limit->has_max))
		return;
	json_add_key(line, "validators");
	text_add(line, "[");
	if (limit->has_min)
		add_validator(line, "min", "GREATER_THAN_OR_EQUAL", limit->min_milli);
	if (limit->has_max)
		add_validator(line, "max", "LESS_THAN_OR_EQUAL", limit->max_milli);
	text_add(line, "]");
}

static int put_figure(struct ocp_sink *ocp, const struct judged *judged)
{
	char name[MAX_METRIC];
	struct text line = begin_step(ocp, judged->time_ns);

	event_metric_name(judged->event, name, sizeof name);
	line_open(&line, "measurement");
	line_add_string(&line, "name", name);
	line_add_milli(&line, "value", judged->event->value_milli);
	line_add_string(&line, "unit", judged->event->unit);
	add_validators(&line, judged->limit);
	add_facts(&line, judged);
	line_end(&line, 3);
	return put(ocp, &line);
}

static struct text begin_series(struct ocp_sink *ocp, uint64_t time_ns, const char *artifact)
{
	struct text line = begin_step(ocp, time_ns);

	line_open(&line, artifact);
	json_add_key(&line, "measurementSeriesId");
	text_add_format(&line, "\"%u\"", ocp->series);
	return line;
}

static int end_series(struct ocp_sink *ocp, uint64_t time_ns, uint64_t count)
{
	struct text line;

	if (!ocp->in_series)
		return 0;
	ocp->in_series = false;
	line = begin_series(ocp, time_ns, "measurementSeriesEnd");
	line_add_number(&line, "totalCount", count);
	line_end(&line, 3);
	return put(ocp, &line);
}

static int start_series(struct ocp_sink *ocp, const struct judged *judged)
{
	char name[MAX_METRIC];
	struct text line;

	end_series(ocp, judged->time_ns, ocp->elements);
	ocp->in_series = true;
	ocp->elements = 0;
	ocp->series++;
	line = begin_series(ocp, judged->time_ns, "measurementSeriesStart");
	event_metric_name(judged->event, name, sizeof name);
	line_add_string(&line, "name", name);
	line_add_string(&line, "unit", judged->event->unit);
	add_facts(&line, judged);
	line_end(&line, 3);
	return put(ocp, &line);
}

static int put_element(struct ocp_sink *ocp, const struct judged *judged)
{
	struct text line;

	if (!ocp->in_series || judged->event->value_milli == VALUE_NONE)
		return 0;
	line = begin_series(ocp, judged->time_ns, "measurementSeriesElement");
	line_add_number(&line, "index", ocp->elements++);
	line_add_milli(&line, "value", judged->event->value_milli);
	line_add_time(&line, "timestamp", judged->time_ns);
	line_open(&line, "metadata");
	line_add_number(&line, "at", judged->event->aux);
	line_end(&line, 4);
	return put(ocp, &line);
}

static int put_claim(struct ocp_sink *ocp, const struct judged *judged)
{
	struct text line = begin_step(ocp, judged->time_ns);
	struct claim_text claim;

	claims_split(judged->event, &claim);
	line_open(&line, "extension");
	line_add_string(&line, "name", "claim");
	line_open(&line, "content");
	line_add_string(&line, "name", judged->event->metric);
	line_add_string(&line, "claim", claim.words);
	line_add_string(&line, "verdict", claim.verdict);
	line_add_string(&line, "evidence", claim.evidence);
	line_end(&line, 4);
	return put(ocp, &line);
}

/* The event's own message behind the name of the figure that it belongs to. */
static void name_message(char *message, size_t size, const struct judged *judged)
{
	char name[MAX_METRIC];
	struct text text = text_in(message, size);

	event_metric_name(judged->event, name, sizeof name);
	if (name[0] && !text_find(judged->reason, name))
		text_add_format(&text, "%s: ", name);
	text_add(&text, judged->reason);
}

static int put_diagnosis(struct ocp_sink *ocp, const struct judged *judged, const char *verdict, const char *type)
{
	char message[MAX_MESSAGE + MAX_METRIC];
	struct text line = begin_step(ocp, judged->time_ns);

	name_message(message, sizeof message, judged);
	line_open(&line, "diagnosis");
	line_add_string(&line, "verdict", verdict);
	line_add_string(&line, "type", type);
	line_add_string(&line, "message", message);
	line_end(&line, 3);
	return put(ocp, &line);
}

static int put_error(struct ocp_sink *ocp, const struct judged *judged)
{
	char message[MAX_MESSAGE + MAX_METRIC];
	struct text line = begin_step(ocp, judged->time_ns);

	name_message(message, sizeof message, judged);
	line_open(&line, "error");
	line_add_string(&line, "symptom", "could-not-measure");
	line_add_string(&line, "message", message);
	line_end(&line, 3);
	return put(ocp, &line);
}

static int put_log(struct ocp_sink *ocp, const struct judged *judged, const char *prefix)
{
	char named[MAX_MESSAGE + MAX_METRIC], message[MAX_MESSAGE + MAX_METRIC + 8];
	struct text line = begin_step(ocp, judged->time_ns), text = TEXT(message);

	name_message(named, sizeof named, judged);
	text_add_format(&text, "%s%s", prefix, named);
	line_open(&line, "log");
	line_add_string(&line, "severity", "INFO");
	line_add_string(&line, "message", message);
	line_end(&line, 3);
	return put(ocp, &line);
}

static int put_judgement(struct ocp_sink *ocp, const struct judged *judged)
{
	switch (judged->outcome) {
	case OUTCOME_FAIL: return put_diagnosis(ocp, judged, judged->event->kind == EVENT_FIGURE ? "limit-broken" : "board-fault", "FAIL");
	case OUTCOME_WARNED: return put_diagnosis(ocp, judged, "warned", "UNKNOWN");
	case OUTCOME_ERROR: return put_error(ocp, judged);
	case OUTCOME_SKIP: return put_log(ocp, judged, "SKIP ");
	default: return 0;
	}
}

static int put_event(struct sink *sink, const struct judged *judged)
{
	struct ocp_sink *ocp = (struct ocp_sink *)sink;

	switch (judged->event->kind) {
	case EVENT_FIGURE:
		if (judged->event->value_milli != VALUE_NONE)
			put_figure(ocp, judged);
		break;
	case EVENT_LOG:
		return put_log(ocp, judged, "");
	case EVENT_CLAIM:
		return put_claim(ocp, judged);
	case EVENT_SERIES:
		return start_series(ocp, judged);
	case EVENT_ELEMENT:
		return put_element(ocp, judged);
	case EVENT_SERIES_END:
		return end_series(ocp, judged->time_ns, judged->event->aux);
	default:
		break;
	}
	return put_judgement(ocp, judged);
}

static int step_end(struct sink *sink, const char *name, enum outcome outcome, const char *reason, uint64_t time_ns)
{
	struct ocp_sink *ocp = (struct ocp_sink *)sink;
	struct text line;

	(void)name;
	(void)reason;
	end_series(ocp, time_ns, ocp->elements);
	line = begin_step(ocp, time_ns);
	line_open(&line, "testStepEnd");
	line_add_string(&line, "status", outcome == OUTCOME_ERROR ? "ERROR" : outcome == OUTCOME_SKIP ? "SKIP" : "COMPLETE");
	line_end(&line, 3);
	return put(ocp, &line);
}

static int run_end(struct sink *sink, const struct run_end *end)
{
	struct ocp_sink *ocp = (struct ocp_sink *)sink;
	struct text lines = TEXT(buffer);

	seal_write(&lines, &ocp->sha, end, ocp->step + 1, &ocp->sequence);
	put(ocp, &lines);
	return flush(ocp);
}

static const struct sink_ops ops = { run_start, step_start, put_event, step_end, run_end };

void ocp_sink_init(struct ocp_sink *sink, struct output *record, struct output *standard)
{
	*sink = (struct ocp_sink){ .sink = { &ops }, .outputs = { record, standard } };
	sha256_start(&sink->sha);
}
