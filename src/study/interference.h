/*
 * interference.h: what study.interference makes of its rates: losses, and its two claims.  Pure.
 *
 * A loss is 1 - (rate beside another) / (rate alone in the same round), in thousandths of ppm; below 0 where it was quicker.
 */
#ifndef STUDY_INTERFERENCE_H
#define STUDY_INTERFERENCE_H

#include "stat/summary.h"
#include "study/claims.h"

/* VALUE_NONE when one of the rates is missing, or alone is not above 0. */
int64_t interference_loss_milli(int64_t alone_milli, int64_t beside_milli);

/* "storage loses 12.3 % (10.1 to 14.2) beside memory"; "storage beside memory: not measured" */
void interference_add_loss(struct text *text, const char *load, const char *beside, const struct summary *losses);

/*
 * Of the losses of storage beside memory, and of memory beside storage.  shared: why a loss may be one of CPU time; NULL: it cannot be.
 * SUPPORTED where an interval is clear of 0, REFUTED where both are below what counts (1 %).
 */
struct finding claim_ssd_and_dram(const struct summary *storage, const struct summary *memory, const char *shared);

/* Of the loss of the network beside memory: over loopback it is not comparable, yet told. */
struct finding claim_10gbe(const struct summary *network, const char *shared);

#endif
