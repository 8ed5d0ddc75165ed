/*
 * aio.c: the kernel's native asynchronous I/O (io_setup and so on), what others use through libaio.
 *
 * Depth: halved for as long as the kernel has no room for it (EAGAIN, fs.aio-max-nr).
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "block/queue.h"
#include "sys/call.h"

enum { REAPED_AT_ONCE = 32 };

__attribute__((cold)) static int aio_open(struct block_queue *queue)
{
	long err;

	queue->aio.context = 0;
	while ((err = sys_call(SYS_io_setup, (long)queue->depth, &queue->aio.context)) == -EAGAIN && queue->depth > 1)
		queue->depth /= 2;
	return (int)err;
}

static void aio_stage(struct block_queue *queue, unsigned slot)
{
	const struct block_io *io = &queue->ios[slot];
	struct iocb *block = &queue->aio.blocks[slot];

	*block = (struct iocb){
		.aio_data = slot,
		.aio_lio_opcode = io->write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)queue->fd,
		.aio_buf = (uintptr_t)io->memory.iov_base,
		.aio_nbytes = io->memory.iov_len,
		.aio_offset = (int64_t)io->offset_bytes,
	};
	queue->aio.staged[queue->staged++] = block;
}

static int aio_submit(struct block_queue *queue)
{
	struct iocb **staged = queue->aio.staged;
	long sent = queue->staged ? sys_call(SYS_io_submit, queue->aio.context, (long)queue->staged, staged) : 0;

	if (sent < 0)
		return (int)sent;
	if ((unsigned long)sent > queue->staged)
		return -EIO;
	queue->staged -= (unsigned)sent;
	queue->inflight += (unsigned)sent;
	memmove(staged, staged + sent, queue->staged * sizeof *staged);
	return 0;
}

static int aio_reap(struct block_queue *queue, unsigned least)
{
	static const struct timespec at_once;
	struct io_event events[REAPED_AT_ONCE];
	long count = sys_call(SYS_io_getevents, queue->aio.context, (long)least, (long)REAPED_AT_ONCE, events,
	                      least ? NULL : &at_once);

	if (count < 0)
		return (int)count;
	if (count > (long)queue->inflight || count > REAPED_AT_ONCE)
		return -EIO;
	for (long i = 0; i < count; i++) {
		queue->ios[events[i].data].result = events[i].res;
		queue->done[i] = (unsigned)events[i].data;
	}
	queue->inflight -= (unsigned)count;
	return (int)count;
}

static int aio_wait(struct block_queue *queue, unsigned least)
{
	int err = aio_submit(queue), count = 0;

	if (err && err != -EAGAIN && err != -EINTR)
		return err;
	if (queue->inflight)
		count = aio_reap(queue, least);
	if (count < 0 && count != -EINTR && count != -EAGAIN)
		return count;
	if (count < 0 || (!count && (least || err)))
		return block_queue_idle(queue, count ? count : err);
	queue->idle_turns = 0;
	return count;
}

/* io_destroy comes back when the kernel is done with every buffer. */
__attribute__((cold)) static void aio_close(struct block_queue *queue)
{
	if (!sys_call(SYS_io_destroy, queue->aio.context))
		queue->inflight = 0;
}

const struct block_engine block_engine_aio = {
	.name = "libaio", .open = aio_open, .stage = aio_stage, .send = aio_submit, .wait = aio_wait, .close = aio_close,
};
