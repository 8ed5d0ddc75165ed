/* interrupt.c: the flag and its handlers. */
#include <signal.h>
#include <string.h>

#include "run/interrupt.h"

static volatile sig_atomic_t pending;

static void note(int signal)
{
	(void)signal;
	pending = 1;
}

static void set(void (*handler)(int))
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_handler = handler; /* without SA_RESTART: poll must return */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

void interrupt_install(void) { set(note); }
void interrupt_default(void) { set(SIG_DFL); }
bool interrupt_pending(void) { return pending; }
