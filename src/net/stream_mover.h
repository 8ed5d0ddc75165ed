/*
 * stream_mover.h: what the parts of a stream share: stream.c starts and ends, stream_tcp.c and stream_udp.c move.  For them only.
 *
 * A mover lives on its thread.  Sockets block, but never longer than a slice of time: so each looks at the gate often enough.
 */
#ifndef STREAM_MOVER_H
#define STREAM_MOVER_H

#include <stddef.h>

#include "net/stream.h"
#include "net/stream_pace.h"

enum { MOVER_SLICE_MS = 20 };

struct mover {
	struct stream *stream;
	struct stream_gate *gate;
	const struct net_test *test;
	int fd;
	char *buffer;
	size_t buffer_bytes;
	uint64_t patience_ns;      /* the socket's own timeout: how long nothing may move */
	uint64_t silent_since_ns;  /* 0: something moved last time */
	uint64_t stopped_ns;       /* a receiver that drains: since when */
	uint64_t left_of_block;    /* what has been reserved and not been sent */
	struct pace pace;
};

/* Run until the end: 0 or -errno.  Buffers are mapped before. */
int mover_tcp_send(struct mover *mover);
int mover_tcp_receive(struct mover *mover);
int mover_udp_send(struct mover *mover);
int mover_udp_receive(struct mover *mover);
size_t mover_udp_buffer_bytes(const struct net_test *test, bool sends);

#define MOVER_FIELD(field) (offsetof(struct stream_counts, field) / sizeof(uint64_t))

/* One writer each: no atomic addition. */
static inline void mover_set(struct mover *mover, size_t field, uint64_t value)
{
	atomic_store_explicit(&mover->stream->told.counts[field], value, memory_order_relaxed);
}

static inline uint64_t mover_get(const struct mover *mover, size_t field)
{
	return atomic_load_explicit(&mover->stream->told.counts[field], memory_order_relaxed);
}

static inline void mover_add(struct mover *mover, size_t field, uint64_t more)
{
	mover_set(mover, field, mover_get(mover, field) + more);
}

static inline bool mover_is_stopped(const struct mover *mover)
{
	return atomic_load_explicit(&mover->gate->stop, memory_order_relaxed);
}

/* Of senders: reserves up to `wanted` blocks of the test's length at the gate: how many there were left; 0: the limit, which is reached once no sender has
 * any left. */
unsigned mover_reserve(struct mover *mover, unsigned wanted);
/* Of receivers: what came. */
void mover_received(struct mover *mover, uint64_t bytes, uint64_t blocks);
/* Is a receiver to stop?  Not while it drains, but that has an end, too. */
bool mover_is_over(struct mover *mover);
/* Nothing moved: `err` is what the kernel said.  True: go on; else *result is what the mover ends with. */
bool mover_waits(struct mover *mover, int err, int *result);
/* Receivers placed together with their sender: now and then, goes where the packets arrive. */
void mover_follow(struct mover *mover);

#endif
