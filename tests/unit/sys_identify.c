#include "test.h"

#include <errno.h>

#include "sys/file.h"
#include "sys/identify.h"
#include "sys_tree.h"

static struct identity identity;

static void start(void)
{
	tree_start();
	file_root(tree);
}

static void end(void)
{
	file_root("");
	tree_end();
}

static const struct disk *disk(const char *name)
{
	static const struct disk none;

	for (unsigned i = 0; i < identity.disk_count; i++)
		if (!strcmp(identity.disks[i].name, name))
			return &identity.disks[i];
	return &none;
}

static const struct port *port(const char *name)
{
	static const struct port none;

	for (unsigned i = 0; i < identity.port_count; i++)
		if (!strcmp(identity.ports[i].name, name))
			return &identity.ports[i];
	return &none;
}

/* A disk below /sys/devices/DEVICE/block, as the kernel has it: numbers, size, and the link to its device. */
static void put_disk(const char *name, const char *device, const char *up, const char *dev, const char *sectors)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "/sys/devices/%s/%s/dev", device, name);
	tree_put(path, dev);
	snprintf(path, sizeof(path), "/sys/devices/%s/%s/size", device, name);
	tree_put(path, sectors);
	snprintf(path, sizeof(path), "/sys/devices/%s/%s/device", device, name);
	if (up)
		tree_link(path, up);
	snprintf(path, sizeof(path), "/sys/block/%s", name);
	snprintf(target, sizeof(target), "../devices/%s/%s", device, name);
	tree_link(path, target);
}

#define NVME "pci0004:00/0004:00:00.0/0004:01:00.0/nvme/nvme0"

static void put_nvme(void)
{
	put_disk("nvme0n1", NVME, "../../nvme0", "259:0\n", "2000409264\n");
	tree_put("/sys/devices/" NVME "/model", "Example Drive 1TB                       \n");
	tree_put("/sys/devices/" NVME "/serial", "EX123456            \n");
	tree_put("/sys/devices/" NVME "/nvme0n1/queue/logical_block_size", "512\n");
	tree_put("/sys/devices/" NVME "/nvme0n1/queue/physical_block_size", "4096\n");
	tree_put("/sys/devices/" NVME "/nvme0n1/queue/rotational", "0\n");
	tree_put("/sys/devices/" NVME "/nvme0n1/ro", "0\n");
	tree_put("/sys/devices/" NVME "/nvme0n1/removable", "0\n");
	tree_put("/sys/devices/pci0004:00/0004:00:00.0/0004:01:00.0/current_link_speed", "8.0 GT/s PCIe\n");
	tree_put("/sys/devices/pci0004:00/0004:00:00.0/0004:01:00.0/max_link_speed", "16.0 GT/s PCIe\n");
	tree_put("/sys/devices/pci0004:00/0004:00:00.0/0004:01:00.0/current_link_width", "2\n");
	tree_put("/sys/devices/pci0004:00/0004:00:00.0/0004:01:00.0/max_link_width", "4\n");
	tree_put("/sys/devices/pci0004:00/0004:00:00.0/current_link_width", "16\n");
}

static void put_partition(const char *number, const char *dev, const char *label)
{
	char path[256], uevent[128];

	snprintf(path, sizeof(path), "/sys/devices/" NVME "/nvme0n1/nvme0n1p%s/partition", number);
	tree_put(path, number);
	snprintf(path, sizeof(path), "/sys/devices/" NVME "/nvme0n1/nvme0n1p%s/dev", number);
	tree_put(path, dev);
	snprintf(path, sizeof(path), "/sys/devices/" NVME "/nvme0n1/nvme0n1p%s/uevent", number);
	snprintf(uevent, sizeof(uevent), "DEVNAME=nvme0n1p%s\nDEVTYPE=partition\nPARTN=%s\nPARTNAME=%s\n", number, number, label);
	tree_put(path, uevent);
}

/* ---- the machine ---- */

test(empty_machine_tells_nothing_and_nothing_is_guessed)
{
	start();
	identify_machine(&identity);
	check_string(identity.serial, "");
	check_string(identity.compatible, "");
	check_string(identity.vendor, "");
	check_string(identity.cpu_model, "");
	check_equal(identity.memory_bytes, 0);
	check_equal(identity.cpus_online, 0);
	check_equal(identity.disk_count, 0);
	check_equal(identity.port_count, 0);
	end();
}

/* Of this very machine, whatever the tree says: the tests of aarch64 run translated, those of x86-64 on a real CPU, in a virtual machine or not. */
test(emulator_is_told_and_a_virtual_machine_is_none)
{
	start();
	tree_put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
	identify_machine(&identity);
#ifdef __aarch64__
	check_string(identity.emulator, "qemu-user");
#else
	check_string(identity.emulator, "");
#endif
	end();
}

test(orin_is_told_by_its_device_tree)
{
	static const char compatible[] = "nvidia,p3737-0000+p3701-0000\0nvidia,tegra234";

	start();
	tree_put_bytes("/sys/firmware/devicetree/base/compatible", compatible, sizeof(compatible));
	tree_put_bytes("/sys/firmware/devicetree/base/serial-number", "1421022055555", 14);
	tree_put_bytes("/sys/firmware/devicetree/base/chosen/nvidia,sku", "699-13701-0005-500 L.0", 23);
	tree_link("/proc/device-tree", "/sys/firmware/devicetree/base");
	tree_put("/proc/sys/kernel/osrelease", "5.10.104-tegra\n");
	tree_put("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd42\n");
	tree_put("/proc/meminfo", "MemTotal:       64310348 kB\nMemFree:        1 kB\n");
	tree_put("/sys/devices/system/cpu/online", "0-3,8-11\n");
	tree_put("/sys/devices/system/cpu/possible", "0-11\n");
	identify_machine(&identity);
	check_string(identity.compatible, "nvidia,p3737-0000+p3701-0000\nnvidia,tegra234");
	check_string(identity.serial, "1421022055555");
	check_string(identity.sku, "699-13701-0005-500 L.0");
	check_string(identity.kernel, "5.10.104-tegra");
	check_string(identity.arch, "aarch64");
	check_string(identity.cpu_model, "Cortex-A78AE");
	check_equal(identity.memory_bytes, 65853796352);
	check_equal(identity.cpus_online, 8);
	check_equal(identity.cpus_possible, 12);
	end();
}

test(pc_is_told_by_dmi)
{
	start();
	tree_put("/sys/class/dmi/id/sys_vendor", "Example Inc.\n");
	tree_put("/sys/class/dmi/id/product_name", "Example PC\n");
	tree_put("/sys/class/dmi/id/bios_version", "1.2\n");
	tree_put("/sys/class/dmi/id/product_serial", "PC-77\n");
	identify_machine(&identity);
	check_string(identity.vendor, "Example Inc.");
	check_string(identity.product, "Example PC");
	check_string(identity.bios_version, "1.2");
	check_string(identity.serial, "PC-77");
	end();
}

test(placeholder_is_no_serial_number)
{
	start();
	tree_put("/sys/class/dmi/id/product_serial", "To be filled by O.E.M.\n");
	tree_put("/sys/class/dmi/id/board_serial", "B-1\n");
	identify_machine(&identity);
	check_string(identity.serial, "B-1");
	end();
}

/* ---- disks ---- */

test(nvme_is_told_whole)
{
	start();
	put_nvme();
	identify_machine(&identity);
	check_equal(identity.disk_count, 1);
	check_string(disk("nvme0n1")->bus, "nvme");
	check_string(disk("nvme0n1")->bus_path, NVME);
	check_string(disk("nvme0n1")->model, "Example Drive 1TB");
	check_string(disk("nvme0n1")->serial, "EX123456");
	check_equal(disk("nvme0n1")->size_bytes, 1024209543168);
	check_equal(disk("nvme0n1")->logical_block_bytes, 512);
	check_equal(disk("nvme0n1")->physical_block_bytes, 4096);
	check_equal(disk("nvme0n1")->dev_major, 259);
	check_equal(disk("nvme0n1")->dev_minor, 0);
	end();
}

test(link_is_the_endpoint_s_not_the_port_s)
{
	start();
	put_nvme();
	identify_machine(&identity);
	check_string(disk("nvme0n1")->link_speed, "8.0 GT/s PCIe");
	check_string(disk("nvme0n1")->link_speed_max, "16.0 GT/s PCIe");
	check_equal(disk("nvme0n1")->link_width, 2);
	check_equal(disk("nvme0n1")->link_width_max, 4);
	end();
}

#define EMMC "platform/3460000.mmc/mmc_host/mmc0/mmc0:0001"

test(emmc_is_told_with_its_mode_and_without_boot_areas)
{
	start();
	put_disk("mmcblk0", EMMC "/block", "../../../mmc0:0001", "179:0\n", "124190720\n");
	put_disk("mmcblk0boot0", EMMC "/block/mmcblk0", "../../../../mmc0:0001", "179:8\n", "8192\n");
	put_disk("mmcblk0boot1", EMMC "/block/mmcblk0", "../../../../mmc0:0001", "179:16\n", "8192\n");
	put_disk("mmcblk0rpmb", EMMC "/block/mmcblk0", "../../../../mmc0:0001", "179:24\n", "8192\n");
	tree_put("/sys/devices/" EMMC "/name", "G1M15M\n");
	tree_put("/sys/devices/" EMMC "/serial", "0x1a2b3c4d\n");
	tree_put("/sys/kernel/debug/mmc0/ios", "clock:\t\t200000000 Hz\nbus width:\t3 (8 bits)\n"
		"timing spec:\t10 (mmc HS400 enhanced strobe)\nsignal voltage:\t1 (1.80 V)\n");
	identify_machine(&identity);
	check_equal(identity.disk_count, 1);
	check_string(disk("mmcblk0")->bus, "mmc");
	check_string(disk("mmcblk0")->bus_path, EMMC);
	check_string(disk("mmcblk0")->model, "G1M15M");
	check_string(disk("mmcblk0")->serial, "0x1a2b3c4d");
	check_string(disk("mmcblk0")->mode, "mmc HS400 enhanced strobe");
	check_equal(disk("mmcblk0")->size_bytes, 63585648640);
	end();
}

test(one_disk_is_told_by_its_name_and_an_emmc_has_a_cid)
{
	static struct disk one;
	char cid[64];

	start();
	put_disk("mmcblk0", EMMC "/block", "../../../mmc0:0001", "179:0\n", "8\n");
	tree_put("/sys/devices/" EMMC "/serial", "0x1a2b3c4d\n");
	tree_put("/sys/devices/" EMMC "/cid", "15010041463034593141\n");
	put_nvme();
	identify_disk("mmcblk0", &one, cid);
	check_string(one.serial, "0x1a2b3c4d");
	check_string(cid, "15010041463034593141");
	identify_disk("nvme0n1", &one, cid);
	check_string(one.serial, "EX123456");
	check_string(cid, "");
	identify_disk("sdz", &one, cid);
	check_string(one.serial, "");
	end();
}

test(emmc_without_debugfs_tells_no_mode)
{
	start();
	put_disk("mmcblk0", EMMC "/block", "../../../mmc0:0001", "179:0\n", "8\n");
	identify_machine(&identity);
	check_string(disk("mmcblk0")->mode, "");
	end();
}

#define SATA "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0"

test(sata_serial_comes_from_page_80)
{
	static const char page[] = "\0\x80\0\x08" "  WD-42 ";

	start();
	put_disk("sda", SATA "/block", "../../../0:0:0:0", "8:0\n", "100\n");
	tree_put("/sys/devices/" SATA "/vendor", "ATA     \n");
	tree_put("/sys/devices/" SATA "/model", "WDC WD10        \n");
	tree_put_bytes("/sys/devices/" SATA "/vpd_pg80", page, 12);
	identify_machine(&identity);
	check_string(disk("sda")->bus, "sata");
	check_string(disk("sda")->model, "WDC WD10");
	check_string(disk("sda")->serial, "WD-42");
	end();
}

#define USB "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0"

test(usb_serial_is_the_stick_s_not_the_hub_s)
{
	start();
	put_disk("sdb", USB "/block", "../../../6:0:0:0", "8:16\n", "100\n");
	tree_put("/sys/devices/" USB "/vendor", "Example \n");
	tree_put("/sys/devices/" USB "/model", "Stick           \n");
	tree_put("/sys/devices/pci0000:00/0000:00:14.0/usb2/serial", "0000:00:14.0\n");
	identify_machine(&identity);
	check_string(disk("sdb")->bus, "usb");
	check_string(disk("sdb")->model, "Example Stick");
	check_string(disk("sdb")->serial, "");
	tree_put("/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/serial", "STICK1\n");
	identify_machine(&identity);
	check_string(disk("sdb")->serial, "STICK1");
	end();
}

test(virtio_serial_has_no_newline)
{
	start();
	put_disk("vda", "pci0000:00/0000:00:02.0/virtio1/block", "../../../virtio1", "254:0\n", "100\n");
	tree_put("/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda/serial", "overlay");
	identify_machine(&identity);
	check_string(disk("vda")->bus, "virtio");
	check_string(disk("vda")->serial, "overlay");
	end();
}

test(virtual_disks_come_last_and_only_when_set_up)
{
	start();
	put_disk("loop0", "virtual/block", NULL, "7:0\n", "0\n");
	put_disk("loop1", "virtual/block", NULL, "7:1\n", "2048\n");
	put_disk("md0", "virtual/block", NULL, "9:0\n", "2048\n");
	put_disk("zram0", "virtual/block", NULL, "253:0\n", "2048\n");
	put_nvme();
	identify_machine(&identity);
	check_equal(identity.disk_count, 4);
	check_string(identity.disks[0].name, "nvme0n1");
	check_string(disk("loop1")->bus, "loop");
	check_string(disk("md0")->bus, "md");
	check_string(disk("zram0")->bus, "zram");
	check_string(disk("loop0")->name, "");
	end();
}

test(empty_card_reader_is_listed)
{
	start();
	put_disk("sdc", USB "/block", "../../../6:0:0:0", "8:32\n", "0\n");
	identify_machine(&identity);
	check_string(disk("sdc")->name, "sdc");
	check_equal(disk("sdc")->size_bytes, 0);
	end();
}

test(hidden_path_of_a_multipath_drive_is_not_a_disk)
{
	start();
	put_nvme();
	put_disk("nvme0c0n1", NVME, "../../nvme0", "0:0\n", "100\n");
	tree_put("/sys/devices/" NVME "/nvme0c0n1/hidden", "1\n");
	identify_machine(&identity);
	check_equal(identity.disk_count, 1);
	end();
}

test(multipath_drive_is_where_its_controller_is)
{
	start();
	put_disk("nvme0n1", "virtual/nvme-subsystem/nvme-subsys0", "../../nvme-subsys0", "259:0\n", "100\n");
	tree_put("/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/model", "Dual\n");
	tree_link("/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0", "../../../pci0000:00/0000:01:00.0/nvme/nvme0");
	tree_link("/sys/class/nvme/nvme0", "../../devices/pci0000:00/0000:01:00.0/nvme/nvme0");
	identify_machine(&identity);
	check_string(disk("nvme0n1")->bus_path, "pci0000:00/0000:01:00.0/nvme/nvme0");
	end();
}

/* ---- ports ---- */

static void put_port(const char *name, const char *device)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "/sys/devices/%s/net/%s/ifindex", device, name);
	tree_put(path, "2\n");
	snprintf(path, sizeof(path), "/sys/class/net/%s", name);
	snprintf(target, sizeof(target), "../../devices/%s/net/%s", device, name);
	tree_link(path, target);
}

test(port_is_told_whole)
{
	start();
	put_port("eth0", "platform/6810000.ethernet");
	tree_link("/sys/devices/platform/6810000.ethernet/net/eth0/device", "../../../6810000.ethernet");
	tree_link("/sys/devices/platform/6810000.ethernet/driver", "../../../bus/platform/drivers/nvethernet");
	tree_put("/sys/bus/platform/drivers/nvethernet/bind", "");
	tree_put("/sys/class/net/eth0/address", "48:b0:2d:00:00:01\n");
	tree_put("/sys/class/net/eth0/speed", "10000\n");
	tree_put("/sys/class/net/eth0/mtu", "1500\n");
	tree_put("/sys/class/net/eth0/carrier", "1\n");
	tree_put("/sys/class/net/eth0/operstate", "up\n");
	tree_put("/sys/class/net/eth0/type", "1\n");
	identify_machine(&identity);
	check_string(port("eth0")->bus_path, "platform/6810000.ethernet");
	check_string(port("eth0")->driver, "nvethernet");
	check_string(port("eth0")->address, "48:b0:2d:00:00:01");
	check_string(port("eth0")->operstate, "up");
	check_equal(port("eth0")->speed_mbit_per_s, 10000);
	check_equal(port("eth0")->mtu, 1500);
	check(port("eth0")->carrier);
	check(!port("eth0")->loopback);
	end();
}

test(port_without_link_has_no_speed)
{
	start();
	put_port("eth0", "pci0/0000:02:00.0");
	tree_put("/sys/class/net/eth0/speed", "-1\n");
	put_port("eth1", "pci0/0000:02:00.1");
	tree_put("/sys/class/net/eth1/speed", "4294967295\n");
	identify_machine(&identity);
	check_equal(port("eth0")->speed_mbit_per_s, 0);
	check_equal(port("eth1")->speed_mbit_per_s, 0);
	end();
}

test(loopback_is_known_and_control_files_are_no_ports)
{
	start();
	put_port("lo", "virtual");
	tree_put("/sys/class/net/lo/type", "772\n");
	tree_put("/sys/class/net/bonding_masters", "");
	identify_machine(&identity);
	check_equal(identity.port_count, 1);
	check(port("lo")->loopback);
	end();
}

/* ---- who uses it ---- */

static void start_use(void)
{
	start();
	put_nvme();
	put_partition("1", "259:1\n", "EFI");
	put_partition("2", "259:2\n", "assay-scratch");
	tree_put("/proc/self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n");
	tree_put("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
}

static const char *holder_of(const char *name)
{
	static char holder[96];

	check_equal(identify_holder(name, holder, sizeof(holder)), 0);
	return holder;
}

test(idle_disk_is_used_by_nobody)
{
	start_use();
	check_string(holder_of("nvme0n1"), "");
	check_string(holder_of("nvme0n1p2"), "");
	end();
}

test(mounted_partition_holds_its_disk_and_not_its_neighbour)
{
	start_use();
	tree_put("/proc/self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n30 1 259:1 / /boot/efi rw - vfat /dev/root rw\n");
	check_string(holder_of("nvme0n1"), "/dev/nvme0n1p1 is mounted on /boot/efi");
	check_string(holder_of("nvme0n1p1"), "/dev/nvme0n1p1 is mounted on /boot/efi");
	check_string(holder_of("nvme0n1p2"), "");
	end();
}

test(mounted_disk_holds_its_partitions)
{
	start_use();
	tree_put("/proc/self/mountinfo", "30 1 259:0 / /data rw - ext4 /dev/root rw\n");
	check_string(holder_of("nvme0n1p2"), "/dev/nvme0n1 is mounted on /data");
	end();
}

test(btrfs_with_a_number_of_its_own_is_known_by_its_source)
{
	start_use();
	tree_put("/proc/self/mountinfo", "30 1 0:42 / /data rw - btrfs /dev/nvme0n1p2 rw\n");
	check_string(holder_of("nvme0n1p2"), "/dev/nvme0n1p2 is mounted on /data");
	end();
}

test(swap_holds_its_partition_and_its_disk)
{
	start_use();
	tree_put("/proc/swaps", "Filename Type Size Used Priority\n/dev/nvme0n1p2 partition 8 0 -2\n");
	check_string(holder_of("nvme0n1p2"), "/dev/nvme0n1p2 is swap");
	check_string(holder_of("nvme0n1"), "/dev/nvme0n1p2 is swap");
	check_string(holder_of("nvme0n1p1"), "");
	end();
}

test(md_and_dm_hold_by_name)
{
	start_use();
	tree_link("/sys/devices/" NVME "/nvme0n1/nvme0n1p1/holders/md0", "../../../md0");
	tree_link("/sys/devices/" NVME "/nvme0n1/nvme0n1p2/holders/dm-0", "../../../dm-0");
	tree_put("/sys/block/dm-0/dm/name", "vg-root\n");
	check_string(holder_of("nvme0n1p1"), "/dev/nvme0n1p1 is a member of md0");
	check_string(holder_of("nvme0n1p2"), "/dev/nvme0n1p2 holds device mapper volume vg-root (dm-0)");
	tree_put("/sys/block/dm-0/dm/uuid", "LVM-4Pq0Zx\n");
	check_string(holder_of("nvme0n1p2"), "/dev/nvme0n1p2 holds LVM volume vg-root (dm-0)");
	end();
}

test(loop_device_over_a_partition_holds_it)
{
	start_use();
	tree_put("/sys/block/loop0/loop/backing_file", "/dev/nvme0n1p2\n");
	check_string(holder_of("nvme0n1p2"), "/dev/nvme0n1p2 is behind loop0");
	end();
}

test(holder_of_no_device_is_an_error)
{
	char holder[8];

	start_use();
	check_equal(identify_holder("sdz", holder, sizeof(holder)), -ENODEV);
	check_equal(identify_holder("", holder, sizeof(holder)), -ENODEV);
	check_equal(identify_holder("nvme0n1/nvme0n1p1", holder, sizeof(holder)), -ENODEV);
	end();
}

test(without_a_list_of_mounts_nobody_is_not_said)
{
	char holder[8];

	start();
	put_nvme();
	check_equal(identify_holder("nvme0n1", holder, sizeof(holder)), -ENOENT);
	end();
}

/* ---- by label, by node ---- */

test(partition_is_found_by_its_whole_name)
{
	char partition[32], on[32];

	start_use();
	check_equal(identify_partition("assay-scratch", partition, on), 0);
	check_string(partition, "nvme0n1p2");
	check_string(on, "nvme0n1");
	check_equal(identify_partition("assay", partition, on), -ENODEV);
	check_string(partition, "");
	end();
}

test(name_that_two_partitions_have_is_refused)
{
	char partition[32], on[32];

	start_use();
	put_partition("3", "259:3\n", "assay-scratch");
	check_equal(identify_partition("assay-scratch", partition, on), -EEXIST);
	end();
}

test(node_of_this_host_is_never_taken_for_a_simulated_one)
{
	char path[64];

	start_use();
	check_equal(identify_node("nvme0n1", path, sizeof(path)), -ENODEV);
	end();
}

test(node_of_an_absent_device_is_minus_enodev)
{
	char path[64];

	check_equal(identify_node("assay-none", path, sizeof(path)), -ENODEV);
}
