/* run_child.c: what a step's child may leave behind: a word that it wrote by the guard is back when it is gone, however it went. */
#include "run/child.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/call.h"
#include "sys/guard.h"
#include "sys_tree.h"
#include "test.h"

static struct ctx ctx;
static uint64_t seen;
static int result;

static uint64_t word(void)
{
	uint64_t value;

	memcpy(&value, tree_get("/msr"), sizeof(value));
	return value;
}

static void write_word(struct ctx *step_ctx)
{
	uint64_t before;

	if (planned(step_ctx, 1000000, 0))
		return;
	result = guard_word(tree_path("/msr"), 0, 15, &before);
	emit_figure(step_ctx, "t.word", "1", NULL, (int64_t)(result ? 0 : word()), NULL);
}

static void write_and_die(struct ctx *step_ctx)
{
	write_word(step_ctx);
	if (!step_ctx->dry)
		raise(SIGKILL);
}

static void write_and_hang(struct ctx *step_ctx)
{
	write_word(step_ctx);
	for (; !step_ctx->dry; )
		pause();
}

static char fail[sizeof(((struct event *)0)->message)];

#ifdef __x86_64__
static int code;

/* As the kernel does to who touches memory: only the process itself may queue itself such a code. */
static void lose_memory(struct ctx *step_ctx)
{
	siginfo_t info = { .si_signo = SIGBUS, .si_code = code };

	info.si_addr = (void *)0x7f1234567000;
	write_word(step_ctx);
	for (; !step_ctx->dry; )
		sys_call(SYS_rt_tgsigqueueinfo, getpid(), sys_call(SYS_gettid), SIGBUS, &info);
}
#endif

static void hear(void *context, const struct event *event)
{
	(void)context;
	if (event->kind == EVENT_FIGURE)
		seen = (uint64_t)event->value_milli;
	if (event->kind == EVENT_FAIL)
		snprintf(fail, sizeof(fail), "%s", event->message);
}

static void run_step(void (*run)(struct ctx *), enum child_how how)
{
	struct step step = { .name = "t", .run = run };
	struct child_end end;

	seen = 0;
	fail[0] = '\0';
	ctx = (struct ctx){ .step = &step, .kernel_log = -1, .noise_milli = VALUE_NONE };
	tree_start();
	tree_put_bytes("/msr", "\0\0\0\0\0\0\0", 8);
	check_equal(guard_start(), 0);
	child_run(&ctx, 300000000, false, hear, NULL, &end);
	check_equal(end.how, how);
	check_equal(seen, 15);
	check_equal(word(), 0);
	check_equal(guard_end(), 0);
	tree_end();
}

test(word_of_a_step_that_forgot_it) { run_step(write_word, CHILD_DONE); }
test(word_of_a_step_that_died) { run_step(write_and_die, CHILD_CRASHED); }
test(word_of_a_step_that_hung) { run_step(write_and_hang, CHILD_DEADLINE); }

#ifdef __x86_64__ /* qemu-user takes such a signal for its own, and dies */
test(step_that_consumed_an_uncorrected_memory_error_fails_with_its_address_and_is_no_crash)
{
	code = BUS_MCEERR_AR;
	run_step(lose_memory, CHILD_DONE);
	check(strstr(fail, "uncorrected memory error"));
	check(strstr(fail, "0x7f1234567000"));
}

test(page_that_a_file_does_not_have_is_still_a_crash)
{
	code = BUS_ADRERR;
	run_step(lose_memory, CHILD_CRASHED);
	check_string(fail, "");
}
#endif
