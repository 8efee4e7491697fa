/* What pictures are made of is read in a session of its own: lanes and tasks that are drawn do not
 * wait for a table that somebody asked for. Only where a store answers, which both sessions have
 * mapped; without one it would be all spans in memory twice, and the other session answers. */
#include "api/api.h"
#include "server/state.h"
#include "session/state.h"

/* The store is there: this maps it, and finds kept clocks. */
static void open_pictures(struct server *s)
{
	struct server_traces *t = &s->pictures;
	struct mer_session_options o = *s->o.session;
	struct mer_result *tasks = NULL;
	o.once = false;
	o.progress = NULL;
	o.progress_data = NULL;
	int rc = mer_session_new(s->o.paths, s->o.n_paths, &o, &t->session, &t->error);
	if (rc == 0) {
		atomic_store(&t->running, t->session);
		rc = mer_session_open(t->session, &t->error);
	}
	if (rc == 0)
		rc = mer_session_synchronize(t->session, &t->error);
	if (rc == 0)
		rc = mer_session_tasks(t->session, NULL, &tasks, &t->error);
	mer_result_free(tasks);
	atomic_store(&t->stage, rc ? SERVER_FAILED : SERVER_READY);
}

struct server_traces *server_pictures_use(
	struct server *s, enum server_clocks clocks, struct http_answer *a)
{
	struct server_traces *t = &s->pictures;
	const struct server_traces *all = &s->traces[SERVER_CLOCKS_ALIGNED];
	if (clocks != SERVER_CLOCKS_ALIGNED || atomic_load(&all->stage) != SERVER_READY ||
		!s->has_store)
		return server_traces_use(s, clocks, a);
	turns_take(&t->turns);
	if (atomic_load(&t->stage) == SERVER_READING)
		open_pictures(s);
	if (atomic_load(&t->stage) == SERVER_READY)
		return t;
	turns_done(&t->turns);
	return server_traces_use(s, clocks, a);
}

void server_pictures_prepare(struct server *s)
{
	struct server_traces *t = &s->pictures;
	if (!s->has_store)
		return;
	turns_take(&t->turns);
	if (atomic_load(&t->stage) == SERVER_READING)
		open_pictures(s);
	turns_done(&t->turns);
}

void server_pictures_note_store(struct server *s)
{
	const struct mer_session *session = s->traces[SERVER_CLOCKS_ALIGNED].session;
	s->has_store = api_session(session)->store != NULL;
}
