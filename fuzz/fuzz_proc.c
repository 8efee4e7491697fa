/* Fuzzer of copies of /proc: no texts in their files may crash the reader, or what is told of them.
 *
 * Files one after the other, each with a line "== PATH" in front: proc-before/PID/stat, ... */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "ftrace/proc/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 64, MAX_PATH = 64 };

/* What a copy's paths are made of: they stay in the folder. */
static bool is_path(const char *p, size_t len)
{
	if (len == 0 || len >= MAX_PATH || p[0] == '/' || p[len - 1] == '/')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-/", p[i]) || !p[i] ||
			(i && p[i] == '/' && p[i - 1] == '/'))
			return false;
	return true;
}

static void put(const char *folder, const char *path, size_t len, const char *text, size_t size)
{
	char whole[128 + MAX_PATH];
	int n = snprintf(whole, sizeof(whole), "%s/%.*s", folder, (int)len, path);
	check(n > 0 && (size_t)n < sizeof(whole));
	char *slash = strrchr(whole, '/');
	*slash = '\0';
	bool ok = mer_make_folder(whole);
	*slash = '/';
	int fd = ok ? open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (fd < 0) /* a file where a folder should be, or a folder where a file */
		return;
	check(mer_write_all(fd, text, size));
	close(fd);
}

static void put_files(const char *folder, const char *p, size_t size)
{
	const char *end = p + size;
	for (unsigned i = 0; i < MAX_FILES && p < end; i++) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		if (end - p < 3 || memcmp(p, "== ", 3) != 0 || !line)
			return;
		const char *path = p + 3, *text = line + 1, *next = text;
		while (next < end &&
			!(next + 3 <= end && memcmp(next, "== ", 3) == 0 && next[-1] == '\n'))
			next++;
		if (is_path(path, (size_t)(line - path)))
			put(folder, path, (size_t)(line - path), text, (size_t)(next - text));
		p = next;
	}
}

static void tell(const struct proc_snapshot *both, struct mer_arena *arena, const char *clock)
{
	const struct ftrace_closes closes = { .is_wanted = true, .is_recorded = true };
	struct proc_rows rows = { .before = &both[0],
		.after = &both[1],
		.clock = clock,
		.first = 10000000000,
		.last = 20000000000,
		.is_whole = true,
		.closes = &closes,
		.arena = arena };
	check(proc_rows_find(&rows));
	for (size_t i = 0; i < rows.n; i++)
		check(rows.row[i].time >= rows.first && rows.row[i].time <= rows.last &&
			(i == 0 || rows.row[i - 1].time <= rows.row[i].time));
	proc_rows_fini(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/fuzz_proc.XXXXXX";
	struct proc_snapshot both[2] = { 0 };
	struct mer_arena arena;
	check(mkdtemp(folder));
	put_files(folder, (const char *)data, size);
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check(dir >= 0);
	mer_arena_init(&arena);
	check(proc_snapshot_read(&both[0], dir, "proc-before", size & 1, &arena));
	check(proc_snapshot_read(&both[1], dir, "proc-after", size & 1, &arena));
	tell(both, &arena, "mono");
	tell(both, &arena, "boot");
	tell(both, &arena, "realtime");
	tell(both, &arena, "perf");
	proc_snapshot_fini(&both[0]);
	proc_snapshot_fini(&both[1]);
	mer_arena_fini(&arena);
	close(dir);
	check(mer_remove_folder(folder));
	return 0;
}
