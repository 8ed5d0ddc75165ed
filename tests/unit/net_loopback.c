#include <errno.h>
#include <sys/socket.h>

#include "net/loopback.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "test.h"

static struct net_result result;

static const struct loopback_job job = { .test = { .protocol = NET_TCP, .streams = 1, .omit_ns = MS(20), .time_ns = MS(250), .length_bytes = 128 * KIB },
                                         .timeout_ns = SECONDS(1) };

test(bytes_arrive_when_the_connecting_side_sends)
{
	check_equal(loopback_run(&job, &result), 0);
	check(result.streams[1].here.bytes > 0);
	check(result.streams[0].here.bytes > 0);
	check(result.elapsed_ns >= MS(250));
	check_equal(result.streams[0].error, 0);
	check_equal(result.streams[1].error, 0);
}

test(bytes_arrive_when_the_accepting_side_sends)
{
	struct loopback_job reversed = job;

	reversed.test.reverse = true;
	check_equal(loopback_run(&reversed, &result), 0);
	check(result.streams[1].here.bytes > 0);
	check(result.streams[0].state.send_buffer_bytes > 0);
	check(result.streams[1].state.receive_buffer_bytes > 0);
}

test(runtime_is_sampled_in_intervals_of_100_ms_and_the_warm_up_apart)
{
	uint64_t bytes = 0, omitted = 0;

	check_equal(loopback_run(&job, &result), 0);
	check_equal(result.interval_count, 4);
	check(result.intervals[0].omitted);
	for (unsigned i = 0; i < result.interval_count; i++)
		*(result.intervals[i].omitted ? &omitted : &bytes) += result.intervals[i].bytes[0];
	check_equal(bytes, result.streams[1].here.bytes);
	check_equal(omitted, result.streams[1].here.omitted_bytes);
	check(omitted > 0);
	check_equal(net_cell(3, 1)->bytes, result.intervals[3].bytes[0]);
}

test(more_intervals_than_there_is_room_for_become_half_as_many_and_lose_nothing)
{
	struct loopback_job fine = job;
	uint64_t bytes = 0, cells = 0;

	fine.interval_ns = US(200);
	fine.test.time_ns = MS(700);
	fine.test.rate_bit_per_s = 80000000;
	check_equal(loopback_run(&fine, &result), 0);
	check(result.interval_count >= 512 && result.interval_count <= 1024);
	for (unsigned i = 0; i < result.interval_count; i++)
		bytes += result.intervals[i].bytes[0], cells += net_cell(i, 1)->bytes;
	check_equal(result.cell_intervals, result.interval_count);
	check_equal(bytes, result.streams[1].here.bytes + result.streams[1].here.omitted_bytes);
	check_equal(cells, bytes);
}

test(datagrams_over_loopback_are_counted_at_both_ends)
{
	struct loopback_job udp = job;

	udp.test.protocol = NET_UDP;
	udp.test.length_bytes = 1000;
	udp.test.rate_bit_per_s = 8000000;
	check_equal(loopback_run(&udp, &result), 0);
	check(result.streams[0].here.datagrams >= 240 && result.streams[0].here.datagrams <= 300);
	check(result.streams[1].here.datagrams * 10 >= result.streams[0].here.datagrams * 9);
	check_equal(result.streams[1].counts.foreign, 0);
	check_equal(result.streams[1].counts.duplicates, 0);
}

test(a_test_by_blocks_ends_by_itself_and_moves_just_as_many)
{
	struct loopback_job blocks = job;

	blocks.test.omit_ns = blocks.test.time_ns = 0;
	blocks.test.blocks = 100;
	blocks.test.length_bytes = 10000;
	check_equal(loopback_run(&blocks, &result), 0);
	check_equal(result.streams[0].here.bytes, 1000000);
	check(result.elapsed_ns > 0 && result.elapsed_ns < MS(80)); /* that its threads take a tenth of a second to end is no part of it */
}

test(a_test_by_bytes_moves_whole_blocks_until_there_are_so_many)
{
	struct loopback_job bytes = job;

	bytes.test.omit_ns = bytes.test.time_ns = 0;
	bytes.test.bytes = 1000001;
	bytes.test.length_bytes = 10000;
	check_equal(loopback_run(&bytes, &result), 0);
	check_equal(result.streams[0].here.bytes, 1010000);
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
	struct loopback_job long_job = job;
	pthread_t cutter;
	uint64_t start_ns = clock_now_ns();

	long_job.test.time_ns = SECONDS(20);
	check_equal(thread_start(&cutter, cut, NULL), 0);
	check_equal(loopback_run(&long_job, &result), 0);
	pthread_join(cutter, NULL);
	check(stream_is_broken(result.streams[0].error));
	check(clock_now_ns() - start_ns < SECONDS(10));
}

test(only_a_lost_connection_is_the_machines_fault)
{
	static const int broken[] = { -ECONNRESET, -EPIPE, -ECONNABORTED, -ETIMEDOUT, -ENETDOWN };
	static const int others[] = { 0, -EAGAIN, -ENOMEM, -ENOBUFS, -EPERM, -EACCES };

	for (unsigned i = 0; i < COUNT_OF(broken); i++)
		check(stream_is_broken(broken[i]));
	for (unsigned i = 0; i < COUNT_OF(others); i++)
		check(!stream_is_broken(others[i]));
}
