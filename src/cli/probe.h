/* probe.h: the half of `assay probe` that knows board files.  To standard output. */
#ifndef PROBE_H
#define PROBE_H

#include "board.h"
#include "identity.h"

/* A line: does this board file fit, and why. */
void probe_fit(const struct board *board, const struct identity *identity);

/* The SKU, the software stack, which device plays which role, and all sensors of the stack that can be read. */
void probe_board(const struct board *board, const struct identity *identity);

#endif
