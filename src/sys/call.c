/*
 * call.c: each wrapper is one system call, made by sys/<arch>/call_arch.c, which answers with -errno.
 * Those that libc must know of (fork, the clocks in the vDSO) go through libc.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capacity.h"
#include "lib/text.h"
#include "sys/call.h"

int sys_open(const char *path, int flags, unsigned mode)
{
	return sys_call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

int sys_open_direct(const char *path, int flags, bool *direct)
{
	int fd = sys_open(path, flags | O_DIRECT, 0);

	*direct = fd != -EINVAL;
	return *direct ? fd : sys_open(path, flags, 0);
}

int sys_close(int fd)
{
	return sys_call(SYS_close, fd);
}

ssize_t sys_read(int fd, void *to, size_t count)
{
	return sys_call(SYS_read, fd, to, count);
}

ssize_t sys_write(int fd, const void *from, size_t count)
{
	return sys_call(SYS_write, fd, from, count);
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
	return sys_call(SYS_pread64, fd, to, count, offset);
}

ssize_t sys_pwrite(int fd, const void *from, size_t count, uint64_t offset)
{
	return sys_call(SYS_pwrite64, fd, from, count, offset);
}

int sys_ioctl(int fd, unsigned long request, void *argument)
{
	return sys_ioctl_number(fd, request, (unsigned long)argument);
}

int sys_ioctl_number(int fd, unsigned long request, unsigned long argument)
{
	return sys_call(SYS_ioctl, fd, request, argument);
}

int sys_pipe(int fds[2])
{
	return sys_call(SYS_pipe2, fds, O_CLOEXEC);
}

int sys_fcntl(int fd, int command, long argument)
{
	return sys_call(SYS_fcntl, fd, command, argument);
}

int sys_fsync(int fd)
{
	return sys_call(SYS_fsync, fd);
}

int sys_ftruncate(int fd, uint64_t size)
{
	return sys_call(SYS_ftruncate, fd, size);
}

int sys_mkdir(const char *path, unsigned mode)
{
	return sys_call(SYS_mkdirat, AT_FDCWD, path, mode);
}

int sys_mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data)
{
	return sys_call(SYS_mount, source, target, type, flags, data);
}

int sys_flock(int fd, int operation)
{
	return sys_call(SYS_flock, fd, operation);
}

/* Whoever forks here has no threads, so there are no locks of libc's that fork() would have to carry over. */
pid_t sys_fork(void)
{
	pid_t pid = _Fork();

	return pid == -1 ? -errno : pid;
}

pid_t sys_getpid(void)
{
	return getpid();
}

pid_t sys_waitpid(pid_t pid, int *status, int options)
{
	return sys_call(SYS_wait4, pid, status, options, NULL);
}

int sys_kill(pid_t pid, int signal)
{
	return sys_call(SYS_kill, pid, signal);
}

int sys_setpgid(pid_t pid, pid_t group)
{
	return sys_call(SYS_setpgid, pid, group);
}

int sys_poll(struct pollfd *fds, unsigned count, int timeout_ms)
{
	struct timespec timeout = { .tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L };

	return sys_call(SYS_ppoll, fds, count, timeout_ms < 0 ? NULL : &timeout, NULL, 0);
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

/*
 * What a kernel of ours gives back; the words are ours, since each libc has others.  Each text lies in a member that is as
 * long as it, so that the table of them holds distances and no pointers.
 */
#define ERRORS(ERROR) \
	ERROR(EPERM, "not permitted") \
	ERROR(ENOENT, "not there") \
	ERROR(ESRCH, "no such process") \
	ERROR(EINTR, "interrupted") \
	ERROR(EIO, "input/output error") \
	ERROR(ENXIO, "no such device or address") \
	ERROR(E2BIG, "argument list too long") \
	ERROR(EBADF, "bad file descriptor") \
	ERROR(ECHILD, "no child process") \
	ERROR(EAGAIN, "not available now") \
	ERROR(ENOMEM, "out of memory") \
	ERROR(EACCES, "access denied") \
	ERROR(EFAULT, "bad address") \
	ERROR(ENOTBLK, "not a block device") \
	ERROR(EBUSY, "in use") \
	ERROR(EEXIST, "exists already") \
	ERROR(EXDEV, "crosses devices") \
	ERROR(ENODEV, "no such device") \
	ERROR(ENOTDIR, "not a directory") \
	ERROR(EISDIR, "is a directory") \
	ERROR(EINVAL, "invalid argument") \
	ERROR(ENFILE, "too many open files on this machine") \
	ERROR(EMFILE, "too many open files") \
	ERROR(ENOTTY, "not supported by this device") \
	ERROR(EFBIG, "too big") \
	ERROR(ENOSPC, "no space left") \
	ERROR(ESPIPE, "cannot seek") \
	ERROR(EROFS, "read-only file system") \
	ERROR(EMLINK, "too many links") \
	ERROR(EPIPE, "nobody reads") \
	ERROR(EDOM, "out of domain") \
	ERROR(ERANGE, "out of range") \
	ERROR(EDEADLK, "would deadlock") \
	ERROR(ENAMETOOLONG, "name too long") \
	ERROR(ENOLCK, "no locks") \
	ERROR(ENOSYS, "this kernel cannot") \
	ERROR(ENOTEMPTY, "not empty") \
	ERROR(ELOOP, "too many symbolic links") \
	ERROR(ENODATA, "no data: a medium error") \
	ERROR(ETIME, "timer expired") \
	ERROR(ENOLINK, "link severed") \
	ERROR(EREMOTEIO, "remote input/output error") \
	ERROR(EPROTO, "protocol error") \
	ERROR(EBADMSG, "bad message") \
	ERROR(EOVERFLOW, "value too large") \
	ERROR(EILSEQ, "invalid sequence") \
	ERROR(ENOTSOCK, "not a socket") \
	ERROR(EMSGSIZE, "message too long") \
	ERROR(ENOPROTOOPT, "option not available") \
	ERROR(EPROTONOSUPPORT, "protocol not supported") \
	ERROR(EOPNOTSUPP, "operation not supported") \
	ERROR(EAFNOSUPPORT, "address family not supported") \
	ERROR(EADDRINUSE, "address in use") \
	ERROR(EADDRNOTAVAIL, "address not available") \
	ERROR(ENETDOWN, "network is down") \
	ERROR(ENETUNREACH, "network unreachable") \
	ERROR(ENETRESET, "connection reset by network") \
	ERROR(ECONNABORTED, "connection aborted") \
	ERROR(ECONNRESET, "connection reset") \
	ERROR(ENOBUFS, "no buffer space") \
	ERROR(ENOTCONN, "not connected") \
	ERROR(ETIMEDOUT, "timed out") \
	ERROR(ECONNREFUSED, "connection refused") \
	ERROR(EHOSTDOWN, "host is down") \
	ERROR(EHOSTUNREACH, "no route to host") \
	ERROR(EALREADY, "already in progress") \
	ERROR(EINPROGRESS, "in progress") \
	ERROR(ESTALE, "stale handle") \
	ERROR(EDQUOT, "quota exceeded") \
	ERROR(ENOMEDIUM, "no medium") \
	ERROR(EMEDIUMTYPE, "wrong medium type") \
	ERROR(ECANCELED, "canceled")

#define TEXT_MEMBER(name, words) char text_##name[sizeof(#name " (" words ")")];
#define TEXT_VALUE(name, words) .text_##name = #name " (" words ")",
#define PLACE(name, words) { name, offsetof(struct error_texts, text_##name) },

static const struct error_texts { ERRORS(TEXT_MEMBER) } texts = { ERRORS(TEXT_VALUE) };
static const struct { uint8_t number; uint16_t offset; } errors[] = { ERRORS(PLACE) };

_Static_assert(EMEDIUMTYPE < 256 && ECANCELED < 256, "a number fits its byte");

const char *sys_error(int error)
{
	static _Thread_local char number[24];

	for (unsigned i = 0; i < COUNT_OF(errors); i++)
		if (errors[i].number == -error)
			return (const char *)&texts + errors[i].offset;
	text_format(number, sizeof(number), "error %d", -error);
	return number;
}

const char *sys_signal(int signal)
{
	switch (signal) {
	case SIGBUS: return "SIGBUS (the memory or file behind a page is gone)";
	case SIGSEGV: return "SIGSEGV (a bug in the step, or memory that changed under it)";
	case SIGILL: return "SIGILL (an instruction this CPU does not have)";
	case SIGFPE: return "SIGFPE";
	case SIGABRT: return "SIGABRT";
	case SIGKILL: return "SIGKILL (from outside, or out of memory)";
	case SIGTERM: return "SIGTERM (from outside)";
	case SIGSYS: return "SIGSYS (a system call is forbidden here)";
	default: return "a signal";
	}
}
