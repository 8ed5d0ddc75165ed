/*
 * mem.latency: load-to-use latency of each level of the memory hierarchy, by a dependent pointer chase.
 *
 * Per CPU, node, size and kind of page: ns per load, as mem_latency_point.c measures it.  The page is part of the name, for TLB misses are part of the figure;
 * `tlb` tells their share apart.  `levels` finds the caches by themselves.
 * SKIP   a kind of page that was not granted (the small pages are then measured, under their own name), a size beyond half of the memory that is free, or
 *        beyond what is free on the node, a CPU that is offline or not this process's
 * ERROR  the CPU cannot be pinned, no memory is free, pages lie on another node, or the caches hold part of all buffers that are meant to show memory
 */
#include "lib/number.h"
#include "mem/chase.h"
#include "step.h"
#include "step/mem_levels.h"
#include "step/mem_point.h"
#include "sys/call.h"

static const char metric[] = "mem.latency";

enum { SIZE, PAGE, CPU, NODE, TIME, DRAM, TLB, LEVELS };
enum { NODE_OWN, NODE_ALL };
enum { CPU_FIRST, CPU_ALL };
enum { YES, NO };
#define YES_NO "yes|no"

static const struct param params[] = {
	[SIZE]   = { "size", PARAM_SIZES, .def = "32k,256k,2m,256m", .def_medium = "4k:1g:*2", .min = 4 * KIB, .max = TIB,
	             .help = "sizes of the buffers that are chased through" },
	[PAGE]   = { "page", PARAM_WORDS, .def = "thp", .def_medium = "4k,thp,2m", .words = BUFFER_PAGE_WORDS,
	             .help = "kinds of page that the buffers lie on" },
	[CPU]    = { "cpu", PARAM_NUMBERS, .def = "first", .words = "first|all", .max = MAX_CPUS - 1,
	             .help = "numbers of the CPUs that chase; first: the first one, with node=all the first one of each node" },
	[NODE]   = { "node", PARAM_NUMBERS, .def = "own", .def_medium = "all", .words = "own|all", .max = MAX_NODES - 1,
	             .help = "numbers of the nodes whose memory it is; own: the CPU's" },
	[TIME]   = { "time", PARAM_DURATION, .def = "200ms", .min = MS(8), .max = SECONDS(60), .help = "time for each point" },
	[DRAM]   = { "dram", PARAM_SIZE, .def = "256m", .help = "buffers from this size on are to show memory: where caches hold part of them, larger ones are tried, and ERROR if none shows it" },
	[TLB]    = { "tlb", PARAM_WORD, .def = "no", .def_medium = "yes", .flag = "yes", .words = YES_NO, .help = "also how much of it is misses of the TLB" },
	[LEVELS] = { "levels", PARAM_WORD, .def = "no", .def_medium = "yes", .flag = "yes", .words = YES_NO,
	             .help = "find the caches, and hold them against sysfs" },
	PARAM_END
};

static const uint64_t levels_time_ns = MS(600);

/* From a CPU to the memory of a node. */
struct place { uint64_t size_bytes; unsigned cpu; int node; };

/* Nodes by number, with their first CPU; CPU_NONE: nothing can run there. */
enum { CPU_NONE = MAX_CPUS };
static struct { unsigned count; struct { unsigned number, cpu; bool has_memory; } at[MAX_NODES]; } nodes;

/* Buffers that are meant to show memory, of one CPU and node. */
enum { MAX_MEANT = 64 };
static const uint64_t largest_meant_bytes = 8 * GIB;
static struct { unsigned count; uint64_t sizes[MAX_MEANT]; struct mem_told told[MAX_MEANT]; } meant;

static int note_node(const struct numa_node *node, void *context)
{
	(void)context;
	if (nodes.count == MAX_NODES)
		return 1;
	nodes.at[nodes.count].number = node->number;
	nodes.at[nodes.count].cpu = node->cpus.count ? node->cpus.cpus[0] : CPU_NONE;
	nodes.at[nodes.count++].has_memory = node->has_memory;
	return 0;
}

static enum mem_outcome measure_size(struct ctx *ctx, enum map_page page, const char *word, void *context)
{
	const struct place *place = context;
	const struct point points[] = { point_size("size", place->size_bytes), point_text("page", word), point_number("node", (uint64_t)place->node),
	                                point_number("cpu", place->cpu), POINT_LIST_END };
	const struct latency_ask ask = { .metric = metric, .points = points, .size_bytes = place->size_bytes, .time_ns = param_number(ctx, TIME),
	                                 .rounds = MEM_ROUNDS, .page = page, .page_word = word, .cpu = place->cpu, .node = place->node,
	                                 .tells_tlb = param_number(ctx, TLB) == YES };
	bool is_meant = place->size_bytes >= param_number(ctx, DRAM) && meant.count < MAX_MEANT;

	if (is_meant)
		meant.sizes[meant.count] = place->size_bytes;
	return mem_latency_begin(ctx, &ask, is_meant ? &meant.told[meant.count++] : NULL);
}

enum seen { SEEN_NOTHING, SEEN_CACHES, SEEN_MEMORY };

/* What those from `from` on have shown; each that is not memory's is said. */
static enum seen what_was_seen(struct ctx *ctx, unsigned from)
{
	enum seen seen = SEEN_NOTHING;
	char size[24];

	for (unsigned i = from; i < meant.count; i++) {
		if (!meant.told[i].is_told)
			continue;
		if (meant.told[i].of_flushed_milli >= CHASE_CACHED_BELOW_MILLI) {
			seen = SEEN_MEMORY;
			continue;
		}
		if (seen == SEEN_NOTHING)
			seen = SEEN_CACHES;
		emit_log(ctx, "mem.latency[size=%s]: the caches hold part of it, or it is too small to tell: it is not memory's latency",
		         number_size_word(meant.sizes[i], size));
	}
	return seen;
}

/* Twice the largest, and twice that: caches may be larger than anybody foresaw. */
static void look_further(struct ctx *ctx, struct place *place)
{
	const struct point points[] = { point_number("node", (uint64_t)place->node), point_number("cpu", place->cpu), POINT_LIST_END };
	enum seen seen = what_was_seen(ctx, 0), last = seen;

	place->size_bytes = meant.count ? meant.sizes[meant.count - 1] : 0;
	while (last == SEEN_CACHES && place->size_bytes < largest_meant_bytes) {
		unsigned before = meant.count;

		place->size_bytes *= 2;
		mem_each_page(ctx, PAGE, measure_size, place);
		mem_latency_finish(ctx);
		last = what_was_seen(ctx, before);
		if (last == SEEN_MEMORY)
			seen = last;
	}
	if (seen == SEEN_CACHES)
		emit_error(ctx, metric, points, "the caches hold part of every buffer that could be had: memory's own latency was not seen");
}

static enum mem_outcome find_levels(struct ctx *ctx, enum map_page page, const char *word, void *context)
{
	const struct place *place = context;
	const struct levels_ask ask = { .time_ns = levels_time_ns, .page = page, .page_word = word, .cpu = place->cpu, .node = place->node };

	return mem_levels_tell(ctx, &ask);
}

static void measure_between(struct ctx *ctx, unsigned cpu, unsigned node)
{
	struct place place = { .cpu = cpu, .node = (int)node };

	meant.count = 0;
	for_each_param(ctx, SIZE, size_bytes) {
		place.size_bytes = size_bytes;
		mem_each_page(ctx, PAGE, measure_size, &place);
	}
	mem_latency_finish(ctx);
	look_further(ctx, &place);
	if (param_number(ctx, LEVELS) == YES)
		mem_each_page(ctx, PAGE, find_levels, &place);
}

static bool asks_for(struct ctx *ctx, unsigned param, unsigned word)
{
	for_each_param(ctx, param, number)
		if (number == PARAM_OF_WORD(word))
			return true;
	return false;
}

/* Its own node, or where that has no memory the first that has; MAX_NODES: none has. */
static unsigned own_node(unsigned cpu)
{
	unsigned first = MAX_NODES, own = (unsigned)cpu_node(cpu);

	for (unsigned i = 0; i < nodes.count; i++)
		if (nodes.at[i].has_memory && (first == MAX_NODES || nodes.at[i].number == own))
			first = nodes.at[i].number;
	return first;
}

static bool has_memory(unsigned node)
{
	for (unsigned i = 0; i < nodes.count; i++)
		if (nodes.at[i].number == node)
			return nodes.at[i].has_memory;
	return false;
}

static void measure_to(struct ctx *ctx, unsigned cpu, unsigned node)
{
	const struct point points[] = { point_number("node", node), point_number("cpu", cpu), POINT_LIST_END };

	if (has_memory(node))
		measure_between(ctx, cpu, node);
	else
		emit_skip(ctx, metric, points, "node %u has no memory, or is not there", node);
}

static void measure_from(struct ctx *ctx, unsigned cpu)
{
	if (asks_for(ctx, NODE, NODE_ALL)) { /* whatever else is asked for is among them */
		for (unsigned i = 0; i < nodes.count; i++)
			measure_to(ctx, cpu, nodes.at[i].number);
		return;
	}
	for_each_param(ctx, NODE, node)
		measure_to(ctx, cpu, node == PARAM_OF_WORD(NODE_OWN) ? own_node(cpu) : (unsigned)node);
}

static void measure_asked(struct ctx *ctx, const struct cpu_list *cpus, unsigned cpu)
{
	const struct point points[] = { point_number("cpu", cpu), POINT_LIST_END };

	for (unsigned i = 0; i < cpus->count; i++)
		if (cpus->cpus[i] == cpu) {
			measure_from(ctx, cpu);
			return;
		}
	emit_skip(ctx, metric, points, cpu_is_online(cpu) ? "CPU %u is outside this process's affinity mask" : "CPU %u is not there, or offline", cpu);
}

static void measure_first(struct ctx *ctx, const struct cpu_list *cpus)
{
	if (!asks_for(ctx, NODE, NODE_ALL)) {
		measure_from(ctx, cpus->cpus[0]);
		return;
	}
	for (unsigned i = 0; i < nodes.count; i++)
		if (nodes.at[i].cpu != CPU_NONE)
			measure_from(ctx, nodes.at[i].cpu);
}

static void run(struct ctx *ctx)
{
	static struct cpu_list cpus;

	cpu_allowed(&cpus);
	nodes.count = 0;
	numa_each(note_node, NULL);
	if (own_node(cpus.cpus[0]) == MAX_NODES) {
		emit_error(ctx, metric, NULL, "/sys/devices/system/node tells of no node that has memory");
		return;
	}
	if (asks_for(ctx, CPU, CPU_ALL)) {
		for (unsigned i = 0; i < cpus.count; i++)
			measure_from(ctx, cpus.cpus[i]);
		return;
	}
	for_each_param(ctx, CPU, cpu) {
		if (cpu == PARAM_OF_WORD(CPU_FIRST))
			measure_first(ctx, &cpus);
		else
			measure_asked(ctx, &cpus, (unsigned)cpu);
	}
}

const struct step step_mem_latency = {
	.name = "mem.latency", .summary = "latency of caches and DRAM by a pointer chase, size x page x CPU x node",
	.params = params, .run = run,
};
