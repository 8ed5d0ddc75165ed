/* client_end.c: the end of a test's data: what is sent arrives, and what still comes is taken until the peer has heard of it. */
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "net/client_inside.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { LATE_MS = 60 };

static char taken[256 << 10];

bool client_is_interrupted(const struct client *client)
{
	return client->job->interrupted && *client->job->interrupted;
}

/* One that a greater number has overtaken was still under way when the time was over: it is not lost.  What the kernel has joined (UDP_GRO) comes in one. */
static void take_late(const struct net_test *test, struct net_stream_result *told, size_t size)
{
	told->late = true;
	for (size_t at = 0; at + TEST_UDP_LENGTH_MIN <= size; at += test->length_bytes) {
		uint64_t number = 0;

		for (unsigned i = 0; i < (test->counters_64bit ? 8 : 4); i++)
			number = number << 8 | (unsigned char)taken[at + 8 + i];
		told->here.errors -= number && number <= told->counts.highest && told->here.errors;
	}
}

/* Throws away what came behind the end; not all of it at once, for it may come faster than it goes. */
void client_sweep(const struct client *client)
{
	for (unsigned i = 0; i < client->stream_count; i++)
		for (unsigned calls = 0; calls < 64 && !client->streams[i].sends; calls++) {
			long got = sys_call(SYS_recvfrom, client->streams[i].fd, taken, sizeof taken, MSG_DONTWAIT, NULL, NULL);

			if (got <= 0)
				break;
			if (client->job->test.protocol == NET_UDP)
				take_late(&client->job->test, &client->result->streams[i], (size_t)got);
		}
}

/* A server that is stuck in sending cannot read that the test is over: until it says something, what it sends is taken. */
void client_drain(const struct client *client, uint64_t until_ns)
{
	struct pollfd control = { .fd = client->control, .events = POLLIN };

	while (clock_now_ns() < until_ns && !client_is_interrupted(client)) {
		int said = sys_poll(&control, 1, 1);

		client_sweep(client); /* what came before it said something, too */
		if (said > 0)
			return;
	}
}

static bool misses_some(const struct client *client)
{
	for (unsigned i = 0; i < client->stream_count; i++)
		if (!client->streams[i].sends && client->result->streams[i].here.errors)
			return true;
	return false;
}

void client_await_late(const struct client *client)
{
	uint64_t until_ns = clock_now_ns() + MS(LATE_MS);

	while (misses_some(client) && clock_now_ns() < until_ns && !client_is_interrupted(client)) {
		client_sweep(client);
		sys_sleep_ns(MS(1));
	}
}

/* What waits for an acknowledgement only because it is small goes at once. */
static void push(const struct client *client)
{
	static const int at_once = 1;

	for (unsigned i = 0; i < client->stream_count; i++)
		if (client->streams[i].sends && client->job->test.protocol == NET_TCP)
			sys_call(SYS_setsockopt, client->streams[i].fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

static bool has_unsent(const struct client *client)
{
	int bytes;

	for (unsigned i = 0; i < client->stream_count; i++)
		if (client->streams[i].sends && !sys_ioctl(client->streams[i].fd, SIOCOUTQNSD, &bytes) && bytes > 0)
			return true;
	return false;
}

/* How long the send buffers take to empty, and at most so long.  Where the peer sends on meanwhile, the time's end is the end. */
static uint64_t empty_buffers(const struct client *client, bool by_time)
{
	uint64_t start_ns = clock_now_ns(), most_ns = by_time ? client->patience_ns / 20 : client->patience_ns;

	if (by_time && client->job->test.bidirectional)
		return 0;
	while (has_unsent(client) && clock_now_ns() - start_ns < most_ns && !client_is_interrupted(client))
		sys_sleep_ns(US(500));
	return clock_now_ns() - start_ns;
}

/*
 * What was sent arrives before the peer hears of the end and stops listening.  That it leaves the send buffers is a part of the test; then it has a
 * little time to get there and to be read, which is none.
 */
void client_let_arrive(const struct client *client)
{
	const struct net_test *test = &client->job->test;
	bool by_time = !test->bytes && !test->blocks;
	uint64_t rtt_ns = US((uint64_t)client->result->control_rtt_us), wait_ns;

	if (!client->stream_count || !client->streams->sends)
		return;
	push(client);
	wait_ns = empty_buffers(client, by_time);
	client->result->elapsed_ns += wait_ns;
	for (unsigned i = 0; i < client->stream_count; i++)
		client->result->streams[i].here.elapsed_ns += wait_ns;
	sys_sleep_ns((rtt_ns < MS(100) ? rtt_ns : MS(100)) + (by_time ? test->protocol == NET_UDP && !test->bidirectional ? MS(10) : MS(2) : MS(50)));
}
