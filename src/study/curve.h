/*
 * curve.h: what a study says of its readings as a whole: the maximum, the knee, the ratio to the device's own limit, what limits it.
 */
#ifndef CURVE_H
#define CURVE_H

#include "step.h"
#include "step/device.h"
#include "study/claims.h"
#include "study/limiter.h"
#include "study/reading.h"

/*
 * study.NAME.{maximum B/s, knee B, knee_inflight B, ratio ppm}[role], each with the sentence's word and how the kernel cuts
 * requests up as evidence, and the sentence as a log line.  knee: the smallest block, one at a time, that reaches 95 % of the most that
 * one at a time does; knee_inflight: the same in bytes in flight.  The ratio only where the device's own limit is known.
 */
void curve_tell(struct ctx *ctx, const char *study, const struct device *device, const struct readings *readings, const struct own_limit *own);

/* The finding as a claim of that name, "edge-nvme.a". */
void curve_claim(struct ctx *ctx, const char *name, const char *words, const struct finding *finding);

/* What the device can do by itself: its link or bus. */
struct own_limit curve_own_limit(const struct device *device);

#endif
