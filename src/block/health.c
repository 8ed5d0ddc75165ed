/* health.c: see health.h. */
#include "block/health.h"

const struct health_name health_names[HEALTH_QUANTITIES] = {
	[HEALTH_CRITICAL_WARNING] = { "critical_warning", "1", RISE_NOTHING },
	[HEALTH_SPARE] = { "spare", "ppm", RISE_NOTHING },
	[HEALTH_SPARE_THRESHOLD] = { "spare_threshold", "ppm", RISE_NOTHING },
	[HEALTH_USED] = { "used", "ppm", RISE_NOTHING },
	[HEALTH_MEDIA_ERRORS] = { "media_errors", "1", RISE_FAILS },
	[HEALTH_ERROR_ENTRIES] = { "error_entries", "1", RISE_TOLD },
	[HEALTH_UNSAFE_SHUTDOWNS] = { "unsafe_shutdowns", "1", RISE_WARNS },
	[HEALTH_POWER_ON] = { "power_on", "s", RISE_NOTHING },
	[HEALTH_TEMPERATURE] = { "temperature", "degC", RISE_NOTHING },
	[HEALTH_WRITTEN] = { "written", "B", RISE_TOLD },
	[HEALTH_READ] = { "read", "B", RISE_TOLD },
	[HEALTH_HOT] = { "hot", "s", RISE_WARNS },
	[HEALTH_THROTTLES] = { "throttles", "1", RISE_WARNS },
	[HEALTH_SELF_TEST] = { "self_test", "1", RISE_NOTHING },
	[HEALTH_LIFE_A] = { "life_time_a", "ppm", RISE_NOTHING },
	[HEALTH_LIFE_B] = { "life_time_b", "ppm", RISE_NOTHING },
	[HEALTH_PRE_EOL] = { "pre_eol", "1", RISE_NOTHING },
	[HEALTH_SMART_STATUS] = { "smart_status", "1", RISE_NOTHING },
	[HEALTH_LINK_SPEED] = { "link_speed", "T/s", RISE_NOTHING },
	[HEALTH_LINK_WIDTH] = { "link_width", "1", RISE_NOTHING },
	[HEALTH_AER_CORRECTABLE] = { "aer.correctable", "1", RISE_WARNS },
	[HEALTH_AER_NONFATAL] = { "aer.nonfatal", "1", RISE_FAILS },
	[HEALTH_AER_FATAL] = { "aer.fatal", "1", RISE_FAILS },
};

void health_clear(struct health *health)
{
	for (unsigned i = 0; i < HEALTH_QUANTITIES; i++)
		health->milli[i] = VALUE_NONE;
}

void health_add(struct health *health, enum health_quantity quantity, uint64_t count, uint64_t worth)
{
	int64_t *milli = &health->milli[quantity], more;

	if (__builtin_mul_overflow(worth, 1000u, &worth) || __builtin_mul_overflow(count, worth, &more) ||
	    __builtin_add_overflow(*milli == VALUE_NONE ? 0 : *milli, more, milli))
		*milli = HEALTH_BEYOND;
}

static bool is_told(int64_t milli)
{
	return milli != VALUE_NONE && milli != HEALTH_BEYOND;
}

int64_t health_difference(const struct health *before, const struct health *after, enum health_quantity quantity)
{
	int64_t from = before->milli[quantity], to = after->milli[quantity];

	return is_told(from) && is_told(to) ? to - from : VALUE_NONE;
}

uint64_t health_number(const uint8_t *at, unsigned bytes)
{
	uint64_t number = 0;

	while (bytes > 8)
		if (at[--bytes])
			return UINT64_MAX;
	while (bytes)
		number = number << 8 | at[--bytes];
	return number;
}
