/*
 * main.c: the commands, one table; each is one file here.  As the machine's or a container's /init there are two: run, and serve.
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
	{ "block", "DEV [options]", "one storage measurement or a sweep, with fio's words; DEV's integrity, or its health", cli_block },
	{ "mem", "KIND [options]", "memory: test, latency, bandwidth, loaded, c2c, or all", cli_mem },
	{ "net", "PEER [options]", "the way to a peer (`assay serve`, or an iperf3 server), with iperf3's words", cli_net },
	{ "serve", "[options]", "the peer of `assay net`, and of iperf3's clients; it ends by SIGINT or SIGTERM", cli_serve },
	{ "check", "FILE...", "validates board files", cli_check },
	{ "study", "NAME [DEV] [options]", "a study's points, its figures beside ours, its claims judged", cli_study },
	{ "verify", "RECORD...", "checks that a record is whole and unchanged", cli_verify },
	{ "help", "[COMMAND]", "this, or a command's options", cli_help },
	{ "version", "", "version and build", cli_version },
};

/* The design's other commands: known, so that nobody takes them for a typo. */
static const char later[] = "msg env report compare limits";

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

static const struct command *find_command(const char *name)
{
	for (unsigned i = 0; i < COUNT_OF(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Being process 1 is not enough, or `unshare --pid --fork assay version` would set the machine up anew. */
static bool is_init(int argc, char **argv, const struct command *command)
{
	const char *name = argc ? strrchr(argv[0], '/') : NULL;

	if (sys_getpid() != 1 || !argc)
		return false;
	return !strcmp(name ? name + 1 : argv[0], "init") || (!command && init_owns_machine());
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;

	if (is_init(argc, argv, command))
		return init_main(&(const struct init_commands){ .run = cli_run, .serve = cli_serve }, argc, argv); /* which opens the console itself */
	cli_open_standard();
	if (argc < 2)
		return cli_overview();
	return command ? command->run(argc - 1, argv + 1) : unknown(argv[1]);
}
