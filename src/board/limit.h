/* limit.h: the limits of a board file, by whole metric name. */
#ifndef LIMIT_H
#define LIMIT_H

#include "board.h"
#include "board/fields.h"

/* A FIELD_READ reader of the object "limits" into a struct board. */
int limit_read_all(const struct reader *reader, int token, void *board);

/* Is it `name[key=value,...]` or a bare name?  NULL, or what is wrong with it. */
const char *limit_metric_fault(const char *metric);

#endif
