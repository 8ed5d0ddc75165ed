/* interrupt.c: the flag and its handlers. */
#include <signal.h>
#include <string.h>

#include "capacity.h"
#include "run/interrupt.h"

static volatile sig_atomic_t pending;

/* Each would otherwise end the runner without a last line. */
static const int asking[] = { SIGTERM, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPWR, SIGIO, SIGINT, SIGHUP };
static const int errors[] = { SIGPIPE, SIGXFSZ };

static void note(int signal)
{
	(void)signal;
	pending = 1;
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_handler = handler; /* without SA_RESTART: poll must return */
	sigaction(signal, &action, NULL);
}

static bool is_ignored(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

void interrupt_install(void)
{
	sigset_t none;

	for (unsigned i = 0; i < COUNT_OF(asking); i++)
		if (asking[i] != SIGHUP || !is_ignored(SIGHUP))
			handle(asking[i], note);
	for (unsigned i = 0; i < COUNT_OF(errors); i++)
		handle(errors[i], SIG_IGN);
	handle(SIGCHLD, SIG_DFL); /* ignored, the kernel would reap the steps before us */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void interrupt_default(void)
{
	for (unsigned i = 0; i < COUNT_OF(asking); i++)
		handle(asking[i], SIG_DFL);
}

bool interrupt_pending(void) { return pending; }
const volatile int *interrupt_flag(void) { return &pending; }
