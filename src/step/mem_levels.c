/*
 * mem_levels.c: see mem_levels.h.
 *
 * One buffer is mapped, and two sizes for each power of two are chased through at its front; a size's latency is the least of its tries, for whatever else
 * runs takes room in a shared cache, and never gives any.  Levels are runs of the curve of log2 latency.  The last buffer of a level is the largest that the cache still holds
 * about whole; behind it part of the loads miss, until no line is left in the cache: sizes on such a slope make a run of their own only where there are two of them.
 * On small pages the curve also has the steps of the TLB, so that it is only told there, not held against sysfs.
 */
#include "lib/number.h"
#include "lib/text.h"
#include "mem/chase.h"
#include "stat/levels.h"
#include "step/mem_levels.h"
#include "sys/prefetcher.h"

enum {
	SIZES_MAX = 40,
	TRIES = 3,
	RUN_MIN = 2,
	PENALTY = 1750 * 1750,    /* of thousandths of log2: a level of four sizes must be four times the one before, one of eight sizes three times */
	CACHES = 4,
	FACTOR = 3,               /* how far from sysfs a step may lie: it is found to the next size or two */
};
static const uint64_t least_bytes = 4 * KIB, most_bytes = 256 * MIB;
static const uint64_t line_ns = 60, warm_up_ns = MS(20); /* for the plan */

static const char size_metric[] = "mem.latency.level.size", latency_metric[] = "mem.latency.level.latency";

static struct {
	unsigned count;
	uint64_t sizes[SIZES_MAX];
	int64_t latencies_ps[SIZES_MAX], logarithms[SIZES_MAX];
	struct levels levels;
	struct chase chase;
	struct chase_result result;
	struct chase_proof proof;
	char prefetchers[72];
} sweep;

/* 4k, 6k, 8k, 12k, ... */
static void choose_sizes(uint64_t room_bytes)
{
	sweep.count = 0;
	for (uint64_t size = least_bytes; size <= most_bytes && size <= room_bytes; size *= 2) {
		sweep.sizes[sweep.count++] = size;
		if (size < most_bytes && size / 2 * 3 <= room_bytes)
			sweep.sizes[sweep.count++] = size / 2 * 3;
	}
}

static void chase_sizes(void *at, uint64_t time_ns, uint64_t seed)
{
	for (unsigned i = 0; i < sweep.count; i++) {
		chase_link(&sweep.chase, at, sweep.sizes[i], seed);
		for (unsigned try = 0; try < TRIES; try++) {
			int64_t latency_ps;

			chase_measure(&sweep.chase, time_ns / sweep.count / TRIES, &sweep.result);
			latency_ps = summary_median(&sweep.result.samples);
			if (!try || latency_ps < sweep.latencies_ps[i])
				sweep.latencies_ps[i] = latency_ps;
		}
		sweep.logarithms[i] = levels_log2_milli((uint64_t)sweep.latencies_ps[i]);
	}
	levels_find(sweep.logarithms, sweep.count, PENALTY, RUN_MIN, &sweep.levels);
}

static unsigned end_of(unsigned level)
{
	return level + 1 < sweep.levels.count ? sweep.levels.starts[level + 1] : sweep.count;
}

static uint64_t size_of(unsigned level)
{
	return sweep.sizes[end_of(level) - 1];
}

static int64_t latency_of(unsigned level)
{
	static struct samples values;

	samples_clear(&values);
	for (unsigned i = sweep.levels.starts[level]; i < end_of(level); i++)
		samples_add(&values, sweep.latencies_ps[i]);
	return summary_median(&values);
}

static void tell_level(struct ctx *ctx, const struct levels_ask *ask, int node_err, unsigned level, bool is_memory)
{
	bool is_last = level + 1 == sweep.levels.count;
	const struct point points[] = { is_memory ? point_text("level", "memory") : point_number("level", level + 1), point_text("page", ask->page_word),
	                                point_number("node", (uint64_t)ask->node), point_number("cpu", ask->cpu), POINT_LIST_END };
	uint64_t sysfs_bytes = is_memory ? 0 : cpu_cache_bytes_of(ask->cpu, level + 1);
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	fact_number(&facts, "n", end_of(level) - sweep.levels.starts[level]);
	fact_number(&facts, "sizes", sweep.count);
	fact_number(&facts, "from_bytes", (int64_t)sweep.sizes[sweep.levels.starts[level]]);
	fact_number(&facts, "to_bytes", (int64_t)size_of(level));
	if (sysfs_bytes)
		fact_number(&facts, "sysfs_bytes", (int64_t)sysfs_bytes);
	mem_fact_node(&facts, node_err);
	fact_text(&facts, "engine", "chase");
	fact_text(&facts, "prefetchers", sweep.prefetchers);
	emit_figure(ctx, latency_metric, "ns", points, latency_of(level), &facts);
	if (!is_last)
		emit_figure(ctx, size_metric, "B", points, milli_whole(size_of(level)), &facts);
}

static bool has_step(unsigned from, unsigned to, uint64_t least, uint64_t most)
{
	for (unsigned level = from; level < to; level++)
		if (size_of(level) >= least && size_of(level) <= most)
			return true;
	return false;
}

/* The first step is the first cache's; the others are their caches' where there are as many as sysfs tells of, else any may be.
 * Of the last cache others take their part, or a CPU sees but a slice: that it is smaller here says nothing. */
static bool is_apart(unsigned cache, unsigned caches, uint64_t bytes)
{
	unsigned steps = sweep.levels.count - 1, from = 0, to = steps;

	if (cache > 1 && cache == caches)
		return has_step(0, steps, bytes * FACTOR + 1, UINT64_MAX);
	if (cache == 1 || steps == caches) {
		from = cache - 1;
		to = cache < steps ? cache : steps;
	}
	return !has_step(from, to, bytes / FACTOR, bytes * FACTOR);
}

static unsigned caches_told(unsigned cpu)
{
	unsigned caches = 0;

	while (caches < CACHES && cpu_cache_bytes_of(cpu, caches + 1))
		caches++;
	return caches;
}

static void say_sizes(struct text *text)
{
	for (unsigned level = 0; level + 1 < sweep.levels.count; level++) {
		text_add(text, level ? ", " : "");
		number_add_size(text, size_of(level));
	}
}

static void hold_against_sysfs(struct ctx *ctx, const struct levels_ask *ask)
{
	unsigned caches = caches_told(ask->cpu);

	for (unsigned cache = 1; cache <= caches; cache++) {
		uint64_t bytes = cpu_cache_bytes_of(ask->cpu, cache);
		char size[24], found[MAX_MESSAGE / 2];
		struct text text = TEXT(found);

		if (bytes > sweep.sizes[sweep.count - 1] / FACTOR || !is_apart(cache, caches, bytes))
			continue;
		say_sizes(&text);
		emit_warn(ctx, size_metric, NULL, "CPU %u: sysfs tells of a level %u cache of %s, and latency rises behind %s", ask->cpu, cache,
		          number_size_word(bytes, size), sweep.levels.count > 1 ? found : "no size");
	}
}

static void tell(struct ctx *ctx, const struct levels_ask *ask, int node_err)
{
	bool in_memory = chase_proof_milli(&sweep.proof) >= CHASE_CACHED_BELOW_MILLI; /* of the last and largest buffer */

	for (unsigned level = 0; level < sweep.levels.count; level++)
		tell_level(ctx, ask, node_err, level, in_memory && level + 1 == sweep.levels.count);
	if (ask->page != MAP_PAGE_SMALL)
		hold_against_sysfs(ctx, ask);
}

static int measure(const struct levels_ask *ask, struct buffer *buffer, uint64_t seed)
{
	int err = cpu_pin(ask->cpu);

	if (!err)
		err = buffer_get(buffer, sweep.sizes[sweep.count - 1], ask->page, ask->node, buffer_fill);
	if (err)
		return err;
	prefetcher_off(ask->cpu, sweep.prefetchers, sizeof(sweep.prefetchers));
	chase_sizes(buffer->at, ask->time_ns, seed);
	chase_prove(&sweep.chase, &sweep.proof);
	prefetcher_restore(ask->cpu);
	return 0;
}

enum mem_outcome mem_levels_tell(struct ctx *ctx, const struct levels_ask *ask)
{
	const struct point points[] = { point_text("page", ask->page_word), point_number("node", (uint64_t)ask->node), point_number("cpu", ask->cpu), POINT_LIST_END };
	struct mem_refusal why = { .page_word = ask->page_word, .node = ask->node, .cpu = ask->cpu };
	struct buffer buffer = { .at = NULL };
	enum mem_outcome outcome;
	struct cpu_list cpus;

	choose_sizes(most_bytes);
	if (planned(ctx, ask->time_ns + sweep.count * TRIES * warm_up_ns + 4 * most_bytes / 64 * line_ns, 0))
		return MEM_READY;
	choose_sizes(mem_room_bytes(ask->page, ask->node));
	outcome = mem_room(ctx, size_metric, points, ask->page, ask->page_word, ask->node, least_bytes);
	if (outcome != MEM_READY)
		return outcome;
	why.err = measure(ask, &buffer, ctx_seed(ctx));
	buffer_unmap(&buffer);
	why.huge_bytes = buffer.huge_bytes;
	why.map_bytes = buffer.bytes;
	why.node_err = buffer.node_err;
	if (why.err)
		outcome = mem_refuse(ctx, size_metric, points, &why);
	else
		tell(ctx, ask, buffer.node_err);
	cpu_allowed(&cpus);
	cpu_pin_all(&cpus);
	return outcome;
}
