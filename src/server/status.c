/* The status: how far the traces are read, and basic facts about them. */
#include <string.h>
#include "ask/library/api.h"
#include "server/state.h"
#include "trace/experiment.h"

static void put_hosts(const struct mer_experiment *e, struct mer_json *j)
{
	mer_json_kv_array(j, "hosts");
	for (uint32_t h = 0; h < e->n_hosts; h++)
		mer_json_text(j, e->hosts[h].name);
	mer_json_end_array(j);
}

void server_status_prepare(struct server *s)
{
	struct session *session = api_session(s->traces[SERVER_CLOCKS_ALIGNED].session);
	const struct mer_experiment *e = session_experiment(session);
	const struct session_synced *synced = session_synced(session);
	struct server_known known = {
		.is_set = true, .has_clocks = synced != NULL, .begin = e->begin, .end = e->end
	};
	if (synced)
		known.synced = *synced;
	pthread_mutex_lock(&s->known_lock);
	s->known = known;
	pthread_mutex_unlock(&s->known_lock);
}

static void put_known(struct server *s, struct mer_json *j)
{
	pthread_mutex_lock(&s->known_lock);
	const struct server_known known = s->known;
	pthread_mutex_unlock(&s->known_lock);
	if (!known.is_set)
		return;
	mer_json_kv_int(j, "begin", known.begin);
	mer_json_kv_int(j, "end", known.end);
	if (!known.has_clocks)
		return;
	mer_json_kv_text(j, "reference", known.synced.reference);
	/* As in the notes of commands: times of these hosts cannot be compared with others. */
	mer_json_kv_uint(j, "hosts_unsynchronized", known.synced.summary.n_unsynchronized);
	if (known.synced.summary.likely_ns != INT64_MAX)
		mer_json_kv_int(j, "likely_p50_ns", known.synced.summary.likely_ns);
	if (known.synced.summary.median_ns != INT64_MAX)
		mer_json_kv_int(j, "bound_p50_ns", known.synced.summary.median_ns);
}

void server_progress(struct server *s, uint64_t *done_bytes, uint64_t *total_bytes)
{
	mer_session_progress(s->traces[SERVER_CLOCKS_ALIGNED].session, done_bytes, total_bytes);
}

void server_status(struct server *s, const struct http_request *r, struct http_answer *a)
{
	static const char *const names[] = { "reading", "ready", "failed" };
	struct server_traces *t = &s->traces[SERVER_CLOCKS_ALIGNED];
	unsigned stage = atomic_load(&t->stage);
	const char *doing = atomic_load(&t->doing);
	uint64_t done, total;
	struct mer_json j;
	(void)r;
	a->status = 200;
	a->type = "application/json";
	mer_json_init(&j, &a->body, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_text(&j, "stage", names[stage]);
	mer_json_kv_text(&j, "doing", doing);
	server_progress(s, &done, &total);
	mer_json_kv_uint(&j, "done_bytes", done);
	mer_json_kv_uint(&j, "total_bytes", total);
	if (stage == SERVER_FAILED)
		mer_json_kv_text(&j, "error", t->error.text);
	put_hosts(mer_session_experiment(t->session), &j);
	mer_json_kv_array(&j, "traces");
	for (size_t i = 0; i < s->o.n_paths; i++)
		mer_json_text(&j, s->o.paths[i]);
	mer_json_end_array(&j);
	mer_json_kv_array(&j, "views");
	for (size_t i = 0; i < s->o.session->n_views; i++)
		mer_json_text(&j, s->o.session->views[i]);
	mer_json_end_array(&j);
	put_known(s, &j);
	mer_json_end_object(&j);
	mer_json_finish(&j, &(struct mer_err){ 0 });
}
