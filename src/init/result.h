/* result.h: the verdict leaves the board. */
#ifndef INIT_RESULT_H
#define INIT_RESULT_H

#include "init/ending.h"

/* Shows the verdict on the console: in big letters, and below them the last line. */
void result_show(const struct ending *ending);

/* Writes the last line to every device of list (`ttyS1,vport0p1`, with or without /dev/), which may take 2 s to appear.
 * Only character devices, nothing is ever created; what cannot be written is named. `qemu` is passed over here. */
void result_send(const struct ending *ending, const char *list);

/* Ends QEMU with the verdict's status, if list has `qemu`; returns when this is not QEMU, or not asked for. */
void result_exit(const struct ending *ending, const char *list);

#endif
