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

test(accept_gives_up_when_nobody_comes)
{
	struct sockaddr_in address = socket_loopback(0);
	int listener = socket_listen(&address, MS(50));
	uint64_t start_ns = clock_now_ns();

	check(listener >= 0);
	check_equal(socket_accept(listener, MS(50)), -EAGAIN);
	check(clock_now_ns() - start_ns < SECONDS(5));
	sys_close(listener);
}

test(connecting_to_a_port_without_a_listener_is_refused)
{
	struct sockaddr_in address = socket_loopback(0);
	int listener = socket_listen(&address, MS(50));

	address = socket_loopback((uint16_t)socket_port(listener));
	sys_close(listener);
	check_equal(socket_connect(&address, MS(500)), -ECONNREFUSED);
}

test(receiving_gives_up_when_the_other_end_is_silent)
{
	struct sockaddr_in address = socket_loopback(0);
	int listener = socket_listen(&address, SECONDS(1)), near, far;
	char byte;

	address = socket_loopback((uint16_t)socket_port(listener));
	near = socket_connect(&address, MS(50));
	far = socket_accept(listener, MS(50));
	check(near >= 0 && far >= 0);
	check_equal(socket_receive(far, &byte, 1), -EAGAIN);
	sys_close(near);
	check_equal(socket_receive(far, &byte, 1), 0);
	sys_close(far);
	sys_close(listener);
}

test(an_interface_that_is_not_there_is_named_so)
{
	check_equal(socket_link_up("no-such-port"), -ENODEV);
	check_equal(socket_link_up("lo"), 0);
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
