/*
 * run.c: `assay run`, `assay plan`, and `assay` alone: the fixed sequence.
 */
#include "cli/cli.h"
#include "cli/launch.h"
#include "lib/number.h"
#include "lib/text.h"
#include "run/interrupt.h"
#include "run/scratch_open.h"

static struct launch launch;

static int prepare(int argc, char **argv)
{
	const char *other;
	unsigned others;
	int status = launch_prepare(&launch, NULL, argc, argv, &other, 0, &others);

	if (!status && *launch.options.destroy && !*launch.options.scratch)
		return cli_usage("--destroy goes with --scratch DEVICE: what is to be overwritten is named twice");
	return status ? status : launch_sequence(&launch);
}

int cli_run(int argc, char **argv)
{
	int status;

	interrupt_install();
	status = prepare(argc, argv);
	return status ? status : launch_run(&launch, NULL, argc, argv);
}

/* ---- plan ---- */

static void add_bound(struct text *text, const char *what, bool has, int64_t milli)
{
	if (!has)
		return;
	text_add_format(text, " %s ", what);
	number_add_milli(text, milli);
}

static void print_limit(const struct limit *limit)
{
	char line[MAX_METRIC + 128];
	struct text text = TEXT(line);

	text_add_format(&text, "  %s", limit->metric);
	add_bound(&text, "min", limit->has_min, limit->min_milli);
	add_bound(&text, "max", limit->has_max, limit->max_milli);
	add_bound(&text, "warn_min", limit->has_warn_min, limit->warn_min_milli);
	add_bound(&text, "warn_max", limit->has_warn_max, limit->warn_max_milli);
	if (!limit->has_min && !limit->has_max)
		text_add(&text, limit->required ? " required and null: nobody has calibrated it, the verdict can not be PASS" : " null");
	cli_print("%s\n", line);
}

static void print_limits(void)
{
	cli_print("limits\n");
	for (unsigned i = 0; i < launch.board.limit_count; i++)
		print_limit(&launch.board.limits[i]);
}

static void print_plan(void)
{
	const struct board *board = &launch.board;
	uint64_t time_ns, write_bytes;
	char total[64];
	struct text text = TEXT(total);

	cli_print("board %s (%s, %s), level %s\n", board->name, board->title, board->source, launch_level(&launch));
	cli_print("scratch: %s%s\n", *launch.options.scratch ? launch.options.scratch : "none: nothing is written to any device",
	          launch.scratch.foreign ? ", which holds others' data that --destroy gives up"
	                                 : launch.scratch.destroyed ? ", given up by --destroy" : "");
	launch_print_plan(&launch, &time_ns, &write_bytes);
	print_limits();
	number_add_duration(&text, time_ns);
	cli_print("in all: %s, %llu bytes to be written\n", total, (unsigned long long)write_bytes);
}

static int check_scratch(void)
{
	static char fault[512];

	if (!*launch.options.scratch)
		return 0;
	if (scratch_check(launch.options.scratch, launch.options.destroy, &launch.scratch, fault, sizeof fault))
		return cli_usage("%s", fault);
	launch.session.scratch = &launch.scratch;
	return 0;
}

int cli_plan(int argc, char **argv)
{
	int status;

	interrupt_install();
	status = prepare(argc, argv);
	if (!status)
		status = check_scratch();
	if (!status)
		print_plan();
	return status;
}

int cli_overview(void)
{
	char *probe[] = { "probe" }, *plan[] = { "plan" };
	int status = cli_probe(1, probe);

	cli_print("\nWhat `assay run` would do here (`assay help` lists the commands):\n");
	return status ? status : cli_plan(1, plan);
}
