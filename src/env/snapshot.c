/* snapshot.c: see its header. */
#include <errno.h>
#include <string.h>

#include "capacity.h"
#include "env/snapshot.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/file.h"

int snapshot_parse_load(const char *loadavg, struct snapshot *snapshot)
{
	char entities[24];
	struct text copy = TEXT(entities);
	const char *at = loadavg;
	char *slash;

	if (number_parse_milli(loadavg, strcspn(loadavg, " "), &snapshot->load_milli))
		return -EINVAL;
	for (unsigned i = 0; i < 3; i++) {
		at = strchr(at, ' ');
		if (!at)
			return -EINVAL;
		at++;
	}
	text_add_bytes(&copy, at, strcspn(at, " \n"));
	slash = strchr(entities, '/');
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	return number_parse(entities, &snapshot->running) || number_parse(slash + 1, &snapshot->processes) ? -EINVAL : 0;
}

int snapshot_parse_memory(const char *meminfo, const char *key, uint64_t *bytes)
{
	const char *at = meminfo;
	size_t length = strlen(key);
	char digits[24];
	struct text copy = TEXT(digits);

	while (at && strncmp(at, key, length)) {
		at = strchr(at, '\n');
		at += at != NULL;
	}
	if (!at)
		return -EINVAL;
	at += length + strspn(at + length, " ");
	text_add_bytes(&copy, at, strspn(at, "0123456789"));
	return number_parse(digits, bytes) || __builtin_mul_overflow(*bytes, KIB, bytes) ? -EINVAL : 0;
}

static void read_settings(struct snapshot *snapshot)
{
	file_string(snapshot->clocksource, sizeof snapshot->clocksource,
	            "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	file_string(snapshot->huge_pages, sizeof snapshot->huge_pages, "/sys/kernel/mm/transparent_hugepage/enabled");
	file_string(snapshot->idle_driver, sizeof snapshot->idle_driver, "/sys/devices/system/cpu/cpuidle/current_driver");
	file_string(snapshot->aspm, sizeof snapshot->aspm, "/sys/module/pcie_aspm/parameters/policy");
}

unsigned snapshot_read(struct snapshot *snapshot)
{
	static char content[4 << 10];

	*snapshot = (struct snapshot){ .has_load = false };
	if (file_read("/proc/loadavg", content, sizeof content) > 0)
		snapshot->has_load = snapshot->has_processes = snapshot_parse_load(content, snapshot) == 0;
	if (file_read("/proc/meminfo", content, sizeof content) > 0)
		snapshot->has_memory = snapshot_parse_memory(content, "MemAvailable:", &snapshot->available_bytes) == 0;
	if (file_read("/proc/uptime", content, sizeof content) > 0)
		snapshot->has_uptime = number_parse_milli(content, strcspn(content, " "), &snapshot->uptime_milli) == 0;
	read_settings(snapshot);
	return snapshot->has_load + snapshot->has_processes + snapshot->has_memory + snapshot->has_uptime;
}

static uint64_t saturated_hz(uint64_t khz)
{
	return khz > UINT64_MAX / 1000 ? UINT64_MAX : khz * 1000;
}

int snapshot_governor(unsigned cpu, struct governor *governor)
{
	uint64_t khz;

	*governor = (struct governor){ .min_hz = 0 };
	file_string(governor->name, sizeof governor->name, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
	if (!governor->name[0])
		return -ENOENT;
	if (!file_number(&khz, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_min_freq", cpu))
		governor->min_hz = saturated_hz(khz);
	if (!file_number(&khz, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_max_freq", cpu))
		governor->max_hz = saturated_hz(khz);
	return 0;
}
