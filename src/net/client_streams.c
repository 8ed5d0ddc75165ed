/* client_streams.c: the data connections of a test, one after another: a cookie on each (TCP), a greeting and its answer (UDP). */
#include <errno.h>
#include <string.h>

#include "net/client_inside.h"
#include "sys/call.h"
#include "sys/clock.h"

/* Waits for the answer to a greeting; a receiver's first data, which may overtake it, tells the same.  0, -ETIMEDOUT, -errno. */
static int await_answer(int fd, bool sends, uint64_t until_ns)
{
	static unsigned char data[TEST_UDP_LENGTH_MAX];
	uint64_t now_ns;

	while ((now_ns = clock_now_ns()) < until_ns) {
		ssize_t got = socket_timeout(fd, until_ns - now_ns > US(1) ? until_ns - now_ns : US(1));

		if (!got)
			got = socket_receive(fd, data, sizeof data);
		if (got < 0 && got != -EAGAIN)
			return (int)got;
		if (got >= 4 && (iperf_is_udp_answer(data) || (!sends && got >= TEST_UDP_LENGTH_MIN)))
			return 0;
	}
	return -ETIMEDOUT;
}

/* Either may be lost: again and again, each time with twice the patience. */
static int greet(struct client *client, const struct stream *stream)
{
	uint64_t until_ns = clock_now_ns() + client->patience_ns, wait_ns = client->patience_ns / 32;
	int err;

	for (;; wait_ns *= 2) {
		uint64_t next_ns = clock_now_ns() + wait_ns;

		err = (int)socket_send(stream->fd, iperf_udp_greeting, sizeof iperf_udp_greeting);
		if (err >= 0)
			err = await_answer(stream->fd, stream->sends, next_ns < until_ns ? next_ns : until_ns);
		if (!err || (err != -ETIMEDOUT && err != -ECONNREFUSED) || clock_now_ns() >= until_ns)
			return err;
		if (err == -ECONNREFUSED)
			sys_sleep_ns(wait_ns);
	}
}

static int open_one(struct client *client, unsigned index, const char **refused)
{
	const struct client_job *job = client->job;
	struct net_address bind = job->bind;
	const struct socket_ask ask = { .bind = &bind, .device = job->device, .timeout_ns = client->connect_ns, .test = &job->test, .refused = refused };
	struct stream *stream = &client->streams[index];

	if (job->cport) {
		if (!bind.length)
			bind = address_any(job->peer.any.sa_family == AF_INET ? NET_V4 : NET_V6, 0);
		address_set_port(&bind, (uint16_t)(job->cport + index));
	}
	*stream = (struct stream){ .gate = &client->gate, .id = iperf_stream_id(index), .cpu = -1 };
	stream->sends = job->test.bidirectional ? index < job->test.streams : !job->test.reverse;
	if (job->cpus && job->cpus->count)
		stream->cpu = job->cpus->cpus[index % job->cpus->count];
	stream->fd = socket_connect(job->test.protocol, &job->peer, &ask);
	if (stream->fd < 0)
		return stream->fd;
	client->stream_count = index + 1;
	if (job->test.protocol == NET_UDP)
		return greet(client, stream);
	return socket_send_all(stream->fd, client->result->cookie, IPERF_COOKIE, clock_now_ns() + client->patience_ns);
}

static void tell_stream(const struct stream *stream, struct net_stream_result *told)
{
	told->id = stream->id;
	told->sends = stream->sends;
	socket_local(stream->fd, &told->local);
	socket_peer(stream->fd, &told->peer);
}

unsigned client_count_streams(const struct net_test *test)
{
	return test->streams * (test->bidirectional ? 2 : 1);
}

/* For each a part of the patience with one, that many together are bounded, too. */
uint64_t client_streams_ns(uint64_t connect_ns, uint64_t patience_ns, unsigned count)
{
	return connect_ns + patience_ns + count * (patience_ns / 32);
}

int client_open_streams(struct client *client)
{
	const struct net_test *test = &client->job->test;
	unsigned count = client_count_streams(test);
	uint64_t until_ns = clock_now_ns() + client_streams_ns(client->connect_ns, client->patience_ns, count);
	const char *refused = NULL;

	client->gate = (struct stream_gate){ .test = test };
	for (unsigned i = 0; i < count; i++) {
		int err = clock_now_ns() < until_ns ? open_one(client, i, &refused) : -ETIMEDOUT;

		if (!err)
			err = socket_timeout(client->streams[i].fd, client->patience_ns);
		if (err)
			return client_not_connected(client, NET_STREAMS, err, refused);
		tell_stream(&client->streams[i], &client->result->streams[i]);
		client->result->stream_count = i + 1;
	}
	return 0;
}

void client_close_streams(struct client *client)
{
	for (unsigned i = 0; i < client->stream_count; i++)
		sys_close(client->streams[i].fd);
	client->stream_count = 0;
}
