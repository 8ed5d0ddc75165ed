/* net_diagnose.c: each cause fires where it should, and only there: made of numbers. */
#include "net/diagnose.h"

#include <string.h>

#include "capacity.h"
#include "test.h"

enum { CPUS = 4 };

static struct net_test job;
static struct net_result result;
static struct net_state before, after, peer_before, peer_after;
static struct diagnosis_input input;
static struct cause causes[NET_CAUSES];
static char sentence[360];

/* CPU number `cpu` spends so many of 1000 ticks in each; the rest is idle. */
static void spend(struct net_state *state, unsigned cpu, unsigned user, unsigned system, unsigned softirq)
{
	uint64_t *ticks = state->account.cpu.ticks[cpu];

	ticks[CPU_USER] = user;
	ticks[CPU_SYSTEM] = system;
	ticks[CPU_SOFTIRQ] = softirq;
	ticks[CPU_REST] = 1000 - user - system - softirq;
}

static void set_up_end(struct net_state *from, struct net_state *to)
{
	for (unsigned i = 0; i < CPUS; i++) {
		from->account.cpu.cpus[i] = to->account.cpu.cpus[i] = (uint16_t)i;
		spend(to, i, 10, 100, 100);
	}
	from->account.cpu.count = to->account.cpu.count = to->cpus = CPUS;
	to->nic = (struct nic){ .name = "eth0", .driver = "nvethernet", .has_speed = true, .speed_mbit_per_s = 10000, .speed_max_mbit_per_s = 10000,
	                        .mtu_bytes = 1500, .queues_rx = 1, .rps_queues = 1 };
}

/* Ten seconds of TCP from here to the peer at so many Mbit/s over 10 GbE, the path busy all the time and nothing else to say. */
static void healthy(uint64_t mbit_per_s)
{
	struct net_stream_result *stream = &result.streams[0];

	memset(&job, 0, sizeof job);
	memset(&result, 0, sizeof result);
	memset(&before, 0, sizeof before);
	memset(&after, 0, sizeof after);
	memset(&peer_before, 0, sizeof peer_before);
	memset(&peer_after, 0, sizeof peer_after);
	set_up_end(&before, &after);
	set_up_end(&peer_before, &peer_after);
	job.streams = 1;
	job.length_bytes = 128 << 10;
	result.elapsed_ns = SECONDS(10);
	result.stream_count = 1;
	result.peer_told = true;
	stream->sends = stream->there.told = true;
	stream->here.bytes = stream->there.bytes = mbit_per_s * 1250000;
	stream->state = (struct socket_state){ .mss = 1448, .path_mtu = 1500, .rtt_us = 400, .rtt_min_us = 100, .busy_us = 10000000, .send_buffer_bytes = 4 << 20 };
	input = (struct diagnosis_input){ .test = &job, .result = &result, .sends = true, .before = &before, .after = &after, .peer_before = &peer_before,
	                                  .peer_after = &peer_after };
}

static unsigned binding(void)
{
	unsigned count = 0;

	diagnose(&input, causes);
	diagnosis_sentence(causes, sentence, sizeof sentence);
	for (unsigned i = 0; i < NET_CAUSES; i++)
		count += causes[i].binds;
	return count;
}

/* That cause binds, alone, and the sentence begins so. */
static void only(enum net_cause cause, const char *words)
{
	unsigned count = binding();

	check(causes[cause].binds);
	check_equal(count, 1);
	for (unsigned i = 0; i < NET_CAUSES; i++)
		if (causes[i].binds && i != cause)
			check_string(cause_name(i), "nothing else");
	if (strncmp(sentence, words, strlen(words)))
		check_string(sentence, words);
}

test(a_full_wire_is_the_only_limit_whatever_it_holds_back)
{
	healthy(9410);
	only(CAUSE_LINK, "limited by the wire: with its headers the data takes 100 % of the link's 10000 Mbit/s");
	check(causes[CAUSE_LINK].value_milli > 990000000 && causes[CAUSE_LINK].value_milli < 1010000000);
	result.streams[0].state.rwnd_limited_us = 9000000;
	result.streams[0].state.bytes_retransmitted = 100000000;
	input.emc_hz = 204000000, input.emc_max_hz = 3199000000;
	only(CAUSE_LINK, "limited by the wire");
	check_equal(causes[CAUSE_RECEIVER].value_milli, 900000000); /* told all the same */
	check(causes[CAUSE_LOSS].told && causes[CAUSE_EMC].told);
}

test(datagrams_take_their_headers_one_by_one)
{
	healthy(2500); /* of 64 bytes: 28 + 38 more each */
	job.protocol = NET_UDP;
	job.length_bytes = 64;
	diagnose(&input, causes);
	check_equal(causes[CAUSE_LINK].value_milli, 507813000);
}

test(the_slower_end_is_the_wire)
{
	healthy(941);
	peer_after.nic.speed_mbit_per_s = peer_after.nic.speed_max_mbit_per_s = 1000;
	only(CAUSE_LINK, "limited by the wire: with its headers the data takes 100 % of the link's 1000 Mbit/s");
}

test(a_link_at_a_tenth_of_its_speed_is_named_before_its_fullness)
{
	healthy(941);
	after.nic.speed_mbit_per_s = 1000;
	check_equal(binding(), 2);
	check(causes[CAUSE_LINK].binds && causes[CAUSE_LINK_BELOW].binds);
	check_equal(causes[CAUSE_LINK_BELOW].value_milli, 100000000);
	check_string(sentence, "limited by a link below its speed: this end's eth0 negotiated 1000 of 10000 Mbit/s");
	healthy(941);
	peer_after.nic.speed_mbit_per_s = 1000;
	binding();
	check_string(sentence, "limited by a link below its speed: the peer's eth0 negotiated 1000 of 10000 Mbit/s");
}

test(a_speed_that_cannot_be_is_not_the_limit)
{
	healthy(30000);
	result.streams[0].state.busy_us = 0;
	binding();
	check(causes[CAUSE_LINK].told && !causes[CAUSE_LINK].binds);
	strcpy(after.nic.driver, "veth");
	strcpy(peer_after.nic.driver, "veth");
	diagnose(&input, causes);
	check(!causes[CAUSE_LINK].told);
}

test(one_cpu_full_of_softirq_with_rps_off)
{
	healthy(1700);
	peer_after.nic.rps_queues = 0;
	spend(&peer_after, 0, 0, 10, 980);
	check_equal(binding(), 3); /* rps, and what it comes of: interrupts on one CPU, which is full */
	check(causes[CAUSE_RPS].binds && causes[CAUSE_INTERRUPTS].binds && causes[CAUSE_CPU].binds && !causes[CAUSE_PATH].binds);
	check_equal(causes[CAUSE_RPS].value_milli, 0);
	check_equal(causes[CAUSE_INTERRUPTS].value_milli, 980000000);
	check(!strncmp(sentence, "limited by packets that are not shared out to the CPUs: the receiver's eth0 has 1 queue, 0 with CPUs", 90));
	/* This end receives: its own queues count. */
	healthy(1700);
	input.sends = result.streams[0].sends = false;
	after.nic.rps_queues = 0;
	spend(&after, 2, 0, 0, 950);
	binding();
	check(causes[CAUSE_RPS].binds && causes[CAUSE_INTERRUPTS].binds);
	check_equal(fact_find(&causes[CAUSE_INTERRUPTS].facts, "cpu")->milli, 2000);
	check_string(fact_find_text(&causes[CAUSE_INTERRUPTS].facts, "end"), "this end's");
}

test(interrupts_on_one_cpu_with_rps_on_are_told_without_it)
{
	healthy(5000);
	spend(&after, 0, 0, 0, 930);
	only(CAUSE_INTERRUPTS, "limited by one CPU that does the interrupts' work: this end's CPU0, of 4, spent 93 % in interrupts");
	spend(&after, 0, 0, 0, 890);
	binding();
	check(!causes[CAUSE_INTERRUPTS].binds);
}

test(a_cpu_that_only_copies_is_another_limit)
{
	healthy(5000);
	spend(&peer_after, 3, 400, 570, 20);
	result.streams[0].state.busy_us = 4000000, result.streams[0].state.rwnd_limited_us = 1000000;
	result.peer_cpu_total_ppm = 970000;
	binding();
	check(causes[CAUSE_CPU].binds && !causes[CAUSE_INTERRUPTS].binds && !causes[CAUSE_RPS].binds);
	check_string(sentence, "limited by a CPU: the peer's CPU3, of 4, was busy for 99 % of the time (the test itself took 97 % of one)");
}

test(a_cpu_that_others_keep_busy_does_not_hide_the_path)
{
	healthy(200);
	spend(&after, 1, 900, 90, 10);
	result.user_ns = MS(50), result.system_ns = MS(400); /* of 10 s */
	only(CAUSE_PATH, "limited by the path");
	result.user_ns = SECONDS(1), result.system_ns = SECONDS(8);
	binding();
	check_string(sentence, "limited by a CPU: this end's CPU1, of 4, was busy for 100 % of the time (the test itself took 90 % of one)");
	/* Starved: nothing waited for the path. */
	result.user_ns = MS(50), result.system_ns = MS(400);
	result.streams[0].state.busy_us = 1000000;
	binding();
	check(causes[CAUSE_CPU].binds && causes[CAUSE_SENDER].binds && !causes[CAUSE_PATH].binds);
}

test(a_window_that_is_too_small_for_the_round_trip)
{
	healthy(12); /* 64 KiB every 40 ms */
	job.window_bytes = 64 << 10;
	result.streams[0].state.rtt_us = result.streams[0].state.rtt_min_us = 40000;
	result.streams[0].state.send_buffer_bytes = 128 << 10;
	result.streams[0].state.sndbuf_limited_us = 9500000;
	check_equal(binding(), 2); /* and the sender, whose buffer is full */
	check(causes[CAUSE_WINDOW].binds && causes[CAUSE_SENDER].binds);
	check_equal(causes[CAUSE_WINDOW].value_milli / 1000, 26214400);
	check_string(sentence, "limited by the window: a buffer of 131072 bytes over a round trip of 40000 us");
	/* The kernel's own limit on buffers, on a long way. */
	job.window_bytes = 0;
	check_equal(binding(), 2);
	check(causes[CAUSE_WINDOW].binds);
	/* The same round trip is a queue's: 1 ms without it. */
	result.streams[0].state.rtt_min_us = 1000;
	binding();
	check(!causes[CAUSE_WINDOW].binds);
}

test(mtus_that_differ)
{
	healthy(4000);
	after.nic.mtu_bytes = 9000;
	binding();
	check(causes[CAUSE_MTU].binds);
	check_string(sentence, "limited by the MTU: the ends' MTUs differ: 9000 here, 1500 at the peer");
	check_equal(causes[CAUSE_MTU].value_milli, 1500000);
	healthy(4000);
	result.streams[0].state.path_mtu = 1400; /* the ends agree: it is the way between them */
	binding();
	check(causes[CAUSE_MTU].binds);
	check_string(causes[CAUSE_MTU].why, "the path takes 1400 of this port's 1500 bytes");
}

test(a_sender_that_has_nothing_to_send)
{
	healthy(2000);
	result.streams[0].state.busy_us = 2000000;
	only(CAUSE_SENDER, "limited by the sender: for 80 % of the time the sender had nothing to send, or its buffer full");
	check_equal(causes[CAUSE_SENDER].value_milli, 800000000);
	job.rate_bit_per_s = 2000000000;
	spend(&after, 1, 0, 20, 970); /* somebody else's work, too */
	only(CAUSE_SENDER, "limited by the sender: the rate that was asked for, 2000000000 bit/s, was reached");
	check(causes[CAUSE_SENDER].told && causes[CAUSE_SENDER].value_milli == 800000000);
	job.rate_bit_per_s = 4000000000; /* was not reached */
	binding();
	check(causes[CAUSE_INTERRUPTS].binds && causes[CAUSE_CPU].binds);
}

test(a_receiver_that_does_not_read)
{
	healthy(2000);
	result.streams[0].state.rwnd_limited_us = 8000000;
	only(CAUSE_RECEIVER, "limited by the receiver: for 80 % of the time the receiver's window was full");
}

test(a_path_that_loses)
{
	healthy(300);
	result.streams[0].state.bytes_retransmitted = 7500000; /* of 375 MB */
	peer_after.account.counters.rx_errors = 5000;
	peer_after.account.softnet.count = 1;
	peer_after.account.softnet.dropped[0] = 12;
	check_equal(binding(), 2);
	check(causes[CAUSE_LOSS].binds && causes[CAUSE_PATH].binds);
	check_equal(causes[CAUSE_LOSS].value_milli, 20000000);
	check(!strncmp(sentence, "limited by the path: for 100 % of the time", 42) && strstr(sentence, ", and 7500000 of 375000000 bytes were sent again"));
	check_equal(fact_find(&causes[CAUSE_LOSS].facts, "rx_errors")->milli, 5000000);
	check_equal(fact_find(&causes[CAUSE_LOSS].facts, "softnet_dropped")->milli, 12000);
}

test(a_path_that_only_holds_back)
{
	healthy(200);
	only(CAUSE_PATH, "limited by the path: for 100 % of the time the path");
}

test(a_low_memory_clock_is_to_be_tried)
{
	healthy(4700);
	result.streams[0].state.busy_us = 7000000;
	result.streams[0].state.rwnd_limited_us = result.streams[0].state.sndbuf_limited_us = 1300000; /* nothing else stands out */
	input.emc_hz = 665600000, input.emc_max_hz = 3199000000;
	only(CAUSE_EMC, "limited by the memory clock: the memory clock was at 21 % of its maximum");
	result.streams[0].state.busy_us = 10000000;
	result.streams[0].state.rwnd_limited_us = result.streams[0].state.sndbuf_limited_us = 0;
	check_equal(binding(), 2);
	check(!strncmp(sentence, "limited by the path", 19) && strstr(sentence, "; and the memory clock was at 21 %"));
	input.emc_hz = 3199000000;
	binding();
	check(!causes[CAUSE_EMC].binds && causes[CAUSE_EMC].told);
}

test(datagrams_at_the_rate_that_was_asked_for_and_lost_ones)
{
	struct net_stream_result *stream = &result.streams[0];

	healthy(500);
	job.protocol = NET_UDP;
	job.length_bytes = 1460;
	job.rate_bit_per_s = 500000000;
	stream->here.datagrams = stream->there.datagrams = 428082;
	only(CAUSE_SENDER, "limited by the sender: the rate that was asked for, 500000000 bit/s, was reached");
	check(!causes[CAUSE_SENDER].told);
	stream->there.bytes /= 2;
	stream->there.datagrams /= 2;
	only(CAUSE_LOSS, "limited by loss: 214041 of 428082 datagrams were lost");
	peer_after.account.udp_receive_errors = 214041;
	only(CAUSE_LOSS, "limited by loss");
	check_equal(fact_find(&causes[CAUSE_LOSS].facts, "receive_buffer")->milli, 214041000);
}

test(where_nothing_stands_out_it_says_so)
{
	healthy(4700);
	result.streams[0].state.busy_us = 7000000;
	result.streams[0].state.rwnd_limited_us = result.streams[0].state.sndbuf_limited_us = 1300000;
	check_equal(binding(), 0);
	check_string(sentence, "what limits it is not known: no CPU, link, window or loss explains it");
}

test(an_unknown_peer_and_an_empty_test_are_no_fault)
{
	healthy(4700);
	input.peer_before = input.peer_after = NULL;
	binding();
	check(!causes[CAUSE_RPS].told && causes[CAUSE_LINK].told && causes[CAUSE_CPU].told);
	memset(&result, 0, sizeof result);
	memset(&after, 0, sizeof after);
	check_equal(binding(), 0);
}

test(every_cause_has_a_name_and_a_unit)
{
	for (unsigned i = 0; i < NET_CAUSES; i++) {
		check(cause_name(i) && *cause_name(i) && cause_unit(i) && *cause_unit(i));
		for (unsigned k = 0; k < i; k++)
			check(strcmp(cause_name(i), cause_name(k)) != 0);
	}
}

test(a_peer_that_could_do_more_than_this_port_is_not_slow)
{
	healthy(5000);
	peer_after.nic.speed_max_mbit_per_s = 25000;
	binding();
	check(!causes[CAUSE_LINK_BELOW].binds);
	check_equal(causes[CAUSE_LINK_BELOW].value_milli, 1000000000);
	peer_after.nic.speed_mbit_per_s = 1000;
	binding();
	check(causes[CAUSE_LINK_BELOW].binds);
	check_string(causes[CAUSE_LINK_BELOW].why, "the peer's eth0 negotiated 1000 of 10000 Mbit/s");
}

test(datagrams_of_a_peer_that_does_not_tell_are_not_lost)
{
	healthy(100);
	job.protocol = NET_UDP;
	result.streams[0].here.datagrams = 10000;
	result.streams[0].there = (struct net_end){ .told = false };
	binding();
	check(!causes[CAUSE_LOSS].told && !causes[CAUSE_LOSS].binds);
}

test(a_sender_whose_times_the_kernel_does_not_tell_is_not_idle)
{
	healthy(5000);
	result.streams[0].state.busy_us = 0;
	binding();
	check(!causes[CAUSE_SENDER].told && !causes[CAUSE_SENDER].binds);
}

test(a_rate_that_the_kernel_paces_is_the_limit_too)
{
	healthy(100);
	job.fq_rate_bit_per_s = 100000000;
	check_equal(binding(), 1);
	check(causes[CAUSE_SENDER].binds);
}

test(a_receiver_beside_others_work_is_not_short_of_a_cpu)
{
	healthy(200);
	input.sends = result.streams[0].sends = false;
	result.system_ns = MS(500);
	spend(&after, 2, 1000, 0, 0);
	check_equal(binding(), 0);
	result.system_ns = SECONDS(9); /* its own */
	check_equal(binding(), 1);
	check(causes[CAUSE_CPU].binds);
}

test(the_largest_numbers_do_not_overflow)
{
	healthy(96000);
	result.elapsed_ns = SECONDS(3600);
	result.streams[0].here.bytes = result.streams[0].there.bytes = 12000000000ull * 3600;
	after.nic.speed_mbit_per_s = peer_after.nic.speed_mbit_per_s = after.nic.speed_max_mbit_per_s = peer_after.nic.speed_max_mbit_per_s = 100000;
	after.nic.mtu_bytes = peer_after.nic.mtu_bytes = result.streams[0].state.path_mtu = 9000;
	result.streams[0].state.busy_us = 3600000000ull;
	result.streams[0].state.bytes_retransmitted = result.streams[0].here.bytes / 2;
	result.streams[0].state.rtt_us = result.streams[0].state.rtt_min_us = 1;
	result.streams[0].state.send_buffer_bytes = UINT32_MAX;
	result.stream_count = 2 * MAX_NET_STREAMS;
	for (unsigned i = 1; i < result.stream_count; i++) {
		result.streams[i] = result.streams[0];
		result.streams[i].here.bytes = result.streams[i].there.bytes = 0;
		result.streams[i].state.bytes_retransmitted = 0;
	}
	binding();
	check_equal(causes[CAUSE_LOSS].value_milli, 500000000);
	check_equal(causes[CAUSE_LINK].value_milli, 969656000);
	check_equal(causes[CAUSE_PATH].value_milli, 1000000000);
	check(causes[CAUSE_WINDOW].value_milli == INT64_MAX / 1000 * 1000);
}
