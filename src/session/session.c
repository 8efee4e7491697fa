/* Opening, and what is known of the tasks. Clocks and messages: synchronize.c. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "kernel/survey.h"
#include "session/requests.h"
#include "session/state.h"
#include "session/views.h"
#include "store/cache.h"
#include "store/store.h"

struct session *session_new(const struct session_options *o)
{
	struct session *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->o = *o;
	mer_arena_init(&s->arena);
	return s;
}

void session_drop_world(struct session *s)
{
	usage_free(s->usage);
	if (s->world && s->world->mpi == s->mpi)
		s->world->mpi = NULL;
	kernel_mpi_free(s->mpi);
	s->mpi = NULL;
	if (!s->store || s->world != store_world(s->store))
		kernel_world_free(s->world);
	s->usage = NULL;
	s->world = NULL;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	session_requests_forget(s);
	session_drop_world(s);
	session_store_close(s);
	session_views_forget(s);
	sync_messages_free(&s->messages);
	mer_diags_fini(&s->matched);
	sync_result_free(s->result);
	session_found_forget(s);
	mer_experiment_free(s->e);
	mer_arena_fini(&s->arena);
	free(s);
}

void session_cancel(struct session *s)
{
	atomic_store(&s->cancel.set, true);
}

void session_resume(struct session *s)
{
	atomic_store(&s->cancel.set, false);
}

bool session_is_cancelled(const struct session *s)
{
	return atomic_load(&s->cancel.set);
}

struct mer_cancel *session_cancel_of(struct session *s)
{
	return &s->cancel;
}

unsigned session_threads(const struct session *s)
{
	if (s->o.n_threads)
		return s->o.n_threads < MER_POOL_THREADS ? s->o.n_threads : MER_POOL_THREADS;
	return mer_pool_processors();
}

struct mer_experiment *session_experiment(const struct session *s)
{
	return s->e;
}

_Atomic uint64_t *session_stage_begin(
	struct session *s, enum session_stage stage, uint64_t total_bytes)
{
	const struct session_watcher *w = &s->o.watcher;
	return w->begin ? w->begin(w->ctx, stage, total_bytes) : NULL;
}

void session_stage_end(struct session *s)
{
	if (s->o.watcher.end)
		s->o.watcher.end(s->o.watcher.ctx);
}

int session_open(struct session *s, struct mer_err *err)
{
	const struct mer_open_options o = {
		.size = sizeof(o),
		.keep_offsets = s->o.clocks == SESSION_CLOCKS_RECORDED,
		.ignore_uuid = s->o.ignore_uuid,
		.clock_wrap_ns = s->o.clock_wrap_ns,
		.clock_wrap_bits = s->o.clock_wrap_bits,
		.cache_folder = s->o.cache_dir,
	};
	int rc = mer_experiment_open(s->o.paths, s->o.n_paths, &o, &s->e, err);
	if (rc == 0)
		rc = kernel_survey(s->e, err);
	if (rc == 0 && s->e->n_copies && s->o.cache_dir)
		store_cache_trim(s->o.cache_dir, NULL);
	if (rc == 0 && s->o.spill && !(s->e->spill = mer_spill_new(s->o.spill)))
		rc = mer_fail_nomem(err);
	if (rc == 0)
		rc = session_views_load(s, err);
	mer_diags_init(&s->opened, &s->arena);
	if (rc == 0)
		mer_diags_merge(&s->opened, &s->e->diags);
	return rc;
}

int session_window(const struct session *s, const struct session_selection *what,
	struct session_window *w, struct mer_err *err)
{
	return session_window_find(what, s->e, s->result, w, err);
}

/* ---- What tasks did ---- */

static int build_world(struct session *s, enum session_usage usage, struct mer_err *err)
{
	struct sync_messages *messages = &s->messages;
	int rc = usage ? usage_new(s->e->n_hosts, s->e->spill, &s->usage, err) : 0;
	if (rc)
		return rc;
	const struct kernel_world_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_READING, s->e->bytes),
		.observers = usage == SESSION_USAGE_ALL ? usage_observers(s->usage) : NULL,
		.drop = s->o.once ? messages : NULL };
	session_found_begin(s, SESSION_KEPT_WORLD);
	rc = kernel_world_build(s->e, messages, s->result, &o, &s->world, err);
	session_found_end(s, SESSION_KEPT_WORLD);
	session_stage_end(s);
	if (s->o.once) {
		sync_messages_free(messages);
		s->has_messages = false;
	}
	/* Observers have no more to say than that they failed. */
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	return rc || !usage ? rc : usage_settle(s->usage, s->world, err);
}

static int open_world(
	struct session *s, struct store *store, enum session_usage usage, struct mer_err *err)
{
	s->world = store_world(store);
	if (usage == SESSION_USAGE_ALL)
		return store_usage(store, &s->usage, err);
	if (usage == SESSION_USAGE_NONE)
		return 0;
	int rc = usage_new(s->e->n_hosts, s->e->spill, &s->usage, err);
	return rc ? rc : usage_settle(s->usage, s->world, err);
}

/* What ranks of MPI programs waited for; it is read anew for a world that was saved, too. */
static int add_mpi(struct session *s, struct mer_err *err)
{
	if (s->world->mpi || s->e->has_no_events)
		return 0;
	kernel_mpi_free(s->mpi);
	s->mpi = NULL;
	int rc = kernel_mpi_read(s->e, s->result, &s->cancel, &s->mpi, err);
	return rc || !s->mpi ? rc : kernel_mpi_settle(s->mpi, s->world, err);
}

int session_world(
	struct session *s, enum session_usage usage, struct session_world *w, struct mer_err *err)
{
	const struct sync_messages *messages;
	struct store *store = NULL;
	int rc = session_synchronize(s, true, err);
	if (rc == 0 && (!s->world || usage > s->usage_kind)) {
		session_drop_world(s);
		s->usage_kind = usage;
		rc = session_store(s, &store, err);
		if (rc == 0 && store) {
			rc = open_world(s, store, usage, err);
			if (rc == MER_ERR_INPUT) {
				rc = session_store_drop(s, err);
				store = NULL;
			}
		}
		if (rc == 0 && !store)
			rc = session_messages(s, &messages, err);
		if (rc == 0 && !store)
			rc = build_world(s, usage, err);
		if (rc)
			session_drop_world(s);
	}
	bool is_stored = s->store && s->world == store_world(s->store);
	session_found_tell(s, is_stored ? SESSION_KEPT_STORE : SESSION_KEPT_WORLD);
	if (rc == 0)
		rc = add_mpi(s, err);
	if (rc == 0)
		rc = session_views_attach(s, s->world, err);
	*w = (struct session_world){
		.e = s->e, .world = s->world, .synced = session_synced(s), .session = s
	};
	w->usage = usage ? s->usage : NULL;
	return rc;
}
