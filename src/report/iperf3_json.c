/* iperf3_json.c: see iperf3_json.h. */
#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "lib/number.h"
#include "report/iperf3_json.h"
#include "report/line.h"

enum { FLUSH_BYTES = 4096 };

static const char *const of_tcp[IPERF3_QUANTITIES] = { "bytes", "retransmits", "cwnd", "rtt", "rttvar", "pmtu" };
static const char *const of_udp[IPERF3_QUANTITIES] = { "bytes", "datagrams", "lost", "reordered", "jitter", "" };
enum { BYTES, RETRANSMITS, CWND, RTT, RTTVAR, PMTU, DATAGRAMS = RETRANSMITS, LOST = CWND, REORDERED = RTT, JITTER = RTTVAR };

static struct iperf3_json_sink *as_iperf3(struct sink *sink)
{
	return (struct iperf3_json_sink *)(void *)sink;
}

/* ---- taking events ---- */

static const char *point_of(const struct event *event, const char *key)
{
	for (unsigned i = 0; i < event->point_count; i++)
		if (!strcmp(event->points[i].key, key))
			return event->points[i].value;
	return "";
}

static uint64_t whole(const struct facts *facts, const char *key)
{
	const struct fact *fact = fact_find(facts, key);

	return fact && fact->milli > 0 ? (uint64_t)fact->milli / 1000 : 0;
}

static const char *text_of(const struct facts *facts, const char *key)
{
	const char *text = fact_find_text(facts, key);

	return text ? text : "";
}

/* What stands behind "net.tcp." or "net.udp."; NULL: it is neither. */
static const char *behind_protocol(struct iperf3_json_sink *iperf3, const char *metric)
{
	if (!text_starts(metric, "net.tcp.") && !text_starts(metric, "net.udp."))
		return NULL;
	iperf3->udp = metric[4] == 'u';
	return metric + 8;
}

static struct iperf3_stream *stream_of(struct iperf3_json_sink *iperf3, const struct event *event)
{
	uint64_t id = 0;
	bool sends = !strcmp(point_of(event, "dir"), "tx");

	number_parse(point_of(event, "stream"), &id);
	for (unsigned i = 0; i < iperf3->stream_count; i++)
		if (iperf3->streams[i].id == (int64_t)id)
			return &iperf3->streams[i];
	if (iperf3->stream_count == 2 * MAX_NET_STREAMS)
		return NULL;
	iperf3->streams[iperf3->stream_count] = (struct iperf3_stream){ .id = (int64_t)id, .sends = sends };
	return &iperf3->streams[iperf3->stream_count++];
}

static void take_figure(struct iperf3_json_sink *iperf3, const struct event *event)
{
	const char *quantity = behind_protocol(iperf3, event->metric);
	bool sends = !strcmp(point_of(event, "dir"), "tx");
	struct iperf3_stream *stream;

	if (!quantity)
		return;
	if (!strcmp(quantity, "throughput")) {
		if (iperf3->told[sends]) /* the next test of several */
			iperf3->stream_count = iperf3->told[!sends] = 0;
		iperf3->told[sends] = true;
		iperf3->facts[sends] = event->facts;
	} else if (!strcmp(quantity, "stream.throughput")) {
		stream = stream_of(iperf3, event);
		if (stream)
			stream->facts = event->facts;
	}
}

static void take_series(struct iperf3_json_sink *iperf3, const struct event *event)
{
	const char *quantity = behind_protocol(iperf3, event->metric);
	const char *const *names = iperf3->udp ? of_udp : of_tcp;

	iperf3->stream = NULL;
	if (!quantity || !text_starts(quantity, "interval."))
		return;
	for (int i = 0; i < IPERF3_QUANTITIES; i++)
		if (!strcmp(quantity + strlen("interval."), names[i])) {
			iperf3->stream = stream_of(iperf3, event);
			iperf3->quantity = i;
		}
	if (iperf3->stream)
		iperf3->stream->count = 0;
	iperf3->discarded = (unsigned)whole(&event->facts, "discarded");
}

static void take_element(struct iperf3_json_sink *iperf3, const struct event *event)
{
	struct iperf3_stream *stream = iperf3->stream;

	if (!stream || stream->count == MAX_NET_INTERVALS)
		return;
	iperf3->ends_ns[stream->count] = event->aux;
	stream->values[iperf3->quantity][stream->count++] = event->value_milli > 0 ? (uint64_t)event->value_milli / 1000 : 0;
	iperf3->interval_count = stream->count;
}

static int take(struct sink *sink, const struct judged *judged)
{
	struct iperf3_json_sink *iperf3 = as_iperf3(sink);
	const struct event *event = judged->event;

	if ((judged->outcome == OUTCOME_FAIL || judged->outcome == OUTCOME_ERROR) && !*iperf3->fault)
		text_copy(iperf3->fault, sizeof iperf3->fault, *judged->reason ? judged->reason : event->message);
	switch (event->kind) {
	case EVENT_FIGURE:
		take_figure(iperf3, event);
		break;
	case EVENT_SERIES:
		take_series(iperf3, event);
		break;
	case EVENT_ELEMENT:
		take_element(iperf3, event);
		break;
	}
	return 0;
}

/* ---- writing ---- */

static void flush(struct iperf3_json_sink *iperf3, size_t keep)
{
	struct text *text = &iperf3->text;
	size_t count = text->length - keep;

	if (iperf3->error)
		return;
	iperf3->error = text->cut ? -EOVERFLOW : iperf3->output->write(iperf3->output, text->at, count);
	memmove(text->at, text->at + count, keep + 1);
	text->length = keep;
}

/* The last byte stays: it tells whether a comma is due. */
static struct text *room(struct iperf3_json_sink *iperf3)
{
	if (iperf3->text.length > FLUSH_BYTES)
		flush(iperf3, 1);
	return &iperf3->text;
}

/* Seconds with all nine digits, so that rates can be worked out anew. */
static void add_seconds(struct text *text, const char *key, uint64_t time_ns)
{
	char digits[24];

	text_format(digits, sizeof digits, "%llu", (unsigned long long)(time_ns % SECONDS(1) + SECONDS(1)));
	json_add_key(text, key);
	text_add_format(text, "%llu.%s", (unsigned long long)(time_ns / SECONDS(1)), digits + 1);
}

static void add_rate(struct text *text, const char *key, uint64_t bytes, uint64_t time_ns)
{
	int64_t milli = milli_per_second(bytes * 8, time_ns);

	line_add_milli(text, key, milli == VALUE_NONE ? 0 : milli);
}

static void open_list(struct text *text, const char *key)
{
	json_add_key(text, key);
	text_add(text, "[");
}

static void open_object(struct text *text)
{
	json_add_separator(text);
	text_add(text, "{");
}

static void add_span(struct text *text, uint64_t start_ns, uint64_t end_ns, uint64_t bytes)
{
	add_seconds(text, "start", start_ns);
	add_seconds(text, "end", end_ns);
	add_seconds(text, "seconds", end_ns - start_ns);
	line_add_number(text, "bytes", bytes);
	add_rate(text, "bits_per_second", bytes, end_ns - start_ns);
}

/* What iperf3 calls loss; percent in thousandths. */
static void add_loss(struct text *text, uint64_t jitter_ns, uint64_t sent, uint64_t received)
{
	uint64_t lost = sent > received ? sent - received : 0;
	int64_t percent = milli_ratio(lost * 100, sent);

	line_add_milli(text, "jitter_ms", (int64_t)(jitter_ns / 1000));
	line_add_number(text, "lost_packets", lost);
	line_add_number(text, "packets", sent);
	line_add_milli(text, "lost_percent", percent == VALUE_NONE ? 0 : percent);
}

static void add_interval_stream(struct iperf3_json_sink *iperf3, const struct iperf3_stream *stream, unsigned i, uint64_t start_ns)
{
	struct text *text = room(iperf3);
	uint64_t datagrams = stream->values[DATAGRAMS][i], lost = stream->values[LOST][i];

	open_object(text);
	line_add_number(text, "socket", (uint64_t)stream->id);
	add_span(text, start_ns, iperf3->ends_ns[i], stream->values[BYTES][i]);
	if (iperf3->udp && stream->sends) {
		line_add_number(text, "packets", datagrams);
	} else if (iperf3->udp) {
		add_loss(text, stream->values[JITTER][i], datagrams + lost, datagrams);
	} else if (stream->sends) {
		line_add_number(text, "retransmits", stream->values[RETRANSMITS][i]);
		line_add_number(text, "snd_cwnd", stream->values[CWND][i]);
		line_add_number(text, "snd_wnd", 0);
		line_add_number(text, "rtt", stream->values[RTT][i] / 1000);
		line_add_number(text, "rttvar", stream->values[RTTVAR][i] / 1000);
		line_add_number(text, "pmtu", stream->values[PMTU][i]);
	}
	line_add_bool(text, "omitted", i < iperf3->discarded);
	line_add_bool(text, "sender", stream->sends);
	line_close(text, 1);
}

static void add_interval_sum(struct iperf3_json_sink *iperf3, bool sends, const char *key, unsigned i, uint64_t start_ns)
{
	struct text *text = room(iperf3);
	uint64_t sums[IPERF3_QUANTITIES] = { 0 };
	unsigned streams = 0;

	for (unsigned s = 0; s < iperf3->stream_count; s++) {
		if (iperf3->streams[s].sends != sends)
			continue;
		streams++;
		for (unsigned q = 0; q < IPERF3_QUANTITIES; q++)
			sums[q] += iperf3->streams[s].values[q][i];
	}
	line_open(text, key);
	add_span(text, start_ns, iperf3->ends_ns[i], sums[BYTES]);
	if (iperf3->udp && sends)
		line_add_number(text, "packets", sums[DATAGRAMS]);
	else if (iperf3->udp)
		add_loss(text, streams ? sums[JITTER] / streams : 0, sums[DATAGRAMS] + sums[LOST], sums[DATAGRAMS]);
	else if (sends)
		line_add_number(text, "retransmits", sums[RETRANSMITS]);
	line_add_bool(text, "omitted", i < iperf3->discarded);
	line_add_bool(text, "sender", sends);
	line_close(text, 1);
}

static void add_intervals(struct iperf3_json_sink *iperf3)
{
	open_list(&iperf3->text, "intervals");
	for (unsigned i = 0; i < iperf3->interval_count; i++) {
		uint64_t start_ns = i ? iperf3->ends_ns[i - 1] : 0;

		open_object(&iperf3->text);
		open_list(&iperf3->text, "streams");
		for (unsigned s = 0; s < iperf3->stream_count; s++)
			add_interval_stream(iperf3, &iperf3->streams[s], i, start_ns);
		text_add(&iperf3->text, "]");
		add_interval_sum(iperf3, iperf3->told[true], "sum", i, start_ns);
		if (iperf3->told[true] && iperf3->told[false])
			add_interval_sum(iperf3, false, "sum_bidir_reverse", i, start_ns);
		line_close(&iperf3->text, 1);
	}
	text_add(&iperf3->text, "]");
}

/* ---- the start ---- */

static void add_connected(struct iperf3_json_sink *iperf3)
{
	open_list(&iperf3->text, "connected");
	for (unsigned i = 0; i < iperf3->stream_count; i++) {
		const struct facts *facts = &iperf3->streams[i].facts;
		struct text *text = room(iperf3);

		open_object(text);
		line_add_number(text, "socket", (uint64_t)iperf3->streams[i].id);
		line_add_string(text, "local_host", text_of(facts, "local"));
		line_add_number(text, "local_port", whole(facts, "local_port"));
		line_add_string(text, "remote_host", text_of(facts, "remote"));
		line_add_number(text, "remote_port", whole(facts, "remote_port"));
		line_close(text, 1);
	}
	text_add(&iperf3->text, "]");
}

static void add_test(struct iperf3_json_sink *iperf3, const struct facts *facts)
{
	struct text *text = &iperf3->text;

	line_open(text, "test_start");
	line_add_string(text, "protocol", iperf3->udp ? "UDP" : "TCP");
	line_add_number(text, "num_streams", whole(facts, "streams"));
	line_add_number(text, "blksize", whole(facts, "len"));
	line_add_number(text, "omit", whole(facts, "asked_omit_ns") / SECONDS(1));
	line_add_number(text, "duration", (whole(facts, "asked_ns") + SECONDS(1) - 1) / SECONDS(1));
	line_add_number(text, "bytes", whole(facts, "asked_bytes"));
	line_add_number(text, "blocks", whole(facts, "asked_blocks"));
	line_add_number(text, "reverse", iperf3->told[false] && !iperf3->told[true]);
	line_add_number(text, "tos", whole(facts, "tos"));
	line_add_number(text, "target_bitrate", whole(facts, "asked_bit_per_s"));
	line_add_number(text, "bidir", iperf3->told[false] && iperf3->told[true]);
	line_add_number(text, "fqrate", whole(facts, "asked_fq_bit_per_s"));
	line_close(text, 1);
}

static void add_start(struct iperf3_json_sink *iperf3, const struct facts *facts)
{
	struct text *text = &iperf3->text;
	char word[96];

	line_open(text, "start");
	add_connected(iperf3);
	text_format(word, sizeof word, "assay %s", iperf3->info->version);
	line_add_string(text, "version", word);
	text_format(word, sizeof word, "Linux %s %s", iperf3->info->identity->kernel, iperf3->info->identity->arch);
	line_add_string(text, "system_info", word);
	line_open(text, "timestamp");
	line_add_time(text, "time", iperf3->info->start_ns);
	line_add_number(text, "timesecs", iperf3->info->start_ns / SECONDS(1));
	line_close(text, 1);
	line_open(text, "connecting_to");
	line_add_string(text, "host", iperf3->info->peer);
	line_add_number(text, "port", whole(facts, "port"));
	line_close(text, 1);
	line_add_string(text, "cookie", text_of(facts, "cookie"));
	line_add_number(text, "tcp_mss_default", whole(facts, "mss_default"));
	line_add_number(text, "target_bitrate", whole(facts, "asked_bit_per_s"));
	line_add_number(text, "fq_rate", whole(facts, "asked_fq_bit_per_s"));
	line_add_number(text, "sock_bufsize", whole(facts, "asked_window"));
	line_add_number(text, "sndbuf_actual", whole(facts, "sndbuf"));
	line_add_number(text, "rcvbuf_actual", whole(facts, "rcvbuf"));
	add_test(iperf3, facts);
	line_close(text, 1);
}

/* ---- the end ---- */

static uint64_t sum_of(const struct iperf3_stream *stream, unsigned quantity, unsigned discarded)
{
	uint64_t sum = 0;

	for (unsigned i = discarded; i < stream->count; i++)
		sum += stream->values[quantity][i];
	return sum;
}

static void add_end_stream(struct iperf3_json_sink *iperf3, const struct iperf3_stream *stream)
{
	struct text *text = room(iperf3);
	const struct facts *facts = &stream->facts;
	uint64_t elapsed_ns = whole(facts, "elapsed_ns");

	open_object(text);
	line_open(text, iperf3->udp ? "udp" : "sender");
	line_add_number(text, "socket", (uint64_t)stream->id);
	add_span(text, 0, elapsed_ns, whole(facts, "bytes_sent"));
	if (iperf3->udp) {
		add_loss(text, whole(facts, "jitter_ns"), whole(facts, "datagrams_sent"), whole(facts, "datagrams"));
		line_add_number(text, "out_of_order", sum_of(stream, REORDERED, iperf3->discarded));
	} else if (stream->sends) {
		line_add_number(text, "retransmits", sum_of(stream, RETRANSMITS, iperf3->discarded));
		line_add_number(text, "max_snd_cwnd", whole(facts, "cwnd_max"));
		line_add_number(text, "max_rtt", whole(facts, "rtt_max_us"));
	}
	line_add_bool(text, "sender", stream->sends);
	line_close(text, 1);
	if (!iperf3->udp) {
		line_open(text, "receiver");
		line_add_number(text, "socket", (uint64_t)stream->id);
		add_span(text, 0, elapsed_ns, whole(facts, "bytes"));
		line_add_bool(text, "sender", stream->sends);
		line_close(text, 1);
	}
	line_close(text, 1);
}

static void add_sum(struct iperf3_json_sink *iperf3, const char *key, bool sends, bool sent)
{
	struct text *text = room(iperf3);
	uint64_t bytes = 0, datagrams = 0, datagrams_sent = 0, retransmits = 0, jitter_ns = 0, elapsed_ns = 0;
	unsigned streams = 0;

	for (unsigned i = 0; i < iperf3->stream_count; i++) {
		const struct iperf3_stream *stream = &iperf3->streams[i];

		if (stream->sends != sends)
			continue;
		streams++;
		bytes += whole(&stream->facts, sent ? "bytes_sent" : "bytes");
		datagrams += whole(&stream->facts, "datagrams");
		datagrams_sent += whole(&stream->facts, "datagrams_sent");
		retransmits += iperf3->udp ? 0 : sum_of(stream, RETRANSMITS, iperf3->discarded);
		jitter_ns += whole(&stream->facts, "jitter_ns");
		elapsed_ns = whole(&stream->facts, "elapsed_ns");
	}
	line_open(text, key);
	add_span(text, 0, elapsed_ns, bytes);
	if (iperf3->udp)
		add_loss(text, streams ? jitter_ns / streams : 0, datagrams_sent, sent ? datagrams_sent : datagrams);
	else if (sent)
		line_add_number(text, "retransmits", retransmits);
	line_add_bool(text, "sender", sends);
	line_close(text, 1);
}

/* Of one process's time of the test, in per cent. */
static void add_cpu(struct text *text, const char *key, uint64_t time_ns, uint64_t elapsed_ns)
{
	int64_t percent = milli_ratio(time_ns * 100, elapsed_ns);

	line_add_milli(text, key, percent == VALUE_NONE ? 0 : percent);
}

static void add_end(struct iperf3_json_sink *iperf3, const struct facts *facts)
{
	struct text *text = &iperf3->text;
	bool sends = iperf3->told[true];
	uint64_t elapsed_ns = whole(facts, "elapsed_ns") + whole(facts, "discarded_ns");

	line_open(text, "end");
	open_list(text, "streams");
	for (unsigned i = 0; i < iperf3->stream_count; i++)
		add_end_stream(iperf3, &iperf3->streams[i]);
	text_add(text, "]");
	if (iperf3->udp)
		add_sum(iperf3, "sum", sends, true);
	add_sum(iperf3, "sum_sent", sends, true);
	add_sum(iperf3, "sum_received", sends, false);
	if (iperf3->told[true] && iperf3->told[false]) {
		add_sum(iperf3, "sum_sent_bidir_reverse", false, true);
		add_sum(iperf3, "sum_received_bidir_reverse", false, false);
	}
	line_open(text, "cpu_utilization_percent");
	add_cpu(text, "host_total", whole(facts, "user_ns") + whole(facts, "system_ns"), elapsed_ns);
	add_cpu(text, "host_user", whole(facts, "user_ns"), elapsed_ns);
	add_cpu(text, "host_system", whole(facts, "system_ns"), elapsed_ns);
	line_add_milli(text, "remote_total", (int64_t)(whole(facts, "peer_cpu_ppm") / 10));
	line_add_milli(text, "remote_user", (int64_t)(whole(facts, "peer_user_ppm") / 10));
	line_add_milli(text, "remote_system", (int64_t)(whole(facts, "peer_system_ppm") / 10));
	line_close(text, 1);
	if (!iperf3->udp) {
		line_add_string(text, sends ? "sender_tcp_congestion" : "receiver_tcp_congestion", text_of(facts, "congestion"));
		line_add_string(text, sends ? "receiver_tcp_congestion" : "sender_tcp_congestion", text_of(facts, "peer_congestion"));
	}
	line_close(text, 1);
}

static int begin(struct sink *sink, const struct run_info *info)
{
	as_iperf3(sink)->info = info;
	return 0;
}

static int end(struct sink *sink, const struct run_end *end)
{
	struct iperf3_json_sink *iperf3 = as_iperf3(sink);
	const struct facts *facts = &iperf3->facts[iperf3->told[true]];

	(void)end;
	text_add(&iperf3->text, "{");
	add_start(iperf3, facts);
	add_intervals(iperf3);
	if (iperf3->stream_count)
		add_end(iperf3, facts);
	else
		line_open(&iperf3->text, "end"), line_close(&iperf3->text, 1);
	if (*iperf3->fault)
		line_add_string(&iperf3->text, "error", iperf3->fault);
	text_add(&iperf3->text, "}\n");
	flush(iperf3, 0);
	return iperf3->error;
}

static const struct sink_ops ops = { .run_start = begin, .event = take, .run_end = end };

void iperf3_json_sink_init(struct iperf3_json_sink *iperf3, struct output *output)
{
	memset(iperf3, 0, sizeof *iperf3);
	iperf3->sink.ops = &ops;
	iperf3->output = output;
	iperf3->text = TEXT(iperf3->buffer);
}
