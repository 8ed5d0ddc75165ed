/* verify.c: `assay verify RECORD...`: 0 when every record is whole and unchanged, 2 otherwise. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "cli/cli.h"
#include "report/seal.h"
#include "sys/call.h"

static int verify_bytes(const char *path, const char *bytes, size_t size)
{
	struct seal_check check;

	if (seal_verify(bytes, size, &check))
		return cli_usage("%s: not the record that was sealed: %s", path, check.fault);
	cli_print("%s: %llu lines, whole and unchanged, %s, sha256:%s\n", path, (unsigned long long)check.lines,
	          verdict_word(check.verdict), check.sha256);
	return 0;
}

static int verify(const char *path)
{
	struct stat info;
	int fd = sys_open(path, O_RDONLY | O_NONBLOCK, 0), status = 2;
	void *bytes;

	if (fd < 0)
		return cli_usage("%s: %s", path, sys_error(fd));
	if (fstat(fd, &info) || !S_ISREG(info.st_mode)) {
		sys_close(fd);
		return cli_usage("%s: not an ordinary file", path);
	}
	bytes = info.st_size ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	if (bytes == MAP_FAILED)
		cli_usage("%s: it cannot be mapped to memory", path);
	else
		status = verify_bytes(path, bytes, (size_t)info.st_size);
	if (bytes && bytes != MAP_FAILED)
		munmap(bytes, (size_t)info.st_size);
	sys_close(fd);
	return status;
}

int cli_verify(int argc, char **argv)
{
	int status = 0;

	if (argc < 2)
		return cli_usage("verify needs a record: assay verify RECORD...");
	for (int i = 1; i < argc; i++)
		if (verify(argv[i]))
			status = 2;
	return status;
}
