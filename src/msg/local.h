/*
 * local.h: message latency between two processes of this machine, at one size and one rate.
 *
 * The caller is the writer; the reader is a process of its own that dies with it.  Message number n is due at start +
 * n / rate whatever became of those before it, so that a stall shows in the latency of all that it held up.  The reader
 * says when it is ready before the first is sent, and loss is counted from the first.
 */
#ifndef LOCAL_H
#define LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "msg/transport.h"
#include "stat/histogram.h"

struct msg_job {
	const struct transport *transport;
	uint64_t size_bytes, rate_hz;
	uint64_t duration_ns;          /* of sending: rate x duration messages, at least one */
	uint64_t budget_bytes;         /* of memory */
	bool touch;                    /* the reader loads and checks every word */
	/* For the unit tests: called on each message after it is stamped. */
	void (*spoil)(struct message *message);
};

/* What the reader found; shared between the processes. */
struct msg_received {
	struct histogram latency;      /* from when it was due to having it (with touch: having read it all) */
	struct histogram transit;      /* the same from when it was really sent */
	uint64_t count, first_ns, last_ns;
	uint64_t wrong, wrong_sequence, wrong_page; /* messages with wrong content; the first of them */
	uint64_t out_of_order;
	uint64_t cpu_ns;
	int cpu;                       /* where it ended */
	int error;                     /* -errno that ended it early; 0 */
	_Atomic uint32_t ready, done;
};

struct msg_result {
	uint64_t due;                  /* messages that should have been sent */
	uint64_t sent, dropped;        /* dropped: no place was free when it was due */
	uint64_t first_sent_ns, last_sent_ns, worst_late_ns;
	uint64_t elapsed_ns;           /* from ready to done */
	uint64_t writer_cpu_ns;
	uint64_t memory_bytes;
	unsigned slots, send_buffer_bytes;
	int send_error;
	int writer_cpu;                /* where it ended */
	int reader_signal;             /* the reader was killed by it; 0 */
	const struct msg_received *received; /* valid until the next call, also after an error; NULL: there was no memory for it */
};

/* 0; -ENOMEM when the memory allowed is too small; -ETIMEDOUT when the reader never came up; else -errno. */
int msg_local(const struct msg_job *job, struct msg_result *result);

#endif
