#include <endian.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/stream.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "test.h"

static struct net_test job;
static struct stream_gate gate;
static struct stream streams[2];
static int fds[2];

/* Streams on a socketpair, or on loopback's datagrams: [0] sends, [1] receives, as far as they are started. */
static void prepare(enum net_protocol protocol, uint64_t patience_ns)
{
	job = (struct net_test){ .protocol = protocol, .streams = 1, .length_bytes = protocol == NET_UDP ? 1000 : 10000 };
	gate = (struct stream_gate){ .test = &job };
	if (protocol == NET_TCP) {
		check_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	} else {
		struct net_address address = address_loopback(NET_V4, 0);
		const struct socket_ask ask = { .timeout_ns = SECONDS(1) };

		fds[1] = socket_bind_udp(&address, &ask);
		socket_local(fds[1], &address);
		fds[0] = socket_connect(NET_UDP, &address, &ask);
		socket_local(fds[0], &address);
		check_equal(connect(fds[1], &address.any, address.length), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		socket_timeout(fds[i], patience_ns);
		streams[i] = (struct stream){ .gate = &gate, .fd = fds[i], .id = 1, .sends = !i, .cpu = STREAM_CPU_FREE };
	}
}

static void finish(void)
{
	close(fds[0]);
	close(fds[1]);
}

static struct stream_counts counts_of(unsigned index)
{
	struct stream_counts counts;

	stream_counts(&streams[index], &counts);
	return counts;
}

static void send_datagram(uint64_t number, size_t bytes)
{
	unsigned char datagram[1000] = { 0 };
	uint32_t words[4] = { htobe32(1), htobe32((uint32_t)number), htobe32(job.counters_64bit ? (uint32_t)(number >> 32) : (uint32_t)number),
	                      htobe32((uint32_t)number) };

	memcpy(datagram, words, job.counters_64bit ? 16 : 12);
	check_equal(send(fds[0], datagram, bytes, 0), bytes);
}

static void feed(const uint64_t *numbers, unsigned count)
{
	check_equal(streams_start(&streams[1], 1), 0);
	for (unsigned i = 0; i < count; i++)
		send_datagram(numbers[i], 1000);
}

test(lost_reordered_and_duplicated_datagrams_are_told_apart_by_both_widths)
{
	static const uint64_t numbers[] = { 1, 2, 2, 5, 3, 3, 8, 9 };

	for (unsigned wide = 0; wide < 2; wide++) {
		prepare(NET_UDP, SECONDS(1));
		job.counters_64bit = wide;
		feed(numbers, 8);
		streams_end(&streams[1], 1, false);
		check_equal(counts_of(1).datagrams, 6);
		check_equal(counts_of(1).highest, 9);
		check_equal(counts_of(1).reordered, 1);
		check_equal(counts_of(1).duplicates, 2);
		check_equal(counts_of(1).bytes, 8000);
		check_equal(counts_of(1).foreign, 0);
		finish();
	}
}

test(foreign_datagrams_are_not_counted)
{
	static const uint64_t numbers[] = { 1, 0, 0x7000000000, 2 };

	prepare(NET_UDP, SECONDS(1));
	job.counters_64bit = true;
	feed(numbers, 4);
	send_datagram(3, 8);
	send_datagram(0, 0);
	streams_end(&streams[1], 1, false);
	check_equal(counts_of(1).datagrams, 2);
	check_equal(counts_of(1).foreign, 4);
	check_equal(counts_of(1).bytes, 2000);
	check_equal(counts_of(1).highest, 2);
	finish();
}

test(what_a_full_receive_buffer_drops_is_told)
{
	uint32_t told[16];
	socklen_t size = sizeof told;
	int least = 1;
	bool is_told; /* not by an emulator's kernel */

	prepare(NET_UDP, SECONDS(1));
	is_told = !getsockopt(fds[1], SOL_SOCKET, SO_MEMINFO, told, &size) && size > 32;
	setsockopt(fds[1], SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
	for (unsigned i = 1; i <= 100; i++)
		send_datagram(i, 1000);
	check_equal(streams_start(&streams[1], 1), 0);
	sys_sleep_ns(MS(20));
	for (unsigned i = 101; i <= 200; i++)
		send_datagram(i, 1000);
	sys_sleep_ns(MS(20));
	streams_end(&streams[1], 1, false);
	check(counts_of(1).datagrams > 0);
	check(counts_of(1).datagrams < 200);
	if (is_told)
		check_equal(counts_of(1).datagrams + counts_of(1).kernel_drops, 200);
	finish();
}

test(datagrams_pass_from_stream_to_stream_whole_and_in_order)
{
	prepare(NET_UDP, SECONDS(1));
	job.rate_bit_per_s = 400000000;
	check_equal(streams_start(streams, 2), 0);
	sys_sleep_ns(MS(100));
	streams_end(streams, 2, false);
	check(counts_of(0).datagrams > 1000);
	check(counts_of(1).datagrams > 500);
	check(counts_of(1).datagrams <= counts_of(0).datagrams);
	check_equal(counts_of(1).foreign, 0);
	check_equal(counts_of(1).duplicates, 0);
	check_equal(counts_of(1).reordered, 0);
	check_equal(counts_of(1).bytes, counts_of(1).datagrams * 1000);
	check(!strncmp(streams[0].engine, "sendmmsg", 8));
	finish();
}

test(datagrams_beyond_the_mtu_go_without_segments)
{
	prepare(NET_UDP, SECONDS(1));
	job.length_bytes = 65507;
	check_equal(streams_start(streams, 2), 0);
	sys_sleep_ns(MS(50));
	streams_end(streams, 2, false);
	check(counts_of(1).datagrams > 0);
	check_equal(stream_error(&streams[0]), 0);
	check_string(streams[0].engine, "sendmmsg");
	finish();
}

test(a_receiver_of_datagrams_ends_in_time_when_none_come)
{
	uint64_t start_ns;

	prepare(NET_UDP, SECONDS(60));
	check_equal(streams_start(&streams[1], 1), 0);
	sys_sleep_ns(MS(10));
	start_ns = clock_now_ns();
	streams_end(&streams[1], 1, false);
	check(clock_now_ns() - start_ns < MS(800));
	check_equal(stream_error(&streams[1]), 0);
	check_equal(counts_of(1).datagrams, 0);
	finish();
}

test(datagrams_that_stay_away_are_no_error)
{
	prepare(NET_UDP, MS(50));
	check_equal(streams_start(&streams[1], 1), 0);
	sys_sleep_ns(MS(250));
	check_equal(stream_error(&streams[1]), 0);
	streams_end(&streams[1], 1, true);
	check_equal(stream_error(&streams[1]), 0);
	finish();
}

test(bytes_pass_and_what_is_under_way_is_drained)
{
	prepare(NET_TCP, SECONDS(1));
	gate.limit_blocks = 50;
	check_equal(streams_start(streams, 2), 0);
	for (unsigned i = 0; i < 200 && !gate.limit_reached; i++)
		sys_sleep_ns(MS(5));
	check(gate.limit_reached);
	streams_end(streams, 2, false);
	check_equal(counts_of(0).bytes, 500000);
	check_equal(counts_of(1).bytes, 500000);
	finish();
}

/* The sender has a gate of its own, which nobody stops. */
test(a_drain_has_an_end_though_the_peer_goes_on_and_on)
{
	static struct stream_gate other;
	uint64_t start_ns;

	prepare(NET_TCP, MS(300));
	other = (struct stream_gate){ .test = &job };
	streams[0].gate = &other;
	check_equal(streams_start(&streams[0], 1), 0);
	check_equal(streams_start(&streams[1], 1), 0);
	start_ns = clock_now_ns();
	streams_end(&streams[1], 1, false);
	check(clock_now_ns() - start_ns < SECONDS(2));
	streams_end(&streams[0], 1, true);
	finish();
}

test(a_limit_in_bytes_is_reached_by_whole_blocks)
{
	prepare(NET_TCP, SECONDS(1));
	gate.limit_bytes = 123456;
	check_equal(streams_start(streams, 2), 0);
	for (unsigned i = 0; i < 200 && !gate.limit_reached; i++)
		sys_sleep_ns(MS(5));
	streams_end(streams, 2, false);
	check_equal(counts_of(0).bytes, 130000);
	finish();
}

test(a_receiver_alone_reaches_the_limit_by_what_came)
{
	static char bytes[40000];

	prepare(NET_TCP, SECONDS(1));
	gate.limit_blocks = 4;
	check_equal(streams_start(&streams[1], 1), 0);
	check_equal(write(fds[0], bytes, 39999), 39999);
	sys_sleep_ns(MS(30));
	check(!gate.limit_reached);
	check_equal(write(fds[0], bytes, 1), 1);
	for (unsigned i = 0; i < 200 && !gate.limit_reached; i++)
		sys_sleep_ns(MS(5));
	check(gate.limit_reached);
	streams_end(&streams[1], 1, true);
	finish();
}

test(a_peer_that_closes_breaks_the_connection_at_either_end)
{
	for (unsigned i = 0; i < 2; i++) {
		prepare(NET_TCP, SECONDS(1));
		check_equal(streams_start(&streams[i], 1), 0);
		close(fds[!i]);
		for (unsigned wait = 0; wait < 200 && !stream_error(&streams[i]); wait++)
			sys_sleep_ns(MS(5));
		check(stream_is_broken(stream_error(&streams[i])));
		streams_end(&streams[i], 1, true);
		check(stream_is_broken(stream_error(&streams[i])));
		close(fds[i]);
	}
}

test(silence_beyond_the_sockets_timeout_is_told_and_ends_the_stream)
{
	for (unsigned i = 0; i < 2; i++) {
		prepare(NET_TCP, MS(150));
		check_equal(streams_start(&streams[i], 1), 0);
		sys_sleep_ns(MS(700));
		check_equal(stream_error(&streams[i]), -EAGAIN);
		streams_end(&streams[i], 1, false);
		finish();
	}
}

test(a_stop_is_no_error_and_leaves_what_still_comes)
{
	char left[100];
	uint64_t start_ns;

	prepare(NET_TCP, SECONDS(60));
	check_equal(streams_start(streams, 2), 0);
	sys_sleep_ns(MS(30));
	start_ns = clock_now_ns();
	streams_leave(streams, 2);
	check(clock_now_ns() - start_ns < MS(800));
	check_equal(stream_error(&streams[0]), 0);
	check_equal(stream_error(&streams[1]), 0);
	check(counts_of(1).bytes > 0);
	check_equal(send(fds[0], left, 100, MSG_DONTWAIT | MSG_NOSIGNAL) > 0 || errno == EAGAIN, true);
	finish();
}

test(a_paced_stream_holds_its_rate)
{
	uint64_t start_ns, elapsed_ns, bytes;

	prepare(NET_TCP, SECONDS(1));
	job.length_bytes = 128 * KIB;
	job.rate_bit_per_s = 40000000;
	check_equal(streams_start(streams, 2), 0);
	start_ns = clock_now_ns();
	sys_sleep_ns(MS(400));
	streams_end(streams, 2, false);
	elapsed_ns = clock_now_ns() - start_ns;
	bytes = counts_of(0).bytes;
	check(bytes > 5000 * (MS(400) / MS(1)) * 8 / 10);
	check(bytes < 5000 * (elapsed_ns / MS(1)) * 11 / 10 + 20000);
	check(stream_cpu_ns(&streams[0]) < MS(200));
	finish();
}

test(a_cpu_that_is_not_there_is_refused_and_nothing_moves)
{
	prepare(NET_TCP, SECONDS(1));
	streams[0].cpu = 1000;
	check(streams_start(streams, 2) < 0);
	check(!streams[0].started && !streams[1].started);
	check_equal(counts_of(0).bytes, 0);
	finish();
}

/* ---- over a connection of loopback: splice and zero copy ---- */

static void connect_loopback(void)
{
	struct net_address address = address_loopback(NET_V4, 0);
	const struct socket_ask ask = { .timeout_ns = SECONDS(2) };
	int listener = socket_listen(&address, NULL, 1);

	finish();
	socket_local(listener, &address);
	streams[0].fd = fds[0] = socket_connect(NET_TCP, &address, &ask);
	streams[1].fd = fds[1] = socket_accept(listener, SECONDS(2), NULL);
	close(listener);
}

static void move_by(enum net_send send, enum net_receive receive, const char *engine)
{
	prepare(NET_TCP, SECONDS(1));
	connect_loopback();
	job.send = send;
	job.receive = receive;
	job.length_bytes = 100000;
	streams[0].cpu = streams[1].cpu = STREAM_CPU_ANY;
	gate.limit_blocks = 200;
	check_equal(streams_start(streams, 2), 0);
	for (unsigned i = 0; i < 1000 && !gate.limit_reached; i++)
		sys_sleep_ns(MS(5));
	streams_end(streams, 2, false);
	check_equal(counts_of(0).bytes, 20000000);
	check_equal(counts_of(1).bytes, 20000000);
	check_equal(stream_error(&streams[0]), 0);
	check_equal(stream_error(&streams[1]), 0);
	check_string(streams[0].engine, engine);
	finish();
}

test(bytes_are_spliced)
{
	move_by(NET_SEND_SPLICE, NET_RECEIVE_COPY, "splice, one CPU");
}

test(bytes_are_dropped)
{
	move_by(NET_SEND_PLAIN, NET_RECEIVE_DROP, "send, one CPU");
	check_string(streams[1].engine, "recv, MSG_TRUNC, one CPU");
}

/* Loopback copies after all; an emulator's kernel may not know of it. */
test(zero_copies_that_were_copies_are_told)
{
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0), refused = setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on);

	close(fd);
	if (refused) {
		move_by(NET_SEND_ZEROCOPY, NET_RECEIVE_COPY, "send (zero copy refused), one CPU");
		check_equal(counts_of(0).copied_calls, 0);
		return;
	}
	move_by(NET_SEND_ZEROCOPY, NET_RECEIVE_COPY, "MSG_ZEROCOPY, one CPU");
	check(counts_of(0).copied_calls > 0);
	check(counts_of(0).copied_calls <= counts_of(0).calls);
}
