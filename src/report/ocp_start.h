/* ocp_start.h: the testRunStart of a record. */
#ifndef OCP_START_H
#define OCP_START_H

#include "lib/text.h"
#include "sink.h"

/* Adds the key testRunStart with its object to an object that is open. */
void ocp_start_add(struct text *line, const struct run_info *info);

#endif
