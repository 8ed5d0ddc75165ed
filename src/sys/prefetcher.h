/*
 * prefetcher.h: the hardware prefetchers of a CPU, which hide latency from a chase: off where the CPU lets us, and put back by the guardian.
 *
 * Intel: MSR 0x1a4, bits 0-3, 1 = off, by /dev/cpu/N/msr (Intel's disclosure of hardware prefetcher control); other CPUs have no such way.
 * Two threads of a core have it in common.
 */
#ifndef PREFETCHER_H
#define PREFETCHER_H

/* 0: they are off on that CPU from here on; -ENOTSUP: no way on such a CPU; or -errno (-EPERM: locked down, -ENOENT: no msr driver, -EIO:
 * refused).  `how` gets words for the evidence, whatever comes: "off by MSR 0x1a4", "on: no way to switch them off on this CPU; the order is
 * random".  From the first thread only. */
int prefetcher_off(unsigned cpu, char *how, unsigned how_size);
/* Back to what they were; what cannot be put back the guardian tries when the step is over. */
void prefetcher_restore(unsigned cpu);

/* ---- of sys/x86_64/, for the unit tests: the same by a file in place of /dev/cpu/N/msr, on whatever CPU this is ---- */
int prefetcher_off_by(const char *msr, unsigned cpu, char *how, unsigned how_size);
void prefetcher_restore_by(const char *msr, unsigned cpu);

#endif
