/*
 * shm.c: messages are built in a shared arena of slots and never copied; what travels is a count, by futex.
 *
 * The arena is an anonymous shared map: neither /dev/shm nor any file system is needed.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>

#include "capacity.h"
#include "msg/transport.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/map.h"

/* Each side writes its own cache line only. */
struct ring {
	_Alignas(128) _Atomic uint32_t sent;     /* messages so far; the reader sleeps on it */
	_Atomic uint32_t finished;
	_Alignas(128) _Atomic uint32_t released; /* messages so far that the reader has given back */
};

enum { RING_BYTES = 4096 };

static int shm_open_arena(struct channel *channel, uint64_t size_bytes, uint64_t budget_bytes)
{
	void *at;
	int err;

	*channel = (struct channel){ .size_bytes = size_bytes, .fds = { -1, -1 } };
	channel->stride_bytes = (size_bytes + MESSAGE_PAGE - 1) / MESSAGE_PAGE * MESSAGE_PAGE;
	for (channel->slots = MAX_SLOTS; channel->slots > 1; channel->slots--)
		if (RING_BYTES + channel->slots * channel->stride_bytes <= budget_bytes)
			break;
	if (channel->slots < 2)
		return -ENOMEM;
	channel->memory_bytes = RING_BYTES + channel->slots * channel->stride_bytes;
	err = map_shared(channel->memory_bytes, &at);
	if (err)
		return err;
	channel->ring = at;
	channel->arena = (uint8_t *)at + RING_BYTES;
	return 0;
}

static void shm_close(struct channel *channel)
{
	unmap_memory(channel->ring, channel->memory_bytes);
}

static struct message *slot(struct channel *channel, uint32_t count)
{
	return (struct message *)(channel->arena + count % channel->slots * channel->stride_bytes);
}

/* Every slot is laid and faulted in before the first message. */
static void shm_be_writer(struct channel *channel)
{
	for (unsigned i = 0; i < channel->slots; i++)
		message_lay(slot(channel, i), channel->size_bytes);
}

static struct message *shm_claim(struct channel *channel)
{
	uint32_t sent = atomic_load_explicit(&channel->ring->sent, memory_order_relaxed);
	uint32_t released = atomic_load_explicit(&channel->ring->released, memory_order_acquire);

	return sent - released < channel->slots ? slot(channel, sent) : NULL;
}

static void wake(_Atomic uint32_t *word)
{
	sys_call(SYS_futex, word, (long)FUTEX_WAKE, 1l, (void *)0, (void *)0, 0l);
}

static int shm_send(struct channel *channel, uint64_t timeout_ns)
{
	(void)timeout_ns;
	atomic_fetch_add_explicit(&channel->ring->sent, 1, memory_order_release);
	wake(&channel->ring->sent);
	return 0;
}

/* The count does not change with it, so the flag must be set before the wake and is looked at after every sleep; a reader
 * that misses the wake between the two sees it after its timeout. */
static void shm_finish(struct channel *channel)
{
	atomic_store_explicit(&channel->ring->finished, 1, memory_order_release);
	wake(&channel->ring->sent);
}

static void shm_be_reader(struct channel *channel)
{
	(void)channel;
}

static int shm_receive(struct channel *channel, const struct message **message, uint64_t timeout_ns)
{
	struct ring *ring = channel->ring;
	uint32_t released = atomic_load_explicit(&ring->released, memory_order_relaxed), sent;
	const struct timespec timeout = { .tv_sec = (time_t)(timeout_ns / SECONDS(1)), .tv_nsec = (long)(timeout_ns % SECONDS(1)) };
	uint64_t deadline_ns = clock_now_ns() + timeout_ns;

	while ((sent = atomic_load_explicit(&ring->sent, memory_order_acquire)) == released) {
		if (atomic_load_explicit(&ring->finished, memory_order_acquire))
			return -EPIPE;
		if (clock_now_ns() >= deadline_ns)
			return -ETIMEDOUT;
		sys_call(SYS_futex, &ring->sent, (long)FUTEX_WAIT, (unsigned long)sent, &timeout, (void *)0, 0l);
	}
	*message = slot(channel, released);
	return 0;
}

static void shm_release(struct channel *channel)
{
	atomic_fetch_add_explicit(&channel->ring->released, 1, memory_order_release);
}

const struct transport transport_shm = {
	.name = "shm", .wake = "futex", .open = shm_open_arena, .close = shm_close,
	.be_writer = shm_be_writer, .claim = shm_claim, .send = shm_send, .finish = shm_finish,
	.be_reader = shm_be_reader, .receive = shm_receive, .release = shm_release,
};
