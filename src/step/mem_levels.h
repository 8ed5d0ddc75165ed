/*
 * mem_levels.h: the levels of the memory hierarchy, found where the latency of growing buffers changes its level, and held against what sysfs says.
 */
#ifndef MEM_LEVELS_H
#define MEM_LEVELS_H

#include "step/mem_shared.h"

struct levels_ask {
	uint64_t time_ns;          /* of all sizes */
	enum map_page page;
	const char *page_word;
	unsigned cpu;
	int node;
};

/*
 * For each level, mem.latency.level.size B and .latency ns [level,page,node,cpu]: its largest buffer, and the median over its buffers.  The last one
 * is level=memory, without a size, where the caches hold nothing of it.  A cache that sysfs tells and the curve does not show near there is a warning.
 */
enum mem_outcome mem_levels_tell(struct ctx *ctx, const struct levels_ask *ask);

#endif
