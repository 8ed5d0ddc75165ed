#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "sys/call.h"
#include "sys/clock.h"

test(error_has_its_symbol_and_words) { check_string(sys_error(-EIO), "EIO (input/output error)"); }
test(error_without_a_name_is_its_number) { check_string(sys_error(-4000), "error 4000"); }

test(missing_file_is_minus_enoent) { check_equal(sys_open("/nonexistent/file", O_RDONLY, 0), -ENOENT); }
test(read_of_no_descriptor_is_minus_ebadf) { char byte; check_equal(sys_read(-1, &byte, 1), -EBADF); }
test(unknown_call_is_minus_enosys) { check_equal(sys_call(100000), -ENOSYS); }

test(descriptors_close_on_exec)
{
	int fd = sys_open("/", O_RDONLY | O_DIRECTORY, 0), pipe[2];

	check_equal(sys_fcntl(fd, F_GETFD, 0), FD_CLOEXEC);
	check_equal(sys_pipe(pipe), 0);
	check_equal(sys_fcntl(pipe[0], F_GETFD, 0), FD_CLOEXEC);
	sys_close(fd);
	sys_close(pipe[0]);
	sys_close(pipe[1]);
}

test(six_arguments_pass)
{
	long at = sys_call(SYS_mmap, NULL, 4096L, 1L /* PROT_READ */, 0x22L /* private, anonymous */, -1L, 0L);

	check(at > 0 || at < -4095);
	check_equal(sys_call(SYS_munmap, at, 4096L), 0);
}

test(sleep_takes_at_least_its_time)
{
	uint64_t before_ns = clock_now_ns();

	sys_sleep_ns(5000000);
	check(clock_now_ns() - before_ns >= 4900000); /* the two clocks may run 2 % apart */
}

test(entropy_fills_all_of_it_and_differs)
{
	uint64_t first[64] = { 0 }, second[64] = { 0 };
	unsigned zeros = 0;

	check_equal(sys_entropy(first, sizeof(first)), 0);
	check_equal(sys_entropy(second, sizeof(second)), 0);
	check(memcmp(first, second, sizeof(first)));
	for (unsigned i = 0; i < 64; i++)
		zeros += !first[i];
	check_equal(zeros, 0);
}

test(write_all_to_a_pipe_without_reader_is_an_error)
{
	int pipe[2];

	signal(SIGPIPE, SIG_IGN);
	sys_pipe(pipe);
	sys_close(pipe[0]);
	check_equal(sys_write_all(pipe[1], "x", 1), -EPIPE);
	sys_close(pipe[1]);
}
