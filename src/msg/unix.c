/*
 * unix.c: a pair of stream sockets; a message's own header is the frame (its size), since a datagram of many megabytes
 * would be refused.  Both ends time out by poll.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "msg/transport.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/map.h"

enum { WANTED_BUFFER = 1 << 20 };

/* More in flight per wake; the kernel may grant less (net.core.wmem_max), which is told as evidence. */
static void widen(struct channel *channel)
{
	int wanted = WANTED_BUFFER, granted = 0;
	socklen_t size = sizeof granted;

	sys_call(SYS_setsockopt, (long)channel->fds[0], (long)SOL_SOCKET, (long)SO_SNDBUF, &wanted, (long)sizeof wanted);
	sys_call(SYS_getsockopt, (long)channel->fds[0], (long)SOL_SOCKET, (long)SO_SNDBUF, &granted, &size);
	channel->send_buffer_bytes = (unsigned)granted;
}

static int unix_open(struct channel *channel, uint64_t size_bytes, uint64_t budget_bytes)
{
	void *at;
	long err;

	*channel = (struct channel){ .size_bytes = size_bytes, .fds = { -1, -1 }, .slots = 1 };
	channel->stride_bytes = (size_bytes + MESSAGE_PAGE - 1) / MESSAGE_PAGE * MESSAGE_PAGE;
	channel->memory_bytes = 2 * channel->stride_bytes;
	if (channel->memory_bytes + WANTED_BUFFER > budget_bytes)
		return -ENOMEM;
	err = sys_call(SYS_socketpair, (long)AF_UNIX, (long)(SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK), 0l, channel->fds);
	if (err)
		return (int)err;
	widen(channel);
	err = map_memory(channel->memory_bytes, MAP_PAGE_SMALL, &at);
	if (err) {
		sys_close(channel->fds[0]);
		sys_close(channel->fds[1]);
		return (int)err;
	}
	channel->outgoing = at;
	channel->incoming = (struct message *)((uint8_t *)at + channel->stride_bytes);
	return 0;
}

static void close_end(struct channel *channel, unsigned end)
{
	if (channel->fds[end] >= 0)
		sys_close(channel->fds[end]);
	channel->fds[end] = -1;
}

static void unix_close(struct channel *channel)
{
	close_end(channel, 0);
	close_end(channel, 1);
	unmap_memory(channel->outgoing, channel->memory_bytes);
}

static void unix_be_writer(struct channel *channel)
{
	close_end(channel, 1);
	message_lay(channel->outgoing, channel->size_bytes);
}

static struct message *unix_claim(struct channel *channel)
{
	return channel->outgoing;
}

/* 0 when fd is ready for events before deadline_ns. */
static int wait_for(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd pollfd = { .fd = fd, .events = events };
	uint64_t now_ns;

	while ((now_ns = clock_now_ns()) < deadline_ns) {
		int ready = sys_poll(&pollfd, 1, (int)((deadline_ns - now_ns) / MS(1)) + 1);

		if (ready > 0)
			return 0;
		if (ready < 0 && ready != -EINTR)
			return ready;
	}
	return -ETIMEDOUT;
}

static ssize_t send_some(int fd, uint8_t *at, uint64_t count)
{
	return sys_call(SYS_sendto, (long)fd, at, count, (long)MSG_NOSIGNAL, (void *)0, 0l);
}

static ssize_t receive_some(int fd, uint8_t *at, uint64_t count)
{
	ssize_t got = sys_call(SYS_recvfrom, (long)fd, at, count, 0l, (void *)0, (void *)0);

	return got ? got : -EPIPE;
}

/* Moves count bytes; a first byte may take until the deadline, and so may each further part. */
static int move(int fd, void *bytes, uint64_t count, short events, uint64_t timeout_ns,
                ssize_t (*some)(int fd, uint8_t *at, uint64_t count))
{
	uint8_t *at = bytes;

	while (count) {
		ssize_t moved = some(fd, at, count);
		int err = moved == -EAGAIN ? wait_for(fd, events, clock_now_ns() + timeout_ns) : 0;

		if (err)
			return err;
		if (moved == -EAGAIN || moved == -EINTR)
			continue;
		if (moved < 0)
			return (int)moved;
		at += moved;
		count -= (uint64_t)moved;
	}
	return 0;
}

static int unix_send(struct channel *channel, uint64_t timeout_ns)
{
	return move(channel->fds[0], channel->outgoing, channel->size_bytes, POLLOUT, timeout_ns, send_some);
}

static void unix_finish(struct channel *channel)
{
	close_end(channel, 0);
}

static void unix_be_reader(struct channel *channel)
{
	close_end(channel, 0);
}

/* The header tells the size; one that does not fit the buffer is a fault of the transport. */
static int unix_receive(struct channel *channel, const struct message **message, uint64_t timeout_ns)
{
	struct message *in = channel->incoming;
	int err = move(channel->fds[1], in, sizeof *in, POLLIN, timeout_ns, receive_some);

	if (err)
		return err;
	if (in->size_bytes != channel->size_bytes)
		return -EBADMSG;
	*message = in;
	return move(channel->fds[1], in->words, in->size_bytes - sizeof *in, POLLIN, timeout_ns, receive_some);
}

static void unix_release(struct channel *channel)
{
	(void)channel;
}

const struct transport transport_unix = {
	.name = "unix", .wake = "socket", .open = unix_open, .close = unix_close,
	.be_writer = unix_be_writer, .claim = unix_claim, .send = unix_send, .finish = unix_finish,
	.be_reader = unix_be_reader, .receive = unix_receive, .release = unix_release,
};
