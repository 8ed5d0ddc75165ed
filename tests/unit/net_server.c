/* The server, in a thread of the test, with our own client; and what it refuses. */
#include <errno.h>
#include <unistd.h>

#include "capacity.h"
#include "net/client.h"
#include "net/server_inside.h"
#include "net/socket.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "test.h"

/* ---- what it gives ---- */

static struct server_job limits;
static char why[200];

static unsigned refused(struct net_test test)
{
	*why = '\0';
	test.streams = test.streams ? test.streams : 1;
	test.length_bytes = 1000;
	return limits_refuse(&limits, &test, why, sizeof why);
}

test(without_limits_everything_is_served)
{
	limits = (struct server_job){ .max_time_ns = 0 };
	check_equal(refused((struct net_test){ .streams = 128, .bidirectional = true, .time_ns = SECONDS(86400), .bytes = UINT64_MAX, .rate_bit_per_s = INT64_MAX }), 0);
	check_equal(refused((struct net_test){ .time_ns = 0 }), 0);
}

test(the_longest_test)
{
	limits = (struct server_job){ .max_time_ns = SECONDS(10) };
	check_equal(refused((struct net_test){ .time_ns = SECONDS(8), .omit_ns = SECONDS(2) }), 0);
	check_equal(refused((struct net_test){ .time_ns = SECONDS(9), .omit_ns = SECONDS(2) }), IPERF_E_DURATION);
	check_string(why, "it asks for 11 s, and --max-time is 10 s");
	check_equal(refused((struct net_test){ .time_ns = 0 }), IPERF_E_DURATION); /* no end */
	check_equal(refused((struct net_test){ .bytes = 1 }), 0);                  /* the server's timer is its end */
}

test(the_most_bytes_streams_and_the_highest_rate)
{
	limits = (struct server_job){ .max_bytes = 5000, .max_streams = 4, .max_rate_bit_per_s = 1000 };
	check_equal(refused((struct net_test){ .bytes = 5000 }), 0);
	check_equal(refused((struct net_test){ .bytes = 5001 }), IPERF_E_DURATION);
	check_equal(refused((struct net_test){ .blocks = 5 }), 0);
	check_equal(refused((struct net_test){ .blocks = 6 }), IPERF_E_DURATION);
	check_equal(refused((struct net_test){ .blocks = UINT64_MAX }), IPERF_E_DURATION);
	check_equal(refused((struct net_test){ .streams = 4 }), 0);
	check_equal(refused((struct net_test){ .streams = 5 }), 6);
	check_equal(refused((struct net_test){ .streams = 3, .bidirectional = true }), 6);
	check_equal(refused((struct net_test){ .streams = 4, .rate_bit_per_s = 250 }), 0);
	check_equal(refused((struct net_test){ .streams = 4, .rate_bit_per_s = 251 }), IPERF_E_RATE);
	check_equal(refused((struct net_test){ .streams = 2, .fq_rate_bit_per_s = UINT64_MAX }), IPERF_E_RATE);
}

test(old_clients_hear_numbers_that_they_know)
{
	check_equal(limits_number(IPERF_E_DURATION, 12), 5);
	check_equal(limits_number(IPERF_E_DURATION, 20), IPERF_E_DURATION);
	check_equal(limits_number(IPERF_E_EXPIRED, 20), 5);
	check_equal(limits_number(IPERF_E_EXPIRED, 21), IPERF_E_EXPIRED);
	check_equal(limits_number(IPERF_E_RATE, 1), IPERF_E_RATE);
}

test(how_long_it_waits)
{
	limits = (struct server_job){ .max_time_ns = SECONDS(100) };
	check_equal(limits_longest_ns(&limits, &(struct net_test){ .time_ns = SECONDS(10), .omit_ns = SECONDS(1) }), SECONDS(31));
	check_equal(limits_longest_ns(&limits, &(struct net_test){ .bytes = 1 }), SECONDS(120));
	check_equal(limits_silence_ns(&(struct net_test){ .length_bytes = 131072 }), SECONDS(20));
	check_equal(limits_silence_ns(&(struct net_test){ .length_bytes = 1000, .rate_bit_per_s = 800 }), SECONDS(50)); /* a block in 10 s */
	check_equal(limits_silence_ns(&(struct net_test){ .length_bytes = 1 << 20, .rate_bit_per_s = 1 }), SECONDS(10820));
}

/* ---- serving ---- */

static struct serving {
	struct server_job job;
	volatile int interrupted;
	pthread_t thread;
	int result;
	char fault[300];
	char lines[16][500];
	atomic_uint count;
} serving;

static void say(void *context, const char *line)
{
	unsigned at = atomic_load(&serving.count);

	(void)context;
	text_copy(serving.lines[at % 16], sizeof serving.lines[0], line);
	atomic_store(&serving.count, at + 1);
}

static void *serve(void *unused)
{
	serving.result = server_run(&serving.job, serving.fault, sizeof serving.fault);
	return unused;
}

/* Two ports that nobody has. */
static void start(struct server_job job)
{
	memset(&serving, 0, sizeof serving);
	serving.job = job;
	serving.job.bind = address_loopback(NET_V4, (uint16_t)(20000 + (unsigned)getpid() % 6000 * 2));
	serving.job.say = say;
	serving.job.interrupted = &serving.interrupted;
	check_equal(pthread_create(&serving.thread, NULL, serve, NULL), 0);
	for (unsigned i = 0; i < 1000 && !atomic_load(&serving.count); i++)
		sys_sleep_ns(MS(5));
	check(text_find(serving.lines[0], "serving on 127.0.0.1, port"));
}

static void stop(void)
{
	serving.interrupted = 1;
	pthread_join(serving.thread, NULL);
	check_equal(serving.result, 0);
}

static struct net_result result;

static int client(struct net_test test)
{
	struct client_job job = { .peer = serving.job.bind, .test = test };

	job.test.streams = test.streams ? test.streams : 1;
	job.test.length_bytes = test.length_bytes ? test.length_bytes : 8192;
	return client_run(&job, &result);
}

static void agrees(struct net_test test, unsigned streams)
{
	check_equal(client(test), 0);
	check_string(result.fault, "");
	check_equal(result.stream_count, streams);
	for (unsigned i = 0; i < result.stream_count; i++) {
		check(result.streams[i].there.told && result.streams[i].there.bytes > 0);
		if (test.protocol == NET_TCP && result.streams[i].sends)
			check_equal(result.streams[i].there.bytes, result.streams[i].here.bytes);
	}
}

test(tests_of_all_kinds_one_after_another)
{
	start((struct server_job){ .max_streams = 4 });
	agrees((struct net_test){ .bytes = MIB }, 1);
	agrees((struct net_test){ .time_ns = MS(200), .rate_bit_per_s = 50000000, .reverse = true }, 1);
	agrees((struct net_test){ .time_ns = MS(200), .rate_bit_per_s = 50000000, .bidirectional = true, .streams = 2 }, 4);
	agrees((struct net_test){ .protocol = NET_UDP, .time_ns = MS(200), .rate_bit_per_s = 8000000, .length_bytes = 1000, .streams = 2 }, 2);
	agrees((struct net_test){ .protocol = NET_UDP, .time_ns = MS(200), .rate_bit_per_s = 8000000, .length_bytes = 1000, .bidirectional = true }, 2);
	check_equal(client((struct net_test){ .time_ns = MS(200), .streams = 5 }), -EREMOTEIO);
	check(text_find(result.fault, "more parallel streams than the server allows"));
	agrees((struct net_test){ .bytes = 10000, .get_server_output = true, .mss_bytes = 1000, .window_bytes = 65536, .no_delay = true }, 1);
	check(text_starts(result.server_output, "assay "));
	stop();
	for (unsigned i = 0; i < atomic_load(&serving.count); i++)
		check(text_ends(serving.lines[i], ": done") || text_find(serving.lines[i], "serving on") || text_find(serving.lines[i], "--max-streams"));
}

test(it_ends_behind_the_first_test)
{
	start((struct server_job){ .one_off = true });
	agrees((struct net_test){ .bytes = 10000 }, 1);
	pthread_join(serving.thread, NULL);
	check_equal(serving.result, 0);
	check_equal(client((struct net_test){ .bytes = 10000 }), -ECONNREFUSED);
}

test(it_ends_when_nobody_comes)
{
	start((struct server_job){ .idle_ns = MS(100) });
	pthread_join(serving.thread, NULL);
	check_equal(serving.result, 0);
}

test(a_port_that_is_taken_is_named)
{
	struct server_job again;
	char fault[300];

	start((struct server_job){ .idle_ns = 0 });
	again = serving.job;
	check_equal(server_run(&again, fault, sizeof fault), -EADDRINUSE);
	check(text_find(fault, "is taken by another program"));
	stop();
}
