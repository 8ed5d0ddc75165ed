/*
 * net_scripted.h: a server that does what a script says, in a thread of the test: also what no server should.
 */
#ifndef NET_SCRIPTED_H
#define NET_SCRIPTED_H

#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/client.h"
#include "net/iperf.h"
#include "sys/clock.h"

enum act_kind {
	DO_END,      /* of the script: goes on taking what comes until the client closes */
	DO_SAY,      /* a state */
	DO_BYTES,    /* text, or `number` bytes of 'X' */
	DO_ERROR,    /* SERVER_ERROR with this number and ENOMEM */
	DO_COOKIE, DO_JSON, /* takes one */
	DO_STREAMS,  /* takes so many: TCP */
	DO_FLOWS,    /* takes so many: UDP, answering as `text` says: "new", "old", "late" (the third greeting), "stray" (data first) */
	DO_SINK,     /* takes data until a state comes, and that */
	DO_SOURCE,   /* sends data until then */
	DO_TRICKLE,  /* so many bytes, one by one, every 20 ms */
	DO_RESULTS,  /* this text, @ being the bytes that came by the first stream */
	DO_WAIT,     /* so many milliseconds, taking data or not */
	DO_CLOSE_STREAMS, DO_CLOSE, DO_RESET, DO_SILENT /* for ever */
};

struct act { enum act_kind kind; int number; const char *text; };

struct scripted {
	const struct act *script;
	int listener, udp, control, count, streams[256];
	unsigned long long bytes;
	char parameters[8192], results[65536];
	pthread_t thread;
};

static struct scripted server;

static inline int listen_at(int type, uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(*port) };
	socklen_t size = sizeof address;
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), on = 1;
	const struct timeval patience = { 5, 0 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, (struct sockaddr *)&address, size) || (type == SOCK_STREAM && listen(fd, 300)))
		abort();
	getsockname(fd, (struct sockaddr *)&address, &size);
	*port = ntohs(address.sin_port);
	return fd;
}

static inline void take(int fd, void *to, size_t count)
{
	socket_receive_all(fd, to, count, clock_now_ns() + SECONDS(5));
}

static inline bool control_speaks(int wait_ms)
{
	struct pollfd fd = { .fd = server.control, .events = POLLIN };

	return poll(&fd, 1, wait_ms) > 0;
}

static inline void move_data(bool source)
{
	static char data[1 << 16];
	uint64_t until_ns = clock_now_ns() + SECONDS(5);

	while (!control_speaks(1) && clock_now_ns() < until_ns)
		for (int i = 0; i < server.count; i++) {
			long moved = source ? send(server.streams[i], data, 1 << 14, MSG_DONTWAIT | MSG_NOSIGNAL) : recv(server.streams[i], data, sizeof data, MSG_DONTWAIT);

			if (!source && !i && moved > 0)
				server.bytes += (unsigned long long)moved;
		}
	for (int i = 0; i < server.count && !source; i++)
		for (long moved; (moved = recv(server.streams[i], data, sizeof data, MSG_DONTWAIT)) > 0;)
			server.bytes += i ? 0 : (unsigned long long)moved;
	take(server.control, data, 1); /* TEST_END */
}

static inline void take_flow(const char *how)
{
	static const unsigned char old[4] = { 0xb1, 0x68, 0xde, 0x3a };
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	unsigned char greeting[64], data[64] = { 0 };
	uint16_t port = 0;

	for (int i = 0; i < (strcmp(how, "late") ? 1 : 3); i++)
		recvfrom(server.udp, greeting, sizeof greeting, 0, (struct sockaddr *)&from, &size);
	connect(server.udp, (struct sockaddr *)&from, size);
	if (!strcmp(how, "stray")) {
		send(server.udp, data, 3, 0);
		send(server.udp, "junk", 4, 0);
	}
	send(server.udp, strcmp(how, "old") ? iperf_udp_answer : old, 4, 0);
	server.streams[server.count++] = server.udp;
	size = sizeof from;
	getsockname(server.udp, (struct sockaddr *)&from, &size);
	port = ntohs(from.sin_port);
	server.udp = listen_at(SOCK_DGRAM, &port);
}

static inline void take_json(char *to, size_t size)
{
	size_t length = 0;

	iperf_receive_json(server.control, to, size - 1, &length, clock_now_ns() + SECONDS(5));
	to[length < size ? length : 0] = '\0';
}

static inline void send_results(const char *with)
{
	char json[4096], *at = json;

	for (; *with && at < json + sizeof json - 32; with++)
		at += *with == '@' ? sprintf(at, "%llu", server.bytes) : sprintf(at, "%c", *with);
	iperf_send_json(server.control, json, (size_t)(at - json), clock_now_ns() + SECONDS(5));
}

static inline void close_all(bool reset)
{
	static const struct linger at_once = { 1, 0 };

	for (int i = 0; i < server.count; i++)
		close(server.streams[i]);
	server.count = 0;
	if (server.control >= 0 && reset)
		setsockopt(server.control, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	if (server.control >= 0)
		close(server.control);
	server.control = -1;
}

/* Until the client has gone. */
static inline void rest(void)
{
	char left[4096];

	while (server.control >= 0 && control_speaks(10000) && recv(server.control, left, sizeof left, 0) > 0)
		;
}

static inline void act(const struct act *act)
{
	uint32_t numbers[2] = { htonl((uint32_t)act->number), htonl(12) };
	char text[IPERF_COOKIE];

	switch (act->kind) {
	case DO_SAY: iperf_send_state(server.control, act->number, clock_now_ns() + SECONDS(5)); break;
	case DO_BYTES:
		for (int i = 0; !act->text && i < act->number; i++)
			send(server.control, "X", 1, MSG_NOSIGNAL);
		if (act->text)
			send(server.control, act->text, strlen(act->text), MSG_NOSIGNAL);
		break;
	case DO_ERROR:
		iperf_send_state(server.control, IPERF_SERVER_ERROR, clock_now_ns() + SECONDS(5));
		send(server.control, numbers, sizeof numbers, MSG_NOSIGNAL);
		break;
	case DO_COOKIE: take(server.control, text, IPERF_COOKIE); break;
	case DO_JSON: take_json(*server.parameters ? server.results : server.parameters, sizeof server.parameters); break;
	case DO_STREAMS:
		for (int i = 0; i < act->number; i++) {
			server.streams[server.count] = accept(server.listener, NULL, NULL);
			take(server.streams[server.count++], text, IPERF_COOKIE);
		}
		break;
	case DO_FLOWS:
		for (int i = 0; i < act->number; i++)
			take_flow(act->text);
		break;
	case DO_SINK: case DO_SOURCE: move_data(act->kind == DO_SOURCE); break;
	case DO_TRICKLE:
		for (int i = 0; i < act->number && send(server.streams[0], "x", 1, MSG_NOSIGNAL) == 1; i++)
			usleep(20000);
		break;
	case DO_RESULTS: send_results(act->text); break;
	case DO_WAIT: usleep((unsigned)act->number * 1000); break;
	case DO_CLOSE_STREAMS:
		for (int i = 0; i < server.count; i++)
			close(server.streams[i]);
		server.count = 0;
		break;
	case DO_CLOSE: case DO_RESET: close_all(act->kind == DO_RESET); break;
	case DO_SILENT: case DO_END: rest(); break;
	}
}

static inline void *serve(void *unused)
{
	int on = 1;

	(void)unused;
	server.control = accept(server.listener, NULL, NULL);
	setsockopt(server.control, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	for (const struct act *at = server.script; server.control >= 0; at++) {
		act(at);
		if (at->kind == DO_END || at->kind == DO_SILENT)
			break;
	}
	close_all(false);
	return NULL;
}

/* What the script's server lets the client come to; how long that took. */
static inline uint64_t play(const struct act *script, struct client_job *job, struct net_result *result)
{
	uint16_t port = 0;
	uint64_t start_ns;

	memset(&server, 0, sizeof server);
	server.script = script;
	server.listener = listen_at(SOCK_STREAM, &port);
	server.udp = listen_at(SOCK_DGRAM, &port);
	job->peer = address_loopback(NET_V4, port);
	pthread_create(&server.thread, NULL, serve, NULL);
	start_ns = clock_now_ns();
	client_run(job, result);
	start_ns = clock_now_ns() - start_ns;
	shutdown(server.listener, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.listener);
	close(server.udp);
	return start_ns;
}

#endif
