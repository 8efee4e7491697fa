/* Preloaded into a program: makes its n-th allocation fail (MER_FAIL_ALLOC=n, counted from 1), and
 * those after it too with MER_FAIL_ALLOC=n+. At the end writes "ALLOCATIONS LIVE", the number of
 * allocations made and of those never freed, to the file MER_FAIL_REPORT. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static atomic_long made, live;
static long fail_at;
static bool fail_after, counting;

static bool fails(void)
{
	if (!counting)
		return false;
	long n = atomic_fetch_add(&made, 1) + 1;
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
	counting = true;
}

__attribute__((destructor)) static void end(void)
{
	counting = false;
	const char *path = getenv("MER_FAIL_REPORT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	if (fd < 0)
		return;
	char text[64];
	int len = snprintf(text, sizeof(text), "%ld %ld\n", made, live);
	if (write(fd, text, (size_t)len) != len)
		_exit(99);
	close(fd);
}
