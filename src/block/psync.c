/* psync.c: one pread or pwrite at a time; works everywhere, holds one I/O in flight whatever was asked for. */
#include <errno.h>
#include <sys/syscall.h>

#include "block/queue.h"
#include "sys/call.h"

static int psync_open(struct block_queue *queue)
{
	queue->depth = 1;
	return 0;
}

static void psync_stage(struct block_queue *queue, unsigned slot)
{
	queue->psync_io = &queue->ios[slot];
	queue->done[0] = slot;
	queue->staged = 1;
}

static int psync_wait(struct block_queue *queue, unsigned least)
{
	struct block_io *io = queue->psync_io;

	(void)least;
	if (!queue->staged)
		return 0;
	io->result = sys_call(io->write ? SYS_pwrite64 : SYS_pread64, queue->fd, io->memory.iov_base, io->memory.iov_len,
	                      io->offset_bytes);
	if (io->result == -EINTR)
		return block_queue_idle(queue, -EINTR);
	queue->idle_turns = 0;
	queue->staged = 0;
	return 1;
}

static void psync_close(struct block_queue *queue)
{
	(void)queue;
}

const struct block_engine block_engine_psync = {
	.name = "psync", .open = psync_open, .stage = psync_stage, .wait = psync_wait, .close = psync_close,
};
