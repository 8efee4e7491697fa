#include "trace/discover.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "ftrace/file.h"
#include "trace/recording.h"
#include "trace/foreign.h"

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

enum entry_kind { ENTRY_FILE, ENTRY_DIR, ENTRY_LINKED_DIR, ENTRY_ODD, ENTRY_UNKNOWN };

static const char *what_it_is(mode_t mode)
{
	return S_ISFIFO(mode)	? "a FIFO, not a regular file"
	       : S_ISSOCK(mode) ? "a socket, not a regular file"
	       : S_ISCHR(mode)	? "a character device, not a regular file"
	       : S_ISBLK(mode)	? "a block device, not a regular file"
				: "not a regular file";
}

/* Files and folders may be links: people make traces of some streams that way, and folders of
 * traces (workspaces of Trace Compass). What is neither a file nor a folder, but stands where a
 * stream file would, is odd: *why says what it is. */
static enum entry_kind kind_of(const char *path, const char **why)
{
	struct stat st;
	if (lstat(path, &st) != 0) {
		*why = strerror(errno);
		return ENTRY_UNKNOWN;
	}
	bool link = S_ISLNK(st.st_mode);
	if (link && stat(path, &st) != 0) {
		*why = errno == ENOENT ? "dangling symbolic link" : strerror(errno);
		return ENTRY_ODD;
	}
	if (S_ISREG(st.st_mode))
		return ENTRY_FILE;
	if (S_ISDIR(st.st_mode))
		return link ? ENTRY_LINKED_DIR : ENTRY_DIR;
	*why = what_it_is(st.st_mode);
	return ENTRY_ODD;
}

static void report(struct mer_diags *diags, const char *code, const char *path, const char *why)
{
	mer_diag_add(diags,
		&(struct mer_diag){ .severity = MER_ERROR,
			.code = code,
			.path = path,
			.stream = -1,
			.packet = -1,
			.offset_bits = -1 },
		"skipped: %s", why);
}

static void sort(struct trace_dirs *d, uint32_t from)
{
	if (d->n > from)
		qsort(d->paths + from, d->n - from, sizeof(*d->paths), by_name);
}

/* The folder's entries of one kind as full paths, sorted, so that results do not depend on the file
 * system. Reports entries that cannot be examined, and among stream files the odd ones. linked:
 * gets links to folders; recordings: gets files of other formats, which are read from copies; NULL:
 * such entries are ignored. */
static int list(const char *dir, struct mer_arena *arena, enum entry_kind kind,
	struct mer_diags *diags, struct trace_dirs *out, struct trace_dirs *linked,
	struct trace_dirs *recordings, struct mer_err *err)
{
	uint32_t n_before = recordings ? recordings->n : 0;
	DIR *d = opendir(dir);
	if (!d)
		return mer_fail_errno(err, "open the folder", dir);
	int rc = 0;
	struct dirent *e;
	while (rc == 0 && (errno = 0, e = readdir(d))) {
		const char *why = "";
		/* Copies of /proc belong to a recording: there are no traces in them. */
		if (e->d_name[0] == '.' || ftrace_proc_is_name(e->d_name))
			continue;
		char *path = mer_arena_printf(arena, "%s/%s", dir, e->d_name);
		if (!path) {
			rc = MER_ERR_NOMEM;
			break;
		}
		enum entry_kind is = kind_of(path, &why);
		if (is == kind)
			rc = add(out, arena, path);
		else if (linked && is == ENTRY_LINKED_DIR)
			rc = add(linked, arena, path);
		else if (recordings && is == ENTRY_FILE && trace_recording_kind(path))
			rc = add(recordings, arena, path);
		else if (is == ENTRY_UNKNOWN || (is == ENTRY_ODD && kind == ENTRY_FILE))
			report(diags, "file-unreadable", path, why);
	}
	int broken = rc == 0 ? errno : 0;
	closedir(d);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	if (rc)
		return mer_fail(err, rc, "%s: more than %d entries", dir, DISCOVER_MAX_ENTRIES);
	if (broken) {
		errno = broken;
		return mer_fail_errno(err, "list the folder", dir);
	}
	sort(out, 0);
	if (linked)
		sort(linked, 0);
	if (recordings)
		sort(recordings, n_before);
	return 0;
}

static bool has_metadata(const char *dir, struct mer_arena *arena, struct mer_diags *diags)
{
	char *path = mer_arena_printf(arena, "%s/metadata", dir);
	const char *why;
	if (!path)
		return false;
	enum entry_kind is = kind_of(path, &why);
	if (is == ENTRY_ODD)
		report(diags, "trace-unreadable", path, why);
	return is == ENTRY_FILE;
}

/* A folder is searched once, by whatever name it is found first: links can make circles. */
static int is_new(struct mer_map *seen, const char *dir, bool *is, struct mer_err *err)
{
	struct stat st;
	*is = true;
	if (stat(dir, &st) != 0)
		return 0; /* opening it will say why */
	const uint64_t who[] = { (uint64_t)st.st_dev, (uint64_t)st.st_ino };
	uint32_t *at = mer_map_put(seen, mer_hash(who, sizeof(who)));
	if (!at)
		return mer_fail_nomem(err);
	*is = (*at)++ == 0;
	return 0;
}

static int search(const char *dir, unsigned depth, struct mer_arena *arena, struct mer_diags *diags,
	struct mer_map *seen, struct trace_dirs *dirs, struct trace_dirs *recordings,
	struct mer_err *err)
{
	bool is_here_first;
	if (is_new(seen, dir, &is_here_first, err))
		return MER_ERR_NOMEM;
	if (!is_here_first)
		return 0;
	if (has_metadata(dir, arena, diags)) {
		int rc = add(dirs, arena, dir);
		return rc ? mer_fail(err, rc, "%s: too many traces, or out of memory", dir) : 0;
	}
	if (arena->failed)
		return mer_fail_nomem(err);
	if (depth == DISCOVER_MAX_DEPTH) {
		report(diags, "folder-too-deep", dir, "folders are nested too deep to be searched");
		return 0;
	}
	struct trace_dirs below = { 0 }, linked = { 0 };
	struct mer_err why;
	int rc = list(dir, arena, ENTRY_DIR, diags, &below, &linked, recordings, &why);
	if (rc == MER_ERR_SYS && depth > 0) {
		report(diags, "folder-unreadable", dir, why.text);
		return 0;
	}
	if (rc)
		return mer_fail(err, rc, "%s", why.text);
	for (uint32_t i = 0; i < below.n && rc == 0; i++)
		rc = search(below.paths[i], depth + 1, arena, diags, seen, dirs, recordings, err);
	/* Links last: a folder that is also here by its own name goes by that. */
	for (uint32_t i = 0; i < linked.n && rc == 0; i++)
		rc = search(linked.paths[i], depth + 1, arena, diags, seen, dirs, recordings, err);
	return rc;
}

/* Does one of the paths lie in the recording's folder, or below? Those of lesser kinds (NULL: of
 * traces) do not count. */
static bool is_beside(const char *file, const struct copied_kind *kind,
	const struct trace_dirs *paths, uint32_t from, const struct copied_kind *const *kinds)
{
	/* For a recording that is a folder: the folder that contains it. */
	size_t len = kind->called ? kind->called(file) : strlen(file);
	while (len > 0 && file[len - 1] != '/')
		len--;
	for (uint32_t i = from; i < paths->n; i++)
		if (strncmp(paths->paths[i], file, len) == 0 && !(kinds && kinds[i]->is_lesser))
			return true;
	return false;
}

/* Numbers of entries before and after a folder was searched. */
struct searched {
	const struct trace_dirs *traces;
	uint32_t first_trace, first_recording;
};

/* People record the same seconds with several tracers and keep the files beside each other: if a
 * folder has CTF traces, only these are read. Other folders may be of other hosts, each recorded
 * with the tracer that it has; experiment.c leaves out recordings of hosts that have a trace. */
static int leave_out_beside_traces(struct trace_dirs *recordings, const struct searched *s,
	struct mer_arena *arena, struct mer_diags *diags, struct mer_err *err)
{
	uint32_t from = s->first_recording, kept = from, n = recordings->n;
	if (from == n)
		return 0;
	const char **all = mer_arena_zalloc(arena, n, sizeof(*all));
	const struct copied_kind **kinds = mer_arena_zalloc(arena, n, sizeof(*kinds));
	if (!all || !kinds)
		return mer_fail_nomem(err);
	memcpy(all, recordings->paths, n * sizeof(*all));
	const struct trace_dirs given = { .paths = all, .n = n };
	for (uint32_t i = from; i < n; i++) {
		kinds[i] = trace_recording_kind(all[i]);
		if (!kinds[i])
			return mer_fail(
				err, MER_ERR_INPUT, "%s: it changed while it was read", all[i]);
	}
	for (uint32_t i = from; i < n; i++) {
		const struct copied_kind *kind = kinds[i];
		bool has_traces = is_beside(all[i], kind, s->traces, s->first_trace, NULL);
		bool is_left_out =
			(has_traces && !kind->is_beside_traces) ||
			(kind->is_lesser && is_beside(all[i], kind, &given, from, kinds));
		if (!is_left_out)
			recordings->paths[kept++] = all[i];
		else
			mer_diag_add(diags,
				&(struct mer_diag){ .severity = MER_NOTE,
					.code = "recording-left-out",
					.path = all[i],
					.stream = -1,
					.packet = -1,
					.offset_bits = -1 },
				"left out, as there are %s in the folder; give the file's name to read it",
				has_traces ? "CTF traces" : "other recordings");
	}
	recordings->n = kept;
	return 0;
}

int trace_discover(const char *given, struct mer_arena *arena, struct mer_diags *diags,
	struct trace_dirs *dirs, struct trace_dirs *recordings, struct mer_err *err)
{
	char *path = mer_arena_strdup(arena, given);
	struct stat st;
	struct mer_map seen = { 0 };
	char what[300];
	if (!path)
		return mer_fail_nomem(err);
	size_t len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	if (stat(path, &st) != 0) {
		const char *address = trace_foreign_address(given);
		return address ? mer_fail(err, MER_ERR_INPUT, "%s: %s", given, address)
			       : mer_fail_errno(err, "open", path);
	}
	if (S_ISREG(st.st_mode) && trace_recording_kind(path)) {
		int rc = add(recordings, arena, path);
		return rc ? mer_fail_nomem(err) : 0;
	}
	if (S_ISREG(st.st_mode)) {
		char *slash = strrchr(path, '/');
		if (strcmp(slash ? slash + 1 : path, "metadata") != 0) {
			trace_foreign_file(path, what, sizeof(what));
			return mer_fail(err, MER_ERR_INPUT, "%s: %s", given, what);
		}
		if (!slash)
			path = mer_arena_strdup(arena, ".");
		else
			*(slash == path ? slash + 1 : slash) = '\0';
		if (!path)
			return mer_fail_nomem(err);
	} else if (!S_ISDIR(st.st_mode)) {
		return mer_fail(err, MER_ERR_INPUT, "%s: neither a folder nor a file", given);
	}
	uint32_t before = dirs->n, before_recordings = recordings->n;
	int rc = search(path, 0, arena, diags, &seen, dirs, recordings, err);
	mer_map_fini(&seen);
	if (rc == 0)
		rc = leave_out_beside_traces(recordings,
			&(struct searched){ dirs, before, before_recordings }, arena, diags, err);
	if (rc || dirs->n + recordings->n > before + before_recordings)
		return rc;
	const char *foreign = trace_foreign_folder(path);
	return mer_fail(err, MER_ERR_INPUT, "%s: %s", given,
		foreign ? foreign
			: "no trace here or below (a folder with a file `metadata`, perf.data, trace.dat, text or pages of ftrace, a pcap, or an OTF2 archive with a file `*.otf2`)");
}

int trace_stream_files(const char *dir, struct mer_arena *arena, struct mer_diags *diags,
	struct trace_dirs *names, struct mer_err *err)
{
	int rc = list(dir, arena, ENTRY_FILE, diags, names, NULL, NULL, err);
	uint32_t kept = 0;
	for (uint32_t i = 0; rc == 0 && i < names->n; i++) {
		const char *base = strrchr(names->paths[i], '/') + 1;
		if (strcmp(base, "metadata") != 0)
			names->paths[kept++] = names->paths[i];
	}
	names->n = kept;
	return rc;
}
