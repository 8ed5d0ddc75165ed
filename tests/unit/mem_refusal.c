/* mem_refusal.c: why a point of memory has no figure: what is a SKIP, what is an ERROR, and that a claim on memory without a proof is one. */
#include <errno.h>
#include <unistd.h>

#include "step/context.h"
#include "step/mem_point.h"
#include "test.h"

static struct board board;
static struct identity identity;
static struct ctx ctx;
static struct event event;
static int pipe_ends[2];

static void start(void)
{
	if (!ctx.board)
		check_equal(pipe(pipe_ends), 0);
	ctx = (struct ctx){ .board = &board, .identity = &identity, .event_fd = pipe_ends[1], .noise_milli = VALUE_NONE };
}

static void check_next(enum event_kind kind, const char *words)
{
	check_equal(read(pipe_ends[0], &event, sizeof event), sizeof event);
	check_equal(event.kind, kind);
	check(strstr(event.message, words));
}

static void check_refusal(int err, enum mem_outcome outcome, enum event_kind kind, const char *words)
{
	const struct mem_refusal why = { .err = err, .page_word = "2m", .huge_bytes = 4 * MIB, .map_bytes = 64 * MIB, .node = 3, .node_err = -EINVAL, .cpu = 7 };

	start();
	check_equal(mem_refuse(&ctx, "mem.latency", NULL, &why), outcome);
	check_next(kind, words);
}

test(only_pages_that_are_not_to_be_had_are_a_skip)
{
	check_refusal(-ENOMEM, MEM_NO_PAGES, EVENT_SKIP, "no 2m pages: ENOMEM");
	check_refusal(-ENOTSUP, MEM_NO_PAGES, EVENT_SKIP, "2m not granted: huge pages back 4096 of 65536 KiB");
	check_refusal(-EXDEV, MEM_READY, EVENT_ERROR, "memory of node 3: EINVAL");
	check_refusal(-EINVAL, MEM_READY, EVENT_ERROR, "a thread on CPU 7: EINVAL");
}

test(pages_that_lie_on_another_node_are_an_error)
{
	const struct mem_refusal why = { .err = -EXDEV, .node = 3, .node_err = -EXDEV };

	start();
	mem_refuse(&ctx, "mem.latency", NULL, &why);
	check_next(EVENT_ERROR, "memory of node 3: pages lie elsewhere");
}

static struct cpu_list cpus;
static const struct point points[] = { { "mix", "reads" }, POINT_LIST_END };

/* Fewer lines than the proof takes. */
static struct mem_told bandwidth(bool is_dram)
{
	struct mem_told told;
	struct bandwidth_ask ask = {
		.metric = "mem.bandwidth", .points = points, .rounds = 1, .page_word = "4k", .is_dram = is_dram,
		.job = { .mix = STREAM_READS, .cpus = &cpus, .threads = 1, .part_bytes = STREAM_CHUNK_BYTES, .page = MAP_PAGE_SMALL, .node = NUMA_ANY,
		         .time_ns = MS(2), .windows = 2, .kernel = &mem_kernel_c },
	};

	start();
	cpu_allowed(&cpus);
	ask.page_word = buffer_page_word(MAP_PAGE_SMALL);
	check_equal(mem_bandwidth_point(&ctx, &ask, &told), MEM_READY);
	return told;
}

test(bandwidth_of_memory_without_a_proof_is_an_error)
{
	struct mem_told told = bandwidth(true);

	check(!told.is_told);
	check(told.median_milli == VALUE_NONE);
	check_next(EVENT_ERROR, "the caches hold part of the 64k a thread: the lines that come next take an unknown part");
}

test(bandwidth_of_whatever_holds_the_buffer_says_so_beside_its_figure)
{
	struct mem_told told = bandwidth(false);

	check(told.is_told);
	check_next(EVENT_LOG, "the caches hold part of the 64k a thread (mix=reads, threads: 1)");
	check_next(EVENT_FIGURE, "");
	check(!fact_find(&event.facts, "of_flushed"));
}

test(latency_of_memory_without_a_proof_is_an_error)
{
	const struct latency_ask ask = {
		.metric = "mem.latency", .points = points, .size_bytes = 64 * KIB, .time_ns = MS(10), .rounds = 1, .page = MAP_PAGE_SMALL,
		.page_word = buffer_page_word(MAP_PAGE_SMALL), .cpu = cpus.cpus[0], .node = NUMA_ANY, .is_dram = true,
	};
	struct mem_told told;

	start();
	check_equal(mem_latency_point(&ctx, &ask, &told), MEM_READY);
	check(!told.is_told);
	check_next(EVENT_ERROR, "64k are too small to prove");
}
