/*
 * check.c: `assay check FILE...`: are these board files right, their step parameters included?
 *
 * A line a file: what it holds, on standard output; or its first fault, on standard error.  0, or 2 when one has a fault.
 */
#include <string.h>

#include "cli/cli.h"
#include "run/choose.h"
#include "run/session.h"
#include "sys/call.h"

static struct board board;
static char fault[400];

static bool parameters_are_right(void)
{
	static struct options none;
	static struct session session;
	const char *other;
	unsigned others;

	options_parse(&none, NULL, 0, NULL, &other, 0, &others, fault, sizeof fault);
	session = (struct session){ .options = &none, .board = &board };
	return !session_check_params(&session, fault, sizeof fault);
}

static void print_contents(const char *path)
{
	unsigned open = 0;

	for (unsigned i = 0; i < board.limit_count; i++)
		open += !board.limits[i].judged;
	cli_print("%s: board %s, %u storage roles, %u limits (%u not calibrated)\n", path, board.name, board.storage_count,
	          board.limit_count, open);
}

/* A fault begins with FILE:LINE:COLUMN, so that an editor can jump to it: nothing is put before it. */
static int print_fault(void)
{
	sys_write_all(2, fault, strlen(fault));
	sys_write_all(2, "\n", 1);
	return 2;
}

int cli_check(int argc, char **argv)
{
	int status = 0;

	if (argc < 2)
		return cli_usage("check needs a board file: assay check FILE...");
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-' && argv[i][1])
			return cli_usage("unknown option \"%s\": check takes board files only", argv[i]);
		if (choose_file(&board, argv[i], fault, sizeof fault) || !parameters_are_right())
			status = print_fault();
		else
			print_contents(argv[i]);
	}
	return status;
}
