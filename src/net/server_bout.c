/*
 * server_bout.c: the test that is being served, from its parameters to the client's goodbye.
 *
 * Each phase has a deadline, and nothing here waits for the client: what it says is taken when it is there, what it is told goes into its socket's buffer.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "net/server_bout.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { QUIET_MS = 50 };

struct bout bout;
struct net_result bout_result;

bool bout_is_on(void) { return bout.on; }
bool bout_wants_cookies(void) { return bout.on && bout.phase == CONNECTING && bout.test.protocol == NET_TCP; }

void bout_enter(enum phase phase, uint64_t patience_ns)
{
	bout.phase = phase;
	bout.until_ns = clock_now_ns() + patience_ns;
}

/* Of listeners: what only counts when it is set before the handshake. */
static void set_mss(int listener, uint32_t bytes)
{
	int mss = (int)bytes;

	sys_call(SYS_setsockopt, listener, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss);
}

/* ---- the end ---- */

static void end_data(void)
{
	if (bout.begin_ns) {
		streams_end(bout.streams, bout.have, true);
		tally_tell();
	}
	bout.begin_ns = 0;
	for (unsigned i = 0; i < bout.have; i++)
		sys_close(bout.streams[i].fd);
	bout.have = 0;
	if (bout.udp >= 0)
		sys_close(bout.udp);
	bout.udp = -1;
}

static void end_bout(struct server *server, int err)
{
	end_data();
	bout_result.error = err;
	report_test(server, &bout.test, &bout_result);
	guests_linger(server, bout.control, &bout_result.control_peer);
	bout.control = -1;
	bout.on = false;
	server->idle_since_ns = clock_now_ns();
	if (server->job->one_off) {
		server->finished = true;
		server->result = err;
		text_copy(server->fault, server->fault_size, bout_result.fault);
	}
}

static void send_error(unsigned number, int os_error)
{
	const char answer[9] = { (char)IPERF_SERVER_ERROR, 0, 0, (char)(number >> 8), (char)number, 0, 0, (char)(os_error >> 8), (char)os_error };

	/* In the middle of our results nobody would understand it. */
	if (!bout.at || bout.phase < RESULTS)
		socket_send_all(bout.control, answer, sizeof answer, 0);
}

/* A stream that breaks off would be all that the client sees. */
static void part(int err)
{
	tally_tell();
	bout.error = err;
	bout_enter(PARTING, MS(500));
}

void bout_fail(struct server *server, enum net_phase phase, unsigned number, int err, const char *format, ...)
{
	struct text text = TEXT(bout_result.fault);
	va_list args;

	bout_result.phase = phase;
	bout_result.blame = NET_PEER;
	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	if (number)
		send_error(limits_number(number, bout.client_minor), number >= 100 && err != -EPROTO && err != -ETIMEDOUT ? -err : 0);
	if (bout.phase == MOVING && (number || bout_result.interrupted))
		part(err);
	else
		end_bout(server, err);
}

static enum net_phase phase_of_bout(void)
{
	static const enum net_phase phases[] = { [CONNECTING] = NET_STREAMS, [MOVING] = NET_RUNNING, [DRAINING] = NET_STOP, [RESULTS] = NET_RESULTS,
	                                         [GOODBYE] = NET_RESULTS, [PARTING] = NET_RUNNING };

	return phases[bout.phase];
}

static void fail_lost(struct server *server, int err)
{
	if (!err || err == -EPIPE)
		bout_fail(server, phase_of_bout(), 0, -EPIPE, "the client closed the control connection");
	else
		bout_fail(server, phase_of_bout(), 0, err, "the control connection is lost: %s", sys_error(err));
}

bool bout_say_states(struct server *server, const char *states, size_t count)
{
	int err = socket_send_all(bout.control, states, count, 0);

	if (err)
		fail_lost(server, err);
	return !err;
}

void bout_interrupt(struct server *server)
{
	static const char state = IPERF_SERVER_TERMINATE;

	if (!bout.on || bout.phase == PARTING)
		return;
	if (bout.phase < RESULTS)
		socket_send_all(bout.control, &state, 1, 0);
	bout_result.interrupted = true;
	bout_fail(server, phase_of_bout(), 0, -EINTR, "this server was told to end");
}

/* ---- the beginning ---- */

static void reset(const struct guest *guest, const struct net_test *test)
{
	memset(&bout_result, 0, sizeof bout_result);
	memset(&bout.gate, 0, sizeof bout.gate);
	memset(bout.omitted, 0, sizeof bout.omitted);
	memset(bout.retransmits_omitted, 0, sizeof bout.retransmits_omitted);
	bout.gate.test = &bout.test;
	bout.test = *test;
	bout.want = test->streams << test->bidirectional;
	bout.have = 0;
	bout.begin_ns = bout.moved_bytes = bout.at = bout.size = 0;
	bout.silence_ns = limits_silence_ns(test);
	memcpy(bout.cookie, guest->cookie, IPERF_COOKIE);
	text_copy(bout_result.cookie, sizeof bout_result.cookie, guest->cookie);
	bout.control = guest->fd;
	bout.udp = -1;
	bout_result.control_peer = guest->peer;
	socket_local(bout.control, &bout_result.control_local);
}

void bout_begin(struct server *server, struct guest *guest, const struct net_test *test, unsigned client_minor)
{
	static const char state = IPERF_CREATE_STREAMS;
	int err = 0;

	reset(guest, test);
	bout.client_minor = client_minor;
	bout.on = true;
	guests_low_water(bout.control, 1);
	set_mss(server->listener, test->mss_bytes);
	bout_enter(CONNECTING, SECONDS(10));
	if (test->protocol == NET_UDP)
		err = streams_bind_udp(server);
	if (err)
		bout_fail(server, NET_STREAMS, E_STREAM_LISTEN, err, "no socket for datagrams: %s", sys_error(err));
	else
		bout_say_states(server, &state, 1);
}

/* ---- data ---- */

/* What is under way when the client says that it has ended is still the test's: senders' figures are of now. */
static void begin_draining(void)
{
	tally_end_time();
	bout_enter(DRAINING, SECONDS(1));
}

static void end_draining(struct server *server)
{
	static const char state = IPERF_EXCHANGE_RESULTS;

	end_data();
	bout_enter(RESULTS, SECONDS(10));
	bout_say_states(server, &state, 1);
}

static uint64_t tick_draining(struct server *server, uint64_t now_ns)
{
	uint64_t before = tally_received_bytes();
	bool receives = !bout.test.reverse || bout.test.bidirectional;

	tally_read(true);
	if (tally_received_bytes() != before)
		bout.end_ns = now_ns;
	if (!receives || now_ns > bout.until_ns || (now_ns - bout.end_ns > MS(QUIET_MS) && !tally_is_anything_left())) {
		end_draining(server);
		return now_ns;
	}
	return now_ns + MS(5);
}

static bool a_stream_failed(struct server *server)
{
	for (unsigned i = 0; i < bout.have; i++) {
		int err = stream_error(&bout.streams[i]);

		if (err) {
			bout_fail(server, NET_RUNNING, E_STREAM_CLOSED, err, "stream %d: %s", bout.streams[i].id,
			     err == -EPIPE ? "the client closed it" : sys_error(err));
			return true;
		}
	}
	return false;
}

static uint64_t tick_moving(struct server *server, uint64_t now_ns)
{
	const struct server_job *job = server->job;
	uint64_t bytes = tally_all_bytes(), omit_end_ns = bout.begin_ns + bout.test.omit_ns;

	if (bytes != bout.moved_bytes)
		bout.moved_ns = now_ns;
	bout.moved_bytes = bytes;
	if (bout.omitting && now_ns >= omit_end_ns)
		tally_end_omitting();
	if (a_stream_failed(server))
		return now_ns;
	if (now_ns - bout.moved_ns > bout.silence_ns)
		bout_fail(server, NET_RUNNING, IPERF_E_NO_DATA, -ETIMEDOUT, "no data for %u s", (unsigned)(bout.silence_ns / SECONDS(1)));
	else if (now_ns > bout.until_ns)
		bout_fail(server, NET_RUNNING, IPERF_E_EXPIRED, -ETIMEDOUT, "the client does not end it: it ran for %u s", (unsigned)((now_ns - bout.begin_ns) / SECONDS(1)));
	else if (job->max_bytes && bytes > job->max_bytes)
		bout_fail(server, NET_RUNNING, IPERF_E_EXPIRED, -EPROTO, "more than --max-bytes were moved");
	else if (tally_is_over_rate(job, now_ns))
		bout_fail(server, NET_RUNNING, IPERF_E_RATE, -EPROTO, "it goes faster than --max-rate");
	else
		return bout.omitting && omit_end_ns < now_ns + MS(250) ? omit_end_ns : now_ns + MS(250);
	return now_ns;
}

/* ---- results ---- */

static void flush(struct server *server)
{
	long sent;

	if (bout.at == bout.size)
		return;
	sent = sys_call(SYS_sendto, bout.control, bout.wire + bout.at, bout.size - bout.at, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	if (sent > 0)
		bout.at += (size_t)sent;
	else if (sent != -EAGAIN && sent != -EINTR)
		fail_lost(server, (int)sent);
}

/* Length, JSON, and the state behind it. */
static void answer_results(struct server *server)
{
	struct text json = text_in(bout.wire + 4, sizeof bout.wire - 5), output = TEXT(bout_result.server_output);
	uint32_t length;

	*bout_result.server_output = '\0';
	if (bout.test.get_server_output)
		report_output(&bout.test, &bout_result, &output);
	iperf_results_write(&bout_result, bout_result.elapsed_ns, bout.test.get_server_output ? bout_result.server_output : NULL, &json);
	length = __builtin_bswap32((uint32_t)json.length);
	memcpy(bout.wire, &length, sizeof length);
	bout.wire[4 + json.length] = IPERF_DISPLAY_RESULTS;
	bout.at = 0;
	bout.size = 4 + json.length + 1;
	bout_enter(GOODBYE, SECONDS(10));
	flush(server);
}

static size_t told_length(void)
{
	uint32_t length;

	memcpy(&length, bout.wire, sizeof length);
	return bout.at < sizeof length ? 0 : __builtin_bswap32(length);
}

static void take_results(struct server *server)
{
	char fault[120];

	if (iperf_results_parse(&server_json, bout.wire + 4, bout.at - 4, &bout_result, fault, sizeof fault)) {
		bout.at = 0;
		bout_fail(server, NET_RESULTS, IPERF_E_RESULTS, -EPROTO, "the client's results cannot be used: %s", fault);
	} else
		answer_results(server);
}

/* As much as is there, but nothing behind it. */
static void hear_results(struct server *server)
{
	size_t whole = 4 + told_length();
	long got = sys_call(SYS_recvfrom, bout.control, bout.wire + bout.at, whole - bout.at, MSG_DONTWAIT, NULL, NULL);

	if (got <= 0) {
		if (got != -EAGAIN && got != -EINTR)
			fail_lost(server, (int)got);
		return;
	}
	bout.at += (size_t)got;
	whole = 4 + told_length();
	if (bout.at >= 4 && (whole == 4 || whole > sizeof bout.wire)) {
		bout.at = 0;
		bout_fail(server, NET_RESULTS, IPERF_E_RESULTS, -EPROTO, "the client's results would take %zu bytes, and at most %u are taken", whole - 4, IPERF_RESULTS_MAX);
	} else if (bout.at == whole && whole > 4)
		take_results(server);
}

/* Everything is told: whatever comes now, and if nothing does. */
static void take_goodbye(struct server *server)
{
	bout_result.phase = NET_DONE;
	*bout_result.fault = '\0';
	end_bout(server, 0);
}

/* ---- the control connection ---- */

static void hear_state(struct server *server)
{
	signed char state;
	long got = sys_call(SYS_recvfrom, bout.control, &state, 1, MSG_DONTWAIT, NULL, NULL);

	if (got == -EAGAIN || got == -EINTR)
		return;
	if (bout.phase == GOODBYE && bout.at == bout.size)
		take_goodbye(server);
	else if (bout.phase == PARTING)
		end_bout(server, bout.error);
	else if (got <= 0)
		fail_lost(server, (int)got);
	else if (state == IPERF_TEST_END && bout.phase == MOVING)
		begin_draining();
	else if (state == IPERF_CLIENT_TERMINATE)
		bout_fail(server, phase_of_bout(), 0, -ECANCELED, "the client gave up");
	else
		bout_fail(server, phase_of_bout(), E_MESSAGE, -EPROTO, "the client sends %d, which is not due", state);
}

static void hear_control(struct server *server)
{
	if (bout.phase == RESULTS)
		hear_results(server);
	else
		hear_state(server);
}

unsigned bout_watch(struct pollfd *fds)
{
	unsigned count = 0;
	short events = bout.phase == DRAINING ? 0 : bout.phase == GOODBYE && bout.at < bout.size ? POLLIN | POLLOUT : POLLIN;

	if (!bout.on)
		return 0;
	fds[count++] = (struct pollfd){ .fd = bout.control, .events = events };
	if (bout.phase != CONNECTING || bout.udp < 0)
		return count;
	fds[count++] = (struct pollfd){ .fd = bout.udp, .events = POLLIN };
	if (bout.have)
		fds[count++] = (struct pollfd){ .fd = bout.streams[bout.have - 1].fd, .events = POLLIN };
	return count;
}

void bout_serve(struct server *server, const struct pollfd *fds, unsigned count)
{
	if (count && fds[0].revents & POLLOUT)
		flush(server);
	if (count && fds[0].revents & ~POLLOUT && bout.on && bout.phase != DRAINING)
		hear_control(server);
	if (count > 2 && fds[2].revents && bout.on)
		streams_hear_greeting_again(fds[2].fd);
	if (count > 1 && fds[1].revents && bout.on)
		streams_hear_greeting(server);
}

uint64_t bout_tick(struct server *server, uint64_t now_ns)
{
	if (!bout.on)
		return UINT64_MAX;
	if (bout.phase == MOVING)
		return tick_moving(server, now_ns);
	if (bout.phase == DRAINING)
		return tick_draining(server, now_ns);
	if (now_ns < bout.until_ns)
		return bout.until_ns;
	if (bout.phase == PARTING)
		end_bout(server, bout.error);
	else if (bout.phase == CONNECTING)
		bout_fail(server, NET_STREAMS, E_STREAM_ACCEPT, -ETIMEDOUT, "%u of %u streams came in time", bout.have, bout.want);
	else if (bout.phase == GOODBYE && bout.at == bout.size)
		take_goodbye(server);
	else
		bout_fail(server, NET_RESULTS, IPERF_E_RESULTS, -ETIMEDOUT, bout.phase == RESULTS ? "the client's results did not come in time" : "the client does not take the results");
	return now_ns;
}
