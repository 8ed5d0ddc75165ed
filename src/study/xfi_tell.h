/*
 * xfi_tell.h: what the study xfi says: its cells as figures and as the study's own table, the effects, the sentences and the claims.
 *
 *     study.xfi.{throughput bit/s, cpu0 ppm, busiest ppm, levels 1, low ppm, cpu_clock Hz, emc_clock Hz} [display,emc,cpufreq,cpuidle,load,direction]
 *         of a cell: the median of its runs; busiest: the CPU with the least rest; levels, low: steadiness as net.steady's
 *     study.xfi.effect bit/s [direction,factor,from,to]      direction: both, tx, rx; factor also `clocks`: all of them together
 *     study.xfi.interaction bit/s [direction,factors]        "emc+load": (both - one) - (other - neither)
 *     study.xfi.share ppm [direction,factor]                 of all variation; "unexplained": what runs of one cell differ by
 */
#ifndef XFI_TELL_H
#define XFI_TELL_H

#include "step/net_point.h"
#include "study/xfi.h"
#include "sys/display.h"

extern const char xfi_metric[]; /* study.xfi.throughput */

void xfi_points(const struct xfi_design *design, const struct xfi_cell *cell, struct point points[MAX_POINTS]);
/* last: the last run of all, for what does not change; display: what it was at first. */
void xfi_tell(struct ctx *ctx, const struct xfi_design *design, const struct xfi_readings *readings, const struct net_measured *last, enum display display);

#endif
