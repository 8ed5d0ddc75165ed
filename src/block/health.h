/*
 * health.h: what a drive tells of its own state, whatever its bus: one number a quantity, in thousandths of its unit.
 *
 * What nobody told is VALUE_NONE; what is told and goes beyond a figure's range is HEALTH_BEYOND.
 */
#ifndef HEALTH_H
#define HEALTH_H

#include <stdint.h>

#include "event.h"

enum health_quantity {
	HEALTH_CRITICAL_WARNING, /* NVMe's bits */
	HEALTH_SPARE, HEALTH_SPARE_THRESHOLD, HEALTH_USED, /* used may be above 100 % */
	HEALTH_MEDIA_ERRORS, HEALTH_ERROR_ENTRIES, HEALTH_UNSAFE_SHUTDOWNS,
	HEALTH_POWER_ON, HEALTH_TEMPERATURE,
	HEALTH_WRITTEN, HEALTH_READ, /* by the host */
	HEALTH_HOT,              /* time at or above the drive's own warning temperature */
	HEALTH_THROTTLES,        /* how often the drive slowed itself for its heat */
	HEALTH_SELF_TEST,        /* result of the newest: 0 good, 5 to 7 failed, 1 to 4, 8, 9 aborted */
	HEALTH_LIFE_A, HEALTH_LIFE_B, /* eMMC: the end of the tenth of its life that it is in; 1100000 is beyond its life */
	HEALTH_PRE_EOL,          /* eMMC: 1 normal, 2 80 % of the reserved blocks used, 3 90 % */
	HEALTH_SMART_STATUS,     /* ATA: 0 good, 1 a threshold is exceeded */
	HEALTH_LINK_SPEED, HEALTH_LINK_WIDTH,
	HEALTH_AER_CORRECTABLE, HEALTH_AER_NONFATAL, HEALTH_AER_FATAL, /* of both ends together */
	HEALTH_QUANTITIES
};

#define HEALTH_BEYOND INT64_MAX

/* What it means when a quantity rose during a run. */
enum health_rise { RISE_NOTHING, RISE_TOLD, RISE_WARNS, RISE_FAILS };

struct health { int64_t milli[HEALTH_QUANTITIES]; };

struct health_name { char name[18], unit[5]; uint8_t rise; /* enum health_rise */ };
extern const struct health_name health_names[HEALTH_QUANTITIES];

void health_clear(struct health *health); /* nothing is told */

/* count units of `worth` each, added to what is told already. */
void health_add(struct health *health, enum health_quantity quantity, uint64_t count, uint64_t worth);

/* after - before; VALUE_NONE where either is not told, or beyond. */
int64_t health_difference(const struct health *before, const struct health *after, enum health_quantity quantity);

/* A little-endian number of up to 16 bytes, UINT64_MAX where it does not fit. */
uint64_t health_number(const uint8_t *at, unsigned bytes);

#endif
