/*
 * stream_tcp.c: bytes of a connection.
 *
 * Splice: the buffer's pages lie in a pipe for good; tee(2) hands them to a second pipe, splice(2) from there to the socket: no byte is copied or
 * read.  MSG_ZEROCOPY: Documentation/networking/msg_zerocopy.rst; the content never changes, so that a buffer need not be waited for.
 */
#include <errno.h>
#include <fcntl.h>
#include <time.h> /* the next one needs it */
#include <linux/errqueue.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "capacity.h"
#include "lib/text.h"
#include "net/stream_mover.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { TURN_PARTS = 64, TURN_PART_BYTES = 32 << 10, LONG_CALL_BYTES = 512 << 10 /* that fill a sender's buffer by themselves */ };
enum { COMPLETIONS_EVERY = 16, UNIT_LEAST_BYTES = 1448, UNITS_PER_S = 500, FEW_UNITS_PER_S = 20 };

/* What one way of sending keeps. */
struct sender {
	struct mover *mover;
	ssize_t (*send)(struct sender *sender, size_t bytes); /* at most so many: how many went, or -errno */
	int store[2], work[2];     /* pipes: [0] is read */
	size_t in_work_bytes;
	uint64_t asked, completed; /* calls with MSG_ZEROCOPY */
};

static ssize_t send_plain(struct sender *sender, size_t bytes)
{
	return socket_send(sender->mover->fd, sender->mover->buffer, bytes);
}

/* ---- splice ---- */

static void close_pipes(struct sender *sender)
{
	const int *fds[] = { sender->store, sender->work };

	for (unsigned i = 0; i < 4; i++)
		if (fds[i / 2][i % 2] >= 0)
			sys_close(fds[i / 2][i % 2]);
}

static int make_pipe(int fds[2], size_t bytes)
{
	int err = sys_pipe(fds);

	if (err)
		fds[0] = fds[1] = -1;
	else
		err = sys_fcntl(fds[1], F_SETPIPE_SZ, (long)bytes);
	return err < 0 ? err : 0;
}

static int open_pipes(struct sender *sender)
{
	struct mover *mover = sender->mover;
	size_t filled = 0;
	int err = make_pipe(sender->store, mover->buffer_bytes);

	if (!err)
		err = make_pipe(sender->work, mover->buffer_bytes);
	while (!err && filled < mover->buffer_bytes) {
		struct iovec pages = { mover->buffer + filled, mover->buffer_bytes - filled };
		long put = sys_call(SYS_vmsplice, sender->store[1], &pages, 1, SPLICE_F_NONBLOCK);

		if (put <= 0)
			err = put ? (int)put : -EIO;
		else
			filled += (size_t)put;
	}
	return err;
}

static ssize_t send_spliced(struct sender *sender, size_t bytes)
{
	long count;

	if (!sender->in_work_bytes) {
		count = sys_call(SYS_tee, sender->store[0], sender->work[1], bytes, 0);
		if (count <= 0)
			return count ? count : -EIO;
		sender->in_work_bytes = (size_t)count;
	}
	count = sys_call(SYS_splice, sender->work[0], NULL, sender->mover->fd, NULL, sender->in_work_bytes, SPLICE_F_MOVE);
	if (count > 0)
		sender->in_work_bytes -= (size_t)count;
	return count;
}

/* ---- MSG_ZEROCOPY ---- */

static const struct sock_extended_err *next_completion(int fd, struct msghdr *message, char *control, size_t size)
{
	const struct cmsghdr *head;

	*message = (struct msghdr){ .msg_control = control, .msg_controllen = size };
	if (sys_call(SYS_recvmsg, fd, message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return NULL;
	head = CMSG_FIRSTHDR(message);
	return head ? (const struct sock_extended_err *)(const void *)CMSG_DATA(head) : NULL;
}

static void take_completions(struct sender *sender)
{
	const struct sock_extended_err *told;
	struct msghdr message;
	_Alignas(8) char control[128];

	while ((told = next_completion(sender->mover->fd, &message, control, sizeof control))) {
		uint64_t calls = (uint64_t)(uint32_t)(told->ee_data - told->ee_info) + 1;

		if (told->ee_origin != SO_EE_ORIGIN_ZEROCOPY)
			continue;
		sender->completed += calls;
		if (told->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
			mover_add(sender->mover, MOVER_FIELD(copied_calls), calls);
	}
}

/* Completions come as POLLERR, which need not be asked for. */
static void await_completions(struct sender *sender)
{
	struct pollfd pollfd = { .fd = sender->mover->fd };

	sys_poll(&pollfd, 1, MOVER_SLICE_MS);
	take_completions(sender);
}

/* -ENOBUFS: too many are on their way. */
static ssize_t send_zerocopy(struct sender *sender, size_t bytes)
{
	long count = sys_call(SYS_sendto, sender->mover->fd, sender->mover->buffer, bytes, MSG_NOSIGNAL | MSG_ZEROCOPY, NULL, 0);

	sender->asked += count > 0;
	if (count == -ENOBUFS)
		await_completions(sender);
	else if (sender->asked % COMPLETIONS_EVERY == 0)
		take_completions(sender);
	return count;
}

static int ask_for_zerocopy(int fd)
{
	int on = 1;

	return (int)sys_call(SYS_setsockopt, fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on);
}

/* ---- sending ---- */

static void choose(struct sender *sender, const char **name)
{
	enum net_send asked = sender->mover->test->send;

	sender->send = send_plain;
	*name = "send";
	if (asked == NET_SEND_SPLICE) {
		*name = open_pipes(sender) ? "send (splice refused)" : "splice";
		if (**name == 's' && (*name)[1] == 'p')
			sender->send = send_spliced;
	} else if (asked == NET_SEND_ZEROCOPY) {
		*name = ask_for_zerocopy(sender->mover->fd) ? "send (zero copy refused)" : "MSG_ZEROCOPY";
		if (**name == 'M')
			sender->send = send_zerocopy;
	}
}

/* A paced stream's calls are smaller than a block where a block would be a jolt: at most 500 a second, or 20 where that were tiny ones. */
static uint32_t unit_of(const struct net_test *test)
{
	uint64_t bytes_per_s = test->rate_bit_per_s / 8, unit = bytes_per_s / UNITS_PER_S, few = bytes_per_s / FEW_UNITS_PER_S;

	if (unit < UNIT_LEAST_BYTES)
		unit = few < UNIT_LEAST_BYTES ? few : UNIT_LEAST_BYTES;
	if (!unit)
		unit = 1;
	return unit < test->length_bytes && !test->burst ? (uint32_t)unit : test->length_bytes;
}

/* How many bytes the next call may send; 0: the end. */
static size_t next_bytes(struct mover *mover)
{
	uint64_t due_bytes = UINT64_MAX;

	if (mover_is_stopped(mover))
		return 0;
	if (!mover->left_of_block) {
		if (!mover_reserve(mover, 1))
			return 0;
		mover->left_of_block = mover->test->length_bytes;
	}
	if (mover->pace.rate_bit_per_s)
		due_bytes = pace_wait(&mover->pace, &mover->gate->stop);
	return due_bytes < mover->left_of_block ? due_bytes : mover->left_of_block;
}

static int send_all(struct sender *sender)
{
	struct mover *mover = sender->mover;
	size_t bytes;
	int result = 0;

	while ((bytes = next_bytes(mover))) {
		ssize_t count = sender->send(sender, bytes);

		if (count <= 0) {
			if (!mover_waits(mover, count ? (int)count : -EPIPE, &result))
				break;
			continue;
		}
		mover->silent_since_ns = 0;
		mover->left_of_block -= (size_t)count;
		mover_add(mover, MOVER_FIELD(bytes), (size_t)count);
		mover_add(mover, MOVER_FIELD(calls), 1);
		if (mover->pace.rate_bit_per_s)
			pace_sent(&mover->pace, (size_t)count);
	}
	return result;
}

int mover_tcp_send(struct mover *mover)
{
	struct sender sender = { .mover = mover, .store = { -1, -1 }, .work = { -1, -1 } };
	const char *name;
	int result;

	choose(&sender, &name);
	pace_start(&mover->pace, mover->test->rate_bit_per_s, unit_of(mover->test), mover->test->burst, clock_now_ns());
	text_format(mover->stream->engine, sizeof mover->stream->engine, "%s%s", name, mover->stream->together ? ", one CPU" : "");
	result = send_all(&sender);
	if (sender.completed < sender.asked && !result)
		await_completions(&sender);
	close_pipes(&sender);
	return result;
}

/* ---- receiving ---- */

/*
 * Beside the sender, on its CPU, a call takes all that there is, into a few lines of the first cache again and again: each call makes the kernel
 * acknowledge, and that is a sixth of all its work.
 */
static void plan_receive(const struct mover *mover, struct msghdr *head, struct iovec parts[TURN_PARTS])
{
	size_t each = mover->buffer_bytes < TURN_PART_BYTES ? mover->buffer_bytes : TURN_PART_BYTES;

	*head = (struct msghdr){ .msg_iov = parts, .msg_iovlen = mover->stream->alone ? TURN_PARTS : 1 };
	for (unsigned i = 0; i < TURN_PARTS; i++)
		parts[i] = (struct iovec){ mover->buffer, mover->stream->alone ? each : mover->buffer_bytes };
}

static ssize_t receive(struct mover *mover, struct msghdr *head)
{
	int flags = mover->test->receive == NET_RECEIVE_DROP ? MSG_TRUNC : 0;

	if (mover_is_over(mover))
		return -ECANCELED;
	if (mover->stream->alone && mover->test->length_bytes < LONG_CALL_BYTES)
		sys_call(SYS_sched_yield); /* the sender fills its buffer whole; it would be interrupted for each of its calls */
	return sys_call(SYS_recvmsg, mover->fd, head, flags);
}

int mover_tcp_receive(struct mover *mover)
{
	struct iovec parts[TURN_PARTS];
	uint64_t bytes = 0, blocks = 0;
	struct msghdr head;
	int result = 0;

	plan_receive(mover, &head, parts);
	text_format(mover->stream->engine, sizeof mover->stream->engine, "%s%s", mover->test->receive == NET_RECEIVE_DROP ? "recv, MSG_TRUNC" : "recv",
	            mover->stream->together ? ", one CPU" : "");
	for (;;) {
		ssize_t count = receive(mover, &head);

		if (count <= 0) {
			if (!mover_waits(mover, count ? (int)count : -EPIPE, &result))
				break;
			continue;
		}
		bytes += (size_t)count;
		mover_received(mover, (size_t)count, bytes / mover->test->length_bytes - blocks);
		blocks = bytes / mover->test->length_bytes;
		mover_add(mover, MOVER_FIELD(calls), 1);
		mover_follow(mover);
	}
	return result;
}
