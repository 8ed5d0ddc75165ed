/*
 * mem.latency: load-to-use latency of each level of the memory hierarchy, by a dependent pointer chase.
 *
 * Per size and kind of page, on the first CPU that this process may use: ns per load, the median of batches of loads,
 * with its interval.  The page is part of the name, for TLB misses are part of the figure.
 * SKIP   a kind of page that was not granted (the small pages are then measured, under their own name), or a size
 *        beyond half of the memory that is free
 * ERROR  the CPU cannot be pinned, or no memory is free
 */
#include <string.h>

#include "lib/number.h"
#include "mem/buffer.h"
#include "mem/chase.h"
#include "step.h"
#include "sys/call.h"
#include "sys/cpu.h"

static const char metric[] = "mem.latency";

enum { SIZE, PAGE, TIME };

static const struct param params[] = {
	[SIZE] = { "size", PARAM_SIZES, .def = "32k,256k,2m,256m", .def_medium = "4k:1g:*2", .min = 4 * KIB, .max = TIB,
	           .help = "buffers that are chased through" },
	[PAGE] = { "page", PARAM_WORDS, .def = "thp", .def_medium = "4k,thp,2m", .words = BUFFER_PAGE_WORDS,
	           .help = "kinds of page they lie on" },
	[TIME] = { "time", PARAM_DURATION, .def = "200ms", .min = MS(10), .max = SECONDS(60), .help = "time for each point" },
	PARAM_END
};

/* At least these are meant to show DRAM, not a cache. */
static const uint64_t dram_bytes = 256 * MIB;
static const uint64_t link_line_ns = 100, lap_line_ns = 150; /* for the plan */

static struct chase_result result; /* 8 KiB of samples */

static void add_evidence(struct facts *facts, const struct chase *chase, const struct buffer *buffer, unsigned cpu)
{
	struct summary summary;

	summary_of(&result.samples, &summary);
	summary_facts(&summary, facts);
	fact_number(facts, "discarded", (int64_t)result.discarded);
	fact_number(facts, "batch_loads", (int64_t)result.batch_loads);
	fact_milli(facts, "laps", milli_ratio(result.loads, chase->lines));
	fact_number(facts, "lines", (int64_t)chase->lines);
	fact_number(facts, "line_bytes", chase->line_bytes);
	fact_number(facts, "cpu", cpu);
	fact_number(facts, "huge_bytes", (int64_t)buffer_huge_bytes(buffer));
	fact_text(facts, "engine", "chase");
}

static void warn_of_cache(struct facts *facts, uint64_t size_bytes)
{
	char what[72];
	struct text text = TEXT(what);

	if (size_bytes < dram_bytes || !buffer_may_fit_cache(size_bytes))
		return;
	text_add(&text, "less than 4 times the last cache, ");
	number_add_size(&text, buffer_last_cache_bytes());
	fact_text(facts, "may_fit_cache", what);
}

static void chase_through(struct ctx *ctx, const struct point *point, const struct buffer *buffer, uint64_t size_bytes,
                          unsigned cpu)
{
	struct facts facts = { 0 };
	struct summary summary;
	struct chase chase;

	chase_link(&chase, buffer->at, size_bytes, ctx_seed(ctx));
	chase_measure(&chase, param_number(ctx, TIME), &result);
	summary_of(&result.samples, &summary);
	add_evidence(&facts, &chase, buffer, cpu);
	warn_of_cache(&facts, size_bytes);
	emit_figure(ctx, metric, "ns", point, summary.count ? summary.median : VALUE_NONE, &facts);
}

/* False: this kind of page was not to be had. */
static bool measure(struct ctx *ctx, uint64_t size_bytes, enum map_page page, const char *page_word, unsigned cpu)
{
	const struct point point[] = { point_size("size", size_bytes), point_text("page", page_word),
	                               point_number("node", (uint64_t)cpu_node(cpu)), point_number("cpu", cpu),
	                               POINT_LIST_END };
	uint64_t map_bytes = buffer_round(size_bytes, page), room_bytes = buffer_room_bytes(page);
	struct buffer buffer;
	bool granted;
	int err;

	if (planned(ctx, param_number(ctx, TIME) + size_bytes / 64 * (link_line_ns + lap_line_ns), 0))
		return true;
	if (page == MAP_PAGE_SMALL && strcmp(page_word, buffer_page_word(MAP_PAGE_SMALL))) {
		emit_skip(ctx, metric, point, "this kernel's pages are %s", buffer_page_word(MAP_PAGE_SMALL));
		return false;
	}
	if (!room_bytes) {
		emit_error(ctx, metric, point, "no memory is free, or /proc does not tell how much is");
		return true;
	}
	if (map_bytes > room_bytes) {
		emit_skip(ctx, metric, point, "%llu KiB are needed, half of the free memory is %llu KiB",
		          (unsigned long long)(map_bytes / KIB), (unsigned long long)(room_bytes / KIB));
		return true;
	}
	err = buffer_map(&buffer, size_bytes, page);
	if (err) {
		emit_skip(ctx, metric, point, "no %s pages: %s", page_word, sys_error(err));
		return false;
	}
	buffer_touch(buffer.at, buffer.bytes);
	granted = buffer_is_granted(&buffer, buffer_huge_bytes(&buffer));
	if (granted)
		chase_through(ctx, point, &buffer, size_bytes, cpu);
	else
		emit_skip(ctx, metric, point, "%s not granted: huge pages back %llu of %llu KiB", page_word,
		          (unsigned long long)(buffer_huge_bytes(&buffer) / KIB), (unsigned long long)(buffer.bytes / KIB));
	buffer_unmap(&buffer);
	return granted;
}

/* Small pages go by their true size: the word 4k is not theirs everywhere. */
static void measure_size(struct ctx *ctx, uint64_t size_bytes, unsigned cpu)
{
	bool all_had = true, small_asked = false;

	for_each_param(ctx, PAGE, page) {
		const char *word = page == MAP_PAGE_SMALL ? "4k" : buffer_page_word((enum map_page)page);

		all_had &= measure(ctx, size_bytes, (enum map_page)page, word, cpu);
		small_asked |= page == MAP_PAGE_SMALL && buffer_small_is_4k();
	}
	if (!all_had && !small_asked)
		measure(ctx, size_bytes, MAP_PAGE_SMALL, buffer_page_word(MAP_PAGE_SMALL), cpu);
}

static void run(struct ctx *ctx)
{
	struct cpu_list cpus;
	int err;

	cpu_allowed(&cpus);
	err = cpu_pin(cpus.cpus[0]);
	if (err) {
		emit_error(ctx, metric, NULL, "cannot run on CPU %u alone: %s", cpus.cpus[0], sys_error(err));
		return;
	}
	for_each_param(ctx, SIZE, size_bytes) {
		measure_size(ctx, size_bytes, cpus.cpus[0]);
		emit_progress(ctx, size_bytes_i + 1, param_values(ctx, SIZE)->count);
	}
	cpu_pin_all(&cpus);
}

const struct step step_mem_latency = {
	.name = "mem.latency", .summary = "latency of caches and DRAM by a pointer chase, size x page",
	.params = params, .run = run,
};
