/* health_check.h: which of the numbers that a drive tells of itself speak against it.  Pure: no device is touched. */
#ifndef HEALTH_CHECK_H
#define HEALTH_CHECK_H

#include "block/health.h"
#include "step/identity_check.h"

/* Of one reading: EVENT_FAIL for a drive that is failing or worn out, EVENT_WARN for what a human should look at. */
void health_check(const struct health *health, identity_say *say, void *context);

#endif
