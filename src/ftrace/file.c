#include "ftrace/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ftrace/perfdata.h"
#include "ftrace/read.h"
#include "ftrace/tracing.h"

enum { COPY_FORMAT = 2, HEAD = 16, MAX_PARTS = 1 << 12 };

bool ftrace_is_raw(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strcmp(slash ? slash + 1 : path, "header_page") == 0;
}

bool ftrace_is_file(const char *path)
{
	if (ftrace_is_raw(path))
		return true;
	uint8_t head[HEAD];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, head, sizeof(head)) : -1;
	close(fd);
	return n > 0 && (ftrace_tracing_is(head, (size_t)n) || perfdata_is(head, (size_t)n));
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
	const char *slash = strrchr(path, '/');
	if (ftrace_is_raw(path)) {
		int len = snprintf(part, sizeof(part), "%.*s", slash ? (int)(slash - path) : 1,
			slash ? path : ".");
		if ((size_t)len < sizeof(part))
			add_folder(part, key);
	}
	for (uint64_t i = 0; i < 2; i++)
		key[i] += copied_hash(AT_FDCWD, path, i);
	/* Of perf record --threads. */
	for (unsigned n = 0; n < MAX_PARTS; n++) {
		int len = snprintf(part, sizeof(part), "%s.%u", path, n);
		uint64_t hash = (size_t)len < sizeof(part) ? copied_hash(AT_FDCWD, part, 0) : 0;
		if (!hash)
			break;
		key[0] += hash;
		key[1] += copied_hash(AT_FDCWD, part, 1);
	}
}

/* In memory that both processes see. */
struct job {
	const char *path, *folder;
	uint64_t id;
	bool is_done;
	int code;
	struct mer_err err;
};

static void work(void *of)
{
	struct job *j = of;
	j->code = ftrace_read(j->path, j->folder, j->id, &j->err);
	j->is_done = true;
}

static int copy(const char *path, const char *folder, struct mer_err *err)
{
	uint64_t key[2] = { 0 };
	int status;
	struct job *j =
		mmap(NULL, sizeof(*j), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (j == MAP_FAILED)
		return mer_fail_nomem(err);
	add_key(path, key);
	*j = (struct job){ .path = path, .folder = folder, .id = key[0] };
	int rc = copied_run(work, j, &status, err);
	if (rc == 0 && !j->is_done)
		rc = copied_ended_from_outside(status)
			     ? mer_fail(err, MER_ERR_CANCELLED, "cancelled")
			     : mer_fail(err, MER_ERR_INPUT,
				       "%s: it cannot be read: the process that read it ended (signal %d)",
				       path, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	else if (rc == 0 && j->code)
		rc = mer_fail(err, j->code, "%s: %s", path, j->err.text);
	munmap(j, sizeof(*j));
	return rc;
}

const struct copied_kind ftrace_file = {
	.name = "ftrace", .format = COPY_FORMAT, .key = add_key, .copy = copy
};
