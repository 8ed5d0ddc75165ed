/*
 * client.c: the sequence of a test as iperf3's client goes through it: taken, parameters, streams, start, data, end, results.
 */
#include <errno.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "net/client_inside.h"
#include "net/timekeeper.h"
#include "sys/call.h"
#include "sys/clock.h"

#define MOST_DATAGRAMS 1000000000000ull /* ten million a second for a day */

static char wire[IPERF_RESULTS_MAX];

static uint64_t deadline_ns(const struct client *client)
{
	return clock_now_ns() + client->patience_ns;
}

/*
 * The state that is due; whatever else comes is a fault.  iperf3's server sends state by state, and its kernel keeps the second one back until the first is
 * acknowledged: which must not wait, for that server's time begins with the second.
 */
static int expect_until(struct client *client, enum net_phase phase, enum iperf_state due, uint64_t until_ns)
{
	static const int at_once = 1;
	int state, err;

	sys_call(SYS_setsockopt, client->control, IPPROTO_TCP, TCP_QUICKACK, &at_once, sizeof at_once);
	do
		err = iperf_receive_state(client->control, &state, until_ns);
	while (err == -EINTR && !client_is_interrupted(client));
	if (err)
		return client_lost(client, phase, err);
	return state == (int)due ? 0 : client_unexpected(client, phase, state, due);
}

static int expect(struct client *client, enum net_phase phase, enum iperf_state due)
{
	return expect_until(client, phase, due, deadline_ns(client));
}

static int say(struct client *client, enum net_phase phase, enum iperf_state state)
{
	int err = iperf_send_state(client->control, state, deadline_ns(client));

	return err ? client_lost(client, phase, err) : 0;
}

static int send_json(struct client *client, enum net_phase phase, const struct text *json)
{
	int err = json->cut ? -EMSGSIZE : iperf_send_json(client->control, json->at, json->length, deadline_ns(client));

	return err ? client_lost(client, phase, err) : 0;
}

/* ---- one after another ---- */

static int connect_control(struct client *client)
{
	static const struct net_test at_once = { .no_delay = true };
	const struct client_job *job = client->job;
	struct net_address bind = job->bind;
	const struct socket_ask ask = { .bind = &bind, .device = job->device, .timeout_ns = client->connect_ns, .test = &at_once };
	struct socket_state state;

	if (bind.length)
		address_set_port(&bind, 0);
	client->control = socket_connect(NET_TCP, &job->peer, &ask);
	if (client->control < 0)
		return client_not_connected(client, NET_CONNECT, client->control, NULL);
	socket_state(client->control, &state);
	client->result->mss_default = state.mss;
	client->result->control_rtt_us = state.rtt_us;
	socket_local(client->control, &client->result->control_local);
	socket_peer(client->control, &client->result->control_peer);
	return 0;
}

/* A busy server answers and closes without reading: that our cookie found no taker says less than its answer. */
static int be_taken(struct client *client)
{
	int err = iperf_cookie_make(client->result->cookie);

	if (err)
		return client_fault(client, NET_COOKIE, NET_OURS, err, "no random numbers: %s", sys_error(err));
	socket_send_all(client->control, client->result->cookie, IPERF_COOKIE, deadline_ns(client));
	return expect(client, NET_COOKIE, IPERF_PARAM_EXCHANGE);
}

/* `assay serve` says that it is one, before what is due. */
static int expect_streams(struct client *client)
{
	uint64_t until_ns = deadline_ns(client);
	int state, err = iperf_receive_state(client->control, &state, until_ns);

	if (!err && state == IPERF_ASSAY) {
		client->result->peer_is_assay = true;
		if (client->job->met)
			client->job->met(client->job->note_context);
		return expect(client, NET_PARAMETERS, IPERF_CREATE_STREAMS);
	}
	if (err)
		return client_lost(client, NET_PARAMETERS, err);
	return state == IPERF_CREATE_STREAMS ? 0 : client_unexpected(client, NET_PARAMETERS, state, IPERF_CREATE_STREAMS);
}

static int agree(struct client *client)
{
	struct text json = TEXT(wire);
	int err;

	iperf_parameters_write(&client->job->test, "assay " ASSAY_VERSION, client->job->title, &json);
	err = send_json(client, NET_PARAMETERS, &json);
	if (!err)
		err = expect_streams(client);
	if (!err)
		err = client_open_streams(client);
	if (!err)
		err = expect(client, NET_START, IPERF_TEST_START);
	return err ? err : expect(client, NET_START, IPERF_TEST_RUNNING);
}

/* A server older than 3.7 takes the streams of one direction, and closes the other's or leaves them lie. */
static bool both_ways_ignored(const struct client *client)
{
	const struct net_result *result = client->result;
	unsigned each = client->job->test.streams;

	if (!client->job->test.bidirectional || result->stream_count != 2 * each)
		return false;
	for (unsigned i = each; i < 2 * each; i++)
		if (result->streams[i].here.bytes + result->streams[i].here.omitted_bytes > 1 || result->streams[i].there.told)
			return false;
	return true;
}

static int old_server(struct client *client, enum net_phase phase)
{
	return client_fault(client, phase, NET_PEER, -EOPNOTSUPP, "it sends nothing, as iperf3 before 3.7 does when asked for both ways at once: measure one after the other");
}

/* Of so much in all: at a hundredth of 1 GbE, or half the rate that is asked for. */
static uint64_t run_longest_ns(const struct net_test *test)
{
	uint64_t bytes = test->bytes ? test->bytes : test->blocks * test->length_bytes, slowest = 10000000 / 8;

	if (!bytes)
		return test->omit_ns + test->time_ns;
	if (test->rate_bit_per_s && test->rate_bit_per_s * test->streams / 16 < slowest)
		slowest = test->rate_bit_per_s * test->streams / 16;
	return test->omit_ns + SECONDS(1) * (1 + bytes / (slowest ? slowest : 1));
}

static int run_streams(struct client *client)
{
	const struct client_job *job = client->job;
	const struct timekeeper_job keeper = {
		.test = &job->test, .streams = client->streams, .stream_count = client->stream_count, .interval_ns = job->interval_ns,
		.longest_ns = run_longest_ns(&job->test), .control_fd = client->control, .interrupted = job->interrupted, .note = job->note, .note_context = job->note_context,
	};
	int err = timekeeper_run(&keeper, client->result), state;

	if (!err)
		return 0;
	if (client_is_interrupted(client)) {
		iperf_send_state(client->control, IPERF_CLIENT_TERMINATE, clock_now_ns() + MS(100));
		return client_lost(client, NET_RUNNING, -EINTR);
	}
	if (err == -ECANCELED) {
		err = iperf_receive_state(client->control, &state, deadline_ns(client));
		return err ? client_lost(client, NET_RUNNING, err) : client_unexpected(client, NET_RUNNING, state, 0);
	}
	if (both_ways_ignored(client))
		return old_server(client, NET_RUNNING);
	if (err == -ETIME)
		return client_fault(client, NET_RUNNING, NET_PEER, err, "so slow that so many bytes will not come to an end: ask for fewer, or for a time");
	return client_lost(client, NET_RUNNING, err);
}

static int stop(struct client *client)
{
	uint64_t until_ns;
	int err;

	client_let_arrive(client);
	until_ns = deadline_ns(client);
	err = say(client, NET_STOP, IPERF_TEST_END);
	if (err)
		return err;
	client_drain(client, until_ns);
	err = expect_until(client, NET_STOP, IPERF_EXCHANGE_RESULTS, until_ns);
	if (!err)
		client_await_late(client);
	return err;
}

/* ---- results ---- */

static bool nothing_came(const struct net_result *result, bool sends)
{
	struct net_sum sum;

	net_sum(result, sends, &sum);
	return sum.streams && !sum.bytes_received;
}

/*
 * TCP neither makes bytes up nor loses them: what has left and did not come lies in the buffers between.  Datagrams may come twice.
 */
static bool is_lie(const struct net_test *test, const struct net_stream_result *stream)
{
	uint64_t sent = stream->here.bytes + stream->here.omitted_bytes, came = stream->there.bytes;

	if (!stream->sends && test->protocol == NET_UDP) /* a greater number came than it says that it has given */
		return stream->there.datagrams + stream->there.omitted_datagrams < stream->counts.highest || stream->there.datagrams > MOST_DATAGRAMS;
	if (!stream->sends)
		return false;
	if (test->protocol == NET_UDP)
		return came > sent + sent / 4 || stream->there.datagrams > MOST_DATAGRAMS;
	return came > sent || (!test->omit_ns && sent / 2 > came && sent - came > 512 * MIB);
}

/* What cannot be: a stream left out, or more arrived at the one end than left the other; and what is no measurement. */
static int judge_results(struct client *client)
{
	struct net_result *result = client->result;
	bool tcp = client->job->test.protocol == NET_TCP;

	if (both_ways_ignored(client))
		return old_server(client, NET_RESULTS);
	for (unsigned i = 0; i < result->stream_count; i++) {
		struct net_stream_result *stream = &result->streams[i];

		if (!stream->there.told)
			return client_fault(client, NET_RESULTS, NET_PEER, -EPROTO, "its results leave out stream %d", stream->id);
		if (is_lie(&client->job->test, stream)) {
			if (!stream->sends)
				return client_fault(client, NET_RESULTS, NET_PEER, -EPROTO, "by its results it sent %llu datagrams by stream %d, and number %llu came: that cannot be",
				                    (unsigned long long)stream->there.datagrams, stream->id, (unsigned long long)stream->counts.highest);
			return client_fault(client, NET_RESULTS, NET_PEER, -EPROTO, "by its results %llu bytes came by stream %d, of %llu that were sent: that cannot be",
			                    (unsigned long long)stream->there.bytes, stream->id, (unsigned long long)stream->here.bytes);
		}
	}
	if (tcp && (nothing_came(result, true) || nothing_came(result, false)))
		return client_fault(client, NET_RESULTS, NET_PEER, -ENODATA, "not one byte came through: it does not move data, or the way lets none through");
	return 0;
}

static int receive_results(struct client *client)
{
	static struct json scratch;
	char fault[120];
	size_t length;
	int err = iperf_receive_json(client->control, wire, sizeof wire, &length, deadline_ns(client));

	if (err == -EMSGSIZE)
		return client_fault(client, NET_RESULTS, NET_PEER, -EPROTO, "its results would take %zu bytes, and at most %zu are taken", length, sizeof wire);
	if (err)
		return client_lost(client, NET_RESULTS, err);
	if (iperf_results_parse(&scratch, wire, length, client->result, fault, sizeof fault))
		return client_fault(client, NET_RESULTS, NET_PEER, -EPROTO, "its results cannot be used: %s", fault);
	return judge_results(client);
}

static int exchange_results(struct client *client)
{
	struct text json;
	int err;

	client_sweep(client);
	json = TEXT(wire);
	iperf_results_write(client->result, client->result->elapsed_ns + client->result->omitted_ns, NULL, &json);
	err = send_json(client, NET_RESULTS, &json);
	if (!err)
		err = receive_results(client);
	for (unsigned i = 0; err && i < client->result->stream_count; i++)
		client->result->streams[i].there = (struct net_end){ .told = false }; /* whoever lies once has told nothing */
	return err ? err : expect(client, NET_RESULTS, IPERF_DISPLAY_RESULTS);
}

/* Everything is told: what goes wrong here is of no account. */
static void say_goodbye(const struct client *client)
{
	uint64_t until_ns = clock_now_ns() + (client->patience_ns < SECONDS(1) ? client->patience_ns : SECONDS(1));
	char left;

	iperf_send_state(client->control, IPERF_DONE, until_ns);
	sys_call(SYS_shutdown, client->control, SHUT_WR);
	while (!socket_receive_all(client->control, &left, 1, until_ns))
		;
}

static int go_through(struct client *client)
{
	int err = connect_control(client);

	if (!err)
		err = be_taken(client);
	if (!err)
		err = agree(client);
	if (!err)
		err = run_streams(client);
	if (!err)
		err = stop(client);
	if (!err)
		err = exchange_results(client);
	if (err)
		return err;
	say_goodbye(client);
	client->result->phase = NET_DONE;
	return 0;
}

/* The peer knows a warm-up in whole seconds alone: one of another length here would leave a part of the measured time out of the peer's count. */
uint64_t client_omit_ns(const struct net_test *test)
{
	return (test->omit_ns + SECONDS(1) - 1) / SECONDS(1) * SECONDS(1);
}

int client_run(const struct client_job *given, struct net_result *result)
{
	static struct client client;
	static struct client_job whole;
	const struct client_job *job = &whole;
	int err;

	whole = *given;
	whole.test.omit_ns = client_omit_ns(&given->test);
	memset(result, 0, sizeof *result);
	client.job = job;
	client.result = result;
	client.control = -1;
	client.stream_count = 0;
	client.connect_ns = job->connect_timeout_ns ? job->connect_timeout_ns : SECONDS(3);
	client.patience_ns = job->patience_ns ? job->patience_ns : SECONDS(10);
	client_look_at_link(&client);
	err = client_blame_link(&client, go_through(&client));
	client_close_streams(&client);
	if (client.control >= 0)
		sys_close(client.control);
	return err;
}

/* TEST_START and TEST_RUNNING, TEST_END and its answer, results there and back and their display: each may take all the patience there is. */
uint64_t client_longest_ns(const struct client_job *job)
{
	uint64_t connect_ns = job->connect_timeout_ns ? job->connect_timeout_ns : SECONDS(3), patience_ns = job->patience_ns ? job->patience_ns : SECONDS(10);

	return connect_ns + client_streams_ns(connect_ns, patience_ns, client_count_streams(&job->test)) + run_longest_ns(&job->test) + SECONDS(1) +
	       12 * patience_ns + SECONDS(1);
}
