/* tcp.c: two threads with a connection between them, and the caller, who keeps the time. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "net/tcp.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/map.h"

struct end {
	int fd;
	bool sends;
	char *buffer;
	size_t length_bytes;
	int cpu;
	_Atomic int error;
	_Atomic uint64_t bytes;
	pthread_t thread;
};

static atomic_bool stop;

/* Sends or receives until told to stop: an error that comes of stopping is none. */
static void *move_all(void *argument)
{
	struct end *end = argument;

	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		ssize_t count = end->sends ? socket_send(end->fd, end->buffer, end->length_bytes)
		                           : socket_receive(end->fd, end->buffer, end->length_bytes);

		if (count > 0)
			atomic_fetch_add_explicit(&end->bytes, (uint64_t)count, memory_order_relaxed);
		else if (count != -EINTR) {
			end->error = atomic_load(&stop) ? 0 : count ? (int)count : -EPIPE;
			break;
		}
	}
	end->cpu = cpu_current();
	return NULL;
}

/* A connection of this machine with itself: fds[0] connected, fds[1] accepted.  0 or -errno. */
static int connect_pair(uint64_t timeout_ns, int fds[2])
{
	const struct socket_ask ask = { .timeout_ns = timeout_ns };
	struct net_address address = address_loopback(NET_V4, 0);
	int listener = socket_listen(&address, NULL, 4), err;

	if (listener < 0)
		return listener;
	err = socket_local(listener, &address);
	fds[0] = err ? err : socket_connect(NET_TCP, &address, &ask);
	fds[1] = fds[0] < 0 ? fds[0] : socket_accept(listener, timeout_ns, NULL);
	err = fds[1] < 0 ? fds[1] : 0;
	if (err && fds[0] >= 0)
		sys_close(fds[0]);
	sys_close(listener);
	return err;
}

/* Sleeps up to until_ns; returns false when an end has given up meanwhile. */
static bool wait_until(uint64_t until_ns, struct end *sender, struct end *receiver)
{
	uint64_t now_ns;

	while ((now_ns = clock_now_ns()) < until_ns) {
		if (atomic_load(&sender->error) || atomic_load(&receiver->error))
			return false;
		sys_sleep_ns(until_ns - now_ns < MS(20) ? until_ns - now_ns : MS(20));
	}
	return true;
}

/* At most 500 intervals, of at least 100 ms. */
static uint64_t interval_ns(uint64_t runtime_ns)
{
	return runtime_ns / 500 > MS(100) ? runtime_ns / 500 : MS(100);
}

static void keep_time(const struct tcp_job *job, struct end *sender, struct end *receiver, struct tcp_result *result)
{
	uint64_t start_ns = clock_now_ns() + job->omit_ns, last_ns, last_bytes, now_ns, bytes;
	bool alive = wait_until(start_ns, sender, receiver);

	result->omitted_bytes = last_bytes = atomic_load(&receiver->bytes);
	result->cpu_error = cpu_use_read(&result->before);
	start_ns = last_ns = clock_now_ns();
	while (alive && last_ns - start_ns < job->runtime_ns) {
		alive = wait_until(last_ns + interval_ns(job->runtime_ns), sender, receiver);
		now_ns = clock_now_ns();
		bytes = atomic_load(&receiver->bytes);
		samples_add(&result->intervals, milli_per_second((bytes - last_bytes) * 8, now_ns - last_ns));
		last_ns = now_ns;
		last_bytes = bytes;
	}
	if (!result->cpu_error)
		result->cpu_error = cpu_use_read(&result->after);
	result->bytes = last_bytes - result->omitted_bytes;
	result->elapsed_ns = last_ns - start_ns;
}

/* The states are read while both ends are still open; then a shutdown wakes whoever waits, and the timeouts bound the rest. */
static int measure(const struct tcp_job *job, struct end *sender, struct end *receiver, struct tcp_result *result)
{
	int err = thread_start(&receiver->thread, move_all, receiver);

	if (err)
		return err;
	err = thread_start(&sender->thread, move_all, sender);
	if (!err)
		keep_time(job, sender, receiver, result);
	socket_state(sender->fd, &result->sender);
	socket_state(receiver->fd, &result->receiver);
	atomic_store(&stop, true);
	socket_shutdown(sender->fd);
	socket_shutdown(receiver->fd);
	if (!err)
		pthread_join(sender->thread, NULL);
	pthread_join(receiver->thread, NULL);
	result->send_error = sender->error;
	result->receive_error = receiver->error;
	result->sender_cpu = sender->cpu;
	result->receiver_cpu = receiver->cpu;
	return err;
}

bool tcp_is_broken(int err)
{
	return err == -ECONNRESET || err == -EPIPE || err == -ECONNABORTED || err == -ETIMEDOUT || err == -ENETDOWN;
}

int tcp_loopback(const struct tcp_job *job, struct tcp_result *result)
{
	static struct end sender, receiver;
	int fds[2], err;
	void *buffers;

	result->bytes = result->elapsed_ns = result->omitted_bytes = 0;
	result->omitted_intervals = (unsigned)(job->omit_ns / interval_ns(job->runtime_ns));
	samples_clear(&result->intervals);
	err = map_memory(2 * job->length_bytes, MAP_PAGE_SMALL, &buffers);
	if (err)
		return err;
	memset(buffers, 0x5a, job->length_bytes); /* pages of its own: all of it would else be the one zero page */
	err = connect_pair(job->timeout_ns, fds);
	if (!err) {
		atomic_store(&stop, false);
		sender = (struct end){ .fd = fds[job->accepter_sends], .sends = true, .buffer = buffers, .length_bytes = job->length_bytes };
		receiver = (struct end){ .fd = fds[!job->accepter_sends], .buffer = (char *)buffers + job->length_bytes,
		                         .length_bytes = job->length_bytes };
		err = measure(job, &sender, &receiver, result);
		sys_close(fds[0]);
		sys_close(fds[1]);
	}
	unmap_memory(buffers, 2 * job->length_bytes);
	return err;
}
