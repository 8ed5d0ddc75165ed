#include <unistd.h>

#include "lib/text.h"
#include "step/context.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "test.h"

static struct board board;
static struct counters counters;
static struct ctx ctx;
static struct event event;
static int pipe_ends[2];

static void start(void)
{
	if (!ctx.board)
		check_equal(pipe(pipe_ends), 0);
	ctx = (struct ctx){ .board = &board, .counters = &counters, .event_fd = pipe_ends[1], .noise_milli = VALUE_NONE };
}

static const struct event *next(void)
{
	check_equal(read(pipe_ends[0], &event, sizeof event), sizeof event);
	return &event;
}

test(a_figure_is_judged_where_the_board_file_bounds_it)
{
	const struct point points[] = { point_text("pattern", "random"), POINT_LIST_END };

	start();
	board.limit_count = 2;
	board.limits[0] = (struct limit){ .metric = "mem.test.errors[pattern=random]", .has_max = true, .judged = true };
	board.limits[1] = (struct limit){ .metric = "clock.sanity.backwards", .has_warn_max = true, .judged = true };
	check(ctx_judges(&ctx, "mem.test.errors", points));
	check(!ctx_judges(&ctx, "mem.test.errors", NULL));
	check(!ctx_judges(&ctx, "clock.sanity.backwards", NULL));
}

test(a_counter_of_the_start_is_found_by_its_name)
{
	int64_t milli = 0;

	start();
	counters = (struct counters){ .count = 2, .at = { { "oc1", 3000 }, { "oc2", 4000 } } };
	check(ctx_start_counter(&ctx, "oc2", &milli));
	check_equal(milli, 4000);
	check(!ctx_start_counter(&ctx, "oc3", &milli));
}

static const char *text_of(const struct facts *facts, const char *key)
{
	for (uint32_t i = 0; i < facts->text_count; i++)
		if (!strcmp(facts->texts[i].key, key))
			return facts->texts[i].text;
	return "";
}

test(a_figure_names_the_quick_clock_with_its_grain)
{
	start();
	emit_figure(&ctx, "a.b", "1", NULL, 1000, NULL);
	check_string(text_of(&next()->facts, "clock"), clock_quality()->name);
	check_equal(fact_find(&event.facts, "clock_resolution_ns")->milli, (int64_t)clock_quality()->resolution_ps);
}

test(the_reference_clock_has_its_own_grain)
{
	struct facts facts = { .count = 0 };

	start();
	fact_text(&facts, "clock", "monotonic_raw");
	emit_figure(&ctx, "a.b", "1", NULL, 1000, &facts);
	check_string(text_of(&next()->facts, "clock"), "monotonic_raw");
	check_equal(fact_find(&event.facts, "clock_overhead_ns")->milli, (int64_t)clock_reference()->overhead_ps);
	check(clock_reference()->overhead_ps > 0);
	check(!fact_find(&event.facts, "rate_error_ppm"));
}

test(a_clock_that_the_engine_names_is_kept_without_the_grain_of_another)
{
	struct facts facts = { .count = 0 };

	start();
	fact_text(&facts, "clock", "a sundial");
	emit_figure(&ctx, "a.b", "1", NULL, 1000, &facts);
	check_string(text_of(&next()->facts, "clock"), "a sundial");
	check(!fact_find(&event.facts, "clock_resolution_ns"));
	check(!fact_find(&event.facts, "rate_error_ppm"));
}

test(that_no_frequency_is_told_is_said)
{
	const struct conditions nothing = { .cpu_hz_max = 0 }, counted = { .has_throttles = true };
	struct facts facts = { .count = 0 };

	watch_facts(&counted, &counted, &facts);
	check_string(text_of(&facts, "cpu_frequency"), "");
	watch_facts(&nothing, &nothing, &facts);
	check_string(text_of(&facts, "cpu_frequency"), "not told");
}

test(skipped_cell_brings_its_place_its_unit_and_a_reason_of_one_line)
{
	struct facts facts = { .count = 0 };
	const struct event *got;

	start();
	fact_cell(&facts, "a table", "read", "4g", 3820000);
	emit_skip_cell(&ctx, "block.read.bandwidth", "B/s", NULL, &facts, "the scratch has\n%u GiB", 1);
	got = next();
	check_equal(got->kind, EVENT_SKIP);
	check_string(got->unit, "B/s");
	check_string(got->message, "the scratch has 1 GiB");
	check_string(text_of(&got->facts, "column"), "4g");
	check_equal(fact_find(&got->facts, "reference")->milli, 3820000);
}

test(series_counts_its_elements)
{
	start();
	emit_series(&ctx, "block.read.lat", "1", NULL, NULL);
	check_equal(next()->kind, EVENT_SERIES);
	for (unsigned i = 0; i < 3; i++) {
		emit_element(&ctx, 100 + i, 1000);
		check_equal(next()->aux, 100 + i);
	}
	emit_series_end(&ctx);
	check_equal(next()->kind, EVENT_SERIES_END);
	check_equal(event.aux, 3);
}
