/* server_streams.c: the streams of a bout: connections with its cookie, or sockets that a greeting came to; the last one starts them all. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/socket.h>

#include "capacity.h"
#include "net/server_bout.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"

static bool sends(unsigned index)
{
	return bout.test.bidirectional ? index >= bout.test.streams : bout.test.reverse;
}

/* By the order in which they were accepted, whichever cookie came first. */
static void put_stream(int fd, uint64_t order)
{
	unsigned i = bout.have++;

	for (; i > 0 && bout.orders[i - 1] > order; i--) {
		bout.orders[i] = bout.orders[i - 1];
		bout.streams[i].fd = bout.streams[i - 1].fd;
	}
	bout.orders[i] = order;
	bout.streams[i].fd = fd;
	bout_enter(CONNECTING, SECONDS(10));
}

static int cpu_of(const struct server *server, unsigned index)
{
	const struct cpu_list *cpus = server->job->cpus;

	if (cpus && cpus->count)
		return cpus->cpus[index % cpus->count];
	return bout.test.server_cpu ? (int)bout.test.server_cpu - 1 : STREAM_CPU_ANY;
}

static int start_streams(const struct server *server)
{
	for (unsigned i = 0; i < bout.have; i++) {
		struct stream *stream = &bout.streams[i];

		*stream = (struct stream){ .gate = &bout.gate, .fd = stream->fd, .id = iperf_stream_id(i), .sends = sends(i), .cpu = cpu_of(server, i) };
		socket_timeout(stream->fd, bout.silence_ns + SECONDS(10));
	}
	bout.begin_ns = bout.moved_ns = clock_now_ns();
	bout.omitting = bout.test.omit_ns;
	tally_start();
	return streams_start(bout.streams, bout.have);
}

static void begin_moving(struct server *server)
{
	static const char states[] = { IPERF_TEST_START, IPERF_TEST_RUNNING };
	int err = start_streams(server);

	if (err) {
		bout.begin_ns = 0;
		bout_fail(server, NET_START, E_STREAM_ACCEPT, err, "the streams did not start: %s", sys_error(err));
		return;
	}
	bout_enter(MOVING, limits_longest_ns(server->job, &bout.test));
	bout_say_states(server, states, sizeof states);
}

/* As iperf3's server: a congestion control that is not here is gone on without; which one was used is in the results. */
static int apply(int fd, const char **refused)
{
	int err = socket_apply(fd, &bout.test, refused);

	if (err && *bout.test.congestion) {
		*bout.test.congestion = '\0';
		err = socket_apply(fd, &bout.test, refused);
	}
	return err;
}

bool bout_join(struct server *server, const struct guest *guest)
{
	const char *refused = "an option";
	int err;

	if (!bout_wants_cookies() || bout.have == bout.want || memcmp(guest->cookie, bout.cookie, IPERF_COOKIE))
		return false;
	guests_low_water(guest->fd, 1);
	err = apply(guest->fd, &refused);
	put_stream(guest->fd, guest->order);
	if (err)
		bout_fail(server, NET_STREAMS, E_STREAM_ACCEPT, err, "the kernel refuses %s that the client asks for: %s", refused, sys_error(err));
	else if (bout.have == bout.want)
		begin_moving(server);
	return true;
}

/* ---- streams of datagrams: one socket each, one after another on the same port ---- */

/* Where the client's control connection went to: an answer from another address would not reach it. */
int streams_bind_udp(const struct server *server)
{
	struct net_address address = bout_result.control_local;
	const char *refused = NULL;
	const struct socket_ask ask = { .device = server->job->device, .timeout_ns = bout.silence_ns, .test = &bout.test, .refused = &refused };

	bout.udp = socket_bind_udp(&address, &ask);
	return bout.udp < 0 ? bout.udp : 0;
}

static void take_greeting(struct server *server, const struct net_address *from)
{
	int fd = bout.udp, err = (int)sys_call(SYS_connect, fd, &from->any, from->length);

	bout.udp = -1;
	put_stream(fd, ++server->order);
	if (!err && bout.have < bout.want)
		err = streams_bind_udp(server);
	if (!err)
		err = socket_send_all(fd, iperf_udp_answer, sizeof iperf_udp_answer, 0);
	if (err)
		bout_fail(server, NET_STREAMS, E_STREAM_LISTEN, err, "no socket for the next stream: %s", sys_error(err));
	else if (bout.have == bout.want)
		begin_moving(server);
}

void streams_hear_greeting(struct server *server)
{
	struct net_address from = { .length = sizeof from.v6 };
	unsigned char bytes[8] = { 0 };
	long got = sys_call(SYS_recvfrom, bout.udp, bytes, sizeof bytes, MSG_DONTWAIT, &from.any, &from.length);

	if (got == 4 && iperf_is_udp_greeting(bytes) && address_same_host(&from, &bout_result.control_peer))
		take_greeting(server, &from);
}

/* Its answer was lost. */
void streams_hear_greeting_again(int fd)
{
	unsigned char bytes[8] = { 0 };

	if (sys_call(SYS_recvfrom, fd, bytes, sizeof bytes, MSG_DONTWAIT, NULL, NULL) == 4 && iperf_is_udp_greeting(bytes))
		socket_send_all(fd, iperf_udp_answer, sizeof iperf_udp_answer, 0);
}
