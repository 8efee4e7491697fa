#include "session/requests.h"

#include "kernel/observer_pair.h"
#include "session/state.h"

static int build(struct session *s, struct requests_log *log, struct kernel_observer_pairs *l,
	const struct sync_messages *messages, enum session_usage usage, struct mer_err *err)
{
	int rc = usage ? usage_new(s->e->n_hosts, s->e->spill, &s->usage, err) : 0;
	if (rc)
		return rc;
	s->usage_kind = usage;
	if (usage == SESSION_USAGE_ALL &&
		!kernel_observer_pairs_make(
			l, s->e->n_hosts, requests_log_observers(log), usage_observers(s->usage)))
		return mer_fail_nomem(err);
	struct kernel_world_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_READING, s->e->bytes),
		.observers = l->both ? l->both : requests_log_observers(log),
		.drop = s->o.once ? &s->messages : NULL };
	rc = kernel_world_build(s->e, messages, s->result, &o, &s->world, err);
	session_stage_end(s);
	if (s->o.once) {
		sync_messages_free(&s->messages);
		s->has_messages = false;
	}
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	return rc || !usage ? rc : usage_settle(s->usage, s->world, err);
}

int session_requests_used(struct session *s, enum session_usage usage, struct session_world *w,
	struct requests **requests, struct mer_err *err)
{
	const struct sync_messages *messages;
	struct requests_log *log;
	struct kernel_observer_pairs l = { 0 };
	*requests = NULL;
	session_drop_world(s);
	int rc = session_messages(s, &messages, err);
	if (rc == 0)
		rc = requests_log_new(s->e->n_hosts, s->e->spill, &log, err);
	if (rc)
		return rc;
	rc = build(s, log, &l, messages, usage, err);
	kernel_observer_pairs_fini(&l);
	if (rc) {
		requests_log_free(log);
		return rc;
	}
	*w = (struct session_world){ .e = s->e,
		.world = s->world,
		.usage = s->usage,
		.synced = session_synced(s),
		.session = s };
	return requests_find(s->world, log, requests, err);
}
