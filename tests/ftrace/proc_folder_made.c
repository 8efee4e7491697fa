#include "proc_folder_made.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"

static char folder[64];

void made_begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_proc.XXXXXX");
	assert_non_null(mkdtemp(folder));
}

const char *made_folder(void)
{
	return folder;
}

void made_end(void)
{
	assert_true(mer_remove_folder(folder));
}

void made_bytes(const char *path, const void *bytes, size_t n)
{
	char whole[512];
	snprintf(whole, sizeof(whole), "%s/%s", folder, path);
	char *slash = strrchr(whole, '/');
	*slash = '\0';
	assert_true(mer_make_folder(whole));
	*slash = '/';
	FILE *f = fopen(whole, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

void made_put(const char *path, const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert_in_range(n, 0, sizeof(text) - 1);
	made_bytes(path, text, (size_t)n);
}

void made_task(
	const char *path, int tid, const char *comm, char state, int ppid, int start, int is_kernel)
{
	char file[256];
	snprintf(file, sizeof(file), "%s/stat", path);
	made_put(file, "%d (%s) %c %d 1 1 0 -1 %u 1 0 0 0 1 1 0 0 20 0 1 0 %d 1 2 3\n", tid, comm,
		state, ppid, is_kernel ? 2129984U : 4194304U, start);
}
