#include "cli/fleet/part_full.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/program.h"
#include "ask/session.h"
#include "base/file.h"
#include "base/new_file.h"
#include "cli/fleet/part_clocks.h"
#include "copied/notes.h"
#include "part/archive.h"
#include "session/parts.h"
#include "sync/write_traces.h"

struct full {
	struct ask *ask;
	const char *path;
	bool has_facts;
	char folder[PART_PATH_BYTES]; /* temporary; empty: there is none */
	struct session *own;	      /* of the traces alone, by their own clocks */
	struct session *all;	      /* with the other hosts' parts */
	bool *is_own;		      /* by host of all */
	struct part_clocks clocks;
};

static int too_long(struct full *f)
{
	return mer_fail(&f->ask->err, MER_ERR_LIMIT, "%s: the path is too long", f->path);
}

static int path_in(struct full *f, const char *name, char path[PART_PATH_BYTES])
{
	int n = snprintf(path, PART_PATH_BYTES, "%s/%s", f->folder, name);
	return n > 0 && n < PART_PATH_BYTES ? 0 : too_long(f);
}

/* ---- who interrupts it ---- */

/* What it has in its folder is as large as the part: it is removed whatever ends it. */
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
enum { N_ENDS = sizeof(ends) / sizeof(*ends) };
static struct session *volatile cancelled[2];
static volatile sig_atomic_t ended_by;

static void on_end(int sig)
{
	ended_by = sig;
	for (int i = 0; i < 2; i++)
		if (cancelled[i])
			session_cancel(cancelled[i]);
}

static void watch(struct sigaction before[N_ENDS])
{
	struct sigaction a = { .sa_handler = on_end };
	ended_by = 0;
	for (int i = 0; i < N_ENDS; i++) {
		sigaction(ends[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(ends[i], &a, NULL);
	}
}

/* Ends as the signal would have ended it. */
static void watch_no_more(const struct sigaction before[N_ENDS])
{
	cancelled[0] = cancelled[1] = NULL;
	for (int i = 0; i < N_ENDS; i++)
		sigaction(ends[i], &before[i], NULL);
	if (ended_by)
		raise(ended_by);
}

/* ---- what is given ---- */

static int open_own(struct full *f)
{
	struct ask *ask = f->ask;
	const char **paths = mer_arena_zalloc(&ask->arena, ask->n_args + 1, sizeof(*paths));
	size_t n = 0;
	if (!paths)
		return mer_fail_nomem(&ask->err);
	for (size_t i = 0; i < ask->n_args; i++)
		if (!part_is_file(ask->args[i]))
			paths[n++] = ask->args[i];
	if (!n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"these are parts only: --full needs the traces of a host, and the parts of its peers, with which it exchanged messages");
	f->own = cancelled[0] = session_new(&(struct session_options){ .paths = paths,
		.n_paths = n,
		.cache_dir = ask_cache_folder(ask),
		.ignore_uuid = ask->ignore_uuid,
		.n_threads = ask_jobs(ask) });
	int rc = f->own ? session_open(f->own, &ask->err) : mer_fail_nomem(&ask->err);
	const struct mer_experiment *e = rc ? NULL : session_experiment(f->own);
	for (uint32_t i = 0; rc == 0 && i < e->n_parts; i++)
		if (trace_of_copy(&e->parts[i], COPIED_ENV_HOST))
			rc = mer_fail(&ask->err, MER_ERR_USAGE,
				"%.800s: a part, in a folder that was given: give traces and parts by names of their own",
				e->parts[i].given);
	return rc;
}

/* Which hosts have traces, and not only a part. */
static int find_own(struct full *f)
{
	struct mer_err *err = &f->ask->err;
	const struct mer_experiment *e = session_experiment(f->all);
	bool *has_part = mer_arena_zalloc(&f->ask->arena, e->n_hosts + 1u, sizeof(*has_part));
	f->is_own = mer_arena_zalloc(&f->ask->arena, e->n_hosts + 1u, sizeof(*f->is_own));
	if (!has_part || !f->is_own)
		return mer_fail_nomem(err);
	if (e->has_no_events)
		return mer_fail(err, MER_ERR_USAGE,
			"full parts are among these: --full needs those that 'meridian part --rate 0' writes");
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct trace_part *p = &e->parts[i];
		bool is_part = trace_of_copy(p, COPIED_ENV_HOST) != NULL;
		if (is_part && trace_of_copy(p, COPIED_ENV_SAMPLED))
			return mer_fail(err, MER_ERR_USAGE,
				"%.800s has some of the messages only: make the parts of all hosts with --rate 0",
				p->given);
		(is_part ? has_part : f->is_own)[e->traces[p->trace].host] = true;
	}
	for (uint32_t h = 0; h < e->n_hosts; h++)
		if (has_part[h] && f->is_own[h])
			return mer_fail(err, MER_ERR_USAGE,
				"host %.100s is given twice, by its traces and its part: leave the part out",
				e->hosts[h].name);
	return 0;
}

/* ---- what is written ---- */

static bool is_in(const struct mer_experiment *e, const struct mer_diag *d)
{
	size_t n;
	const struct mer_diag *rows = trace_findings(e, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].code, d->code) == 0)
			return true;
	return false;
}

/* What was found when the traces were opened, and the outline does not show. */
static int find_notes(struct full *f, struct mer_str *notes)
{
	const char *path = f->folder;
	struct mer_experiment *outline;
	const struct mer_open_options o = { .size = sizeof(o), .ignore_uuid = f->ask->ignore_uuid };
	int rc = mer_experiment_open(&path, 1, &o, &outline, &f->ask->err);
	if (rc)
		return rc;
	size_t n;
	const struct mer_diag *rows = trace_findings(session_experiment(f->own), &n);
	for (size_t i = 0; i < n; i++)
		if (!is_in(outline, &rows[i]))
			copied_note(notes, rows[i].severity, rows[i].code, rows[i].count,
				rows[i].message);
	mer_experiment_free(outline);
	return notes->failed ? mer_fail_nomem(&f->ask->err) : 0;
}

static int write_world(struct full *f)
{
	char path[PART_PATH_BYTES];
	int rc = path_in(f, PART_WORLD, path);
	return rc ? rc : session_parts_write(f->all, f->is_own, f->has_facts, path, &f->ask->err);
}

static int add_file(struct full *f, struct part_archive *a, const char *name)
{
	char path[PART_PATH_BYTES];
	struct mer_file file;
	int rc = ended_by ? mer_fail(&f->ask->err, MER_ERR_CANCELLED, "interrupted")
			  : path_in(f, name, path);
	if (rc == 0)
		rc = mer_file_open(&file, path, &f->ask->err);
	if (rc)
		return rc;
	rc = part_archive_add(a, name, file.data, file.size, &f->ask->err);
	mer_file_close(&file);
	return rc;
}

static int add_folder(struct full *f, struct part_archive *a, uint32_t number)
{
	char path[PART_PATH_BYTES], name[600];
	struct dirent *entry;
	snprintf(name, sizeof(name), "%u", (unsigned)number);
	int rc = path_in(f, name, path);
	DIR *d = rc ? NULL : opendir(path);
	if (rc == 0 && !d)
		return mer_fail_errno(&f->ask->err, "open", path);
	while (rc == 0 && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%u/%s", (unsigned)number, entry->d_name);
		rc = add_file(f, a, name);
	}
	if (d)
		closedir(d);
	return rc;
}

static int add_clocks(struct full *f, struct part_archive *a)
{
	struct mer_str text = { 0 };
	int rc = part_clocks_put(&f->clocks, f->ask, f->all, f->is_own, &text);
	if (rc == 0 && text.len)
		rc = part_archive_add(a, PART_CLOCKS, text.data, text.len, &f->ask->err);
	mer_str_fini(&text);
	return rc;
}

static int add_all(struct full *f, struct part_archive *a, const struct mer_str *notes)
{
	const struct mer_experiment *e = session_experiment(f->own);
	int rc = part_archive_add(
		a, PART_NOTES, notes->data ? notes->data : "", notes->len, &f->ask->err);
	for (uint32_t i = 0; rc == 0 && i < e->n_parts; i++)
		rc = add_folder(f, a, i);
	if (rc == 0)
		rc = add_clocks(f, a);
	return rc ? rc : add_file(f, a, PART_WORLD);
}

static int pack(struct full *f, const struct mer_str *notes, uint64_t *bytes)
{
	struct mer_new_file file;
	struct part_archive *a;
	if (!mer_new_file_open(&file, f->path))
		return mer_fail_errno(&f->ask->err, "write", f->path);
	int rc = part_archive_new(file.fd, &a, &f->ask->err);
	if (rc == 0) {
		rc = add_all(f, a, notes);
		int ended = part_archive_end(a, rc ? NULL : &f->ask->err);
		rc = rc ? rc : ended;
	}
	off_t size = rc ? 0 : lseek(file.fd, 0, SEEK_END);
	*bytes = size > 0 ? (uint64_t)size : 0;
	if (rc) {
		mer_new_file_abandon(&file);
		return rc;
	}
	return mer_new_file_commit(&file) ? 0 : mer_fail_errno(&f->ask->err, "write", f->path);
}

/* ---- the whole ---- */

/* What it takes is as large as the part before it is packed: beside it, or elsewhere where that is
 * a pipe or a device. */
static int make_folder(struct full *f, const char *temporary)
{
	struct stat st;
	bool is_file = lstat(f->path, &st) != 0 || S_ISREG(st.st_mode);
	int n = is_file ? snprintf(f->folder, sizeof(f->folder), "%s.XXXXXX", f->path)
			: snprintf(f->folder, sizeof(f->folder), "%s/meridian-part.XXXXXX",
				  temporary ? temporary : "/var/tmp");
	if ((size_t)n >= sizeof(f->folder)) {
		f->folder[0] = '\0';
		return too_long(f);
	}
	if (mkdtemp(f->folder))
		return 0;
	int rc = mer_fail_errno(&f->ask->err, "make the folder", f->folder);
	f->folder[0] = '\0';
	return rc;
}

static int write_all(struct full *f, struct mer_str *notes, uint64_t *bytes)
{
	struct ask *ask = f->ask;
	int rc = sync_write_outline(session_experiment(f->own), f->folder, ask_jobs(ask),
		session_cancel_of(f->own), &ask->err);
	if (rc == 0)
		rc = find_notes(f, notes);
	if (rc == 0)
		rc = write_world(f);
	return rc ? rc : pack(f, notes, bytes);
}

int part_full_write(struct ask *ask, const char *path, bool has_facts, const char *temporary,
	void (*add)(void *ctx, const char *host, uint64_t bytes), void *ctx)
{
	struct full f = { .ask = ask, .path = path, .has_facts = has_facts };
	struct mer_str notes = { 0 };
	uint64_t bytes = 0;
	struct sigaction before[N_ENDS];
	watch(before);
	int rc = open_own(&f);
	if (rc == 0)
		rc = ask_session_open(ask, &f.all);
	cancelled[1] = f.all;
	if (rc == 0)
		rc = find_own(&f);
	if (rc == 0)
		rc = part_clocks_open(&f.clocks, ask, f.all, f.is_own);
	if (rc == 0)
		rc = ask_session_synchronize(ask, f.all, true);
	if (rc == 0)
		rc = make_folder(&f, temporary);
	if (rc == 0)
		rc = write_all(&f, &notes, &bytes);
	for (uint32_t h = 0; rc == 0 && h < session_experiment(f.all)->n_hosts; h++)
		if (f.is_own[h]) {
			add(ctx, session_experiment(f.all)->hosts[h].name, bytes);
			bytes = 0;
		}
	if (f.folder[0])
		(void)mer_remove_folder(f.folder);
	watch_no_more(before);
	mer_str_fini(&notes);
	part_clocks_fini(&f.clocks);
	ask_session_close(ask, f.all);
	session_free(f.own);
	return rc;
}
