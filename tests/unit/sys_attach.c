#include <errno.h>

#include "sys/attach.h"
#include "sys/file.h"
#include "sys_tree.h"
#include "test.h"

#define PORT "/sys/devices/pci0000:00/0000:00:1c.0"
#define DRIVE PORT "/0000:01:00.0"

static const struct disk disk = { .name = "nvme0n1", .bus = "nvme", .bus_path = "pci0000:00/0000:00:1c.0/0000:01:00.0/nvme/nvme0" };
static struct queue queue;
static uint64_t drive, port;

static void start(void)
{
	tree_start();
	file_root(tree);
	tree_put(DRIVE "/current_link_speed", "8.0 GT/s PCIe\n");
	tree_put(DRIVE "/current_link_width", "4\n");
	tree_put(DRIVE "/max_link_speed", "16.0 GT/s PCIe\n");
	tree_put(DRIVE "/max_link_width", "4\n");
	tree_put(DRIVE "/nvme/nvme0/model", "X\n");
}

static void end(void)
{
	file_root("");
	tree_end();
}

test(a_total_stands_behind_names_that_have_spaces)
{
	uint64_t total = 0;

	check_equal(attach_parse_errors("Receiver Error 2\nBad TLP 3\nRELAY_NUM Rollover 0\nTOTAL_ERR_COR 5\n", &total), 0);
	check_equal(total, 5);
	check_equal(attach_parse_errors("Undefined 0\n", &total), -EINVAL);
	check_equal(attach_parse_errors("TOTAL_ERR_FATAL\n", &total), -EINVAL);
	check_equal(attach_parse_errors("TOTAL_ERR_FATAL x\n", &total), -EINVAL);
}

test(the_choice_is_the_word_in_brackets)
{
	char word[8];

	attach_parse_choice("mq-deadline [none] bfq", word, sizeof word);
	check_string(word, "none");
	attach_parse_choice("none", word, sizeof word);
	check_string(word, "none");
	attach_parse_choice("[unclosed", word, sizeof word);
	check_string(word, "[unclos");
}

test(errors_of_both_ends_are_told_apart)
{
	start();
	tree_put(DRIVE "/aer_dev_correctable", "RxErr 1\nTOTAL_ERR_COR 1\n");
	tree_put(PORT "/aer_dev_correctable", "RxErr 4\nTOTAL_ERR_COR 4\n");
	tree_put(PORT "/aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 2\n");
	check_equal(attach_errors(&disk, AER_CORRECTABLE, &drive, &port), 0);
	check_equal(drive, 1);
	check_equal(port, 4);
	check_equal(attach_errors(&disk, AER_FATAL, &drive, &port), 0);
	check_equal(drive, 0);
	check_equal(port, 2);
	check_equal(attach_errors(&disk, AER_NONFATAL, &drive, &port), -ENOENT);
	end();
}

test(queue_and_link_are_read_and_what_is_not_there_is_empty)
{
	start();
	tree_put("/sys/block/nvme0n1/queue/max_sectors_kb", "512\n");
	tree_put("/sys/block/nvme0n1/queue/scheduler", "[none] mq-deadline \n");
	tree_put("/sys/block/nvme0n1/queue/write_cache", "write through\n");
	tree_put(DRIVE "/numa_node", "-1\n");
	tree_put("/sys/module/pcie_aspm/parameters/policy", "[default] performance powersave\n");
	attach_read(&disk, &queue);
	check_equal(queue.max_sectors_kb, 512);
	check_equal(queue.nr_requests, 0);
	check_equal(queue.numa_node, -1);
	check_string(queue.scheduler, "none");
	check_string(queue.write_cache, "write through");
	check_string(queue.aspm, "default");
	check_string(queue.link, "8.0 GT/s PCIe x4, at most 16.0 GT/s PCIe x4");
	check_string(queue.port_link, "");
	check_equal(queue.link_milli_gt, 8000);
	check_equal(queue.link_width, 4);
	tree_put(DRIVE "/numa_node", "1\n");
	tree_put(DRIVE "/current_link_speed", "Unknown\n");
	attach_read(&disk, &queue);
	check_equal(queue.numa_node, 1);
	check_equal(queue.link_milli_gt, 0);
	end();
}
