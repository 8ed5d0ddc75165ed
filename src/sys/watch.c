/* watch.c: see watch.h. */
#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/watch.h"

void watch_read(struct conditions *conditions)
{
	struct cpu_list list;

	cpu_allowed(&list);
	conditions->cpu_hz_min = UINT64_MAX;
	conditions->cpu_hz_max = 0;
	for (unsigned i = 0; i < list.count; i++) {
		uint64_t hz = cpu_frequency_hz(list.cpus[i]);
		if (hz && hz < conditions->cpu_hz_min)
			conditions->cpu_hz_min = hz;
		if (hz > conditions->cpu_hz_max)
			conditions->cpu_hz_max = hz;
	}
	if (!conditions->cpu_hz_max)
		conditions->cpu_hz_min = 0;
	conditions->has_throttles = list.count && file_exists("/sys/devices/system/cpu/cpu%u/thermal_throttle", list.cpus[0]);
	conditions->throttles = conditions->has_throttles ? cpu_throttle_count() : 0;
}

/* The fastest CPU's, since idle ones are slow by right. */
void watch_facts(const struct conditions *before, const struct conditions *after, struct facts *facts)
{
	if (before->cpu_hz_max && after->cpu_hz_max) {
		fact_number(facts, "cpu_hz_before", before->cpu_hz_max);
		fact_number(facts, "cpu_hz_after", after->cpu_hz_max);
	}
	if (before->has_throttles && after->has_throttles) {
		fact_number(facts, "throttles_before", before->throttles);
		fact_number(facts, "throttles_after", after->throttles);
	}
	if (!after->cpu_hz_max && !after->has_throttles)
		fact_text(facts, "cpu_frequency", "not told");
}
