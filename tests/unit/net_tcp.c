#include <errno.h>
#include <sys/socket.h>

#include "net/tcp.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "test.h"

static struct tcp_result result;

static const struct tcp_job job = { .omit_ns = MS(20), .runtime_ns = MS(250), .timeout_ns = SECONDS(1), .length_bytes = 128 * KIB };

test(bytes_arrive_when_the_connecting_side_sends)
{
	check_equal(tcp_loopback(&job, &result), 0);
	check(result.bytes > 0);
	check(result.elapsed_ns >= MS(250));
	check_equal(result.send_error, 0);
	check_equal(result.receive_error, 0);
}

test(bytes_arrive_when_the_accepting_side_sends)
{
	struct tcp_job reversed = job;

	reversed.accepter_sends = true;
	check_equal(tcp_loopback(&reversed, &result), 0);
	check(result.bytes > 0);
	check(result.sender.send_buffer_bytes > 0);
	check(result.receiver.receive_buffer_bytes > 0);
}

test(runtime_is_sampled_in_intervals_of_100_ms)
{
	check_equal(tcp_loopback(&job, &result), 0);
	check_equal(result.intervals.count, 3);
	check(result.intervals.values[0] > 0);
}

test(what_comes_before_the_omitted_time_is_counted_apart)
{
	check_equal(tcp_loopback(&job, &result), 0);
	check(result.omitted_bytes > 0);
}

/* Ends what every socket of this process sends, once it has run for a while: the sender is the first to see it. */
static void *cut(void *unused)
{
	(void)unused;
	sys_sleep_ns(MS(60));
	for (int fd = 3; fd < 64; fd++)
		shutdown(fd, SHUT_WR);
	return NULL;
}

test(a_connection_cut_in_mid_run_is_told_by_the_sender)
{
	struct tcp_job long_job = job;
	pthread_t cutter;
	uint64_t start_ns = clock_now_ns();

	long_job.runtime_ns = SECONDS(20);
	check_equal(thread_start(&cutter, cut, NULL), 0);
	check_equal(tcp_loopback(&long_job, &result), 0);
	pthread_join(cutter, NULL);
	check(tcp_is_broken(result.send_error));
	check(clock_now_ns() - start_ns < SECONDS(10));
}

test(only_a_lost_connection_is_the_machines_fault)
{
	static const int broken[] = { -ECONNRESET, -EPIPE, -ECONNABORTED, -ETIMEDOUT, -ENETDOWN };
	static const int others[] = { 0, -EAGAIN, -ENOMEM, -ENOBUFS, -EPERM, -EACCES };

	for (unsigned i = 0; i < COUNT_OF(broken); i++)
		check(tcp_is_broken(broken[i]));
	for (unsigned i = 0; i < COUNT_OF(others); i++)
		check(!tcp_is_broken(others[i]));
}
