/*
 * init.h: assay as process 1 of a board without any other user space.
 *
 * Mounts what the run needs (in a container: only where nothing is, see mounts.h), opens the console, loads modules, runs
 * the self-test in a child, shows its verdict in big letters, hands it to whoever waits for it and powers off.  Whatever
 * happens to the run, a verdict comes: a crash is ERROR.  There is no time limit here, for the runner has a deadline for
 * every step; but a run that does not end behind its last line is left.  The watchdog is never opened: the kernel pets it
 * until somebody does.
 */
#ifndef INIT_H
#define INIT_H

#include <stdbool.h>

/* Is there a machine to set up and power off, or is this process 1 of a container?  Only the first answer, given before
 * anything is forked, needs no /proc. */
bool init_owns_machine(void);

/*
 * For main, when it is process 1 and meant to be init.  `command` is the run: it gets "run" and the options that assay.*
 * words of /proc/cmdline and of argv ask for (see cmdline.h), and returns its status.
 * Returns, with the status of the verdict, only where there is nothing to power off: in a container.
 */
int init_main(int (*command)(int argc, char **argv), int argc, char **argv);

#endif
