#include "trace/discover.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add(struct trace_dirs *d, struct mer_arena *arena, const char *path)
{
	if (d->n == DISCOVER_MAX_ENTRIES)
		return MER_ERR_LIMIT;
	if (d->n == d->cap) {
		uint32_t cap = d->cap ? d->cap * 2 : 16;
		const char **p = mer_arena_zalloc(arena, cap, sizeof(*p));
		if (!p)
			return MER_ERR_NOMEM;
		if (d->n)
			memcpy(p, d->paths, d->n * sizeof(*p));
		d->paths = p;
		d->cap = cap;
	}
	d->paths[d->n++] = path;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum entry_kind { ENTRY_OTHER, ENTRY_FILE, ENTRY_DIR };

static enum entry_kind kind_of(const char *path)
{
	struct stat st;
	if (lstat(path, &st) != 0)
		return ENTRY_OTHER;
	/* A stream file may be a link (people make traces of some streams that way), a folder not. */
	if (S_ISLNK(st.st_mode) && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return ENTRY_OTHER;
	return S_ISREG(st.st_mode) ? ENTRY_FILE : S_ISDIR(st.st_mode) ? ENTRY_DIR : ENTRY_OTHER;
}

/* The folder's entries of one kind as full paths, sorted, so that results do not depend on the file
 * system. */
static int list(const char *dir, struct mer_arena *arena, enum entry_kind kind,
	struct trace_dirs *out, struct mer_err *err)
{
	DIR *d = opendir(dir);
	if (!d)
		return mer_fail_errno(err, "open the folder", dir);
	int rc = 0;
	struct dirent *e;
	while (rc == 0 && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		char *path = mer_arena_printf(arena, "%s/%s", dir, e->d_name);
		if (!path)
			rc = MER_ERR_NOMEM;
		else if (kind_of(path) == kind)
			rc = add(out, arena, path);
	}
	closedir(d);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	if (rc)
		return mer_fail(err, rc, "%s: more than %d entries", dir, DISCOVER_MAX_ENTRIES);
	if (out->n)
		qsort(out->paths, out->n, sizeof(*out->paths), by_name);
	return 0;
}

static bool has_metadata(const char *dir, struct mer_arena *arena)
{
	char *path = mer_arena_printf(arena, "%s/metadata", dir);
	struct stat st;
	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int search(const char *dir, unsigned depth, struct mer_arena *arena, struct mer_diags *diags,
	struct trace_dirs *dirs, struct mer_err *err)
{
	if (has_metadata(dir, arena)) {
		int rc = add(dirs, arena, dir);
		return rc ? mer_fail(err, rc, "%s: too many traces, or out of memory", dir) : 0;
	}
	if (arena->failed)
		return mer_fail_nomem(err);
	if (depth == DISCOVER_MAX_DEPTH)
		return 0;
	struct trace_dirs below = { 0 };
	struct mer_err why;
	int rc = list(dir, arena, ENTRY_DIR, &below, &why);
	if (rc == MER_ERR_SYS && depth > 0) {
		mer_diag_add(diags,
			&(struct mer_diag){ .severity = MER_WARNING,
				.code = "folder-unreadable",
				.path = dir,
				.stream = -1,
				.packet = -1,
				.offset_bits = -1 },
			"%s", why.text);
		return 0;
	}
	if (rc)
		return mer_fail(err, rc, "%s", why.text);
	for (uint32_t i = 0; i < below.n && rc == 0; i++)
		rc = search(below.paths[i], depth + 1, arena, diags, dirs, err);
	return rc;
}

int trace_discover(const char *given, struct mer_arena *arena, struct mer_diags *diags,
	struct trace_dirs *dirs, struct mer_err *err)
{
	char *path = mer_arena_strdup(arena, given);
	struct stat st;
	if (!path)
		return mer_fail_nomem(err);
	size_t len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	if (stat(path, &st) != 0)
		return mer_fail_errno(err, "open", path);
	if (S_ISREG(st.st_mode)) {
		char *slash = strrchr(path, '/');
		if (strcmp(slash ? slash + 1 : path, "metadata") != 0)
			return mer_fail(err, MER_ERR_INPUT,
				"%s: this is a file; name the trace's folder (the one that has a "
				"file `metadata`)",
				given);
		if (!slash)
			path = mer_arena_strdup(arena, ".");
		else
			*(slash == path ? slash + 1 : slash) = '\0';
		if (!path)
			return mer_fail_nomem(err);
	} else if (!S_ISDIR(st.st_mode)) {
		return mer_fail(err, MER_ERR_INPUT, "%s: neither a folder nor a file", given);
	}
	uint32_t before = dirs->n;
	int rc = search(path, 0, arena, diags, dirs, err);
	if (rc == 0 && dirs->n == before)
		return mer_fail(err, MER_ERR_INPUT,
			"%s: no trace here or below (a trace is a folder with a file `metadata`)",
			given);
	return rc;
}

int trace_stream_files(
	const char *dir, struct mer_arena *arena, struct trace_dirs *names, struct mer_err *err)
{
	int rc = list(dir, arena, ENTRY_FILE, names, err);
	uint32_t kept = 0;
	for (uint32_t i = 0; rc == 0 && i < names->n; i++) {
		const char *base = strrchr(names->paths[i], '/') + 1;
		if (strcmp(base, "metadata") != 0)
			names->paths[kept++] = names->paths[i];
	}
	names->n = kept;
	return rc;
}
