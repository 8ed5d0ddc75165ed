/* help.c: `assay help`, `assay help COMMAND`, `assay version`; made from the tables that the program itself uses. */
#include <string.h>

#include "cli/cli.h"
#include "lib/text.h"
#include "param.h"
#include "run/options.h"
#include "step/block_command.h"
#include "step/net_command.h"
#include "step/sequence.h"
#include "study/study.h"
#include "sys/build.h"

static char buffer[12 << 10];

/* before: what stands before each name, "--" where they are a command's options. */
static void add_params(struct text *text, const char *before, const struct step *step)
{
	for (const struct param *param = step->params; param && param->type; param++) {
		char name[32];

		text_format(name, sizeof name, "%s%s", before, param->name);
		text_add_format(text, "  %-26s %s", name, param->help);
		if (param->words)
			text_add_format(text, ": %s", param->words);
		text_add_format(text, " (%s", param->def);
		if (param->def_medium)
			text_add_format(text, "; medium %s", param->def_medium);
		if (param->def_long)
			text_add_format(text, "; long %s", param->def_long);
		text_add(text, ")\n");
	}
}

static void add_steps(struct text *text)
{
	text_add(text, "\nSteps, in order, and their parameters (--set STEP.PARAM=VALUE):\n");
	for (unsigned i = 0; sequence[i]; i++) {
		text_add_format(text, "  %-18s %s%s\n", sequence[i]->name, sequence[i]->summary,
		                sequence[i]->run ? "" : " (not in this version)");
		add_params(text, "    ", sequence[i]);
	}
}

static int help_run(const char *name)
{
	struct text text = TEXT(buffer);

	text_add_format(&text, "assay %s [options]\n\nOptions (as process 1: assay.level=short on the kernel's command line):\n", name);
	options_help(&text);
	add_steps(&text);
	cli_print("%s", buffer);
	return 0;
}

static int help_block(const struct command *command)
{
	struct text text = TEXT(buffer);

	text_add_format(&text, "assay %s %s\n  %s\n\nOptions of a measurement:\n", command->name, command->arguments, command->summary);
	add_params(&text, "--", &step_block);
	text_add(&text, "\nOptions of integrity, in place of a measurement (--verify; --size 0 then is all of it):\n");
	add_params(&text, "--", sequence_find("block.verify"));
	text_add(&text, "\nHealth, in place of a measurement:\n");
	add_params(&text, "--", sequence_find("block.health"));
	text_add(&text, "\nCommon options (--scratch, --only and --skip are of a run):\n");
	options_help(&text);
	cli_print("%s", buffer);
	return 0;
}

static int help_study(void)
{
	struct text text = TEXT(buffer);

	text_add(&text, "assay study NAME [DEV] [options]\n  DEV is only read; --scratch names one that may be overwritten, and then the points that write are there, too\n");
	for (unsigned i = 0; studies[i]; i++) {
		text_add_format(&text, "\n%s: %s%s\n", study_name(i, NULL), studies[i]->summary, studies[i]->run ? "" : " (not in this version)");
		add_params(&text, "--", studies[i]);
	}
	cli_print("%s", buffer);
	return 0;
}

static int help_mem(const struct command *command)
{
	struct text text = TEXT(buffer);
	const struct step *step;

	text_add_format(&text, "assay %s %s\n  %s\n", command->name, command->arguments, command->summary);
	for (unsigned i = 0; (step = cli_mem_step(i)); i++) {
		text_add_format(&text, "\n%s: %s%s\n", step->name + strlen("mem."), step->summary, step->run ? "" : " (not in this version)");
		add_params(&text, "--", step);
	}
	text_add(&text, "\nCommon options (--scratch, --only and --skip are of a run):\n");
	options_help(&text);
	cli_print("%s", buffer);
	return 0;
}

static int help_net(const struct command *command)
{
	struct text text = TEXT(buffer);

	text_add_format(&text, "assay %s %s\n  %s\n  iperf3's short words are understood, too: -u -R -P -t -n -k -b -l -w -M -N -C -O -i -B -Z -p -A -S -T -J -4 -6 -c HOST\n"
	                "  and its --dscp, --affinity CPU,SERVER'S-CPU and --skip-rx-copy; --connect-timeout is in ms, -B may be ADDRESS%%DEVICE\n\n",
	                command->name, command->arguments, command->summary);
	add_params(&text, "--", &step_net);
	text_add(&text, "\nCommon options (--scratch, --only and --skip are of a run):\n");
	options_help(&text);
	cli_print("%s", buffer);
	return 0;
}

static int help_serve(const struct command *command)
{
	struct text text = TEXT(buffer);

	text_add_format(&text, "assay %s %s\n  %s\n\nOptions:\n", command->name, command->arguments, command->summary);
	add_params(&text, "--", &cli_serve_options);
	text_add(&text, "  -4, -6                     one family alone\n");
	cli_print("%s", buffer);
	return 0;
}

static int help_command(const char *name)
{
	const struct command *command;

	if (!strcmp(name, "run") || !strcmp(name, "plan"))
		return help_run(name);
	for (unsigned i = 0; (command = cli_command(i)); i++) {
		if (strcmp(command->name, name))
			continue;
		if (!strcmp(name, "study"))
			return help_study();
		if (!strcmp(name, "block"))
			return help_block(command);
		if (!strcmp(name, "serve"))
			return help_serve(command);
		if (!strcmp(name, "net"))
			return help_net(command);
		if (!strcmp(name, "mem"))
			return help_mem(command);
		cli_print("assay %s %s\n  %s\n", command->name, command->arguments, command->summary);
		return 0;
	}
	return cli_usage("no command \"%s\" to help with; see `assay help`", name);
}

int cli_help(int argc, char **argv)
{
	const struct command *command;
	struct text text = TEXT(buffer);

	if (argc > 1)
		return help_command(argv[1]);
	text_add(&text, "assay tells what a board is worth: storage, memory, sockets and messages, one verdict, one record.\n\n");
	for (unsigned i = 0; (command = cli_command(i)); i++)
		text_add_format(&text, "  assay %-8s %-20s %s\n", command->name, command->arguments, command->summary);
	text_add(&text, "\nStatus: 0 PASS, 1 FAIL, 2 ERROR or wrong usage, 3 MEASURED, 130 interrupted.\n"
	                "Nothing is written to any device unless it is named as one that may be overwritten.\n");
	cli_print("%s", buffer);
	return 0;
}

int cli_version(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return cli_usage("version takes no words");
	cli_print("assay %s build %s\n", ASSAY_VERSION, build_id());
	return 0;
}
