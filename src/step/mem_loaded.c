/*
 * mem.loaded: the latency of memory while the other CPUs move data, by a delay between the steps of each; after Intel MLC's loaded latency.
 *
 * One curve for each mix, buffer and kind of page, kept apart by their names and drawn over one another: latency and bandwidth for each
 * delay, and the knee.  One thread on each CPU: the first chases, the others inject.
 */
#include "lib/number.h"
#include "step/mem_point.h"

enum { DELAYS, BUFFER, MIX, PAGE, TIME, ROUNDS, THREADS };

/* Delays that span those of MLC, whose counts take about a quarter of a ns each; at level medium its three buffers. */
static const struct param params[] = {
	[DELAYS] = { "delays", PARAM_COUNTS, .def = "0,50,175,625,5000",
	             .def_medium = "0,1,2,4,12,25,50,75,100,125,175,250,325,425,625,875,1250,2250,5000", .max = 1000000,
	             .help = "ns that an injector waits for each 512 bytes that it moves; 0: none, in steps of 64 KiB" },
	[BUFFER] = { "buffer", PARAM_SIZES, .def = "64m", .def_medium = "100000KiB,64000KiB,256000KiB", .min = STREAM_CHUNK_BYTES, .max = TIB,
	             .help = "of each thread" },
	[MIX]    = { "mix", PARAM_WORDS, .def = "reads", .words = STREAM_MIX_WORDS, .help = "what the injectors do" },
	[PAGE]   = { "page", PARAM_WORDS, .def = "thp", .words = BUFFER_PAGE_WORDS, .help = "kinds of page the buffers lie on" },
	[TIME]   = { "time", PARAM_DURATION, .def = "300ms", .def_medium = "400ms", .min = MS(8), .max = SECONDS(60), .help = "time for each delay, of all rounds" },
	[ROUNDS] = { "rounds", PARAM_COUNT, .def = "8", .min = 1, .max = LOADED_ROUNDS_MAX, .help = "the delays are gone through so often, in another order each time" },
	[THREADS] = { "threads", PARAM_COUNTS, .def = "all", .words = "all", .min = 1, .max = MAX_THREADS,
	              .help = "the one that chases among them, one on each CPU" },
	PARAM_END
};

static struct loaded_told told;

static struct point point_mix(enum stream_mix mix)
{
	char word[16];

	param_word(&params[MIX], mix, word, sizeof word);
	return point_text("mix", word);
}

static enum mem_outcome measure(struct ctx *ctx, enum map_page page, const char *word, void *context)
{
	struct loaded_ask *ask = context;
	const struct point points[] = { point_mix(ask->job.mix), point_number("threads", ask->job.threads),
	                                point_size("buffer", ask->job.part_bytes), point_text("page", word), POINT_LIST_END };
	char curve[64];

	text_format(curve, sizeof curve, "%s %s %s", points[2].value, points[0].value, word);
	ask->job.page = page;
	ask->page_word = word;
	ask->points = points;
	ask->curve = curve;
	return mem_loaded_point(ctx, ask, &told);
}

static void run(struct ctx *ctx)
{
	const struct param_value *delays = param_values(ctx, DELAYS);
	unsigned rounds = (unsigned)param_number(ctx, ROUNDS), all;
	struct cpu_list cpus;

	_Static_assert((int)MAX_LIST <= (int)LOADED_MAX_DELAYS, "every list of delays fits");
	cpu_allowed(&cpus);
	all = cpus.count < MAX_THREADS ? cpus.count : MAX_THREADS;
	for_each_param(ctx, MIX, mix)
		for_each_param(ctx, BUFFER, part_bytes)
			for_each_param(ctx, THREADS, threads) {
				struct loaded_ask ask = { .prefix = "mem.loaded",
					.job = { .mix = (enum stream_mix)mix, .cpus = &cpus, .threads = threads ? (unsigned)threads : all,
					         .part_bytes = part_bytes, .time_ns = param_number(ctx, TIME) / rounds, .rounds = rounds,
					         .delay_count = delays->count, .delays_ns = delays->numbers, .seed = ctx_seed(ctx) } };

				mem_each_page(ctx, PAGE, measure, &ask);
			}
}

const struct step step_mem_loaded = {
	.name = "mem.loaded", .summary = "latency under load: delay x buffer, and the knee",
	.params = params, .run = run,
};
