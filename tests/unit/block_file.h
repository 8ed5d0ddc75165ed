/* block_file.h: what the tests of the block engine share: a file whose blocks tell where they are, and calls that are refused. */
#ifndef BLOCK_FILE_H
#define BLOCK_FILE_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

enum { BLOCK = 4096, BLOCKS = 256 };

/* A file of BLOCKS blocks, each filled with its number; its name is gone at once. */
static inline int numbered_file(void)
{
	static char block[BLOCK];
	char path[] = "/tmp/assay-engine-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	for (int i = 0; i < BLOCKS; i++) {
		memset(block, i, sizeof block);
		if (write(fd, block, sizeof block) != sizeof block)
			return -1;
	}
	return fd;
}

/* By a seccomp filter, which cannot be taken off again: in a child. */
static inline bool refuse_call(unsigned number, unsigned err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif
