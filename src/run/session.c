/* session.c: the steps one after another, each event judged and handed to every sink. */
#include <stdarg.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "run/child.h"
#include "run/interrupt.h"
#include "run/last_line.h"
#include "run/scope.h"
#include "run/scratch_open.h"
#include "run/session.h"
#include "step/sequence.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"

/* Calls one op of every sink; the first error is kept. */
#define TELL(session, op, ...) do { \
	for (unsigned i_ = 0; i_ < (session)->sink_count; i_++) { \
		int err_ = sink_tell((session)->sinks[i_], op, __VA_ARGS__); \
		if (err_ && !(session)->sink_error) \
			(session)->sink_error = err_; \
	} } while (0)

static void keep_reason(struct session *session, enum outcome outcome, const char *reason)
{
	bool tells = outcome == OUTCOME_FAIL || outcome == OUTCOME_ERROR || outcome == OUTCOME_SKIP;

	if (tells && !session->reason[0])
		text_copy(session->reason, sizeof session->reason, reason);
}

static void keep_noise(struct session *session, const struct event *event)
{
	if (!strcmp(event->metric, "env.noise") && event->value_milli > session->noise_milli)
		session->noise_milli = event->value_milli;
}

static void keep_counter(struct session *session, const struct event *event)
{
	struct counters *counters = &session->counters;
	bool of_drive = text_starts(event->metric, "block.health.");
	char *name;

	if (event->kind != EVENT_FIGURE || (!of_drive && strcmp(event->metric, "env.snapshot.counter")) ||
	    counters->count == COUNT_OF(counters->at))
		return;
	name = counters->at[counters->count].name;
	if (of_drive)
		event_metric_name(event, name, sizeof counters->at[0].name);
	else
		text_copy(name, sizeof counters->at[0].name, event->points[0].value);
	counters->at[counters->count++].milli = event->value_milli;
}

static const struct limit *limit_of(struct session *session, const struct event *event)
{
	char name[MAX_METRIC];
	const struct limit *limit;

	event_metric_name(event, name, sizeof name);
	limit = board_limit(session->board, name);
	if (!limit)
		return NULL;
	session->seen[limit - session->board->limits] = true;
	return limit;
}

static void take(void *context, const struct event *event)
{
	struct session *session = context;
	char reason[MAX_MESSAGE + MAX_METRIC];
	struct judged judged = { .event = event, .reason = reason, .time_ns = clock_real_ns() };

	if (event->kind == EVENT_PLAN)
		session->planned_write_bytes += event->aux;
	if (event->kind == EVENT_PLAN || event->kind == EVENT_DEVICE)
		return;
	if (event->kind == EVENT_FIGURE)
		judged.limit = limit_of(session, event);
	judged.outcome = judge_event(event, judged.limit, reason, sizeof reason);
	judge_count(&session->sum, &session->tally, event, judged.outcome);
	keep_reason(session, judged.outcome, reason);
	keep_noise(session, event);
	keep_counter(session, event);
	TELL(session, event, &judged);
}

/* What the runner itself has to say of a step. */
__attribute__((format(printf, 3, 4)))
static void say(struct session *session, enum event_kind kind, const char *format, ...)
{
	static struct event event;
	struct text message;
	va_list args;

	memset(&event, 0, sizeof event);
	event.kind = kind;
	message = TEXT(event.message);
	va_start(args, format);
	text_add_vformat(&message, format, args);
	va_end(args);
	take(session, &event);
}

static void put_device_aside(struct session *session, const char *device)
{
	struct put_aside *aside = &session->put_aside;

	if (device[0] && aside->count < MAX_PUT_ASIDE)
		text_copy(aside->devices[aside->count++], sizeof aside->devices[0], device);
}

static void judge_end(struct session *session, const struct child_end *end)
{
	switch (end->how) {
	case CHILD_DONE:
		if (judge_step(&session->sum) == OUTCOME_ERROR && !session->sum.errors)
			say(session, EVENT_ERROR, "%s", "ended without a figure");
		break;
	case CHILD_INTERRUPTED:
		session->tally.interrupted = true;
		say(session, EVENT_ERROR, "%s", "interrupted");
		break;
	case CHILD_STUCK:
	case CHILD_DEADLINE:
		/* A drive that held a step beyond its deadline would hold the next one, too. */
		put_device_aside(session, end->device);
		say(session, EVENT_ERROR, "%s", end->what);
		break;
	default:
		say(session, EVENT_ERROR, "%s", end->what);
	}
}

static uint64_t write_left(const struct session *session)
{
	uint64_t cap_bytes = session->board->write_cap_bytes;

	if (!cap_bytes)
		return UINT64_MAX;
	return cap_bytes > session->planned_write_bytes ? cap_bytes - session->planned_write_bytes : 0;
}

int session_prepare(const struct session *session, const struct step *step, struct ctx *ctx, char *fault, unsigned fault_size)
{
	memset(ctx, 0, sizeof *ctx);
	ctx->step = step;
	ctx->board = session->board;
	ctx->identity = session->identity;
	ctx->scratch = session->scratch;
	ctx->put_aside = &session->put_aside;
	ctx->counters = &session->counters;
	ctx->kernel_log = session->kernel_log;
	ctx->write_left_bytes = write_left(session);
	ctx->peer = session->peer;
	ctx->seed = session->options->seed;
	ctx->start_throttles = session->start_throttles;
	ctx->noise_milli = session->noise_milli;
	return context_params(ctx, session->options->level, session->options->sets, session->options->set_count, fault, fault_size);
}

static void begin_step(struct session *session, const char *name)
{
	memset(&session->sum, 0, sizeof session->sum);
	session->reason[0] = 0;
	session->number++;
	TELL(session, step_start, session->number, name, clock_real_ns());
}

static void end_step(struct session *session, const char *name)
{
	TELL(session, step_end, name, judge_step(&session->sum), session->reason, clock_real_ns());
}

/* A command's own device is written to by a step that otherwise reads. */
static bool may_write(const struct session *session, const struct step *step)
{
	return session->scratch && (step->needs & NEEDS_SCRATCH || session->scratch->only);
}

static void run_step(struct session *session, const struct step *step)
{
	static struct ctx ctx;
	char fault[256];
	struct child_end end = { .how = CHILD_DONE };

	session->tally.steps++;
	begin_step(session, step->name);
	if (!step->run) {
		say(session, EVENT_SKIP, "%s", "not in this version");
	} else if (session_prepare(session, step, &ctx, fault, sizeof fault)) {
		say(session, EVENT_ERROR, "%s", fault);
	} else if (may_write(session, step) && scratch_recheck(session->scratch, fault, sizeof fault)) {
		say(session, EVENT_FAIL, "%s", fault);
	} else {
		child_run(&ctx, session->options->slack_ns, false, take, session, &end);
		judge_end(session, &end);
	}
	if (session->sum.figures)
		session->measured[session->measured_count++] = step;
	end_step(session, step->name);
}

/* Of a declared port, and of a test over it: the run is partial for want of the peer, and that has been said. */
static bool wants_peer(const struct session *session, const char *metric)
{
	char key[40];

	if (*session->options->peer || text_starts(metric, "net.link."))
		return false;
	for (unsigned i = 0; i < session->board->network_count; i++) {
		text_format(key, sizeof key, "[port=%s,", session->board->network[i].port);
		if (text_starts(metric, "net.") && text_find(metric, key))
			return true;
	}
	return false;
}

/* A required figure is missed from any step that was selected, the others from those that measured something. */
static bool is_missing(const struct session *session, unsigned i)
{
	const struct limit *limit = &session->board->limits[i];

	if (session->seen[i] || (!limit->required && !limit->judged))
		return false;
	if (limit->required)
		return scope_selected(session->steps, session->step_count, limit->metric);
	return !wants_peer(session, limit->metric) && scope_selected(session->measured, session->measured_count, limit->metric);
}

/*
 * Limits that met no figure: an ERROR where the board file requires it; else a warning, since a limit that is never applied
 * (another level, a slip in its name) must not look like one that held.
 */
static void check_limits(struct session *session)
{
	static const char name[] = "board.limits";

	for (unsigned i = 0; i < session->board->limit_count; i++) {
		const struct limit *limit = &session->board->limits[i];

		if (!is_missing(session, i))
			continue;
		if (!session->limits_step)
			begin_step(session, name);
		session->limits_step = true;
		if (limit->required)
			say(session, EVENT_ERROR, "the board file requires %s, and it was not measured", limit->metric);
		else
			say(session, EVENT_WARN, "the limit on %s met no figure: it is of another level, or its name is wrong", limit->metric);
	}
	if (session->limits_step)
		end_step(session, name);
}

static unsigned count_null_required(const struct board *board)
{
	unsigned count = 0;

	for (unsigned i = 0; i < board->limit_count; i++)
		count += board->limits[i].required && !board->limits[i].has_min && !board->limits[i].has_max;
	return count;
}

/* A sink that could not be written to is an ERROR of the run, said once. */
static void judge_sinks(struct session *session)
{
	int err = session->sink_error;

	if (!err || session->sink_error_told)
		return;
	session->sink_error_told = true;
	begin_step(session, "record");
	say(session, EVENT_ERROR, "the record or the output could not be written: %s", sys_error(err));
	end_step(session, "record");
}

static void name_record(const struct session *session, char name[80])
{
	struct text text = text_in(name, 80);
	char hex[65];

	if (!session->record_is_kept) {
		text_add(&text, "none");
	} else if (session->record->errors[0] || session->record->errors[1]) {
		text_add(&text, "failed");
	} else {
		sha256_hex(&session->record->sha, hex);
		text_add_format(&text, "sha256:%s", hex);
	}
}

static void end_sinks(struct session *session, const struct run_end *end, bool record)
{
	for (unsigned i = 0; i < session->sink_count; i++) {
		struct sink *sink = session->sinks[i];
		int err = 0;

		if (record == (session->record && sink == &session->record->sink))
			err = sink_tell(sink, run_end, end);
		if (err && !session->sink_error)
			session->sink_error = err;
	}
}

/* The record is ended first: what goes wrong with it still counts in the verdict. */
static enum verdict finish(struct session *session, char *line, unsigned line_size)
{
	struct run_end end = { .tally = &session->tally, .time_ns = clock_real_ns(), .last_line = line };
	struct text text = text_in(line, line_size);
	char record[80];

	judge_sinks(session);
	end.verdict = verdict_of(&session->tally);
	end_sinks(session, &end, true);
	judge_sinks(session);
	end.verdict = verdict_of(&session->tally);
	name_record(session, record);
	last_line_write(&text, end.verdict, session->board->name, session->info.serial, &session->tally, record);
	end_sinks(session, &end, false);
	return end.verdict;
}

enum verdict session_run(struct session *session, char *line, unsigned line_size)
{
	unsigned next = 0;

	session->noise_milli = VALUE_NONE;
	session->start_throttles = cpu_throttle_count();
	session->tally.partial = session->partial;
	session->tally.simulated = session->info.simulated;
	session->tally.null_required = count_null_required(session->board);
	TELL(session, run_start, &session->info);
	while (next < session->step_count && !interrupt_pending())
		run_step(session, session->steps[next++]);
	session->tally.interrupted |= interrupt_pending();
	session->tally.partial |= session->tally.interrupted;
	if (!session->tally.interrupted)
		check_limits(session);
	return finish(session, line, line_size);
}

/* ---- plan ---- */

static void take_plan(void *context, const struct event *event)
{
	struct step_plan *plan = context;

	if (event->kind == EVENT_PLAN) {
		plan->time_ns = (uint64_t)event->value_milli;
		plan->write_bytes = event->aux;
	} else if (event->kind == EVENT_DEVICE && event->message[0]) {
		/* Behind those that are there already. */
		struct text devices = { .at = plan->devices, .size = sizeof plan->devices, .length = strlen(plan->devices) };

		text_add_format(&devices, "%s%s", devices.length ? ", " : "", event->message);
	}
}

void session_plan(struct session *session, const struct step *step, struct step_plan *plan)
{
	static struct ctx ctx;
	struct child_end end;
	char fault[160] = "";

	memset(plan, 0, sizeof *plan);
	if (!step->run) {
		text_copy(plan->skipped, sizeof plan->skipped, "not in this version");
		return;
	}
	if (!session_prepare(session, step, &ctx, fault, sizeof fault)) {
		child_run(&ctx, session->options->slack_ns, true, take_plan, plan, &end);
		text_copy(fault, sizeof fault, end.what);
		session->planned_write_bytes += plan->write_bytes;
	}
	text_copy(plan->skipped, sizeof plan->skipped, fault);
}
