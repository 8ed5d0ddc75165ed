/*
 * msg.local: how long a message takes from one process to another on this machine, in the scenarios of Apollo's
 * cyber_benchmark: a small module at 10 and 100 Hz, a normal sensor, a high-end sensor.
 *
 * msg.latency is from when a message was due to when the reader has read and checked all of it; msg.transit from when it
 * was really sent.  Loss is counted from the first message on, against all that were due.
 * FAIL   a message arrived with wrong content, or out of order (said before whatever ended the point early)
 * ERROR  too little memory, no second process, nothing arrived, or an end gave up
 */
#include <errno.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "msg/local.h"
#include "step.h"
#include "sys/call.h"
#include "sys/map.h"

enum { TRANSPORT, SCENARIO, DURATION };

static const struct param params[] = {
	[TRANSPORT] = { "transport", PARAM_WORDS, .def = "shm,unix", .words = "shm|unix", .help = "ways between the processes" },
	[SCENARIO]  = { "scenario", PARAM_WORDS, .def = "64k@10,64k@100,1m@10,10m@10", .words = "64k@10|64k@100|1m@10|10m@10",
	                .help = "message size @ messages per second" },
	[DURATION]  = { "duration", PARAM_DURATION, .def = "1s", .def_medium = "10s", .def_long = "30s", .min = MS(100),
	                .max = SECONDS(3600), .help = "time for each scenario and transport" },
	PARAM_END
};

static const struct transport *const transports[] = { &transport_shm, &transport_unix }; /* as in .words */

struct scenario { uint64_t size_bytes, rate_hz; };

static struct scenario parse_scenario(char *word)
{
	struct scenario scenario = { .size_bytes = 0 };
	char *rate = strchr(word, '@');

	*rate = '\0';
	number_parse_size(word, &scenario.size_bytes);
	number_parse(rate + 1, &scenario.rate_hz);
	return scenario;
}

static uint64_t lost(const struct msg_result *result)
{
	return result->due > result->received->count ? result->due - result->received->count : 0;
}

static struct facts evidence(const struct transport *transport, const struct msg_result *result)
{
	struct facts facts = { .count = 0 };

	fact_number(&facts, "due", (int64_t)result->due);
	fact_number(&facts, "sent", (int64_t)result->sent);
	fact_number(&facts, "dropped", (int64_t)result->dropped);
	fact_number(&facts, "received", (int64_t)result->received->count);
	fact_number(&facts, "worst_late_ns", (int64_t)result->worst_late_ns);
	fact_number(&facts, "buffers_bytes", (int64_t)result->memory_bytes);
	fact_number(&facts, "slots", result->slots);
	if (result->send_buffer_bytes)
		fact_number(&facts, "sndbuf", result->send_buffer_bytes);
	fact_number(&facts, "discarded", 0);
	fact_number(&facts, "writer_cpu", result->writer_cpu);
	fact_number(&facts, "reader_cpu", result->received->cpu);
	fact_text(&facts, "clock", "monotonic_raw"); /* one clock for both processes */
	fact_text(&facts, "pacing", "sleep, then spin for the last 60 us");
	fact_text(&facts, "engine", transport->name);
	return facts;
}

/* What emit_latency tells, and two more, with the same evidence. */
static void tell_latency(struct ctx *ctx, const char *prefix, const struct point *points, const struct histogram *latency,
                         struct facts facts)
{
	int64_t p90_milli = histogram_quantile_milli(latency, 900000);
	char metric[32];

	latency_facts(latency, &facts);
	text_format(metric, sizeof metric, "%s.min", prefix);
	emit_figure(ctx, metric, "ns", points, milli_whole(latency->min), &facts);
	text_format(metric, sizeof metric, "%s.p90", prefix);
	if (p90_milli == VALUE_NONE)
		emit_skip(ctx, metric, points, "n/a: %llu samples are too few for it", (unsigned long long)latency->count);
	else
		emit_figure(ctx, metric, "ns", points, p90_milli, &facts);
	emit_latency(ctx, prefix, points, latency, &facts);
}

static void tell_figures(struct ctx *ctx, const struct point *points, const struct msg_job *job, const struct msg_result *result)
{
	const struct msg_received *received = result->received;
	struct facts facts = evidence(job->transport, result);
	uint64_t cpu_ns = result->writer_cpu_ns + received->cpu_ns;

	tell_latency(ctx, "msg.latency", points, &received->latency, facts);
	tell_latency(ctx, "msg.transit", points, &received->transit, facts);
	latency_facts(&received->latency, &facts);
	emit_figure(ctx, "msg.loss", "ppm", points, milli_ratio(lost(result) * 1000000, result->due), &facts);
	emit_figure(ctx, "msg.cpu", "ppm", points, milli_ratio(cpu_ns * 1000000, result->elapsed_ns), &facts);
	emit_figure(ctx, "msg.memory", "B", points, milli_whole(result->memory_bytes), &facts);
	if (received->count > 1)
		emit_figure(ctx, "msg.rate", "1/s", points,
		            milli_per_second(received->count - 1, received->last_ns - received->first_ns), &facts);
	else
		emit_skip(ctx, "msg.rate", points, "n/a: one message is no rate");
}

static void tell_faults(struct ctx *ctx, const struct point *points, const struct msg_received *received)
{
	if (received->wrong)
		emit_fail(ctx, "msg.loss", points, "%llu messages arrived with wrong content, the first is number %llu, at byte %llu",
		          (unsigned long long)received->wrong, (unsigned long long)received->wrong_sequence,
		          (unsigned long long)(sizeof(struct message) + received->wrong_page * MESSAGE_PAGE));
	if (received->out_of_order)
		emit_fail(ctx, "msg.loss", points, "%llu messages out of order", (unsigned long long)received->out_of_order);
}

static void tell_end(struct ctx *ctx, const struct point *points, const struct msg_result *result)
{
	const struct msg_received *received = result->received;

	if (result->reader_signal)
		emit_error(ctx, "msg.loss", points, "the reader was killed by signal %d%s", result->reader_signal,
		           result->reader_signal == 9 ? ": out of memory?" : "");
	else if (result->send_error || received->error)
		emit_error(ctx, "msg.loss", points, "%s stopped: %s", result->send_error ? "sending" : "receiving",
		           sys_error(result->send_error ? result->send_error : received->error));
	else if (!received->count)
		emit_error(ctx, "msg.loss", points, "no message arrived");
}

static const char *why(int err)
{
	return err == -ETIMEDOUT ? "the reader did not come up or did not end in time" :
	       err == -ECHILD ? "the reader ended by itself" : sys_error(err);
}

static void tell_failure(struct ctx *ctx, const struct point *points, const struct msg_job *job, int err, const char *budget)
{
	if (err == -ENOMEM)
		emit_error(ctx, "msg.latency", points, "%llu MiB of memory may be used (%s): too little for two messages",
		           (unsigned long long)(job->budget_bytes / MIB), budget);
	else
		emit_error(ctx, "msg.latency", points, "%s", why(err));
}

static void measure(struct ctx *ctx, const struct transport *transport, struct scenario scenario)
{
	const char *budget = "available";
	struct msg_job job = { .transport = transport, .size_bytes = scenario.size_bytes, .rate_hz = scenario.rate_hz,
	                       .duration_ns = param_number(ctx, DURATION), .touch = true };
	const struct point points[] = { point_text("transport", transport->name), point_size("size", scenario.size_bytes),
	                                point_number("rate", scenario.rate_hz), point_number("readers", 1), point_text("touch", "yes"),
	                                point_text("wake", transport->wake), POINT_LIST_END };
	struct msg_result result;
	int err;

	if (planned(ctx, job.duration_ns + MS(50), 0))
		return;
	job.budget_bytes = map_budget_bytes(&budget) / 2;
	if (!job.budget_bytes)
		job.budget_bytes = map_total_bytes() / 8; /* without /proc nobody tells what is free */
	err = msg_local(&job, &result);
	if (result.received) {
		tell_faults(ctx, points, result.received);
		if (result.received->count)
			tell_figures(ctx, points, &job, &result);
	}
	if (err)
		tell_failure(ctx, points, &job, err, budget);
	else
		tell_end(ctx, points, &result);
}

static void run(struct ctx *ctx)
{
	char word[16];

	for (unsigned t = 0; t < param_values(ctx, TRANSPORT)->count; t++)
		for (unsigned s = 0; s < param_values(ctx, SCENARIO)->count; s++) {
			param_text(ctx, SCENARIO, s, word, sizeof word);
			measure(ctx, transports[param_values(ctx, TRANSPORT)->numbers[t]], parse_scenario(word));
		}
}

const struct step step_msg_local = {
	.name = "msg.local", .summary = "messages between two processes: latency, loss and cost at size x rate",
	.params = params, .run = run,
};
