/*
 * snapshot.h: what else a machine does and how it is set, read once from /proc and /sys.  What is not told is absent.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot {
	bool has_load, has_memory, has_uptime, has_processes;
	int64_t load_milli;         /* of one minute */
	int64_t uptime_milli;       /* seconds */
	uint64_t available_bytes;
	uint64_t running, processes;
	char clocksource[32];
	char huge_pages[48];        /* transparent_hugepage/enabled */
	char idle_driver[32];
	char aspm[48];              /* pcie_aspm policy */
};

/* How many of the four kinds of figures could be read. */
unsigned snapshot_read(struct snapshot *snapshot);

/* ---- pure, for the unit tests ---- */
/* "0.20 0.06 0.02 1/93 7884": load of one minute, running and all scheduling entities.  0 or -EINVAL. */
int snapshot_parse_load(const char *loadavg, struct snapshot *snapshot);
/* The number of bytes behind `key` ("MemAvailable:") in /proc/meminfo.  0 or -EINVAL. */
int snapshot_parse_memory(const char *meminfo, const char *key, uint64_t *bytes);

/* One setting of cpufreq: governor and range. */
struct governor { char name[24]; uint64_t min_hz, max_hz; };
/* 0, or -ENOENT when the CPU has none. */
int snapshot_governor(unsigned cpu, struct governor *governor);

#endif
