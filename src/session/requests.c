#include "session/requests.h"

#include "kernel/observer_pair.h"
#include "session/state.h"
#include "session/views.h"
#include "store/store.h"

void session_requests_forget(struct session *s)
{
	requests_free(s->requests);
	usage_free(s->requests_usage);
	if (s->requests_are_stored)
		store_requests_world_free(s->requests_world);
	else
		kernel_world_free(s->requests_world);
	s->requests = NULL;
	s->requests_usage = NULL;
	s->requests_world = NULL;
}

static int build(struct session *s, struct requests_log *log, struct kernel_observer_pairs *l,
	const struct sync_messages *messages, enum session_usage usage, struct mer_err *err)
{
	struct usage **used = &s->requests_usage;
	int rc = usage ? usage_new(s->e->n_hosts, s->e->spill, used, err) : 0;
	if (rc)
		return rc;
	s->requests_usage_kind = usage;
	if (usage == SESSION_USAGE_ALL &&
		!kernel_observer_pairs_make(
			l, s->e->n_hosts, requests_log_observers(log), usage_observers(*used)))
		return mer_fail_nomem(err);
	struct kernel_world_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_READING, s->e->bytes),
		.observers = l->both ? l->both : requests_log_observers(log),
		.drop = s->o.once ? &s->messages : NULL };
	session_found_begin(s, SESSION_KEPT_REQUESTS);
	rc = kernel_world_build(s->e, messages, s->result, &o, &s->requests_world, err);
	session_found_end(s, SESSION_KEPT_REQUESTS);
	session_stage_end(s);
	if (s->o.once) {
		sync_messages_free(&s->messages);
		s->has_messages = false;
	}
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	return rc || !usage ? rc : usage_settle(*used, s->requests_world, err);
}

/* From the store's world. MER_ERR_INPUT: part of its content is damaged. */
static int find_stored(
	struct session *s, struct store *store, enum session_usage usage, struct mer_err *err)
{
	s->requests_are_stored = true;
	s->requests_usage_kind = usage;
	int rc = store_requests(store, &s->requests_world, &s->requests, err);
	if (rc == 0)
		rc = session_views_attach(s, s->requests_world, err);
	if (rc == 0 && usage == SESSION_USAGE_ALL)
		rc = store_usage(store, &s->requests_usage, err);
	else if (rc == 0 && usage)
		rc = usage_new(s->e->n_hosts, s->e->spill, &s->requests_usage, err);
	if (rc == 0 && usage && usage != SESSION_USAGE_ALL)
		rc = usage_settle(s->requests_usage, s->requests_world, err);
	return rc;
}

static int read_all(struct session *s, enum session_usage usage, struct mer_err *err)
{
	const struct sync_messages *messages;
	struct requests_log *log;
	struct kernel_observer_pairs l = { 0 };
	if (s->o.once)
		session_drop_world(s);
	int rc = session_messages(s, &messages, err);
	if (rc == 0)
		rc = requests_log_new(s->e->n_hosts, s->e->spill, &log, err);
	if (rc)
		return rc;
	s->requests_are_stored = false;
	rc = build(s, log, &l, messages, usage, err);
	kernel_observer_pairs_fini(&l);
	if (rc) {
		requests_log_free(log);
		return rc;
	}
	rc = session_views_attach(s, s->requests_world, err);
	if (rc) {
		requests_log_free(log);
		return rc;
	}
	return requests_find(s->requests_world, log, &s->requests, err);
}

static int find(struct session *s, enum session_usage usage, struct mer_err *err)
{
	struct store *store;
	session_requests_forget(s);
	int rc = session_store(s, &store, err);
	if (rc || !store)
		return rc ? rc : read_all(s, usage, err);
	rc = find_stored(s, store, usage, err);
	if (rc != MER_ERR_INPUT)
		return rc;
	rc = session_store_drop(s, err);
	return rc ? rc : read_all(s, usage, err);
}

/* What was found when they were read, and then the states in their world. */
static void tell(struct session *s)
{
	session_found_tell(s, s->requests_are_stored ? SESSION_KEPT_STORE : SESSION_KEPT_REQUESTS);
	session_found_tell(s, SESSION_KEPT_VIEWS);
}

int session_requests_stored(
	struct session *s, struct store *store, struct requests **requests, struct mer_err *err)
{
	int rc = s->requests ? 0 : find_stored(s, store, SESSION_USAGE_NONE, err);
	if (rc)
		session_requests_forget(s);
	tell(s);
	*requests = s->requests;
	return rc;
}

int session_requests_used(struct session *s, enum session_usage usage, struct session_world *w,
	struct requests **requests, struct mer_err *err)
{
	int rc = session_synchronize(s, true, err);
	if (rc == 0 && (!s->requests || usage > s->requests_usage_kind))
		rc = find(s, usage, err);
	if (rc)
		session_requests_forget(s);
	tell(s);
	*requests = s->requests;
	*w = (struct session_world){ .e = s->e,
		.world = s->requests_world,
		.usage = s->requests_usage,
		.synced = session_synced(s),
		.session = s };
	return rc;
}
