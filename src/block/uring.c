/*
 * uring.c: io_uring by raw system calls: one io_uring_enter sends a batch and waits for the next completion.
 *
 * READV and WRITEV, which every io_uring has (5.1), so nothing needs probing.  The rings are mapped one by one, which
 * kernels with a single map accept, too.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "block/queue.h"
#include "capacity.h"
#include "sys/call.h"

enum { DRAIN_TURNS = 200 };

static long map_ring(int fd, size_t bytes, uint64_t offset, void **at)
{
	long mapped = sys_call(SYS_mmap, 0L, (long)bytes, (long)(PROT_READ | PROT_WRITE), (long)(MAP_SHARED | MAP_POPULATE),
	                       (long)fd, (long)offset);

	if (mapped < 0 && mapped > -4096)
		return mapped;
	*at = (void *)mapped;
	return 0;
}

static void unmap_ring(void *at, size_t bytes)
{
	if (at)
		sys_call(SYS_munmap, at, (long)bytes);
}

static void uring_release(struct uring *ring)
{
	unmap_ring(ring->sq_ring, ring->sq_ring_bytes);
	unmap_ring(ring->cq_ring, ring->cq_ring_bytes);
	unmap_ring(ring->entries, ring->entries_bytes);
	sys_close(ring->fd);
}

static long map_rings(struct uring *ring, const struct io_uring_params *params)
{
	long err;

	ring->sq_ring_bytes = params->sq_off.array + params->sq_entries * sizeof(uint32_t);
	ring->cq_ring_bytes = params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe);
	ring->entries_bytes = params->sq_entries * sizeof(struct io_uring_sqe);
	err = map_ring(ring->fd, ring->sq_ring_bytes, IORING_OFF_SQ_RING, &ring->sq_ring);
	if (!err)
		err = map_ring(ring->fd, ring->cq_ring_bytes, IORING_OFF_CQ_RING, &ring->cq_ring);
	if (!err)
		err = map_ring(ring->fd, ring->entries_bytes, IORING_OFF_SQES, &ring->entries);
	return err;
}

static void find_fields(struct uring *ring, const struct io_uring_params *params)
{
	char *sq = ring->sq_ring, *cq = ring->cq_ring;

	ring->sq_tail = (uint32_t *)(sq + params->sq_off.tail);
	ring->sq_array = (uint32_t *)(sq + params->sq_off.array);
	ring->sq_mask = *(uint32_t *)(sq + params->sq_off.ring_mask);
	ring->cq_head = (uint32_t *)(cq + params->cq_off.head);
	ring->cq_tail = (uint32_t *)(cq + params->cq_off.tail);
	ring->cq_mask = *(uint32_t *)(cq + params->cq_off.ring_mask);
	ring->completions = cq + params->cq_off.cqes;
}

static int uring_open(struct block_queue *queue)
{
	struct io_uring_params params = { .flags = 0 };
	struct uring *ring = &queue->uring;
	long err = sys_call(SYS_io_uring_setup, (long)queue->depth, &params);

	if (err < 0)
		return (int)err;
	*ring = (struct uring){ .fd = (int)err };
	err = params.sq_entries < queue->depth ? -EINVAL : map_rings(ring, &params);
	if (err) {
		uring_release(ring);
		return (int)err;
	}
	find_fields(ring, &params);
	return 0;
}

static void uring_stage(struct block_queue *queue, unsigned slot)
{
	struct uring *ring = &queue->uring;
	const struct block_io *io = &queue->ios[slot];
	uint32_t tail = *ring->sq_tail, index = tail & ring->sq_mask;

	((struct io_uring_sqe *)ring->entries)[index] = (struct io_uring_sqe){
		.opcode = io->write ? IORING_OP_WRITEV : IORING_OP_READV,
		.fd = queue->fd,
		.off = io->offset_bytes,
		.addr = (uintptr_t)&io->memory,
		.len = 1,
		.user_data = slot,
	};
	ring->sq_array[index] = index;
	__atomic_store_n(ring->sq_tail, tail + 1, __ATOMIC_RELEASE);
	queue->staged++;
}

static int uring_reap(struct block_queue *queue)
{
	struct uring *ring = &queue->uring;
	const struct io_uring_cqe *completions = ring->completions;
	uint32_t head = *ring->cq_head, tail = __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE);
	unsigned count = 0;

	for (; head != tail && count < queue->inflight; head++) {
		const struct io_uring_cqe *done = &completions[head & ring->cq_mask];
		queue->ios[done->user_data].result = done->res;
		queue->done[count++] = (unsigned)done->user_data;
	}
	__atomic_store_n(ring->cq_head, head, __ATOMIC_RELEASE);
	queue->inflight -= count;
	return (int)count;
}

static long uring_enter(struct block_queue *queue)
{
	long sent = sys_call(SYS_io_uring_enter, (long)queue->uring.fd, (long)queue->staged, 1L, (long)IORING_ENTER_GETEVENTS,
	                     (void *)0, 0L);

	if (sent < 0)
		return sent;
	if ((unsigned long)sent > queue->staged)
		return -EIO;
	queue->staged -= (unsigned)sent;
	queue->inflight += (unsigned)sent;
	return 0;
}

/* What has completed is reaped even when entering failed: the failure is met again when nothing is left. */
static int uring_wait(struct block_queue *queue)
{
	long err = uring_enter(queue);
	int count = uring_reap(queue);

	if (count) {
		queue->idle_turns = 0;
		return count;
	}
	if (err && err != -EINTR && err != -EAGAIN && err != -EBUSY)
		return (int)err;
	return block_queue_idle(queue, (int)err);
}

/* After a failed enter some may still be in flight: they complete without us, so we look for them for a while. */
static void uring_close(struct block_queue *queue)
{
	for (unsigned i = 0; queue->inflight && i < DRAIN_TURNS; i++)
		if (!uring_reap(queue))
			sys_sleep_ns(MS(10));
	uring_release(&queue->uring);
}

const struct block_engine block_engine_uring = {
	.name = "io_uring", .open = uring_open, .stage = uring_stage, .wait = uring_wait, .close = uring_close,
};
