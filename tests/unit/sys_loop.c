#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/call.h"
#include "sys/file.h"
#include "sys/identify.h"
#include "sys/loop.h"
#include "sys_tree.h"

/* Loop devices need root and a kernel that has them: elsewhere only the refusals can be tested. */
static bool attach(struct loop *loop)
{
	char content[8192];

	memset(content, 'a', sizeof(content));
	tree_start();
	tree_put_bytes("/image", content, sizeof(content));
	if (!loop_attach(tree_path("/image"), false, loop))
		return true;
	tree_end();
	return false;
}

static void detach(struct loop *loop)
{
	loop_detach(loop);
	tree_end();
}

test(folder_is_refused)
{
	struct loop loop;

	check_equal(loop_attach("/", true, &loop), -EINVAL);
	check_equal(loop.fd, -1);
}

test(device_is_refused)
{
	struct loop loop;

	check_equal(loop_attach("/dev/null", false, &loop), -EINVAL);
}

test(absent_file_is_minus_enoent)
{
	struct loop loop;

	check_equal(loop_attach("/nonexistent/image", false, &loop), -ENOENT);
}

test(device_shows_the_file)
{
	struct loop loop;
	char block[512];

	if (!attach(&loop))
		return;
	check_equal(sys_pread(loop.fd, block, sizeof(block), 7680), 512);
	check_equal(block[511], 'a');
	check_equal(sys_pread(loop.fd, block, sizeof(block), 8192), 0);
	detach(&loop);
}

test(device_is_gone_with_its_descriptor)
{
	struct loop loop;
	char backing[256];
	bool gone = false;

	if (!attach(&loop))
		return;
	check(file_readf(backing, sizeof(backing), "/sys/block/%s/loop/backing_file", loop.name) > 0);
	loop_detach(&loop);
	/* The kernel clears it from a worker of its own. */
	for (unsigned i = 0; i < 200 && !gone; i++) {
		file_string(backing, sizeof(backing), "/sys/block/%s/loop/backing_file", loop.name);
		gone = strcmp(backing, tree_path("/image")) != 0;
		sys_sleep_ns(5000000);
	}
	check(gone);
	tree_end();
}

test(device_is_gone_when_its_process_is_killed)
{
	struct loop loop;
	char backing[256], name[32] = "";
	int ready[2];
	bool gone = false;
	pid_t child;

	if (!attach(&loop))
		return;
	loop_detach(&loop);
	sys_pipe(ready);
	child = fork();
	if (!child) {
		if (!loop_attach(tree_path("/image"), false, &loop) && write(ready[1], loop.name, sizeof(name)) == sizeof(name))
			pause();
		_exit(1);
	}
	check_equal(read(ready[0], name, sizeof(name)), sizeof(name));
	close(ready[0]);
	close(ready[1]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (unsigned i = 0; i < 200 && !gone; i++) {
		file_string(backing, sizeof(backing), "/sys/block/%s/loop/backing_file", name);
		gone = strcmp(backing, tree_path("/image")) != 0;
		sys_sleep_ns(5000000);
	}
	check(gone);
	tree_end();
}

test(direct_io_is_told_as_the_kernel_has_it)
{
	struct loop loop;
	uint64_t direct;

	if (!attach(&loop))
		return;
	check_equal(file_number(&direct, "/sys/block/%s/loop/dio", loop.name), 0);
	check_equal(loop.direct_io, direct);
	detach(&loop);
}

test(node_of_the_device_is_found)
{
	struct loop loop;
	char path[64];

	if (!attach(&loop))
		return;
	check_equal(identify_node(loop.name, path, sizeof(path)), 0);
	check_string(path, loop.path);
	detach(&loop);
}
