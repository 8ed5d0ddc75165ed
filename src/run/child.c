/* child.c: starting, watching and ending a step's child. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/number.h"
#include "lib/text.h"
#include "run/child.h"
#include "run/interrupt.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/guard.h"

#define POLL_MS 50
#define PROGRESS_NS SECONDS(1)
#define KILL_NS SECONDS(3) /* what a killed process may take to be gone before it counts as stuck */

struct watch {
	pid_t pid;
	int fd;
	uint64_t deadline_ns, slack_ns, plan_ns;
	uint64_t start_ns, told_ns; /* of the real run; when progress was told last */
	bool ended;           /* EVENT_END came */
	child_say *say;
	void *context;
	struct child_end *end;
	uint64_t oom_kills;   /* of the whole machine, before */
};

/* ---- in the child ---- */

static bool is_one_of(int fd, const int *keep, unsigned count)
{
	while (count--)
		if (keep[count] == fd)
			return true;
	return false;
}

/* Nothing of the runner's but the pipe, the kernel's log, the scratch area, and what tells the guardian of a word: above all not the lock. */
static void close_others(const struct ctx *ctx)
{
	struct rlimit files = { .rlim_cur = 256 };
	const int keep[] = { guard_descriptor(), ctx->event_fd, ctx->kernel_log, ctx->scratch ? ctx->scratch->fd : -1, ctx->scratch ? ctx->scratch->file_fd : -1 };

	getrlimit(RLIMIT_NOFILE, &files);
	for (int fd = 3; fd < (int)files.rlim_cur && fd < 1024; fd++)
		if (!is_one_of(fd, keep, COUNT_OF(keep)))
			close(fd);
}

static void prefer_as_victim(void)
{
	int fd = sys_open("/proc/self/oom_score_adj", O_WRONLY, 0);

	/* Without it the kernel may choose the runner: the verdict is worth more than a step. */
	if (fd >= 0) {
		sys_write(fd, "1000", 4);
		sys_close(fd);
	}
}

static void tell(struct ctx *ctx, enum event_kind kind, uint64_t value, uint64_t aux)
{
	static struct event event;

	event.kind = kind;
	event.value_milli = (int64_t)value;
	event.aux = aux;
	context_send(ctx, &event);
}

static struct ctx *own; /* the child's, for a handler gets none */

/* The kernel takes a page away when an uncorrected error in it is consumed: that is the board's fault, and no crash.  Whatever thread it was, nothing else is
 * said of this step. */
static void lose_memory(int signal, siginfo_t *info, void *context)
{
	static struct event event;
	static atomic_flag is_told = ATOMIC_FLAG_INIT;

	(void)context;
	if (info->si_code != BUS_MCEERR_AR && info->si_code != BUS_MCEERR_AO) {
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		sys_kill(sys_getpid(), signal); /* it comes when this returns */
		return;
	}
	while (atomic_flag_test_and_set(&is_told))
		pause(); /* another thread tells its own, and ends us */
	event.kind = EVENT_FAIL;
	text_format(event.message, sizeof event.message, "uncorrected memory error: the kernel took away the memory at 0x%llx (SIGBUS, %s); its log may tell the module",
	            (unsigned long long)(uintptr_t)info->si_addr, info->si_code == BUS_MCEERR_AR ? "consumed" : "found by a scrub");
	context_send(own, &event);
	tell(own, EVENT_END, 0, 0);
	_exit(0);
}

static void handle_lost_memory(struct ctx *ctx)
{
	const struct sigaction action = { .sa_sigaction = lose_memory, .sa_flags = SA_SIGINFO };

	own = ctx;
	sigaction(SIGBUS, &action, NULL);
}

static void run_step(struct ctx *ctx, bool plan_only, pid_t runner)
{
	sys_setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != runner)
		_exit(2); /* it died before the line above could tell us */
	interrupt_default();
	prefer_as_victim();
	close_others(ctx);
	ctx->dry = true;
	ctx->step->run(ctx);
	tell(ctx, EVENT_PLAN, ctx->plan_ns, ctx->plan_write_bytes);
	if (!plan_only) {
		ctx->dry = false;
		ctx->plan_ns = ctx->plan_write_bytes = 0;
		clock_refine();
		watch_read(&ctx->before);
		handle_lost_memory(ctx);
		ctx->step->run(ctx);
	}
	tell(ctx, EVENT_END, 0, 0);
	_exit(0);
}

/* ---- in the runner ---- */

static int count_oom(char *line, void *context)
{
	if (!text_starts(line, "oom_kill "))
		return 0;
	number_parse(line + 9, context);
	return 1;
}

static uint64_t oom_kills(void)
{
	uint64_t count = 0;

	file_each_line("/proc/vmstat", count_oom, &count);
	return count;
}

static void take(struct watch *watch, const struct event *event)
{
	switch (event->kind) {
	case EVENT_PLAN:
		watch->plan_ns = (uint64_t)event->value_milli;
		watch->start_ns = watch->told_ns = clock_now_ns();
		watch->deadline_ns = watch->start_ns + 2 * watch->plan_ns + watch->slack_ns;
		watch->say(watch->context, event);
		break;
	case EVENT_DEVICE:
		text_copy(watch->end->device, sizeof watch->end->device, event->message);
		watch->say(watch->context, event);
		break;
	case EVENT_END:
		watch->ended = true;
		break;
	default:
		watch->say(watch->context, event);
	}
}

/* One event, if there is one: >0 taken, 0 end of the pipe, -EAGAIN nothing now. */
static int read_event(struct watch *watch)
{
	static struct event event;
	ssize_t n = sys_read(watch->fd, &event, sizeof event);

	if (n != (ssize_t)sizeof event)
		return n > 0 ? -EAGAIN : (int)n;
	/* The child wrote it, and the child may be broken: no string runs on into the next field. */
	event.metric[sizeof event.metric - 1] = event.unit[sizeof event.unit - 1] = event.message[sizeof event.message - 1] = 0;
	if (event.point_count <= MAX_POINTS && event.facts.count <= MAX_FACTS && event.facts.text_count <= MAX_TEXT_FACTS)
		take(watch, &event);
	return 1;
}

static void kill_group(struct watch *watch)
{
	sys_kill(-watch->pid, SIGKILL);
	sys_kill(watch->pid, SIGKILL);
}

static void explain_status(struct watch *watch, int status)
{
	struct text what = TEXT(watch->end->what);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && watch->ended)
		return;
	watch->end->how = CHILD_CRASHED;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && oom_kills() != watch->oom_kills)
		text_add(&what, "ended by the kernel's OOM killer: out of memory");
	else if (WIFSIGNALED(status))
		text_add_format(&what, "crashed: %s", sys_signal(WTERMSIG(status)));
	else
		text_add_format(&what, "ended early with status %d", WEXITSTATUS(status));
}

/* Takes what the child still said, once it is gone. */
static void drain(struct watch *watch)
{
	while (read_event(watch) > 0)
		;
}

/* Reaped now; or by somebody else, whatever its status was. */
static bool gone(const struct watch *watch, int *status)
{
	pid_t got = sys_waitpid(watch->pid, status, WNOHANG);

	if (got == -ECHILD)
		*status = watch->ended ? 0 : SIGKILL;
	return got == watch->pid || got == -ECHILD;
}

/* Kills the group and waits a little: false when it cannot be killed. */
static bool end_group(struct watch *watch)
{
	uint64_t limit_ns = clock_now_ns() + KILL_NS;
	int status;

	do {
		kill_group(watch);
		if (gone(watch, &status))
			return true;
		sys_sleep_ns(MS(10));
	} while (clock_now_ns() < limit_ns);
	return false;
}

static void give_up(struct watch *watch, enum child_how how)
{
	struct text what = TEXT(watch->end->what);

	watch->end->how = how;
	if (!end_group(watch)) {
		watch->end->how = how == CHILD_INTERRUPTED ? how : CHILD_STUCK;
		text_add(&what, "stuck in the kernel: it can not even be killed");
	} else {
		drain(watch);
	}
	if (watch->end->how == CHILD_DEADLINE) {
		text_add(&what, "not done at its deadline (planned ");
		number_add_duration(&what, watch->plan_ns);
		text_add(&what, ", slack ");
		number_add_duration(&what, watch->slack_ns);
		text_add(&what, ")");
	}
	if (watch->end->how != CHILD_INTERRUPTED && watch->end->device[0])
		text_add_format(&what, "; %s is put aside", watch->end->device);
}

/* By the plan: a step that takes longer stays at its last per mille. */
static void tell_progress(struct watch *watch)
{
	static struct event event;
	uint64_t now_ns = clock_now_ns(), spent_ns = now_ns - watch->start_ns;

	if (!watch->plan_ns || now_ns - watch->told_ns < PROGRESS_NS)
		return;
	watch->told_ns = now_ns;
	event.kind = EVENT_PROGRESS;
	event.value_milli = spent_ns < watch->plan_ns ? (int64_t)(spent_ns * 1000 / watch->plan_ns) : 999;
	event.aux = spent_ns < watch->plan_ns ? watch->plan_ns - spent_ns : 0;
	watch->say(watch->context, &event);
}

static void watch_child(struct watch *watch)
{
	struct pollfd poll = { .fd = watch->fd, .events = POLLIN };
	int status, got = 1;

	for (;;) {
		if (got == 0)
			sys_sleep_ns(MS(1)); /* the pipe is at its end, the process not yet */
		else
			sys_poll(&poll, 1, POLL_MS);
		while ((got = read_event(watch)) > 0)
			;
		if (gone(watch, &status)) {
			drain(watch);
			sys_kill(-watch->pid, SIGKILL); /* what it left running */
			explain_status(watch, status);
			return;
		}
		tell_progress(watch);
		if (interrupt_pending()) {
			give_up(watch, CHILD_INTERRUPTED);
			return;
		}
		if (clock_now_ns() > watch->deadline_ns) {
			give_up(watch, CHILD_DEADLINE);
			return;
		}
	}
}

void child_run(struct ctx *ctx, uint64_t slack_ns, bool plan_only, child_say *say, void *context, struct child_end *end)
{
	struct watch watch = { .slack_ns = slack_ns, .say = say, .context = context, .end = end, .oom_kills = oom_kills() };
	pid_t runner = sys_getpid();
	int pipe[2], err = sys_pipe(pipe);

	memset(end, 0, sizeof *end);
	watch.deadline_ns = clock_now_ns() + slack_ns;
	if (!err) {
		ctx->event_fd = pipe[1];
		watch.fd = pipe[0];
		sys_fcntl(pipe[0], F_SETFL, O_NONBLOCK);
		watch.pid = sys_fork();
		if (watch.pid == 0)
			run_step(ctx, plan_only, runner);
		sys_close(pipe[1]);
		err = watch.pid < 0 ? (int)watch.pid : 0;
	}
	if (err) {
		end->how = CHILD_NOT_STARTED;
		struct text what = TEXT(end->what);
		text_add_format(&what, "could not be started: %s", sys_error(err));
		return;
	}
	sys_setpgid(watch.pid, watch.pid);
	err = guard_note_group(watch.pid);
	if (err && err != -ENOTCONN) { /* a plan has no guardian, a run must not go on without it */
		end_group(&watch);
		end->how = CHILD_NOT_STARTED;
		text_format(end->what, sizeof end->what, "the guardian is gone: %s", sys_error(err));
	} else {
		watch_child(&watch);
	}
	guard_note_group(0);
	sys_close(watch.fd);
}
