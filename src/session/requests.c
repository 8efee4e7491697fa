#include "session/requests.h"

#include "session/state.h"

int session_requests(
	struct session *s, struct session_world *w, struct requests **requests, struct mer_err *err)
{
	const struct sync_messages *messages;
	struct requests_log *log;
	*requests = NULL;
	session_drop_world(s);
	int rc = session_messages(s, &messages, err);
	if (rc == 0)
		rc = requests_log_new(s->e->n_hosts, s->e->spill, &log, err);
	if (rc)
		return rc;
	struct kernel_world_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_READING, s->e->bytes),
		.observers = requests_log_observers(log),
		.drop = s->o.once ? &s->messages : NULL };
	rc = kernel_world_build(s->e, messages, s->result, &o, &s->world, err);
	session_stage_end(s);
	if (s->o.once) {
		sync_messages_free(&s->messages);
		s->has_messages = false;
	}
	if (rc) {
		requests_log_free(log);
		return rc == MER_ERR_NOMEM ? mer_fail_nomem(err) : rc;
	}
	*w = (struct session_world){
		.e = s->e, .world = s->world, .synced = session_synced(s), .session = s
	};
	return requests_find(s->world, log, requests, err);
}
