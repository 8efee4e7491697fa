/* Data for drawing is read in a second session, so that lanes and tasks do not wait for a table
 * that is being computed. Only with a store, which both sessions map; without one all spans would
 * be in memory twice, so the main session answers. */
#include "ask/library/api.h"
#include "server/state.h"
#include "session/state.h"

/* Fast: the session maps the store, and finds the clock alignment in the cache. */
static void open_pictures(struct server *s)
{
	struct server_traces *t = &s->pictures;
	struct mer_session_options o = *s->o.session;
	struct mer_result *tasks = NULL;
	o.progress = NULL;
	o.progress_data = NULL;
	int rc = server_open_session(s, t, &o, &t->error);
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
