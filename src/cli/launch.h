/*
 * launch.h: from the words of a command line to a finished run, for every command that measures: run, block, study.
 *
 * Everything that can be wrong with words and files is found before the first step: status 2, and nothing was tested.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "net/address.h"
#include "net/test.h"
#include "run/session.h"

struct launch {
	struct options options;
	struct identity identity;
	struct board board;
	struct scratch scratch;
	struct session session;
	char peer[ADDRESS_TEXT];     /* numeric; "": none */
	bool asks_peer;              /* what it is, before the first step: of a run, whose peer was given for that */
};

/*
 * Words, machine, board file: all of it read only.  own: the steps whose parameters are options of the command, ended by NULL
 * (NULL: none).  What is no option goes to others.  0, or the status to end with.
 */
int launch_prepare(struct launch *launch, const struct step *const *own, int argc, char **argv, const char **others,
                   unsigned other_size, unsigned *other_count);

/* The peer of --peer, or of a command: looked up now, so that a name that does not resolve is told before anything runs.  0 or the status. */
int launch_peer(struct launch *launch, const char *host, enum net_family family);

/* --format of a tool's own shape is of the command that follows that tool alone; own: FORMAT_TEXT for the others.  0 or the status. */
int launch_check_format(const struct launch *launch, enum format own);

/* The fixed sequence by --only and --skip, with all parameters and limits of the board file checked.  0 or the status. */
int launch_sequence(struct launch *launch);

/* A command's own steps instead, ended by NULL: the board file's limits judge the sequence alone.  0 or the status. */
int launch_steps(struct launch *launch, const struct step *const *steps);

/*
 * Takes the machine, opens the device that open() opens (NULL: --scratch, if given), runs the session, ends everything.  The status.
 * open: 0, or -EINVAL with one line in fault; its scratch is launch->scratch.
 */
typedef int launch_open(struct launch *launch, char *fault, unsigned fault_size);
int launch_run(struct launch *launch, launch_open *open, int argc, char **argv);

/* One line of plan for each step of the session, to standard output; their sums. */
void launch_print_plan(struct launch *launch, uint64_t *time_ns, uint64_t *write_bytes);

const char *launch_level(const struct launch *launch);

#endif
