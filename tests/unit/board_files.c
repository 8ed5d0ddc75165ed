/* The board files that are built in: they are right, they fit what they should, and they judge integrity. */
#include "board.h"
#include "identity.h"
#include "test.h"

static struct board board;
static struct identity machine;
static char fault[256];

static bool load(const char *name)
{
	for (unsigned i = 0; board_embedded(i); i++)
		if (!strcmp(board_embedded(i)->name, name))
			return !board_parse(&board, name, board_embedded(i)->json, board_embedded(i)->size, fault, sizeof fault);
	return false;
}

static const struct storage_role *role(const char *name)
{
	static const struct storage_role none;

	for (unsigned i = 0; i < board.storage_count; i++)
		if (!strcmp(board.storage[i].role, name))
			return &board.storage[i];
	return &none;
}

test(every_built_in_file_is_right)
{
	unsigned count = 0;

	for (; board_embedded(count); count++) {
		const struct embedded *embedded = board_embedded(count);

		fault[0] = 0;
		board_parse(&board, embedded->name, embedded->json, embedded->size, fault, sizeof fault);
		check_string(fault, "");
		check_string(board.name, embedded->name);
	}
	check_equal(count, 3);
}

test(every_built_in_file_judges_integrity)
{
	static const char *const metrics[] = { "block.verify.errors[role=scratch]", "mem.test.errors[pattern=address]",
		"mem.test.errors[pattern=random]", "mem.test.errors[pattern=inversions]", "clock.sanity.backwards" };

	for (unsigned i = 0; board_embedded(i); i++) {
		check(load(board_embedded(i)->name));
		for (unsigned m = 0; m < COUNT_OF(metrics); m++) {
			const struct limit *limit = board_limit(&board, metrics[m]);

			check(limit && limit->has_max && limit->max_milli == 0);
		}
	}
}

test(generic_files_require_no_part_and_read_every_disk)
{
	check(load("x86"));
	check_equal(board.storage_count + board.network_count + board.sku_count, 0);
	check(board.read_undeclared);
	check(load("aarch64"));
	check_equal(board.storage_count + board.network_count + board.sku_count, 0);
	check(board.read_undeclared);
}

test(orin_beats_generic_aarch64_on_an_orin_only)
{
	memset(&machine, 0, sizeof machine);
	strcpy(machine.arch, "aarch64");
	strcpy(machine.compatible, "nvidia,p3737-0000+p3701-0000\nnvidia,tegra234");
	check(load("jetson-agx-orin"));
	check_equal(board_fit(&board, &machine), 2);
	check(load("aarch64"));
	check_equal(board_fit(&board, &machine), 1);
	check(load("x86"));
	check_equal(board_fit(&board, &machine), 0);
	strcpy(machine.compatible, "linux,dummy-virt");
	check(load("jetson-agx-orin"));
	check_equal(board_fit(&board, &machine), 0);
}

test(orin_declares_its_storage)
{
	check(load("jetson-agx-orin"));
	check_string(role("nvme")->bus_path, "0004:01:00.0");
	check_string(role("nvme")->link_speed, "16.0 GT/s PCIe");
	check_equal(role("nvme")->link_width, 4);
	check_equal(role("nvme")->bound_bytes_per_s, 7880000000);
	check_string(role("emmc")->bus_path, "3460000");
	check_string(role("emmc")->mode, "mmc HS400");
	check_equal(role("emmc")->size_min_bytes, 63585648640);
	check_equal(role("emmc")->bound_bytes_per_s, 400000000);
	check(role("emmc")->required && role("nvme")->required && !role("sd")->required);
}

test(orin_skus_are_told_apart_without_a_part_number)
{
	static const struct { uint32_t cpus; uint64_t memory_kib; const char *name; } seen[] = {
		{ 12, 30408704, "p3701-0000" }, { 8, 30408704, "p3701-0004" },
		{ 12, 63963136, "p3701-0005" }, { 12, 56098816, "p3701-0008" },
	};

	check(load("jetson-agx-orin"));
	for (unsigned i = 0; i < COUNT_OF(seen); i++) {
		const struct sku *sku;

		memset(&machine, 0, sizeof machine);
		machine.cpus_possible = seen[i].cpus;
		machine.memory_bytes = seen[i].memory_kib * 1024;
		sku = board_sku(&board, &machine);
		check_string(sku ? sku->name : "none", seen[i].name);
	}
}

test(orin_knows_three_software_stacks)
{
	static const char *const kernels[][2] = { { "5.10.104-tegra", "l4t-35" }, { "5.15.148-tegra", "l4t-36" }, { "6.12.1", "mainline" } };

	check(load("jetson-agx-orin"));
	for (unsigned i = 0; i < COUNT_OF(kernels); i++) {
		const struct stack *stack;

		strcpy(machine.kernel, kernels[i][0]);
		stack = board_stack(&board, &machine);
		check_string(stack ? stack->name : "none", kernels[i][1]);
	}
}

test(orin_emc_clock_has_its_maximum_cap_and_lock)
{
	check(load("jetson-agx-orin"));
	check_string(board.stacks[0].clocks[0].name, "emc");
	check_string(board.stacks[0].clocks[0].max_path, "/sys/kernel/debug/bpmp/debug/clk/emc/max_rate");
	check_string(board.stacks[0].clocks[0].cap_path, "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap");
	check_string(board.stacks[1].clocks[0].cap_path, "/sys/kernel/nvpmodel_clk_cap/emc");
	check_string(board.stacks[0].clocks[0].lock_path, "/sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked");
	check_string(board.stacks[0].clocks[0].rule, "equal-max");
}

test(orin_default_power_mode_is_30w)
{
	check(load("jetson-agx-orin"));
	check_equal(board.power_mode_count, 4);
	check_string(board.power_modes[2].name, "30W");
	check(board.power_modes[2].is_default);
	check_equal(board.power_modes[2].id, 2);
	check_equal(board.power_modes[2].cpus, 8);
	check_equal(board.power_modes[2].cpu_max_khz, 1728000);
}

test(orin_leaves_null_what_nobody_measured)
{
	const struct limit *limit;

	check(load("jetson-agx-orin"));
	limit = board_limit(&board, "block.read.bandwidth[role=nvme,bs=4m,iodepth=32,numjobs=1]");
	check(limit && limit->required && !limit->judged);
	limit = board_limit(&board, "block.read.bandwidth[role=emmc,bs=4m,iodepth=32,numjobs=1]");
	check(limit && limit->required && !limit->judged);
}

test(orin_network_limits_are_those_of_the_study)
{
	const struct limit *limit;

	check(load("jetson-agx-orin"));
	limit = board_limit(&board, "net.tcp.throughput[port=10g,dir=rx,streams=1,len=128k]");
	check(limit && limit->has_min && limit->min_milli == 9000000000000);
	limit = board_limit(&board, "net.tcp.throughput[port=10g,dir=tx,streams=1,len=128k]");
	check(limit && limit->min_milli == 1500000000000 && limit->warn_min_milli == 9000000000000);
}

test(orin_failure_catalogue_is_whole)
{
	check(load("jetson-agx-orin"));
	check_equal(board.failure_count, 13);
	check_equal(board.temperature_stop_milli, 99000);
}
