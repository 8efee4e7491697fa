/*
 * Children, shared memory, signals, and how the program fails.
 */
#include "work.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

bool work_stopped(void)
{
	return stopped;
}

void work_stop_on_signals(void)
{
	struct sigaction action = { .sa_handler = stop }; /* without SA_RESTART: waits end */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void work_fail(const char *format, ...)
{
	va_list args;
	fflush(stdout);
	fputs("meridian-work: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

pid_t work_fork(void)
{
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		work_fail("cannot make a process: %s", strerror(errno));
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

bool work_reap(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void *work_shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		work_fail("cannot map %zu bytes: %s", bytes, strerror(errno));
	return memory;
}
