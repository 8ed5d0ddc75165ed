/* socket.c: raw system calls, so that the -errno is at hand. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "capacity.h"
#include "lib/text.h"
#include "net/socket.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { UDP_RECEIVE_BUFFER = 4 << 20 };

static int set(int fd, int level, int name, const void *value, size_t size)
{
	return (int)sys_call(SYS_setsockopt, fd, level, name, value, size);
}

static int set_number(int fd, int level, int name, int number)
{
	return set(fd, level, name, &number, sizeof number);
}

/* ---- interfaces ---- */

static int link_request(const char *name, unsigned long request, struct ifreq *ifreq)
{
	int fd = (int)sys_call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return fd;
	*ifreq = (struct ifreq){ .ifr_flags = 0 };
	text_copy(ifreq->ifr_name, sizeof ifreq->ifr_name, name);
	err = sys_ioctl(fd, request, ifreq);
	sys_close(fd);
	return err;
}

int socket_link_up(const char *name)
{
	struct ifreq ifreq;
	int err = link_request(name, SIOCGIFFLAGS, &ifreq);

	return err < 0 ? err : ifreq.ifr_flags & IFF_UP ? 0 : -ENETDOWN;
}

int socket_link_mtu(const char *name)
{
	struct ifreq ifreq;
	int err = link_request(name, SIOCGIFMTU, &ifreq);

	return err < 0 ? err : ifreq.ifr_mtu;
}

int socket_link_driver(const char *name, char driver[32])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq ifreq = { .ifr_data = (char *)&info };
	int fd = (int)sys_call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return fd;
	text_copy(ifreq.ifr_name, sizeof ifreq.ifr_name, name);
	err = sys_ioctl(fd, SIOCETHTOOL, &ifreq);
	sys_close(fd);
	text_copy(driver, 32, info.driver);
	return err;
}

/* ---- options ---- */

int socket_timeout(int fd, uint64_t timeout_ns)
{
	struct timeval time = { .tv_sec = (time_t)(timeout_ns / SECONDS(1)), .tv_usec = (long)(timeout_ns % SECONDS(1) / 1000) };
	int err = set(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);

	return err ? err : set(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

static bool is_v6(int fd)
{
	struct net_address address;

	return !socket_local(fd, &address) && address.any.sa_family == AF_INET6;
}

/* IPv4 under an IPv6 socket takes IPv4's option; the other way round there is none. */
static int set_both(int fd, int v6_name, int v4_name, int number)
{
	int err = is_v6(fd) ? set_number(fd, IPPROTO_IPV6, v6_name, number) : 0, v4 = set_number(fd, IPPROTO_IP, v4_name, number);

	return is_v6(fd) ? err : v4;
}

static int apply_buffers(int fd, uint32_t bytes)
{
	int err = set_number(fd, SOL_SOCKET, SO_SNDBUF, (int)bytes);

	return err ? err : set_number(fd, SOL_SOCKET, SO_RCVBUF, (int)bytes);
}

static int apply_tcp(int fd, const struct net_test *test, const char **refused)
{
	int err = 0;

	if (test->mss_bytes && (err = set_number(fd, IPPROTO_TCP, TCP_MAXSEG, (int)test->mss_bytes)))
		*refused = "the MSS";
	else if (test->no_delay && (err = set_number(fd, IPPROTO_TCP, TCP_NODELAY, 1)))
		*refused = "no-delay";
	else if (*test->congestion && (err = set(fd, IPPROTO_TCP, TCP_CONGESTION, test->congestion, strlen(test->congestion))))
		*refused = "the congestion control";
	return err;
}

/* A receiver that is not woken for some milliseconds loses nothing by it: beyond the kernel's cap where that is permitted; what was granted is told. */
static void widen_receiver(int fd)
{
	if (set_number(fd, SOL_SOCKET, SO_RCVBUFFORCE, UDP_RECEIVE_BUFFER))
		set_number(fd, SOL_SOCKET, SO_RCVBUF, UDP_RECEIVE_BUFFER);
}

int socket_apply(int fd, const struct net_test *test, const char **refused)
{
	const char *unused;
	int err = 0;

	if (!refused)
		refused = &unused;
	if (test->protocol == NET_UDP && !test->window_bytes)
		widen_receiver(fd);
	if (test->window_bytes && (err = apply_buffers(fd, test->window_bytes)))
		*refused = "the window";
	else if (test->tos && (err = set_both(fd, IPV6_TCLASS, IP_TOS, (int)test->tos)))
		*refused = "the type of service";
	else if (test->dont_fragment && (err = set_both(fd, IPV6_MTU_DISCOVER, IP_MTU_DISCOVER, IP_PMTUDISC_DO)))
		*refused = "don't-fragment";
	else if (test->fq_rate_bit_per_s) {
		uint64_t rate = test->fq_rate_bit_per_s / 8;

		err = set(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate);
		*refused = "the kernel's pacing";
	}
	return err || test->protocol == NET_UDP ? err : apply_tcp(fd, test, refused);
}

/* ---- making them ---- */

static int bind_to(int fd, const struct net_address *address, const char *device)
{
	int err = 0;

	if (device && *device)
		err = set(fd, SOL_SOCKET, SO_BINDTODEVICE, device, strlen(device) + 1);
	if (!err && address && address->length) {
		set_number(fd, SOL_SOCKET, SO_REUSEADDR, 1);
		err = (int)sys_call(SYS_bind, fd, &address->any, address->length);
	}
	return err;
}

static int new_socket(int family, enum net_protocol protocol)
{
	return (int)sys_call(SYS_socket, family, (protocol == NET_TCP ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
}

/* The descriptor, or closed and err. */
static int keep_or_close(int fd, int err)
{
	if (err)
		sys_close(fd);
	return err ? err : fd;
}

int socket_listen(const struct net_address *address, const char *device, unsigned backlog)
{
	int fd = (int)sys_call(SYS_socket, address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return fd;
	if (address->any.sa_family == AF_INET6)
		set_number(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	err = bind_to(fd, address, device);
	if (!err)
		err = (int)sys_call(SYS_listen, fd, backlog);
	return keep_or_close(fd, err);
}

static int prepare(int fd, const struct socket_ask *ask)
{
	int err = socket_timeout(fd, ask->timeout_ns);

	if (!err && ask->test)
		err = socket_apply(fd, ask->test, ask->refused);
	return err ? err : bind_to(fd, ask->bind, ask->device);
}

int socket_bind_udp(const struct net_address *address, const struct socket_ask *ask)
{
	struct socket_ask to = *ask;
	int fd = new_socket(address->any.sa_family, NET_UDP);

	if (fd < 0)
		return fd;
	if (address->any.sa_family == AF_INET6)
		set_number(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	to.bind = address;
	return keep_or_close(fd, prepare(fd, &to));
}

int socket_accept(int listener, uint64_t timeout_ns, struct net_address *peer)
{
	struct pollfd ready = { .fd = listener, .events = POLLIN };
	struct net_address unused;
	int fd;

	if (!peer)
		peer = &unused;
	memset(peer, 0, sizeof *peer);
	peer->length = sizeof peer->v6;
	fd = sys_poll(&ready, 1, (int)(timeout_ns / 1000000));
	if (fd <= 0)
		return fd ? fd : -EAGAIN;
	fd = (int)sys_call(SYS_accept4, listener, &peer->any, &peer->length, SOCK_CLOEXEC);
	if (fd >= 0)
		socket_timeout(fd, timeout_ns);
	return fd;
}

int socket_connect(enum net_protocol protocol, const struct net_address *address, const struct socket_ask *ask)
{
	int fd = new_socket(address->any.sa_family, protocol), err;

	if (fd < 0)
		return fd;
	err = prepare(fd, ask);
	if (!err)
		err = (int)sys_call(SYS_connect, fd, &address->any, address->length);
	return keep_or_close(fd, err == -EINPROGRESS ? -ETIMEDOUT : err);
}

int socket_local(int fd, struct net_address *address)
{
	memset(address, 0, sizeof *address);
	address->length = sizeof address->v6;
	return (int)sys_call(SYS_getsockname, fd, &address->any, &address->length);
}

int socket_peer(int fd, struct net_address *address)
{
	memset(address, 0, sizeof *address);
	address->length = sizeof address->v6;
	return (int)sys_call(SYS_getpeername, fd, &address->any, &address->length);
}

/* ---- moving bytes ---- */

ssize_t socket_send(int fd, const void *from, size_t count)
{
	return sys_call(SYS_sendto, fd, from, count, MSG_NOSIGNAL, NULL, 0);
}

ssize_t socket_receive(int fd, void *to, size_t count)
{
	return sys_call(SYS_recvfrom, fd, to, count, 0, NULL, NULL);
}

/* Waits for events until a moment: 0 or -ETIMEDOUT, -EINTR, -errno. */
static int wait_for(int fd, short events, uint64_t until_ns)
{
	struct pollfd ready = { .fd = fd, .events = events };
	uint64_t now_ns = clock_now_ns();
	int got;

	if (now_ns >= until_ns)
		return -ETIMEDOUT;
	got = sys_poll(&ready, 1, (int)((until_ns - now_ns + 999999) / 1000000));
	return got > 0 ? 0 : got ? got : -ETIMEDOUT;
}

int socket_send_all(int fd, const void *from, size_t count, uint64_t until_ns)
{
	while (count) {
		long sent = sys_call(SYS_sendto, fd, from, count, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
		int err = sent == -EAGAIN ? wait_for(fd, POLLOUT, until_ns) : sent < 0 ? (int)sent : 0;

		if (err)
			return err;
		if (sent > 0) {
			from = (const char *)from + sent;
			count -= (size_t)sent;
		}
	}
	return 0;
}

int socket_receive_all(int fd, void *to, size_t count, uint64_t until_ns)
{
	while (count) {
		long got = sys_call(SYS_recvfrom, fd, to, count, MSG_DONTWAIT, NULL, NULL);
		int err = got == -EAGAIN ? wait_for(fd, POLLIN, until_ns) : got < 0 ? (int)got : got ? 0 : -EPIPE;

		if (err)
			return err;
		if (got > 0) {
			to = (char *)to + got;
			count -= (size_t)got;
		}
	}
	return 0;
}

void socket_shutdown(int fd)
{
	sys_call(SYS_shutdown, fd, SHUT_RDWR);
}

/* ---- what the kernel tells ---- */

static uint32_t number_option(int fd, int level, int name)
{
	int value = 0;
	socklen_t size = sizeof value;

	sys_call(SYS_getsockopt, fd, level, name, &value, &size);
	return value < 0 ? 0 : (uint32_t)value;
}

int socket_state(int fd, struct socket_state *state)
{
	struct tcp_info info = { .tcpi_state = 0 };
	socklen_t size = sizeof info;
	int err = (int)sys_call(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, &info, &size);

	*state = (struct socket_state){
		.retransmits = info.tcpi_total_retrans, .mss = info.tcpi_snd_mss, .path_mtu = info.tcpi_pmtu,
		.cwnd_bytes = info.tcpi_snd_cwnd * info.tcpi_snd_mss, .rtt_us = info.tcpi_rtt, .rttvar_us = info.tcpi_rttvar, .rtt_min_us = info.tcpi_min_rtt,
		.busy_us = info.tcpi_busy_time, .rwnd_limited_us = info.tcpi_rwnd_limited, .sndbuf_limited_us = info.tcpi_sndbuf_limited,
		.send_window_bytes = info.tcpi_snd_wnd, .bytes_retransmitted = info.tcpi_bytes_retrans,
		.send_buffer_bytes = number_option(fd, SOL_SOCKET, SO_SNDBUF),
		.receive_buffer_bytes = number_option(fd, SOL_SOCKET, SO_RCVBUF),
	};
	size = sizeof state->congestion;
	if (!err)
		sys_call(SYS_getsockopt, fd, IPPROTO_TCP, TCP_CONGESTION, state->congestion, &size);
	return err;
}
