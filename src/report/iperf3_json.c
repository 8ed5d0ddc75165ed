/* iperf3_json.c: from the events to a test; iperf3_write.c writes it. */
#include <string.h>

#include "lib/number.h"
#include "report/iperf3_json.h"

static const char *const of_tcp[IPERF3_QUANTITIES] = { "bytes", "retransmits", "cwnd", "rtt", "rttvar", "pmtu", "window" };
static const char *const of_udp[IPERF3_QUANTITIES] = { "bytes", "datagrams", "lost", "reordered", "jitter", "", "" };
static const char server_says[] = "the server says: ";

static struct iperf3_json_sink *as_iperf3(struct sink *sink)
{
	return (struct iperf3_json_sink *)(void *)sink;
}

static const char *point_of(const struct event *event, const char *key)
{
	for (unsigned i = 0; i < event->point_count; i++)
		if (!strcmp(event->points[i].key, key))
			return event->points[i].value;
	return "";
}

static bool is_sending(const struct event *event)
{
	return !strcmp(point_of(event, "dir"), "tx");
}

/* What stands behind "net.tcp." or "net.udp."; NULL: it is neither. */
static const char *behind_protocol(const struct event *event)
{
	return text_starts(event->metric, "net.tcp.") || text_starts(event->metric, "net.udp.") ? event->metric + strlen("net.tcp.") : NULL;
}

static void begin_test(struct iperf3_test *test, const struct event *event)
{
	test->begun = true;
	test->udp = event->metric[4] == 'u';
	test->told[0] = test->told[1] = false;
	test->stream_count = test->interval_count = test->discarded = 0;
	test->directions[0].count = test->directions[1].count = test->directions[0].text_count = test->directions[1].text_count = 0;
	test->facts = event->facts;
	test->elapsed_ns = event->value_milli > 0 ? (uint64_t)event->value_milli / 1000 : 0;
	number_parse(point_of(event, "streams"), &test->streams_each_way);
	number_parse_size(point_of(event, "len"), &test->length_bytes);
}

static struct iperf3_stream *stream_of(struct iperf3_test *test, const struct event *event)
{
	struct iperf3_stream *stream = test->streams;
	uint64_t id = 0;

	if (number_parse(point_of(event, "stream"), &id))
		return NULL;
	for (; stream < test->streams + test->stream_count; stream++)
		if (stream->id == id)
			return stream;
	if (test->stream_count == COUNT_OF(test->streams))
		return NULL;
	test->stream_count++;
	memset(stream, 0, sizeof *stream);
	stream->id = id;
	stream->sends = is_sending(event);
	return stream;
}

static void take_figure(struct iperf3_test *test, const struct event *event)
{
	const char *quantity = behind_protocol(event);
	struct iperf3_stream *stream;

	if (!quantity)
		return;
	if (!strcmp(quantity, "time")) {
		begin_test(test, event);
	} else if (!strcmp(quantity, "throughput")) {
		test->told[is_sending(event)] = true;
		test->directions[is_sending(event)] = event->facts;
	} else if (!strcmp(quantity, "stream.throughput")) {
		stream = stream_of(test, event);
		if (stream)
			stream->facts = event->facts;
	}
}

static void start_series(struct iperf3_json_sink *iperf3, const struct event *event)
{
	const char *quantity = behind_protocol(event);
	const char *const *names = iperf3->test.udp ? of_udp : of_tcp;
	const struct fact *discarded = fact_find(&event->facts, "discarded");

	iperf3->stream = NULL;
	if (!quantity || !text_starts(quantity, "interval."))
		return;
	for (int i = 0; i < IPERF3_QUANTITIES; i++)
		if (!strcmp(quantity + strlen("interval."), names[i])) {
			iperf3->stream = stream_of(&iperf3->test, event);
			iperf3->quantity = i;
		}
	if (iperf3->stream)
		iperf3->stream->count = 0;
	iperf3->test.discarded = discarded ? (unsigned)(discarded->milli / 1000) : 0;
}

static void take_element(struct iperf3_json_sink *iperf3, const struct event *event)
{
	struct iperf3_stream *stream = iperf3->stream;

	if (!stream || stream->count == MAX_NET_INTERVALS)
		return;
	iperf3->test.ends_ns[stream->count] = event->aux;
	stream->values[iperf3->quantity][stream->count++] = event->value_milli > 0 ? (uint64_t)event->value_milli / 1000 : 0;
	if (stream->count > iperf3->test.interval_count)
		iperf3->test.interval_count = stream->count;
}

static int take(struct sink *sink, const struct judged *judged)
{
	struct iperf3_json_sink *iperf3 = as_iperf3(sink);
	const struct event *event = judged->event;

	if ((judged->outcome == OUTCOME_FAIL || judged->outcome == OUTCOME_ERROR) && !*iperf3->fault)
		text_copy(iperf3->fault, sizeof iperf3->fault, judged->reason);
	if (event->kind == EVENT_FIGURE)
		take_figure(&iperf3->test, event);
	else if (event->kind == EVENT_SERIES)
		start_series(iperf3, event);
	else if (event->kind == EVENT_ELEMENT)
		take_element(iperf3, event);
	else if (event->kind == EVENT_LOG && text_starts(event->message, server_says))
		text_add_format(&iperf3->server, "%s\n", event->message + strlen(server_says));
	return 0;
}

/* A step that ended without a word of its own: killed, stuck, out of its time. */
static int step_end(struct sink *sink, const char *name, enum outcome outcome, const char *reason, uint64_t time_ns)
{
	struct iperf3_json_sink *iperf3 = as_iperf3(sink);

	(void)name;
	(void)time_ns;
	if ((outcome == OUTCOME_FAIL || outcome == OUTCOME_ERROR) && !*iperf3->fault)
		text_copy(iperf3->fault, sizeof iperf3->fault, *reason ? reason : "the test failed");
	return 0;
}

static int run_start(struct sink *sink, const struct run_info *info)
{
	as_iperf3(sink)->info = info;
	return 0;
}

static int run_end(struct sink *sink, const struct run_end *end)
{
	struct iperf3_json_sink *iperf3 = as_iperf3(sink);

	if (end->verdict == VERDICT_INTERRUPTED && !*iperf3->fault)
		text_copy(iperf3->fault, sizeof iperf3->fault, "interrupted");
	return iperf3_write(iperf3);
}

static const struct sink_ops ops = { .run_start = run_start, .event = take, .step_end = step_end, .run_end = run_end };

void iperf3_json_sink_init(struct iperf3_json_sink *iperf3, struct output *output)
{
	iperf3->sink.ops = &ops;
	iperf3->output = output;
	iperf3->text = TEXT(iperf3->buffer);
	iperf3->server = TEXT(iperf3->words);
}
