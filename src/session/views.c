#include "session/views.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "session/state.h"

int session_views_load(struct session *s, struct mer_err *err)
{
	const struct session_texts *names = &s->o.views;
	if (!names->n)
		return 0;
	if (names->n > VIEW_MAX_FILES)
		return mer_fail(err, MER_ERR_USAGE, "more than %d views", VIEW_MAX_FILES);
	s->views = calloc(names->n, sizeof(*s->views));
	if (!s->views)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < names->n; i++) {
		struct view *v;
		int rc = view_load(names->item[i], &v, err);
		if (rc)
			return rc;
		s->views[s->n_views++] = v;
		for (size_t k = 0; k < i; k++)
			if (strcmp(s->views[k]->name, v->name) == 0)
				return mer_fail(err, MER_ERR_USAGE,
					"two views are named %s: %s and %s", v->name,
					s->views[k]->path, v->path);
	}
	return 0;
}

void session_views_forget(struct session *s)
{
	view_states_free(s->view_states);
	free(s->view_hosts);
	for (size_t i = 0; i < s->n_views; i++)
		view_free((struct view *)(uintptr_t)s->views[i]);
	free(s->views);
	s->view_states = NULL;
	s->view_hosts = NULL;
	s->views = NULL;
	s->n_views = 0;
}

static int find(struct session *s, struct mer_err *err)
{
	const struct view_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_VIEWING, s->e->bytes) };
	session_found_begin(s, SESSION_KEPT_VIEWS);
	int rc = view_states_find(s->e, s->views, (uint32_t)s->n_views, &o, &s->view_states, err);
	session_found_end(s, SESSION_KEPT_VIEWS);
	session_stage_end(s);
	s->view_hosts = rc ? NULL : calloc((size_t)s->e->n_hosts + 1, sizeof(*s->view_hosts));
	if (rc == 0 && !s->view_hosts)
		rc = mer_fail_nomem(err);
	for (uint32_t h = 0; rc == 0 && h < s->e->n_hosts; h++)
		s->view_hosts[h] = &s->view_states->hosts[h];
	if (rc) {
		view_states_free(s->view_states);
		s->view_states = NULL;
	}
	return rc;
}

int session_views(struct session *s, const struct view_states **states, struct mer_err *err)
{
	int rc = 0;
	if (s->n_views && !s->view_states)
		rc = session_synchronize(s, false, err);
	if (rc == 0 && s->n_views && !s->view_states)
		rc = find(s, err);
	session_found_tell(s, SESSION_KEPT_VIEWS);
	*states = s->view_states;
	return rc;
}

int session_views_attach(struct session *s, struct kernel_world *w, struct mer_err *err)
{
	const struct view_states *states;
	int rc = session_views(s, &states, err);
	for (uint32_t h = 0; rc == 0 && states && h < w->n_hosts; h++)
		w->hosts[h].views = s->view_hosts[h];
	return rc;
}
