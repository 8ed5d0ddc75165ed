#include "lib/text.h"
#include "step/identity_check.h"
#include "test.h"

static struct identity identity;
static struct board board;
static char fails[4][MAX_MESSAGE];
static unsigned fail_count, error_count, skip_count;

static void note(void *context, enum event_kind kind, const char *message)
{
	(void)context;
	if (kind == EVENT_FAIL)
		text_copy(fails[fail_count++], MAX_MESSAGE, message);
	error_count += kind == EVENT_ERROR;
	skip_count += kind == EVENT_SKIP;
}

static const struct storage_role nvme = { .role = "nvme", .bus_path = "0004:01:00.0", .bus = "nvme", .link_speed = "16.0 GT/s PCIe",
                                          .link_width = 4, .size_min_bytes = 1000000, .required = true };
static const struct storage_role emmc = { .role = "emmc", .bus_path = "3460000", .bus = "mmc", .mode = "mmc HS400", .required = true };
static const struct network_port port = { .port = "10g", .device = "6810000|6800000", .speed_mbit_per_s = 10000, .required = true };

/* A whole board: everything as declared. */
static struct disk *whole_nvme(void)
{
	identity.disk_count = 1;
	identity.disks[0] = (struct disk){ .name = "nvme0n1", .bus = "nvme", .bus_path = "platform/14160000.pcie/pci0004:00/0004:01:00.0/nvme/nvme0",
	                                   .link_speed = "16.0 GT/s PCIe", .link_width = 4, .size_bytes = 1000000 };
	return &identity.disks[0];
}

static struct disk *whole_emmc(void)
{
	identity.disk_count = 1;
	identity.disks[0] = (struct disk){ .name = "mmcblk0", .bus = "mmc", .bus_path = "platform/3460000.mmc/mmc_host/mmc0/mmc0:0001",
	                                   .mode = "mmc HS400 enhanced strobe" };
	return &identity.disks[0];
}

static struct port *whole_port(void)
{
	identity.port_count = 1;
	identity.ports[0] = (struct port){ .name = "eth0", .bus_path = "platform/6810000.ethernet/net/eth0", .address = "48:b0:2d:00:00:01",
	                                   .speed_mbit_per_s = 10000, .carrier = true };
	return &identity.ports[0];
}

static void clear(void)
{
	fail_count = error_count = skip_count = 0;
	fails[0][0] = '\0';
}

static int storage(const struct storage_role *role)
{
	clear();
	return identity_check_storage(role, &identity, note, NULL);
}

test(a_whole_drive_gives_no_finding)
{
	whole_nvme();
	check_equal(storage(&nvme), 0);
	check_equal(fail_count + error_count + skip_count, 0);
	whole_emmc();
	check_equal(storage(&emmc), 0);
	check_equal(fail_count + error_count + skip_count, 0);
}

test(a_missing_required_drive_fails_by_name)
{
	identity.disk_count = 0;
	check(storage(&nvme) < 0);
	check_equal(fail_count, 1);
	check_string(fails[0], "declared device missing: nvme (0004:01:00.0)");
}

test(a_missing_drive_that_is_not_required_is_skipped)
{
	struct storage_role slot = nvme;

	slot.required = false;
	identity.disk_count = 0;
	check(storage(&slot) < 0);
	check_equal(fail_count, 0);
	check_equal(skip_count, 1);
}

test(a_link_below_its_declared_speed_fails_with_both)
{
	text_copy(whole_nvme()->link_speed, 32, "8.0 GT/s PCIe");
	storage(&nvme);
	check_equal(fail_count, 1);
	check_string(fails[0], "nvme (nvme0n1): the link trained at 8.0 GT/s PCIe, declared 16.0 GT/s PCIe");
}

test(a_link_above_its_declared_speed_passes)
{
	text_copy(whole_nvme()->link_speed, 32, "32.0 GT/s PCIe");
	storage(&nvme);
	check_equal(fail_count, 0);
}

test(a_link_below_its_declared_width_fails_with_both)
{
	whole_nvme()->link_width = 1;
	storage(&nvme);
	check_equal(fail_count, 1);
	check_string(fails[0], "nvme (nvme0n1): the link trained at x1, declared x4");
}

test(a_declared_link_that_is_not_told_is_an_error)
{
	struct disk *disk = whole_nvme();

	text_copy(disk->link_speed, 32, "Unknown");
	disk->link_width = 0;
	storage(&nvme);
	check_equal(fail_count, 0);
	check_equal(error_count, 2);
}

test(a_drive_below_its_declared_size_fails)
{
	whole_nvme()->size_bytes = 999999;
	storage(&nvme);
	check_equal(fail_count, 1);
	check_string(fails[0], "nvme (nvme0n1): 999999 bytes, declared at least 1000000");
}

test(an_emmc_in_a_slower_mode_fails)
{
	text_copy(whole_emmc()->mode, 48, "mmc HS200");
	storage(&emmc);
	check_equal(fail_count, 1);
	check_string(fails[0], "emmc (mmcblk0): bus mode mmc HS200, declared mmc HS400");
}

test(a_mode_must_begin_with_what_is_declared)
{
	text_copy(whole_emmc()->mode, 48, "not mmc HS400");
	storage(&emmc);
	check_equal(fail_count, 1);
}

test(a_required_mode_that_is_not_told_is_an_error)
{
	struct storage_role spare = emmc;

	whole_emmc()->mode[0] = '\0';
	storage(&emmc);
	check_equal(fail_count + skip_count, 0);
	check_equal(error_count, 1);
	spare.required = false;
	storage(&spare);
	check_equal(fail_count + error_count, 0);
	check_equal(skip_count, 1);
}

/* Nothing is declared of this role's link. */
static const struct storage_role slot = { .role = "slot", .bus_path = "0004:01:00.0", .bus = "nvme" };

test(a_link_below_what_both_ends_can_do_fails)
{
	struct disk *disk = whole_nvme();

	text_copy(disk->link_speed, 32, "2.5 GT/s PCIe");
	text_copy(disk->link_speed_max, 32, "16.0 GT/s PCIe");
	text_copy(disk->port_speed_max, 32, "8.0 GT/s PCIe");
	disk->link_width = 1;
	disk->link_width_max = 2;
	disk->port_width_max = 8;
	storage(&slot);
	check_equal(fail_count, 2);
	check_string(fails[0], "slot (nvme0n1): the link trained at 2.5 GT/s PCIe, both ends can do 8.0 GT/s PCIe");
	check_string(fails[1], "slot (nvme0n1): the link trained at x1, both ends can do x2");
}

test(a_link_at_the_most_of_its_slower_end_passes)
{
	struct disk *disk = whole_nvme();

	text_copy(disk->link_speed_max, 32, "32.0 GT/s PCIe");
	text_copy(disk->port_speed_max, 32, "16.0 GT/s PCIe");
	disk->link_width_max = 4;
	disk->port_width_max = 8;
	storage(&slot);
	check_equal(fail_count + error_count + skip_count, 0);
}

test(a_link_of_which_one_end_does_not_tell_its_most_passes)
{
	struct disk *disk = whole_nvme();

	text_copy(disk->link_speed_max, 32, "32.0 GT/s PCIe");
	disk->link_width_max = 8;
	storage(&slot);
	check_equal(fail_count + error_count + skip_count, 0);
}

test(a_link_below_what_is_declared_fails_once)
{
	struct disk *disk = whole_nvme();

	text_copy(disk->link_speed, 32, "8.0 GT/s PCIe");
	text_copy(disk->link_speed_max, 32, "16.0 GT/s PCIe");
	text_copy(disk->port_speed_max, 32, "16.0 GT/s PCIe");
	storage(&nvme);
	check_equal(fail_count, 1);
}

test(a_board_known_by_its_device_tree_must_tell_a_serial_number)
{
	clear();
	identity.serial[0] = '\0';
	board.match_device_tree_count = 0;
	identity_check_serial(&board, &identity, note, NULL);
	check_equal(fail_count, 0);
	board.match_device_tree_count = 2;
	identity_check_serial(&board, &identity, note, NULL);
	check_equal(fail_count, 1);
	check_string(fails[0], "no serial number: bad EEPROM");
	clear();
	text_copy(identity.serial, sizeof identity.serial, "1420000000001");
	identity_check_serial(&board, &identity, note, NULL);
	check_equal(fail_count, 0);
}

test(two_drives_that_fit_one_role_are_an_error)
{
	whole_nvme();
	identity.disks[1] = identity.disks[0];
	identity.disk_count = 2;
	check(storage(&nvme) < 0);
	check_equal(fail_count, 0);
	check_equal(error_count, 1);
}

static void check_port(void)
{
	clear();
	identity_check_port(&port, &identity, note, NULL);
}

test(a_whole_port_gives_no_finding)
{
	whole_port();
	check_port();
	check_equal(fail_count + error_count + skip_count, 0);
}

test(a_missing_required_port_fails_by_name)
{
	identity.port_count = 0;
	check_port();
	check_equal(fail_count, 1);
	check_string(fails[0], "declared device missing: port 10g (6810000|6800000)");
}

test(a_port_below_its_declared_speed_fails)
{
	whole_port()->speed_mbit_per_s = 1000;
	check_port();
	check_equal(fail_count, 1);
	check_string(fails[0], "port 10g (eth0): the link trained at 1000 Mbit/s, declared 10000");
}

test(a_port_without_a_link_has_no_speed_to_judge)
{
	whole_port()->carrier = false;
	identity.ports[0].speed_mbit_per_s = 0;
	check_port();
	check_equal(fail_count, 0);
	check_equal(skip_count, 1);
}

test(a_port_without_an_address_fails)
{
	text_copy(whole_port()->address, 24, "00:00:00:00:00:00");
	check_port();
	check_equal(fail_count, 1);
	text_copy(whole_port()->address, 24, "ff:ff:ff:ff:ff:ff");
	check_port();
	check_equal(fail_count, 1);
}

static void check_sku(uint32_t cpus, uint64_t memory_bytes)
{
	clear();
	board.sku_count = 2;
	board.skus[0] = (struct sku){ .name = "32g", .cpus = 8, .memory_min_bytes = 30000, .memory_max_bytes = 34000 };
	board.skus[1] = (struct sku){ .name = "64g", .cpus = 12, .memory_min_bytes = 64000, .memory_max_bytes = 68000 };
	identity.cpus_online = identity.cpus_possible = cpus;
	identity.memory_bytes = memory_bytes;
	identity.sku[0] = '\0';
	identity_check_sku(&board, &identity, note, NULL);
}

test(a_declared_sku_passes)
{
	check_sku(12, 65000);
	check_equal(fail_count, 0);
}

test(cpus_that_a_power_mode_took_offline_fail_against_the_sku)
{
	check_sku(12, 65000);
	identity.cpus_online = 8;
	identity_check_sku(&board, &identity, note, NULL);
	check_equal(fail_count, 1);
	check_string(fails[0], "8 CPUs are online where 64g has 12: a power mode, or another module");
}

test(memory_that_contradicts_the_part_number_fails)
{
	check_sku(12, 65000);
	text_copy(board.skus[0].part, sizeof board.skus[0].part, "699-1");
	text_copy(identity.sku, sizeof identity.sku, "699-1-500");
	identity.cpus_online = 8;
	identity_check_sku(&board, &identity, note, NULL);
	check_equal(fail_count, 1);
	check_string(fails[0], "65000 bytes of memory where 32g has at most 34000: ECC off, or another module");
}

test(a_machine_that_is_no_declared_sku_fails_with_what_was_found)
{
	check_sku(12, 32000);
	check_equal(fail_count, 1);
	check_string(fails[0], "no single declared SKU is this machine: part not told, 12 CPUs, 32000 bytes of memory; "
	                       "declared: 32g (8 CPUs, 30000 to 34000 bytes), 64g (12 CPUs, 64000 to 68000 bytes)");
}

test(a_board_without_skus_has_none_to_miss)
{
	clear();
	board.sku_count = 0;
	identity_check_sku(&board, &identity, note, NULL);
	check_equal(fail_count + error_count + skip_count, 0);
}
