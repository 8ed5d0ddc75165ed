/* socket.c: raw system calls, so that the -errno is at hand. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "capacity.h"
#include "lib/text.h"
#include "net/socket.h"
#include "sys/call.h"

static long option(int fd, int level, int name, const void *value, socklen_t size)
{
	return sys_call(SYS_setsockopt, (long)fd, (long)level, (long)name, value, (long)size);
}

struct sockaddr_in socket_loopback(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int link_request(const char *name, unsigned long request, struct ifreq *ifreq)
{
	int fd = (int)sys_call(SYS_socket, (long)AF_INET, (long)SOCK_DGRAM | SOCK_CLOEXEC, 0l), err;

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

int socket_timeout(int fd, uint64_t timeout_ns)
{
	struct timeval time = { .tv_sec = (time_t)(timeout_ns / SECONDS(1)), .tv_usec = (long)(timeout_ns % SECONDS(1) / 1000) };
	long err = option(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);

	return (int)(err ? err : option(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
}

static int tcp_socket(uint64_t timeout_ns)
{
	int fd = (int)sys_call(SYS_socket, (long)AF_INET, (long)SOCK_STREAM | SOCK_CLOEXEC, 0l);
	int err = fd < 0 ? fd : socket_timeout(fd, timeout_ns);

	if (fd >= 0 && err) {
		sys_close(fd);
		return err;
	}
	return fd;
}

int socket_listen(const struct sockaddr_in *address, uint64_t timeout_ns)
{
	int fd = tcp_socket(timeout_ns);
	long err;

	if (fd < 0)
		return fd;
	err = sys_call(SYS_bind, (long)fd, address, (long)sizeof *address);
	if (!err)
		err = sys_call(SYS_listen, (long)fd, 4l);
	if (!err)
		return fd;
	sys_close(fd);
	return (int)err;
}

int socket_port(int fd)
{
	struct sockaddr_in address;
	socklen_t size = sizeof address;
	long err = sys_call(SYS_getsockname, (long)fd, &address, &size);

	return err ? (int)err : ntohs(address.sin_port);
}

int socket_accept(int listener, uint64_t timeout_ns)
{
	int fd = (int)sys_call(SYS_accept4, (long)listener, (void *)0, (void *)0, (long)SOCK_CLOEXEC);

	if (fd >= 0)
		socket_timeout(fd, timeout_ns);
	return fd;
}

int socket_connect(const struct sockaddr_in *address, uint64_t timeout_ns)
{
	int fd = tcp_socket(timeout_ns);
	long err;

	if (fd < 0)
		return fd;
	err = sys_call(SYS_connect, (long)fd, address, (long)sizeof *address);
	if (!err)
		return fd;
	sys_close(fd);
	return err == -EINPROGRESS ? -ETIMEDOUT : (int)err;
}

ssize_t socket_send(int fd, const void *from, size_t count)
{
	return sys_call(SYS_sendto, (long)fd, from, count, (long)MSG_NOSIGNAL, (void *)0, 0l);
}

ssize_t socket_receive(int fd, void *to, size_t count)
{
	return sys_call(SYS_recvfrom, (long)fd, to, count, 0l, (void *)0, (void *)0);
}

void socket_shutdown(int fd)
{
	sys_call(SYS_shutdown, (long)fd, (long)SHUT_RDWR);
}

static uint32_t number_option(int fd, int level, int name)
{
	int value = 0;
	socklen_t size = sizeof value;

	sys_call(SYS_getsockopt, (long)fd, (long)level, (long)name, &value, &size);
	return value < 0 ? 0 : (uint32_t)value;
}

int socket_state(int fd, struct socket_state *state)
{
	struct tcp_info info = { .tcpi_state = 0 };
	socklen_t size = sizeof info;
	long err = sys_call(SYS_getsockopt, (long)fd, (long)IPPROTO_TCP, (long)TCP_INFO, &info, &size);

	*state = (struct socket_state){
		.retransmits = info.tcpi_total_retrans, .cwnd = info.tcpi_snd_cwnd, .mss = info.tcpi_snd_mss, .path_mtu = info.tcpi_pmtu,
		.send_buffer_bytes = number_option(fd, SOL_SOCKET, SO_SNDBUF),
		.receive_buffer_bytes = number_option(fd, SOL_SOCKET, SO_RCVBUF),
	};
	return (int)err;
}
