/*
 * mem.latency: load-to-use latency of each level of the memory hierarchy, by a dependent pointer chase.
 *
 * Per CPU, node, size and kind of page: ns per load, as mem_latency_point.c measures it.  The page is part of the name, for TLB misses are part of the figure;
 * `tlb` tells their share apart.  `levels` finds the caches by themselves.
 * SKIP   a kind of page that was not granted (the small pages are then measured, under their own name), a size beyond half of the memory that is free, or
 *        beyond what is free on the node, a CPU that is offline or not this process's
 * ERROR  the CPU cannot be pinned, no memory is free, pages lie on another node, or the caches hold part of a buffer that is meant to show memory
 */
#include "step.h"
#include "step/mem_levels.h"
#include "step/mem_point.h"
#include "sys/call.h"

static const char metric[] = "mem.latency";

enum { SIZE, PAGE, CPU, NODE, TIME, DRAM, TLB, LEVELS };
enum { NODE_FIRST, NODE_ALL };
enum { YES, NO };
#define YES_NO "yes|no"

static const struct param params[] = {
	[SIZE]   = { "size", PARAM_SIZES, .def = "32k,256k,2m,256m", .def_medium = "4k:1g:*2", .min = 4 * KIB, .max = TIB,
	             .help = "buffers that are chased through" },
	[PAGE]   = { "page", PARAM_WORDS, .def = "thp", .def_medium = "4k,thp,2m", .words = BUFFER_PAGE_WORDS,
	             .help = "kinds of page they lie on" },
	[CPU]    = { "cpu", PARAM_CPUS, .def = "first", .words = "first", .max = MAX_CPUS - 1,
	             .help = "CPUs that chase; the first one of the node" },
	[NODE]   = { "node", PARAM_WORD, .def = "first", .def_medium = "all", .words = "first|all",
	             .help = "memory of the first CPU's own node; or of each node, from each that has a CPU" },
	[TIME]   = { "time", PARAM_DURATION, .def = "200ms", .min = MS(10), .max = SECONDS(60), .help = "time for each point" },
	[DRAM]   = { "dram", PARAM_SIZE, .def = "256m", .help = "buffers from this size on are to show memory: ERROR where caches hold part of them" },
	[TLB]    = { "tlb", PARAM_WORD, .def = "no", .def_medium = "yes", .flag = "yes", .words = YES_NO, .help = "the share of the TLB, too" },
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
	                                 .is_dram = place->size_bytes >= param_number(ctx, DRAM), .tells_tlb = param_number(ctx, TLB) == YES };

	return mem_latency_begin(ctx, &ask, NULL);
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

	for_each_param(ctx, SIZE, size_bytes) {
		place.size_bytes = size_bytes;
		mem_each_page(ctx, PAGE, measure_size, &place);
	}
	mem_latency_finish(ctx);
	if (param_number(ctx, LEVELS) == YES)
		mem_each_page(ctx, PAGE, find_levels, &place);
}

/* To its own node, or where that has no memory to the first that has. */
static void measure_from(struct ctx *ctx, unsigned cpu)
{
	unsigned first = MAX_NODES, own = (unsigned)cpu_node(cpu);

	for (unsigned i = 0; i < nodes.count; i++) {
		if (!nodes.at[i].has_memory)
			continue;
		if (param_number(ctx, NODE) == NODE_ALL)
			measure_between(ctx, cpu, nodes.at[i].number);
		else if (first == MAX_NODES || nodes.at[i].number == own)
			first = i;
	}
	if (param_number(ctx, NODE) == NODE_FIRST && first < MAX_NODES)
		measure_between(ctx, cpu, nodes.at[first].number);
}

static bool has_cpu(const struct cpu_list *cpus, unsigned cpu)
{
	for (unsigned i = 0; i < cpus->count; i++)
		if (cpus->cpus[i] == cpu)
			return true;
	return false;
}

static void measure_asked(struct ctx *ctx, const struct cpu_list *cpus, unsigned cpu)
{
	const struct point points[] = { point_number("cpu", cpu), POINT_LIST_END };

	if (has_cpu(cpus, cpu))
		measure_from(ctx, cpu);
	else
		emit_skip(ctx, metric, points, cpu_is_online(cpu) ? "CPU %u is outside this process's affinity mask" : "CPU %u is not there, or offline", cpu);
}

static void measure_first(struct ctx *ctx, const struct cpu_list *cpus)
{
	if (param_number(ctx, NODE) == NODE_FIRST) {
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
	for_each_param(ctx, CPU, cpu) {
		if (cpu == PARAM_NO_CPU)
			measure_first(ctx, &cpus);
		else
			measure_asked(ctx, &cpus, (unsigned)cpu);
	}
}

const struct step step_mem_latency = {
	.name = "mem.latency", .summary = "latency of caches and DRAM by a pointer chase, size x page x CPU x node",
	.params = params, .run = run,
};
