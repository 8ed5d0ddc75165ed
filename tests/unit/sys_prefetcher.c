#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "event.h"
#include "sys/call.h"
#include "sys/guard.h"
#include "sys/prefetcher.h"
#include "sys_tree.h"

static char how[sizeof(((struct text_fact *)0)->text)];

test(words_come_whatever_cpu_this_is)
{
	int err = prefetcher_off(0, how, sizeof(how));

	check(how[0] && strlen(how) < sizeof(how) - 1);
	check(err != 0 || !strcmp(how, "off by MSR 0x1a4"));
	check(err == 0 || !strncmp(how, "on: ", 4));
	prefetcher_restore(0);
}

#ifdef __x86_64__
static const char *msr;

/* 8 bytes at 0x1a4; in the other bits, what must stay as it is. */
static void start(uint64_t word)
{
	static char path[128];
	char content[0x1a4 + 8] = "";

	tree_start();
	memcpy(content + 0x1a4, &word, sizeof(word));
	tree_put_bytes("/msr", content, sizeof(content));
	snprintf(path, sizeof(path), "%s", tree_path("/msr"));
	msr = path;
}

static uint64_t word(void)
{
	uint64_t value;

	memcpy(&value, tree_get("/msr") + 0x1a4, sizeof(value));
	return value;
}

test(switched_off_and_put_back)
{
	start(0x21);
	check_equal(guard_start(), 0);
	check_equal(prefetcher_off_by(msr, 3, how, sizeof(how)), 0);
	check_string(how, "off by MSR 0x1a4");
	check_equal(word(), 0x2f);
	check_equal(prefetcher_off_by(msr, 3, how, sizeof(how)), 0); /* twice: it must not take this for what it was */
	prefetcher_restore_by(msr, 3);
	check_equal(word(), 0x21);
	prefetcher_restore_by(msr, 3);
	check_equal(word(), 0x21);
	check_equal(guard_end(), 0);
	tree_end();
}

test(not_put_back_by_the_step_the_guardian_does)
{
	start(0);
	check_equal(guard_start(), 0);
	check_equal(prefetcher_off_by(msr, 1, how, sizeof(how)), 0);
	check_equal(guard_end(), 0);
	check_equal(word(), 0);
	prefetcher_restore_by(msr, 1);
	check_equal(word(), 0);
	tree_end();
}

test(killed_main_process_is_put_back)
{
	pid_t child;

	start(0x20);
	child = fork();
	if (!child) {
		if (!guard_start() && !prefetcher_off_by(msr, 0, how, sizeof(how)))
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	for (unsigned i = 0; i < 500 && word() != 0x20; i++)
		sys_sleep_ns(10000000);
	check_equal(word(), 0x20);
	tree_end();
}

test(without_a_guardian_it_stays_on)
{
	start(0);
	check_equal(prefetcher_off_by(msr, 0, how, sizeof(how)), -ENOTCONN);
	check_string(how, "on: no guardian to put them back; the order is random");
	check_equal(word(), 0);
	tree_end();
}

test(refused_and_forgotten_writes_are_on)
{
	tree_start();
	check_equal(guard_start(), 0);
	check_equal(prefetcher_off_by(tree_path("/none"), 0, how, sizeof(how)), -ENOENT);
	check_string(how, "on: no /dev/cpu/N/msr (msr driver); the order is random");
	check_equal(prefetcher_off_by("/dev/zero", 0, how, sizeof(how)), -EIO); /* it does not keep what is written */
	check_string(how, "on: MSR 0x1a4 does not take it; the order is random");
	check(prefetcher_off_by("/dev/full", 0, how, sizeof(how)) < 0);
	check(!strncmp(how, "on: ", 4));
	check_equal(prefetcher_off_by("/dev/null", 0, how, sizeof(how)), -EIO); /* nothing to be read */
	check_equal(prefetcher_off_by("/dev/zero", 5000, how, sizeof(how)), -EINVAL);
	check_equal(guard_end(), 0);
	tree_end();
}
#endif
