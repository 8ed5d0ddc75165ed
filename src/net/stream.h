/*
 * stream.h: one connection, or one flow of datagrams, and the thread that fills or drains it.
 *
 * A stream is either sending or receiving.  Its thread does nothing but move data and count; whoever started it reads the
 * counts at any time.  It ends when told to, when a limit in bytes or blocks is reached, or by an error.
 *
 * Sending: plain (a buffer of its own that stays in the caches), splice (a pipe's pages, handed over again and again), or MSG_ZEROCOPY, which tells how
 * often the kernel copied after all.  Receiving: by copying, or dropped in the kernel (MSG_TRUNC).  Datagrams go by sendmmsg and recvmmsg, and by
 * UDP_SEGMENT and UDP_GRO where the kernel has them and that changes nothing on the wire: `engine` tells what was used.
 * A datagram is iperf3's: seconds, microseconds, sequence number from 1, big-endian.
 */
#ifndef NET_STREAM_H
#define NET_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/socket.h"
#include "net/test.h"

enum stream_cpu { STREAM_CPU_ANY = -1 /* none in particular; see below */, STREAM_CPU_FREE = -2 /* wherever the kernel lets it run */ };

/* Each only ever grows; all but bytes and calls are of datagrams. */
struct stream_counts {
	uint64_t bytes, calls;
	uint64_t datagrams;       /* sent, or received: duplicates are not among them */
	uint64_t highest;         /* receivers: the greatest sequence number seen */
	uint64_t reordered;       /* that came behind a greater one */
	uint64_t duplicates;      /* told from reordering over the last 65,536 numbers; older ones count as duplicates' unknown: `stale` */
	uint64_t stale;
	uint64_t foreign;         /* not of this test: too short, impossible numbers */
	uint64_t jitter_ns;       /* RFC 1889's, as it is now: this one may fall */
	uint64_t kernel_drops;    /* for want of receive buffer (SO_RXQ_OVFL's count); what UDP_GRO put together counts as one */
	uint64_t copied_calls;    /* MSG_ZEROCOPY that the kernel copied after all */
};

/* What all streams of one end share. */
struct stream_gate {
	const struct net_test *test;
	atomic_bool stop;               /* set by the owner; a socket_shutdown wakes who waits */
	_Atomic uint64_t moved_bytes, moved_blocks; /* sent; kept only where the test has such limits */
	_Atomic uint64_t came_bytes, came_blocks;   /* received, the same */
	_Atomic uint64_t limit_bytes, limit_blocks; /* of what this end sends, and of what it receives: either ends the test, as with iperf3; 0: none.  The timekeeper's */
	atomic_bool limit_reached;
	_Atomic uint64_t limit_ns;      /* when: clock_now_ns() */
	atomic_bool drain;              /* receivers take what is still under way before they stop */
	/* of streams_start; all of a gate's streams are started by one call */
	atomic_uint ready, go;
	unsigned senders;
	atomic_uint senders_done;       /* that found nothing left to send */
};

struct stream {
	/* given */
	struct stream_gate *gate;
	int fd;
	int id;                   /* as on the wire: 1, 3, 4, ... */
	bool sends;
	int cpu;                  /* pinned to; or an enum stream_cpu */

	/* told; by stream_counts() and stream_error() only, while its thread runs */
	struct stream_private { _Alignas(64) _Atomic uint64_t counts[sizeof(struct stream_counts) / 8]; _Atomic int error; _Atomic uint64_t cpu_ns; } told;
	char engine[40];          /* "send", "splice", "sendmmsg, segments of 1460", ...; once it has ended */
	pthread_t thread;
	bool started;
	bool together, alone;     /* both ends are on this machine: see below; and no other stream is on that CPU */
	int start_error;
	int ended_on_cpu;
};

/*
 * A TCP stream with STREAM_CPU_ANY whose peer is on this very machine (by way of lo or a veth) is placed: its sender stays on one CPU,
 * its receiver goes where the packets arrive, which is that CPU.  What one end writes is still in the caches when the other reads it, and nobody is
 * woken across CPUs.  Its engine says so: "send, one CPU".  Where each has a CPU of its own, the ends take turns: a receiver takes all that there
 * is by one call, then lets the sender fill its buffer.
 */

/* Starts them all; none moves data before all are ready.  0; or -errno with those started ended again. */
int streams_start(struct stream *streams, unsigned count);
/*
 * Sets gate->stop and waits for all: senders stop sending, receivers drain: until the peer closes, or nothing comes for a tenth of a second.  `now`: the
 * sockets are shut down, and nobody drains.  Neither takes longer than the sockets' timeout, nor than 3 s.  Descriptors stay open: they are the caller's.
 */
void streams_end(struct stream *streams, unsigned count, bool now);
/* The same, but nobody drains and nothing is shut down: receivers leave what still comes to the caller.  All have ended in a few hundredths of a second. */
void streams_leave(struct stream *streams, unsigned count);
void stream_counts(const struct stream *stream, struct stream_counts *counts);
int stream_error(const struct stream *stream); /* 0; -errno; an error that comes of stopping is none */
uint64_t stream_cpu_ns(const struct stream *stream); /* CPU time of its thread, once it has ended */
/* Does this error of an end say that the connection itself is lost?  Others are of memory, permission or patience. */
bool stream_is_broken(int err);

#endif
