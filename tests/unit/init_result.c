/* The verdict leaves the board: by character devices only. */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "init/result.h"

static struct ending ending;
static char said[4096]; /* on the console */

static void send(const char *list)
{
	char path[] = "/tmp/assay-console.XXXXXX";
	int file = mkstemp(path), console = dup(1);
	ssize_t length;

	unlink(path);
	fflush(stdout);
	ending_error(&ending);
	dup2(file, 1);
	result_send(&ending, list);
	dup2(console, 1);
	close(console);
	length = pread(file, said, sizeof(said) - 1, 0);
	said[length > 0 ? length : 0] = 0;
	close(file);
}

/* A terminal in place of a serial port: what is written to slave is read from the returned descriptor. */
static int open_terminal(char *slave, size_t size)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 || grantpt(fd) || unlockpt(fd) || ptsname_r(fd, slave, size))
		return -1;
	return fd;
}

test(a_terminal_gets_the_last_line_whole)
{
	char slave[64], got[1024], want[1100];
	int fd = open_terminal(slave, sizeof(slave)), hold = open(slave, O_RDWR | O_NOCTTY);
	ssize_t length;

	check(fd >= 0);
	send(slave);
	length = read(fd, got, sizeof(got) - 1);
	got[length > 0 ? length : 0] = 0;
	snprintf(want, sizeof(want), "%s\r\n", ending.line);
	check_string(got, want);
	check_string(said, "");
	close(hold);
	close(fd);
}

test(every_device_of_the_list_is_written_and_qemu_passed_over)
{
	send("null,qemu,/dev/null");
	check_string(said, "");
}

test(an_ordinary_file_is_refused_and_stays_empty)
{
	char path[] = "/tmp/assay-result.XXXXXX", list[64];
	int fd = mkstemp(path);
	struct stat status;

	snprintf(list, sizeof(list), "/dev/..%s", path);
	send(list);
	check(strstr(said, "a character device is expected"));
	check(!fstat(fd, &status) && status.st_size == 0);
	close(fd);
	unlink(path);
}

test(a_device_that_never_comes_is_named_and_not_created)
{
	send("assay-no-such-device");
	check(strstr(said, "init: the result could not be written to /dev/assay-no-such-device: ENOENT"));
	check(access("/dev/assay-no-such-device", F_OK));
}

test(the_console_shows_letters_and_then_the_line)
{
	char path[] = "/tmp/assay-console.XXXXXX";
	int file = mkstemp(path), console = dup(1);
	ssize_t length;

	unlink(path);
	fflush(stdout);
	ending_error(&ending);
	dup2(file, 1);
	result_show(&ending);
	dup2(console, 1);
	close(console);
	length = pread(file, said, sizeof(said) - 1, 0);
	said[length > 0 ? length : 0] = 0;
	close(file);
	check(strstr(said, "\n#####  ####   ####    ###   #### \n"));
	check(strlen(said) > strlen(ending.line) && !strncmp(said + strlen(said) - strlen(ending.line) - 1, ending.line, strlen(ending.line)));
}
