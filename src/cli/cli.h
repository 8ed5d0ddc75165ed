/*
 * cli.h: the commands.  Each takes its own words (argv[0] is the command's name) and returns the exit status.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "step.h"

struct command {
	const char *name, *arguments, *summary;
	int (*run)(int argc, char **argv);
};

const struct command *cli_command(unsigned index); /* NULL behind the last */

int cli_run(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_block(int argc, char **argv);
int cli_probe(int argc, char **argv);
int cli_net(int argc, char **argv);
int cli_mem(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_serve(int argc, char **argv);
int cli_study(int argc, char **argv);
int cli_verify(int argc, char **argv);
int cli_help(int argc, char **argv);
int cli_version(int argc, char **argv);
int cli_overview(void); /* `assay` alone */

/* `--study NAME` among a command's words: that study it is then, with the other words. */
bool cli_asks_study(int argc, char **argv);
int cli_study_of(int argc, char **argv);

/* The steps behind `assay mem`, for the help; NULL behind the last. */
const struct step *cli_mem_step(unsigned index);

/* What `assay serve` takes, for the help. */
extern const struct step cli_serve_options;

/* Where 0, 1 or 2 is closed, /dev/null: or the next file that is opened would get our output. */
void cli_open_standard(void);
/* To standard output. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A value and its unit for people ("25.27 GB"), in one of four buffers used in turn. */
const char *cli_value(int64_t milli, const char *unit);
/* One line to standard error, "assay: " before it; returns 2, the status of wrong usage and of ERROR. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
