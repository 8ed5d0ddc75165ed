/* stream.c: threads that are pinned, have their buffers, and set off together; the gate that they share; where both ends are on one machine. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "capacity.h"
#include "lib/random.h"
#include "lib/text.h"
#include "net/stream_mover.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/map.h"

enum { FOLLOW_EVERY = 64, NEAR_US = 50, QUIET_MS = 100, DRAIN_S = 3 };

enum go { GO_WAIT, GO_MOVE, GO_AWAY };

_Static_assert(sizeof(struct stream_counts) % sizeof(uint64_t) == 0, "counts are words");

/* ---- the gate ---- */

static void reach_limit(struct stream_gate *gate)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&gate->limit_ns, &none, clock_now_ns());
	atomic_store(&gate->limit_reached, true);
}

static unsigned reserve(_Atomic uint64_t *moved, uint64_t limit, uint64_t each, unsigned wanted)
{
	uint64_t before = atomic_fetch_add(moved, each * wanted), left = limit > before ? (limit - before + each - 1) / each : 0;

	return left < wanted ? (unsigned)left : wanted;
}

unsigned mover_reserve(struct mover *mover, unsigned wanted)
{
	struct stream_gate *gate = mover->gate;

	if (gate->limit_bytes)
		wanted = reserve(&gate->moved_bytes, gate->limit_bytes, mover->test->length_bytes, wanted);
	else if (gate->limit_blocks)
		wanted = reserve(&gate->moved_blocks, gate->limit_blocks, 1, wanted);
	if (!wanted && atomic_fetch_add(&gate->senders_done, 1) + 1 == gate->senders)
		reach_limit(gate);
	return wanted;
}

/* Of so many bytes or blocks: what comes then has no part in the time.  Where this end only sends, or both ends are here, what was sent is still to come. */
static bool is_behind_the_end(const struct stream_gate *gate, const struct net_test *test)
{
	return atomic_load_explicit(&gate->limit_reached, memory_order_relaxed) && (test->bidirectional || !gate->senders);
}

void mover_received(struct mover *mover, uint64_t bytes, uint64_t blocks)
{
	struct stream_gate *gate = mover->gate;

	mover->silent_since_ns = 0;
	if (is_behind_the_end(gate, mover->test))
		return;
	mover_add(mover, MOVER_FIELD(bytes), bytes);
	if (gate->limit_bytes && atomic_fetch_add(&gate->came_bytes, bytes) + bytes >= gate->limit_bytes)
		reach_limit(gate);
	if (gate->limit_blocks && atomic_fetch_add(&gate->came_blocks, blocks) + blocks >= gate->limit_blocks)
		reach_limit(gate);
}

bool mover_is_over(struct mover *mover)
{
	uint64_t now_ns;

	if (!mover_is_stopped(mover) || !mover->gate->drain)
		return mover_is_stopped(mover);
	now_ns = clock_now_ns();
	if (!mover->stopped_ns)
		mover->stopped_ns = now_ns;
	return now_ns - mover->stopped_ns > (mover->patience_ns < SECONDS(DRAIN_S) ? mover->patience_ns : SECONDS(DRAIN_S));
}

static uint64_t silence_ns(struct mover *mover, int err)
{
	uint64_t now_ns = clock_now_ns();

	if (!mover->silent_since_ns)
		mover->silent_since_ns = now_ns - (err == -EAGAIN ? MS(MOVER_SLICE_MS) : 0);
	return now_ns - mover->silent_since_ns;
}

/* Datagrams that do not come are lost, not an error; a connection that is silent for long is one. */
bool mover_waits(struct mover *mover, int err, int *result)
{
	bool receives = !mover->stream->sends, is_silence = err == -EAGAIN || err == -ENOBUFS, stopped = mover_is_stopped(mover);

	*result = stopped ? 0 : err;
	if (err == -EINTR)
		return true;
	if (!is_silence || (stopped && !(receives && mover->gate->drain)))
		return false;
	if (err == -ENOBUFS)
		sys_sleep_ns(US(100));
	return (receives && !stopped && mover->test->protocol == NET_UDP) || silence_ns(mover, err) < (stopped ? MS(QUIET_MS) : mover->patience_ns);
}

/* ---- where both ends are ---- */

/* Behind a veth there may be a bridge, and behind that another machine: its answer to the handshake takes longer than one without any wire. */
static bool is_local(int fd)
{
	struct net_address peer;
	struct socket_state state;
	char name[20], driver[32];

	if (socket_peer(fd, &peer) || address_interface(&peer, name))
		return false;
	if (!strcmp(name, "lo"))
		return true;
	socket_state(fd, &state);
	return state.rtt_min_us < NEAR_US && !socket_link_driver(name, driver) && !strcmp(driver, "veth");
}

static bool are_few(const struct net_test *test)
{
	static struct cpu_list list;

	cpu_allowed(&list);
	return test->streams * (test->bidirectional ? 2 : 1) <= list.count;
}

/* Streams count from the last CPU down: the first ones have the interrupts. */
static void place_sender(const struct stream *stream)
{
	struct cpu_list list;
	unsigned index = stream->id > 1 ? (unsigned)stream->id - 2 : 0;

	cpu_allowed(&list);
	if (list.count)
		cpu_pin(list.cpus[list.count - 1 - index % list.count]);
}

void mover_follow(struct mover *mover)
{
	int cpu = -1;
	socklen_t size = sizeof cpu;

	if (!mover->stream->together || mover_get(mover, MOVER_FIELD(calls)) % FOLLOW_EVERY != 1)
		return;
	if (!sys_call(SYS_getsockopt, mover->fd, SOL_SOCKET, SO_INCOMING_CPU, &cpu, &size) && cpu >= 0 && cpu != cpu_current())
		cpu_pin((unsigned)cpu);
}

/* ---- threads ---- */

static void wait_while(atomic_uint *word, unsigned value)
{
	while (atomic_load(word) == value)
		sys_call(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
}

static void wake(atomic_uint *word)
{
	sys_call(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* Random bytes, for no compressor on the way to make them fewer; or iperf3's digits. */
static void fill(char *buffer, size_t bytes, bool is_pattern)
{
	struct random random;

	random_seed(&random, clock_now_ns());
	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t word = random_next(&random);

		memcpy(buffer + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
	}
	for (size_t i = 0; is_pattern && i < bytes; i++)
		buffer[i] = (char)('0' + i % 10);
}

/* The owner's timeout becomes our patience; what the socket itself waits is a slice of it. */
static int take_over(struct mover *mover)
{
	struct timeval time = { .tv_sec = 0 };
	socklen_t size = sizeof time;

	sys_call(SYS_getsockopt, mover->fd, SOL_SOCKET, mover->stream->sends ? SO_SNDTIMEO : SO_RCVTIMEO, &time, &size);
	mover->patience_ns = SECONDS((uint64_t)time.tv_sec) + US((uint64_t)time.tv_usec);
	if (!mover->patience_ns)
		mover->patience_ns = UINT64_MAX;
	return socket_timeout(mover->fd, MS(MOVER_SLICE_MS));
}

static int prepare(struct mover *mover)
{
	const struct net_test *test = mover->test;
	struct stream *stream = mover->stream;
	void *at = NULL;
	int err = stream->cpu >= 0 ? cpu_pin((unsigned)stream->cpu) : 0;

	if (!err)
		err = take_over(mover);
	mover->buffer_bytes = test->protocol == NET_UDP ? mover_udp_buffer_bytes(test, stream->sends) : test->length_bytes;
	if (!err)
		err = map_memory(mover->buffer_bytes, MAP_PAGE_SMALL, &at);
	mover->buffer = at;
	if (!err && stream->sends)
		fill(mover->buffer, mover->buffer_bytes, test->repeating_payload);
	if (!err && stream->together && stream->sends)
		place_sender(stream);
	return err;
}

static int move(struct mover *mover)
{
	static int (*const movers[2][2])(struct mover *) = { { mover_tcp_receive, mover_tcp_send }, { mover_udp_receive, mover_udp_send } };

	return movers[mover->test->protocol == NET_UDP][mover->stream->sends](mover);
}

static void *run(void *argument)
{
	struct stream *stream = argument;
	struct mover mover = { .stream = stream, .gate = stream->gate, .test = stream->gate->test, .fd = stream->fd };

	stream->start_error = prepare(&mover);
	atomic_fetch_add(&stream->gate->ready, 1);
	wake(&stream->gate->ready);
	wait_while(&stream->gate->go, GO_WAIT);
	if (atomic_load(&stream->gate->go) == GO_MOVE)
		atomic_store(&stream->told.error, move(&mover));
	if (mover.buffer)
		unmap_memory(mover.buffer, mover.buffer_bytes);
	if (mover.patience_ns != UINT64_MAX)
		socket_timeout(stream->fd, mover.patience_ns);
	stream->ended_on_cpu = cpu_current();
	atomic_store(&stream->told.cpu_ns, clock_thread_cpu_ns());
	return NULL;
}

static int start_one(struct stream *stream)
{
	int err;

	memset(&stream->told, 0, sizeof stream->told);
	*stream->engine = '\0';
	stream->start_error = 0;
	stream->together = stream->cpu == STREAM_CPU_ANY && stream->gate->test->protocol == NET_TCP && is_local(stream->fd);
	stream->alone = stream->together && are_few(stream->gate->test);
	err = thread_start(&stream->thread, run, stream);
	stream->started = !err;
	stream->gate->senders += stream->sends;
	return err;
}

static void join(struct stream *streams, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (streams[i].started)
			pthread_join(streams[i].thread, NULL);
		streams[i].started = false;
	}
}

int streams_start(struct stream *streams, unsigned count)
{
	struct stream_gate *gate;
	unsigned started = 0;
	int err = 0;

	if (!count)
		return 0;
	gate = streams->gate;
	gate->ready = gate->go = GO_WAIT;
	gate->senders = gate->senders_done = 0;
	while (!err && started < count) {
		err = start_one(&streams[started]);
		started += !err;
	}
	for (unsigned ready; (ready = atomic_load(&gate->ready)) < started;)
		wait_while(&gate->ready, ready);
	for (unsigned i = 0; i < started && !err; i++)
		err = streams[i].start_error;
	atomic_store(&gate->go, err ? GO_AWAY : GO_MOVE);
	wake(&gate->go);
	if (err)
		join(streams, started);
	return err;
}

static void shut_down(struct stream *streams, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (streams[i].started)
			socket_shutdown(streams[i].fd);
}

void streams_end(struct stream *streams, unsigned count, bool now)
{
	if (!count)
		return;
	atomic_store(&streams->gate->drain, !now);
	atomic_store(&streams->gate->stop, true);
	if (now)
		shut_down(streams, count);
	join(streams, count);
}

void streams_leave(struct stream *streams, unsigned count)
{
	if (!count)
		return;
	atomic_store(&streams->gate->stop, true);
	join(streams, count);
}

void stream_counts(const struct stream *stream, struct stream_counts *counts)
{
	uint64_t words[sizeof *counts / sizeof(uint64_t)];

	for (unsigned i = 0; i < COUNT_OF(words); i++)
		words[i] = atomic_load_explicit(&stream->told.counts[i], memory_order_relaxed);
	memcpy(counts, words, sizeof words);
}

int stream_error(const struct stream *stream)
{
	return atomic_load(&stream->told.error);
}

uint64_t stream_cpu_ns(const struct stream *stream)
{
	return atomic_load(&stream->told.cpu_ns);
}

bool stream_is_broken(int err)
{
	return err == -ECONNRESET || err == -EPIPE || err == -ECONNABORTED || err == -ETIMEDOUT || err == -ENETDOWN;
}
