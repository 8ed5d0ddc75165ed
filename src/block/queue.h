/*
 * queue.h: what an engine is to the loop in engine.c: I/Os in numbered slots, sent in batches.
 */
#ifndef BLOCK_QUEUE_H
#define BLOCK_QUEUE_H

#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "block/engine.h"

struct block_io {
	struct iovec memory;         /* its length is that of the I/O */
	uint64_t offset_bytes;
	uint64_t sent_ticks;
	int64_t result;              /* bytes, or -errno */
	bool write;
};

struct uring {
	int fd;
	void *sq_ring, *cq_ring, *entries;
	size_t sq_ring_bytes, cq_ring_bytes, entries_bytes;
	uint32_t *sq_tail, *sq_array, *cq_head, *cq_tail;
	uint32_t sq_mask, cq_mask;
	void *completions;
};

struct aio {
	aio_context_t context;
	struct iocb blocks[BLOCK_MAX_DEPTH];
	struct iocb *staged[BLOCK_MAX_DEPTH];
};

struct block_queue {
	int fd;
	unsigned depth;
	unsigned staged;             /* waiting to be sent */
	unsigned inflight;           /* sent, not yet reaped */
	unsigned idle_turns;         /* of wait(), one after another, that brought nothing */
	unsigned done[BLOCK_MAX_DEPTH]; /* slots that wait() reaped */
	struct block_io ios[BLOCK_MAX_DEPTH];
	union {
		struct uring uring;
		struct aio aio;
		unsigned psync_slot;
	};
};

struct block_engine {
	const char *name;
	/* Ready for queue->depth slots, or lessens it.  0 or -errno. */
	int (*open)(struct block_queue *queue);
	/* Prepares the I/O of a slot, to be sent by the next wait. */
	void (*stage)(struct block_queue *queue, unsigned slot);
	/* Sends what is staged and reaps: their number (0 is possible), slots in queue->done.  -errno: the engine is at its end. */
	int (*wait)(struct block_queue *queue);
	/* Lets go; queue->inflight that is left was never seen again: its buffers must not be used any more. */
	void (*close)(struct block_queue *queue);
};

extern const struct block_engine block_engine_uring, block_engine_aio, block_engine_psync;

/*
 * For a call that failed for the moment or brought nothing: 0 to try again (after a pause, from the tenth time on); err,
 * or -EIO for 0, when it has gone on for about a second: a kernel or filter that answers so for ever must not hang us.
 */
int block_queue_idle(struct block_queue *queue, int err);

#endif
