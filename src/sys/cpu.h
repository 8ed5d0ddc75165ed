/*
 * cpu.h: which CPUs there are, what they can do, and running on one of them.
 *
 * CPU numbers may have holes (0-3,8-11): they always come from the affinity mask, never from counting.
 */
#ifndef CPU_H
#define CPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capacity.h"

struct cpu_list {
	unsigned count;
	uint16_t cpus[MAX_CPUS];
};

void cpu_allowed(struct cpu_list *list);              /* the affinity mask of this process before the first cpu_pin; below MAX_CPUS */
int cpu_pin(unsigned cpu);                            /* this thread; checked by reading back: 0 or -errno */
int cpu_pin_all(const struct cpu_list *list);         /* back to all of them */
int cpu_current(void);
int cpu_node(unsigned cpu);                           /* NUMA node; 0 when unknown */
uint64_t cpu_frequency_hz(unsigned cpu);              /* cpufreq; 0 when not told */
uint64_t cpu_throttle_count(void);                    /* sum of all throttle counters; 0 when none are told */
uint64_t cpu_cache_bytes(unsigned level);             /* of data or unified cache, cpu0, sysfs; 0 when not told */
uint64_t cpu_cache_bytes_of(unsigned cpu, unsigned level); /* the same of another CPU */
bool cpu_is_online(unsigned cpu);                     /* as sysfs tells; true where it does not */
void cpu_model(char *to, unsigned size);              /* "" when not told */
/* Of the kernel's notation "0-3,8-11": how many CPUs, and whether cpu is one. */
unsigned cpu_list_count(const char *list);
bool cpu_list_has(const char *list, unsigned cpu);

/* ---- of sys/<arch>/cpu_arch.c ---- */
enum { CPU_AVX2 = 1, CPU_AVX512 = 2, CPU_NEON = 4, CPU_CRC32 = 8, CPU_ZVA = 16 /* DC ZVA, of at most 512 bytes */ };
unsigned cpu_features(void);                          /* usable here and now: CPU and OS both */
uint64_t cpu_counter(void);                           /* TSC, CNTVCT */
const char *cpu_counter_name(void);                   /* "tsc", "cntvct" */
bool cpu_counter_invariant(void);
uint64_t cpu_counter_hz(void);                        /* as the hardware tells it; 0: measure */
void cpu_relax(void);                                 /* pause, yield */
const char *cpu_emulator(void);                       /* that shows by the CPU or the board: "qemu tcg", "qemu"; "": none does */
/* lib/crc32c.h's by the CPU's own instruction, of whole words of 8 bytes; only with CPU_CRC32. */
uint32_t cpu_crc32c(uint32_t crc, const void *words, size_t bytes);

/* True: this process was started under a real-time policy, and is under the ordinary one from here on.  Threads that measure never rest:
 * under such a policy nobody would get a turn to stop them. */
bool cpu_leave_real_time(void);

/* A thread with a stack of 256 KiB: 0 or -errno. */
int thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
