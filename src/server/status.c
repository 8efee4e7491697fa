/* How far the traces are read, and what is known of them at once. */
#include <string.h>
#include "api/api.h"
#include "server/state.h"
#include "trace/experiment.h"

static void put_hosts(const struct mer_experiment *e, struct mer_json *j)
{
	mer_json_kv_array(j, "hosts");
	for (uint32_t h = 0; h < e->n_hosts; h++)
		mer_json_text(j, e->hosts[h].name);
	mer_json_end_array(j);
}

/* Only when the session is ours: clocks change times. */
static void put_known(struct server_traces *t, struct mer_json *j)
{
	struct session *s = api_session(t->session);
	const struct session_synced *synced = session_synced(s);
	const struct mer_experiment *e = session_experiment(s);
	mer_json_kv_int(j, "begin", e->begin);
	mer_json_kv_int(j, "end", e->end);
	if (!synced)
		return;
	mer_json_kv_text(j, "reference", synced->reference);
	/* As the notes of commands have it: these times cannot be compared with others. */
	mer_json_kv_uint(j, "hosts_unsynchronized", synced->summary.n_unsynchronized);
	if (synced->summary.likely_ns != INT64_MAX)
		mer_json_kv_int(j, "likely_p50_ns", synced->summary.likely_ns);
	if (synced->summary.median_ns != INT64_MAX)
		mer_json_kv_int(j, "bound_p50_ns", synced->summary.median_ns);
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
	mer_session_progress(t->session, &done, &total);
	mer_json_kv_uint(&j, "done_bytes", done);
	mer_json_kv_uint(&j, "total_bytes", total);
	if (stage == SERVER_FAILED)
		mer_json_kv_text(&j, "error", t->error.text);
	put_hosts(mer_session_experiment(t->session), &j);
	mer_json_kv_array(&j, "traces");
	for (size_t i = 0; i < s->o.n_paths; i++)
		mer_json_text(&j, s->o.paths[i]);
	mer_json_end_array(&j);
	if (stage == SERVER_READY) {
		struct server_traces *own =
			server_traces_use(s, SERVER_CLOCKS_ALIGNED, &(struct http_answer){ 0 });
		if (own) {
			put_known(own, &j);
			server_traces_done(own);
		}
	}
	mer_json_end_object(&j);
	mer_json_finish(&j, &(struct mer_err){ 0 });
}
