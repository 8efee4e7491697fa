#include "ftrace/proc/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/plural.h"
#include "ftrace/file.h"

static const char *const names[] = { "proc-before", "proc-after" };
enum { BEFORE, AFTER, N_NAMES };

/* ---- where they are ---- */

bool ftrace_proc_is_name(const char *name)
{
	bool is = false;
	for (int i = 0; i < N_NAMES; i++)
		is |= strcmp(name, names[i]) == 0;
	return is;
}

static bool has_any(int dir)
{
	bool any = false;
	for (int i = 0; i < N_NAMES && dir >= 0; i++) {
		int below = proc_open_below(dir, names[i]);
		any |= below >= 0;
		if (below >= 0)
			close(below);
	}
	return any;
}

/* Opens the folder that has them: that of the file, or the one above if the file's folder is the
 * recording. -1: there are none. */
static int open_beside(const char *path)
{
	char folder[4200];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int n = snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
		slash ? path : ".");
	if ((size_t)n >= sizeof(folder))
		return -1;
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || has_any(dir))
		return dir;
	bool is_folder = ftrace_is_raw(path) || strcmp(name, "data") == 0;
	int above = is_folder ? openat(dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	close(dir);
	if (above < 0 || has_any(above))
		return above;
	close(above);
	return -1;
}

bool ftrace_proc_is_beside(const char *path)
{
	int dir = open_beside(path);
	if (dir < 0)
		return false;
	close(dir);
	return true;
}

/* ---- key ---- */

struct walk {
	uint64_t *key;
	uint32_t n;
	uint64_t place; /* of the folder, by its names */
};

static void add_entry(struct walk *w, const char *name, const struct stat *st)
{
	const uint64_t what[] = { w->place, mer_hash(name, strlen(name)), (uint64_t)st->st_ino,
		(uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
		(uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec };
	uint64_t hash = mer_hash(what, sizeof(what));
	/* A sum: folders are not listed in the same order each time. */
	w->key[0] += hash;
	w->key[1] += mer_hash(&hash, sizeof(hash));
}

static void walk(struct walk *w, int dir, unsigned depth)
{
	enum { MAX_DEPTH = 5 }; /* PID/task/TID/FILE */
	DIR *d = fdopendir(dir);
	if (!d)
		close(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		struct stat st;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
			fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (w->n++ == PROC_MOST_ENTRIES)
			break;
		add_entry(w, e->d_name, &st);
		int below = S_ISDIR(st.st_mode) && depth < MAX_DEPTH
				    ? proc_open_below(dirfd(d), e->d_name)
				    : -1;
		if (below < 0)
			continue;
		uint64_t place = w->place;
		const uint64_t both[] = { place, mer_hash(e->d_name, strlen(e->d_name)) };
		w->place = mer_hash(both, sizeof(both));
		walk(w, below, depth + 1);
		w->place = place;
	}
	if (d)
		closedir(d);
}

void ftrace_proc_key(const char *path, uint64_t key[2])
{
	int dir = open_beside(path);
	for (int i = 0; i < N_NAMES && dir >= 0; i++) {
		struct walk w = { .key = key, .place = (uint64_t)i + 1 };
		int below = proc_open_below(dir, names[i]);
		if (below >= 0)
			walk(&w, below, 0);
	}
	if (dir >= 0)
		close(dir);
}

/* ---- reading ---- */

static void note_damage(struct ftrace_reading *r, const struct proc_snapshot *both)
{
	uint64_t n_damaged = both[BEFORE].n_damaged + both[AFTER].n_damaged;
	uint32_t n_cut = both[BEFORE].n_cut + both[AFTER].n_cut;
	if (n_damaged)
		copied_notef(&r->notes, MER_WARNING, "proc-damaged", n_damaged,
			"%llu %s of the copies of /proc beside it %s no sense, and %s left out",
			(unsigned long long)n_damaged, mer_plural(n_damaged, "line", "lines"),
			mer_plural(n_damaged, "makes", "make"),
			mer_plural(n_damaged, "was", "were"));
	if (n_cut)
		copied_notef(&r->notes, MER_WARNING, "proc-cut", n_cut,
			"files of the copies of /proc beside it, or folders, are too large; what is beyond the limit was left out");
}

static void note_rows(struct ftrace_reading *r, const struct proc_rows *rows)
{
	char gap[64] = "";
	if (rows->gap_ns)
		snprintf(gap, sizeof(gap), ", up to %.3f s before the first event",
			(double)rows->gap_ns / 1e9);
	uint64_t n = rows->n_unconfirmed;
	if (n)
		copied_notef(&r->notes, MER_NOTE, "proc-unconfirmed", n,
			"%llu %s named as proc-before has %s%s; nothing confirms that %s still so then",
			(unsigned long long)n, mer_plural(n, "descriptor is", "descriptors are"),
			mer_plural(n, "it", "them"), gap, mer_plural(n, "it was", "they were"));
	if (rows->n_doubtful)
		copied_notef(&r->notes, MER_NOTE, "proc-doubtful", rows->n_doubtful,
			"%llu %s for something else in proc-after than in proc-before, and no event says since when: %s no name",
			(unsigned long long)rows->n_doubtful,
			mer_plural(rows->n_doubtful, "descriptor stands", "descriptors stand"),
			mer_plural(rows->n_doubtful, "it has", "they have"));
}

/* Beside a recording of one host may be the files of another one. */
static bool is_of_host(struct ftrace_reading *r, const struct proc_snapshot *s, const char *name)
{
	const char *host = ftrace_copy_host(r->copy)->name;
	if (!s->is_there || !s->hostname || !host || strcmp(s->hostname, host) == 0)
		return true;
	copied_notef(&r->notes, MER_WARNING, "proc-other-host", 1,
		"the copy of /proc beside it, in %s, is of another host, '%s', and was left out",
		name, s->hostname);
	return false;
}

static int write_rows(struct ftrace_reading *r, const struct proc_rows *rows)
{
	struct ftrace_stream *s;
	if (!rows->n)
		return 0;
	int rc = ftrace_stream_open_state(r->copy, &s, r->err);
	for (size_t i = 0; i < rows->n && rc == 0; i++)
		rc = ftrace_stream_dump(s, rows->row[i].time, &rows->row[i].dump, r->err);
	int closed = ftrace_stream_close(s, rc ? NULL : r->err);
	return rc ? rc : closed;
}

static int tell(struct ftrace_reading *r, const struct proc_snapshot *both)
{
	const struct ftrace_copied *done = ftrace_copied(r->copy);
	struct proc_rows rows = { .before = &both[BEFORE],
		.after = &both[AFTER],
		.clock = ftrace_copy_host(r->copy)->clock,
		.first = done->first,
		.last = done->last,
		.is_whole = !done->n_lost && !done->n_short && !r->n_damaged && !r->is_cut,
		.closes = ftrace_copy_closes(r->copy),
		.arena = &r->arena };
	int rc = proc_rows_find(&rows) ? write_rows(r, &rows) : mer_fail_nomem(r->err);
	if (rc == 0)
		note_rows(r, &rows);
	proc_rows_fini(&rows);
	return rc;
}

/* Sets the offset to the time of day, if the recording does not have it. */
static void tell_time(struct ftrace_reading *r, const struct proc_snapshot *both)
{
	for (int i = 0; i < N_NAMES; i++)
		if (both[i].has_clock && strcmp(ftrace_copy_host(r->copy)->clock, "mono") == 0) {
			ftrace_copy_offset(r->copy, both[i].real_before - both[i].mono_before);
			return;
		}
}

int ftrace_proc_add(struct ftrace_reading *r)
{
	struct proc_snapshot both[N_NAMES] = { 0 };
	const struct proc_snapshot none = { 0 };
	/* Without any record there is no time that the state could have. */
	int dir = r->has_state && ftrace_copied(r->copy)->has_times ? open_beside(r->path) : -1;
	int rc = 0;
	for (int i = 0; i < N_NAMES && dir >= 0 && rc == 0; i++)
		if (!proc_snapshot_read(
			    &both[i], dir, names[i], ftrace_copy_host(r->copy)->is_be, &r->arena))
			rc = mer_fail_nomem(r->err);
	if (dir >= 0)
		close(dir);
	if (rc == 0 && dir >= 0) {
		struct proc_snapshot used[N_NAMES];
		note_damage(r, both);
		for (int i = 0; i < N_NAMES; i++)
			used[i] = is_of_host(r, &both[i], names[i]) ? both[i] : none;
		rc = tell(r, used);
		tell_time(r, used);
	}
	for (int i = 0; i < N_NAMES; i++)
		proc_snapshot_fini(&both[i]);
	return rc;
}
