/*
 * call.h: thin -errno wrappers of system calls, the only place (with the rest of sys/) that reads errno.
 *
 * Each returns what the kernel returns, or -errno.  EINTR is returned, not retried, unless said otherwise.
 */
#ifndef CALL_H
#define CALL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct timespec;
struct iovec;

int sys_open(const char *path, int flags, unsigned mode); /* O_CLOEXEC is added */
int sys_open_direct(const char *path, int flags, bool *direct); /* with O_DIRECT where that can be done there */
int sys_close(int fd);
ssize_t sys_read(int fd, void *to, size_t count);
ssize_t sys_write(int fd, const void *from, size_t count);
int sys_write_all(int fd, const void *from, size_t count);   /* retries EINTR and short writes; 0 or -errno */
ssize_t sys_pread(int fd, void *to, size_t count, uint64_t offset);
ssize_t sys_pwrite(int fd, const void *from, size_t count, uint64_t offset);
int sys_ioctl(int fd, unsigned long request, void *argument);
int sys_ioctl_number(int fd, unsigned long request, unsigned long argument);
int sys_pipe(int fds[2]);                                    /* O_CLOEXEC */
int sys_fcntl(int fd, int command, long argument);
int sys_fsync(int fd);
int sys_ftruncate(int fd, uint64_t size);
int sys_mkdir(const char *path, unsigned mode);
int sys_mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data);
int sys_flock(int fd, int operation);

/* sys_call(SYS_..., up to six arguments): any other. */
#define sys_call(...) SYS_CALL_PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define SYS_CALL_PADDED(number, a, b, c, d, e, f, ...) \
	sys_call_six(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
long sys_call_six(long number, long a, long b, long c, long d, long e, long f);

pid_t sys_fork(void);
pid_t sys_getpid(void);
pid_t sys_waitpid(pid_t pid, int *status, int options);
int sys_kill(pid_t pid, int signal);
int sys_setpgid(pid_t pid, pid_t group);

struct pollfd;
int sys_poll(struct pollfd *fds, unsigned count, int timeout_ms);
void sys_sleep_ns(uint64_t duration_ns);                     /* whole, through EINTR */
int sys_entropy(void *to, size_t count);                     /* getrandom, else /dev/urandom; 0 or -errno */

/* "SIGBUS (the memory or file behind a page is gone)"; never NULL */
const char *sys_signal(int signal);
/* "EIO (input/output error)" for -EIO; never NULL */
const char *sys_error(int error);

#endif
