#include "ftrace/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ftrace/perf/perfdata.h"
#include "ftrace/proc/proc.h"
#include "ftrace/read.h"
#include "ftrace/text/text_line.h"
#include "ftrace/pages/tracing.h"

enum { COPY_FORMAT = 18, HEAD = 16, TEXT_HEAD = 1 << 16, MAX_PARTS = 1 << 12 };

bool ftrace_is_raw(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strcmp(slash ? slash + 1 : path, "header_page") == 0;
}

size_t ftrace_raw_folder(const char *path)
{
	static const char events[] = "events";
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0, len = sizeof(events) - 1;
	if (n < len || memcmp(path + n - len, events, len) != 0 ||
		(n > len && path[n - len - 1] != '/'))
		return n;
	return n > len ? n - len - 1 : 0;
}

/* Is it a text of ftrace or perf? head: its first bytes, which tell most binary files. */
static bool is_text(int fd, const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (head[i] < ' ' && head[i] != '\n' && head[i] != '\r' && head[i] != '\t')
			return false;
	char *text = malloc(TEXT_HEAD);
	size_t size = 0;
	ssize_t more = text ? 1 : 0;
	while (size < TEXT_HEAD && more > 0) {
		more = pread(fd, text + size, TEXT_HEAD - size, (off_t)size);
		size += more > 0 ? (size_t)more : 0;
	}
	bool is = text && ftrace_text_is(text, size, size < TEXT_HEAD);
	free(text);
	return is;
}

const struct copied_kind *ftrace_kind(const char *path)
{
	if (ftrace_is_raw(path))
		return &ftrace_file;
	uint8_t head[HEAD];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, head, sizeof(head)) : -1;
	const struct copied_kind *kind = NULL;
	if (n > 0 && (ftrace_tracing_is(head, (size_t)n) || perfdata_is(head, (size_t)n)))
		kind = &ftrace_file;
	else if (n > 0 && is_text(fd, head, (size_t)n))
		kind = &ftrace_text_file;
	close(fd);
	return kind;
}

/* All files of a folder, and of per_cpu/ and per_cpu/cpuN/ below it. */
static void add_folder(const char *folder, uint64_t key[2])
{
	DIR *d = opendir(folder);
	char below[4200];
	for (struct dirent *e; d && (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		for (uint64_t i = 0; i < 2; i++)
			key[i] += copied_hash(dirfd(d), e->d_name, i);
		int len = snprintf(below, sizeof(below), "%s/%s", folder, e->d_name);
		if ((size_t)len < sizeof(below) &&
			(strcmp(e->d_name, "per_cpu") == 0 || strncmp(e->d_name, "cpu", 3) == 0))
			add_folder(below, key);
	}
	if (d)
		closedir(d);
}

static void add_key(const char *path, uint64_t key[2])
{
	char part[4200];
	if (ftrace_is_raw(path)) {
		size_t n = ftrace_raw_folder(path);
		int len = snprintf(part, sizeof(part), "%.*s", n ? (int)n : 1, n ? path : ".");
		if ((size_t)len < sizeof(part))
			add_folder(part, key);
	}
	copied_add_file(path, key);
	ftrace_proc_key(path, key);
	/* Files beside it, of perf record --threads. */
	for (unsigned n = 0; n < MAX_PARTS; n++) {
		int len = snprintf(part, sizeof(part), "%s.%u", path, n);
		uint64_t hash = (size_t)len < sizeof(part) ? copied_hash(AT_FDCWD, part, 0) : 0;
		if (!hash)
			break;
		key[0] += hash;
		key[1] += copied_hash(AT_FDCWD, part, 1);
	}
}

const struct copied_kind ftrace_text_file = { .name = "ftrace",
	.format = COPY_FORMAT,
	.is_lesser = true,
	.key = add_key,
	.read = ftrace_read };

/* Raw pages are named by their folder. */
static size_t called(const char *path)
{
	size_t n = ftrace_is_raw(path) ? ftrace_raw_folder(path) : 0;
	return n ? n : strlen(path);
}

const struct copied_kind ftrace_file = { .name = "ftrace",
	.format = COPY_FORMAT,
	.called = called,
	.key = add_key,
	.read = ftrace_read };
