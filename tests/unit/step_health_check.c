#include "block/nvme.h"
#include "lib/text.h"
#include "step/health_check.h"
#include "test.h"

static struct health health;
static unsigned fails, warns;
static char last[MAX_MESSAGE];

static void note(void *context, enum event_kind kind, const char *message)
{
	(void)context;
	fails += kind == EVENT_FAIL;
	warns += kind == EVENT_WARN;
	text_copy(last, sizeof last, message);
}

/* A good NVMe drive: nothing is wrong with it. */
static void good(void)
{
	health_clear(&health);
	health.milli[HEALTH_CRITICAL_WARNING] = 0;
	health.milli[HEALTH_SPARE] = 1000000 * 1000ll;
	health.milli[HEALTH_SPARE_THRESHOLD] = 100000 * 1000ll;
	health.milli[HEALTH_USED] = 30000 * 1000ll;
	health.milli[HEALTH_MEDIA_ERRORS] = 7000;
	health.milli[HEALTH_SELF_TEST] = 0;
}

static void judge(void)
{
	fails = warns = 0;
	last[0] = '\0';
	health_check(&health, note, NULL);
}

#define check_found(fail_count, warn_count) do { judge(); check_equal(fails, fail_count); check_equal(warns, warn_count); } while (0)

test(a_good_drive_and_one_that_tells_nothing_are_left_alone)
{
	good();
	check_found(0, 0);
	health_clear(&health);
	check_found(0, 0);
}

test(an_emulated_drive_without_reserve_or_threshold_is_good)
{
	good();
	health.milli[HEALTH_SPARE] = health.milli[HEALTH_SPARE_THRESHOLD] = 0;
	check_found(0, 0);
}

test(spare_below_the_drives_threshold_fails)
{
	good();
	health.milli[HEALTH_SPARE] = 90000 * 1000ll;
	check_found(1, 0);
	health.milli[HEALTH_CRITICAL_WARNING] = NVME_SPARE_LOW * 1000;
	check_found(1, 0);
	check(strstr(last, "spare"));
}

test(the_spare_bit_without_a_threshold_warns)
{
	good();
	health.milli[HEALTH_SPARE_THRESHOLD] = 0;
	health.milli[HEALTH_CRITICAL_WARNING] = NVME_SPARE_LOW * 1000;
	check_found(0, 1);
}

test(degraded_read_only_and_a_failed_backup_fail_and_are_all_told)
{
	good();
	health.milli[HEALTH_CRITICAL_WARNING] = (NVME_DEGRADED | NVME_READ_ONLY | NVME_BACKUP_FAILED) * 1000;
	check_found(3, 0);
}

test(heat_and_the_memory_region_warn)
{
	good();
	health.milli[HEALTH_CRITICAL_WARNING] = NVME_TEMPERATURE * 1000;
	check_found(0, 1);
	check(strstr(last, "temperature"));
	health.milli[HEALTH_CRITICAL_WARNING] = NVME_PMR_FAILED * 1000;
	check_found(0, 1);
}

test(used_beyond_its_life_warns_from_101_per_cent_on)
{
	good();
	health.milli[HEALTH_USED] = 1000000 * 1000ll;
	check_found(0, 0);
	health.milli[HEALTH_USED] = 1010000 * 1000ll;
	check_found(0, 1);
}

test(only_a_self_test_that_failed_fails)
{
	good();
	for (int result = 0; result < 15; result++) {
		health.milli[HEALTH_SELF_TEST] = result * 1000;
		check_found(result >= 5 && result <= 7, 0);
	}
}

test(a_worn_emmc_fails_and_one_that_wears_warns)
{
	health_clear(&health);
	health.milli[HEALTH_LIFE_A] = health.milli[HEALTH_LIFE_B] = 1000000 * 1000ll;
	health.milli[HEALTH_PRE_EOL] = 1000;
	check_found(0, 0);
	health.milli[HEALTH_PRE_EOL] = 2000;
	check_found(0, 1);
	health.milli[HEALTH_PRE_EOL] = 3000;
	check_found(1, 0);
	health.milli[HEALTH_LIFE_B] = 1100000 * 1000ll;
	check_found(2, 0);
}

test(an_ata_drive_that_expects_to_fail_fails)
{
	health_clear(&health);
	health.milli[HEALTH_SMART_STATUS] = 0;
	check_found(0, 0);
	health.milli[HEALTH_SMART_STATUS] = 1000;
	check_found(1, 0);
}
