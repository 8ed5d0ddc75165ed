/* sys_nic.c: an interface of a made-up /sys/class/net: how it is set, what it has counted, whose interrupts are its. */
#include "sys/nic.h"

#include <errno.h>

#include "capacity.h"
#include "sys_tree.h"
#include "test.h"

#define NET "/sys/class/net"
#define PCI "/devices/0000:01:00.0"
#define VIRTIO "/devices/0000:00:03.0/virtio2"

static struct nic nic;
static struct nic_counters counters;
static struct nic_interrupts interrupts;

/* CPUs 2 and 3 are offline.  Line 52 is not called by the interface's name. */
static const char table[] =
	"           CPU0       CPU1       CPU4\n"
	" 30:         10          0          0   PCI-MSI 1048576-edge      nvme0q0\n"
	" 51:          1          2          3   PCI-MSI 524288-edge      mgbe0.vm0\n"
	" 52:        100          0       7000   PCI-MSI 524289-edge      driver-queue-7\n"
	" 53:         50         60         70   PCI-MSI 524290-edge      virtio2-input.0\n"
	" 54:          9          9          9   PCI-MSI 524291-edge      virtio2-config\n"
	" 55:          4          5          6   PCI-MSI 524292-edge      mgbe01-TxRx-0\n"
	"NMI:          9          9          9   Non-maskable interrupts\n";

static void put_port(void)
{
	tree_put("/net/mgbe0/ifindex", "3\n");
	tree_put("/net/mgbe0/flags", "0x1003\n");
	tree_put("/net/mgbe0/carrier", "1\n");
	tree_put("/net/mgbe0/carrier_changes", "7\n");
	tree_put("/net/mgbe0/mtu", "9000\n");
	tree_put("/net/mgbe0/address", "00:04:4b:00:00:01\n");
	tree_put("/net/mgbe0/statistics/rx_bytes", "123456789012345\n");
	tree_put("/net/mgbe0/statistics/tx_packets", "42\n");
	tree_put("/net/mgbe0/statistics/rx_missed_errors", "5\n");
	tree_put("/net/mgbe0/statistics/rx_crc_errors", "6\n");
	tree_put("/net/mgbe0/queues/rx-0/rps_cpus", "00000000,00000000\n");
	tree_put("/net/mgbe0/queues/rx-1/rps_cpus", "00000001,00000000\n");
	tree_put("/net/mgbe0/queues/rx-2/rps_cpus", "fff\n");
	tree_put("/net/mgbe0/queues/tx-0/tx_timeout", "0\n"); /* one that has no xps_cpus */
	tree_put("/net/mgbe0/queues/tx-1/tx_timeout", "0\n");
	tree_put("/net/mgbe0/queues/tx-1/xps_cpus", "2\n");
	tree_link("/net/mgbe0/device", ".." PCI);
	tree_put("/net" PCI "/irq", "16\n");
	tree_put("/net" PCI "/msi_irqs/51", "msix\n");
	tree_put("/net" PCI "/msi_irqs/52", "msix\n");
	tree_put("/net/eth5/ifindex", "4\n");
	tree_link("/net/eth5/device", ".." VIRTIO);
	tree_put("/net" VIRTIO "/vendor", "0x1af4\n");
	tree_put("/net/devices/0000:00:03.0/msi_irqs/53", "msix\n");
	tree_put("/net/devices/0000:00:03.0/msi_irqs/54", "msix\n");
}

/* Interfaces, and /proc beside them: false, with nothing done, where that is not allowed. */
static bool start(void)
{
	tree_start();
	put_port();
	tree_put("/interrupts", table);
	if (tree_over("/net", NET) && !mount(tree_path("/interrupts"), "/proc/interrupts", NULL, MS_BIND, NULL))
		return true;
	tree_end();
	return false;
}

static void end(void)
{
	tree_off("/proc/interrupts");
	tree_off(NET);
	tree_end();
}

test(how_a_port_is_set_is_read_from_sysfs)
{
	if (!start())
		return;
	check_equal(nic_read("mgbe0", &nic), 0);
	check(nic.is_up && nic.carrier && !nic.loopback && !nic.has_speed && !nic.has_rings);
	check_equal(nic.mtu_bytes, 9000);
	check_equal(nic.carrier_changes, 7);
	check_string(nic.address, "00:04:4b:00:00:01");
	check_equal(nic.queues_rx, 3);
	check_equal(nic.rps_queues, 2);
	check_equal(nic.queues_tx, 2);
	check_equal(nic.xps_queues, 1);
	check_string(nic.driver, "");
	end();
}

test(what_it_has_counted_and_what_it_does_not_tell)
{
	if (!start())
		return;
	check_equal(nic_counters("mgbe0", &counters), 0);
	check_equal(counters.rx_bytes, 123456789012345);
	check_equal(counters.tx_packets, 42);
	check_equal(counters.rx_missed, 5);
	check_equal(counters.rx_crc_errors, 6);
	check_equal(counters.tx_errors, 0);
	check(!counters.has_pause && !counters.count);
	check_equal(nic_counters("eth9", &counters), -ENODEV);
	end();
}

test(a_driver_s_lines_are_found_by_the_bus_s_numbers_and_by_their_names)
{
	if (!start())
		return;
	check_equal(nic_interrupts("mgbe0", &interrupts), 0);
	check_equal(interrupts.lines, 2);
	check_string(interrupts.names[0], "mgbe0.vm0");
	check_string(interrupts.names[1], "driver-queue-7");
	check_equal(interrupts.total[0], 6);
	check_equal(interrupts.total[1], 7100);
	check_equal(interrupts.by_cpu[0], 101);
	check_equal(interrupts.by_cpu[1], 2);
	check_equal(interrupts.by_cpu[2], 0);
	check_equal(interrupts.by_cpu[4], 7003);
	nic_read("mgbe0", &nic);
	check_equal(nic.irqs, 2);
	end();
}

test(a_virtio_port_s_lines_are_those_of_its_device)
{
	if (!start())
		return;
	check_equal(nic_interrupts("eth5", &interrupts), 0);
	check_equal(interrupts.lines, 2);
	check_equal(interrupts.by_cpu[4], 79);
	nic_interrupts("lo", &interrupts);
	check_equal(interrupts.lines, 0);
	end();
}
