/* deny SYSCALL=ERRNO[,...] COMMAND...: runs a command in which those system calls (by number) fail so, by seccomp. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter filter[64] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	unsigned short n = 1;

	for (char *at = argc > 2 ? strtok(argv[1], ",") : NULL; at; at = strtok(NULL, ",")) {
		unsigned call, error;

		if (sscanf(at, "%u=%u", &call, &error) != 2 || n > 60)
			return 125;
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){ n, filter }))
		return 125;
	execv(argv[2], argv + 2);
	return 127;
}
