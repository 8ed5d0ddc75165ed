/* interrupt.h: SIGINT and SIGTERM as a flag.  PID 1 gets them too, since they have a handler. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);   /* also ignores SIGPIPE: a reader that goes away is a write error, not a death */
void interrupt_default(void);   /* in a child: back to dying of them */
bool interrupt_pending(void);

#endif
