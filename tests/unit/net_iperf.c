/* iperf3's wire, in bytes of its clients 3.1, 3.12 and 3.21. */
#include <errno.h>
#include <sys/socket.h>

#include "capacity.h"
#include "net/iperf.h"
#include "net/iperf_number.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "test.h"

static struct json scratch;
static struct net_test asked;
static struct net_result result;
static char fault[200], buffer[IPERF_RESULTS_MAX];

static int parse(const char *json)
{
	*fault = '\0';
	return iperf_parameters_parse(&scratch, json, strlen(json), &asked, fault, sizeof fault);
}

static const char *written(const struct net_test *test, const char *title)
{
	struct text text = TEXT(buffer);

	iperf_parameters_write(test, "3.21", title, &text);
	return buffer;
}

/* ---- parameters ---- */

test(parameters_of_3_1)
{
	check_equal(parse("{\"tcp\":true,\"omit\":0,\"time\":10,\"parallel\":1,\"len\":131072,\"client_version\":\"3.1.3\"}"), 0);
	check(asked.protocol == NET_TCP && asked.streams == 1 && asked.time_ns == SECONDS(10) && asked.length_bytes == 131072);
	check(!asked.bytes && !asked.blocks && !asked.omit_ns && !asked.reverse && !asked.bidirectional && !asked.server_cpu);
}

test(parameters_of_3_12_with_everything)
{
	check_equal(parse("{\"tcp\":true,\"omit\":2,\"server_affinity\":3,\"time\":0,\"num\":1000000000000,\"blockcount\":7,\"MSS\":1400,\"nodelay\":true,"
	                  "\"parallel\":8,\"bidirectional\":true,\"window\":425984,\"len\":65536,\"bandwidth\":1000000000,\"fqrate\":500000000,"
	                  "\"pacing_timer\":1000,\"burst\":10,\"TOS\":16,\"flowlabel\":5,\"title\":\"a\",\"congestion\":\"reno\",\"get_server_output\":1,"
	                  "\"udp_counters_64bit\":1,\"repeating_payload\":1,\"zerocopy\":1,\"dont_fragment\":1,\"client_version\":\"3.12\"}"), 0);
	check(asked.omit_ns == SECONDS(2) && asked.server_cpu == 4 && asked.bytes == 1000000000000 && asked.blocks == 7 && asked.mss_bytes == 1400);
	check(asked.no_delay && asked.streams == 8 && asked.bidirectional && asked.window_bytes == 425984 && asked.length_bytes == 65536);
	check(asked.rate_bit_per_s == 1000000000 && asked.fq_rate_bit_per_s == 500000000 && asked.burst == 10 && asked.tos == 16 && asked.flow_label == 5);
	check(asked.get_server_output && asked.counters_64bit && asked.repeating_payload && asked.send == NET_SEND_SPLICE && asked.dont_fragment);
	check_string(asked.congestion, "reno");
}

test(parameters_of_3_21_udp)
{
	check_equal(parse("{\"udp\":true,\"omit\":0,\"time\":1,\"num\":0,\"blockcount\":0,\"parallel\":2,\"reverse\":true,\"len\":1448,\"bandwidth\":1048576,"
	                  "\"pacing_timer\":1000,\"gso\":0,\"gso_dg_size\":0,\"gso_bf_size\":65507,\"gro\":0,\"gro_bf_size\":65507,\"skip_rx_copy\":1,"
	                  "\"client_version\":\"3.21\"}"), 0);
	check(asked.protocol == NET_UDP && asked.reverse && asked.streams == 2 && asked.length_bytes == 1448 && asked.rate_bit_per_s == 1048576);
	check(asked.receive == NET_RECEIVE_DROP);
}

test(what_is_not_sent_is_the_default)
{
	check_equal(parse("{}"), 0);
	check(asked.protocol == NET_TCP && asked.streams == 1 && asked.time_ns == SECONDS(10) && asked.length_bytes == 131072 && !asked.rate_bit_per_s);
	check_equal(parse("{\"udp\":true}"), 0);
	check_equal(asked.length_bytes, 1460);
}

test(unknown_keys_are_ignored)
{
	check_equal(parse("{\"tcp\":true,\"future\":{\"a\":[1,2,null]},\"time\":3,\"more\":\"x\"}"), 0);
	check_equal(asked.time_ns, SECONDS(3));
}

test(only_a_literal_true_is_true)
{
	check_equal(parse("{\"udp\":1,\"reverse\":1,\"nodelay\":\"true\",\"bidirectional\":false}"), 0);
	check(asked.protocol == NET_TCP && !asked.reverse && !asked.no_delay && !asked.bidirectional);
	check_equal(parse("{\"udp\":true,\"reverse\":true,\"nodelay\":true}"), 0);
	check(asked.protocol == NET_UDP && asked.reverse && asked.no_delay);
}

test(every_bound_of_the_parameters)
{
	static const struct { const char *key; int64_t min, max; bool udp; } bounds[] = {
		{ "time", 0, 86400, false }, { "omit", 0, 600, false }, { "parallel", 1, 128, false }, { "MSS", 0, 32767, false },
		{ "window", 0, 536870912, false }, { "len", 0, 1048576, false }, { "len", 16, 65507, true }, { "burst", 1, 1000, false },
		{ "TOS", 0, 255, false }, { "flowlabel", 1, 1048575, false }, { "server_affinity", 0, 1024, false },
	};
	char json[80];

	for (unsigned i = 0; i < COUNT_OF(bounds); i++)
		for (int64_t n = bounds[i].min - 1; n <= bounds[i].max + 1; n = n == bounds[i].min ? bounds[i].max : n + 1) {
			bool inside = n >= bounds[i].min && n <= bounds[i].max;

			snprintf(json, sizeof json, "{\"%s\":true,\"%s\":%" PRId64 "}", bounds[i].udp ? "udp" : "tcp", bounds[i].key, n);
			check_equal(parse(json), inside ? 0 : -EINVAL);
			check(inside || strstr(fault, bounds[i].key));
		}
	check_equal(parse("{\"num\":-1}"), -EINVAL);
	check_equal(parse("{\"blockcount\":1e30}"), -EINVAL);
	check_equal(parse("{\"bandwidth\":\"fast\"}"), -EINVAL);
}

test(a_fault_tells_the_bounds)
{
	check_equal(parse("{\"parallel\":129}"), -EINVAL);
	check_string(fault, "parameters:1:13: parallel must be a number from 1 to 128");
	check_equal(parse("{\"udp\":true,\"len\":15}"), -EINVAL);
	check_string(fault, "len must be from 16 to 65507 with UDP");
	check_equal(parse("{\"congestion\":\"0123456789abcdef\"}"), -EINVAL);
	check_string(fault, "parameters:1:15: congestion must be a text of at most 15 bytes");
}

test(what_cannot_be_run_is_refused)
{
	static const char *const bad[] = { "", "[]", "3", "{", "{\"tcp\":true", "{\"sctp\":true}", "{\"reverse\":true,\"bidirectional\":true}", "\xff\xfe" };

	for (unsigned i = 0; i < COUNT_OF(bad); i++) {
		check_equal(parse(bad[i]), -EINVAL);
		check(*fault);
	}
}

test(parameters_are_written_as_3_21_writes_them)
{
	const struct net_test test = { .protocol = NET_TCP, .streams = 1, .time_ns = SECONDS(1), .length_bytes = 131072 };

	check_string(written(&test, ""), "{\"tcp\":true,\"omit\":0,\"time\":1,\"num\":0,\"blockcount\":0,\"parallel\":1,\"len\":131072,\"pacing_timer\":1000,"
	             "\"client_version\":\"3.21\"}");
}

test(parameters_come_back_as_they_went)
{
	const struct net_test test = {
		.protocol = NET_UDP, .reverse = true, .streams = 3, .time_ns = MS(1500), .omit_ns = MS(100), .length_bytes = 1400, .rate_bit_per_s = 12345678,
		.burst = 9, .fq_rate_bit_per_s = 7, .window_bytes = 65536, .tos = 32, .flow_label = 9, .counters_64bit = true, .repeating_payload = true,
		.dont_fragment = true, .get_server_output = true, .congestion = "bbr", .send = NET_SEND_SPLICE, .receive = NET_RECEIVE_DROP, .server_cpu = 2,
	};
	char first[2000];

	check_equal(parse(written(&test, "a \"title\"")), 0);
	check(asked.time_ns == SECONDS(2) && asked.omit_ns == SECONDS(1) && asked.protocol == NET_UDP && asked.reverse && asked.server_cpu == 2);
	text_copy(first, sizeof first, buffer);
	check_string(written(&asked, "a \"title\""), first);
}

test(a_test_by_bytes_has_no_time)
{
	const struct net_test test = { .protocol = NET_TCP, .streams = 1, .time_ns = SECONDS(9), .bytes = 5, .length_bytes = 1 };

	check_equal(parse(written(&test, NULL)), 0);
	check(!asked.time_ns && asked.bytes == 5);
}

/* ---- numbers ---- */

static int64_t number_of(const char *json, unsigned decimals)
{
	int64_t value = -77;

	check_equal(json_parse(&scratch, "n", json, strlen(json), fault, sizeof fault), 0);
	return iperf_number(&scratch, 0, decimals, &value) == -ERANGE ? -99 : value;
}

test(numbers_as_cjson_writes_them)
{
	check_equal(number_of("0", 0), 0);
	check_equal(number_of("-1", 0), -1);
	check_equal(number_of("1e+15", 0), 1000000000000000);
	check_equal(number_of("1.23456789012345e+18", 0), 1234567890123450000);
	check_equal(number_of("9223372036854775807", 0), 9223372036854775800); /* eighteen digits, as a double */
	check_equal(number_of("1e30", 0), -99);
	check_equal(number_of("1e99999999999", 0), -99);
	check_equal(number_of("1e-99999999999", 9), 0);
	check_equal(number_of("0e99999999999", 9), 0);
	check_equal(number_of("2.1734500000000002e-05", 9), 21734);
	check_equal(number_of("0.000012345", 9), 12345);
	check_equal(number_of("43.21", 4), 432100);
	check_equal(number_of("1.0000019999999999", 9), 1000001999);
	check_equal(number_of("-0.5", 1), -5);
	check_equal(number_of("\"1\"", 0), -77);
}

/* ---- results ---- */

static void two_streams(bool first_sends, bool second_sends)
{
	memset(&result, 0, sizeof result);
	result.stream_count = 2;
	result.streams[0] = (struct net_stream_result){ .id = 1, .sends = first_sends };
	result.streams[1] = (struct net_stream_result){ .id = 3, .sends = second_sends };
}

static int parse_results(const char *json)
{
	*fault = '\0';
	return iperf_results_parse(&scratch, json, strlen(json), &result, fault, sizeof fault);
}

test(results_of_3_12)
{
	two_streams(true, true);
	check_equal(parse_results("{\"cpu_util_total\":12.5,\"cpu_util_user\":2.25,\"cpu_util_system\":10.25,\"sender_has_retransmits\":-1,"
	                          "\"congestion_used\":\"cubic\",\"server_output_text\":\"a\\nb\",\"streams\":[{\"id\":1,\"bytes\":1000,\"retransmits\":-1,\"jitter\":0,"
	                          "\"errors\":0,\"packets\":0,\"start_time\":0,\"end_time\":1.000123},{\"id\":3,\"bytes\":5e15,\"retransmits\":-1,"
	                          "\"jitter\":2.5e-05,\"errors\":10,\"packets\":110,\"start_time\":0.5,\"end_time\":1.5}]}"), 0);
	check(result.peer_told && result.peer_cpu_total_ppm == 125000 && result.peer_cpu_user_ppm == 22500 && result.peer_cpu_system_ppm == 102500);
	check_string(result.peer_congestion, "cubic");
	check_string(result.server_output, "a\nb");
	check(result.streams[0].there.told && result.streams[0].there.bytes == 1000 && result.streams[0].there.elapsed_ns == 1000123000);
	check(!result.streams[0].there.has_retransmits);
	check(result.streams[1].there.bytes == 5000000000000000 && result.streams[1].there.jitter_ns == 25000);
	check(result.streams[1].there.datagrams == 100 && result.streams[1].there.errors == 10 && result.streams[1].there.elapsed_ns == SECONDS(1));
}

test(results_of_3_21_with_what_was_omitted)
{
	two_streams(true, false);
	check_equal(parse_results("{\"cpu_util_total\":1,\"cpu_util_user\":1,\"cpu_util_system\":0,\"sender_has_retransmits\":1,\"streams\":["
	                          "{\"id\":1,\"bytes\":5,\"retransmits\":-1,\"jitter\":0,\"errors\":12,\"omitted_errors\":2,\"packets\":120,\"omitted_packets\":20},"
	                          "{\"id\":3,\"bytes\":6,\"retransmits\":4,\"jitter\":0,\"errors\":0,\"omitted_errors\":0,\"packets\":120,\"omitted_packets\":20}]}"), 0);
	check(result.streams[0].there.datagrams == 90 && result.streams[0].there.errors == 10 && result.streams[0].there.omitted_datagrams == 18);
	check(result.streams[1].there.datagrams == 100 && result.streams[1].there.omitted_datagrams == 20);
	check(result.streams[1].there.has_retransmits && result.streams[1].there.retransmits == 4);
}

test(results_of_3_1_have_no_times)
{
	two_streams(true, false);
	result.streams[1].here.omitted_datagrams = 7;
	check_equal(parse_results("{\"cpu_util_total\":1,\"cpu_util_user\":1,\"cpu_util_system\":0,\"sender_has_retransmits\":-1,\"streams\":["
	                          "{\"id\":3,\"bytes\":6,\"retransmits\":0,\"jitter\":0,\"errors\":0,\"packets\":107}]}"), 0);
	check(!result.streams[0].there.told && result.streams[1].there.told && !result.streams[1].there.elapsed_ns);
	check(result.streams[1].there.datagrams == 100 && result.streams[1].there.omitted_datagrams == 7);
}

#define TOP "\"cpu_util_total\":1,\"cpu_util_user\":1,\"cpu_util_system\":0,\"sender_has_retransmits\":1"
#define STREAM "\"bytes\":1,\"retransmits\":0,\"jitter\":0,\"errors\":0"

test(results_that_are_not_whole_are_refused)
{
	static const struct { const char *json, *fault; } bad[] = {
		{ "", "1:1" }, { "[]", "object" }, { "{}", "cpu_util_total" }, { "{" TOP "}", "streams must be an array" },
		{ "{\"cpu_util_total\":null,\"streams\":[]}", "cpu_util_total must be a number" },
		{ "{" TOP ",\"streams\":[3]}", "a stream must be an object" },
		{ "{" TOP ",\"streams\":[{\"id\":2," STREAM ",\"packets\":0}]}", "there is no stream 2" },
		{ "{" TOP ",\"streams\":[{\"id\":1," STREAM "}]}", "packets must be a number" },
		{ "{" TOP ",\"streams\":[{\"id\":1," STREAM ",\"packets\":\"1\"}]}", "packets must be a number" },
		{ "{" TOP ",\"streams\":[{\"id\":1," STREAM ",\"packets\":1,\"omitted_packets\":0}]}", "go together" },
		{ "{" TOP ",\"streams\":[{" STREAM ",\"packets\":1}]}", "id must be a number" },
	};

	for (unsigned i = 0; i < COUNT_OF(bad); i++) {
		two_streams(true, false);
		check_equal(parse_results(bad[i].json), -EINVAL);
		check(strstr(fault, bad[i].fault));
		check(!result.peer_told);
	}
}

test(figures_that_cannot_be_are_nothing)
{
	two_streams(true, false);
	check_equal(parse_results("{" TOP ",\"streams\":[{\"id\":1,\"bytes\":-5,\"retransmits\":-1,\"jitter\":-1,\"errors\":9,\"packets\":3}]}"), 0);
	check(!result.streams[0].there.bytes && !result.streams[0].there.datagrams && !result.streams[0].there.jitter_ns);
}

test(results_of_a_sender_and_a_receiver)
{
	struct text text = TEXT(buffer);

	two_streams(true, false);
	result.user_ns = MS(25);
	result.system_ns = MS(100);
	result.elapsed_ns = SECONDS(2);
	result.streams[0].here = (struct net_end){ .bytes = 10, .retransmits = 3, .has_retransmits = true };
	result.streams[1].here = (struct net_end){ .bytes = 20, .datagrams = 5, .errors = 2, .omitted_datagrams = 4, .jitter_ns = 1234, .elapsed_ns = MS(1999) };
	text_copy(result.streams[0].state.congestion, 16, "cubic");
	iperf_results_write(&result, SECONDS(1), "x\n", &text);
	check_string(buffer, "{\"cpu_util_total\":12.5000,\"cpu_util_user\":2.5000,\"cpu_util_system\":10.0000,\"sender_has_retransmits\":1,"
	             "\"congestion_used\":\"cubic\",\"server_output_text\":\"x\\n\",\"streams\":["
	             "{\"id\":1,\"bytes\":10,\"retransmits\":3,\"jitter\":0.000000000,\"errors\":0,\"omitted_errors\":0,\"packets\":0,\"omitted_packets\":0,"
	             "\"start_time\":0,\"end_time\":2.000000000},"
	             "{\"id\":3,\"bytes\":20,\"retransmits\":-1,\"jitter\":0.000001234,\"errors\":2,\"omitted_errors\":0,\"packets\":11,\"omitted_packets\":4,"
	             "\"start_time\":0,\"end_time\":1.999000000}]}");
}

test(a_pure_receiver_has_no_retransmits)
{
	struct text text = TEXT(buffer);

	two_streams(false, false);
	iperf_results_write(&result, SECONDS(1), NULL, &text);
	check(strstr(buffer, "\"sender_has_retransmits\":-1"));
	check(!strstr(buffer, "server_output"));
}

test(the_most_streams_fit)
{
	struct text text = TEXT(buffer);
	uint64_t large = INT64_MAX / 1000;

	memset(&result, 0, sizeof result);
	result.stream_count = 2 * MAX_NET_STREAMS;
	for (unsigned i = 0; i < result.stream_count; i++) {
		result.streams[i].id = iperf_stream_id(i);
		result.streams[i].sends = i >= MAX_NET_STREAMS;
		result.streams[i].here = (struct net_end){ .bytes = large, .datagrams = large, .omitted_datagrams = large, .jitter_ns = large, .elapsed_ns = large };
	}
	iperf_results_write(&result, SECONDS(1), NULL, &text);
	check(!text.cut);
	check_equal(parse_results(buffer), 0);
	check(result.streams[255].there.told && result.streams[255].id == 257);
}

/* ---- cookies, greetings, words ---- */

test(cookies_are_of_their_alphabet)
{
	char a[IPERF_COOKIE], b[IPERF_COOKIE];

	check_equal(iperf_cookie_make(a), 0);
	check_equal(iperf_cookie_make(b), 0);
	check_equal(strlen(a), 36);
	check_equal(strspn(a, "abcdefghijklmnopqrstuvwxyz234567"), 36);
	check(strcmp(a, b));
	check(iperf_cookie_is_valid(a));
	check(iperf_cookie_is_valid("host.1465211142.123456.3a5e1f2200000")); /* 3.1 */
	a[4] = '\n';
	check(!iperf_cookie_is_valid(a));
	b[36] = 'a';
	check(!iperf_cookie_is_valid(b));
}

test(stream_ids_leave_two_out)
{
	check_equal(iperf_stream_id(0), 1);
	check_equal(iperf_stream_id(1), 3);
	check_equal(iperf_stream_id(2), 4);
}

test(greetings_of_all_generations_and_byte_orders)
{
	static const char *const greetings[] = { "\x39\x38\x37\x36", "\x36\x37\x38\x39", "\x15\xCD\x5B\x07", "\x07\x5B\xCD\x15" };
	static const char *const answers[] = { "\x36\x37\x38\x39", "\x39\x38\x37\x36", "\xB1\x68\xDE\x3A", "\x3A\xDE\x68\xB1" };

	for (unsigned i = 0; i < 4; i++) {
		check(iperf_is_udp_greeting((const unsigned char *)greetings[i]));
		check(iperf_is_udp_answer((const unsigned char *)answers[i]));
	}
	check(!iperf_is_udp_greeting((const unsigned char *)answers[2]));
	check(!iperf_is_udp_answer((const unsigned char *)greetings[2]));
	check(!memcmp(iperf_udp_greeting, "9876", 4) && !memcmp(iperf_udp_answer, "6789", 4));
}

test(errors_have_words)
{
	check_string(iperf_error_word(IPERF_E_DURATION), "the test's time is over the server's maximum");
	check(!iperf_error_word(999));
}

/* ---- on a connection ---- */

static int ends[2];

static uint64_t soon(void)
{
	return clock_now_ns() + MS(100);
}

static void connect_ends(void)
{
	check_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
}

static void close_ends(void)
{
	sys_close(ends[0]);
	sys_close(ends[1]);
}

test(states_and_json_in_one_segment)
{
	size_t length = 0;
	int state = 0;

	connect_ends();
	check_equal(sys_write_all(ends[0], "\x09\0\0\0\x02{}\xff\xfe", 9), 0);
	check_equal(iperf_receive_state(ends[1], &state, soon()), 0);
	check_equal(state, IPERF_PARAM_EXCHANGE);
	check_equal(iperf_receive_json(ends[1], buffer, 2, &length, soon()), 0);
	check(length == 2 && !memcmp(buffer, "{}", 2));
	check_equal(iperf_receive_state(ends[1], &state, soon()), 0);
	check_equal(state, IPERF_ACCESS_DENIED);
	check_equal(iperf_receive_state(ends[1], &state, soon()), 0);
	check_equal(state, IPERF_SERVER_ERROR);
	close_ends();
}

test(what_is_sent)
{
	connect_ends();
	check_equal(iperf_send_state(ends[0], IPERF_SERVER_ERROR, soon()), 0);
	check_equal(iperf_send_json(ends[0], "{}", 2, soon()), 0);
	check_equal(sys_read(ends[1], buffer, 20), 7);
	check(!memcmp(buffer, "\xfe\0\0\0\x02{}", 7));
	close_ends();
}

test(silent_ended_and_too_long)
{
	size_t length = 0;
	int state = 0;

	connect_ends();
	check_equal(iperf_receive_state(ends[1], &state, clock_now_ns() + MS(5)), -ETIMEDOUT);
	check_equal(sys_write_all(ends[0], "\xff\xff\xff\xff", 4), 0);
	check_equal(iperf_receive_json(ends[1], buffer, sizeof buffer, &length, soon()), -EMSGSIZE);
	check_equal(sys_write_all(ends[0], "\0\0\0\x05{", 5), 0);
	check_equal(iperf_receive_json(ends[1], buffer, sizeof buffer, &length, clock_now_ns() + MS(5)), -ETIMEDOUT);
	sys_close(ends[0]);
	check_equal(iperf_receive_state(ends[1], &state, soon()), -EPIPE);
	sys_close(ends[1]);
}
