/* call.c: each wrapper is one system call; what libc gives as -1 and errno becomes -errno here. */
#include "sys/call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long result(long returned)
{
	return returned == -1 ? -errno : returned;
}

int sys_open(const char *path, int flags, unsigned mode)
{
	return result(open(path, flags | O_CLOEXEC, mode));
}

int sys_close(int fd)
{
	return result(close(fd));
}

ssize_t sys_read(int fd, void *to, size_t count)
{
	return result(read(fd, to, count));
}

ssize_t sys_write(int fd, const void *from, size_t count)
{
	return result(write(fd, from, count));
}

int sys_write_all(int fd, const void *from, size_t count)
{
	const char *at = from;

	while (count) {
		ssize_t written = sys_write(fd, at, count);
		if (written == -EINTR)
			continue;
		if (written < 0)
			return written;
		if (written == 0)
			return -EIO;
		at += written;
		count -= written;
	}
	return 0;
}

ssize_t sys_pread(int fd, void *to, size_t count, uint64_t offset)
{
	return result(pread(fd, to, count, offset));
}

ssize_t sys_pwrite(int fd, const void *from, size_t count, uint64_t offset)
{
	return result(pwrite(fd, from, count, offset));
}

int sys_ioctl(int fd, unsigned long request, void *argument)
{
	return result(ioctl(fd, request, argument));
}

int sys_ioctl_number(int fd, unsigned long request, unsigned long argument)
{
	return result(ioctl(fd, request, argument));
}

int sys_pipe(int fds[2])
{
	return result(pipe2(fds, O_CLOEXEC));
}

int sys_fcntl(int fd, int command, long argument)
{
	return result(fcntl(fd, command, argument));
}

int sys_fsync(int fd)
{
	return result(fsync(fd));
}

int sys_ftruncate(int fd, uint64_t size)
{
	return result(ftruncate(fd, size));
}

int sys_mkdir(const char *path, unsigned mode)
{
	return result(mkdir(path, mode));
}

int sys_unlink(const char *path)
{
	return result(unlink(path));
}

int sys_mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data)
{
	return result(mount(source, target, type, flags, data));
}

int sys_flock(int fd, int operation)
{
	return sys_call(SYS_flock, fd, operation);
}

long sys_call_six(long number, long a, long b, long c, long d, long e, long f)
{
	return result(syscall(number, a, b, c, d, e, f));
}

pid_t sys_fork(void)
{
	return result(fork());
}

pid_t sys_getpid(void)
{
	return getpid();
}

pid_t sys_waitpid(pid_t pid, int *status, int options)
{
	return result(waitpid(pid, status, options));
}

int sys_kill(pid_t pid, int signal)
{
	return result(kill(pid, signal));
}

int sys_setpgid(pid_t pid, pid_t group)
{
	return result(setpgid(pid, group));
}

int sys_poll(struct pollfd *fds, unsigned count, int timeout_ms)
{
	return result(poll(fds, count, timeout_ms));
}

void sys_sleep_ns(uint64_t duration_ns)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += duration_ns / 1000000000u;
	until.tv_nsec += duration_ns % 1000000000u;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

static ssize_t read_urandom(void *to, size_t count)
{
	int fd = sys_open("/dev/urandom", O_RDONLY, 0);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = sys_read(fd, to, count);
	sys_close(fd);
	return got;
}

int sys_entropy(void *to, size_t count)
{
	char *at = to;

	while (count) {
		ssize_t got = sys_call(SYS_getrandom, at, count, 0);
		if (got == -ENOSYS || got == -EPERM)
			got = read_urandom(at, count);
		if (got == -EINTR)
			continue;
		if (got <= 0)
			return got ? got : -EIO;
		at += got;
		count -= got;
	}
	return 0;
}

struct error { int number; const char *words; };

/* Those that a kernel of ours gives back; the words are ours, since each libc has others. */
static const struct error errors[] = {
	{ EPERM, "EPERM (not permitted)" },
	{ ENOENT, "ENOENT (not there)" },
	{ ESRCH, "ESRCH (no such process)" },
	{ EINTR, "EINTR (interrupted)" },
	{ EIO, "EIO (input/output error)" },
	{ ENXIO, "ENXIO (no such device or address)" },
	{ E2BIG, "E2BIG (argument list too long)" },
	{ EBADF, "EBADF (bad file descriptor)" },
	{ ECHILD, "ECHILD (no child process)" },
	{ EAGAIN, "EAGAIN (not available now)" },
	{ ENOMEM, "ENOMEM (out of memory)" },
	{ EACCES, "EACCES (access denied)" },
	{ EFAULT, "EFAULT (bad address)" },
	{ ENOTBLK, "ENOTBLK (not a block device)" },
	{ EBUSY, "EBUSY (in use)" },
	{ EEXIST, "EEXIST (exists already)" },
	{ EXDEV, "EXDEV (crosses devices)" },
	{ ENODEV, "ENODEV (no such device)" },
	{ ENOTDIR, "ENOTDIR (not a directory)" },
	{ EISDIR, "EISDIR (is a directory)" },
	{ EINVAL, "EINVAL (invalid argument)" },
	{ ENFILE, "ENFILE (too many open files on this machine)" },
	{ EMFILE, "EMFILE (too many open files)" },
	{ ENOTTY, "ENOTTY (not supported by this device)" },
	{ EFBIG, "EFBIG (too big)" },
	{ ENOSPC, "ENOSPC (no space left)" },
	{ ESPIPE, "ESPIPE (cannot seek)" },
	{ EROFS, "EROFS (read-only file system)" },
	{ EMLINK, "EMLINK (too many links)" },
	{ EPIPE, "EPIPE (nobody reads)" },
	{ EDOM, "EDOM (out of domain)" },
	{ ERANGE, "ERANGE (out of range)" },
	{ EDEADLK, "EDEADLK (would deadlock)" },
	{ ENAMETOOLONG, "ENAMETOOLONG (name too long)" },
	{ ENOLCK, "ENOLCK (no locks)" },
	{ ENOSYS, "ENOSYS (this kernel cannot)" },
	{ ENOTEMPTY, "ENOTEMPTY (not empty)" },
	{ ELOOP, "ELOOP (too many symbolic links)" },
	{ ENODATA, "ENODATA (no data: a medium error)" },
	{ ETIME, "ETIME (timer expired)" },
	{ ENOLINK, "ENOLINK (link severed)" },
	{ EREMOTEIO, "EREMOTEIO (remote input/output error)" },
	{ EPROTO, "EPROTO (protocol error)" },
	{ EBADMSG, "EBADMSG (bad message)" },
	{ EOVERFLOW, "EOVERFLOW (value too large)" },
	{ EILSEQ, "EILSEQ (invalid sequence)" },
	{ ENOTSOCK, "ENOTSOCK (not a socket)" },
	{ EMSGSIZE, "EMSGSIZE (message too long)" },
	{ ENOPROTOOPT, "ENOPROTOOPT (option not available)" },
	{ EPROTONOSUPPORT, "EPROTONOSUPPORT (protocol not supported)" },
	{ EOPNOTSUPP, "EOPNOTSUPP (operation not supported)" },
	{ EAFNOSUPPORT, "EAFNOSUPPORT (address family not supported)" },
	{ EADDRINUSE, "EADDRINUSE (address in use)" },
	{ EADDRNOTAVAIL, "EADDRNOTAVAIL (address not available)" },
	{ ENETDOWN, "ENETDOWN (network is down)" },
	{ ENETUNREACH, "ENETUNREACH (network unreachable)" },
	{ ENETRESET, "ENETRESET (connection reset by network)" },
	{ ECONNABORTED, "ECONNABORTED (connection aborted)" },
	{ ECONNRESET, "ECONNRESET (connection reset)" },
	{ ENOBUFS, "ENOBUFS (no buffer space)" },
	{ ENOTCONN, "ENOTCONN (not connected)" },
	{ ETIMEDOUT, "ETIMEDOUT (timed out)" },
	{ ECONNREFUSED, "ECONNREFUSED (connection refused)" },
	{ EHOSTDOWN, "EHOSTDOWN (host is down)" },
	{ EHOSTUNREACH, "EHOSTUNREACH (no route to host)" },
	{ EALREADY, "EALREADY (already in progress)" },
	{ EINPROGRESS, "EINPROGRESS (in progress)" },
	{ ESTALE, "ESTALE (stale handle)" },
	{ EDQUOT, "EDQUOT (quota exceeded)" },
	{ ENOMEDIUM, "ENOMEDIUM (no medium)" },
	{ EMEDIUMTYPE, "EMEDIUMTYPE (wrong medium type)" },
	{ ECANCELED, "ECANCELED (canceled)" },
};

const char *sys_error(int error)
{
	static _Thread_local char number[24];

	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].number == -error)
			return errors[i].words;
	snprintf(number, sizeof(number), "error %d", -error);
	return number;
}
