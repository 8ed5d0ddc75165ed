#include "test.h"

#include <errno.h>

#include "capacity.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys_tree.h"

static void start(void)
{
	tree_start();
	check_equal(file_root(tree), 0);
}

static void end(void)
{
	file_root("");
	tree_end();
}

test(root_that_is_no_folder_is_refused) { check_equal(file_root("/nonexistent"), -ENOENT); }

test(root_makes_it_simulated)
{
	check(!file_is_simulated());
	start();
	check(file_is_simulated());
	end();
	check(!file_is_simulated());
}

test(file_is_read_below_the_root)
{
	char text[16];

	start();
	tree_put("/sys/a", "hello\n");
	check_equal(file_read("/sys/a", text, sizeof(text)), 6);
	check_string(text, "hello\n");
	end();
}

test(file_is_cut_at_the_buffer)
{
	char text[4];

	start();
	tree_put("/a", "hello");
	check_equal(file_read("/a", text, sizeof(text)), 3);
	check_string(text, "hel");
	end();
}

test(absent_file_is_minus_enoent_and_an_empty_string)
{
	char text[8] = "old";

	start();
	check_equal(file_read("/absent", text, sizeof(text)), -ENOENT);
	file_string(text, sizeof(text), "/%s", "absent");
	check_string(text, "");
	end();
}

test(host_file_is_not_seen_below_the_root)
{
	start();
	check(!file_exists("/proc/self/stat"));
	end();
}

test(dot_dot_stops_at_the_root)
{
	char text[8];

	start();
	tree_put("/a", "in\n");
	file_string(text, sizeof(text), "/sys/../../../../../a");
	check_string(text, "");                 /* /sys is not there */
	tree_put("/sys/b", "");
	file_string(text, sizeof(text), "/sys/../../../../../a");
	check_string(text, "in");
	end();
}

test(relative_link_out_of_the_root_stays_inside)
{
	char text[16];

	start();
	tree_put("/etc/secret", "inside\n");
	tree_link("/sys/a", "../../../../../../../../etc/secret");
	tree_link("/sys/b", "../../../../../../../../proc/self/stat");
	file_string(text, sizeof(text), "/sys/a");
	check_string(text, "inside");
	check_equal(file_read("/sys/b", text, sizeof(text)), -ENOENT);
	end();
}

test(absolute_link_begins_at_the_root)
{
	char text[64];

	start();
	tree_put("/sys/firmware/devicetree/base/model", "board");
	tree_link("/proc/device-tree", "/sys/firmware/devicetree/base");
	file_string(text, sizeof(text), "/proc/device-tree/model");
	check_string(text, "board");
	check_equal(file_link(text, sizeof(text), "/proc/device-tree"), 29);
	check_string(text, "/sys/firmware/devicetree/base");
	end();
}

test(circle_of_links_is_minus_eloop)
{
	char text[16];

	start();
	tree_link("/a", "b");
	tree_link("/b", "a");
	check_equal(file_read("/a", text, sizeof(text)), -ELOOP);
	end();
}

test(links_that_grow_beyond_the_limit_are_refused)
{
	char target[401], path[420], text[16];

	memset(target, 'x', 400);
	target[400] = '\0';
	for (unsigned i = 1; i < 400; i += 2)
		target[i] = '/';
	start();
	tree_link("/a", target);
	snprintf(path, sizeof(path), "/a/%s", target);
	check_equal(file_read(path, text, sizeof(text)), -ENAMETOOLONG);
	end();
}

test(links_of_sysfs_are_canonical)
{
	char text[64];

	start();
	tree_put("/sys/devices/pci0/nvme0/nvme0n1/size", "8\n");
	tree_link("/sys/devices/pci0/nvme0/nvme0n1/device", "../../nvme0");
	tree_link("/sys/block/nvme0n1", "../devices/pci0/nvme0/nvme0n1");
	file_link(text, sizeof(text), "/sys/block/%s/device", "nvme0n1");
	check_string(text, "/sys/devices/pci0/nvme0");
	end();
}

test(number_is_read_and_others_are_refused)
{
	uint64_t number;

	start();
	tree_put("/good", "  42\n");
	tree_put("/bad", "42 kB\n");
	tree_put("/negative", "-1\n");
	check_equal(file_number(&number, "/good"), 0);
	check_equal(number, 42);
	check_equal(file_number(&number, "/bad"), -EINVAL);
	check_equal(file_number(&number, "/negative"), -EINVAL);
	check_equal(file_number(&number, "/absent"), -ENOENT);
	end();
}

static char seen[256];

static int note_name(const char *name, void *context)
{
	strcat(seen, name);
	strcat(seen, " ");
	return context && !strcmp(name, context) ? 7 : 0;
}

test(entries_come_with_their_numbers_in_order)
{
	start();
	tree_put("/cpu/cpu10", "");
	tree_put("/cpu/cpu2", "");
	tree_put("/cpu/cpu1", "");
	tree_put("/cpu/cpufreq", "");
	tree_put("/cpu/.hidden", "");
	*seen = '\0';
	check_equal(file_each("/cpu", note_name, NULL), 0);
	check_string(seen, ".hidden cpu1 cpu2 cpu10 cpufreq ");
	end();
}

test(entries_end_where_the_caller_says)
{
	start();
	tree_put("/cpu/cpu1", "");
	tree_put("/cpu/cpu2", "");
	*seen = '\0';
	check_equal(file_each("/cpu", note_name, "cpu1"), 7);
	check_string(seen, "cpu1 ");
	check_equal(file_each("/absent", note_name, NULL), -ENOENT);
	end();
}

static int note_line(char *line, void *context)
{
	return note_name(line, context);
}

test(lines_come_without_newline_the_last_one_too)
{
	start();
	tree_put("/lines", "one\n\ntwo\nthree");
	*seen = '\0';
	check_equal(file_each_line("/lines", note_line, NULL), 0);
	check_string(seen, "one  two three ");
	*seen = '\0';
	check_equal(file_each_line("/lines", note_line, "two"), 7);
	check_string(seen, "one  two ");
	end();
}

static int add_length(char *line, void *context)
{
	*(uint64_t *)context += strlen(line);
	return 0;
}

test(long_file_gives_every_line)
{
	static char content[100 * 1000 + 1];
	uint64_t total = 0;

	for (unsigned i = 0; i < 1000; i++) {
		memset(content + 100 * i, 'x', 99);
		content[100 * i + 99] = '\n';
	}
	start();
	tree_put("/long", content);
	check_equal(file_each_line("/long", add_length, &total), 0);
	check_equal(total, 99000);
	end();
}

test(line_beyond_the_limit_is_refused)
{
	static char content[MAX_LINE + 1];
	uint64_t total = 0;

	memset(content, 'x', MAX_LINE);
	start();
	tree_put("/long", content);
	check_equal(file_each_line("/long", add_length, &total), -EFBIG);
	end();
}

test(load_refuses_what_does_not_fit)
{
	char text[8];

	tree_start();
	tree_put("/board.json", "1234567");
	check_equal(file_load(tree_path("/board.json"), text, sizeof(text)), -EFBIG);
	tree_put("/board.json", "123456");
	check_equal(file_load(tree_path("/board.json"), text, sizeof(text)), 6);
	check_equal(file_load(tree, text, sizeof(text)), -EISDIR);
	tree_end();
}

/* ---- capture ---- */

static char copy[80];

static void start_capture(bool scrub)
{
	start();
	snprintf(copy, sizeof(copy), "%s-copy", tree);
	check_equal(sys_mkdir(copy, 0755), 0);
	check_equal(file_capture(copy, scrub), 0);
}

/* From here on what was captured is the root. */
static void use_capture(void)
{
	check_equal(file_capture(NULL, false), 0);
	check_equal(file_root(copy), 0);
}

static void end_capture(void)
{
	char command[128];

	end();
	snprintf(command, sizeof(command), "rm -rf '%s'", copy);
	check_equal(system(command), 0);
}

test(captured_tree_reads_the_same_through_its_links)
{
	char text[64];

	start_capture(false);
	tree_put("/sys/devices/pci0/nvme0/nvme0n1/size", "8\n");
	tree_link("/sys/devices/pci0/nvme0/nvme0n1/device", "../../nvme0");
	tree_put("/sys/devices/pci0/nvme0/model", "Example Drive   \n");
	tree_link("/sys/block/nvme0n1", "../devices/pci0/nvme0/nvme0n1");
	file_string(text, sizeof(text), "/sys/block/nvme0n1/device/model");
	use_capture();
	*text = '\0';
	check_equal(file_readf(text, sizeof(text), "/sys/block/nvme0n1/device/model"), 17);
	check_string(text, "Example Drive   \n");
	file_link(text, sizeof(text), "/sys/block/nvme0n1/device");
	check_string(text, "/sys/devices/pci0/nvme0");
	end_capture();
}

test(captured_folder_lists_the_same_names)
{
	start_capture(false);
	tree_put("/sys/class/net/bonding_masters", "");
	tree_link("/sys/class/net/eth0", "../../devices/eth0");
	tree_put("/sys/class/net/folder/x", "");
	*seen = '\0';
	file_each("/sys/class/net", note_name, NULL);
	use_capture();
	*seen = '\0';
	check_equal(file_each("/sys/class/net", note_name, NULL), 0);
	check_string(seen, "bonding_masters eth0 folder ");
	end_capture();
}

test(captured_link_leads_to_a_folder_never_read)
{
	char text[64];

	start_capture(false);
	tree_put("/sys/bus/pci/drivers/nvme/bind", "");
	tree_link("/sys/devices/nvme0/driver", "../../bus/pci/drivers/nvme");
	file_link(text, sizeof(text), "/sys/devices/nvme0/driver");
	use_capture();
	check(file_link(text, sizeof(text), "/sys/devices/nvme0/driver") > 0);
	check_string(text, "/sys/bus/pci/drivers/nvme");
	end_capture();
}

test(listed_file_gets_its_content_when_it_is_read)
{
	char text[64];

	start_capture(false);
	tree_put("/sys/hwmon/temp1_input", "45000\n");
	*seen = '\0';
	file_each("/sys/hwmon", note_name, NULL);
	file_string(text, sizeof(text), "/sys/hwmon/temp1_input");
	use_capture();
	file_string(text, sizeof(text), "/sys/hwmon/temp1_input");
	check_string(text, "45000");
	end_capture();
}

test(file_is_captured_whole_though_little_is_asked_for)
{
	char text[64], little[3];

	start_capture(false);
	tree_put("/proc/meminfo", "MemTotal: 1 kB\nMemFree: 1 kB\n");
	file_read("/proc/meminfo", little, sizeof(little));
	use_capture();
	check_equal(file_read("/proc/meminfo", text, sizeof(text)), 29);
	end_capture();
}

test(scrubbed_serials_keep_their_length_and_nothing_else)
{
	char text[64];

	start_capture(true);
	tree_put("/sys/block/nvme0n1/device/serial", "S4EWNX0R 123456\n");
	tree_put("/sys/block/nvme0n1/device/model", "S4EWNX0R\n");
	tree_put("/sys/block/mmcblk0/device/serial", "0x1234abcd\n");
	tree_put("/sys/class/net/eth0/address", "48:b0:2d:aa:bb:cc\n");
	tree_put("/proc/device-tree/chosen/nvidia,ether-mac0", "48:B0:2D:AA:BB:CC");
	file_string(text, sizeof(text), "/sys/block/nvme0n1/device/serial");
	check_string(text, "S4EWNX0R 123456"); /* only the copy is scrubbed */
	file_string(text, sizeof(text), "/sys/block/nvme0n1/device/model");
	file_string(text, sizeof(text), "/sys/block/mmcblk0/device/serial");
	file_string(text, sizeof(text), "/sys/class/net/eth0/address");
	file_string(text, sizeof(text), "/proc/device-tree/chosen/nvidia,ether-mac0");
	use_capture();
	file_string(text, sizeof(text), "/sys/block/nvme0n1/device/serial");
	check_string(text, "22222222 222222");
	file_string(text, sizeof(text), "/sys/block/nvme0n1/device/model");
	check_string(text, "S4EWNX0R");
	file_string(text, sizeof(text), "/sys/block/mmcblk0/device/serial");
	check_string(text, "0x22222222");
	file_string(text, sizeof(text), "/sys/class/net/eth0/address");
	check_string(text, "22:22:22:22:22:22");
	file_string(text, sizeof(text), "/proc/device-tree/chosen/nvidia,ether-mac0");
	check_string(text, "22:22:22:22:22:22");
	end_capture();
}

test(blank_address_stays_a_finding_when_scrubbed)
{
	char text[64];

	start_capture(true);
	tree_put("/sys/class/net/eth0/address", "00:00:00:00:00:00\n");
	tree_put("/proc/device-tree/chosen/nvidia,ether-mac0", "FF:FF:FF:FF:FF:FF");
	file_string(text, sizeof(text), "/sys/class/net/eth0/address");
	file_string(text, sizeof(text), "/proc/device-tree/chosen/nvidia,ether-mac0");
	use_capture();
	file_string(text, sizeof(text), "/sys/class/net/eth0/address");
	check_string(text, "00:00:00:00:00:00");
	file_string(text, sizeof(text), "/proc/device-tree/chosen/nvidia,ether-mac0");
	check_string(text, "FF:FF:FF:FF:FF:FF");
	end_capture();
}

test(scrubbed_page_80_keeps_its_header)
{
	static const char page[] = { 0, (char)0x80, 0, '0', 'A', 'B', ' ', '9' };
	char text[64];

	start_capture(true);
	tree_put_bytes("/sys/block/sda/device/vpd_pg80", page, sizeof(page));
	file_readf(text, sizeof(text), "/sys/block/sda/device/vpd_pg80");
	use_capture();
	check_equal(file_readf(text, sizeof(text), "/sys/block/sda/device/vpd_pg80"), 8);
	check(!memcmp(text, "\0\x80\0" "022 2", 8));
	end_capture();
}

test(fault_of_the_copy_is_told_at_its_end)
{
	char text[64], command[128];

	if (!access("/dev/full", W_OK)) {
		start_capture(false);
		tree_put("/a", "content");
		snprintf(command, sizeof(command), "%s/a", copy);
		check_equal(symlink("/dev/full", command), 0);
		file_string(text, sizeof(text), "/a");
		check_string(text, "content");
		check_equal(file_capture(NULL, false), -ENOSPC);
		end_capture();
	}
}
