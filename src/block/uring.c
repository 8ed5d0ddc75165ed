/*
 * uring.c: io_uring by raw system calls: one io_uring_enter sends a batch and waits for the next completion.
 *
 * Buffers and file are registered where the kernel lets us (the want of locked memory is no fault), and then used by
 * READ_FIXED and WRITE_FIXED; else READV and WRITEV, which every io_uring has (5.1).  The flags that spare interrupts
 * (5.19, 6.0, 6.1) are left away where the kernel refuses them.  The rings are mapped one by one, which kernels with a single map
 * accept, too.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "block/queue.h"
#include "capacity.h"
#include "sys/call.h"

enum { DRAIN_TURNS = 200 };

__attribute__((cold)) static long map_ring(int fd, size_t bytes, uint64_t offset, void **at)
{
	long mapped = sys_call(SYS_mmap, 0L, (long)bytes, (long)(PROT_READ | PROT_WRITE), (long)(MAP_SHARED | MAP_POPULATE),
	                       (long)fd, (long)offset);

	if (mapped < 0 && mapped > -4096)
		return mapped;
	*at = (void *)mapped;
	return 0;
}

__attribute__((cold)) static void unmap_ring(void *at, size_t bytes)
{
	if (at)
		sys_call(SYS_munmap, at, (long)bytes);
}

__attribute__((cold)) static void uring_release(struct uring *ring)
{
	unmap_ring(ring->sq_ring, ring->sq_ring_bytes);
	unmap_ring(ring->cq_ring, ring->cq_ring_bytes);
	unmap_ring(ring->entries, ring->entries_bytes);
	sys_close(ring->fd);
}

__attribute__((cold)) static long map_rings(struct uring *ring, const struct io_uring_params *params)
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

/* Entry i of the queue is entry i of the array, for good. */
__attribute__((cold)) static void find_fields(struct uring *ring, const struct io_uring_params *params)
{
	char *sq = ring->sq_ring, *cq = ring->cq_ring;
	uint32_t *array = (uint32_t *)(sq + params->sq_off.array);

	ring->sq_tail = (uint32_t *)(sq + params->sq_off.tail);
	ring->sq_mask = *(uint32_t *)(sq + params->sq_off.ring_mask);
	ring->tail = *ring->sq_tail;
	ring->cq_head = (uint32_t *)(cq + params->cq_off.head);
	ring->cq_tail = (uint32_t *)(cq + params->cq_off.tail);
	ring->cq_mask = *(uint32_t *)(cq + params->cq_off.ring_mask);
	ring->completions = cq + params->cq_off.cqes;
	for (uint32_t i = 0; i < params->sq_entries; i++)
		array[i] = i;
}

__attribute__((cold)) static long ring_register(const struct uring *ring, unsigned what, const void *list, unsigned count)
{
	return sys_call(SYS_io_uring_register, (long)ring->fd, (long)what, list, (long)count);
}

/* A failure costs a little speed and nothing else. */
__attribute__((cold)) static void register_all(struct block_queue *queue)
{
	struct uring *ring = &queue->uring;
	struct iovec buffers[BLOCK_MAX_DEPTH];

	for (unsigned i = 0; i < queue->depth; i++)
		buffers[i] = (struct iovec){ queue->ios[i].buffers[BLOCK_SIDE_READ], queue->buffer_bytes };
	queue->fixed_file = !ring_register(ring, IORING_REGISTER_FILES, &queue->fd, 1);
	queue->fixed_buffers = queue->buffer_bytes <= GIB && !ring_register(ring, IORING_REGISTER_BUFFERS, buffers, queue->depth);
}

__attribute__((cold)) static void fill_entries(const struct block_queue *queue)
{
	struct io_uring_sqe *entries = queue->uring.entries;

	for (uint32_t i = 0; i <= queue->uring.sq_mask; i++)
		entries[i] = (struct io_uring_sqe){
			.flags = queue->fixed_file ? IOSQE_FIXED_FILE : 0, .fd = queue->fixed_file ? 0 : queue->fd,
		};
}

__attribute__((cold)) static long set_up(struct block_queue *queue, uint32_t flags, struct io_uring_params *params)
{
	static const uint32_t spare[] = {
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN, 0,
	};
	long fd = -EINVAL;

	for (unsigned i = 0; fd == -EINVAL && i < COUNT_OF(spare); i++) {
		*params = (struct io_uring_params){ .flags = flags | spare[i] };
		fd = sys_call(SYS_io_uring_setup, (long)queue->depth, params);
	}
	return fd;
}

__attribute__((cold)) static int open_with(struct block_queue *queue, uint32_t flags)
{
	struct io_uring_params params;
	struct uring *ring = &queue->uring;
	long err = set_up(queue, flags, &params);

	if (err < 0)
		return (int)err;
	*ring = (struct uring){ .fd = (int)err, .defers = params.flags & (IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_IOPOLL) };
	err = params.sq_entries < queue->depth ? -EINVAL : map_rings(ring, &params);
	if (err) {
		uring_release(ring);
		return (int)err;
	}
	find_fields(ring, &params);
	register_all(queue);
	fill_entries(queue);
	return 0;
}

static int uring_open(struct block_queue *queue)
{
	return open_with(queue, 0);
}

static int polled_open(struct block_queue *queue)
{
	return open_with(queue, IORING_SETUP_IOPOLL);
}

/* What is the same for all I/Os is there since the ring was opened. */
static void uring_stage(struct block_queue *queue, unsigned slot)
{
	struct uring *ring = &queue->uring;
	const struct block_io *io = &queue->ios[slot];
	struct io_uring_sqe *entry = (struct io_uring_sqe *)ring->entries + (ring->tail++ & ring->sq_mask);

	queue->staged++;
	entry->off = io->offset_bytes;
	entry->user_data = slot;
	if (queue->fixed_buffers) {
		entry->opcode = io->write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
		entry->addr = (uintptr_t)io->memory.iov_base;
		entry->len = (uint32_t)io->memory.iov_len;
		entry->buf_index = (uint16_t)slot;
	} else {
		entry->opcode = io->write ? IORING_OP_WRITEV : IORING_OP_READV;
		entry->addr = (uintptr_t)&io->memory;
		entry->len = 1;
	}
}

static inline int uring_reap(struct block_queue *queue)
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

static inline long uring_enter(struct block_queue *queue, unsigned sent_most, unsigned least, unsigned flags)
{
	long sent;

	__atomic_store_n(queue->uring.sq_tail, queue->uring.tail, __ATOMIC_RELEASE);
	sent = sys_call(SYS_io_uring_enter, (long)queue->uring.fd, (long)sent_most, (long)least, (long)flags, (void *)0, 0L);
	if (sent < 0)
		return sent;
	if ((unsigned long)sent > sent_most)
		return -EIO;
	queue->staged -= (unsigned)sent;
	queue->inflight += (unsigned)sent;
	return 0;
}

static int uring_send(struct block_queue *queue)
{
	return queue->staged ? (int)uring_enter(queue, queue->staged, 0, 0) : 0;
}

static bool is_passing(long err)
{
	return err == -EINTR || err == -EAGAIN || err == -EBUSY;
}

/* What has completed is reaped even when entering failed: the failure is met again when nothing is left. */
static int uring_wait(struct block_queue *queue, unsigned least)
{
	long err = 0;
	int count = queue->staged ? 0 : uring_reap(queue);

	if (!count && (queue->staged || least || queue->uring.defers)) {
		err = uring_enter(queue, queue->staged, least, IORING_ENTER_GETEVENTS);
		count = uring_reap(queue);
	}
	if (count || (!least && !err)) {
		queue->idle_turns = 0;
		return count;
	}
	return err && !is_passing(err) ? (int)err : block_queue_idle(queue, (int)err);
}

/* The kernel ends a ring some time after its descriptor, its process even: until then it would hold the device. */
__attribute__((cold)) static void put_down(struct block_queue *queue)
{
	if (queue->fixed_file)
		ring_register(&queue->uring, IORING_UNREGISTER_FILES, NULL, 0);
}

/* After a failed enter some may still be in flight: they complete without us, so we look for them for a while. */
__attribute__((cold)) static void uring_close(struct block_queue *queue)
{
	for (unsigned i = 0; queue->inflight && i < DRAIN_TURNS; i++) {
		if (queue->uring.defers)
			uring_enter(queue, 0, 0, IORING_ENTER_GETEVENTS);
		if (!uring_reap(queue))
			sys_sleep_ns(MS(10));
	}
	put_down(queue);
	uring_release(&queue->uring);
}

const struct block_engine block_engine_uring = {
	.name = "io_uring", .open = uring_open, .stage = uring_stage, .send = uring_send, .wait = uring_wait, .close = uring_close,
};

const struct block_engine block_engine_polled = {
	.name = "io_uring polled", .open = polled_open, .stage = uring_stage, .send = uring_send, .wait = uring_wait,
	.close = uring_close,
};
