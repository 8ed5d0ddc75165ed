/*
 * iperf_results.c: what each end tells the other behind a test.
 *
 * On the wire `packets` counts from the beginning, and is the greatest sequence number where datagrams arrive: packets - errors arrived.
 */
#include <errno.h>
#include <string.h>

#include "net/iperf.h"
#include "net/iperf_number.h"

static bool any_sends(const struct net_result *result)
{
	for (unsigned i = 0; i < result->stream_count; i++)
		if (result->streams[i].sends)
			return true;
	return false;
}

static bool any_has_retransmits(const struct net_result *result)
{
	for (unsigned i = 0; i < result->stream_count; i++)
		if (result->streams[i].sends && result->streams[i].here.has_retransmits)
			return true;
	return false;
}

/* In per cent, with four decimals. */
static void add_cpu(struct text *json, const char *key, uint64_t cpu_ns, uint64_t wall_ns)
{
	iperf_number_add_decimal(json, key, wall_ns ? cpu_ns / (wall_ns / 1000000 ? wall_ns / 1000000 : 1) : 0, 4);
}

static void add_stream(const struct net_stream_result *stream, uint64_t elapsed_ns, struct text *json)
{
	const struct net_end *end = &stream->here;
	uint64_t errors = stream->sends ? 0 : end->errors;

	json_add_separator(json);
	text_add(json, "{");
	iperf_number_add(json, "id", stream->id);
	iperf_number_add(json, "bytes", (int64_t)end->bytes);
	iperf_number_add(json, "retransmits", stream->sends && end->has_retransmits ? (int64_t)end->retransmits : -1);
	iperf_number_add_decimal(json, "jitter", end->jitter_ns, 9);
	iperf_number_add(json, "errors", (int64_t)errors);
	iperf_number_add(json, "omitted_errors", 0);
	iperf_number_add(json, "packets", (int64_t)(end->datagrams + errors + end->omitted_datagrams));
	iperf_number_add(json, "omitted_packets", (int64_t)end->omitted_datagrams);
	iperf_number_add(json, "start_time", 0);
	iperf_number_add_decimal(json, "end_time", end->elapsed_ns ? end->elapsed_ns : elapsed_ns, 9);
	text_add(json, "}");
}

void iperf_results_write(const struct net_result *result, uint64_t wall_ns, const char *server_output, struct text *json)
{
	text_add(json, "{");
	add_cpu(json, "cpu_util_total", result->user_ns + result->system_ns, wall_ns);
	add_cpu(json, "cpu_util_user", result->user_ns, wall_ns);
	add_cpu(json, "cpu_util_system", result->system_ns, wall_ns);
	iperf_number_add(json, "sender_has_retransmits", any_sends(result) ? any_has_retransmits(result) : -1);
	if (result->stream_count && *result->streams[0].state.congestion) {
		json_add_key(json, "congestion_used");
		json_add_string(json, result->streams[0].state.congestion);
	}
	if (server_output) {
		json_add_key(json, "server_output_text");
		json_add_string(json, server_output);
	}
	json_add_key(json, "streams");
	text_add(json, "[");
	for (unsigned i = 0; i < result->stream_count; i++)
		add_stream(&result->streams[i], result->elapsed_ns, json);
	text_add(json, "]}");
}

/* ---- reading ---- */

struct reader { const struct json *json; char *fault; size_t size; };

static int number(const struct reader *reader, int object, const char *key, unsigned decimals, int64_t *value)
{
	int token = json_member(reader->json, object, key);

	if (token >= 0 && !iperf_number(reader->json, token, decimals, value))
		return 0;
	return json_fault(reader->json, object, reader->fault, reader->size, "%s must be a number", key);
}

/* 3.12 writes its -1, "not told", as 2^64 - 1. */
static int number_or_none(const struct reader *reader, int object, const char *key, int64_t *value)
{
	int token = json_member(reader->json, object, key);

	*value = -1;
	return token >= 0 && iperf_number(reader->json, token, 0, value) == -ERANGE ? 0 : number(reader, object, key, 0, value);
}

static bool has(const struct reader *reader, int object, const char *key)
{
	return json_member(reader->json, object, key) >= 0;
}

static uint64_t not_negative(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

static uint64_t less(int64_t value, int64_t by)
{
	uint64_t whole = not_negative(value), part = not_negative(by);

	return whole > part ? whole - part : 0;
}

/* What it does not tell (before 3.13) is what this end saw. */
static int omitted(const struct reader *reader, int object, const struct net_end *here, int64_t *errors, int64_t *packets)
{
	bool e = has(reader, object, "omitted_errors"), p = has(reader, object, "omitted_packets");

	*errors = 0;
	*packets = (int64_t)here->omitted_datagrams;
	if (!e && !p)
		return 0;
	if (e != p)
		return json_fault(reader->json, object, reader->fault, reader->size, "omitted_errors and omitted_packets go together");
	return number(reader, object, "omitted_errors", 0, errors) || number(reader, object, "omitted_packets", 0, packets) ? -EINVAL : 0;
}

static int read_packets(const struct reader *reader, int object, struct net_stream_result *stream)
{
	struct net_end *there = &stream->there;
	int64_t errors, packets, omitted_errors, omitted_packets;

	if (number(reader, object, "errors", 0, &errors) || number(reader, object, "packets", 0, &packets) ||
	    omitted(reader, object, &stream->here, &omitted_errors, &omitted_packets))
		return -EINVAL;
	there->errors = less(errors, omitted_errors);
	there->datagrams = less(packets, omitted_packets);
	there->omitted_datagrams = not_negative(omitted_packets);
	if (stream->sends) {
		there->datagrams = less((int64_t)there->datagrams, (int64_t)there->errors);
		there->omitted_datagrams = less(omitted_packets, omitted_errors);
	}
	return 0;
}

static int read_stream(const struct reader *reader, int object, struct net_stream_result *stream)
{
	struct net_end *there = &stream->there;
	int64_t bytes, retransmits, jitter_ns, start_ns = 0, end_ns = 0;

	if (number(reader, object, "bytes", 0, &bytes) || number_or_none(reader, object, "retransmits", &retransmits) ||
	    number(reader, object, "jitter", 9, &jitter_ns) || read_packets(reader, object, stream))
		return -EINVAL;
	if (has(reader, object, "start_time") && has(reader, object, "end_time") &&
	    (number(reader, object, "start_time", 9, &start_ns) || number(reader, object, "end_time", 9, &end_ns)))
		return -EINVAL;
	there->told = true;
	there->bytes = not_negative(bytes);
	there->has_retransmits = retransmits >= 0;
	there->retransmits = not_negative(retransmits);
	there->jitter_ns = not_negative(jitter_ns);
	there->elapsed_ns = less(end_ns, start_ns);
	return 0;
}

static struct net_stream_result *find_stream(struct net_result *result, int64_t id)
{
	for (unsigned i = 0; i < result->stream_count; i++)
		if (result->streams[i].id == id)
			return &result->streams[i];
	return NULL;
}

static int read_streams(const struct reader *reader, struct net_result *result)
{
	int array = json_member(reader->json, 0, "streams");
	int64_t id;

	if (array < 0 || json_type(reader->json, array) != JSON_ARRAY)
		return json_fault(reader->json, 0, reader->fault, reader->size, "streams must be an array");
	for (int object = json_first(reader->json, array); object >= 0; object = json_next(reader->json, object)) {
		struct net_stream_result *stream;

		if (json_type(reader->json, object) != JSON_OBJECT)
			return json_fault(reader->json, object, reader->fault, reader->size, "a stream must be an object");
		if (number(reader, object, "id", 0, &id))
			return -EINVAL;
		stream = find_stream(result, id);
		if (!stream)
			return json_fault(reader->json, object, reader->fault, reader->size, "there is no stream %lld", (long long)id);
		if (read_stream(reader, object, stream))
			return -EINVAL;
	}
	return 0;
}

/* For people; what is too long of it is cut. */
static void read_texts(const struct json *json, struct net_result *result)
{
	int token = json_member(json, 0, "congestion_used");

	if (token >= 0)
		json_string(json, token, result->peer_congestion, sizeof result->peer_congestion);
	token = json_member(json, 0, "server_output_text");
	if (token >= 0)
		json_string(json, token, result->server_output, sizeof result->server_output);
	token = json_member(json, 0, "server_output_json");
	if (token >= 0) {
		struct text text = TEXT(result->server_output);

		text_add_bytes(&text, json->text + json->tokens[token].start, (size_t)(json->tokens[token].end - json->tokens[token].start));
	}
}

/* iperf3's own report, which may be in it, repeats keys. */
int iperf_results_parse(struct json *scratch, const char *json, size_t size, struct net_result *result, char *fault, size_t fault_size)
{
	const struct reader reader = { scratch, fault, fault_size };
	int64_t sender_has_retransmits;

	if (json_parse_repeating(scratch, "results", json, size, fault, fault_size))
		return -EINVAL;
	if (json_type(scratch, 0) != JSON_OBJECT)
		return json_fault(scratch, 0, fault, fault_size, "the results are no JSON object");
	if (number(&reader, 0, "cpu_util_total", 4, &result->peer_cpu_total_ppm) || number(&reader, 0, "cpu_util_user", 4, &result->peer_cpu_user_ppm) ||
	    number(&reader, 0, "cpu_util_system", 4, &result->peer_cpu_system_ppm) ||
	    number_or_none(&reader, 0, "sender_has_retransmits", &sender_has_retransmits) || read_streams(&reader, result))
		return -EINVAL;
	result->peer_told = true;
	read_texts(scratch, result);
	return 0;
}
