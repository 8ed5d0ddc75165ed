/*
 * mem.c: `assay mem KIND`: one of the steps that measure or test memory, or all of them, with their parameters as options.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/launch.h"
#include "lib/text.h"
#include "run/interrupt.h"
#include "step/sequence.h"

static struct launch launch;

static const char *const kinds[] = { "latency", "c2c", "bandwidth", "loaded", "test" }; /* in the sequence's order */

static const char *kind_name(unsigned index, const void *context)
{
	(void)context;
	return index < COUNT_OF(kinds) ? kinds[index] : index == COUNT_OF(kinds) ? "all" : NULL;
}

const struct step *cli_mem_step(unsigned index)
{
	char name[24];

	if (index >= COUNT_OF(kinds))
		return NULL;
	text_format(name, sizeof name, "mem.%s", kinds[index]);
	return sequence_find(name);
}

/* The steps of a kind, ended by NULL: how many. */
static unsigned steps_of(const char *kind, const struct step **steps)
{
	unsigned count = 0;

	for (unsigned i = 0; i < COUNT_OF(kinds); i++)
		if (!strcmp(kind, kinds[i]) || !strcmp(kind, "all"))
			steps[count++] = cli_mem_step(i);
	steps[count] = NULL;
	return count;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The same name, kind, words and bounds: --time is a point's for the others, and mem.test's is for all of it. */
static bool shares(const struct step *a, const struct step *b, const char *param)
{
	const struct param *of_a = step_param(a, param), *of_b = step_param(b, param);

	return of_a && of_b && of_a->type == of_b->type && is_same(of_a->words, of_b->words) && of_a->min == of_b->min && of_a->max == of_b->max;
}

static bool is_set(const char *step, const char *param)
{
	for (unsigned i = 0; i < launch.options.set_count; i++)
		if (!strcmp(launch.options.sets[i].step, step) && !strcmp(launch.options.sets[i].param, param))
			return true;
	return false;
}

static int share_setting(const struct setting *setting, const struct step *const *behind)
{
	struct options *options = &launch.options;
	const struct step *first = behind[-1];

	for (; *behind; behind++) {
		/* What --set gives that step is more to the point. */
		if (!shares(first, *behind, setting->param) || is_set((*behind)->name, setting->param))
			continue;
		if (options->set_count == MAX_SETS)
			return cli_usage("more than %d settings", MAX_SETS);
		options->sets[options->set_count++] = (struct setting){ (*behind)->name, setting->param, setting->value };
	}
	return 0;
}

/* An option that several steps have, such as --page, is meant for all of them; the parser gave it to the first. */
static int share_options(const struct step *const *steps)
{
	unsigned given = launch.options.set_count;
	int status = 0;

	for (unsigned i = 0; i < given && !status; i++) {
		const struct setting setting = launch.options.sets[i];

		/* By the very name: what --set gives has a copy, and stays that step's own. */
		for (const struct step *const *step = steps; *step && !status; step++)
			if ((*step)->name == setting.step)
				status = share_setting(&setting, step + 1);
	}
	return status;
}

static int refuse_kind(const char *word)
{
	const char *nearest = text_nearest(word, kind_name, NULL);

	if (nearest)
		return cli_usage("mem: no kind \"%s\" (did you mean %s?)", word, nearest);
	return cli_usage("mem: no kind \"%s\"; there are test, latency, bandwidth, loaded, c2c and all", word);
}

static int prepare(int argc, char **argv)
{
	const struct step *steps[COUNT_OF(kinds) + 1];
	const char *other;
	unsigned others;
	int status;

	if (argc < 2 || argv[1][0] == '-')
		return cli_usage("mem needs a kind: assay mem test|latency|bandwidth|loaded|c2c|all [options], see `assay help mem`");
	if (!steps_of(argv[1], steps))
		return refuse_kind(argv[1]);
	status = launch_prepare(&launch, steps, argc - 1, argv + 1, &other, 0, &others);
	if (status)
		return status;
	if (*launch.options.scratch || *launch.options.only || *launch.options.skip)
		return cli_usage("--scratch, --only and --skip are of `assay run`: mem measures memory");
	if (launch_check_format(&launch, FORMAT_TEXT))
		return 2;
	status = share_options(steps);
	return status ? status : launch_steps(&launch, steps);
}

int cli_mem(int argc, char **argv)
{
	int status;

	if (cli_asks_study(argc, argv))
		return cli_study_of(argc, argv);
	interrupt_install();
	status = prepare(argc, argv);
	return status ? status : launch_run(&launch, NULL, argc, argv);
}
