/*
 * Unit tests of src/net/client*.c: against a server that goes silent, closes, talks nonsense, is busy, is in error or lies, in every phase.
 */
#include <errno.h>

#include "net/client.h"
#include "net_scripted.h"
#include "test.h"

#define NUMBERS "\"cpu_util_total\":1.5,\"cpu_util_user\":0.5,\"cpu_util_system\":1,\"sender_has_retransmits\":-1"
#define COUNTS(id, bytes) "{\"id\":" id ",\"bytes\":" bytes ",\"retransmits\":-1,\"jitter\":0,\"errors\":0,\"packets\":0}"
#define OLD_RESULTS "{" NUMBERS ",\"streams\":[" COUNTS("1", "@") "]}" /* as 3.1's */

static struct net_result result;
static struct client_job job;

static void ordinary_job(void)
{
	job = (struct client_job){ .test = { .streams = 1, .time_ns = MS(100), .length_bytes = 16384, .rate_bit_per_s = 80000000 },
	                           .connect_timeout_ns = MS(400), .patience_ns = MS(250), .title = "" };
}

/* ---- every phase, every ending ---- */

static const struct act good[] = {
	{ .kind = DO_COOKIE },                                   /* 0: behind it, the client waits to be taken */
	{ DO_SAY, IPERF_PARAM_EXCHANGE, NULL }, { .kind = DO_JSON }, /* 2: parameters are told */
	{ DO_SAY, IPERF_CREATE_STREAMS, NULL }, { DO_STREAMS, 1, NULL }, /* 4: streams are there */
	{ DO_SAY, IPERF_TEST_START, NULL }, { DO_SAY, IPERF_TEST_RUNNING, NULL }, /* 6: it runs */
	{ .kind = DO_SINK },                                     /* 7: the client has told the end */
	{ DO_SAY, IPERF_EXCHANGE_RESULTS, NULL }, { .kind = DO_JSON }, /* 9: its results are there */
	{ DO_RESULTS, 0, OLD_RESULTS },                          /* 10: and ours */
	{ DO_SAY, IPERF_DISPLAY_RESULTS, NULL }, { .kind = DO_END },
};

/* So many acts of the good script, then this ending. */
static uint64_t play_until(unsigned acts, struct act ending)
{
	static struct act script[COUNT_OF(good) + 2];

	memcpy(script, good, acts * sizeof *script);
	script[acts] = ending;
	script[acts + 1] = (struct act){ .kind = DO_SILENT };
	ordinary_job();
	job.test.time_ns = MS(40);
	return play(script, &job, &result);
}

static const struct { unsigned acts; enum net_phase phase, when_silent; } stations[] = {
	{ 1, NET_COOKIE, NET_COOKIE }, { 3, NET_PARAMETERS, NET_PARAMETERS }, { 5, NET_START, NET_START }, { 6, NET_START, NET_START },
	{ 7, NET_RUNNING, NET_STOP }, { 8, NET_STOP, NET_STOP }, { 10, NET_RESULTS, NET_RESULTS }, { 11, NET_RESULTS, NET_RESULTS },
};

static void check_fault(unsigned station, enum net_phase phase, int err, const char *word)
{
	if (result.phase != phase || result.blame != NET_PEER || (err && result.error != err) || !strstr(result.fault, word) ||
	    !strstr(result.fault, net_phase_word(phase))) {
		printf("# station %u: phase %d, blame %d, error %d: %s\n", station, result.phase, result.blame, result.error, result.fault);
		check(!"the phase, the blame and the cause are told");
	}
}

#define at_every_station(ending) for (unsigned i = 0; i < COUNT_OF(stations); i++) for (uint64_t took_ns = play_until(stations[i].acts, ending), once = 1; once; once = 0)

test(a_server_that_goes_silent_ends_each_phase_within_its_patience)
{
	at_every_station(((struct act){ .kind = DO_SILENT })) {
		check_fault(i, stations[i].when_silent, -ETIMEDOUT, "silent for 250 ms");
		check(took_ns >= MS(250) && took_ns < client_longest_ns(&job));
		check(took_ns < SECONDS(2));
	}
}

test(a_server_that_closes_is_told_in_each_phase)
{
	at_every_station(((struct act){ .kind = DO_CLOSE })) {
		check_fault(i, stations[i].phase, 0, "closed the connection");
		check(took_ns < SECONDS(2));
	}
}

test(a_server_that_resets_is_told_in_each_phase)
{
	at_every_station(((struct act){ .kind = DO_RESET })) {
		check_fault(i, stations[i].phase, 0, "closed the connection");
		check(took_ns < SECONDS(2));
	}
}

test(a_busy_server_is_told_in_each_phase)
{
	at_every_station(((struct act){ DO_SAY, IPERF_ACCESS_DENIED, NULL })) {
		if (stations[i].acts == 10)
			continue; /* there a length is due: the first byte of one */
		check_fault(i, stations[i].phase, -EBUSY, "busy");
		check(took_ns < SECONDS(2));
	}
}

test(a_servers_error_is_put_into_words_in_each_phase)
{
	at_every_station(((struct act){ DO_ERROR, IPERF_E_DURATION, NULL })) {
		if (stations[i].acts == 10)
			continue;
		check_fault(i, stations[i].phase, -EREMOTEIO, "over the server's maximum (its error 37, ENOMEM");
		check(took_ns < SECONDS(2));
	}
}

test(a_server_that_is_stopped_is_told_in_each_phase)
{
	at_every_station(((struct act){ DO_SAY, IPERF_SERVER_TERMINATE, NULL })) {
		if (stations[i].acts == 10)
			continue;
		check_fault(i, stations[i].phase, -ECONNABORTED, "was stopped");
		check(took_ns < SECONDS(2));
	}
}

test(nonsense_is_told_in_each_phase)
{
	at_every_station(((struct act){ DO_BYTES, 200, NULL })) {
		check_fault(i, stations[i].phase, -EPROTO, i == 0 ? "does not speak iperf3: it says \"XXXX" : stations[i].acts == 10 ? "1482184792 bytes" : "state 88");
		check(took_ns < SECONDS(2));
	}
}

/* ---- the first words ---- */

static void first_words(const struct act *script, enum net_phase phase, int err, const char *word)
{
	ordinary_job();
	play(script, &job, &result);
	check_fault(0, phase, err, word);
}

test(a_busy_server_that_closes_without_reading_is_busy)
{
	static const struct act script[] = { { DO_SAY, IPERF_ACCESS_DENIED, NULL }, { .kind = DO_CLOSE } };

	for (int i = 0; i < 20; i++)
		first_words(script, NET_COOKIE, -EBUSY, "busy with another test");
}

test(other_services_are_recognised)
{
	static const struct act ssh[] = { { DO_BYTES, 0, "SSH-2.0-OpenSSH_9.2p1\r\n" }, { .kind = DO_SILENT } };
	static const struct act web[] = { { .kind = DO_COOKIE }, { DO_BYTES, 0, "HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n" }, { .kind = DO_CLOSE } };

	first_words(ssh, NET_COOKIE, -EPROTO, "it does not speak iperf3: it says \"SSH-2.0-OpenSSH_9.2p1\"");
	first_words(web, NET_COOKIE, -EPROTO, "it does not speak iperf3: it says \"HTTP/1.1 400 Bad Request\"");
}

test(nobody_there_is_refused)
{
	uint16_t port = 0;
	int fd = listen_at(SOCK_STREAM, &port);

	close(fd);
	ordinary_job();
	job.peer = address_loopback(NET_V4, port);
	check_equal(client_run(&job, &result), -ECONNREFUSED);
	check_fault(0, NET_CONNECT, -ECONNREFUSED, "nothing listens there");
	check_equal(result.stream_count, 0);
}

/* A listener whose queue is full drops whoever comes, as a host that is off or a firewall does. */
test(no_answer_ends_with_the_connect_timeout)
{
	uint16_t port = 0;
	uint64_t start_ns;
	int fd = listen_at(SOCK_STREAM, &port), fill[3];

	listen(fd, 0);
	ordinary_job();
	job.peer = address_loopback(NET_V4, port);
	for (int i = 0; i < 3; i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(fill[i], &job.peer.any, job.peer.length);
	}
	start_ns = clock_now_ns();
	check_equal(client_run(&job, &result), -ETIMEDOUT);
	check(clock_now_ns() - start_ns < SECONDS(2));
	check_fault(0, NET_CONNECT, -ETIMEDOUT, "no answer in 400 ms");
	for (int i = 0; i < 3; i++)
		close(fill[i]);
	close(fd);
}

test(an_address_that_is_not_here_is_ours_and_an_interface_the_links)
{
	ordinary_job();
	job.peer = address_loopback(NET_V4, 9);
	job.bind = address_loopback(NET_V4, 0);
	job.bind.v4.sin_addr.s_addr = htonl(0xc0000201); /* 192.0.2.1 */
	check_equal(client_run(&job, &result), -EADDRNOTAVAIL);
	check_equal(result.blame, NET_OURS);
	check(strstr(result.fault, "not on this machine"));
	ordinary_job();
	job.peer = address_loopback(NET_V4, 9);
	strcpy(job.device, "nonesuch0");
	check_equal(client_run(&job, &result), -ENODEV);
	check_equal(result.blame, NET_LINK);
	check_equal(result.phase, NET_CONNECT);
}

test(an_option_that_the_kernel_refuses_is_ours)
{
	static const struct act script[] = { { .kind = DO_COOKIE }, { DO_SAY, IPERF_PARAM_EXCHANGE, NULL }, { .kind = DO_JSON },
	                                     { DO_SAY, IPERF_CREATE_STREAMS, NULL }, { .kind = DO_SILENT } };

	ordinary_job();
	strcpy(job.test.congestion, "nonesuch");
	play(script, &job, &result);
	check_equal(result.phase, NET_STREAMS);
	check_equal(result.blame, NET_OURS);
	check(strstr(result.fault, "congestion control"));
}

/* ---- going well ---- */

static void play_good(const char *results)
{
	static struct act script[COUNT_OF(good)];

	memcpy(script, good, sizeof good);
	script[10].text = results;
	ordinary_job();
	play(script, &job, &result);
}

static void check_done(void)
{
	if (*result.fault)
		printf("# %s\n", result.fault);
	check_equal(result.phase, NET_DONE);
	check_equal(result.blame, NET_NOBODY);
	check_equal(result.error, 0);
}

test(a_servers_results_of_every_version_are_read)
{
	static const char *const versions[] = {
		OLD_RESULTS,
		/* 3.12 */
		"{\"cpu_util_total\":0.78,\"cpu_util_user\":0,\"cpu_util_system\":0.78,\"sender_has_retransmits\":18446744073709551615,\"streams\":[{\"id\":1,\"bytes\":@,"
		"\"retransmits\":18446744073709551615,\"jitter\":0,\"errors\":0,\"packets\":0,\"start_time\":0,\"end_time\":1.000592}]}",
		/* 3.21 */
		"{" NUMBERS ",\"congestion_used\":\"cubic\",\"from_the_future\":{\"a\":[1,2]},\"streams\":[{\"id\":1,\"bytes\":@,\"retransmits\":-1,\"jitter\":0,\"errors\":0,"
		"\"omitted_errors\":0,\"packets\":0,\"omitted_packets\":0,\"start_time\":0,\"end_time\":1.000111,\"more\":null}]}",
	};

	for (unsigned i = 0; i < COUNT_OF(versions); i++) {
		play_good(versions[i]);
		check_done();
		check(result.peer_told && result.streams[0].there.told);
		check_equal(result.streams[0].there.bytes, server.bytes);
		check(result.streams[0].here.bytes > 0);
		check(!result.streams[0].there.has_retransmits);
	}
	check_string(result.peer_congestion, "cubic");
}

test(what_the_server_is_told_is_the_test_and_its_results)
{
	char bytes[40];

	play_good(OLD_RESULTS);
	check_done();
	check(strstr(server.parameters, "\"tcp\":true"));
	check(strstr(server.parameters, "\"len\":16384"));
	sprintf(bytes, "\"bytes\":%llu", (unsigned long long)result.streams[0].here.bytes);
	check(strstr(server.results, bytes));
	check_equal(strlen(result.cookie), 36);
	check(result.mss_default > 500 || !result.mss_default); /* qemu does not tell */
	check_equal(address_port(&result.control_peer), address_port(&job.peer));
}

test(states_may_come_together_and_behind_json)
{
	static const char both[] = { IPERF_TEST_START, IPERF_TEST_RUNNING, 0 };
	static struct act script[COUNT_OF(good)];

	memcpy(script, good, sizeof good);
	script[5] = (struct act){ DO_BYTES, 0, both };
	script[6] = (struct act){ DO_WAIT, 0, NULL };
	ordinary_job();
	play(script, &job, &result);
	check_done();
}

test(the_server_sends_when_the_test_is_reversed)
{
	static struct act script[COUNT_OF(good) + 1];

	memcpy(script, good, sizeof good);
	script[7].kind = DO_SOURCE;
	script[10].text = "{" NUMBERS ",\"streams\":[" COUNTS("1", "100000000") "]}";
	ordinary_job();
	job.test.reverse = true;
	play(script, &job, &result);
	check_done();
	check(!result.streams[0].sends && result.streams[0].here.bytes > 0);
	check(strstr(server.parameters, "\"reverse\":true"));
}

test(a_trickle_that_would_never_come_to_its_end_is_ended)
{
	static struct act script[COUNT_OF(good) + 1];

	memcpy(script, good, sizeof good);
	script[7] = (struct act){ DO_TRICKLE, 200, NULL };
	script[8].kind = DO_SILENT;
	ordinary_job();
	job.test.reverse = true;
	job.test.bytes = 1000000;
	check(play(script, &job, &result) < SECONDS(6));
	check_fault(0, NET_RUNNING, -ETIME, "so slow");
	check(result.streams[0].here.bytes > 0 && result.streams[0].here.bytes < 200);
	check(client_longest_ns(&job) < SECONDS(20));
}

/* ---- lies ---- */

static void lie(const char *results, const char *word)
{
	play_good(results);
	check_fault(0, NET_RESULTS, 0, word);
	check(result.streams[0].here.bytes > 0); /* what was measured stays */
}

test(results_that_cannot_be_are_refused)
{
	lie("{" NUMBERS ",\"streams\":[" COUNTS("1", "9000000000000") "]}", "bytes came by stream 1, of");
	lie("{" NUMBERS ",\"streams\":[]}", "leave out stream 1");
	lie("{" NUMBERS ",\"streams\":[" COUNTS("1", "@") "," COUNTS("7", "@") "]}", "no stream 7");
	lie("{" NUMBERS ",\"streams\":[" COUNTS("1", "0") "]}", "not one byte came through");
	lie("{" NUMBERS "}", "streams must be an array");
	lie("{\"streams\":[" COUNTS("1", "@") "]}", "cpu_util_total must be a number");
	lie("{" NUMBERS ",\"streams\":[{\"id\":1,\"bytes\":\"many\"}]}", "bytes must be a number");
	lie("[1]", "no JSON object");
	lie("hello", "cannot be used");
	lie("", "cannot be used");
}

test(oversized_results_are_refused_by_their_length)
{
	play_until(10, (struct act){ DO_BYTES, 0, "\x7f\x7f\x7f\x7f" });
	check_fault(0, NET_RESULTS, -EPROTO, "2139062143 bytes");
}

/* ---- both ways ---- */

test(a_server_that_ignores_both_ways_is_recognised)
{
	static const struct act closes[] = {
		{ .kind = DO_COOKIE }, { DO_SAY, IPERF_PARAM_EXCHANGE, NULL }, { .kind = DO_JSON }, { DO_SAY, IPERF_CREATE_STREAMS, NULL }, { DO_STREAMS, 2, NULL },
		{ DO_SAY, IPERF_TEST_START, NULL }, { DO_SAY, IPERF_TEST_RUNNING, NULL }, { .kind = DO_CLOSE_STREAMS }, { .kind = DO_SILENT },
	};
	static const struct act leaves[] = {
		{ .kind = DO_COOKIE }, { DO_SAY, IPERF_PARAM_EXCHANGE, NULL }, { .kind = DO_JSON }, { DO_SAY, IPERF_CREATE_STREAMS, NULL }, { DO_STREAMS, 2, NULL },
		{ DO_SAY, IPERF_TEST_START, NULL }, { DO_SAY, IPERF_TEST_RUNNING, NULL }, { .kind = DO_SINK }, { DO_SAY, IPERF_EXCHANGE_RESULTS, NULL },
		{ .kind = DO_JSON }, { DO_RESULTS, 0, OLD_RESULTS }, { DO_SAY, IPERF_DISPLAY_RESULTS, NULL }, { .kind = DO_END },
	};

	ordinary_job();
	job.test.bidirectional = true;
	play(closes, &job, &result);
	check_fault(0, NET_RUNNING, -EOPNOTSUPP, "before 3.7");
	play(leaves, &job, &result);
	check_fault(0, NET_RESULTS, -EOPNOTSUPP, "before 3.7");
	check(result.streams[0].sends && !result.streams[1].sends);
	check_equal(result.streams[1].id, 3);
}

/* ---- UDP ---- */

static void play_udp(const char *how, bool reverse)
{
	static struct act script[COUNT_OF(good)];

	memcpy(script, good, sizeof good);
	script[4] = (struct act){ DO_FLOWS, 2, how };
	script[10].text = "{" NUMBERS ",\"streams\":[" COUNTS("1", "1") "," COUNTS("3", "1") "]}";
	ordinary_job();
	job.test.protocol = NET_UDP;
	job.test.length_bytes = 1000;
	job.test.streams = 2;
	job.test.rate_bit_per_s = 8000000;
	job.test.reverse = reverse;
	play(script, &job, &result);
}

test(a_flow_of_datagrams_is_greeted_as_every_version_wants)
{
	play_udp("new", false);
	check_done();
	play_udp("old", false);
	check_done();
	check_equal(result.stream_count, 2);
}

test(a_lost_greeting_is_sent_again)
{
	play_udp("late", false);
	check_done();
}

test(stray_data_before_the_answer_is_passed_over)
{
	play_udp("stray", true);
	check_done();
}

test(no_answer_to_a_greeting_is_a_firewalls)
{
	static const struct act script[] = { { .kind = DO_COOKIE }, { DO_SAY, IPERF_PARAM_EXCHANGE, NULL }, { .kind = DO_JSON },
	                                     { DO_SAY, IPERF_CREATE_STREAMS, NULL }, { .kind = DO_SILENT } };

	ordinary_job();
	job.test.protocol = NET_UDP;
	job.test.length_bytes = 1000;
	check(play(script, &job, &result) < SECONDS(2));
	check_fault(0, NET_STREAMS, -ETIMEDOUT, "no answer over UDP");
}

test(a_refused_flow_ends_in_time)
{
	static const struct act script[] = { { .kind = DO_COOKIE }, { DO_SAY, IPERF_PARAM_EXCHANGE, NULL }, { .kind = DO_JSON },
	                                     { DO_SAY, IPERF_CREATE_STREAMS, NULL }, { DO_ERROR, 27, NULL }, { .kind = DO_SILENT } };

	ordinary_job();
	job.test.protocol = NET_UDP;
	job.test.length_bytes = 1000;
	check(play(script, &job, &result) < SECONDS(2));
	check_fault(0, NET_STREAMS, -EREMOTEIO, "the rate is over the server's limit");
}

/* ---- interrupted ---- */

static volatile int interrupted;

static void interrupt_at_once(void *context, uint64_t at_ns, bool omitted)
{
	(void)context;
	(void)at_ns;
	(void)omitted;
	interrupted = 1;
}

test(an_interruption_ends_the_test_and_is_told_to_the_server)
{
	ordinary_job();
	job.test.time_ns = SECONDS(20);
	job.interval_ns = MS(20);
	job.interrupted = &interrupted;
	job.note = interrupt_at_once;
	interrupted = 0;
	check(play(good, &job, &result) < SECONDS(3));
	check_equal(result.error, -EINTR);
	check_equal(result.blame, NET_NOBODY);
	check(result.interrupted);
}
