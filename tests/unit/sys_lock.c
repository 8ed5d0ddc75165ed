#include "test.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/build.h"
#include "sys/call.h"
#include "sys/lock.h"

/* A root of our own, so that the lock is ours alone: an assay that comes and goes beside us neither meets this test
 * nor is met by it. */
static void own_root(void)
{
	static bool entered;

	if (entered)
		return;
	entered = true;
	check_equal(unshare(CLONE_NEWNS), 0);
	check_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	check_equal(mount("assay-test", "/mnt", "tmpfs", 0, NULL), 0);
	check_equal(mkdir("/mnt/proc", 0755), 0);
	check_equal(mount("/proc", "/mnt/proc", NULL, MS_BIND | MS_REC, NULL), 0);
	check_equal(chroot("/mnt"), 0);
	check_equal(chdir("/"), 0);
}

test(second_instance_is_refused_and_the_holder_named)
{
	int fd, again;
	pid_t holder;

	own_root();
	check_equal(lock_take(&fd, &holder), 0);
	check_equal(lock_take(&again, &holder), -EWOULDBLOCK);
	check_equal(again, -1);
	check_equal(holder, getpid());
	sys_close(fd);
}

test(lock_lives_in_a_child_until_it_closes_its_copy)
{
	int fd, again, release[2];
	pid_t holder, child;
	char byte;

	own_root();
	check_equal(lock_take(&fd, &holder), 0);
	check_equal(sys_pipe(release), 0);
	child = fork();
	if (!child) {
		close(release[1]);
		_exit(read(release[0], &byte, 1) != 0);
	}
	sys_close(fd);
	check_equal(lock_take(&again, &holder), -EWOULDBLOCK);
	close(release[1]);
	close(release[0]);
	waitpid(child, NULL, 0);
	check_equal(lock_take(&again, &holder), 0);
	sys_close(again);
}

test(build_id_is_forty_hex_digits)
{
	check_equal(strlen(build_id()), 40);
	check_equal(strspn(build_id(), "0123456789abcdef"), 40);
}
