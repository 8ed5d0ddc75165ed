/*
 * main.c: the commands, one table; each is one file here.  As process 1 there is only one command: run.
 *
 * Exit status: 0 PASS, 1 FAIL, 2 ERROR or wrong usage, 3 MEASURED, 130 interrupted.
 */
#include <string.h>

#include "capacity.h"
#include "cli/cli.h"
#include "init/init.h"
#include "lib/text.h"
#include "sys/call.h"

static const struct command commands[] = {
	{ "run", "[options]", "the fixed self-test sequence: one verdict, one record", cli_run },
	{ "plan", "[options]", "what run would do: steps, devices, limits, bytes to be written, time; touches nothing", cli_plan },
	{ "probe", "[--capture FOLDER]", "identity, every block device, port and sensor; which board file fits", cli_probe },
	{ "check", "FILE...", "validates board files", cli_check },
	{ "verify", "RECORD...", "checks that a record is whole and unchanged", cli_verify },
	{ "help", "[COMMAND]", "this, or a command's options", cli_help },
	{ "version", "", "version and build", cli_version },
};

/* The design's other commands: known, so that nobody takes them for a typo. */
static const char later[] = "block mem net serve msg env study report compare limits";

const struct command *cli_command(unsigned index)
{
	return index < COUNT_OF(commands) ? &commands[index] : NULL;
}

static const char *command_name(unsigned index, const void *context)
{
	(void)context;
	return index < COUNT_OF(commands) ? commands[index].name : NULL;
}

static int unknown(const char *word)
{
	const char *nearest = text_nearest(word, command_name, NULL);

	if (text_in_list(later, ' ', word))
		return cli_usage("the command \"%s\" is not in this version", word);
	if (nearest)
		return cli_usage("unknown command \"%s\" (did you mean %s?)", word, nearest);
	return cli_usage("unknown command \"%s\"; see `assay help`", word);
}

int main(int argc, char **argv)
{
	if (sys_getpid() == 1)
		return init_main(cli_run, argc, argv);
	if (argc < 2)
		return cli_overview();
	for (unsigned i = 0; i < COUNT_OF(commands); i++)
		if (!strcmp(commands[i].name, argv[1]))
			return commands[i].run(argc - 1, argv + 1);
	return unknown(argv[1]);
}
