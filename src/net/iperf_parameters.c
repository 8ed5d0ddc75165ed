/* iperf_parameters.c: what a client asks for. */
#include <errno.h>
#include <string.h>

#include "net/iperf.h"
#include "net/iperf_number.h"

enum number { OMIT, TIME, NUM, BLOCKS, MSS, PARALLEL, WINDOW, LENGTH, RATE, FQ_RATE, BURST, TOS, FLOW_LABEL, SERVER_CPU, OUTPUT, COUNTERS, REPEATING,
              SPLICE, FRAGMENT, DROP, NUMBERS };

/* The server's bounds; what is not sent is `absent`. */
static const struct { const char *key; int64_t min, max, absent; } bounds[NUMBERS] = {
	[OMIT] = { "omit", 0, 600, 0 }, [TIME] = { "time", 0, 86400, 10 },
	[NUM] = { "num", 0, INT64_MAX, 0 }, [BLOCKS] = { "blockcount", 0, INT64_MAX, 0 },
	[MSS] = { "MSS", 0, 32767, 0 }, [PARALLEL] = { "parallel", 1, MAX_NET_STREAMS, 1 },
	[WINDOW] = { "window", 0, 512 << 20, 0 }, [LENGTH] = { "len", 0, 1 << 20, 0 },
	[RATE] = { "bandwidth", 0, INT64_MAX, 0 }, [FQ_RATE] = { "fqrate", 0, INT64_MAX, 0 }, [BURST] = { "burst", 1, 1000, 0 },
	[TOS] = { "TOS", 0, 255, 0 }, [FLOW_LABEL] = { "flowlabel", 1, 0xfffff, 0 }, [SERVER_CPU] = { "server_affinity", 0, 1024, -1 },
	[OUTPUT] = { "get_server_output", 0, INT64_MAX, 0 }, [COUNTERS] = { "udp_counters_64bit", 0, INT64_MAX, 0 },
	[REPEATING] = { "repeating_payload", 0, INT64_MAX, 0 }, [SPLICE] = { "zerocopy", 0, INT64_MAX, 0 },
	[FRAGMENT] = { "dont_fragment", 0, INT64_MAX, 0 }, [DROP] = { "skip_rx_copy", 0, INT64_MAX, 0 },
};

static void add_true(struct text *json, const char *key, bool set)
{
	if (set) {
		json_add_key(json, key);
		text_add(json, "true");
	}
}

static void add_set(struct text *json, enum number number, uint64_t value)
{
	if (value)
		iperf_number_add(json, bounds[number].key, (int64_t)value);
}

static void add_string(struct text *json, const char *key, const char *string)
{
	if (string && *string) {
		json_add_key(json, key);
		json_add_string(json, string);
	}
}

static int64_t whole_seconds(uint64_t duration_ns)
{
	return (int64_t)((duration_ns + SECONDS(1) - 1) / SECONDS(1));
}

static void add_options(const struct net_test *test, struct text *json)
{
	add_set(json, TOS, test->tos);
	add_set(json, FLOW_LABEL, test->flow_label);
	add_string(json, "congestion", test->congestion);
	add_set(json, OUTPUT, test->get_server_output);
	add_set(json, COUNTERS, test->counters_64bit);
	add_set(json, REPEATING, test->repeating_payload);
	add_set(json, SPLICE, test->send != NET_SEND_PLAIN);
	add_set(json, FRAGMENT, test->dont_fragment);
	add_set(json, DROP, test->receive == NET_RECEIVE_DROP);
}

void iperf_parameters_write(const struct net_test *test, const char *version, const char *title, struct text *json)
{
	bool by_time = !test->bytes && !test->blocks;

	text_add(json, "{");
	add_true(json, test->protocol == NET_TCP ? "tcp" : "udp", true);
	iperf_number_add(json, "omit", whole_seconds(test->omit_ns));
	if (test->server_cpu)
		iperf_number_add(json, bounds[SERVER_CPU].key, test->server_cpu - 1);
	iperf_number_add(json, "time", by_time ? whole_seconds(test->time_ns) : 0);
	iperf_number_add(json, "num", (int64_t)test->bytes);
	iperf_number_add(json, "blockcount", (int64_t)test->blocks);
	add_set(json, MSS, test->mss_bytes);
	add_true(json, "nodelay", test->no_delay);
	iperf_number_add(json, "parallel", test->streams);
	add_true(json, "reverse", test->reverse);
	add_true(json, "bidirectional", test->bidirectional);
	add_set(json, WINDOW, test->window_bytes);
	add_set(json, LENGTH, test->length_bytes);
	add_set(json, RATE, test->rate_bit_per_s);
	add_set(json, FQ_RATE, test->fq_rate_bit_per_s);
	iperf_number_add(json, "pacing_timer", 1000);
	add_set(json, BURST, test->burst);
	add_string(json, "title", title);
	add_options(test, json);
	add_string(json, "client_version", version);
	text_add(json, "}");
}

/* ---- reading ---- */

/* All numbers, within their bounds.  A flag may one day be a literal. */
static int read_numbers(const struct json *json, int64_t numbers[NUMBERS], char *fault, size_t size)
{
	for (unsigned i = 0; i < NUMBERS; i++) {
		int token = json_member(json, 0, bounds[i].key), err;

		numbers[i] = bounds[i].absent;
		if (token < 0)
			continue;
		if (i >= OUTPUT && json_type(json, token) != JSON_NUMBER) {
			numbers[i] = json_type(json, token) == JSON_TRUE;
			continue;
		}
		err = iperf_number(json, token, 0, &numbers[i]);
		if (err || numbers[i] < bounds[i].min || numbers[i] > bounds[i].max)
			return json_fault(json, token, fault, size, "%s must be a number from %lld to %lld", bounds[i].key, (long long)bounds[i].min,
			                  (long long)bounds[i].max);
	}
	return 0;
}

static bool is_true(const struct json *json, const char *key)
{
	int token = json_member(json, 0, key);

	return token >= 0 && json_type(json, token) == JSON_TRUE;
}

static int read_string(const struct json *json, const char *key, char *to, size_t to_size, char *fault, size_t size)
{
	int token = json_member(json, 0, key);

	*to = '\0';
	if (token >= 0 && json_string(json, token, to, to_size))
		return json_fault(json, token, fault, size, "%s must be a text of at most %u bytes", key, (unsigned)to_size - 1);
	return 0;
}

static int check_length(struct net_test *test, char *fault, size_t size)
{
	uint32_t min = test->protocol == NET_UDP ? TEST_UDP_LENGTH_MIN : 1, max = test->protocol == NET_UDP ? TEST_UDP_LENGTH_MAX : 1 << 20;

	if (!test->length_bytes)
		test->length_bytes = test->protocol == NET_UDP ? TEST_UDP_LENGTH_BYTES : TEST_TCP_LENGTH_BYTES;
	if (test->length_bytes >= min && test->length_bytes <= max)
		return 0;
	text_format(fault, size, "len must be from %u to %u with %s", (unsigned)min, (unsigned)max, test->protocol == NET_UDP ? "UDP" : "TCP");
	return -EINVAL;
}

static void take_numbers(const int64_t n[NUMBERS], struct net_test *test)
{
	test->streams = (unsigned)n[PARALLEL];
	test->omit_ns = SECONDS((uint64_t)n[OMIT]);
	test->time_ns = SECONDS((uint64_t)n[TIME]);
	test->bytes = (uint64_t)n[NUM];
	test->blocks = (uint64_t)n[BLOCKS];
	test->length_bytes = (uint32_t)n[LENGTH];
	test->rate_bit_per_s = (uint64_t)n[RATE];
	test->fq_rate_bit_per_s = (uint64_t)n[FQ_RATE];
	test->burst = (unsigned)n[BURST];
	test->window_bytes = (uint32_t)n[WINDOW];
	test->mss_bytes = (uint32_t)n[MSS];
	test->tos = (uint32_t)n[TOS];
	test->flow_label = (uint32_t)n[FLOW_LABEL];
	test->server_cpu = (unsigned)(n[SERVER_CPU] + 1);
	test->get_server_output = n[OUTPUT];
	test->counters_64bit = n[COUNTERS];
	test->repeating_payload = n[REPEATING];
	test->dont_fragment = n[FRAGMENT];
	test->send = n[SPLICE] ? NET_SEND_SPLICE : NET_SEND_PLAIN;
	test->receive = n[DROP] ? NET_RECEIVE_DROP : NET_RECEIVE_COPY;
}

static int refuse(char *fault, size_t size, const char *what)
{
	text_copy(fault, size, what);
	return -EINVAL;
}

int iperf_parameters_parse(struct json *scratch, const char *json, size_t size, struct net_test *test, char *fault, size_t fault_size)
{
	int64_t numbers[NUMBERS];

	*test = (struct net_test){ .protocol = NET_TCP };
	if (json_parse(scratch, "parameters", json, size, fault, fault_size))
		return -EINVAL;
	if (json_type(scratch, 0) != JSON_OBJECT)
		return refuse(fault, fault_size, "the parameters are no JSON object");
	if (is_true(scratch, "sctp"))
		return refuse(fault, fault_size, "SCTP is not spoken here: TCP and UDP are");
	if (read_numbers(scratch, numbers, fault, fault_size) ||
	    read_string(scratch, "congestion", test->congestion, sizeof test->congestion, fault, fault_size))
		return -EINVAL;
	take_numbers(numbers, test);
	test->protocol = is_true(scratch, "udp") ? NET_UDP : NET_TCP;
	test->no_delay = is_true(scratch, "nodelay");
	test->reverse = is_true(scratch, "reverse");
	test->bidirectional = is_true(scratch, "bidirectional");
	if (test->reverse && test->bidirectional)
		return refuse(fault, fault_size, "reverse and bidirectional exclude each other");
	return check_length(test, fault, fault_size);
}
