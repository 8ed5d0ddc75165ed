/* ending.c: see ending.h. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/console.h"
#include "init/ending.h"
#include "lib/text.h"
#include "run/last_line.h"
#include "sys/call.h"
#include "sys/clock.h"

static volatile sig_atomic_t running; /* the child's process id */

struct copier {
	int fd;                    /* of the pipe; -1 at its end */
	size_t length;
	bool broken;               /* the start of this line was too long and is out already */
	struct ending *ending;     /* NULL: no line is the last one */
	char line[MAX_LINE];
};

void ending_error(struct ending *ending)
{
	const struct tally tally = { .errors = 1, .partial = true };
	struct text text = TEXT(ending->line);

	ending->verdict = VERDICT_ERROR;
	last_line_write(&text, VERDICT_ERROR, "unknown", "none", &tally, "none");
}

bool ending_settle(struct ending *ending, int status, char *why, unsigned why_size)
{
	struct text text = text_in(why, why_size);

	if (ending->line[0] && WIFEXITED(status) && WEXITSTATUS(status) == verdict_status(ending->verdict))
		return true;
	if (WIFSIGNALED(status))
		text_add_format(&text, "the run was ended by signal %d, %s", WTERMSIG(status),
		                sys_signal(WTERMSIG(status)));
	else
		text_add_format(&text, "the run ended with status %d", WEXITSTATUS(status));
	text_add_format(&text, ending->line[0] ? ", against its last line" : " and without a last line");
	if (!ending->line[0] || ending->verdict != VERDICT_FAIL)
		ending_error(ending);
	return false;
}

static void pass_on(int signal)
{
	if (running)
		sys_kill(running, signal);
}

static void note_child(int signal)
{
	(void)signal; /* it ends the poll, that is all */
}

static void handle_signals(void)
{
	static const int ignored[] = { SIGHUP, SIGPIPE, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM };
	struct sigaction on = { .sa_handler = pass_on };

	sigaction(SIGINT, &on, NULL);
	sigaction(SIGTERM, &on, NULL);
	on.sa_handler = note_child;
	sigaction(SIGCHLD, &on, NULL);
	on.sa_handler = SIG_IGN;
	for (unsigned i = 0; i < COUNT_OF(ignored); i++)
		sigaction(ignored[i], &on, NULL);
}

static void default_signals(void)
{
	const struct sigaction on = { .sa_handler = SIG_DFL };

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &on, NULL); /* KILL, STOP and the C library's own refuse */
}

static void take_line(struct copier *copier)
{
	enum verdict verdict;

	copier->line[copier->length] = 0;
	if (copier->ending && !copier->broken && copier->length < sizeof(copier->ending->line) && last_line_read(copier->line, &verdict)) {
		copier->ending->verdict = verdict;
		text_copy(copier->ending->line, sizeof(copier->ending->line), copier->line);
	} else {
		copier->line[copier->length++] = '\n';
		console_write(copier->line, copier->length);
	}
	copier->length = 0;
	copier->broken = false;
}

static void take_byte(struct copier *copier, char byte)
{
	if (byte == '\n') {
		take_line(copier);
		return;
	}
	if (copier->length == sizeof(copier->line) - 1) {
		console_write(copier->line, copier->length);
		copier->length = 0;
		copier->broken = true;
	}
	copier->line[copier->length++] = byte;
}

/* Copies what comes within timeout_ms; false when nothing came. */
static bool copy(struct copier *copier, int timeout_ms)
{
	struct pollfd fd = { .fd = copier->fd, .events = POLLIN };
	static char bytes[4096];
	ssize_t count;

	if (sys_poll(&fd, 1, timeout_ms) <= 0)
		return false;
	count = sys_read(copier->fd, bytes, sizeof(bytes));
	if (count == -EINTR)
		return true;
	if (count <= 0) {
		sys_close(copier->fd);
		copier->fd = -1; /* which poll passes over */
		return false;
	}
	for (ssize_t i = 0; i < count; i++)
		take_byte(copier, bytes[i]);
	return true;
}

/* Reaps whatever has ended; true when child is among them. */
static bool reap(pid_t child, int *status)
{
	bool ended = false;
	pid_t pid;
	int s;

	while ((pid = sys_waitpid(-1, &s, WNOHANG)) > 0) {
		if (pid == child) {
			*status = s;
			ended = true;
		}
	}
	return ended;
}

static void be_the_run(int (*command)(int, char **), int argc, char **argv, const int pipe[2])
{
	default_signals();
	setsid();
	sys_ioctl_number(0, TIOCSCTTY, 0); /* so that Ctrl-C reaches the run; without a terminal it does not matter */
	sys_call(SYS_dup3, pipe[1], 1, 0);
	sys_call(SYS_dup3, pipe[1], 2, 0);
	sys_close(pipe[0]);
	sys_close(pipe[1]);
	_exit(command(argc, argv));
}

/* Copies what the run says until it has ended; false when it has had its last word, and stays. */
static bool follow(struct copier *copier, pid_t child, int *status, uint64_t patience_ns)
{
	uint64_t told_ns = 0;

	while (!reap(child, status)) {
		copy(copier, 100);
		if (!told_ns && copier->ending && copier->ending->line[0])
			told_ns = clock_now_ns();
		if (told_ns && clock_now_ns() - told_ns >= patience_ns)
			return false;
	}
	return true;
}

/* Runs it to its end: its status; -ECANCELED when it has had its last word, and stays; or -errno: it could not be started. */
static int watch(int (*command)(int argc, char **argv), int argc, char **argv, uint64_t patience_ns, struct ending *ending)
{
	static struct copier copier;
	int pipe[2], status = 0;
	pid_t child;
	bool ended;
	int err = sys_pipe(pipe);

	handle_signals();
	child = err ? err : sys_fork();
	if (child < 0)
		return child;
	if (!child)
		be_the_run(command, argc, argv, pipe);
	running = child;
	sys_close(pipe[1]);
	copier.fd = pipe[0];
	copier.ending = ending;
	ended = follow(&copier, child, &status, patience_ns);
	running = 0;
	/* What is in the pipe still counts; waiting for its end does not: a descendant that is stuck in the kernel holds it open. */
	for (unsigned i = 0; i < 256 && copy(&copier, 50); i++) {
	}
	if (copier.length)
		take_line(&copier);
	return ended ? status : -ECANCELED;
}

void ending_of(int (*command)(int argc, char **argv), int argc, char **argv, uint64_t patience_ns, struct ending *ending)
{
	int status = watch(command, argc, argv, patience_ns, ending);
	char why[160];

	if (status == -ECANCELED) {
		console_say("the run does not end, is a drive stuck?  Its last line counts");
	} else if (status < 0) {
		console_say("the run could not be started: %s", sys_error(status));
		ending_error(ending);
	} else if (!ending_settle(ending, status, why, sizeof(why))) {
		console_say("%s", why);
	}
}

void ending_of_server(int (*command)(int argc, char **argv), int argc, char **argv, struct ending *ending)
{
	int status = watch(command, argc, argv, UINT64_MAX, NULL);

	*ending = (struct ending){ .verdict = VERDICT_PASS };
	if (status >= 0 && WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == verdict_status(VERDICT_INTERRUPTED))) {
		console_say("the server has ended");
		return;
	}
	if (status >= 0)
		console_say("the server ended with %s %d", WIFSIGNALED(status) ? "signal" : "status",
		            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	else
		console_say("the server could not be started: %s", sys_error(status));
	ending_error(ending);
}
