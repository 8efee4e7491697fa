#include "path/user_states.h"

#include <stdlib.h>

#include "base/grow.h"
#include "views/states.h"

void path_user_states_init(struct path_user_states *s, const struct kernel_world *w)
{
	*s = (struct path_user_states){ .world = w };
	for (uint32_t h = 0; h < w->n_hosts; h++)
		s->has_views |= w->hosts[h].views != NULL;
}

void path_user_states_fini(struct path_user_states *s)
{
	mer_map_fini(&s->walks_of);
	free(s->walks);
	*s = (struct path_user_states){ 0 };
}

static struct view_walk *walk_of(struct path_user_states *s, uint32_t host, uint32_t task)
{
	const struct kernel_host *h = &s->world->hosts[host];
	uint32_t *at = mer_map_put(&s->walks_of, (uint64_t)host << 32 | task);
	if (!at)
		return NULL;
	if (!*at) {
		struct view_walk *w = mer_grow_at(&s->walks, &s->cap_walks, s->n_walks, sizeof(*w));
		if (!w)
			return NULL;
		view_walk_begin(w, h->views, h->tasks[task].tid);
		*at = (uint32_t)++s->n_walks;
	}
	return &s->walks[*at - 1];
}

bool path_user_states_next(struct path_user_states *s, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, int64_t *until, uint32_t *state)
{
	const struct kernel_host *h = &s->world->hosts[host];
	*until = end;
	*state = 0;
	if (!h->views || task >= h->n_tasks)
		return true;
	struct view_walk *w = walk_of(s, host, task);
	if (!w)
		return false;
	*until = view_walk_next(w, h->views, begin, end, state);
	*state = *state == VIEW_NONE ? 0 : *state + 1;
	return true;
}

const char *path_user_state_name(const struct kernel_world *w, uint32_t host, uint32_t state)
{
	const struct view_host *v = w->hosts[host].views;
	return v && state && state <= v->n_states ? view_word(v, v->states[state - 1].word) : NULL;
}
