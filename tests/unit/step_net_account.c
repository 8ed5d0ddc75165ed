/* step_net_account.c: what a test cost, from two readings to figures: each counter that moved is told, none that did not. */
#include <unistd.h>

#include "lib/text.h"
#include "step/context.h"
#include "step/net_account.h"
#include "test.h"

static struct board board;
static struct counters start_counters;
static struct ctx ctx;
static struct account before, after;
static struct event events[64];
static unsigned count;

static void readings(void)
{
	memset(&before, 0, sizeof before);
	memset(&after, 0, sizeof after);
	before.at_ns = SECONDS(5);
	after.at_ns = SECONDS(7);
}

static void tell(const char *side)
{
	static int ends[2];

	if (!ctx.board)
		check_equal(pipe(ends), 0);
	ctx = (struct ctx){ .board = &board, .counters = &start_counters, .event_fd = ends[1], .noise_milli = VALUE_NONE };
	net_account_tell(&ctx, side, "10g", "rx", &before, &after);
	emit_log(&ctx, "end");
	for (count = 0; read(ends[0], &events[count], sizeof events[0]) == sizeof events[0] && events[count].kind != EVENT_LOG; count++)
		;
}

static const struct event *figure(const char *name)
{
	static const struct event none = { .value_milli = VALUE_NONE };
	char whole[MAX_METRIC];

	for (unsigned i = 0; i < count; i++)
		if (events[i].kind == EVENT_FIGURE && event_metric_name(&events[i], whole, sizeof whole) && !strcmp(whole, name))
			return &events[i];
	return &none;
}

static int64_t fact(const char *name, const char *key)
{
	const struct fact *found = fact_find(&figure(name)->facts, key);

	return found ? found->milli : VALUE_NONE;
}

test(a_cpu_s_time_is_told_by_kind)
{
	readings();
	before.cpu.count = after.cpu.count = 1;
	before.cpu.cpus[0] = after.cpu.cpus[0] = 4;
	after.cpu.ticks[0][CPU_USER] = 20;
	after.cpu.ticks[0][CPU_SYSTEM] = 60;
	after.cpu.ticks[0][CPU_SOFTIRQ] = 100;
	after.cpu.ticks[0][CPU_REST] = 20;
	tell("net");
	check_equal(count, 4);
	check_equal(figure("net.cpu[dir=rx,cpu=4,kind=user]")->value_milli, 100000000);
	check_equal(figure("net.cpu[dir=rx,cpu=4,kind=softirq]")->value_milli, 500000000);
	check_equal(figure("net.cpu[dir=rx,cpu=4,kind=irq]")->value_milli, 0);
	check_equal(fact("net.cpu[dir=rx,cpu=4,kind=user]", "n"), 200000);
	tell("net.peer");
	check_equal(figure("net.peer.cpu[dir=rx,cpu=4,kind=system]")->value_milli, 300000000);
}

test(interrupts_are_a_rate_by_cpu_with_their_lines_as_evidence)
{
	unsigned cpu = 9;

	readings();
	before.interrupts.by_cpu[3] = 1000;
	after.interrupts.by_cpu[3] = 21000;
	before.interrupts.lines = after.interrupts.lines = 4;
	for (unsigned i = 0; i < 4; i++) {
		static const char *const names[] = { "i40e-enp1s0f0np0-TxRx-1", "i40e-enp1s0f0np0-TxRx-10", "mlx5_comp0@pci:0000:01:00.0", "idle" };

		text_copy(after.interrupts.names[i], sizeof after.interrupts.names[i], names[i]);
		after.interrupts.total[i] = i == 3 ? 0 : 5000 + i;
	}
	tell("net");
	check_equal(count, 1);
	check_equal(figure("net.interrupts[port=10g,dir=rx,cpu=3]")->value_milli, 10000000);
	check_equal(fact("net.interrupts[port=10g,dir=rx,cpu=3]", "i40e-enp1s0f0np0-TxRx-1"), 5000000);
	check_equal(fact("net.interrupts[port=10g,dir=rx,cpu=3]", "40e-enp1s0f0np0-TxRx-10"), 5001000);
	check_equal(fact("net.interrupts[port=10g,dir=rx,cpu=3]", "mlx5_comp0"), 5002000);
	check_equal(fact("net.interrupts[port=10g,dir=rx,cpu=3]", "idle"), VALUE_NONE);
	check_equal(net_account_busiest(&before, &after, &cpu), VALUE_NONE);
	check_equal(cpu, 9);
}

test(drops_and_squeezes_of_the_receive_path_are_told_where_any)
{
	readings();
	before.softnet.count = after.softnet.count = 2;
	before.softnet.cpus[1] = after.softnet.cpus[1] = 5;
	before.softnet.dropped[1] = 10;
	after.softnet.dropped[1] = 13;
	before.softnet.squeezed[0] = 4;
	after.softnet.squeezed[0] = 11;
	after.softnet.processed[0] = 1000000;
	tell("net");
	check_equal(count, 2);
	check_equal(figure("net.softnet.dropped[dir=rx,cpu=5]")->value_milli, 3000);
	check_equal(figure("net.softnet.squeezed[dir=rx,cpu=0]")->value_milli, 7000);
	tell("net.peer");
	check_equal(figure("net.peer.softnet.dropped[dir=rx,cpu=5]")->value_milli, 3000);
}

static void put_statistic(struct nic_counters *counters, const char *name, uint64_t value)
{
	text_copy(counters->names[counters->count], NIC_STATISTIC_NAME, name);
	counters->values[counters->count++] = value;
}

test(each_counter_of_the_port_that_rose_is_told_with_the_driver_s_own)
{
	readings();
	before.counters.rx_errors = 3;
	after.counters = (struct nic_counters){ .rx_errors = 5, .rx_dropped = 1, .rx_missed = 2, .tx_errors = 3, .tx_dropped = 4, .rx_crc_errors = 6, .pause_rx = 7, .pause_tx = 8 };
	after.udp_receive_errors = 9;
	put_statistic(&before.counters, "mac_rx_crc_error", 1);
	put_statistic(&after.counters, "mac_rx_crc_error", 3);
	put_statistic(&after.counters, "rx_pause_frames", 5);
	put_statistic(&after.counters, "tx_queue_0_packets", 500);                  /* says nothing */
	put_statistic(&after.counters, "rx_prio_0_of_a_long_name_drop_a", 2);      /* both end alike */
	put_statistic(&after.counters, "tx_prio_0_of_a_long_name_drop_a", 3);
	tell("net");
	check_equal(count, 9);
	check_equal(figure("net.port.rx_errors[port=10g,dir=rx]")->value_milli, 2000);
	check_equal(figure("net.port.rx_dropped[port=10g,dir=rx]")->value_milli, 1000);
	check_equal(figure("net.port.rx_missed[port=10g,dir=rx]")->value_milli, 2000);
	check_equal(figure("net.port.tx_errors[port=10g,dir=rx]")->value_milli, 3000);
	check_equal(figure("net.port.tx_dropped[port=10g,dir=rx]")->value_milli, 4000);
	check_equal(figure("net.port.rx_crc_errors[port=10g,dir=rx]")->value_milli, 6000);
	check_equal(figure("net.port.pause_rx[port=10g,dir=rx]")->value_milli, 7000);
	check_equal(figure("net.port.pause_tx[port=10g,dir=rx]")->value_milli, 8000);
	check_equal(figure("net.port.receive_buffer[port=10g,dir=rx]")->value_milli, 9000);
	check_equal(fact("net.port.rx_errors[port=10g,dir=rx]", "mac_rx_crc_error"), 2000);
	check_equal(fact("net.port.rx_errors[port=10g,dir=rx]", "rx_pause_frames"), 5000);
	check_equal(fact("net.port.rx_errors[port=10g,dir=rx]", "tx_queue_0_packets"), VALUE_NONE);
	check_equal(fact("net.port.rx_errors[port=10g,dir=rx]", "0_of_a_long_name_drop_a"), 5000);
}

test(nothing_that_moved_is_nothing_told)
{
	readings();
	before.counters.rx_errors = after.counters.rx_errors = 12;
	before.udp_receive_errors = 5; /* a counter that starts anew is no drop */
	tell("net");
	check_equal(count, 0);
	after.cpu_error = -13;
	tell("net");
	check_equal(count, 1);
	check_equal(events[0].kind, EVENT_SKIP);
}

test(the_busiest_cpu_is_the_one_that_idles_least)
{
	unsigned cpu = 0;

	readings();
	before.cpu.count = after.cpu.count = 2;
	before.cpu.cpus[1] = after.cpu.cpus[1] = 6;
	after.cpu.ticks[0][CPU_REST] = 100;
	after.cpu.ticks[1][CPU_REST] = 25;
	after.cpu.ticks[1][CPU_IRQ] = 75;
	check_equal(net_account_busiest(&before, &after, &cpu), 750000000);
	check_equal(cpu, 6);
}
