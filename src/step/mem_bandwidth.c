/*
 * mem.bandwidth: bytes per second between CPUs and memory, per mix, number of threads, buffer and kind of page.
 *
 * The rounds of all points come in turn.  Each thread has a buffer and a CPU of its own, and its memory lies on its own node; when asked for, also for single CPUs, for each cluster of CPUs, and
 * reads by the CPUs of each node in the memory of each node.  How bytes are counted stands in mem/stream.h, what a figure is in mem_bandwidth_point.c.
 * SKIP   more threads than CPUs, a CPU that this process may not use, a node without memory, clusters where there is only one; a kind of page that was
 *        not granted (the small pages are then measured, under their own name), or buffers beyond half of the memory that is free
 */
#include "lib/text.h"
#include "step.h"
#include "step/mem_point.h"
#include "sys/cluster.h"

static const char metric[] = "mem.bandwidth";

enum { MIX, THREADS, BUFFER, PAGE, TIME, NODE, CPU, CLUSTERS };
enum { NODE_OWN, NODE_ALL };
enum { CPU_NONE, CPU_ALL };
enum { CLUSTERS_NO, CLUSTERS_YES };

/* At level medium the buffers are as large as Intel MLC's, 100000 KiB, to be comparable. */
static const struct param params[] = {
	[MIX]      = { "mix", PARAM_WORDS, .def = "reads,1:1,copy", .def_medium = "reads,3:1,2:1,1:1,triad,writes,nt-writes,copy",
	               .words = STREAM_MIX_WORDS, .help = "what each thread does" },
	[THREADS]  = { "threads", PARAM_COUNTS, .def = "1,all", .def_medium = "1:256:*2,all", .words = "all", .min = 1, .max = MAX_THREADS,
	               .help = "threads, one on each CPU" },
	[BUFFER]   = { "buffer", PARAM_SIZES, .def = "64m", .def_medium = "100000KiB", .min = STREAM_CHUNK_BYTES, .max = TIB,
	               .help = "size of each thread's buffer" },
	[PAGE]     = { "page", PARAM_WORDS, .def = "thp", .words = BUFFER_PAGE_WORDS, .help = "kinds of page that the buffers lie on" },
	[TIME]     = { "time", PARAM_DURATION, .def = "250ms", .def_medium = "1s", .min = MS(8), .max = SECONDS(60),
	               .help = "time for each point" },
	[NODE]     = { "node", PARAM_NUMBERS, .def = "own", .def_medium = "own,all", .words = "own|all", .max = MAX_NODES - 1,
	               .help = "numbers of the nodes whose memory it is; own: each CPU's; all: reads from each node in each" },
	[CPU]      = { "cpu", PARAM_NUMBERS, .def = "none", .words = "none|all", .max = MAX_CPUS - 1,
	               .help = "numbers of CPUs that are measured by themselves, too" },
	[CLUSTERS] = { "clusters", PARAM_WORD, .def = "no", .def_medium = "yes", .flag = "yes", .words = "no|yes",
	               .help = "also each cluster of CPUs that share a cache" },
	PARAM_END
};

enum { WINDOWS = 5 };

/* A family of figures, but for mix, buffer and page. */
struct family {
	const char *metric;
	struct point who[2];       /* "" where there is no second one */
	const struct cpu_list *cpus;
	unsigned threads;
	int node;                  /* NUMA_ANY: that of each CPU */
	bool names_node;           /* behind the other keys */
};

struct of_page { const struct family *family; struct bandwidth_ask ask; };

/* Each thread's buffer lies on its own node, so that of many there may be no single one to name. */
static struct point point_node(const struct stream_job *job)
{
	int node = job->node == NUMA_ANY ? cpu_node(job->cpus->cpus[0]) : job->node;

	for (unsigned i = 1; i < job->threads && job->node == NUMA_ANY; i++)
		if (cpu_node(job->cpus->cpus[i]) != node)
			return point_text("node", "all");
	return point_number("node", (uint64_t)node);
}

static struct point point_mix(enum stream_mix mix)
{
	char word[16];

	param_word(&params[MIX], mix, word, sizeof(word));
	return point_text("mix", word);
}

static enum mem_outcome measure(struct ctx *ctx, enum map_page page, const char *word, void *context)
{
	struct of_page *of = context;
	struct bandwidth_ask *ask = &of->ask;
	struct point points[8] = { point_mix(ask->job.mix), of->family->who[0] };
	unsigned count = 2;

	if (of->family->who[1].key[0])
		points[count++] = of->family->who[1];
	points[count++] = point_size("buffer", ask->job.part_bytes);
	points[count++] = point_text("page", word);
	if (of->family->names_node)
		points[count++] = point_node(&ask->job);
	ask->points = points;
	ask->page_word = word;
	ask->job.page = page;
	return mem_bandwidth_begin(ctx, ask, NULL);
}

static void measure_mix(struct ctx *ctx, const struct family *family, enum stream_mix mix)
{
	for_each_param(ctx, BUFFER, part_bytes) {
		struct of_page of = { family, { .metric = family->metric, .rounds = MEM_ROUNDS, .job = {
			.mix = mix, .cpus = family->cpus, .threads = family->threads, .part_bytes = part_bytes, .node = family->node,
			.time_ns = param_number(ctx, TIME) / MEM_ROUNDS, .windows = WINDOWS } } };

		mem_each_page(ctx, PAGE, measure, &of);
	}
}

/* All mixes, to the end: its CPUs need not stay. */
static void measure_family(struct ctx *ctx, const struct family *family)
{
	for_each_param(ctx, MIX, mix)
		measure_mix(ctx, family, (enum stream_mix)mix);
	mem_bandwidth_finish(ctx);
}

static unsigned all_of(const struct cpu_list *cpus)
{
	return cpus->count < MAX_THREADS ? cpus->count : MAX_THREADS;
}

/* ---- threads ---- */

static bool was_before(struct ctx *ctx, unsigned index, unsigned all)
{
	const uint64_t *numbers = param_values(ctx, THREADS)->numbers;

	for (unsigned i = 0; i < index; i++)
		if ((numbers[i] ? numbers[i] : all) == (numbers[index] ? numbers[index] : all))
			return true;
	return false;
}

static void measure_threads(struct ctx *ctx, enum stream_mix mix, const struct cpu_list *cpus, int node)
{
	const struct param_value *threads = param_values(ctx, THREADS);
	unsigned all = all_of(cpus);

	for (unsigned i = 0; i < threads->count; i++) {
		unsigned count = threads->numbers[i] ? (unsigned)threads->numbers[i] : all;
		struct family family = { metric, { point_number("threads", count) }, cpus, count, node, true };

		if (count <= all && !was_before(ctx, i, all))
			measure_mix(ctx, &family, mix);
	}
}

static void skip_threads(struct ctx *ctx, unsigned all)
{
	char too_many[200];
	struct text text = TEXT(too_many);

	for_each_param(ctx, THREADS, count)
		if (count > all)
			text_add_format(&text, text.length ? ",%llu" : "%llu", (unsigned long long)count);
	if (text.length)
		emit_skip(ctx, metric, NULL, "threads %s: this process may use %u CPUs", too_many, all);
}

/* ---- single CPUs, clusters ---- */

static void measure_core(struct ctx *ctx, const struct cpu_list *cpus, unsigned cpu)
{
	static struct cpu_list one;
	struct family family = { "mem.bandwidth.core", { point_number("cpu", cpu) }, &one, 1, NUMA_ANY, true };

	one = (struct cpu_list){ 1, { (uint16_t)cpu } };
	for (unsigned i = 0; i < cpus->count; i++)
		if (cpus->cpus[i] == cpu) {
			measure_family(ctx, &family);
			return;
		}
	emit_skip(ctx, family.metric, family.who, cpu_is_online(cpu) ? "CPU %u is outside this process's affinity mask" : "CPU %u is not there, or offline", cpu);
}

static void measure_cores(struct ctx *ctx, const struct cpu_list *cpus)
{
	for_each_param(ctx, CPU, cpu) {
		if (cpu == PARAM_OF_WORD(CPU_ALL))
			for (unsigned i = 0; i < cpus->count; i++)
				measure_core(ctx, cpus, cpus->cpus[i]);
		else if (cpu != PARAM_OF_WORD(CPU_NONE))
			measure_core(ctx, cpus, (unsigned)cpu);
	}
}

static void measure_cluster(struct ctx *ctx, const struct cpu_list *cluster)
{
	char word[sizeof ((struct point *)0)->value];
	struct family family = { .metric = "mem.bandwidth.cluster", .cpus = cluster, .threads = all_of(cluster), .node = NUMA_ANY, .names_node = true };

	if (!mem_cpus_word(word, sizeof word, cluster, cluster->count, '+')) /* a comma would end the key */
		text_format(word, sizeof word, "%u and %u more", cluster->cpus[0], cluster->count - 1);
	family.who[0] = point_text("cluster", word);
	measure_family(ctx, &family);
}

static void measure_clusters(struct ctx *ctx, const struct cpu_list *cpus)
{
	static struct cpu_list cluster;

	for (unsigned i = 0; i < cpus->count; i++) {
		cluster_of(cpus->cpus[i], cpus, &cluster);
		if (cluster.count == cpus->count) {
			emit_skip(ctx, "mem.bandwidth.cluster", NULL, "the CPUs are one cluster, as far as sysfs tells");
			return;
		}
		if (cluster.cpus[0] == cpus->cpus[i])
			measure_cluster(ctx, &cluster);
	}
}

/* ---- nodes ---- */

struct from { struct ctx *ctx; const struct numa_node *node; };

static int measure_to(const struct numa_node *to, void *context)
{
	const struct from *from = context;
	const struct numa_node *node = from->node;
	struct family family = { "mem.bandwidth.matrix", { point_number("from", node->number), point_number("to", to->number) }, &node->cpus,
	                         all_of(&node->cpus), (int)to->number, false };

	if (to->has_memory)
		measure_mix(from->ctx, &family, STREAM_READS);
	return 0;
}

static int measure_from(const struct numa_node *node, void *context)
{
	struct from from = { context, node };
	struct point points[] = { point_number("to", node->number), POINT_LIST_END };

	if (!node->has_memory)
		emit_skip(from.ctx, "mem.bandwidth.matrix", points, "node %u has no memory", node->number);
	points[0] = point_number("from", node->number);
	if (node->cpus.count) {
		numa_each(measure_to, &from);
		mem_bandwidth_finish(from.ctx);
		return 0;
	}
	emit_skip(from.ctx, "mem.bandwidth.matrix", points, "node %u has no CPU that this process may use", node->number);
	return 0;
}

static void run(struct ctx *ctx)
{
	static struct cpu_list cpus;

	cpu_allowed(&cpus);
	for_each_param(ctx, NODE, node)
		if (node != PARAM_OF_WORD(NODE_ALL))
			for_each_param(ctx, MIX, mix)
				measure_threads(ctx, (enum stream_mix)mix, &cpus, node == PARAM_OF_WORD(NODE_OWN) ? NUMA_ANY : (int)node);
	mem_bandwidth_finish(ctx);
	skip_threads(ctx, all_of(&cpus));
	measure_cores(ctx, &cpus);
	if (param_number(ctx, CLUSTERS) == CLUSTERS_YES)
		measure_clusters(ctx, &cpus);
	for_each_param(ctx, NODE, node)
		if (node == PARAM_OF_WORD(NODE_ALL))
			numa_each(measure_from, ctx);
}

const struct step step_mem_bandwidth = {
	.name = "mem.bandwidth", .summary = "bandwidth of memory, mix x threads",
	.params = params, .run = run,
};
