/*
 * socket.h: sockets that never hang: every one has send and receive timeouts.  All return 0, a descriptor, a count or -errno.
 */
#ifndef SOCKET_H
#define SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "net/address.h"
#include "net/test.h"

/* Is the interface there and up?  0; -ENETDOWN when down; -ENODEV when there is none; -EPERM and so on. */
int socket_link_up(const char *name);
int socket_link_mtu(const char *name);                                 /* bytes */
int socket_link_driver(const char *name, char driver[32]);             /* "veth" */

/* How a socket is made: all 0 is an ordinary one. */
struct socket_ask {
	const struct net_address *bind; /* NULL: wherever the route goes */
	const char *device;             /* SO_BINDTODEVICE; "" or NULL: none */
	uint64_t timeout_ns;            /* of connecting, and of each send and receive from then on */
	const struct net_test *test;    /* its buffers, MSS, no_delay, congestion, TOS and so on are set before connecting; NULL: none */
	const char **refused;           /* may be NULL: which of these the kernel refused, when it did */
};

int socket_listen(const struct net_address *address, const char *device, unsigned backlog); /* not blocking; TCP, SO_REUSEADDR */
int socket_bind_udp(const struct net_address *address, const struct socket_ask *ask);
/* -EAGAIN: nobody came in timeout_ns, which is also that of the new socket's sends and receives; peer may be NULL. */
int socket_accept(int listener, uint64_t timeout_ns, struct net_address *peer);
int socket_connect(enum net_protocol protocol, const struct net_address *address, const struct socket_ask *ask);
int socket_apply(int fd, const struct net_test *test, const char **refused);    /* of a socket that is there already */
int socket_local(int fd, struct net_address *address);
int socket_peer(int fd, struct net_address *address);
int socket_timeout(int fd, uint64_t timeout_ns);                       /* of each send and receive */

ssize_t socket_send(int fd, const void *from, size_t count);           /* no SIGPIPE; -EAGAIN after the timeout */
ssize_t socket_receive(int fd, void *to, size_t count);                /* 0 at the end */
/* All of it until a moment of clock_now_ns(): 0; -ETIMEDOUT; -EPIPE at the end of the connection; -EINTR; or -errno. */
int socket_send_all(int fd, const void *from, size_t count, uint64_t until_ns);
int socket_receive_all(int fd, void *to, size_t count, uint64_t until_ns);
void socket_shutdown(int fd);                                          /* both ways: wakes whoever waits in it */

/* What the kernel tells of a connection (TCP_INFO) and its buffers; 0 where it does not (UDP has buffers only). */
struct socket_state {
	uint32_t retransmits, mss, path_mtu;
	uint32_t cwnd_bytes, rtt_us, rttvar_us, rtt_min_us;
	uint64_t busy_us, rwnd_limited_us, sndbuf_limited_us; /* of a sender: how long it had data to send, and what held it back meanwhile */
	uint32_t send_window_bytes; /* that the peer offers; 0: this kernel does not tell */
	uint64_t bytes_retransmitted;
	uint32_t send_buffer_bytes, receive_buffer_bytes; /* granted */
	char congestion[16];
};
int socket_state(int fd, struct socket_state *state);

#endif
