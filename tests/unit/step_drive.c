#include <errno.h>

#include "identity.h"
#include "step/drive.h"
#include "sys/file.h"
#include "sys_tree.h"
#include "test.h"

static struct drive_health before, after;
static struct facts facts;

static int64_t number(const char *key)
{
	const struct fact *fact = fact_find(&facts, key);

	return fact ? fact->milli : VALUE_NONE;
}

static void clear(void)
{
	memset(&before, 0, sizeof before);
	memset(&after, 0, sizeof after);
	facts = (struct facts){ .count = 0 };
	health_clear(&before.health);
	health_clear(&after.health);
}

test(facts_are_differences_and_both_temperatures)
{
	clear();
	before.health.milli[HEALTH_MEDIA_ERRORS] = 3000;
	after.health.milli[HEALTH_MEDIA_ERRORS] = 5000;
	after.health.milli[HEALTH_ERROR_ENTRIES] = 5000;
	before.health.milli[HEALTH_AER_CORRECTABLE] = after.health.milli[HEALTH_AER_CORRECTABLE] = 9000;
	before.health.milli[HEALTH_UNSAFE_SHUTDOWNS] = after.health.milli[HEALTH_UNSAFE_SHUTDOWNS] = 0;
	before.health.milli[HEALTH_TEMPERATURE] = 40000;
	after.health.milli[HEALTH_TEMPERATURE] = 51000;
	after.nvme.mdts_bytes = 131072;
	after.queue.max_sectors_kb = 128;
	after.interrupts.lines = 1;
	before.interrupts.counts[1] = 10;
	after.interrupts.counts[1] = 40;
	drive_health_facts(&before, &after, &facts);
	check_equal(number("smart_media_errors"), 2000);
	check_equal(number("smart_error_entries"), VALUE_NONE);
	check_equal(number("smart_unsafe_shutdowns"), 0);
	check_equal(number("aer.correctable"), 0);
	check_equal(number("temperature_before"), 40000);
	check_equal(number("temperature_after"), 51000);
	check_equal(number("mdts_bytes"), 131072000);
	check_equal(number("max_sectors_kb"), 128000);
	check_equal(number("interrupts"), 30000);
	check_equal(number("interrupt_cpu"), 1000);
	check_equal(number("interrupt_share_ppm"), 1000000 * 1000ll);
}

test(what_is_not_told_adds_nothing)
{
	clear();
	drive_health_facts(&before, &after, &facts);
	check_equal(facts.count, 0);
	check_equal(facts.text_count, 0);
}

/* Behind the whole evidence of a point there must be room for it. */
test(a_drive_that_tells_all_adds_at_most_twenty_numbers)
{
	clear();
	for (unsigned i = 0; i < HEALTH_QUANTITIES; i++)
		before.health.milli[i] = after.health.milli[i] = 1000;
	after.nvme.mdts_bytes = after.queue.max_sectors_kb = after.queue.max_hw_sectors_kb = after.queue.nr_requests = 1;
	after.interrupts = (struct interrupts){ .lines = 1, .counts = { 1 } };
	drive_health_facts(&before, &after, &facts);
	check(facts.count <= 20);
}

static bool read_as(const char *bus)
{
	struct disk disk = { .name = "sda", .bus_path = "platform/3460000.mmc/mmc_host/mmc0/mmc0:0001" };

	strcpy(disk.bus, bus);
	return drive_health_read(&disk, &after);
}

test(a_disk_of_memory_or_of_a_host_tells_no_health_and_why)
{
	tree_start();
	file_root(tree);
	check(!read_as("virtio"));
	check_equal(after.error, -ENODATA);
	check_string(after.why, "bus virtio");
	check(!read_as("loop"));
	check(!read_as("nvme"));
	check_string(after.why, "simulated, there is no device behind it");
	file_root("");
	tree_end();
}

test(an_sd_card_is_not_asked_what_an_emmc_is)
{
	tree_start();
	file_root(tree);
	tree_put("/sys/block/sda/device/type", "SD\n");
	tree_put("/sys/block/sda/device/life_time", "0x01 0x01\n");
	check(!read_as("mmc"));
	check_string(after.why, "not an eMMC: an SD card tells none");
	tree_put("/sys/block/sda/device/type", "MMC\n");
	check(read_as("mmc"));
	check_equal(after.health.milli[HEALTH_LIFE_A], 100000 * 1000ll);
	unlink(tree_path("/sys/block/sda/device/life_time"));
	check(!read_as("mmc"));
	check_equal(after.error, -ENODATA);
	file_root("");
	tree_end();
}
