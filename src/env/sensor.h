/*
 * sensor.h: the value of one clock, counter or temperature that a board file names, wherever this kernel has put it.
 */
#ifndef SENSOR_H
#define SENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "board.h"

/*
 * The number in the sensor's file, in the file's own unit (temperatures: thousandths of a degree); where several files
 * match, their sum.  0; -ERANGE where that does not fit; -EAGAIN while the part behind it is off; -ENOENT when this kernel does not have it; -EINVAL when
 * it is no number (a list of rates).  Labels (rails) are not looked up: -ENOENT.
 */
int sensor_read(const struct sensor *sensor, int64_t *value);

/* Is number one of the words of the sensor's file (a table of rates)?  1, 0, or -errno. */
int sensor_lists(const struct sensor *sensor, uint64_t number);

/* Does name fit a pattern in which * stands for any part?  One * at most.  Without case. */
bool sensor_fits(const char *pattern, const char *name);

#endif
