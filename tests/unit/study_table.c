/* study_table.c: the studies are found by their names, and their parameters can be read. */
#include <fcntl.h>
#include <unistd.h>

#include "step/context.h"
#include "study/study.h"
#include "test.h"

test(every_study_is_found_by_its_name)
{
	for (unsigned i = 0; studies[i]; i++) {
		check_equal(strncmp(studies[i]->name, "study.", 6), 0);
		check(study_find(study_name(i, NULL)) == studies[i]);
		check(studies[i]->summary[0]);
	}
	check_string(study_find("edge-nvme")->name, "study.edge-nvme");
	check(study_find("load")->run);
	check(!study_find("cyberrt")->run);
	check(!study_find("edge"));
	check(!study_find("study.edge-nvme"));
	check(!study_name(99, NULL));
}

test(every_default_is_a_value_at_every_level)
{
	static struct ctx ctx;
	static const struct board board;
	char fault[200];

	for (unsigned i = 0; studies[i]; i++)
		for (enum level level = LEVEL_SHORT; level < LEVEL_COUNT; level++) {
			ctx = (struct ctx){ .step = studies[i], .board = &board };
			check_equal(context_params(&ctx, level, NULL, 0, fault, sizeof fault), 0);
		}
}

/* A scratch of a size, and the study's default points on it, dry. */
static uint64_t planned_ns(const char *study, uint64_t size_bytes)
{
	static const struct board board;
	static const struct identity identity;
	static const struct put_aside put_aside;
	const struct scratch scratch = { .fd = -1, .file_fd = -1, .size_bytes = size_bytes, .logical_block_bytes = 512, .only = true };
	static struct ctx ctx;
	char fault[200];

	ctx = (struct ctx){
		.step = study_find(study), .board = &board, .identity = &identity, .put_aside = &put_aside, .scratch = &scratch, .dry = true,
		.event_fd = open("/dev/null", O_WRONLY), .write_left_bytes = UINT64_MAX, .noise_milli = VALUE_NONE,
	};
	check_equal(context_params(&ctx, LEVEL_SHORT, NULL, 0, fault, sizeof fault), 0);
	ctx.step->run(&ctx);
	close(ctx.event_fd);
	return ctx.plan_ns;
}

test(edge_nvme_takes_at_most_three_minutes)
{
	check(planned_ns("edge-nvme", 4 * GIB) > SECONDS(60));
	check(planned_ns("edge-nvme", 4 * GIB) < SECONDS(180));
	check(planned_ns("edge-nvme", TIB) < SECONDS(180));
	printf("# edge-nvme: planned %" PRIu64 " s\n", (uint64_t)(planned_ns("edge-nvme", TIB) / SECONDS(1)));
}

/* Where memory has one node; each further one costs its row and its column. */
test(mlc_takes_at_most_three_minutes)
{
	check(planned_ns("mlc", 4 * GIB) > SECONDS(10));
	check(planned_ns("mlc", 4 * GIB) < SECONDS(180));
	printf("# mlc: planned %" PRIu64 " s\n", (uint64_t)(planned_ns("mlc", 4 * GIB) / SECONDS(1)));
}

test(the_other_studies_end_too)
{
	static const char *const names[] = { "edge-emmc", "laptop-fio", "load", "interference" };

	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		check(planned_ns(names[i], 64 * GIB) > SECONDS(10));
		check(planned_ns(names[i], 64 * GIB) < SECONDS(1800));
	}
}

test(interference_takes_at_most_half_a_minute)
{
	check(planned_ns("interference", 64 * GIB) < SECONDS(30));
}
