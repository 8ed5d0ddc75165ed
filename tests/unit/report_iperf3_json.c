/*
 * report_iperf3_json: the document that iperf3's consumers read is a golden file (tests/cli/net.sh holds its shape against iperf3's own), and it is
 * JSON wherever a run ends.
 */
#include <stdlib.h>

#include "lib/json.h"
#include "report/iperf3_json.h"
#include "golden.h"
#include "test.h"

static struct iperf3_json_sink sink;
static unsigned told, limit; /* events so far, and how many are let through */

static void begin(void)
{
	static const struct identity identity = { .kernel = "6.1.0", .arch = "x86_64" };
	static const struct run_info info = { .version = "0.1.0", .identity = &identity, .peer = "box \"7\"", .start_ns = 1764512525123456789 };

	buffer.size = told = 0;
	buffer.bytes[0] = '\0';
	limit = 1000000;
	memset(&sink, 0, sizeof sink);
	iperf3_json_sink_init(&sink, &buffer.output);
	sink_tell(&sink.sink, run_start, &info);
}

static void end(enum verdict verdict)
{
	struct tally tally = { .figures = 1 };
	struct run_end run_end = { .verdict = verdict, .tally = &tally, .last_line = "" };

	check_equal(sink_tell(&sink.sink, run_end, &run_end), 0);
}

static void say(const struct event *event, enum outcome outcome, const char *reason)
{
	struct judged judged = { .event = event, .outcome = outcome, .reason = reason };

	if (told++ < limit)
		check_equal(sink_tell(&sink.sink, event, &judged), 0);
}

static struct event event_of(enum event_kind kind, const char *metric, const char *direction, int stream)
{
	struct event event = { .kind = kind, .point_count = stream ? 5 : 4,
	                       .points = { { "port", "eth0" }, { "dir", "" }, { "streams", "1" }, { "len", "128k" }, { "stream", "" } } };

	strcpy(event.metric, metric);
	strcpy(event.points[1].value, direction);
	if (stream)
		snprintf(event.points[4].value, sizeof event.points[4].value, "%d", stream);
	return event;
}

static void say_test(const char *metric, const char *direction)
{
	struct event event = event_of(EVENT_FIGURE, metric, direction, 0);

	event.value_milli = 2000000000000; /* 2 s */
	fact_number(&event.facts, "asked_ns", 2000000000);
	fact_number(&event.facts, "asked_omit_ns", 1000000000);
	fact_number(&event.facts, "asked_bit_per_s", 100000000);
	fact_number(&event.facts, "tos", 32);
	fact_number(&event.facts, "user_ns", 100000000);
	fact_number(&event.facts, "system_ns", 500000000);
	fact_number(&event.facts, "peer_port", 5201);
	fact_number(&event.facts, "mss_default", 1448);
	fact_number(&event.facts, "peer_cpu_ppm", 123456);
	fact_number(&event.facts, "peer_user_ppm", 23456);
	fact_number(&event.facts, "peer_system_ppm", 100000);
	fact_text(&event.facts, "cookie", "abcdefghijklmnopqrstuvwxyz2345672345");
	fact_text(&event.facts, "peer_congestion", "reno");
	say(&event, OUTCOME_MEASURED, "");
}

static void say_direction(const char *metric, const char *direction)
{
	struct event event = event_of(EVENT_FIGURE, metric, direction, 0);

	fact_number(&event.facts, "sndbuf", 16384);
	fact_number(&event.facts, "rcvbuf", 131072);
	fact_text(&event.facts, "congestion", "cubic");
	say(&event, OUTCOME_MEASURED, "");
}

static void say_stream(const char *metric, const char *direction, int stream, bool udp)
{
	struct event event = event_of(EVENT_FIGURE, metric, direction, stream);

	fact_number(&event.facts, "bytes", 24000000);
	fact_number(&event.facts, "bytes_sent", 25000000);
	if (udp) {
		fact_number(&event.facts, "datagrams", 24000);
		fact_number(&event.facts, "datagrams_sent", 25000);
		fact_number(&event.facts, "lost", 1000);
		fact_number(&event.facts, "jitter_ns", 12345);
	} else {
		fact_number(&event.facts, "retransmits", 7);
	}
	fact_text(&event.facts, "local", "10.0.0.1");
	fact_number(&event.facts, "local_port", 40000 + stream);
	fact_text(&event.facts, "remote", "10.0.0.2");
	fact_number(&event.facts, "remote_port", 5201);
	say(&event, OUTCOME_MEASURED, "");
}

/* Three intervals of a second, the first of which is warm-up. */
static void say_series(const char *metric, const char *direction, int stream, int64_t first)
{
	static const struct event last = { .kind = EVENT_SERIES_END, .aux = 3 };
	struct event event = event_of(EVENT_SERIES, metric, direction, stream);

	fact_number(&event.facts, "discarded", 1);
	say(&event, OUTCOME_NONE, "");
	for (unsigned i = 0; i < 3; i++) {
		struct event element = { .kind = EVENT_ELEMENT, .aux = 1000000000ull * (i + 1), .value_milli = (first + i) * 1000 };

		say(&element, OUTCOME_NONE, "");
	}
	say(&last, OUTCOME_NONE, "");
}

static void say_log(const char *message)
{
	struct event event = { .kind = EVENT_LOG };

	strcpy(event.message, message);
	say(&event, OUTCOME_NONE, "");
}

/* Both ways, one stream each. */
static void say_tcp(void)
{
	static const char *const quantities[] = { "bytes", "retransmits", "cwnd", "rtt", "rttvar", "pmtu", "window" };
	char metric[64];

	say_test("net.tcp.time", "both");
	say_direction("net.tcp.throughput", "tx");
	say_stream("net.tcp.stream.throughput", "tx", 1, false);
	for (unsigned i = 0; i < COUNT_OF(quantities); i++) {
		snprintf(metric, sizeof metric, "net.tcp.interval.%s", quantities[i]);
		say_series(metric, "tx", 1, 1000000 * (i + 1));
	}
	say_direction("net.tcp.throughput", "rx");
	say_stream("net.tcp.stream.throughput", "rx", 3, false);
	say_series("net.tcp.interval.bytes", "rx", 3, 12000000);
	say_log("eth0 tx, cpu: of no interest");
	say_log("the server says: Accepted connection");
	say_log("the server says: [  5]   0.00-1.00");
}

static void say_udp(void)
{
	static const char *const quantities[] = { "bytes", "datagrams", "lost", "reordered", "jitter" };
	char metric[64];

	say_test("net.udp.time", "rx");
	say_direction("net.udp.throughput", "rx");
	say_stream("net.udp.stream.throughput", "rx", 1, true);
	for (unsigned i = 0; i < COUNT_OF(quantities); i++) {
		snprintf(metric, sizeof metric, "net.udp.interval.%s", quantities[i]);
		say_series(metric, "rx", 1, 100 * (i + 1));
	}
}

static char fault[200];
static struct json json;

static bool is_json(void)
{
	return !json_parse(&json, "iperf3.json", buffer.bytes, buffer.size, fault, sizeof fault);
}

test(whole_document_is_the_golden_file)
{
	begin();
	say_tcp();
	end(VERDICT_PASS);
	check(is_json());
	check_golden("tests/golden/iperf3.json");
}

test(document_is_json_wherever_the_run_ends)
{
	unsigned all;

	begin();
	say_tcp();
	all = told;
	check(all > 40);
	for (unsigned stop = 0; stop <= all; stop++) {
		begin();
		limit = stop;
		say_tcp();
		end(VERDICT_INTERRUPTED);
		check(strstr(buffer.bytes, "\"error\":\"interrupted\"") != NULL);
		if (!is_json()) {
			check(!"it is JSON");
			printf("# after %u events: %s\n", stop, fault);
		}
	}
}

test(measured_time_begins_behind_the_warm_up)
{
	begin();
	say_tcp();
	end(VERDICT_PASS);
	check(strstr(buffer.bytes, "\"intervals\":[{\"streams\":[{\"socket\":1,\"start\":0.000000000,\"end\":1.000000000,\"seconds\":1.000000000,\"bytes\":1000000,"
	                           "\"bits_per_second\":8000000,\"retransmits\":2000000,") != NULL);
	check(strstr(buffer.bytes, "\"start\":0.000000000,\"end\":1.000000000,\"seconds\":1.000000000,\"bytes\":1000001,") != NULL);
	check(strstr(buffer.bytes, "\"start\":1.000000000,\"end\":2.000000000,\"seconds\":1.000000000,\"bytes\":1000002,") != NULL);
}

test(loss_is_of_what_was_sent)
{
	begin();
	say_udp();
	end(VERDICT_PASS);
	check(is_json());
	check(strstr(buffer.bytes, "\"udp\":{\"socket\":1,\"start\":0.000000000,\"end\":2.000000000,\"seconds\":2.000000000,\"bytes\":25000000,\"bits_per_second\":100000000,"
	                           "\"jitter_ms\":0.012345,\"lost_packets\":1000,\"packets\":25000,\"lost_percent\":4,\"out_of_order\":803,\"sender\":false}") != NULL);
	check(strstr(buffer.bytes, "\"sum_sent\":{\"start\":0.000000000,\"end\":2.000000000,\"seconds\":2.000000000,\"bytes\":25000000,\"bits_per_second\":100000000,"
	                           "\"jitter_ms\":0.000000,\"lost_packets\":0,\"packets\":25000,\"lost_percent\":0,\"sender\":true}") != NULL);
	check(strstr(buffer.bytes, "bidir_reverse") == NULL);
	check(strstr(buffer.bytes, "\"reverse\":1,") != NULL);
}

test(a_failure_before_the_test_has_no_figures)
{
	struct event event = event_of(EVENT_ERROR, "net.tcp.throughput", "tx", 0);

	begin();
	say(&event, OUTCOME_ERROR, "10.0.0.2 port 5201, connecting: \"refused\"");
	end(VERDICT_ERROR);
	check_string(buffer.bytes, "{\"start\":{\"connected\":[],\"version\":\"assay-0.1.0 (iperf3 json)\",\"system_info\":\"Linux 6.1.0 x86_64\"},\"intervals\":[],\"end\":{},"
	                           "\"error\":\"10.0.0.2 port 5201, connecting: \\\"refused\\\"\"}\n");
}

test(a_step_that_was_ended_is_an_error)
{
	begin();
	say_udp();
	sink_tell(&sink.sink, step_end, "net", OUTCOME_ERROR, "stuck in the kernel", 0);
	end(VERDICT_ERROR);
	check(strstr(buffer.bytes, "\"error\":\"stuck in the kernel\"") != NULL);
	check(strstr(buffer.bytes, "\"lost_packets\":1000") != NULL);
}

test(another_test_takes_the_place_of_the_first)
{
	begin();
	say_tcp();
	say_udp();
	end(VERDICT_PASS);
	check(is_json());
	check(strstr(buffer.bytes, "\"protocol\":\"UDP\"") != NULL);
	check(strstr(buffer.bytes, "retransmits") == NULL);
}

static int fail(struct output *output, const char *bytes, size_t count)
{
	(void)output;
	(void)bytes;
	(void)count;
	return -28;
}

test(output_that_fails_is_reported)
{
	static struct output full = { .write = fail };
	struct run_end run_end = { .verdict = VERDICT_PASS, .last_line = "" };

	begin();
	sink.output = &full;
	say_udp();
	check_equal(sink_tell(&sink.sink, run_end, &run_end), -28);
}

/* 256 streams: more than the buffer holds at once. */
test(many_streams_are_written_whole)
{
	begin();
	say_test("net.tcp.time", "tx");
	say_direction("net.tcp.throughput", "tx");
	for (int stream = 1; stream <= 256; stream++)
		say_stream("net.tcp.stream.throughput", "tx", stream, false);
	say_stream("net.tcp.stream.throughput", "tx", 257, false); /* one too many */
	end(VERDICT_PASS);
	check(strstr(buffer.bytes, "\"socket\":256") != NULL);
	check(strstr(buffer.bytes, "\"sum_sent\":{\"start\":0.000000000,\"end\":2.000000000,\"seconds\":2.000000000,\"bytes\":6400000000,") != NULL);
	check(text_ends(buffer.bytes, "}}\n"));
}
