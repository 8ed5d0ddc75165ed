#include "test.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/build.h"
#include "sys/call.h"
#include "sys/lock.h"

/* Another assay may hold this machine while we test: then its lock is what we look at. */
static bool take(int *fd, pid_t *holder)
{
	return lock_take(fd, holder) == 0;
}

test(second_instance_is_refused_and_the_holder_named)
{
	int fd, again;
	pid_t holder;

	if (!take(&fd, &holder)) {
		check(holder > 0);
		return;
	}
	check_equal(lock_take(&again, &holder), -EWOULDBLOCK);
	check_equal(again, -1);
	if (!access("/proc/locks", R_OK))
		check_equal(holder, getpid());
	sys_close(fd);
}

test(lock_lives_in_a_child_until_it_closes_its_copy)
{
	int fd, again, release[2];
	pid_t holder, child;
	char byte;

	if (!take(&fd, &holder))
		return;
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
