/* The run as a child of process 1: whatever it does, there is an ending. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/ending.h"
#include "lib/text.h"
#include "run/last_line.h"

static struct ending ending;
static char said[65536]; /* what reached the console */

#define EXITED(status) ((status) << 8)

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(99);
}

static void say_last_line(enum verdict verdict)
{
	const struct tally tally = { .steps = 2, .figures = 3 };
	char line[512];
	struct text text = TEXT(line);

	last_line_write(&text, verdict, "x86", "none", &tally, "none");
	text_add(&text, "\n");
	say(line);
}

/* Runs command as the child, a run or a server, with the console in a file. */
static void start_child(int (*command)(int, char **), bool serves)
{
	static char name[] = "run";
	char *argv[] = { name, NULL };
	char path[] = "/tmp/assay-init.XXXXXX";
	int file = mkstemp(path), console = dup(1);
	ssize_t length;

	unlink(path);
	fflush(stdout);
	memset(&ending, 0, sizeof(ending));
	dup2(file, 1);
	if (serves)
		ending_of_server(command, 1, argv, &ending);
	else
		ending_of(command, 1, argv, MS(500), &ending);
	dup2(console, 1);
	close(console);
	length = pread(file, said, sizeof(said) - 1, 0);
	said[length > 0 ? length : 0] = 0;
	close(file);
}

static void run_child(int (*command)(int, char **)) { start_child(command, false); }
static void serve_child(int (*command)(int, char **)) { start_child(command, true); }

static bool line_is_valid(void)
{
	enum verdict verdict;

	return last_line_read(ending.line, &verdict) && verdict == ending.verdict;
}

test(error_line_is_whole_and_counts_one_error)
{
	ending_error(&ending);
	check_equal(ending.verdict, VERDICT_ERROR);
	check(line_is_valid());
	check(text_starts(ending.line, "assay: ERROR board=unknown serial=none steps=0 figures=0 failed=0 errors=1 warned=0 "
	                               "unjudged=0 partial=yes record=none crc32c="));
}

static int good(int argc, char **argv)
{
	(void)argc;
	say("a line\n");
	say(argv[0]);
	say(" and its end\n");
	say_last_line(VERDICT_PASS);
	return 0;
}

test(a_good_run_passes_and_its_last_line_is_kept_back)
{
	run_child(good);
	check_equal(ending.verdict, VERDICT_PASS);
	check(line_is_valid());
	check_string(said, "a line\nrun and its end\n");
}

static int crash(int argc, char **argv)
{
	(void)argc, (void)argv;
	signal(SIGSEGV, SIG_DFL);
	say("half a li");
	raise(SIGSEGV);
	return 0;
}

test(a_crash_is_an_error_that_names_the_signal)
{
	run_child(crash);
	check_equal(ending.verdict, VERDICT_ERROR);
	check(line_is_valid());
	check(text_starts(said, "half a li")); /* an emulator may say something between */
	check(strstr(said, "\ninit: the run was ended by signal 11, SIGSEGV"));
	check(strstr(said, "and without a last line"));
}

static int silent(int argc, char **argv)
{
	(void)argc, (void)argv;
	return 0;
}

test(status_0_without_a_last_line_is_an_error)
{
	run_child(silent);
	check_equal(ending.verdict, VERDICT_ERROR);
	check_string(said, "init: the run ended with status 0 and without a last line\n");
}

static int liar(int argc, char **argv)
{
	(void)argc, (void)argv;
	say_last_line(VERDICT_PASS);
	return 2;
}

test(a_pass_with_another_status_is_an_error)
{
	run_child(liar);
	check_equal(ending.verdict, VERDICT_ERROR);
	check(line_is_valid());
	check(strstr(said, "the run ended with status 2, against its last line"));
}

static int forged(int argc, char **argv)
{
	(void)argc, (void)argv;
	say("assay: PASS board=x86 serial=none steps=2 figures=3 failed=0 errors=0 warned=0 unjudged=0 partial=no record=none "
	    "crc32c=00000000\n");
	return 0;
}

test(a_last_line_with_a_wrong_crc_is_none)
{
	run_child(forged);
	check_equal(ending.verdict, VERDICT_ERROR);
}

static int orphan(int argc, char **argv)
{
	say_last_line(VERDICT_FAIL);
	if (!fork()) {
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		sleep(2); /* holds the pipe open, as a step stuck in the kernel does */
		_exit(0);
	}
	(void)argc, (void)argv;
	return 1;
}

test(a_descendant_that_holds_the_pipe_does_not_hold_the_verdict)
{
	run_child(orphan);
	check_equal(ending.verdict, VERDICT_FAIL);
	check(line_is_valid());
}

static int stuck(int argc, char **argv)
{
	(void)argc, (void)argv;
	say_last_line(VERDICT_FAIL);
	sleep(5); /* as closing a drive that does not answer */
	return 1;
}

test(a_run_that_does_not_end_behind_its_last_line_is_left_with_its_verdict)
{
	time_t start = time(NULL);

	run_child(stuck);
	check(time(NULL) - start < 4);
	check_equal(ending.verdict, VERDICT_FAIL);
	check(line_is_valid());
	check(strstr(said, "init: the run does not end"));
}

static int slow(int argc, char **argv)
{
	(void)argc, (void)argv;
	sleep(1);
	say_last_line(VERDICT_PASS);
	return 0;
}

test(a_run_is_waited_for_until_its_last_line)
{
	run_child(slow);
	check_equal(ending.verdict, VERDICT_PASS);
	check_string(said, "");
}

static int flood(int argc, char **argv)
{
	(void)argc, (void)argv;
	for (unsigned i = 0; i < 500; i++)
		say("0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789");
	say("\n");
	say_last_line(VERDICT_MEASURED);
	return 3;
}

test(a_line_longer_than_the_buffer_is_passed_on_whole)
{
	run_child(flood);
	check_equal(ending.verdict, VERDICT_MEASURED);
	check_equal(strlen(said), 50001);
}

test(a_fail_stays_a_fail_when_the_run_crashes_behind_it)
{
	char why[160];

	ending.verdict = VERDICT_FAIL;
	strcpy(ending.line, "assay: FAIL");
	check(!ending_settle(&ending, SIGKILL, why, sizeof(why)));
	check_equal(ending.verdict, VERDICT_FAIL);
	check_string(why, "the run was ended by signal 9, SIGKILL (from outside, or out of memory), against its last line");
}

test(an_interrupted_run_ends_with_130)
{
	char why[160];

	ending.verdict = VERDICT_INTERRUPTED;
	strcpy(ending.line, "assay: INTERRUPTED");
	check(ending_settle(&ending, EXITED(130), why, sizeof(why)));
	check_equal(ending.verdict, VERDICT_INTERRUPTED);
}

/* What looks like a verdict is none of the server's: it is passed on, and the server goes on. */
static int server(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	say_last_line(VERDICT_FAIL);
	usleep(700000);
	say("a test\n");
	return 0;
}

test(a_server_leaves_no_verdict_and_all_that_it_says)
{
	serve_child(server);
	check_equal(ending.verdict, VERDICT_PASS);
	check_string(ending.line, "");
	check(strstr(said, "assay: FAIL"));
	check(strstr(said, "a test\ninit: the server has ended\n"));
}

static int told_to_stop(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 130;
}

test(a_server_that_was_told_to_stop_has_ended_in_order)
{
	serve_child(told_to_stop);
	check_string(ending.line, "");
	check(strstr(said, "init: the server has ended\n"));
}

static int no_server(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 2;
}

test(a_server_that_cannot_serve_is_an_error)
{
	serve_child(no_server);
	check_equal(ending.verdict, VERDICT_ERROR);
	check(line_is_valid());
	check(strstr(said, "init: the server ended with status 2\n"));
}

static int crashing_server(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	signal(SIGSEGV, SIG_DFL); /* the sanitizer's own handler would turn it into a status */
	raise(SIGSEGV);
	return 0;
}

test(a_server_that_crashes_is_an_error)
{
	serve_child(crashing_server);
	check(line_is_valid());
	check(strstr(said, "init: the server ended with signal 11\n"));
}
