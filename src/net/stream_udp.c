/*
 * stream_udp.c: datagrams, many a call.
 *
 * UDP_SEGMENT lets one message be many datagrams, each with its own header of ours: on the wire, and for any receiver, they are what
 * sendmmsg alone would send.  UDP_GRO hands over what the kernel received together.  Where a path does not take segments (datagrams beyond its MTU,
 * a device without checksums), they go one by one.
 */
#include <endian.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "lib/text.h"
#include "net/stream_mover.h"
#include "net/stream_sequence.h"
#include "sys/call.h"
#include "sys/clock.h"

enum {
	MESSAGES = 64,             /* of one call */
	SEGMENTS = 64,             /* of one message: the kernel's UDP_MAX_SEGMENTS, as it was first */
	SEND_BYTES = 256 << 10,    /* of one call, so that they stay in the caches */
	GRO_BYTES = 64 << 10, GRO_MESSAGES = 16,
	FIRST_NUMBERS = 1 << 20, LEAST_NS_A_DATAGRAM = 8, /* what no sender exceeds */
	DROPS_EVERY = 256,         /* calls */
};

#ifndef UDP_SEGMENT
enum { UDP_SEGMENT = 103 };
#endif
#ifndef UDP_GRO
enum { UDP_GRO = 104 };
#endif

/* On the wire, big-endian; of 32-bit counters only the first half. */
struct header { uint32_t seconds, microseconds, number[2]; };

static size_t header_bytes(const struct net_test *test)
{
	return test->counters_64bit ? 16 : 12;
}

static int set_udp(int fd, int option, int value)
{
	return (int)sys_call(SYS_setsockopt, fd, IPPROTO_UDP, option, &value, sizeof value);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* ---- sending ---- */

struct sending {
	struct mover *mover;
	unsigned per_message;      /* datagrams */
	unsigned most;             /* of one call */
	uint64_t number;           /* of the last datagram that went */
	struct mmsghdr messages[MESSAGES];
	struct iovec parts[MESSAGES];
};

static void write_header(char *to, const struct net_test *test, uint64_t now_ns, uint64_t number)
{
	struct header header = { .seconds = htobe32((uint32_t)(now_ns / SECONDS(1))), .microseconds = htobe32((uint32_t)(now_ns % SECONDS(1) / 1000)) };

	if (test->counters_64bit) {
		header.number[0] = htobe32((uint32_t)(number >> 32));
		header.number[1] = htobe32((uint32_t)number);
	} else {
		header.number[0] = htobe32((uint32_t)number);
	}
	memcpy(to, &header, header_bytes(test));
}

static unsigned fill_messages(struct sending *sending, unsigned datagrams)
{
	const struct net_test *test = sending->mover->test;
	size_t length = test->length_bytes;
	uint64_t now_ns = clock_now_ns();
	unsigned messages = 0;

	for (unsigned i = 0; i < datagrams; i++)
		write_header(sending->mover->buffer + i * length, test, now_ns, sending->number + 1 + i);
	for (unsigned done = 0, count; done < datagrams; done += count, messages++) {
		count = least(sending->per_message, datagrams - done);
		sending->parts[messages] = (struct iovec){ sending->mover->buffer + done * length, count * length };
	}
	return messages;
}

static void tell_sending(struct sending *sending)
{
	char *engine = sending->mover->stream->engine;

	if (sending->per_message > 1)
		text_format(engine, sizeof sending->mover->stream->engine, "sendmmsg, segments of %u", sending->mover->test->length_bytes);
	else
		text_copy(engine, sizeof sending->mover->stream->engine, "sendmmsg");
}

static void plan(struct sending *sending, bool segments)
{
	const struct net_test *test = sending->mover->test;
	unsigned fit = SEND_BYTES / test->length_bytes;

	sending->per_message = segments ? least(SEGMENTS, TEST_UDP_LENGTH_MAX / test->length_bytes) : 1;
	sending->most = least(fit ? fit : 1, sending->per_message * MESSAGES);
	tell_sending(sending);
}

/* Where only single datagrams fall due at once there is nothing to be put together. */
static bool wants_segments(const struct mover *mover)
{
	const struct net_test *test = mover->test;

	return 2 * test->length_bytes <= TEST_UDP_LENGTH_MAX && (!mover->pace.rate_bit_per_s || mover->pace.least_bytes >= 2 * test->length_bytes);
}

/* These say that segments cannot be had on this path, and nothing of the datagrams themselves. */
static bool is_refused(const struct sending *sending, long err)
{
	return sending->per_message > 1 && (err == -EINVAL || err == -EIO || err == -EMSGSIZE || err == -EOPNOTSUPP);
}

/* How many datagrams went of those in the first `count` messages. */
static unsigned count_sent(const struct sending *sending, unsigned count)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < count; i++)
		bytes += sending->messages[i].msg_len;
	return (unsigned)(bytes / sending->mover->test->length_bytes);
}

/* How many went, or -errno. */
static long send_some(struct sending *sending, unsigned datagrams)
{
	unsigned messages = fill_messages(sending, datagrams);
	long count = sys_call(SYS_sendmmsg, sending->mover->fd, sending->messages, messages, MSG_NOSIGNAL);

	if (is_refused(sending, count)) {
		set_udp(sending->mover->fd, UDP_SEGMENT, 0);
		plan(sending, false);
		return -EINTR;
	}
	return count > 0 ? (long)count_sent(sending, (unsigned)count) : count;
}

static void note_sent(struct sending *sending, unsigned datagrams)
{
	struct mover *mover = sending->mover;
	uint64_t bytes = (uint64_t)datagrams * mover->test->length_bytes;

	sending->number += datagrams;
	mover->silent_since_ns = 0;
	mover->left_of_block -= datagrams;
	mover_add(mover, MOVER_FIELD(bytes), bytes);
	mover_add(mover, MOVER_FIELD(datagrams), datagrams);
	mover_add(mover, MOVER_FIELD(calls), 1);
	if (mover->pace.rate_bit_per_s)
		pace_sent(&mover->pace, bytes);
}

/* How many datagrams the next call may send; 0: the end.  What is reserved and not yet sent is left_of_block. */
static unsigned next_datagrams(struct sending *sending)
{
	struct mover *mover = sending->mover;
	unsigned wanted = sending->most;

	if (mover_is_stopped(mover))
		return 0;
	if (mover->pace.rate_bit_per_s) {
		uint64_t due = pace_wait(&mover->pace, &mover->gate->stop);

		if (!due)
			return 0;
		due /= mover->test->length_bytes;
		wanted = due < wanted ? (due ? (unsigned)due : 1) : wanted;
	}
	if (!mover->left_of_block)
		mover->left_of_block = mover_reserve(mover, wanted);
	return mover->left_of_block < wanted ? (unsigned)mover->left_of_block : wanted;
}

int mover_udp_send(struct mover *mover)
{
	struct sending sending = { .mover = mover };
	unsigned datagrams;
	int result = 0;

	pace_start(&mover->pace, mover->test->rate_bit_per_s, mover->test->length_bytes, mover->test->burst, clock_now_ns());
	for (unsigned i = 0; i < MESSAGES; i++)
		sending.messages[i].msg_hdr = (struct msghdr){ .msg_iov = &sending.parts[i], .msg_iovlen = 1 };
	plan(&sending, wants_segments(mover) && !set_udp(mover->fd, UDP_SEGMENT, (int)mover->test->length_bytes));
	while ((datagrams = next_datagrams(&sending))) {
		long sent = send_some(&sending, datagrams);

		if (sent > 0)
			note_sent(&sending, (unsigned)sent);
		else if (!mover_waits(mover, (int)sent, &result))
			break;
	}
	return result;
}

/* ---- receiving ---- */

struct slot { _Alignas(8) char control[CMSG_SPACE(sizeof(int))]; };

struct receiving {
	struct mover *mover;
	struct sequence sequence;
	bool joins;                /* UDP_GRO */
	unsigned slots;
	size_t slot_bytes;
	uint64_t start_ns;
	uint32_t drops;            /* as the socket counts them */
	struct mmsghdr messages[MESSAGES];
	struct iovec parts[MESSAGES];
	struct slot controls[MESSAGES];
};

/* Only the header is wanted of what is dropped. */
static bool drops_payload(const struct net_test *test)
{
	return test->receive == NET_RECEIVE_DROP;
}

static size_t slot_bytes(const struct net_test *test, bool joins)
{
	return drops_payload(test) ? 64 : joins ? GRO_BYTES : (test->length_bytes + 63u) / 64 * 64;
}

size_t mover_udp_buffer_bytes(const struct net_test *test, bool sends)
{
	size_t joined = GRO_MESSAGES * slot_bytes(test, true), single = MESSAGES * slot_bytes(test, false);

	if (sends)
		return test->length_bytes > SEND_BYTES ? test->length_bytes : SEND_BYTES;
	return sizeof(struct receiving) + (joined > single ? joined : single);
}

static void lay_slots(struct receiving *receiving)
{
	char *at = receiving->mover->buffer + sizeof *receiving;

	receiving->slots = receiving->joins ? GRO_MESSAGES : MESSAGES;
	receiving->slot_bytes = slot_bytes(receiving->mover->test, receiving->joins);
	for (unsigned i = 0; i < receiving->slots; i++)
		receiving->parts[i] = (struct iovec){ at + i * receiving->slot_bytes, receiving->slot_bytes };
}

/* The kernel writes how much there was of it; it must be told anew each time. */
static void reset_messages(struct receiving *receiving, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct msghdr *head = &receiving->messages[i].msg_hdr;

		*head = (struct msghdr){ .msg_iov = &receiving->parts[i], .msg_iovlen = 1 };
		if (receiving->joins) {
			head->msg_control = &receiving->controls[i];
			head->msg_controllen = sizeof receiving->controls[i];
		}
	}
}

/* The size of the datagrams that were put together; that of the message where they were not. */
static size_t segment_bytes(const struct msghdr *head, size_t message_bytes)
{
	const struct cmsghdr *told = head->msg_controllen >= sizeof *told ? CMSG_FIRSTHDR(head) : NULL;
	int bytes = 0;

	if (told && told->cmsg_level == IPPROTO_UDP && told->cmsg_type == UDP_GRO)
		memcpy(&bytes, CMSG_DATA(told), sizeof bytes);
	return bytes > 0 && (size_t)bytes < message_bytes ? (size_t)bytes : message_bytes;
}

/* True: it belongs to this test. */
static bool take_datagram(struct receiving *receiving, const char *datagram, size_t bytes, uint64_t now_ns)
{
	struct mover *mover = receiving->mover;
	struct sequence *sequence = &receiving->sequence;
	struct header header = { .seconds = 0 };
	uint64_t number, most = FIRST_NUMBERS + (now_ns - receiving->start_ns) / LEAST_NS_A_DATAGRAM;
	static const size_t fields[] = { [SEQUENCE_REORDERED] = MOVER_FIELD(reordered), [SEQUENCE_DUPLICATE] = MOVER_FIELD(duplicates),
	                                 [SEQUENCE_STALE] = MOVER_FIELD(stale), [SEQUENCE_FOREIGN] = MOVER_FIELD(foreign) };
	enum sequence_kind kind = SEQUENCE_FOREIGN;

	if (bytes >= header_bytes(mover->test)) {
		memcpy(&header, datagram, header_bytes(mover->test));
		number = mover->test->counters_64bit ? (uint64_t)be32toh(header.number[0]) << 32 | be32toh(header.number[1])
		                                     : sequence_whole(sequence, be32toh(header.number[0]));
		kind = sequence_add(sequence, number, most);
	}
	if (kind != SEQUENCE_NEW)
		mover_add(mover, fields[kind], 1);
	if (kind == SEQUENCE_FOREIGN)
		return false;
	if (kind <= SEQUENCE_REORDERED)
		mover_add(mover, MOVER_FIELD(datagrams), 1);
	mover_set(mover, MOVER_FIELD(jitter_ns), sequence_jitter(sequence, SECONDS((uint64_t)be32toh(header.seconds)) + US((uint64_t)be32toh(header.microseconds)), now_ns));
	return true;
}

static void take_message(struct receiving *receiving, unsigned index, uint64_t now_ns)
{
	size_t bytes = receiving->messages[index].msg_len, each = segment_bytes(&receiving->messages[index].msg_hdr, bytes), taken = 0;
	unsigned datagrams = 0;

	for (size_t at = 0; at < bytes || (!bytes && !at); at += each ? each : 1) {
		size_t length = bytes - at < each ? bytes - at : each;

		if (!take_datagram(receiving, (const char *)receiving->parts[index].iov_base + at, length, now_ns))
			continue;
		taken += length;
		datagrams++;
	}
	mover_set(receiving->mover, MOVER_FIELD(highest), receiving->sequence.highest);
	if (datagrams)
		mover_received(receiving->mover, taken, datagrams);
}

/* SO_MEMINFO tells what SO_RXQ_OVFL would with each datagram. */
static void read_drops(struct receiving *receiving)
{
	uint32_t told[SK_MEMINFO_VARS] = { 0 };
	socklen_t size = sizeof told;

	if (sys_call(SYS_getsockopt, receiving->mover->fd, SOL_SOCKET, SO_MEMINFO, told, &size) || size <= SK_MEMINFO_DROPS * sizeof *told)
		return;
	mover_add(receiving->mover, MOVER_FIELD(kernel_drops), told[SK_MEMINFO_DROPS] - receiving->drops);
	receiving->drops = told[SK_MEMINFO_DROPS];
}

/* The datagrams of one call: how many messages; -EAGAIN when none came in a slice of time; -ESHUTDOWN. */
static long receive_some(struct receiving *receiving)
{
	int flags = MSG_WAITFORONE | (drops_payload(receiving->mover->test) ? MSG_TRUNC : 0);
	long count;

	if (mover_is_over(receiving->mover))
		return -ECANCELED;
	reset_messages(receiving, receiving->slots);
	count = sys_call(SYS_recvmmsg, receiving->mover->fd, receiving->messages, receiving->slots, flags, NULL);
	return count > 0 && !receiving->messages[0].msg_len && mover_is_stopped(receiving->mover) ? -ESHUTDOWN : count;
}

int mover_udp_receive(struct mover *mover)
{
	struct receiving *receiving = (struct receiving *)(void *)mover->buffer;
	int result = 0;

	receiving->mover = mover;
	receiving->start_ns = clock_now_ns();
	receiving->joins = !drops_payload(mover->test) && !set_udp(mover->fd, UDP_GRO, 1);
	lay_slots(receiving);
	text_format(mover->stream->engine, sizeof mover->stream->engine, "recvmmsg%s", receiving->joins ? ", joined" : drops_payload(mover->test) ? ", MSG_TRUNC" : "");
	for (;;) {
		long count = receive_some(receiving);
		uint64_t now_ns = clock_now_ns();

		for (long i = 0; i < count; i++)
			take_message(receiving, (unsigned)i, now_ns);
		if (mover_get(mover, MOVER_FIELD(calls)) % DROPS_EVERY == 0 || count <= 0)
			read_drops(receiving);
		mover_add(mover, MOVER_FIELD(calls), 1);
		if (count <= 0 && !mover_waits(mover, count ? (int)count : -EAGAIN, &result))
			break;
	}
	read_drops(receiving);
	return result;
}
