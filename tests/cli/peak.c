/* peak COMMAND...: runs it and prints the peak resident memory (KiB) of the largest process of it, then ends with its status. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	int status = 0;
	pid_t pid = fork();

	if (argc < 2 || pid < 0)
		return 125;
	if (!pid) {
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	getrusage(RUSAGE_CHILDREN, &usage);
	dprintf(2, "%ld\n", usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
