#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "capacity.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/guard.h"
#include "sys_tree.h"

static int set(const char *path, const char *value)
{
	return guard_write(tree_path(path), value, NULL, 0);
}

static void start(void)
{
	tree_start();
	tree_put("/governor", "powersave\n");
	tree_put("/min", "729600\n");
	check_equal(guard_start(), 0);
}

/* The guardian works beside us: what it shall do is waited for, up to five seconds. */
static bool becomes(const char *path, const char *content)
{
	for (unsigned i = 0; i < 500; i++) {
		if (!strcmp(tree_get(path), content))
			return true;
		sys_sleep_ns(10000000);
	}
	return false;
}

test(setting_is_written_and_restored_at_the_end)
{
	char readback[32];

	start();
	check_equal(guard_write(tree_path("/governor"), "performance", readback, sizeof(readback)), 0);
	check_string(readback, "performance");
	check_string(tree_get("/governor"), "performance");
	check_equal(guard_end(), 0);
	check_string(tree_get("/governor"), "powersave\n");
	tree_end();
}

test(two_writes_are_undone_in_reverse_order)
{
	start();
	check_equal(set("/governor", "ondemand"), 0);
	check_equal(set("/governor", "performance"), 0);
	check_equal(guard_end(), 0);
	check_string(tree_get("/governor"), "powersave\n");
	tree_end();
}

test(value_that_somebody_else_changed_is_left_alone)
{
	start();
	check_equal(set("/governor", "performance"), 0);
	check_equal(set("/min", "2201600"), 0);
	tree_put("/governor", "userspace\n");
	check_equal(guard_end(), 0);
	check_string(tree_get("/governor"), "userspace\n");
	check_string(tree_get("/min"), "729600\n");
	tree_end();
}

test(write_that_does_not_take_is_an_error)
{
	char readback[32] = "x";

	tree_start();
	check_equal(guard_start(), 0);
	check_equal(guard_write("/dev/null", "performance", readback, sizeof(readback)), -EIO);
	check_string(readback, "");
	check_equal(guard_end(), 0);
	tree_end();
}

test(absent_file_is_minus_enoent)
{
	start();
	check_equal(set("/absent", "1"), -ENOENT);
	check_equal(guard_end(), 0);
	check_string(tree_get("/absent"), "(none)");
	tree_end();
}

test(file_that_is_gone_counts_as_not_restored)
{
	start();
	check_equal(set("/governor", "performance"), 0);
	unlink(tree_path("/governor"));
	check_equal(guard_end(), 1);
	tree_end();
}

test(choice_is_restored_by_its_word)
{
	start();
	tree_put("/enabled", "always [madvise] never\n");
	check_equal(set("/enabled", "never"), 0);
	check_equal(guard_end(), 0);
	check_string(tree_get("/enabled"), "madvise");
	tree_end();
}

test(mask_with_leading_zeros_is_the_same)
{
	start();
	tree_put("/smp_affinity", "00000003\n");
	check_equal(set("/smp_affinity", "3"), 0);
	check_equal(guard_end(), 0);
	tree_end();
}

test(without_guardian_nothing_is_written)
{
	tree_start();
	tree_put("/governor", "powersave\n");
	check_equal(set("/governor", "performance"), -ENOTCONN);
	check_string(tree_get("/governor"), "powersave\n");
	check_equal(guard_end(), 0);
	tree_end();
}

test(setting_below_a_sysroot_is_the_tree_s)
{
	start();
	file_root(tree);
	check_equal(guard_write("/governor", "performance", NULL, 0), 0);
	file_root("");
	check_string(tree_get("/governor"), "performance");
	check_equal(guard_end(), 0);
	check_string(tree_get("/governor"), "powersave\n");
	tree_end();
}

/* A main process that makes its settings, runs what the test wants, and waits to be killed. */
static pid_t start_main(void (*more)(void))
{
	int ready[2];
	char byte;
	pid_t child;

	check_equal(sys_pipe(ready), 0);
	child = fork();
	if (!child) {
		setpgid(0, 0);
		if (guard_start() || set("/governor", "performance") || set("/min", "2201600"))
			_exit(1);
		if (more)
			more();
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	check_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void prepare(void)
{
	tree_start();
	tree_put("/governor", "powersave\n");
	tree_put("/min", "729600\n");
}

test(killed_main_process_is_restored)
{
	pid_t child;

	prepare();
	child = start_main(NULL);
	check_string(tree_get("/governor"), "performance");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check(becomes("/governor", "powersave\n"));
	check(becomes("/min", "729600\n"));
	tree_end();
}

test(killing_the_whole_group_does_not_hit_the_guardian)
{
	pid_t child;

	prepare();
	child = start_main(NULL);
	kill(-child, SIGINT);
	kill(-child, SIGKILL);
	waitpid(child, NULL, 0);
	check(becomes("/governor", "powersave\n"));
	tree_end();
}

static int alive[2];

/* A step's child in a group of its own; it holds one end of the pipe as long as it lives. */
static void start_group(void)
{
	pid_t child = fork();

	if (!child) {
		setpgid(0, 0);
		for (;;)
			pause();
	}
	setpgid(child, child);
	guard_note_group(child);
}

test(group_is_ended_with_the_main_process)
{
	pid_t child;
	char byte;

	prepare();
	check_equal(sys_pipe(alive), 0);
	child = start_main(start_group);
	close(alive[1]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_equal(read(alive[0], &byte, 1), 0); /* nobody holds it any more: the group is gone, and so is the guardian */
	close(alive[0]);
	check_string(tree_get("/governor"), "powersave\n");
	tree_end();
}

/* One that nobody told the guardian of, holding the main process's end of the socket. */
static void start_stray(void)
{
	if (!fork()) {
		sys_sleep_ns(1500000000);
		_exit(0);
	}
}

test(stray_child_does_not_keep_the_guardian_waiting)
{
	pid_t child;
	int fd = sys_call(SYS_pidfd_open, (long)getpid(), 0L);

	if (fd < 0)
		return; /* before kernel 5.3, and under qemu-user */
	sys_close(fd);
	prepare();
	child = start_main(start_stray);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (unsigned i = 0; i < 100 && strcmp(tree_get("/governor"), "powersave\n"); i++)
		sys_sleep_ns(10000000);
	check_string(tree_get("/governor"), "powersave\n");
	tree_end();
}

/* At twenty moments of an endless row of settings, between saving and reading back among them. */
test(main_process_killed_at_any_moment_is_restored)
{
	pid_t child;

	prepare();
	for (unsigned i = 0; i < 20; i++) {
		child = fork();
		if (!child) {
			if (guard_start())
				_exit(1);
			for (;;) {
				set("/governor", "performance");
				set("/governor", "ondemand");
			}
		}
		sys_sleep_ns(1000000 + 300000 * i);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		check(becomes("/governor", "powersave\n"));
	}
	tree_end();
}

/* ---- words ---- */

enum { AT = 0x1a4 };

static void start_words(uint64_t word)
{
	char content[AT + 8 + 4] = "";

	tree_start();
	memcpy(content + AT, &word, sizeof(word));
	tree_put_bytes("/msr", content, sizeof(content));
}

static uint64_t word_of(const char *path)
{
	uint64_t word = 0;

	memcpy(&word, tree_get(path) + AT, sizeof(word));
	return word;
}

static int set_word(uint64_t value, uint64_t *before)
{
	return guard_word(tree_path("/msr"), AT, value, before);
}

static bool word_becomes(uint64_t value)
{
	for (unsigned i = 0; i < 500 && word_of("/msr") != value; i++)
		sys_sleep_ns(10000000);
	return word_of("/msr") == value;
}

test(word_is_written_and_put_back)
{
	uint64_t before = 0;

	start_words(0x8000000000000020);
	check_equal(guard_start(), 0);
	check_equal(set_word(0x800000000000002f, &before), 0);
	check(before == 0x8000000000000020);
	check(word_of("/msr") == 0x800000000000002f);
	check_equal(guard_word_back(tree_path("/msr"), AT, 0x800000000000002f, before), 0);
	check(word_of("/msr") == 0x8000000000000020);
	check_equal(set_word(1, &before), 0);
	check_equal(guard_end(), 0);
	check(word_of("/msr") == 0x8000000000000020);
	tree_end();
}

test(word_that_was_put_back_is_the_guardian_s_no_more)
{
	uint64_t before, same = 15;
	FILE *file;

	start_words(0);
	check_equal(guard_start(), 0);
	check_equal(set_word(15, &before), 0);
	check_equal(guard_word_back(tree_path("/msr"), AT, 15, before), 0);
	file = fopen(tree_path("/msr"), "r+"); /* somebody else's */
	check(file && !fseek(file, AT, SEEK_SET) && fwrite(&same, 8, 1, file) == 1 && !fclose(file));
	check_equal(guard_end(), 0);
	check_equal(word_of("/msr"), 15);
	tree_end();
}

test(more_words_in_a_row_than_the_guardian_can_hold_at_once)
{
	uint64_t before;
	int err = 0;

	start_words(0);
	check_equal(guard_start(), 0);
	for (unsigned i = 0; i < MAX_GUARDED + 10 && !err; i++) {
		err = set_word(15, &before);
		if (!err)
			err = guard_word_back(tree_path("/msr"), AT, 15, before);
	}
	check_equal(err, 0);
	check_equal(set_word(15, &before), 0);
	check_equal(guard_end(), 0);
	check_equal(word_of("/msr"), 0);
	tree_end();
}

test(word_that_somebody_else_changed_is_left_alone)
{
	uint64_t before, other = 7;
	FILE *file;

	start_words(0);
	check_equal(guard_start(), 0);
	check_equal(set_word(15, &before), 0);
	file = fopen(tree_path("/msr"), "r+");
	check(file && !fseek(file, AT, SEEK_SET) && fwrite(&other, 8, 1, file) == 1 && !fclose(file));
	check_equal(guard_word_back(tree_path("/msr"), AT, 15, before), 0);
	check_equal(word_of("/msr"), 7);
	check_equal(guard_end(), 0);
	check_equal(word_of("/msr"), 7);
	tree_end();
}

test(word_that_cannot_be_written_or_does_not_keep_it_is_an_error)
{
	uint64_t before;

	tree_start();
	tree_put("/short", "12345");
	check_equal(guard_start(), 0);
	check_equal(guard_word(tree_path("/short"), AT, 1, &before), -EIO);
	check_equal(guard_word(tree_path("/absent"), AT, 1, &before), -ENOENT);
	check_equal(guard_word("/dev/zero", AT, 1, &before), -EIO); /* it takes the write, and reads 0 again */
	check_equal(guard_word("/dev/full", AT, 1, &before), -ENOSPC);
	check_equal(guard_end(), 0);
	check_string(tree_get("/short"), "12345");
	tree_end();
}

test(word_without_guardian_is_not_written)
{
	uint64_t before;

	start_words(3);
	check_equal(set_word(15, &before), -ENOTCONN);
	check_equal(word_of("/msr"), 3);
	tree_end();
}

/* A step's child: writes the word and waits to be killed. */
static pid_t start_step(void)
{
	pid_t child = fork();
	uint64_t before;

	if (!child) {
		setpgid(0, 0);
		if (!set_word(15, &before))
			pause();
		_exit(1);
	}
	setpgid(child, child);
	guard_note_group(child);
	return child;
}

test(word_of_a_killed_step_is_back_before_the_next_step)
{
	pid_t child;

	start_words(0);
	check_equal(guard_start(), 0);
	child = start_step();
	check(word_becomes(15));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_equal(guard_note_group(0), 0);
	check_equal(word_of("/msr"), 0); /* at once */
	check_equal(guard_end(), 0);
	tree_end();
}

static void be_main_with_step(void)
{
	uint64_t before;

	start_step();
	set_word(15, &before);
}

test(word_of_a_step_is_back_when_the_main_process_is_killed)
{
	pid_t child;

	start_words(0);
	tree_put("/governor", "powersave\n");
	tree_put("/min", "729600\n");
	child = start_main(be_main_with_step);
	check(word_becomes(15));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check(word_becomes(0));
	check(becomes("/governor", "powersave\n"));
	tree_end();
}

/* ---- whole settings of a step's child ---- */

test(setting_goes_to_and_fro)
{
	char before[32];

	start();
	for (unsigned i = 0; i < MAX_GUARDED + 10; i++) {
		check_equal(guard_set(tree_path("/min"), "2201600", before, sizeof before), 0);
		check_string(before, "729600");
		if (!i)
			check_string(tree_get("/min"), "2201600");
		check_equal(guard_set_back(tree_path("/min"), "2201600", before), 0);
	}
	check_string(tree_get("/min"), "729600");
	check_equal(guard_end(), 0);
	tree_end();
}

test(setting_that_a_firmware_refuses_without_a_word_is_an_error)
{
	char before[32];

	start();
	check_equal(guard_set("/dev/null", "1", before, sizeof before), -EIO);
	check_equal(guard_set(tree_path("/absent"), "1", before, sizeof before), -ENOENT);
	check_equal(guard_set(tree_path("/min"), "1", before, 3), -ENAMETOOLONG);
	check_string(tree_get("/min"), "729600");
	check_equal(guard_end(), 0);
	check_string(tree_get("/governor"), "powersave\n");
	tree_end();
}

static pid_t start_setting_step(void)
{
	pid_t child = fork();
	char before[32];

	if (!child) {
		setpgid(0, 0);
		if (!guard_set(tree_path("/min"), "2201600", before, sizeof before))
			pause();
		_exit(1);
	}
	setpgid(child, child);
	guard_note_group(child);
	return child;
}

test(setting_of_a_killed_step_is_back_before_the_next_step_and_no_other)
{
	pid_t child;

	start();
	check_equal(set("/governor", "performance"), 0); /* the main process's stays */
	child = start_setting_step();
	check(becomes("/min", "2201600"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_equal(guard_note_group(0), 0);
	check_string(tree_get("/min"), "729600\n");
	check_string(tree_get("/governor"), "performance");
	check_equal(guard_end(), 0);
	check_string(tree_get("/governor"), "powersave\n");
	tree_end();
}

static void be_main_with_setting_step(void)
{
	start_setting_step();
}

test(setting_of_a_step_is_back_when_the_main_process_is_killed)
{
	pid_t child;

	start();
	guard_end();
	child = start_main(be_main_with_setting_step);
	check(becomes("/min", "2201600"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check(becomes("/min", "729600\n"));
	tree_end();
}
