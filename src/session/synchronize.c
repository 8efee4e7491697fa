/* The clocks of a session: aligned once, from the cache, a file or the messages; and the
 * messages. */
#include <string.h>

#include "base/err.h"
#include "kernel/survey.h"
#include "session/given_vms.h"
#include "session/parts.h"
#include "session/state.h"
#include "session/sync_cache.h"

const struct session_synced *session_synced(const struct session *s)
{
	return s->result ? &s->synced : NULL;
}

const struct sync_result *session_sync_result(const struct session *s)
{
	return s->result;
}

const struct mer_err *session_sync_error(const struct session *s)
{
	return s->sync_error.code ? &s->sync_error : NULL;
}

/* Finds the messages, which are those of the hosts' own clocks: of an experiment whose clocks are
 * as recorded. With r also the result; keep: the messages stay. */
static int compute(struct session *s, struct mer_experiment *e, bool keep, struct sync_result **r,
	struct mer_err *err)
{
	struct sync_messages own = { 0 }, *m = keep ? &s->messages : &own;
	struct mer_diags found;
	struct sync_gather_options o = { .cancel = &s->cancel,
		.done_bytes = session_stage_begin(
			s, r ? SESSION_SYNCHRONIZING : SESSION_MATCHING, e->bytes),
		.n_threads = session_threads(s),
		.keep_streams = keep };
	struct sync_options solve = {
		.n_threads = session_threads(s), .cancel = &s->cancel, .no_lines = true
	};
	if (keep) {
		sync_messages_free(m);
		mer_diags_fini(&s->matched);
		mer_diags_init(&s->matched, &s->arena);
	}
	int rc = sync_auto_gather(e, &o, m, &found, keep ? &s->matched : NULL, err);
	s->has_messages = keep && rc == 0;
	if (rc == 0)
		rc = session_given_vms(e, &s->o.vms, &s->arena, &solve, err);
	if (rc == 0 && r)
		rc = sync_auto_solve(e, m, &found, &solve, r, err);
	mer_diags_fini(&found);
	sync_messages_free(&own);
	session_stage_end(s);
	return rc;
}

/* The result from the cache, else computed. */
static int find(struct session *s, bool messages, struct mer_err *err)
{
	struct sync_cache cache;
	sync_cache_find(&cache, s->e, &s->o.vms, s->o.cache_dir);
	s->result = sync_cache_load(&cache, s->e);
	if (s->result)
		return messages && !session_store_is_likely(s) ? compute(s, s->e, true, NULL, err)
							       : 0;
	/* A store of clocks that were not known cannot be there yet: the messages will be
	 * needed. */
	int rc = compute(s, s->e, messages || s->o.store, &s->result, err);
	if (rc == 0)
		sync_cache_save(&cache, s->result);
	return rc;
}

static int apply(struct session *s, struct mer_err *err)
{
	const struct sync_result *r = s->result;
	struct mer_str names = { 0 };
	int rc = sync_apply(s->e, r, err);
	if (rc)
		return rc;
	s->synced = (struct session_synced){ .summary = sync_summary_of(r), .method = r->method };
	s->synced.reference = s->e->hosts[s->synced.summary.reference].name;
	s->synced.file = s->o.clocks == SESSION_CLOCKS_SAVED ? s->o.clocks_file : NULL;
	if (sync_one_sided(r, &names) && names.data)
		s->synced.one_sided = mer_arena_strdup(&s->arena, names.data);
	mer_str_clear(&names);
	if (sync_contradictory(r, &names) && names.data)
		s->synced.contradictory = mer_arena_strdup(&s->arena, names.data);
	mer_str_fini(&names);
	session_found_begin(s, SESSION_KEPT_CLOCKS);
	if (s->o.all_findings)
		mer_diags_merge(&s->e->diags, &r->diags);
	session_found_end(s, SESSION_KEPT_CLOCKS);
	return 0;
}

static int align(struct session *s, bool messages, struct mer_err *err)
{
	bool in_parts = s->o.clocks == SESSION_CLOCKS_AUTO && s->e->has_no_events,
	     saved = s->o.clocks == SESSION_CLOCKS_SAVED;
	int rc = in_parts ? session_parts_clocks(s, &s->result, err) : 0;
	if (in_parts && !s->result)
		return rc;
	saved |= in_parts;
	if (s->o.clocks == SESSION_CLOCKS_RECORDED || (!saved && s->e->n_hosts < 2 && !s->o.vms.n))
		return messages && !session_store_is_likely(s) ? compute(s, s->e, true, NULL, err)
							       : 0;
	if (!in_parts)
		rc = saved ? sync_load(s->e, s->o.clocks_file, &s->result, err)
			   : find(s, messages, err);
	if (rc == 0 && saved && messages && !session_store_is_likely(s))
		rc = compute(s, s->e, true, NULL, err);
	if (rc == 0)
		rc = apply(s, err);
	if (rc == 0)
		return 0;
	sync_result_free(s->result);
	s->result = NULL;
	bool is_of_user = saved || rc == MER_ERR_USAGE;
	if (is_of_user || rc == MER_ERR_CANCELLED || rc == MER_ERR_NOMEM)
		return rc;
	s->sync_error = *err;
	return 0;
}

int session_synchronize(struct session *s, bool messages, struct mer_err *err)
{
	if (s->is_synchronized) {
		session_found_tell(s, SESSION_KEPT_CLOCKS);
		return 0;
	}
	int rc = align(s, messages, err);
	s->is_synchronized = rc == 0;
	return rc;
}

/* With the clocks aligned already, from a second look at the traces. */
static int gather_again(struct session *s, struct mer_err *err)
{
	struct mer_experiment *e;
	int rc = mer_experiment_open(s->o.paths, s->o.n_paths, &s->e->options, &e, err);
	if (rc)
		return rc;
	rc = kernel_survey(e, err);
	if (rc) {
		mer_experiment_free(e);
		return rc;
	}
	e->spill = s->e->spill; /* that lives as long as the messages */
	if (e->n_hosts == s->e->n_hosts && e->n_streams == s->e->n_streams)
		rc = compute(s, e, true, NULL, err);
	else
		rc = mer_fail(err, MER_ERR_INPUT, "the traces changed while they were being read");
	e->spill = NULL;
	mer_experiment_free(e);
	return rc;
}

int session_messages(struct session *s, const struct sync_messages **messages, struct mer_err *err)
{
	int rc = session_synchronize(s, true, err);
	/* Parts have them; otherwise reading says that there are no events. */
	if (rc == 0 && !s->has_messages && s->e->has_no_events)
		s->has_messages = session_stored_messages(s, &s->messages);
	if (rc == 0 && !s->has_messages)
		rc = s->result ? gather_again(s, err) : compute(s, s->e, true, NULL, err);
	*messages = &s->messages;
	return rc;
}
