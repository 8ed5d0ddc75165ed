/*
 * server_bout.c: the test that is being served, from its parameters to the client's goodbye.
 *
 * Each phase has a deadline, and nothing here waits for the client: what it says is taken when it is there, what it is told goes into its socket's buffer.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "net/server_inside.h"
#include "net/timekeeper.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"

enum { E_CLOSED = 109, E_MESSAGE = 110, E_STREAM_LISTEN = 202, E_STREAM_ACCEPT = 204, E_STREAM_CLOSED = 207 };
enum { QUIET_MS = 50 };

enum phase { CONNECTING, MOVING, DRAINING, RESULTS, GOODBYE, PARTING /* the client was told that it failed, and data flows until it has heard so */ };

static struct bout {
	bool on;
	enum phase phase;
	uint64_t until_ns;                                /* of this phase */
	int control, udp;                                 /* udp: the socket that waits for the next stream's greeting; -1: none */
	unsigned client_minor;
	char cookie[IPERF_COOKIE];
	struct net_test test;
	unsigned want, have;
	struct stream streams[2 * MAX_NET_STREAMS];
	uint64_t orders[2 * MAX_NET_STREAMS];
	struct stream_gate gate;
	struct stream_counts omitted[2 * MAX_NET_STREAMS], counts[2 * MAX_NET_STREAMS];
	uint32_t retransmits_omitted[2 * MAX_NET_STREAMS];
	bool omitting;
	uint64_t begin_ns, moved_ns, end_ns;              /* end: of data; a receiver's, when the last of it came */
	uint64_t moved_bytes, silence_ns;
	uint64_t user_ns, system_ns;
	int error;                                        /* why it parts */
	char wire[4 + IPERF_RESULTS_MAX];                 /* the client's results as far as they have come; then ours, as far as they have gone */
	size_t at, size;
} bout;

static struct net_result result;

bool bout_is_on(void) { return bout.on; }
bool bout_wants_cookies(void) { return bout.on && bout.phase == CONNECTING && bout.test.protocol == NET_TCP; }

static void enter(enum phase phase, uint64_t patience_ns)
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

/* ---- figures ---- */

static uint64_t lost(const struct stream_counts *counts)
{
	return counts->highest > counts->datagrams ? counts->highest - counts->datagrams : 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* As counts and states are now. */
static void read_streams(bool receivers_only)
{
	for (unsigned i = 0; i < bout.have; i++) {
		if (receivers_only && bout.streams[i].sends)
			continue;
		stream_counts(&bout.streams[i], &bout.counts[i]);
		socket_state(bout.streams[i].fd, &result.streams[i].state);
	}
}

static void start_measuring(void)
{
	result.start_ns = clock_now_ns();
	result.omitted_ns = result.start_ns - bout.begin_ns;
	timekeeper_cpu(&bout.user_ns, &bout.system_ns);
}

static void end_omitting(void)
{
	read_streams(false);
	memcpy(bout.omitted, bout.counts, sizeof bout.omitted);
	for (unsigned i = 0; i < bout.have; i++)
		bout.retransmits_omitted[i] = result.streams[i].state.retransmits;
	bout.omitting = false;
	start_measuring();
}

static void tell_stream(unsigned index)
{
	const struct stream *stream = &bout.streams[index];
	const struct stream_counts *now = &bout.counts[index], *before = &bout.omitted[index];
	struct net_stream_result *told = &result.streams[index];

	told->id = stream->id;
	told->sends = stream->sends;
	told->counts = *now;
	told->error = stream_error(stream);
	told->here = (struct net_end){
		.told = true, .bytes = now->bytes - before->bytes, .datagrams = now->datagrams - before->datagrams,
		.omitted_bytes = before->bytes, .omitted_datagrams = before->datagrams,
		.errors = stream->sends ? 0 : less(lost(now), lost(before)), .jitter_ns = stream->sends ? 0 : now->jitter_ns,
		.has_retransmits = stream->sends && bout.test.protocol == NET_TCP,
		.retransmits = less(told->state.retransmits, bout.retransmits_omitted[index]),
		.elapsed_ns = stream->sends ? result.elapsed_ns : less(bout.end_ns, result.start_ns),
	};
}

/* Of what was moved until now, or until the data ended. */
static void tell(void)
{
	uint64_t user_ns, system_ns;

	if (bout.omitting)
		end_omitting();
	if (!result.elapsed_ns) {
		read_streams(false);
		bout.end_ns = clock_now_ns();
		result.elapsed_ns = less(bout.end_ns, result.start_ns);
	}
	timekeeper_cpu(&user_ns, &system_ns);
	result.user_ns = user_ns - bout.user_ns;
	result.system_ns = system_ns - bout.system_ns;
	result.stream_count = bout.have;
	for (unsigned i = 0; i < bout.have; i++)
		tell_stream(i);
}

/* ---- the end ---- */

static void end_data(void)
{
	if (bout.begin_ns) {
		streams_end(bout.streams, bout.have, true);
		tell();
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
	result.error = err;
	report_test(server, &bout.test, &result);
	guests_linger(server, bout.control, &result.control_peer);
	bout.control = -1;
	bout.on = false;
	server->idle_since_ns = clock_now_ns();
	if (server->job->one_off) {
		server->finished = true;
		server->result = err;
		text_copy(server->fault, server->fault_size, result.fault);
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
	tell();
	bout.error = err;
	enter(PARTING, MS(500));
}

__attribute__((format(printf, 5, 6))) static void fail(struct server *server, enum net_phase phase, unsigned number, int err, const char *format, ...)
{
	struct text text = TEXT(result.fault);
	va_list args;

	result.phase = phase;
	result.blame = NET_PEER;
	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	if (number)
		send_error(limits_number(number, bout.client_minor), number >= 100 && err != -EPROTO && err != -ETIMEDOUT ? -err : 0);
	if (bout.phase == MOVING && (number || result.interrupted))
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
		fail(server, phase_of_bout(), 0, -EPIPE, "the client closed the control connection");
	else
		fail(server, phase_of_bout(), 0, err, "the control connection is lost: %s", sys_error(err));
}

static bool say_states(struct server *server, const char *states, size_t count)
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
	result.interrupted = true;
	fail(server, phase_of_bout(), 0, -EINTR, "this server was told to end");
}

/* ---- streams ---- */

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
	enter(CONNECTING, SECONDS(10));
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
	start_measuring();
	return streams_start(bout.streams, bout.have);
}

static void begin_moving(struct server *server)
{
	static const char states[] = { IPERF_TEST_START, IPERF_TEST_RUNNING };
	int err = start_streams(server);

	if (err) {
		bout.begin_ns = 0;
		fail(server, NET_START, E_STREAM_ACCEPT, err, "the streams did not start: %s", sys_error(err));
		return;
	}
	enter(MOVING, limits_longest_ns(server->job, &bout.test));
	say_states(server, states, sizeof states);
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
		fail(server, NET_STREAMS, E_STREAM_ACCEPT, err, "the kernel refuses %s that the client asks for: %s", refused, sys_error(err));
	else if (bout.have == bout.want)
		begin_moving(server);
	return true;
}

/* ---- streams of datagrams: one socket each, one after another on the same port ---- */

/* Where the client's control connection went to: an answer from another address would not reach it. */
static int bind_udp(const struct server *server)
{
	struct net_address address = result.control_local;
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
		err = bind_udp(server);
	if (!err)
		err = socket_send_all(fd, iperf_udp_answer, sizeof iperf_udp_answer, 0);
	if (err)
		fail(server, NET_STREAMS, E_STREAM_LISTEN, err, "no socket for the next stream: %s", sys_error(err));
	else if (bout.have == bout.want)
		begin_moving(server);
}

static void hear_greeting(struct server *server)
{
	struct net_address from = { .length = sizeof from.v6 };
	unsigned char bytes[8] = { 0 };
	long got = sys_call(SYS_recvfrom, bout.udp, bytes, sizeof bytes, MSG_DONTWAIT, &from.any, &from.length);

	if (got == 4 && iperf_is_udp_greeting(bytes) && address_same_host(&from, &result.control_peer))
		take_greeting(server, &from);
}

/* Its answer was lost. */
static void hear_greeting_again(int fd)
{
	unsigned char bytes[8] = { 0 };

	if (sys_call(SYS_recvfrom, fd, bytes, sizeof bytes, MSG_DONTWAIT, NULL, NULL) == 4 && iperf_is_udp_greeting(bytes))
		socket_send_all(fd, iperf_udp_answer, sizeof iperf_udp_answer, 0);
}

/* ---- the beginning ---- */

static void reset(const struct guest *guest, const struct net_test *test)
{
	memset(&result, 0, sizeof result);
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
	text_copy(result.cookie, sizeof result.cookie, guest->cookie);
	bout.control = guest->fd;
	bout.udp = -1;
	result.control_peer = guest->peer;
	socket_local(bout.control, &result.control_local);
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
	enter(CONNECTING, SECONDS(10));
	if (test->protocol == NET_UDP)
		err = bind_udp(server);
	if (err)
		fail(server, NET_STREAMS, E_STREAM_LISTEN, err, "no socket for datagrams: %s", sys_error(err));
	else
		say_states(server, &state, 1);
}

/* ---- data ---- */

static uint64_t all_bytes(void)
{
	struct stream_counts counts;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < bout.have; i++) {
		stream_counts(&bout.streams[i], &counts);
		bytes += counts.bytes;
	}
	return bytes;
}

static uint64_t received_bytes(void)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < bout.have; i++)
		bytes += bout.streams[i].sends ? 0 : bout.counts[i].bytes;
	return bytes;
}

static bool is_over_rate(const struct server_job *job, uint64_t now_ns)
{
	uint64_t ms = (now_ns - bout.begin_ns) / MS(1);

	return job->max_rate_bit_per_s && ms > 1000 && bout.moved_bytes / ms > job->max_rate_bit_per_s / 8000 * 11 / 10 + bout.test.length_bytes / 1000;
}

/* What is under way when the client says that it has ended is still the test's: senders' figures are of now. */
static void begin_draining(void)
{
	if (bout.omitting)
		end_omitting();
	read_streams(false);
	bout.end_ns = clock_now_ns();
	result.elapsed_ns = less(bout.end_ns, result.start_ns);
	enter(DRAINING, SECONDS(1));
}

static void end_draining(struct server *server)
{
	static const char state = IPERF_EXCHANGE_RESULTS;

	end_data();
	enter(RESULTS, SECONDS(10));
	say_states(server, &state, 1);
}

/* A thread that gets no turn is not the end of what came, nor is a pause in what the client has sent for sure. */
static bool is_anything_left(void)
{
	uint64_t asked = limits_asked_bytes(&bout.test);
	int bytes = bout.test.protocol == NET_TCP && asked && !bout.test.reverse && received_bytes() < asked;

	for (unsigned i = 0; i < bout.have && !bytes; i++)
		if (!bout.streams[i].sends)
			sys_ioctl(bout.streams[i].fd, FIONREAD, &bytes);
	return bytes;
}

static uint64_t tick_draining(struct server *server, uint64_t now_ns)
{
	uint64_t before = received_bytes();
	bool receives = !bout.test.reverse || bout.test.bidirectional;

	read_streams(true);
	if (received_bytes() != before)
		bout.end_ns = now_ns;
	if (!receives || now_ns > bout.until_ns || (now_ns - bout.end_ns > MS(QUIET_MS) && !is_anything_left())) {
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
			fail(server, NET_RUNNING, E_STREAM_CLOSED, err, "stream %d: %s", bout.streams[i].id,
			     err == -EPIPE ? "the client closed it" : sys_error(err));
			return true;
		}
	}
	return false;
}

static uint64_t tick_moving(struct server *server, uint64_t now_ns)
{
	const struct server_job *job = server->job;
	uint64_t bytes = all_bytes(), omit_end_ns = bout.begin_ns + bout.test.omit_ns;

	if (bytes != bout.moved_bytes)
		bout.moved_ns = now_ns;
	bout.moved_bytes = bytes;
	if (bout.omitting && now_ns >= omit_end_ns)
		end_omitting();
	if (a_stream_failed(server))
		return now_ns;
	if (now_ns - bout.moved_ns > bout.silence_ns)
		fail(server, NET_RUNNING, IPERF_E_NO_DATA, -ETIMEDOUT, "no data for %u s", (unsigned)(bout.silence_ns / SECONDS(1)));
	else if (now_ns > bout.until_ns)
		fail(server, NET_RUNNING, IPERF_E_EXPIRED, -ETIMEDOUT, "the client does not end it: it ran for %u s", (unsigned)((now_ns - bout.begin_ns) / SECONDS(1)));
	else if (job->max_bytes && bytes > job->max_bytes)
		fail(server, NET_RUNNING, IPERF_E_EXPIRED, -EPROTO, "more than --max-bytes were moved");
	else if (is_over_rate(job, now_ns))
		fail(server, NET_RUNNING, IPERF_E_RATE, -EPROTO, "it goes faster than --max-rate");
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
	struct text json = text_in(bout.wire + 4, sizeof bout.wire - 5), output = TEXT(result.server_output);
	uint32_t length;

	*result.server_output = '\0';
	if (bout.test.get_server_output)
		report_output(&bout.test, &result, &output);
	iperf_results_write(&result, result.elapsed_ns, bout.test.get_server_output ? result.server_output : NULL, &json);
	length = __builtin_bswap32((uint32_t)json.length);
	memcpy(bout.wire, &length, sizeof length);
	bout.wire[4 + json.length] = IPERF_DISPLAY_RESULTS;
	bout.at = 0;
	bout.size = 4 + json.length + 1;
	enter(GOODBYE, SECONDS(10));
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

	if (iperf_results_parse(&server_json, bout.wire + 4, bout.at - 4, &result, fault, sizeof fault)) {
		bout.at = 0;
		fail(server, NET_RESULTS, IPERF_E_RESULTS, -EPROTO, "the client's results cannot be used: %s", fault);
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
		fail(server, NET_RESULTS, IPERF_E_RESULTS, -EPROTO, "the client's results would take %zu bytes, and at most %u are taken", whole - 4, IPERF_RESULTS_MAX);
	} else if (bout.at == whole && whole > 4)
		take_results(server);
}

/* Everything is told: whatever comes now, and if nothing does. */
static void take_goodbye(struct server *server)
{
	result.phase = NET_DONE;
	*result.fault = '\0';
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
		fail(server, phase_of_bout(), 0, -ECANCELED, "the client gave up");
	else
		fail(server, phase_of_bout(), E_MESSAGE, -EPROTO, "the client sends %d, which is not due", state);
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
		hear_greeting_again(fds[2].fd);
	if (count > 1 && fds[1].revents && bout.on)
		hear_greeting(server);
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
		fail(server, NET_STREAMS, E_STREAM_ACCEPT, -ETIMEDOUT, "%u of %u streams came in time", bout.have, bout.want);
	else if (bout.phase == GOODBYE && bout.at == bout.size)
		take_goodbye(server);
	else
		fail(server, NET_RESULTS, IPERF_E_RESULTS, -ETIMEDOUT, bout.phase == RESULTS ? "the client's results did not come in time" : "the client does not take the results");
	return now_ns;
}
