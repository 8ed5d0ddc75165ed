#include <errno.h>
#include <sys/socket.h>

#include "capacity.h"
#include "net/socket.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "test.h"

static const struct socket_ask ask = { .timeout_ns = MS(300) };

/* A listener on the loopback address of a family, and where it listens. */
static int listen_on(enum net_family family, struct net_address *address)
{
	int listener;

	*address = address_loopback(family, 0);
	listener = socket_listen(address, NULL, 4);
	check(listener >= 0);
	check_equal(socket_local(listener, address), 0);
	check(address_port(address) > 0);
	return listener;
}

test(accept_gives_up_when_nobody_comes)
{
	struct net_address address;
	int listener = listen_on(NET_V4, &address);
	uint64_t start_ns = clock_now_ns();

	check_equal(socket_accept(listener, MS(50), NULL), -EAGAIN);
	check(clock_now_ns() - start_ns < SECONDS(5));
	sys_close(listener);
}

test(connecting_to_a_port_without_a_listener_is_refused)
{
	struct net_address address;
	int listener = listen_on(NET_V4, &address);

	sys_close(listener);
	check_equal(socket_connect(NET_TCP, &address, &ask), -ECONNREFUSED);
}

static void silent_end(enum net_family family)
{
	struct net_address address, peer;
	int listener = listen_on(family, &address), near, far;
	char byte = 1;

	near = socket_connect(NET_TCP, &address, &ask);
	far = socket_accept(listener, MS(50), &peer);
	check(near >= 0 && far >= 0);
	check(address_same_host(&peer, &address));
	check_equal(socket_receive(far, &byte, 1), -EAGAIN);
	check_equal(socket_receive_all(far, &byte, 1, clock_now_ns() + MS(20)), -ETIMEDOUT);
	check_equal(socket_send_all(near, &byte, 1, clock_now_ns() + MS(20)), 0);
	check_equal(socket_receive_all(far, &byte, 1, clock_now_ns() + SECONDS(5)), 0);
	sys_close(near);
	check_equal(socket_receive(far, &byte, 1), 0);
	check_equal(socket_receive_all(far, &byte, 1, clock_now_ns() + SECONDS(5)), -EPIPE);
	sys_close(far);
	sys_close(listener);
}

test(receiving_gives_up_when_the_other_end_is_silent) { silent_end(NET_V4); }
test(the_same_over_ipv6) { silent_end(NET_V6); }

test(sending_gives_up_when_nobody_reads)
{
	static char much[16 << 20];
	int fds[2];

	check_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	check_equal(socket_send_all(fds[0], much, sizeof much, clock_now_ns() + MS(50)), -ETIMEDOUT);
	sys_close(fds[0]);
	sys_close(fds[1]);
}

test(an_interface_that_is_not_there_is_named_so)
{
	check_equal(socket_link_up("no-such-port"), -ENODEV);
	check_equal(socket_link_up("lo"), 0);
	check(socket_link_mtu("lo") > 0);
}

test(what_the_kernel_refuses_is_named)
{
	struct net_test wish = { .congestion = "no-such-thing" };
	struct socket_ask asking = ask;
	struct net_address address;
	const char *refused = NULL;
	int listener = listen_on(NET_V4, &address);

	asking.test = &wish;
	asking.refused = &refused;
	check(socket_connect(NET_TCP, &address, &asking) < 0);
	check_string(refused, "the congestion control");
	sys_close(listener);
}

test(what_was_asked_for_is_granted)
{
	struct net_test wish = { .window_bytes = 64 << 10, .mss_bytes = 1000, .no_delay = true };
	struct socket_ask asking = ask;
	struct socket_state state;
	struct net_address address;
	int listener = listen_on(NET_V4, &address), fd;

	asking.test = &wish;
	fd = socket_connect(NET_TCP, &address, &asking);
	check(fd >= 0);
	check_equal(socket_state(fd, &state), 0);
	check_equal(state.send_buffer_bytes, 128 << 10); /* the kernel doubles it */
	check(state.mss <= 1000);
	check(state.congestion[0]);
	sys_close(fd);
	sys_close(listener);
}

test(datagrams_go_by_both_families)
{
	for (enum net_family family = NET_V4; family <= NET_V6; family++) {
		struct net_address address = address_loopback(family, 0);
		int to = socket_bind_udp(&address, &ask), from;
		char bytes[4] = "abc", got[8];

		check(to >= 0);
		check_equal(socket_local(to, &address), 0);
		from = socket_connect(NET_UDP, &address, &ask);
		check_equal(socket_send(from, bytes, 4), 4);
		check_equal(socket_receive(to, got, sizeof got), 4);
		check_string(got, "abc");
		sys_close(to);
		sys_close(from);
	}
}
