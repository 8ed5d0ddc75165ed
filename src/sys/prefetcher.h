/*
 * prefetcher.h: the hardware prefetchers of a CPU, which hide latency from a chase: off where the CPU lets us, and put back by the guardian.
 *
 * Intel: MSR 0x1a4, bits 0-3, 1 = off, by /dev/cpu/N/msr (Intel's disclosure of hardware prefetcher control); other CPUs have no such way.
 */
#ifndef PREFETCHER_H
#define PREFETCHER_H

/* 0: they are off on that CPU from here on; -ENOTSUP: no way on such a CPU; or -errno (-EPERM: locked down, -ENOENT: no msr driver).
 * `how` gets words for the evidence, whatever comes: "off by MSR 0x1a4", "on (no way to switch them off here); the order is random". */
int prefetcher_off(unsigned cpu, char *how, unsigned how_size);
/* Back to what they were; what cannot be put back the guardian tries at the end. */
void prefetcher_restore(unsigned cpu);

#endif
