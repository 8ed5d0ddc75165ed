/*
 * queue.h: what an engine is to the loop in pump.c: I/Os in numbered slots, sent in batches.
 */
#ifndef BLOCK_QUEUE_H
#define BLOCK_QUEUE_H

#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "block/engine.h"
#include "block/place.h"

struct block_io {
	struct iovec memory;         /* of this I/O; its length is that of the I/O */
	uint64_t offset_bytes;
	int64_t result;              /* bytes, or -errno */
	bool write;
	char *buffer;                /* of the block: memory begins there, or, for a later part, behind it */
	char *buffers[BLOCK_SIDES];  /* of the slot: the same one, but for jobs that read and write */
	uint64_t rest_bytes;         /* of the block, behind this part */
	uint64_t made_ticks, staged_ticks; /* made: when it was to be, where a rate is set */
	uint64_t sent_ticks;         /* with job.slat alone */
};

struct uring {
	int fd;
	bool defers;                 /* completions come only when entered */
	void *sq_ring, *cq_ring, *entries;
	size_t sq_ring_bytes, cq_ring_bytes, entries_bytes;
	uint32_t *sq_tail, *cq_head, *cq_tail;
	uint32_t sq_mask, cq_mask;
	uint32_t tail;               /* ours, told the kernel when it is entered */
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
	uint64_t buffer_bytes;       /* of each slot, from buffers[BLOCK_SIDE_READ] on */
	bool fixed_file, fixed_buffers; /* registered */
	unsigned done[BLOCK_MAX_DEPTH]; /* slots that wait() reaped */
	struct block_io ios[BLOCK_MAX_DEPTH];
	union {
		struct uring uring;
		struct aio aio;
		struct block_io *psync_io;
	};
};

struct block_engine {
	const char *name;
	/* Ready for queue->depth slots, or lessens it; by the thread that uses it.  0 or -errno. */
	int (*open)(struct block_queue *queue);
	/* Prepares the I/O of a slot, to be sent by the next send or wait. */
	void (*stage)(struct block_queue *queue, unsigned slot);
	/* Sends what is staged, as far as it can, and does not wait: 0, or -errno, which wait would meet again.  NULL: wait alone can. */
	int (*send)(struct block_queue *queue);
	/*
	 * Sends what is staged and reaps: their number, slots in queue->done.  least 1 waits for one (0 is possible all the
	 * same), 0 does not.  -errno: the engine is at its end.
	 */
	int (*wait)(struct block_queue *queue, unsigned least);
	/* Lets go; queue->inflight that is left was never seen again: its buffers must not be used any more. */
	void (*close)(struct block_queue *queue);
};

extern const struct block_engine block_engine_polled, block_engine_uring, block_engine_aio, block_engine_psync;

/*
 * For a call that failed for the moment or brought nothing: 0 to try again (after a pause, from the tenth time on); err,
 * or -EIO for 0, when it has gone on for about a second: a kernel or filter that answers so for ever must not hang us.
 */
int block_queue_idle(struct block_queue *queue, int err);

#endif
