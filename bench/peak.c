/* peak COMMAND...: runs it with its output thrown away, and prints the most memory that it held, in
 * KiB. The exit status is the command's. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: peak COMMAND...\n");
		return 2;
	}
	pid_t child = fork();
	if (child < 0) {
		perror("fork");
		return 1;
	}
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);
		if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
			_exit(127);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	int status;
	struct rusage used;
	if (wait4(child, &status, 0, &used) != child) {
		perror("wait4");
		return 1;
	}
	printf("%ld\n", used.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
