/* Which board file, SKU, stack, disk and port a machine fits. */
#include <errno.h>

#include "board.h"
#include "identity.h"
#include "test.h"

static struct board board;
static struct identity machine;
static char fault[256];

static void given(const char *members)
{
	static char text[4096];

	memset(&machine, 0, sizeof machine);
	snprintf(text, sizeof text, "{\"board\":\"b\",\"title\":\"t\",%s}", members);
	check_equal(board_parse(&board, "f", text, strlen(text), fault, sizeof fault), 0);
}

#define ANY "\"match\":{\"arch\":\"aarch64\"},"

test(every_device_tree_string_must_be_there)
{
	given("\"match\":{\"device-tree\":[\"nvidia,tegra234\",\"p3701\"]}");
	check_equal(board_fit(&board, &machine), 0);
	strcpy(machine.compatible, "nvidia,p3737-0000+p3701-0005\nnvidia,tegra234");
	check_equal(board_fit(&board, &machine), 2);
	strcpy(machine.compatible, "nvidia,p3768-0000+p3767-0005\nnvidia,tegra234");
	check_equal(board_fit(&board, &machine), 0);
}

test(dmi_product_must_be_exact)
{
	given("\"match\":{\"dmi\":{\"sys_vendor\":\"V\",\"product_name\":\"Box 1\"}}");
	strcpy(machine.vendor, "V");
	strcpy(machine.product, "Box 1");
	check_equal(board_fit(&board, &machine), 2);
	strcpy(machine.product, "Box 10");
	check_equal(board_fit(&board, &machine), 0);
	strcpy(machine.product, "Box 1");
	strcpy(machine.vendor, "W");
	check_equal(board_fit(&board, &machine), 0);
}

test(device_tree_or_dmi_is_enough)
{
	given("\"match\":{\"device-tree\":[\"example,carrier\"],\"dmi\":{\"product_name\":\"Box\"}}");
	strcpy(machine.product, "Box");
	check_equal(board_fit(&board, &machine), 2);
	strcpy(machine.product, "");
	strcpy(machine.compatible, "example,carrier");
	check_equal(board_fit(&board, &machine), 2);
}

test(architecture_alone_fits_less)
{
	given(ANY "\"skus\":[]");
	strcpy(machine.arch, "aarch64");
	check_equal(board_fit(&board, &machine), 1);
	strcpy(machine.arch, "x86_64");
	check_equal(board_fit(&board, &machine), 0);
}

test(architecture_beside_a_device_tree_must_hold_too)
{
	given("\"match\":{\"arch\":\"aarch64\",\"device-tree\":[\"a,b\"]}");
	strcpy(machine.compatible, "a,b");
	strcpy(machine.arch, "x86_64");
	check_equal(board_fit(&board, &machine), 0);
	strcpy(machine.arch, "aarch64");
	check_equal(board_fit(&board, &machine), 2);
}

#define SKUS "\"skus\":[" \
	"{\"name\":\"32g\",\"part\":\"699-1-0004\",\"cpus\":8,\"memory_max_bytes\":32}," \
	"{\"name\":\"kit\",\"part\":\"699-1-0000\",\"cpus\":12,\"memory_min_bytes\":28,\"memory_max_bytes\":32}," \
	"{\"name\":\"64g\",\"part\":\"699-1-0005\",\"cpus\":12,\"memory_min_bytes\":60,\"memory_max_bytes\":64}]"

static const char *sku_name(void)
{
	const struct sku *sku = board_sku(&board, &machine);

	return sku ? sku->name : "none";
}

test(sku_is_told_by_part_number_alone)
{
	given(ANY SKUS);
	strcpy(machine.sku, "699-1-0005-500");
	machine.cpus_possible = 8;
	machine.memory_bytes = 30;
	check_string(sku_name(), "64g");
}

test(sku_with_a_foreign_part_number_is_none)
{
	given(ANY SKUS);
	strcpy(machine.sku, "699-1-0009-500");
	machine.cpus_possible = 12;
	machine.memory_bytes = 61;
	check_string(sku_name(), "none");
}

test(sku_without_part_number_is_told_by_cpus_and_memory_together)
{
	given(ANY SKUS);
	machine.cpus_possible = 12;
	machine.memory_bytes = 61;
	check_string(sku_name(), "64g");
	machine.memory_bytes = 29;
	check_string(sku_name(), "kit");
	machine.cpus_possible = 8;
	check_string(sku_name(), "32g");
	machine.memory_bytes = 50;
	check_string(sku_name(), "none");
}

test(sku_is_none_when_several_fit)
{
	given(ANY "\"skus\":[{\"name\":\"a\",\"cpus\":12},{\"name\":\"b\",\"cpus\":12}]");
	machine.cpus_possible = 12;
	check_string(sku_name(), "none");
}

test(sku_counts_cpus_that_a_power_mode_took_offline)
{
	given(ANY SKUS);
	machine.cpus_possible = 12;
	machine.cpus_online = 8;
	machine.memory_bytes = 61;
	check_string(sku_name(), "64g");
}

test(power_mode_that_took_cpus_offline_is_told)
{
	given(ANY SKUS);
	machine.cpus_online = 8;
	machine.memory_bytes = 61;
	check(!board_sku_is_whole(&board.skus[2], &machine, fault, sizeof fault));
	check_string(fault, "8 CPUs are online where 64g has 12: a power mode, or another module");
}

test(memory_outside_of_its_sku_is_told)
{
	given(ANY SKUS);
	machine.cpus_online = 12;
	machine.memory_bytes = 61;
	check(!board_sku_is_whole(&board.skus[1], &machine, fault, sizeof fault));
	check_string(fault, "61 bytes of memory where kit has at most 32: ECC off, or another module");
	machine.memory_bytes = 20;
	check(!board_sku_is_whole(&board.skus[1], &machine, fault, sizeof fault));
	check_string(fault, "20 bytes of memory where kit has at least 28");
	machine.memory_bytes = 29;
	check(board_sku_is_whole(&board.skus[1], &machine, fault, sizeof fault));
	check_string(fault, "");
}

static const char *stack_of(const char *kernel)
{
	const struct stack *stack;

	strcpy(machine.kernel, kernel);
	stack = board_stack(&board, &machine);
	return stack ? stack->name : "none";
}

test(stack_is_told_by_kernel_release)
{
	given(ANY "\"stacks\":[{\"name\":\"other\"},{\"name\":\"l4t-35\",\"kernel\":\"5.10\"},{\"name\":\"new\",\"kernel\":[\"6.1\",\"6.6\"]}]");
	check_string(stack_of("5.10.104-tegra"), "l4t-35");
	check_string(stack_of("6.6.0"), "new");
	check_string(stack_of("6.12.0"), "other");
	check_string(stack_of("5.1.0"), "other");
}

test(kernel_prefix_ends_at_a_whole_number)
{
	given(ANY "\"stacks\":[{\"name\":\"new\",\"kernel\":\"6.1\"}]");
	check_string(stack_of("6.1.57"), "new");
	check_string(stack_of("6.1-rc3"), "new");
	check_string(stack_of("6.12.0"), "none");
	check_string(stack_of("5.10"), "none");
}

test(path_part_stands_as_whole_words)
{
	check(board_path_has("platform/3460000.mmc/mmc_host/mmc0", "3460000"));
	check(!board_path_has("platform/13460000.mmc", "3460000"));
	check(!board_path_has("platform/34600001.mmc", "3460000"));
	check(board_path_has("pci0004:00/0004:00:00.0/0004:01:00.0/nvme/nvme0", "0004:01:00.0"));
	check(!board_path_has("pci0004:00/0004:00:00.0", "0004:01:00.0"));
	check(!board_path_has("anything", ""));
	check(!board_path_has("", "a"));
}

static struct disk *add_disk(const char *bus, const char *bus_path, const char *model)
{
	struct disk *disk = &machine.disks[machine.disk_count++];

	strcpy(disk->bus, bus);
	strcpy(disk->bus_path, bus_path);
	strcpy(disk->model, model);
	return disk;
}

test(disk_is_found_by_bus_path_bus_and_model_together)
{
	given(ANY "\"storage\":[{\"role\":\"a\",\"bus_path\":\"0004:01:00.0\",\"bus\":\"nvme\",\"model\":\"fast\"}]");
	check_equal(board_find_disk(&board.storage[0], &machine), -ENODEV);
	add_disk("nvme", "pci/0005:01:00.0/nvme0", "FAST drive");
	add_disk("mmc", "pci/0004:01:00.0/mmc0", "FAST drive");
	add_disk("nvme", "pci/0004:01:00.0/nvme1", "slow drive");
	check_equal(board_find_disk(&board.storage[0], &machine), -ENODEV);
	add_disk("nvme", "pci/0004:01:00.0/nvme2", "FAST drive");
	check_equal(board_find_disk(&board.storage[0], &machine), 3);
}

test(two_disks_for_one_role_are_told)
{
	given(ANY "\"storage\":[{\"role\":\"a\",\"bus\":\"usb\"}]");
	add_disk("usb", "x", "");
	add_disk("usb", "y", "");
	check_equal(board_find_disk(&board.storage[0], &machine), -EEXIST);
}

test(port_is_found_by_any_of_its_devices)
{
	given(ANY "\"network\":[{\"port\":\"10g\",\"device\":[\"6810000\",\"6800000\"]}]");
	check_equal(board_find_port(&board.network[0], &machine), -ENODEV);
	strcpy(machine.ports[0].bus_path, "virtual");
	strcpy(machine.ports[1].bus_path, "platform/6800000.ethernet");
	machine.port_count = 2;
	check_equal(board_find_port(&board.network[0], &machine), 1);
	strcpy(machine.ports[0].bus_path, "platform/6810000.ethernet");
	check_equal(board_find_port(&board.network[0], &machine), -EEXIST);
}
