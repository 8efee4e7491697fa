/* Session handles: created, opened, cancelled, freed; and their progress. */
#include <stdlib.h>
#include <string.h>

#include "ask/library/api.h"
#include "base/err.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

int mer_version(void)
{
	return MER_VERSION;
}

const char *mer_version_text(void)
{
	return TEXT(MER_VERSION_MAJOR) "." TEXT(MER_VERSION_MINOR) "." TEXT(MER_VERSION_PATCH);
}

/* ---- Progress ---- */

static _Atomic uint64_t *begin_stage(void *ctx, enum session_stage stage, uint64_t total_bytes)
{
	static const char *const names[SESSION_N_STAGES] = {
		[SESSION_SYNCHRONIZING] = "synchronizing",
		[SESSION_MATCHING] = "matching",
		[SESSION_PERIODS] = "periods",
		[SESSION_READING] = "reading",
		[SESSION_CHECKING] = "checking",
		[SESSION_DRAWING] = "drawing",
		[SESSION_STORING] = "storing",
		[SESSION_VIEWING] = "viewing",
	};
	struct mer_session *s = ctx;
	atomic_store(&s->done_bytes, 0);
	atomic_store(&s->total_bytes, total_bytes);
	atomic_store(&s->runs, true);
	if (s->progress)
		s->progress(s->progress_data, names[stage]);
	return &s->done_bytes;
}

static void end_stage(void *ctx)
{
	struct mer_session *s = ctx;
	/* Also called if no stage has begun. */
	if (atomic_exchange(&s->runs, false) && s->progress)
		s->progress(s->progress_data, NULL);
}

bool mer_session_progress(struct mer_session *s, uint64_t *done_bytes, uint64_t *total_bytes)
{
	struct mer_session *twin = atomic_load(&s->twin);
	bool runs = atomic_load(&s->runs);
	if (!runs && twin)
		return mer_session_progress(twin, done_bytes, total_bytes);
	*done_bytes = runs ? atomic_load(&s->done_bytes) : 0;
	*total_bytes = runs ? atomic_load(&s->total_bytes) : 0;
	return runs;
}

void mer_session_cancel(struct mer_session *s)
{
	struct mer_session *twin;
	session_cancel(s->session);
	twin = atomic_load(&s->twin);
	if (twin)
		session_cancel(twin->session);
}

/* ---- A session's life ---- */

static int make(struct mer_session *s, const char *const *paths, size_t n_paths,
	const struct mer_session_options *from, struct mer_err *err)
{
	static const enum session_clocks clocks[] = {
		[MER_CLOCKS_AUTO] = SESSION_CLOCKS_AUTO,
		[MER_CLOCKS_RECORDED] = SESSION_CLOCKS_RECORDED,
		[MER_CLOCKS_SAVED] = SESSION_CLOCKS_SAVED,
	};
	struct mer_session_options o;
	struct session_texts copies, folders, vms, views;
	int rc = mer_options_read(&o, sizeof(o), 0, from, err);
	if (rc)
		return rc;
	if (o.clocks > MER_CLOCKS_SAVED ||
		(o.clocks == MER_CLOCKS_SAVED) != (o.clocks_file != NULL))
		return mer_fail(err, MER_ERR_USAGE,
			"clocks_file belongs to MER_CLOCKS_SAVED, and clocks are one of enum mer_clocks");
	if (o.n_vms && o.clocks != MER_CLOCKS_AUTO)
		return mer_fail(err, MER_ERR_USAGE, "vms belong to MER_CLOCKS_AUTO");
	if (!n_paths)
		return mer_fail(err, MER_ERR_USAGE, "a session needs the path of a trace");
	if (o.store && o.no_store)
		return mer_fail(err, MER_ERR_USAGE, "store and no_store exclude each other");
	if (o.store && !o.cache_folder)
		return mer_fail(err, MER_ERR_USAGE, "a store needs a cache_folder");
	rc = api_texts(&copies, paths, n_paths, &s->arena, err);
	if (rc == 0)
		rc = api_texts(
			&folders, o.temporary_folders, o.n_temporary_folders, &s->arena, err);
	if (rc == 0)
		rc = api_texts(&vms, o.vms, o.n_vms, &s->arena, err);
	if (rc == 0)
		rc = api_texts(&views, o.views, o.n_views, &s->arena, err);
	if (rc)
		return rc;
	s->spill = (struct mer_spill_options){
		.in_memory = o.memory_bytes < SIZE_MAX ? (size_t)o.memory_bytes : SIZE_MAX,
		.folders = folders.item,
		.n_folders = folders.n,
	};
	s->paths = copies;
	s->vms = vms;
	s->views = views;
	s->made_with = o;
	s->made_with.size = sizeof(o);
	s->made_with.views = views.item;
	s->made_with.n_views = views.n;
	s->made_with.vms = vms.item;
	s->made_with.n_vms = vms.n;
	s->made_with.temporary_folders = folders.item;
	s->made_with.n_temporary_folders = folders.n;
	if (o.clocks_file)
		s->made_with.clocks_file = mer_arena_strdup(&s->arena, o.clocks_file);
	if (o.cache_folder)
		s->made_with.cache_folder = mer_arena_strdup(&s->arena, o.cache_folder);
	s->progress = o.progress;
	s->progress_data = o.progress_data;
	s->session = session_new(&(struct session_options){
		.paths = copies.item,
		.n_paths = copies.n,
		.clocks = clocks[o.clocks],
		.clocks_file = s->made_with.clocks_file,
		.ignore_uuid = o.ignore_uuid,
		.clock_wrap_ns = o.clock_wrap_ns,
		.clock_wrap_bits = o.clock_wrap_bits,
		.n_threads = o.n_threads,
		.store = o.store,
		.no_store = o.no_store,
		.cache_dir = s->made_with.cache_folder,
		.spill = folders.n ? &s->spill : NULL,
		.vms = vms,
		.views = views,
		.all_findings = !o.no_clock_findings,
		.once = o.once,
		.watcher = { s, begin_stage, end_stage },
	});
	return s->session && !s->arena.failed ? 0 : mer_fail_nomem(err);
}

int mer_session_new(const char *const *paths, size_t n_paths,
	const struct mer_session_options *options, struct mer_session **session,
	struct mer_err *err)
{
	API_ERR(err);
	*session = NULL;
	struct mer_session *s = calloc(1, sizeof(*s));
	if (!s)
		return mer_fail_nomem(err);
	mer_arena_init(&s->arena);
	int rc = make(s, paths, n_paths, options, err);
	if (rc) {
		mer_session_free(s);
		return rc;
	}
	*session = s;
	return 0;
}

void mer_session_free(struct mer_session *s)
{
	if (!s)
		return;
	mer_session_free(s->twin);
	session_free(s->session);
	mer_arena_fini(&s->arena);
	free(s);
}

int mer_session_open(struct mer_session *s, struct mer_err *err)
{
	API_ERR(err);
	if (s->is_open)
		return mer_fail(err, MER_ERR_USAGE, "the session is open");
	int rc = session_open(s->session, err);
	s->is_open = rc == 0;
	return rc;
}

int api_twin(struct mer_session *s, struct mer_session **twin, struct mer_err *err)
{
	struct mer_session *t = atomic_load(&s->twin);
	int rc = 0;
	if (!t) {
		rc = mer_session_new(s->paths.item, s->paths.n, &s->made_with, &t, err);
		if (rc == 0)
			atomic_store(&s->twin, t);
	}
	/* Whoever cancelled s before saw no twin. */
	if (rc == 0 && session_is_cancelled(s->session))
		session_cancel(t->session);
	if (rc == 0 && !t->is_open)
		rc = mer_session_open(t, err);
	*twin = t;
	return rc;
}

struct session *api_session(const struct mer_session *s)
{
	return s->session;
}

struct mer_experiment *mer_session_experiment(struct mer_session *s)
{
	return session_experiment(s->session);
}
