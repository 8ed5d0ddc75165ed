/*
 * mem.latency: load-to-use latency of each level of the memory hierarchy, by a dependent pointer chase.
 *
 * Per node, size and kind of page, on the first CPU of the node that this process may use: ns per load, the median of
 * batches of loads, with its interval.  The page is part of the name, for TLB misses are part of the figure.
 * SKIP   a kind of page that was not granted (the small pages are then measured, under their own name), or a size
 *        beyond half of the memory that is free
 * ERROR  the CPU cannot be pinned, or no memory is free
 */
#include <errno.h>

#include "mem/chase.h"
#include "step.h"
#include "step/mem_shared.h"
#include "sys/call.h"
#include "sys/cpu.h"

static const char metric[] = "mem.latency";

enum { SIZE, PAGE, NODE, TIME };
enum { NODE_FIRST, NODE_ALL };

static const struct param params[] = {
	[SIZE] = { "size", PARAM_SIZES, .def = "32k,256k,2m,256m", .def_medium = "4k:1g:*2", .min = 4 * KIB, .max = TIB,
	           .help = "buffers that are chased through" },
	[PAGE] = { "page", PARAM_WORDS, .def = "thp", .def_medium = "4k,thp,2m", .words = BUFFER_PAGE_WORDS,
	           .help = "kinds of page they lie on" },
	[NODE] = { "node", PARAM_WORD, .def = "first", .def_medium = "all", .words = "first|all",
	           .help = "that of the first CPU, or each that has a CPU, from there" },
	[TIME] = { "time", PARAM_DURATION, .def = "200ms", .min = MS(10), .max = SECONDS(60), .help = "time for each point" },
	PARAM_END
};

/* At least these are meant to show DRAM, not a cache. */
static const uint64_t dram_bytes = 256 * MIB;
static const uint64_t link_line_ns = 100, lap_line_ns = 150; /* for the plan */

static struct chase_result result; /* 8 KiB of samples */

struct place { uint64_t size_bytes; unsigned cpu; };

static void add_evidence(struct facts *facts, const struct chase *chase, const struct buffer *buffer, unsigned cpu)
{
	fact_number(facts, "discarded", (int64_t)result.discarded);
	fact_number(facts, "batch_loads", (int64_t)result.batch_loads);
	fact_milli(facts, "laps", milli_ratio(result.loads, chase->lines));
	fact_number(facts, "lines", (int64_t)chase->lines);
	fact_number(facts, "line_bytes", chase->line_bytes);
	fact_number(facts, "cpu", cpu);
	fact_number(facts, "huge_bytes", (int64_t)buffer_huge_bytes(buffer));
	fact_text(facts, "engine", "chase");
}

static void chase_through(struct ctx *ctx, const struct point *point, const struct buffer *buffer, const struct place *place)
{
	struct facts facts = { 0 };
	struct summary summary;
	struct chase chase;

	chase_link(&chase, buffer->at, place->size_bytes, ctx_seed(ctx));
	chase_measure(&chase, param_number(ctx, TIME), &result);
	summary_of(&result.samples, &summary);
	summary_facts(&summary, &facts);
	add_evidence(&facts, &chase, buffer, place->cpu);
	if (place->size_bytes >= dram_bytes)
		mem_fact_cache(&facts, place->size_bytes);
	emit_figure(ctx, metric, "ns", point, summary.count ? summary.median : VALUE_NONE, &facts);
}

static enum mem_outcome measure(struct ctx *ctx, enum map_page page, const char *word, void *context)
{
	const struct place *place = context;
	const struct point point[] = { point_size("size", place->size_bytes), point_text("page", word),
	                               point_number("node", (uint64_t)cpu_node(place->cpu)), point_number("cpu", place->cpu),
	                               POINT_LIST_END };
	enum mem_outcome outcome;
	struct buffer buffer;
	int err;

	if (planned(ctx, param_number(ctx, TIME) + place->size_bytes / 64 * (link_line_ns + lap_line_ns), 0))
		return MEM_READY;
	outcome = mem_room(ctx, metric, point, page, word, buffer_round(place->size_bytes, page));
	if (outcome != MEM_READY)
		return outcome;
	err = buffer_map(&buffer, place->size_bytes, page);
	if (err)
		return mem_no_pages(ctx, metric, point, word, err, 0, 0);
	buffer_touch(buffer.at, buffer.bytes);
	if (buffer_is_granted(&buffer, buffer_huge_bytes(&buffer)))
		chase_through(ctx, point, &buffer, place);
	else
		outcome = mem_no_pages(ctx, metric, point, word, -ENOTSUP, buffer_huge_bytes(&buffer), buffer.bytes);
	buffer_unmap(&buffer);
	return outcome;
}

/* Memory comes from the node of the CPU that touches it first. */
static void measure_from(struct ctx *ctx, unsigned cpu)
{
	int err = cpu_pin(cpu);

	if (err) {
		emit_error(ctx, metric, NULL, "cannot run on CPU %u alone: %s", cpu, sys_error(err));
		return;
	}
	for_each_param(ctx, SIZE, size_bytes) {
		struct place place = { .size_bytes = size_bytes, .cpu = cpu };

		mem_each_page(ctx, PAGE, measure, &place);
	}
}

static void run(struct ctx *ctx)
{
	struct cpu_list cpus;
	uint64_t nodes_done = 0;

	_Static_assert(MAX_NODES <= 64, "a bit each");
	cpu_allowed(&cpus);
	for (unsigned i = 0; i < cpus.count && (i == 0 || param_number(ctx, NODE) == NODE_ALL); i++) {
		uint64_t node = 1ull << cpu_node(cpus.cpus[i]);

		if (!(nodes_done & node))
			measure_from(ctx, cpus.cpus[i]);
		nodes_done |= node;
	}
	cpu_pin_all(&cpus);
}

const struct step step_mem_latency = {
	.name = "mem.latency", .summary = "latency of caches and DRAM by a pointer chase, size x page",
	.params = params, .run = run,
};
