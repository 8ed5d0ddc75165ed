#include "event.h"
#include "sys/file.h"
#include "sys/interrupts.h"
#include "sys_tree.h"
#include "test.h"

#define DRIVE "/sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0"

static const struct disk nvme = { .name = "nvme0n1", .bus = "nvme", .bus_path = "pci0000:00/0000:00:1c.0/0000:01:00.0/nvme/nvme0" };
static const struct disk emmc = { .name = "mmcblk0", .bus = "mmc", .bus_path = "platform/3460000.mmc/mmc_host/mmc1/mmc1:0001" };
static struct interrupts before, after;
static struct interrupt_share share;

/* CPUs 2 and 3 are offline. */
static const char table[] =
	"           CPU0       CPU1       CPU4\n"
	" 30:         10          0          0   PCI-MSI 1048576-edge      nvme0q0\n"
	" 31:          0          5       1000   PCI-MSI 1048577-edge      nvme0q1\n"
	" 32:          7          7          7   PCI-MSI 1048578-edge      nvme0q2\n"
	" 40:          1          2          3   GICv3 97 Level     mmc1\n"
	"NMI:          9          9          9   Non-maskable interrupts\n";

static void start(void)
{
	tree_start();
	file_root(tree);
	tree_put("/proc/interrupts", table);
	tree_put(DRIVE "/irq", "16\n");
	tree_put(DRIVE "/msi_irqs/30", "msix\n");
	tree_put(DRIVE "/msi_irqs/31", "msix\n");
	tree_put(DRIVE "/nvme/nvme0/model", "X\n");
	tree_put("/sys/devices/platform/3460000.mmc/mmc_host/mmc1/mmc1:0001/type", "MMC\n");
}

static void end(void)
{
	file_root("");
	tree_end();
}

test(the_lines_of_its_controller_are_counted_by_cpu_number)
{
	start();
	interrupts_read(&nvme, &after);
	check_equal(after.lines, 2);
	check_equal(after.cpus, 3);
	check_equal(after.counts[0], 10);
	check_equal(after.counts[1], 5);
	check_equal(after.counts[2], 0);
	check_equal(after.counts[4], 1000);
	end();
}

test(without_msi_it_is_the_line_of_irq)
{
	start();
	unlink(tree_path(DRIVE "/msi_irqs/30"));
	unlink(tree_path(DRIVE "/msi_irqs/31"));
	rmdir(tree_path(DRIVE "/msi_irqs"));
	tree_put(DRIVE "/irq", "32\n");
	interrupts_read(&nvme, &after);
	check_equal(after.lines, 1);
	check_equal(after.counts[4], 7);
	end();
}

test(msi_of_a_bridge_above_is_not_the_drives)
{
	start();
	unlink(tree_path(DRIVE "/msi_irqs/30"));
	unlink(tree_path(DRIVE "/msi_irqs/31"));
	rmdir(tree_path(DRIVE "/msi_irqs"));
	tree_put("/sys/devices/pci0000:00/0000:00:1c.0/msi_irqs/31", "msi\n");
	interrupts_read(&nvme, &after);
	check_equal(after.lines, 0);
	end();
}

test(a_host_on_the_board_is_known_by_its_name)
{
	start();
	interrupts_read(&emmc, &after);
	check_equal(after.lines, 1);
	check_equal(after.counts[4], 3);
	end();
}

test(lines_aimed_at_several_cpus_are_spread_the_administration_aside)
{
	start();
	tree_put("/proc/irq/30/effective_affinity_list", "0\n");
	tree_put("/proc/irq/31/effective_affinity_list", "4\n");
	interrupts_read(&nvme, &after);
	check(!after.spread);
	tree_put(DRIVE "/msi_irqs/32", "msix\n");
	tree_put("/proc/irq/32/effective_affinity_list", "4\n");
	interrupts_read(&nvme, &after);
	check(!after.spread);
	tree_put("/proc/irq/32/effective_affinity_list", "1\n");
	interrupts_read(&nvme, &after);
	check(after.spread);
	end();
}

test(the_share_is_of_what_came_in_between)
{
	before = after = (struct interrupts){ .lines = 1 };
	before.counts[0] = 1000;
	after.counts[0] = 1030;
	after.counts[3] = 90;
	interrupts_share(&before, &after, &share);
	check_equal(share.total, 120);
	check_equal(share.cpu, 3);
	check_equal(share.ppm_milli, 750000000);
	interrupts_share(NULL, &after, &share);
	check_equal(share.cpu, 0);
	check_equal(share.total, 1120);
}

test(counters_that_wrapped_still_give_the_difference)
{
	before = after = (struct interrupts){ .lines = 1 };
	before.counts[1] = UINT32_MAX - 4;
	after.counts[1] = 5;
	interrupts_share(&before, &after, &share);
	check_equal(share.total, 10);
}

test(none_at_all_have_no_share)
{
	after = (struct interrupts){ .lines = 1 };
	interrupts_share(NULL, &after, &share);
	check_equal(share.ppm_milli, VALUE_NONE);
}

test(a_machine_without_the_file_tells_no_lines)
{
	start();
	unlink(tree_path("/proc/interrupts"));
	interrupts_read(&nvme, &after);
	check_equal(after.lines, 0);
	end();
}
