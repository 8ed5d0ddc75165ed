#include <errno.h>
#include <stdlib.h>

#include "capacity.h"
#include "net/state.h"
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
