/* A path cut at the states of its tasks that view files declare (user_states.h): each segment
 * then lies in one innermost state of its task, or in none. Cutting changes neither order nor
 * sums. */
#include <stdlib.h>

#include "base/grow.h"
#include "path/path.h"
#include "path/user_states.h"
#include "views/states.h"

struct cutting {
	struct path_user_states states;
	struct path_segment *segments; /* the new ones */
	size_t n, cap;
};

static bool add(struct cutting *c, const struct path_segment *s)
{
	if (!mer_grow(&c->segments, c->n, &c->cap, sizeof(*c->segments)))
		return false;
	c->segments[c->n++] = *s;
	return true;
}

static bool cut(struct cutting *c, const struct path_segment *s)
{
	struct path_segment part = *s;
	if (s->begin >= s->end)
		return add(c, s);
	for (int64_t t = s->begin; t < s->end; t = part.end) {
		part.begin = t;
		if (!path_user_states_next(
			    &c->states, s->host, s->task, t, s->end, &part.end, &part.user_state) ||
			!add(c, &part))
			return false;
	}
	return true;
}

int path_cut_by_states(struct path *p, struct mer_err *err)
{
	struct cutting c = { 0 };
	bool ok = true;
	path_user_states_init(&c.states, p->world);
	if (!c.states.has_views || !p->n_segments)
		return 0;
	for (size_t i = 0; i < p->n_segments && ok; i++)
		ok = cut(&c, &p->segments[i]);
	path_user_states_fini(&c.states);
	if (!ok) {
		free(c.segments);
		return mer_fail_nomem(err);
	}
	free(p->segments);
	p->segments = c.segments;
	p->n_segments = c.n;
	p->cap_segments = c.cap;
	return 0;
}

const char *path_user_state(const struct path *p, const struct path_segment *s)
{
	return path_user_state_name(p->world, s->host, s->user_state);
}

bool path_same_user_state(
	const struct path *p, const struct path_segment *a, const struct path_segment *b)
{
	const struct view_host *v = p->world->hosts[a->host].views;
	if (a->host != b->host || !v || !a->user_state || !b->user_state)
		return a->user_state == b->user_state;
	return v->states[a->user_state - 1].word == v->states[b->user_state - 1].word;
}
