/*
 * transport.h: the ways by which a message gets from one process to another.  A transport moves messages; it measures nothing.
 *
 * open() comes before the fork; then one process calls the functions of the writer, the other those of the reader.
 * All return 0 or more, or -errno; a wait ends with -ETIMEDOUT, the end of all messages is -EPIPE.
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdint.h>

#include "msg/message.h"

enum { MAX_SLOTS = 8 };

struct ring; /* of shm */

struct channel {
	uint64_t size_bytes;      /* of every message */
	uint64_t memory_bytes;    /* that open() has mapped, both processes together */
	unsigned slots;           /* messages that it can hold */
	/* ---- the transports' own ---- */
	struct ring *ring;
	uint8_t *arena;
	uint64_t stride_bytes;    /* from slot to slot */
	int fds[2];
	struct message *outgoing, *incoming;
	unsigned send_buffer_bytes;
};

struct transport {
	const char *name, *wake;
	/* Within budget_bytes; -ENOMEM when that is too little. */
	int (*open)(struct channel *channel, uint64_t size_bytes, uint64_t budget_bytes);
	void (*close)(struct channel *channel);

	void (*be_writer)(struct channel *channel);
	/* Where the next message is to be laid; NULL: every place is still held by the reader. */
	struct message *(*claim)(struct channel *channel);
	int (*send)(struct channel *channel, uint64_t timeout_ns);
	void (*finish)(struct channel *channel); /* no more will come */

	void (*be_reader)(struct channel *channel);
	int (*receive)(struct channel *channel, const struct message **message, uint64_t timeout_ns);
	void (*release)(struct channel *channel); /* the message received last */
};

extern const struct transport transport_shm;   /* built in a shared arena; a descriptor travels; futex */
extern const struct transport transport_unix;  /* a stream socket pair: copied in and out */

#endif
