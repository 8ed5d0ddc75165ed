/* beside.c: see beside.h. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step.h"
#include "study/beside.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/map.h"

enum { KILL_MS = 2000, GO_US = 100, POLL_US = 1000 };

enum state { STATE_STARTING, STATE_READY, STATE_DONE, STATE_FAILED };

static struct shared {
	_Atomic uint32_t go;
	struct slot { _Atomic uint32_t state; struct load_result result; } slots[BESIDE_MAX];
} *shared;

struct process { pid_t pid; bool gone; int status; };

static enum beside_end say(struct ctx *ctx, const struct load_job *job, enum beside_end end, const char *what)
{
	const struct point points[] = { load_point(job->load), POINT_LIST_END };

	emit_error(ctx, load_metric, points, "%s", what);
	return end;
}

/* ---- in the load's process ---- */

static _Noreturn void be_load(struct ctx *ctx, const struct load_job *job, struct slot *slot, pid_t parent)
{
	static struct load_result after;
	bool good;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it died before the line above */
		_exit(1);
	err = cpu_pin_all(job->cpus);
	if (!err)
		err = load_prepare(job);
	if (err)
		say(ctx, job, BESIDE_FAILED, sys_error(err));
	atomic_store(&slot->state, err ? STATE_FAILED : STATE_READY);
	while (!err && !atomic_load(&shared->go))
		sys_sleep_ns(US(GO_US));
	good = !err && load_run(ctx, job, &slot->result);
	atomic_store(&slot->state, good ? STATE_DONE : STATE_FAILED);
	while (good && load_run(NULL, job, &after)) {
	}
	atomic_store(&slot->state, STATE_FAILED); /* nothing is put beside the other one any more */
	_exit(0);
}

/* ---- in the study's ---- */

static int start(struct ctx *ctx, const struct load_job *job, struct slot *slot, struct process *process)
{
	pid_t parent = sys_getpid();

	*process = (struct process){ .pid = sys_fork() };
	if (process->pid == 0)
		be_load(ctx, job, slot, parent);
	return process->pid < 0 ? process->pid : 0;
}

static bool is_gone(struct process *process)
{
	pid_t got = process->gone ? 0 : sys_waitpid(process->pid, &process->status, WNOHANG);

	process->gone |= got == process->pid || got == -ECHILD;
	return process->gone;
}

/* Until all are in the state or beyond it: true; false at the deadline, or once one has failed or is gone. */
static bool wait_for(struct process *processes, unsigned count, enum state state, uint64_t deadline_ns)
{
	for (;; sys_sleep_ns(US(POLL_US))) {
		unsigned there = 0;

		for (unsigned i = 0; i < count; i++) {
			enum state now = atomic_load(&shared->slots[i].state);

			if (now == STATE_FAILED || (is_gone(&processes[i]) && now < STATE_DONE))
				return false;
			there += now >= state;
		}
		if (there == count)
			return true;
		if (clock_now_ns() > deadline_ns)
			return false;
	}
}

/* False when it is still there. */
static bool end_process(struct process *process)
{
	uint64_t limit_ns = clock_now_ns() + MS(KILL_MS);

	if (!is_gone(process))
		sys_kill(process->pid, SIGKILL);
	while (!is_gone(process)) {
		if (clock_now_ns() > limit_ns)
			return false;
		sys_sleep_ns(US(POLL_US));
	}
	return true;
}

/* Of one whose process has been ended by us, or before. */
static enum beside_end end_of(struct ctx *ctx, const struct load_job *job, enum state state, bool was_gone, bool late, const struct process *process)
{
	if (!process->gone)
		return say(ctx, job, BESIDE_STUCK, "its process is stuck in the kernel: it can not even be killed");
	if (state == STATE_FAILED)
		return BESIDE_FAILED;
	if (was_gone)
		return say(ctx, job, BESIDE_FAILED, WIFSIGNALED(process->status) ? sys_signal(WTERMSIG(process->status)) : "its process ended");
	if (state == STATE_DONE)
		return BESIDE_MEASURED;
	return late ? say(ctx, job, BESIDE_LATE, "it did not come to an end in its time, and was ended") : BESIDE_VOID;
}

static void end_all(struct ctx *ctx, const struct load_job *jobs, unsigned count, struct process *processes, bool late, enum beside_end *ends)
{
	bool all = true;

	for (unsigned i = 0; i < count; i++) {
		bool was_gone = processes[i].gone;
		enum state state = atomic_load(&shared->slots[i].state);

		end_process(&processes[i]);
		ends[i] = end_of(ctx, &jobs[i], state, was_gone, late, &processes[i]);
		all = all && ends[i] == BESIDE_MEASURED;
	}
	for (unsigned i = 0; i < count; i++)
		if (!all && ends[i] == BESIDE_MEASURED)
			ends[i] = BESIDE_VOID;
}

static int prepare(void)
{
	void *at = shared;
	int err = at ? 0 : map_shared(sizeof *shared, &at);

	if (err)
		return err;
	shared = at;
	shared->go = 0;
	for (unsigned i = 0; i < BESIDE_MAX; i++)
		shared->slots[i].state = STATE_STARTING;
	clock_quality(); /* not in each of them anew */
	return 0;
}

/* How many were started; the error of the one behind them is said. */
static unsigned start_all(struct ctx *ctx, const struct load_job *jobs, unsigned count, struct process *processes, enum beside_end *ends)
{
	int err = prepare();

	for (unsigned i = 0; i < count; i++) {
		if (!err)
			err = start(ctx, &jobs[i], &shared->slots[i], &processes[i]);
		if (err) {
			ends[i] = say(ctx, &jobs[i], BESIDE_FAILED, sys_error(err));
			return i;
		}
	}
	return count;
}

void beside_run(struct ctx *ctx, const struct load_job *jobs, unsigned count, uint64_t patience_ns, struct load_result *results,
                enum beside_end *ends)
{
	struct process processes[BESIDE_MAX];
	uint64_t deadline_ns = clock_now_ns() + patience_ns;
	unsigned started;

	for (unsigned i = 0; i < count; i++)
		ends[i] = BESIDE_VOID;
	started = start_all(ctx, jobs, count, processes, ends);
	if (started == count && wait_for(processes, count, STATE_READY, deadline_ns)) {
		atomic_store(&shared->go, 1);
		wait_for(processes, count, STATE_DONE, deadline_ns);
	}
	end_all(ctx, jobs, started, processes, clock_now_ns() > deadline_ns, ends);
	for (unsigned i = 0; i < started; i++)
		results[i] = shared->slots[i].result;
}

int64_t beside_overlap_milli(const struct load_result *result, const struct load_result *other)
{
	uint64_t begin_ns = result->end_ns - result->window_ns, other_ns = other->end_ns - other->window_ns;
	uint64_t from_ns = begin_ns > other_ns ? begin_ns : other_ns, to_ns = result->end_ns < other->end_ns ? result->end_ns : other->end_ns;

	return to_ns > from_ns ? milli_ratio(to_ns - from_ns, result->window_ns) : 0;
}
