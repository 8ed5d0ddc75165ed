/* mem_shared.c: what the steps that measure memory share: which kinds of page are tried, and what the evidence says. */
#include "step/mem_shared.h"

#include "step/context.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys_dmi.h"
#include "sys_tree.h"
#include "test.h"

static struct ctx ctx = { .dry = true };
static struct facts facts;
static unsigned tried;
static bool had[4];

static const char *text_of(const char *key)
{
	for (unsigned i = 0; i < facts.text_count; i++)
		if (!strcmp(facts.texts[i].key, key))
			return facts.texts[i].text;
	return "";
}

static const char *cpus_of(unsigned count, unsigned step)
{
	static struct cpu_list cpus;

	for (unsigned i = 0; i < count; i++)
		cpus.cpus[i] = (uint16_t)(i * step);
	cpus.count = count;
	facts = (struct facts){ 0 };
	mem_fact_cpus(&facts, &cpus, count);
	return text_of("cpus");
}

test(neighbouring_cpus_are_a_range)
{
	static const struct cpu_list holes = { .count = 6, .cpus = { 0, 1, 2, 3, 8, 10 } };

	check_string(cpus_of(1, 1), "0");
	check_string(cpus_of(256, 1), "0-255");
	check_string(cpus_of(3, 2), "0,2,4");
	facts = (struct facts){ 0 };
	mem_fact_cpus(&facts, &holes, 5);
	check_string(text_of("cpus"), "0-3,8");
}

test(a_list_of_cpus_that_does_not_fit_is_not_cut_within_a_number)
{
	check_string(cpus_of(100, 2), "100, from 0 to 198");
}

/* What is said of so many CPUs, numbered by that step; "" for nothing. */
static const char *left_out_of(unsigned count, unsigned step)
{
	static struct event event;
	struct cpu_list cpus = { .count = count };
	struct ctx real = { .noise_milli = VALUE_NONE };
	int pipe[2];

	for (unsigned i = 0; i < count; i++)
		cpus.cpus[i] = (uint16_t)(i * step);
	memset(&event, 0, sizeof(event));
	check_equal(sys_pipe(pipe), 0);
	real.event_fd = pipe[1];
	mem_log_left_out(&real, &cpus);
	sys_close(pipe[1]);
	sys_read(pipe[0], &event, sizeof(event));
	sys_close(pipe[0]);
	return event.message;
}

test(cpus_that_get_no_thread_are_told)
{
	check_string(left_out_of(MAX_THREADS, 1), "");
	check_string(left_out_of(300, 1), "44 of 300 CPUs are left out, for there are 256 threads at most: 256-299");
	check_string(left_out_of(500, 2), "244 of 500 CPUs are left out, for there are 256 threads at most: from 512 to 998");
}

static enum mem_outcome measure(struct ctx *same, enum map_page page, const char *word, void *context)
{
	(void)context;
	check(same == &ctx);
	if (page != MAP_PAGE_SMALL)
		check_string(word, buffer_page_word(page));
	tried = tried * 10 + page + 1;
	return had[page] ? MEM_READY : MEM_NO_PAGES;
}

/* The kinds of page that were tried, a digit each: 1 small, 2 thp, 3 2m. */
static unsigned pages_tried(unsigned first, unsigned second)
{
	ctx.params[0] = (struct param_value){ .count = 2, .numbers = { first, second } };
	tried = 0;
	mem_each_page(&ctx, 0, measure, NULL);
	return tried;
}

test(small_pages_are_tried_as_well_when_another_kind_was_not_to_be_had)
{
	had[MAP_PAGE_THP] = true;
	had[MAP_PAGE_2M] = false;
	check_equal(pages_tried(MAP_PAGE_THP, MAP_PAGE_2M), 231);
	had[MAP_PAGE_2M] = true;
	check_equal(pages_tried(MAP_PAGE_THP, MAP_PAGE_2M), 23);
}

test(small_pages_that_were_asked_for_are_not_tried_twice)
{
	had[MAP_PAGE_SMALL] = buffer_small_is_4k();
	had[MAP_PAGE_2M] = false;
	check_equal(pages_tried(MAP_PAGE_SMALL, MAP_PAGE_2M), buffer_small_is_4k() ? 13 : 131);
}

test(a_buffer_of_less_than_four_last_caches_may_fit_them)
{
	facts = (struct facts){ 0 };
	mem_fact_cache(&facts, 4 * buffer_last_cache_bytes());
	check_equal(facts.text_count, 0);
	mem_fact_cache(&facts, 4 * buffer_last_cache_bytes() - 4);
	check(strstr(text_of("may_fit_cache"), "less than 4 times the last cache, "));
}

/* Of 1 GB/s. */
static void check_bound(int64_t bytes_per_s, int64_t ratio_milli, const char *source)
{
	const struct fact *bound, *ratio;

	facts = (struct facts){ 0 };
	mem_fact_bound(&ctx, &facts, 1000000000000);
	bound = fact_find(&facts, "bound");
	ratio = fact_find(&facts, "ratio");
	check_equal(bound ? bound->milli / 1000 : 0, bytes_per_s);
	check_equal(ratio ? ratio->milli : 0, ratio_milli);
	check_string(text_of("bound_source"), source);
}

test(bound_is_the_board_file_s_before_dmi_s)
{
	static struct board board;

	ctx.board = &board;
	tree_start();
	file_root(tree);
	check_bound(0, 0, "");
	dmi_two_channels();
	tree_put_bytes("/sys/firmware/dmi/tables/DMI", (const char *)dmi, dmi_bytes);
	check_bound(38400000000, 26, "DMI: 2 channels x 64 bit x 2400 MT/s");
	board.memory_bound_bytes_per_s = 204800000000;
	check_bound(204800000000, 5, "board file");
	file_root("");
	tree_end();
}
