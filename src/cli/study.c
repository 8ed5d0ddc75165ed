/*
 * study.c: `assay study NAME [DEV|HOST]`: the points of one of the studies, its figures beside ours, and its claims judged.
 *
 * Without DEV the device is the one that plays the study's role in the board file.  DEV is only read, unless --destroy gives it
 * up; --scratch names one that may be overwritten instead.  A study of the network has a peer in its place (--peer, too).
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/launch.h"
#include "lib/text.h"
#include "run/interrupt.h"
#include "run/scratch_open.h"
#include "run/target.h"
#include "study/study.h"

static struct launch launch;
static const char *words[2]; /* NAME, DEV or HOST */
static unsigned word_count;

static bool has_peer(void)
{
	return study_find(words[0])->needs & NEEDS_PEER;
}

static int open_target(struct launch *given, char *fault, unsigned size)
{
	int err;

	if (*given->options.scratch) {
		err = scratch_open(given->options.scratch, given->options.destroy, &given->scratch, fault, size);
		target_only(&given->scratch);
		return err;
	}
	return word_count > 1 && !has_peer() ? target_open(words[1], &given->scratch, fault, size) : 0;
}

static int refuse_name(const char *name)
{
	const char *nearest = text_nearest(name, study_name, NULL);

	if (nearest)
		return cli_usage("no study \"%s\" (did you mean %s?)", name, nearest);
	return cli_usage("no study \"%s\"; see `assay help study`", name);
}

/* Its name decides which options there are, so it comes first. */
static int prepare(int argc, char **argv)
{
	const struct step *own[2] = { NULL, NULL };
	int status;

	if (argc < 2 || argv[1][0] == '-')
		return cli_usage("study needs a name: assay study NAME [DEV] [options], see `assay help study`");
	own[0] = study_find(argv[1]);
	if (!own[0])
		return refuse_name(argv[1]);
	if (!own[0]->run)
		return cli_usage("the study %s is not in this version", argv[1]);
	status = launch_prepare(&launch, own, argc, argv, words, 2, &word_count);
	if (status)
		return status;
	if (launch_check_format(&launch, FORMAT_TEXT))
		return 2;
	if (word_count > 1 && *launch.options.scratch)
		return cli_usage("%s and --scratch %s: a study has one device: give one of them", words[1], launch.options.scratch);
	if (has_peer() && word_count > 1)
		status = launch_peer(&launch, words[1], NET_ANY);
	if (status)
		return status;
	if (has_peer() && !*launch.peer)
		return cli_usage("study %s needs a peer: assay study %s HOST [options]; on the other end: assay serve, or iperf3 -s", words[0], words[0]);
	return launch_steps(&launch, own);
}

int cli_study(int argc, char **argv)
{
	int status;

	interrupt_install();
	status = prepare(argc, argv);
	return status ? status : launch_run(&launch, open_target, argc, argv);
}

/* ---- as an option of another command ---- */

static const char option[] = "--study=";

/* Which word it is; 0: there is none. */
static int find_option(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--study") || text_starts(argv[i], option))
			return i;
	return 0;
}

bool cli_asks_study(int argc, char **argv)
{
	return find_option(argc, argv);
}

int cli_study_of(int argc, char **argv)
{
	static char *given[64];
	int at = find_option(argc, argv), count = 0;
	bool joined = text_starts(argv[at], option);

	if (argc >= (int)COUNT_OF(given) || (!joined && at + 1 == argc))
		return cli_usage("--study needs the name of one, see `assay help study`");
	given[count++] = argv[0];
	given[count++] = joined ? argv[at] + strlen(option) : argv[at + 1];
	for (int i = 1; i < argc; i++)
		if (i != at && (joined || i != at + 1))
			given[count++] = argv[i];
	return cli_study(count, given);
}
