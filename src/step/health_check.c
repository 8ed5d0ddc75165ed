/* health_check.c: one function a kind of drive. */
#include "block/nvme.h"
#include "lib/text.h"
#include "step/health_check.h"

static bool is(const struct health *health, enum health_quantity quantity, int64_t number)
{
	return health->milli[quantity] == number * 1000;
}

static bool is_above(const struct health *health, enum health_quantity quantity, int64_t number)
{
	return health->milli[quantity] != VALUE_NONE && health->milli[quantity] > number * 1000;
}

/* Some drives and all emulated ones have no reserve to tell of: 0 % with a threshold of 0 %. */
static void check_spare(const struct health *health, bool told_low, identity_say *say, void *context)
{
	int64_t spare = health->milli[HEALTH_SPARE], threshold = health->milli[HEALTH_SPARE_THRESHOLD];

	if (threshold > 0 && (told_low || spare < threshold))
		say(context, EVENT_FAIL, "worn out: its spare blocks are below the drive's own threshold");
	else if (told_low)
		say(context, EVENT_WARN, "the drive says that its spare blocks are low, and tells no threshold");
}

static const struct { uint8_t bit, kind; char words[58]; } warnings[] = {
	{ NVME_TEMPERATURE, EVENT_WARN, "its temperature is beyond the drive's own thresholds" },
	{ NVME_DEGRADED, EVENT_FAIL, "the drive says that its reliability is degraded" },
	{ NVME_READ_ONLY, EVENT_FAIL, "the drive has put itself into read-only mode" },
	{ NVME_BACKUP_FAILED, EVENT_FAIL, "the backup of its volatile memory has failed" },
	{ NVME_PMR_FAILED, EVENT_WARN, "its persistent memory region is read-only or unreliable" },
};

static void check_nvme(const struct health *health, identity_say *say, void *context)
{
	unsigned bits = health->milli[HEALTH_CRITICAL_WARNING] == VALUE_NONE ? 0 : (unsigned)(health->milli[HEALTH_CRITICAL_WARNING] / 1000);

	check_spare(health, bits & NVME_SPARE_LOW, say, context);
	for (unsigned i = 0; i < COUNT_OF(warnings); i++)
		if (bits & warnings[i].bit)
			say(context, warnings[i].kind, warnings[i].words);
	if (is_above(health, HEALTH_USED, 1000000))
		say(context, EVENT_WARN, "used beyond its rated life (more than 100 %)");
}

/* 0 is good, 1 to 4, 8 and 9 are aborted ones. */
static void check_self_test(const struct health *health, identity_say *say, void *context)
{
	if (is(health, HEALTH_SELF_TEST, 5))
		say(context, EVENT_FAIL, "its last self-test ended in a fatal or unknown error");
	if (is(health, HEALTH_SELF_TEST, 6) || is(health, HEALTH_SELF_TEST, 7))
		say(context, EVENT_FAIL, "its last self-test found a segment that fails");
}

static void check_mmc(const struct health *health, identity_say *say, void *context)
{
	if (is_above(health, HEALTH_LIFE_A, 1000000) || is_above(health, HEALTH_LIFE_B, 1000000))
		say(context, EVENT_FAIL, "worn out: it is beyond its estimated life time");
	if (is(health, HEALTH_PRE_EOL, 3))
		say(context, EVENT_FAIL, "worn out: 90 % of its reserved blocks are used (pre_eol_info: urgent)");
	if (is(health, HEALTH_PRE_EOL, 2))
		say(context, EVENT_WARN, "80 % of its reserved blocks are used (pre_eol_info: warning)");
}

void health_check(const struct health *health, identity_say *say, void *context)
{
	check_nvme(health, say, context);
	check_self_test(health, say, context);
	check_mmc(health, say, context);
	if (is(health, HEALTH_SMART_STATUS, 1))
		say(context, EVENT_FAIL, "SMART: the drive expects to fail (a threshold is exceeded)");
}
