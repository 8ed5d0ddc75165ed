/* scope.h: which step brings a metric. */
#ifndef SCOPE_H
#define SCOPE_H

#include "step.h"

/*
 * Is a step that should bring this metric among steps?  By the longest step name that begins it (block.read of
 * block.read.iops[...]); for families that several steps share (net.cpu, msg.latency) by the domain before the dot.
 */
/* Is there a step in the whole sequence that could bring it?  A limit on anything else is a slip of the pen. */
bool scope_known(const char *metric);

bool scope_selected(const struct step *const *steps, unsigned count, const char *metric);

#endif
