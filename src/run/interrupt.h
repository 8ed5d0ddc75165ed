/*
 * interrupt.h: the signals that ask a run to end, as a flag.  PID 1 gets them too, since they have a handler.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>

/* Whatever the parent left blocked or ignored; but an ignored SIGHUP (nohup) stays so.
 * SIGPIPE and SIGXFSZ become errors of the write. */
void interrupt_install(void);
void interrupt_default(void);   /* in a child: back to dying of them */
bool interrupt_pending(void);
const volatile int *interrupt_flag(void); /* not 0: pending */

#endif
