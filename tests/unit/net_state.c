#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "capacity.h"
#include "net/socket.h"
#include "net/state.h"
#include "sys/clock.h"
#include "sys/nic_ethtool.h"
#include "test.h"

static struct net_state state, back;
static struct json scratch;
static char text[STATE_BYTES], fault[200];

static int through(void)
{
	struct text json = TEXT(text);

	state_write(&state, &json);
	check(!json.cut);
	return state_parse(&scratch, json.at, json.length, &back, fault, sizeof fault);
}

test(this_machine_s_state_comes_back_as_it_went)
{
	struct net_address address = address_loopback(NET_V4, 5201);

	state_read(&address, NULL, &state);
	check_string(state.nic.name, "lo");
	check(state.nic.is_up && state.nic.loopback && state.nic.mtu_bytes > 0);
	check(state.account.cpu.count >= 1 && state.account.softnet.count >= 1);
	check(state.kernel[0] && state.arch[0]);
	check_equal(through(), 0);
	check_string(back.nic.name, "lo");
	check_string(back.kernel, state.kernel);
	check_equal(back.nic.mtu_bytes, state.nic.mtu_bytes);
	check_equal(back.account.at_ns, state.account.at_ns);
	check_equal(back.account.counters.rx_bytes, state.account.counters.rx_bytes);
	check_equal(back.account.cpu.count, state.account.cpu.count);
	check(!memcmp(back.account.cpu.ticks[0], state.account.cpu.ticks[0], sizeof back.account.cpu.ticks[0]));
	check_equal(back.account.softnet.processed[0], state.account.softnet.processed[0]);
	check_equal(back.nic.is_up, true);
}

test(the_largest_machine_fits)
{
	memset(&state, 0, sizeof state);
	state.account.cpu.count = state.account.softnet.count = MAX_CPUS;
	for (unsigned i = 0; i < MAX_CPUS; i++) {
		state.account.cpu.cpus[i] = state.account.softnet.cpus[i] = (uint16_t)i;
		state.account.interrupts.by_cpu[i] = i < 256 ? 4000000000 : 0;
		for (unsigned k = 0; k < CPU_KINDS; k++)
			state.account.cpu.ticks[i][k] = 123456789012 + k;
		state.account.softnet.processed[i] = 1234567890;
	}
	check_equal(through(), 0);
	check_equal(back.account.cpu.count, 256);
	check_equal(back.account.cpu.ticks[255][1], 123456789013);
}

static int parse(const char *json)
{
	*fault = '\0';
	return state_parse(&scratch, json, strlen(json), &back, fault, sizeof fault);
}

test(what_is_no_state_is_refused_and_what_is_new_passed_over)
{
	static const char *const bad[] = { "", "[]", "{}", "SSH-2.0-x", "{\"assay\":1}", "{\"assay\":\"1\",\"mtu\":-1}", "{\"assay\":\"1\",\"mtu\":99999999999}",
	                                   "{\"assay\":\"1\",\"up\":1}", "{\"assay\":\"1\",\"cpu\":{}}", "{\"assay\":\"1\",\"cpu\":[\"0 1 2 3 4\"]}",
	                                   "{\"assay\":\"1\",\"cpu\":[\"1024 1 2 3 4 5\"]}", "{\"assay\":\"1\",\"cpu\":[\"0 1 2 3 4 5 6\"]}", "{\"assay\":\"1\",\"softnet\":[7]}",
	                                   "{\"assay\":\"1\",\"kernel\":\"a text that is much longer than any kernel's release is, and does not fit where it is put\"}" };

	for (unsigned i = 0; i < COUNT_OF(bad); i++) {
		check_equal(parse(bad[i]), -EINVAL);
		check(*fault);
	}
	check_equal(parse("{\"assay\":\"2\",\"something\":{\"new\":[1]},\"cpu\":[\"3 1 2 3 4 5\"]}"), 0);
	check_equal(back.account.cpu.cpus[0], 3);
	check_equal(back.account.cpu.ticks[0][CPU_REST], 5);
}

test(who_does_not_answer_is_told_apart)
{
	struct net_address nobody = address_loopback(NET_V4, 1);

	check_equal(state_ask(&nobody, NULL, MS(200), &back, NULL, fault, sizeof fault), -ECONNREFUSED);
}

/* ---- a peer of whatever kind ---- */

enum manner { ANSWERS, TALKS_NONSENSE, CLOSES, IS_SILENT, TRICKLES, NEVER_ENDS };

static int listener;
static enum manner manner;
static char question[20], answer[STATE_BYTES];

static void trickle(int fd)
{
	for (unsigned i = 0; i < 100 && socket_send(fd, " ", 1) == 1; i++)
		usleep(20000);
}

static void *serve_one(void *context)
{
	struct text json = TEXT(answer);
	int fd = socket_accept(listener, SECONDS(3), NULL);

	(void)context;
	if (fd < 0)
		return NULL;
	socket_receive_all(fd, question, 14, clock_now_ns() + SECONDS(1));
	state_write(&state, &json);
	if (manner == ANSWERS)
		socket_send_all(fd, answer, json.length, clock_now_ns() + SECONDS(1));
	else if (manner == TALKS_NONSENSE)
		socket_send_all(fd, "220 mail.example ESMTP\r\n", 24, clock_now_ns() + SECONDS(1));
	else if (manner == TRICKLES)
		trickle(fd);
	else if (manner == IS_SILENT)
		usleep(600000);
	for (unsigned i = 0; manner == NEVER_ENDS && i < 64 && !socket_send_all(fd, answer, 4096, clock_now_ns() + MS(200)); i++)
		;
	close(fd);
	return NULL;
}

/* What state_ask makes of a peer of that manner; it may take 300 ms. */
static int ask(enum manner how, char *json)
{
	struct net_address address = address_loopback(NET_V4, 0), peer;
	pthread_t thread;
	uint64_t start_ns;
	int err;

	manner = how;
	*fault = '\0';
	listener = socket_listen(&address, NULL, 4);
	check(listener >= 0 && !socket_local(listener, &peer));
	address_set_port(&peer, (uint16_t)(address_port(&peer) - 1));
	check_equal(pthread_create(&thread, NULL, serve_one, NULL), 0);
	start_ns = clock_now_ns();
	err = state_ask(&peer, NULL, MS(300), &back, json, fault, sizeof fault);
	check(clock_now_ns() - start_ns < MS(1500));
	pthread_join(thread, NULL);
	close(listener);
	return err;
}

test(a_peer_tells_its_state_on_the_next_port)
{
	struct net_address address = address_loopback(NET_V4, 5201);

	state_read(&address, NULL, &state);
	check_equal(ask(ANSWERS, text), 0);
	check_string(question, "assay 1 state\n");
	check_string(back.kernel, state.kernel);
	check_equal(back.account.cpu.count, state.account.cpu.count);
	check_string(text, answer);
}

test(whoever_else_listens_there_is_no_assay_and_holds_nobody_up)
{
	memset(&state, 0, sizeof state);
	check_equal(ask(TALKS_NONSENSE, NULL), -EPROTO);
	check(*fault);
	check_equal(ask(CLOSES, NULL), -EPROTO);
	check_equal(ask(IS_SILENT, NULL), -ETIMEDOUT);
	check_equal(ask(TRICKLES, NULL), -ETIMEDOUT);
	check_equal(ask(NEVER_ENDS, NULL), -EMSGSIZE);
}

/* ---- accounts ---- */

static struct account before, after;

static void overflow_a_receive_buffer(enum net_family family)
{
	static const char datagram[1000];
	struct net_address address = address_loopback(family, 0);
	struct net_test small = { .protocol = NET_UDP, .window_bytes = 4096 };
	const struct socket_ask how = { .timeout_ns = SECONDS(1), .test = &small };
	int from, to = socket_bind_udp(&address, &how);

	check(to >= 0 && !socket_local(to, &address));
	from = socket_connect(NET_UDP, &address, &how);
	check(from >= 0);
	for (unsigned i = 0; i < 50; i++)
		socket_send(from, datagram, sizeof datagram);
	close(from);
	close(to);
}

test(datagrams_dropped_for_want_of_buffer_are_counted_in_both_families)
{
	account_read("lo", &before);
	overflow_a_receive_buffer(NET_V4);
	account_read("lo", &after);
	check(after.udp_receive_errors >= before.udp_receive_errors + 20);
	if (access("/proc/net/snmp6", R_OK))
		return;
	before = after;
	overflow_a_receive_buffer(NET_V6);
	account_read("lo", &after);
	check(after.udp_receive_errors >= before.udp_receive_errors + 20);
	check(after.counters.rx_packets >= before.counters.rx_packets + 20);
	check(after.at_ns > before.at_ns);
}

/* ---- what the kernel says of interfaces ---- */

test(the_fastest_of_a_link_s_modes_is_found)
{
	uint32_t tenbase[3] = { 1 << 1 | 1 << 5 | 1 << 12, 0, 0 }, faster[3] = { 1 << 5, 0, 1u << 1 }, none[3] = { 1 << 6 | 1 << 7 };

	check_equal(nic_fastest_mode(tenbase, 3), 10000);
	check_equal(nic_fastest_mode(faster, 3), 200000);
	check_equal(nic_fastest_mode(faster, 1), 1000);
	check_equal(nic_fastest_mode(none, 3), 0);
}

test(interrupt_lines_are_known_by_interface_or_device)
{
	check(nic_owns_action("eth0.vm1", "eth0", "6800000.ethernet"));
	check(nic_owns_action("eth0-TxRx-3", "eth0", "0000:01:00.0"));
	check(nic_owns_action("virtio0-input.0", "eth0", "virtio0"));
	check(nic_owns_action("mlx5_comp0@pci:0000:01:00.0", "eth0", "0000:01:00.0"));
	check(!nic_owns_action("eth01", "eth0", "0000:01:00.0"));
	check(!nic_owns_action("virtio01-input.0", "eth0", "virtio0"));
	check(!nic_owns_action("nvme0q1", "eth0", ""));
}

test(the_receive_path_is_read_in_both_of_the_kernel_s_forms)
{
	static struct softnet softnet;

	softnet_take_line("000000ff 00000002 00000003 00000000", 7, &softnet);
	softnet_take_line("0000000a 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000000b", 8, &softnet);
	softnet_take_line("garbage", 9, &softnet);
	check_equal(softnet.count, 2);
	check_equal(softnet.cpus[0], 7);
	check_equal(softnet.processed[0], 255);
	check_equal(softnet.dropped[0], 2);
	check_equal(softnet.cpus[1], 11);
	check_equal(softnet.squeezed[1], 1);
}

test(an_interface_that_is_not_there_is_minus_enodev)
{
	static struct nic nic;
	static struct nic_counters counters;

	check_equal(nic_read("no-such-port", &nic), -ENODEV);
	check_equal(nic_counters("no-such-port", &counters), -ENODEV);
	check_equal(nic_read("lo", &nic), 0);
	check_equal(nic_counters("lo", &counters), 0);
}
