/*
 * socket.h: TCP sockets that never hang: every one has send and receive timeouts.  All return 0, a descriptor, a count or -errno.
 */
#ifndef SOCKET_H
#define SOCKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* 127.0.0.1 with a port in host order. */
struct sockaddr_in socket_loopback(uint16_t port);

/* Is the interface there and up?  0; -ENETDOWN when down; -ENODEV when there is none; -EPERM and so on. */
int socket_link_up(const char *name);
int socket_link_mtu(const char *name);                                 /* bytes */

int socket_listen(const struct sockaddr_in *address, uint64_t timeout_ns);
int socket_port(int fd);                                               /* that a listener got, host order */
int socket_accept(int listener, uint64_t timeout_ns);                  /* -EAGAIN: nobody came in the listener's time */
int socket_connect(const struct sockaddr_in *address, uint64_t timeout_ns);
int socket_timeout(int fd, uint64_t timeout_ns);                       /* of each send and receive */

ssize_t socket_send(int fd, const void *from, size_t count);           /* no SIGPIPE; -EAGAIN after the timeout */
ssize_t socket_receive(int fd, void *to, size_t count);                /* 0 at the end */
void socket_shutdown(int fd);                                          /* both ways: wakes whoever waits in it */

/* What the kernel tells of a TCP connection. */
struct socket_state {
	uint32_t retransmits, cwnd, mss, path_mtu;
	uint32_t send_buffer_bytes, receive_buffer_bytes; /* granted */
};
int socket_state(int fd, struct socket_state *state);

#endif
