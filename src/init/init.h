/*
 * init.h: assay as process 1 of a board without any other user space.
 *
 * Mounts what the run needs (in a container: only where nothing is, see mounts.h), opens the console, loads modules, sets up the
 * network, runs the self-test in a child, shows its verdict in big letters, hands it to whoever waits for it and powers off.  Whatever
 * happens to the run, a verdict comes: a crash is ERROR.  There is no time limit here, for the runner has a deadline for
 * every step; but a run that does not end behind its last line is left.  Asked to, it serves network tests instead, until Ctrl-Alt-Del.
 * The watchdog is never opened: the kernel pets it
 * until somebody does.
 */
#ifndef INIT_H
#define INIT_H

#include <stdbool.h>

/* Is there a machine to set up and power off, or is this process 1 of a container?  Only the first answer, given before
 * anything is forked, needs no /proc. */
bool init_owns_machine(void);

/* What process 1 may be asked for: each gets its name and the options that assay.* words of /proc/cmdline and of argv ask for (see
 * cmdline.h), and returns its status. */
struct init_commands { int (*run)(int argc, char **argv), (*serve)(int argc, char **argv); };

/*
 * For main, when it is process 1 and meant to be init.
 * Returns, with the status of the verdict, only where there is nothing to power off: in a container.
 */
int init_main(const struct init_commands *commands, int argc, char **argv);

#endif
