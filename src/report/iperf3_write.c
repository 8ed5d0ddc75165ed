/* iperf3_write.c: a test as iperf3's document; see iperf3_json.h. */
#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "lib/number.h"
#include "report/iperf3_json.h"
#include "report/line.h"

enum { FLUSH_BYTES = 8 << 10 };

/* ---- small things ---- */

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

/* keep: of the last bytes, that tell whether a comma is due. */
static void flush(struct iperf3_json_sink *iperf3, size_t keep)
{
	struct text *text = &iperf3->text;
	size_t count = text->length - keep;

	if (!iperf3->error)
		iperf3->error = text->cut ? -EOVERFLOW : iperf3->output->write(iperf3->output, text->at, count);
	memmove(text->at, text->at + count, keep + 1);
	text->length = keep;
}

static struct text *room(struct iperf3_json_sink *iperf3)
{
	if (iperf3->text.length > FLUSH_BYTES)
		flush(iperf3, 1);
	return &iperf3->text;
}

/* With all nine digits, so that rates can be worked out anew. */
static void add_seconds(struct text *text, const char *key, uint64_t time_ns)
{
	json_add_key(text, key);
	text_add_format(text, "%llu.%09u", (unsigned long long)(time_ns / SECONDS(1)), (unsigned)(time_ns % SECONDS(1)));
}

static void add_milli(struct text *text, const char *key, int64_t milli)
{
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
	add_milli(text, "bits_per_second", milli_per_second(bytes * 8, end_ns - start_ns));
}

static void add_loss(struct text *text, uint64_t jitter_ns, uint64_t lost, uint64_t packets)
{
	json_add_key(text, "jitter_ms");
	text_add_format(text, "%llu.%06u", (unsigned long long)(jitter_ns / MS(1)), (unsigned)(jitter_ns % MS(1)));
	line_add_number(text, "lost_packets", lost);
	line_add_number(text, "packets", packets);
	add_milli(text, "lost_percent", milli_ratio(lost * 100, packets));
}

/* ---- the start ---- */

/* "Tue, 01 Dec 2026 02:24:51 GMT" */
static void add_timestamp(struct text *text, uint64_t time_ns)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec", days[] = "ThuFriSatSunMonTueWed"; /* 1970 began on a Thursday */
	uint64_t seconds = time_ns / SECONDS(1);
	char iso[40], word[40];
	struct text time = TEXT(iso);
	unsigned month;

	number_add_time(&time, time_ns);
	month = (unsigned)(iso[5] - '0') * 10 + (unsigned)(iso[6] - '0') - 1;
	text_format(word, sizeof word, "%.3s, %.2s %.3s %.4s %.8s GMT", days + seconds / 86400 % 7 * 3, iso + 8, months + month * 3, iso, iso + 11);
	line_open(text, "timestamp");
	line_add_string(text, "time", word);
	line_add_number(text, "timesecs", seconds);
	line_close(text, 1);
}

static void add_connected(struct iperf3_json_sink *iperf3)
{
	open_list(&iperf3->text, "connected");
	for (unsigned i = 0; i < iperf3->test.stream_count; i++) {
		const struct iperf3_stream *stream = &iperf3->test.streams[i];
		struct text *text = room(iperf3);

		open_object(text);
		line_add_number(text, "socket", stream->id);
		line_add_string(text, "local_host", text_of(&stream->facts, "local"));
		line_add_number(text, "local_port", whole(&stream->facts, "local_port"));
		line_add_string(text, "remote_host", text_of(&stream->facts, "remote"));
		line_add_number(text, "remote_port", whole(&stream->facts, "remote_port"));
		line_close(text, 1);
	}
	text_add(&iperf3->text, "]");
}

static void add_test(struct text *text, const struct iperf3_test *test)
{
	const struct facts *facts = &test->facts;

	line_open(text, "test_start");
	line_add_string(text, "protocol", test->udp ? "UDP" : "TCP");
	line_add_number(text, "num_streams", test->streams_each_way);
	line_add_number(text, "blksize", test->length_bytes);
	line_add_number(text, "omit", whole(facts, "asked_omit_ns") / SECONDS(1));
	line_add_number(text, "duration", (whole(facts, "asked_ns") + SECONDS(1) - 1) / SECONDS(1));
	line_add_number(text, "bytes", whole(facts, "asked_bytes"));
	line_add_number(text, "blocks", whole(facts, "asked_blocks"));
	line_add_number(text, "reverse", test->told[0] && !test->told[1]);
	line_add_number(text, "tos", whole(facts, "tos"));
	line_add_number(text, "target_bitrate", whole(facts, "asked_bit_per_s"));
	line_add_number(text, "bidir", test->told[0] && test->told[1]);
	line_add_number(text, "fqrate", whole(facts, "asked_fq_bit_per_s"));
	line_close(text, 1);
}

static void add_start(struct iperf3_json_sink *iperf3)
{
	const struct iperf3_test *test = &iperf3->test;
	const struct facts *facts = &test->facts, *direction = &test->directions[test->told[1]];
	struct text *text = &iperf3->text;
	char word[112];

	line_open(text, "start");
	add_connected(iperf3);
	text_format(word, sizeof word, "assay-%s (iperf3 json)", iperf3->info->version);
	line_add_string(text, "version", word);
	text_format(word, sizeof word, "Linux %s %s", iperf3->info->identity->kernel, iperf3->info->identity->arch);
	line_add_string(text, "system_info", word);
	if (test->begun) {
		add_timestamp(text, iperf3->info->start_ns);
		line_open(text, "connecting_to");
		line_add_string(text, "host", iperf3->info->peer);
		line_add_number(text, "port", whole(facts, "peer_port"));
		line_close(text, 1);
		line_add_string(text, "cookie", text_of(facts, "cookie"));
		if (!test->udp)
			line_add_number(text, "tcp_mss_default", whole(facts, "mss_default"));
		line_add_number(text, "target_bitrate", whole(facts, "asked_bit_per_s"));
		line_add_number(text, "fq_rate", whole(facts, "asked_fq_bit_per_s"));
		line_add_number(text, "sock_bufsize", whole(facts, "asked_window"));
		line_add_number(text, "sndbuf_actual", whole(direction, "sndbuf"));
		line_add_number(text, "rcvbuf_actual", whole(direction, "rcvbuf"));
		add_test(text, test);
	}
	line_close(text, 1);
}

/* ---- intervals ---- */

/* The measured time begins anew behind the warm-up. */
static uint64_t base_of(const struct iperf3_test *test, unsigned i)
{
	return i >= test->discarded && test->discarded ? test->ends_ns[test->discarded - 1] : 0;
}

static void add_time(struct text *text, const struct iperf3_test *test, unsigned i, uint64_t bytes)
{
	uint64_t base_ns = base_of(test, i);

	add_span(text, (i ? test->ends_ns[i - 1] : 0) - base_ns, test->ends_ns[i] - base_ns, bytes);
}

/* What a stream or a sum of some has in an interval; streams: over how many the jitter is to be taken. */
static void add_counts(struct text *text, const struct iperf3_test *test, bool sends, const uint64_t values[IPERF3_QUANTITIES], unsigned streams)
{
	if (test->udp && sends)
		line_add_number(text, "packets", values[IPERF3_DATAGRAMS]);
	else if (test->udp)
		add_loss(text, values[IPERF3_JITTER] / streams, values[IPERF3_LOST], values[IPERF3_DATAGRAMS] + values[IPERF3_LOST]);
	else if (sends)
		line_add_number(text, "retransmits", values[IPERF3_RETRANSMITS]);
}

static void add_state(struct text *text, const uint64_t values[IPERF3_QUANTITIES])
{
	line_add_number(text, "snd_cwnd", values[IPERF3_CWND]);
	line_add_number(text, "snd_wnd", values[IPERF3_WINDOW]);
	line_add_number(text, "rtt", values[IPERF3_RTT] / 1000);
	line_add_number(text, "rttvar", values[IPERF3_RTTVAR] / 1000);
	line_add_number(text, "pmtu", values[IPERF3_PMTU]);
}

static void add_marks(struct text *text, const struct iperf3_test *test, unsigned i, bool sends)
{
	line_add_bool(text, "omitted", i < test->discarded);
	line_add_bool(text, "sender", sends);
	line_close(text, 1);
}

static void add_values(const struct iperf3_stream *stream, unsigned i, uint64_t values[IPERF3_QUANTITIES])
{
	for (unsigned q = 0; q < IPERF3_QUANTITIES; q++)
		values[q] += stream->values[q][i];
}

static void add_stream_interval(struct iperf3_json_sink *iperf3, const struct iperf3_stream *stream, unsigned i)
{
	struct text *text = room(iperf3);
	uint64_t values[IPERF3_QUANTITIES] = { 0 };

	add_values(stream, i, values);
	open_object(text);
	line_add_number(text, "socket", stream->id);
	add_time(text, &iperf3->test, i, values[IPERF3_BYTES]);
	add_counts(text, &iperf3->test, stream->sends, values, 1);
	if (stream->sends && !iperf3->test.udp)
		add_state(text, values);
	add_marks(text, &iperf3->test, i, stream->sends);
}

static void add_sum_interval(struct iperf3_json_sink *iperf3, const char *key, bool sends, unsigned i)
{
	const struct iperf3_test *test = &iperf3->test;
	struct text *text = room(iperf3);
	uint64_t values[IPERF3_QUANTITIES] = { 0 };
	unsigned streams = 0;

	for (unsigned s = 0; s < test->stream_count; s++)
		if (test->streams[s].sends == sends) {
			add_values(&test->streams[s], i, values);
			streams++;
		}
	line_open(text, key);
	add_time(text, test, i, values[IPERF3_BYTES]);
	add_counts(text, test, sends, values, streams ? streams : 1);
	add_marks(text, test, i, sends);
}

static void add_intervals(struct iperf3_json_sink *iperf3)
{
	const struct iperf3_test *test = &iperf3->test;

	open_list(&iperf3->text, "intervals");
	for (unsigned i = 0; i < test->interval_count; i++) {
		open_object(room(iperf3));
		open_list(&iperf3->text, "streams");
		for (unsigned s = 0; s < test->stream_count; s++)
			add_stream_interval(iperf3, &test->streams[s], i);
		text_add(&iperf3->text, "]");
		add_sum_interval(iperf3, "sum", test->told[1], i);
		if (test->told[0] && test->told[1])
			add_sum_interval(iperf3, "sum_bidir_reverse", false, i);
		line_close(&iperf3->text, 1);
	}
	text_add(&iperf3->text, "]");
}

/* ---- the end ---- */

static void add_extremes(struct text *text, const struct iperf3_test *test, const struct iperf3_stream *stream)
{
	uint64_t window = 0, cwnd = 0, most = 0, least = 0, sum = 0;
	unsigned count = 0;

	for (unsigned i = test->discarded; i < stream->count; i++) {
		uint64_t rtt_us = stream->values[IPERF3_RTT][i] / 1000;

		window = stream->values[IPERF3_WINDOW][i] > window ? stream->values[IPERF3_WINDOW][i] : window;
		cwnd = stream->values[IPERF3_CWND][i] > cwnd ? stream->values[IPERF3_CWND][i] : cwnd;
		most = rtt_us > most ? rtt_us : most;
		least = !count || rtt_us < least ? rtt_us : least;
		sum += rtt_us;
		count++;
	}
	line_add_number(text, "max_snd_cwnd", cwnd);
	line_add_number(text, "max_snd_wnd", window);
	line_add_number(text, "max_rtt", most);
	line_add_number(text, "min_rtt", least);
	line_add_number(text, "mean_rtt", count ? sum / count : 0);
}

static void add_tcp_stream(struct text *text, const struct iperf3_test *test, const struct iperf3_stream *stream)
{
	line_open(text, "sender");
	line_add_number(text, "socket", stream->id);
	add_span(text, 0, test->elapsed_ns, whole(&stream->facts, "bytes_sent"));
	line_add_number(text, "retransmits", whole(&stream->facts, "retransmits"));
	add_extremes(text, test, stream);
	line_add_bool(text, "sender", stream->sends);
	line_close(text, 1);
	line_open(text, "receiver");
	line_add_number(text, "socket", stream->id);
	add_span(text, 0, test->elapsed_ns, whole(&stream->facts, "bytes"));
	line_add_bool(text, "sender", stream->sends);
	line_close(text, 1);
}

static void add_udp_stream(struct text *text, const struct iperf3_test *test, const struct iperf3_stream *stream)
{
	const struct facts *facts = &stream->facts;
	uint64_t out_of_order = 0;

	for (unsigned i = test->discarded; i < stream->count; i++)
		out_of_order += stream->values[IPERF3_REORDERED][i];
	line_open(text, "udp");
	line_add_number(text, "socket", stream->id);
	add_span(text, 0, test->elapsed_ns, whole(facts, "bytes_sent"));
	add_loss(text, whole(facts, "jitter_ns"), whole(facts, "lost"), whole(facts, "datagrams_sent"));
	line_add_number(text, "out_of_order", out_of_order);
	line_add_bool(text, "sender", stream->sends);
	line_close(text, 1);
}

enum side { WHOLE, SENT, RECEIVED };

static void add_sum(struct iperf3_json_sink *iperf3, const char *name, bool sends, enum side side, bool beside)
{
	const struct iperf3_test *test = &iperf3->test;
	struct text *text = room(iperf3);
	uint64_t bytes = 0, lost = 0, packets = 0, retransmits = 0, jitter_ns = 0, streams = 0;
	char key[32];

	for (unsigned i = 0; i < test->stream_count; i++) {
		const struct facts *facts = &test->streams[i].facts;

		if (test->streams[i].sends != sends)
			continue;
		streams++;
		bytes += whole(facts, side == RECEIVED ? "bytes" : "bytes_sent");
		lost += whole(facts, "lost");
		packets += whole(facts, "datagrams_sent");
		retransmits += whole(facts, "retransmits");
		jitter_ns += whole(facts, "jitter_ns");
	}
	text_format(key, sizeof key, "%s%s", name, beside ? "_bidir_reverse" : "");
	line_open(text, key);
	add_span(text, 0, test->elapsed_ns, bytes);
	if (test->udp)
		add_loss(text, streams && side != SENT ? jitter_ns / streams : 0, side == SENT ? 0 : lost, packets);
	else if (side == SENT)
		line_add_number(text, "retransmits", retransmits);
	line_add_bool(text, "sender", test->udp && side != WHOLE ? side == SENT : sends);
	line_close(text, 1);
}

static void add_sums(struct iperf3_json_sink *iperf3, bool sends, bool beside)
{
	if (iperf3->test.udp)
		add_sum(iperf3, "sum", sends, WHOLE, beside);
	add_sum(iperf3, "sum_sent", sends, SENT, beside);
	add_sum(iperf3, "sum_received", sends, RECEIVED, beside);
}

/* Of the processes' time in the measured time, in per cent. */
static void add_cpu(struct text *text, const struct iperf3_test *test)
{
	const struct facts *facts = &test->facts;
	uint64_t user_ns = whole(facts, "user_ns"), system_ns = whole(facts, "system_ns");

	line_open(text, "cpu_utilization_percent");
	add_milli(text, "host_total", milli_ratio((user_ns + system_ns) * 100, test->elapsed_ns));
	add_milli(text, "host_user", milli_ratio(user_ns * 100, test->elapsed_ns));
	add_milli(text, "host_system", milli_ratio(system_ns * 100, test->elapsed_ns));
	add_milli(text, "remote_total", (int64_t)whole(facts, "peer_cpu_ppm") / 10);
	add_milli(text, "remote_user", (int64_t)whole(facts, "peer_user_ppm") / 10);
	add_milli(text, "remote_system", (int64_t)whole(facts, "peer_system_ppm") / 10);
	line_close(text, 1);
}

static void add_end(struct iperf3_json_sink *iperf3)
{
	const struct iperf3_test *test = &iperf3->test;
	struct text *text = &iperf3->text;
	bool sends = test->told[1];

	open_list(text, "streams");
	for (unsigned i = 0; i < test->stream_count; i++) {
		open_object(room(iperf3));
		(test->udp ? add_udp_stream : add_tcp_stream)(text, test, &test->streams[i]);
		line_close(text, 1);
	}
	text_add(text, "]");
	add_sums(iperf3, sends, false);
	if (test->told[0] && test->told[1])
		add_sums(iperf3, false, true);
	add_cpu(text, test);
	if (!test->udp) {
		line_add_string(text, sends ? "sender_tcp_congestion" : "receiver_tcp_congestion", text_of(&test->directions[sends], "congestion"));
		line_add_string(text, sends ? "receiver_tcp_congestion" : "sender_tcp_congestion", text_of(&test->facts, "peer_congestion"));
	}
}

int iperf3_write(struct iperf3_json_sink *iperf3)
{
	struct text *text = &iperf3->text;

	text_add(text, "{");
	add_start(iperf3);
	add_intervals(iperf3);
	line_open(text, "end");
	if (iperf3->test.stream_count)
		add_end(iperf3);
	line_close(text, 1);
	flush(iperf3, 1);
	if (iperf3->server.length)
		line_add_string(text, "server_output_text", iperf3->words);
	if (*iperf3->fault)
		line_add_string(text, "error", iperf3->fault);
	text_add(text, "}\n");
	flush(iperf3, 0);
	return iperf3->error;
}
