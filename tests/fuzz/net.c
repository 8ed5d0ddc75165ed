/*
 * net.c: what comes over the wire of a network test, made up and mutated: net json|server|client SEED SECONDS
 *
 * json: parameters and results.  Whatever the text, the parser returns 0 or -EINVAL with a fault; what it accepts is within the bounds.
 * server: server_run against peers that follow the protocol until they do not.  Every few of them our client must complete a test, and no
 * descriptor may stay.
 * client: client_run against such servers.  It ends within its own bound, and either all went well, or phase and fault are told.
 *
 * For a network namespace of its own (ports).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <dirent.h>
#include <unistd.h>

#include "lib/random.h"
#include "net/client.h"
#include "net/iperf.h"
#include "net/server.h"
#include "sys/clock.h"

enum { TEXT_MAX = 12000, PORT = 26001, MOST = 16 };

static struct random source;
static uint64_t end_ns, turns, good;

static unsigned below(size_t bound)
{
	return (unsigned)random_below(&source, bound);
}

static bool one_in(unsigned count)
{
	return !below(count);
}

static int fail(const char *what, const char *more)
{
	fprintf(stderr, "turn %llu: %s: %s\n", (unsigned long long)turns, what, more);
	return 1;
}

/* ---- texts ---- */

static char made[TEXT_MAX];
static size_t made_length;

static void put(size_t at, size_t removed, const char *word, size_t length)
{
	if (made_length - removed + length > TEXT_MAX)
		return;
	memmove(made + at + length, made + at + removed, made_length - at - removed);
	memcpy(made + at, word, length);
	made_length += length - removed;
}

/* A number, a bracket, a letter: whatever stands at a random place. */
static void mutate(void)
{
	static const char *const words[] = { "0", "-1", "1e99", "-1e-99", "1e+15", "18446744073709551615", "9223372036854775808", "0.5", "null", "true", "false",
		"\"\"", "\"x\"", "{}", "[]", "[[[[", "{\"a\":", ",", "}", "]", "\\u0000", "\xff", "128", "129", "\"tcp\":true,", "\"udp\":true,", "\"id\":1,", "," };
	const char *word = words[below(COUNT_OF(words))];
	size_t at = below(made_length + 1), length = strcspn(made + at, ",:{}[]\"");
	char byte = (char)below(256);

	if (at + length > made_length)
		length = made_length - at;
	switch (below(4)) {
	case 0: put(at, length, word, strlen(word)); break;
	case 1: put(at, at < made_length, &byte, 1); break;
	case 2: put(at, 0, word, strlen(word)); break;
	case 3:
		if (one_in(4))
			made_length = at;
		else
			put(at, made_length - at < 8 ? made_length - at : below(8), "", 0);
		break;
	}
}

static void make_parameters(unsigned mutations)
{
	static const char *const times[] = { "1", "1", "0", "86400", "86401" };
	struct text text = text_in(made, sizeof made - 1);
	bool udp = one_in(3);

	text_add_format(&text, "{\"%s\":true,\"omit\":%u,\"time\":%s,\"num\":%u,\"blockcount\":0,\"parallel\":%u,\"len\":%u", udp ? "udp" : "tcp", one_in(5),
	                times[below(5)], one_in(4) ? 100000 : 0, 1 + below(one_in(9) ? 128 : 3), 16 + below(60000));
	if (one_in(3))
		text_add(&text, one_in(2) ? ",\"reverse\":true" : ",\"bidirectional\":true");
	if (udp || one_in(3))
		text_add_format(&text, ",\"bandwidth\":%u", 1000000 + below(90000000));
	if (one_in(4))
		text_add_format(&text, ",\"MSS\":%u,\"window\":%u,\"nodelay\":true,\"congestion\":\"%s\"", 500 + below(2000), below(1 << 20), one_in(2) ? "reno" : "none");
	if (one_in(4))
		text_add(&text, ",\"get_server_output\":1,\"udp_counters_64bit\":1,\"repeating_payload\":1,\"zerocopy\":1,\"skip_rx_copy\":1,\"TOS\":16");
	text_add_format(&text, ",\"client_version\":\"%s\"}", one_in(2) ? "3.12" : "3.21");
	made_length = text.length;
	while (mutations--)
		mutate();
}

static void make_results(unsigned streams, unsigned mutations)
{
	struct text text = text_in(made, sizeof made - 1);

	text_add_format(&text, "{\"cpu_util_total\":%u.25,\"cpu_util_user\":1e-3,\"cpu_util_system\":0,\"sender_has_retransmits\":%d", below(100), (int)below(3) - 1);
	if (one_in(3))
		text_add(&text, ",\"congestion_used\":\"cubic\",\"server_output_text\":\"a\\nb\",\"server_output_json\":{\"a\":1,\"a\":[2]}");
	text_add(&text, ",\"streams\":[");
	for (unsigned i = 0; i < streams; i++) {
		text_add_format(&text, "%s{\"id\":%d,\"bytes\":%u,\"retransmits\":%d,\"jitter\":2.17e-05,\"errors\":%u,\"packets\":%u", i ? "," : "", iperf_stream_id(i),
		                below(1000000), (int)below(3) - 1, below(3), below(1000));
		text_add(&text, one_in(2) ? "}" : ",\"omitted_errors\":0,\"omitted_packets\":2,\"start_time\":0,\"end_time\":1.000123}");
	}
	text_add(&text, "]}");
	made_length = text.length;
	while (mutations--)
		mutate();
}

/* ---- json ---- */

static struct json scratch;
static struct net_result result;
static char fault[200];

static int parameters_are_sound(const char *block)
{
	struct net_test test;
	int err = iperf_parameters_parse(&scratch, block, made_length, &test, fault, sizeof fault);

	if (err)
		return err == -EINVAL && *fault ? 0 : fail("parameters without a fault", fault);
	good++;
	if (test.streams < 1 || test.streams > MAX_NET_STREAMS || test.time_ns > SECONDS(86400) || test.omit_ns > SECONDS(600) || !test.length_bytes ||
	    test.length_bytes > MIB || test.window_bytes > 512 * MIB || test.mss_bytes > 32767 || test.tos > 255 || test.burst > 1000 || test.server_cpu > 1025 ||
	    (test.reverse && test.bidirectional) || (test.protocol == NET_UDP && (test.length_bytes < 16 || test.length_bytes > 65507)))
		return fail("parameters beyond their bounds", "");
	return 0;
}

static int results_are_sound(const char *block)
{
	int err;

	memset(&result, 0, sizeof result);
	result.stream_count = below(5);
	for (unsigned i = 0; i < result.stream_count; i++)
		result.streams[i] = (struct net_stream_result){ .id = iperf_stream_id(i), .sends = one_in(2), .here.omitted_datagrams = below(3) };
	err = iperf_results_parse(&scratch, block, made_length, &result, fault, sizeof fault);
	if (err)
		return err == -EINVAL && *fault && !result.peer_told ? 0 : fail("results without a fault", fault);
	good++;
	for (unsigned i = 0; i < result.stream_count; i++)
		if ((int64_t)result.streams[i].there.bytes < 0 || (int64_t)result.streams[i].there.datagrams < 0)
			return fail("results beyond their bounds", "");
	return result.peer_told ? 0 : fail("results that nobody told", "");
}

static int fuzz_json(void)
{
	for (; clock_now_ns() < end_ns; turns++) {
		bool parameters = one_in(2);
		char *block;
		int wrong;

		*fault = '\0';
		if (parameters)
			make_parameters(below(4));
		else
			make_results(below(6), below(4));
		block = malloc(made_length ? made_length : 1); /* of its exact size, for the address sanitizer */
		memcpy(block, made, made_length);
		wrong = parameters ? parameters_are_sound(block) : results_are_sound(block);
		free(block);
		if (wrong)
			return 1;
	}
	return good ? 0 : fail("nothing was accepted", "");
}

/* ---- sockets of both fuzzed ends ---- */

static int held[MOST], held_count;

static int hold(int fd)
{
	if (fd >= 0 && held_count < MOST)
		held[held_count++] = fd;
	else if (fd >= 0)
		close(fd);
	return fd;
}

static void drop_all(void)
{
	const struct linger reset = { 1, 0 };

	while (held_count) {
		int at = (int)below((size_t)held_count), fd = held[at];

		held[at] = held[--held_count];
		if (one_in(4))
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		close(fd);
	}
}

static struct sockaddr_in local(unsigned port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int reach(int type, unsigned port)
{
	struct sockaddr_in address = local(port);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
		close(fd);
		return -1;
	}
	return hold(fd);
}

static void say(int fd, const void *bytes, size_t count)
{
	if (fd >= 0)
		send(fd, bytes, one_in(40) ? below(count + 1) : count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_state(int fd, int state)
{
	signed char byte = (signed char)(one_in(12) ? (int)below(256) - 128 : state);

	if (!one_in(30))
		say(fd, &byte, 1);
}

static void say_made(int fd)
{
	unsigned told = one_in(20) ? below(1 << 30) : (unsigned)made_length;
	unsigned length = htonl(one_in(40) ? below(20) : told);

	say(fd, &length, sizeof length);
	say(fd, made, made_length);
}

/* What has come within ms, at most size. */
static int hear(int fd, char *bytes, size_t size, int ms)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	if (fd < 0 || poll(&ready, 1, ms) <= 0)
		return 0;
	return (int)recv(fd, bytes, size, MSG_DONTWAIT);
}

/* Does state come, whatever comes before it? */
static bool hear_state(int fd, int state, int ms)
{
	char byte = 0;

	for (unsigned i = 0; i < 600 && hear(fd, &byte, 1, ms) == 1; i++)
		if (byte == (char)state)
			return true;
	return false;
}

static void say_noise(int fd)
{
	char noise[3000];

	for (unsigned i = 0; i < sizeof noise; i++)
		noise[i] = (char)random_next(&source);
	say(fd, noise, below(sizeof noise));
}

static unsigned count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* ---- the server, fuzzed ---- */

static char cookie[IPERF_COOKIE];

static void send_data(int fd)
{
	static char block[60000];

	for (unsigned i = below(20); i; i--)
		send(fd, block, below(sizeof block), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void open_streams(unsigned streams)
{
	for (unsigned i = 0; i < streams; i++) {
		bool udp = one_in(3);
		int fd = reach(udp ? SOCK_DGRAM : SOCK_STREAM, PORT);
		char answer[100];

		if (fd < 0)
			return;
		if (udp) {
			say(fd, iperf_udp_greeting, 4);
			if (one_in(4))
				say_noise(fd);
			hear(fd, answer, sizeof answer, 5);
		} else {
			say(fd, cookie, IPERF_COOKIE);
			if (one_in(10))
				send_data(fd);
		}
	}
}

static void finish_test(int control)
{
	say_state(control, IPERF_TEST_END);
	if (hear_state(control, IPERF_EXCHANGE_RESULTS, 400) || one_in(3)) {
		make_results(1 + below(3), one_in(2) ? below(3) : 0);
		say_made(control);
		hear_state(control, IPERF_DISPLAY_RESULTS, 50);
	}
	say_state(control, IPERF_DONE);
}

static void play_client(void)
{
	int control = reach(SOCK_STREAM, PORT);

	iperf_cookie_make(cookie);
	if (one_in(20))
		cookie[below(IPERF_COOKIE)] = (char)below(256);
	say(control, cookie, IPERF_COOKIE);
	if (!hear_state(control, IPERF_PARAM_EXCHANGE, 30) && !one_in(3))
		return;
	make_parameters(one_in(2) ? below(3) : 0);
	say_made(control);
	if (!hear_state(control, IPERF_CREATE_STREAMS, 30) && !one_in(3))
		return;
	open_streams(1 + below(4));
	if (hear_state(control, IPERF_TEST_RUNNING, 30) || one_in(3))
		for (int i = 1; i < held_count; i++)
			send_data(held[i]);
	if (one_in(10))
		say_noise(control);
	if (one_in(10))
		shutdown(control, one_in(2) ? SHUT_WR : SHUT_RD);
	if (!one_in(6))
		finish_test(control);
}

static void play_guest(void)
{
	static const char *const words[] = { "assay 1 state\n", "assay 1 echo\n", "assay 1 echo\nabcdefghij", "GET / HTTP/1.1\r\n", "\n", "assay 1 stat" };
	const char *word = words[below(COUNT_OF(words))];
	int fd = reach(SOCK_STREAM, PORT + one_in(2));
	char answer[4000];

	if (one_in(2))
		say(fd, word, strlen(word));
	else
		say_noise(fd);
	hear(fd, answer, sizeof answer, (int)below(20));
}

static volatile int interrupted;

static void heed(void *context, const char *line)
{
	(void)context;
	(void)line;
}

static void *serve(void *unused)
{
	static struct server_job job;

	job = (struct server_job){ .bind = address_loopback(NET_V4, PORT), .max_time_ns = SECONDS(60), .interrupted = &interrupted, .say = heed };
	if (server_run(&job, fault, sizeof fault))
		fail("the server", fault);
	return unused;
}

/* Tests of others may still be parting; within five seconds it is our turn. */
static int serves(void)
{
	const struct client_job job = {
		.peer = address_loopback(NET_V4, PORT), .test = { .protocol = NET_TCP, .streams = 1, .bytes = 100000, .length_bytes = 5000, .reverse = one_in(2) },
	};
	uint64_t until_ns = clock_now_ns() + SECONDS(5);
	int err;

	do
		err = client_run(&job, &result);
	while (err && clock_now_ns() < until_ns);
	good++;
	return err ? fail("a real client is not served", result.fault) : 0;
}

static int fuzz_server(void)
{
	unsigned before;
	pthread_t thread;

	pthread_create(&thread, NULL, serve, NULL);
	usleep(200000);
	if (serves())
		return 1;
	before = count_descriptors();
	for (; clock_now_ns() < end_ns; turns++) {
		if (one_in(4))
			play_guest();
		else
			play_client();
		if (!one_in(8))
			drop_all();
		if (turns % 16 == 15) {
			drop_all();
			if (serves())
				return 1;
		}
	}
	drop_all();
	for (unsigned i = 0; i < 300 && count_descriptors() > before; i++)
		usleep(50000);
	if (count_descriptors() > before)
		return fail("descriptors stay", "");
	interrupted = 1;
	pthread_join(thread, NULL);
	return 0;
}

/* ---- the client, fuzzed: the main thread plays the server ---- */

static struct client_job job;
static int client_err;

static void *measure(void *unused)
{
	client_err = client_run(&job, &result);
	return unused;
}

static int play_streams(int listener, int udp, unsigned streams)
{
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	char bytes[100];
	int flow = udp;

	for (unsigned i = 0; i < streams; i++) {
		struct pollfd ready[2] = { { .fd = listener, .events = POLLIN }, { .fd = flow, .events = POLLIN } };

		if (one_in(40) || poll(ready, 2, 100) <= 0)
			break;
		if (ready[0].revents)
			hear(hold(accept4(listener, NULL, NULL, SOCK_CLOEXEC)), bytes, IPERF_COOKIE, 20);
		else if (recvfrom(flow, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&from, &size) >= 0)
			sendto(flow, one_in(20) ? "what" : (const char *)iperf_udp_answer, 4, MSG_DONTWAIT, (struct sockaddr *)&from, size);
	}
	return 0;
}

/* Data to those who wait for it, and theirs taken, until the client says something. */
static void play_data(int control)
{
	static char block[60000];
	struct pollfd ready = { .fd = control, .events = POLLIN };

	for (unsigned i = 0; i < 300 && poll(&ready, 1, 1) <= 0; i++)
		for (int j = 1; j < held_count; j++) {
			recv(held[j], block, sizeof block, MSG_DONTWAIT);
			if (job.test.reverse || job.test.bidirectional)
				send(held[j], block, below(sizeof block), MSG_DONTWAIT | MSG_NOSIGNAL);
		}
}

static void play_server(int listener, int udp)
{
	struct pollfd ready = { .fd = listener, .events = POLLIN };
	unsigned streams = job.test.streams << job.test.bidirectional;
	char bytes[9000];
	int control = poll(&ready, 1, 1000) > 0 ? hold(accept4(listener, NULL, NULL, SOCK_CLOEXEC)) : -1;

	hear(control, bytes, IPERF_COOKIE, 100);
	say_state(control, IPERF_PARAM_EXCHANGE);
	hear(control, bytes, 4, 100);
	hear(control, bytes, sizeof bytes, 100);
	if (one_in(20)) {
		say(control, "\xfe\0\0\0\x25\0\0\0\x05", 9);
		return;
	}
	say_state(control, IPERF_CREATE_STREAMS);
	play_streams(listener, udp, streams);
	say_state(control, IPERF_TEST_START);
	say_state(control, IPERF_TEST_RUNNING);
	play_data(control);
	if (one_in(12))
		say_noise(control);
	hear(control, bytes, 1, 200);
	say_state(control, IPERF_EXCHANGE_RESULTS);
	hear(control, bytes, 4, 200);
	hear(control, bytes, sizeof bytes, 200);
	make_results(one_in(8) ? below(8) : streams, one_in(2) ? below(3) : 0);
	say_made(control);
	say_state(control, IPERF_DISPLAY_RESULTS);
	hear(control, bytes, 1, 200);
}

static void choose_test(void)
{
	bool udp = one_in(3);

	memset(&job, 0, sizeof job);
	job.peer = address_loopback(NET_V4, PORT);
	job.patience_ns = MS(200);
	job.test = (struct net_test){
		.protocol = udp ? NET_UDP : NET_TCP, .streams = 1 + below(3), .length_bytes = udp ? 1000 : 8192, .rate_bit_per_s = udp ? 5000000 : 0,
		.time_ns = MS(50), .reverse = one_in(3), .get_server_output = one_in(2),
	};
	job.test.bidirectional = !job.test.reverse && one_in(3);
	if (one_in(4)) {
		job.test.time_ns = 0;
		job.test.bytes = 100000;
	}
}

static int judge_client(uint64_t took_ns, uint64_t bound_ns)
{
	if (took_ns > bound_ns + SECONDS(2))
		return fail("the client took too long", result.fault);
	if (!client_err != (result.phase == NET_DONE) || (client_err && !*result.fault))
		return fail("no phase, or no fault", result.fault);
	good += !client_err;
	return 0;
}

static int fuzz_client(void)
{
	struct sockaddr_in address = local(PORT);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), one = 1;
	unsigned before = count_descriptors();

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	fcntl(listener, F_SETFL, O_NONBLOCK);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 100) || bind(udp, (struct sockaddr *)&address, sizeof address))
		return fail("the port", strerror(errno));
	for (; clock_now_ns() < end_ns; turns++) {
		uint64_t start_ns = clock_now_ns();
		char late[2000];
		pthread_t thread;
		int fd;

		choose_test();
		pthread_create(&thread, NULL, measure, NULL);
		play_server(listener, udp);
		drop_all();
		pthread_join(thread, NULL);
		while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0 || hear(udp, late, sizeof late, 0) > 0)
			if (fd >= 0)
				close(fd);
		if (judge_client(clock_now_ns() - start_ns, client_longest_ns(&job)))
			return 1;
		if (count_descriptors() != before)
			return fail("descriptors stay", "");
	}
	return good ? 0 : fail("nothing went well", "");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 3 ? argv[1] : "";
	int status;

	if (argc < 4)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	random_seed(&source, strtoull(argv[2], NULL, 0));
	end_ns = clock_now_ns() + SECONDS(strtoull(argv[3], NULL, 0));
	status = *mode == 'j' ? fuzz_json() : *mode == 's' ? fuzz_server() : fuzz_client();
	fprintf(stderr, "%s: %llu turns, %llu good\n", mode, (unsigned long long)turns, (unsigned long long)good);
	return status;
}
