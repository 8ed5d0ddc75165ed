#include "block/nvme.h"
#include "test.h"

static uint8_t page[NVME_PAGE_BYTES];
static struct health health;
static struct nvme_drive drive;
static struct nvme_self_test self_test;

static void start(void)
{
	memset(page, 0, sizeof page);
	health_clear(&health);
	memset(&drive, 0, sizeof drive);
}

static void put(unsigned at, const char *bytes, unsigned count)
{
	memcpy(page + at, bytes, count);
}

test(a_number_of_sixteen_bytes_is_little_endian_and_saturates)
{
	uint8_t bytes[16] = { 1, 2, [7] = 0x80 };

	check_equal(health_number(bytes, 2), 0x201);
	check_equal(health_number(bytes, 16), (int64_t)0x8000000000000201);
	bytes[15] = 1;
	check_equal(health_number(bytes, 16), (int64_t)UINT64_MAX);
}

test(smart_tells_each_quantity_in_its_unit)
{
	start();
	put(0, "\x05\x43\x01\x5a\x0a\x03", 6);      /* bits 0 and 2, 323 K, 90 %, threshold 10 %, 3 % */
	put(32, "\x02\x01", 2);                     /* 258 units read */
	put(48, "\x64", 1);
	put(128, "\x0a", 1);
	put(144, "\x07", 1);
	put(160, "\x09", 1);
	put(176, "\x11\x01", 2);
	nvme_smart_parse(page, &health);
	check_equal(health.milli[HEALTH_CRITICAL_WARNING], 5000);
	check_equal(health.milli[HEALTH_TEMPERATURE], 49850);
	check_equal(health.milli[HEALTH_SPARE], 900000 * 1000ll);
	check_equal(health.milli[HEALTH_SPARE_THRESHOLD], 100000 * 1000ll);
	check_equal(health.milli[HEALTH_USED], 30000 * 1000ll);
	check_equal(health.milli[HEALTH_READ], 258 * 512000 * 1000ll);
	check_equal(health.milli[HEALTH_WRITTEN], 100 * 512000 * 1000ll);
	check_equal(health.milli[HEALTH_POWER_ON], 36000 * 1000ll);
	check_equal(health.milli[HEALTH_UNSAFE_SHUTDOWNS], 7000);
	check_equal(health.milli[HEALTH_MEDIA_ERRORS], 9000);
	check_equal(health.milli[HEALTH_ERROR_ENTRIES], 273000);
	check_equal(health.milli[HEALTH_SMART_STATUS], VALUE_NONE);
	check_equal(health.milli[HEALTH_SELF_TEST], VALUE_NONE);
}

test(hot_minutes_and_throttles_of_both_levels_are_added_up)
{
	start();
	put(192, "\x02\0\0\0\x03", 5);
	put(216, "\x04\0\0\0\x05", 5);
	nvme_smart_parse(page, &health);
	check_equal(health.milli[HEALTH_HOT], 300 * 1000);
	check_equal(health.milli[HEALTH_THROTTLES], 9000);
}

test(no_temperature_is_not_absolute_zero)
{
	start();
	nvme_smart_parse(page, &health);
	check_equal(health.milli[HEALTH_TEMPERATURE], VALUE_NONE);
	check_equal(health.milli[HEALTH_MEDIA_ERRORS], 0);
}

test(what_a_figure_cannot_hold_is_beyond_and_gives_no_difference)
{
	struct health before;

	start();
	nvme_smart_parse(page, &health);
	before = health;
	put(48, "\0\0\0\0\0\0\0\0\x01", 9);         /* 2^64 units */
	health_clear(&health);
	nvme_smart_parse(page, &health);
	check_equal(health.milli[HEALTH_WRITTEN], HEALTH_BEYOND);
	check_equal(health_difference(&before, &health, HEALTH_WRITTEN), VALUE_NONE);
	check_equal(health_difference(&before, &health, HEALTH_READ), 0);
	check_equal(health_difference(&before, &health, HEALTH_SELF_TEST), VALUE_NONE);
}

test(identify_tells_names_trimmed_and_limits)
{
	start();
	put(4, "SN01                ", 20);
	put(24, "A drive                                 ", 40);
	put(64, "1.0.2   ", 8);
	page[77] = 5;
	page[256] = 0x10;
	put(266, "\x57\x01", 2);                     /* 343 K */
	nvme_controller_parse(page, &drive);
	check_string(drive.serial, "SN01");
	check_string(drive.model, "A drive");
	check_string(drive.firmware, "1.0.2");
	check_equal(drive.mdts_bytes, 128 << 10);
	check(drive.has_self_test);
	check_equal(drive.warning_milli, 69850);
}

test(without_a_limit_a_transfer_has_none)
{
	start();
	nvme_controller_parse(page, &drive);
	check_equal(drive.mdts_bytes, 0);
	check(!drive.has_self_test);
	check_equal(drive.warning_milli, VALUE_NONE);
}

test(a_namespace_tells_the_format_in_use)
{
	start();
	put(8, "\0\x10", 2);
	put(16, "\x03", 1);
	page[26] = 0x21;                            /* format 17: 1 and bit 5 */
	put(128 + 4 * 17, "\x08\0\x0c", 3);         /* 8 bytes of metadata, 4096 B */
	nvme_namespace_parse(page, &drive);
	check_equal(drive.capacity_blocks, 4096);
	check_equal(drive.used_blocks, 3);
	check_equal(drive.block_bytes, 4096);
	check_equal(drive.metadata_bytes, 8);
}

test(the_newest_self_test_comes_first)
{
	start();
	put(0, "\x01\xa8", 2);                      /* a short one runs, at 40 % (its top bit is reserved) */
	put(4, "\x27\x01\0\0\x2a\x01", 6);          /* an extended one that failed, after 298 hours */
	put(32, "\x10", 1);
	nvme_self_test_parse(page, &self_test);
	check_equal(self_test.running, 1);
	check_equal(self_test.percent, 40);
	check_equal(self_test.result, 7);
	check_equal(self_test.code, 2);
	check_equal(self_test.hours, 298);
}

test(a_log_without_a_self_test_says_never)
{
	start();
	put(4, "\x0f", 1);
	nvme_self_test_parse(page, &self_test);
	check_equal(self_test.running, 0);
	check_equal(self_test.result, NVME_NEVER);
}
