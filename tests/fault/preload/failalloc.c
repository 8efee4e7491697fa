/* Preloaded into a program: makes its n-th allocation fail (MER_FAIL_ALLOC=n, counted from 1), and
 * those after it too with MER_FAIL_ALLOC=n+. At the end writes "ALLOCATIONS LIVE", the number of
 * allocations made and of those never freed, to the file MER_FAIL_REPORT.
 *
 * MER_FAIL_EACH=STEP: in one run, allocation 1, 1 + STEP, 1 + 2 STEP and so on fail, each in a
 * child that goes on from there, while the run itself waits for it and has its memory. So what
 * comes before an allocation is done once and not again for each. Of each child the file
 * MER_FAIL_LOG gets a line: "N STATUS LIVE BYTES", with its exit status (128 and more: a signal),
 * and the bytes that it wrote to stderr. For programs with one thread. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static atomic_long made, live;
static long fail_at, fail_each;
static bool fail_after, counting;

static void write_all(int fd, const char *text, int len)
{
	if (len < 0 || write(fd, text, (size_t)len) != len)
		_exit(99);
}

/* The file of a variable, or -1. */
static int open_of(const char *name, int flags)
{
	const char *path = getenv(name);
	return path ? open(path, flags | O_CREAT, 0600) : -1;
}

/* Files that are being read: the child's place in them is its own. */
static void own_places(void)
{
	for (int fd = 3; fd < 64; fd++) {
		char name[40];
		int flags = fcntl(fd, F_GETFL);
		off_t at = flags < 0 ? -1 : lseek(fd, 0, SEEK_CUR);
		if (at < 0 || (flags & O_ACCMODE) != O_RDONLY)
			continue;
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		int own = open(name, O_RDONLY | O_CLOEXEC);
		if (own < 0)
			continue;
		lseek(own, at, SEEK_SET);
		dup2(own, fd);
		close(own);
	}
}

static void note_child(long n, int status)
{
	char text[100] = "none";
	struct stat err = { 0 };
	const char *errors = getenv("MER_FAIL_ERRORS");
	long its_live = -1;
	int report = open_of("MER_FAIL_REPORT", O_RDONLY);
	ssize_t len = report < 0 ? 0 : read(report, text, sizeof(text) - 1);
	text[len > 0 ? len : 0] = 0;
	if (sscanf(text, "%*d %ld", &its_live) != 1)
		its_live = -1;
	close(report);
	if (errors)
		stat(errors, &err);
	int log = open_of("MER_FAIL_LOG", O_WRONLY | O_APPEND);
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	write_all(log, text,
		snprintf(text, sizeof(text), "%ld %d %ld %ld\n", n, code, its_live,
			(long)err.st_size));
	close(log);
}

/* True in the child, whose allocation fails. */
static bool try_in_child(long n)
{
	enum { SECONDS = 60 };
	counting = false;
	close(open_of("MER_FAIL_REPORT", O_WRONLY | O_TRUNC));
	pid_t child = fork();
	if (child < 0)
		_exit(99);
	if (child == 0) {
		int out = open("/dev/null", O_WRONLY);
		int errors = open_of("MER_FAIL_ERRORS", O_WRONLY | O_TRUNC);
		dup2(out, 1);
		dup2(errors, 2);
		close(out);
		close(errors);
		own_places();
		/* In a build that counts lines each child would write the counters of all files. */
		setenv("GCOV_PREFIX", "/dev/null/of-a-child", 1);
		alarm(SECONDS);
		fail_each = 0;
		counting = true;
		return true;
	}
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			_exit(99);
	note_child(n, status);
	counting = true;
	return false;
}

static bool fails(void)
{
	if (!counting)
		return false;
	long n = atomic_fetch_add(&made, 1) + 1;
	if (fail_each && (n - 1) % fail_each == 0 && try_in_child(n)) {
		errno = ENOMEM;
		return true;
	}
	if (!(fail_at && (n == fail_at || (fail_after && n > fail_at))))
		return false;
	errno = ENOMEM;
	return true;
}

static void *count(void *p)
{
	if (p && counting)
		atomic_fetch_add(&live, 1);
	return p;
}

void *malloc(size_t n)
{
	return fails() ? NULL : count(__libc_malloc(n));
}

void *calloc(size_t n, size_t each)
{
	return fails() ? NULL : count(__libc_calloc(n, each));
}

void *realloc(void *p, size_t n)
{
	if (fails())
		return NULL;
	return p ? __libc_realloc(p, n) : count(__libc_realloc(p, n));
}

void free(void *p)
{
	if (p && counting)
		atomic_fetch_sub(&live, 1);
	__libc_free(p);
}

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("MER_FAIL_ALLOC");
	fail_at = n ? atol(n) : 0;
	fail_after = n && strchr(n, '+');
	const char *each = getenv("MER_FAIL_EACH");
	fail_each = each ? atol(each) : 0;
	counting = true;
}

__attribute__((destructor)) static void end(void)
{
	counting = false;
	int fd = open_of("MER_FAIL_REPORT", O_WRONLY | O_TRUNC);
	if (fd < 0)
		return;
	char text[64];
	write_all(fd, text, snprintf(text, sizeof(text), "%ld %ld\n", made, live));
	close(fd);
}
