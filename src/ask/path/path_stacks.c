/* A path as stacks: at each moment who waits for whom, down to what the time is spent on.
 *
 *   client;wget/12;server;nginx/30;disk 8021345      folded, for flame graphs: time by stack
 *   open, close, open, ... in the order of time      speedscope's evented profile
 *
 * The stack of a segment are those who wait for it, the task of the path first; a host is a frame
 * where it changes. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "ask/print/fold.h"
#include "ask/path/path_print.h"
#include "ask/path/path_words.h"
#include "ask/print/text.h"

enum {
	MAX_FRAMES = 256
}; /* of a stack; of a deeper one those next to the path's task are left out */

size_t *ask_path_waiters(const struct path *p)
{
	size_t *waiter = malloc((p->n_segments + 1) * sizeof(*waiter));
	for (size_t i = p->n_segments; waiter && i-- > 0;) {
		size_t w = i + 1;
		/* Those in between are no less deep, so their waiters are the next to look at. */
		while (w < p->n_segments && p->segments[w].depth >= p->segments[i].depth)
			w = waiter[w];
		waiter[i] = w < p->n_segments ? w : SIZE_MAX;
	}
	return waiter;
}

struct stacks {
	const struct path *p;
	struct mer_intern names; /* of frames */
	size_t *waiter;
	uint32_t frames[MAX_FRAMES]; /* of the stack being looked at */
	size_t n;
	struct mer_str text;
	bool failed;
};

static void push(struct stacks *s, const char *name, size_t len)
{
	uint32_t id = mer_intern_add(&s->names, name ? name : "", len);
	s->failed |= id == MER_INTERN_NONE;
	if (!s->failed && s->n < MAX_FRAMES)
		s->frames[s->n++] = id;
}

static void push_task(struct stacks *s, uint32_t host, uint32_t task)
{
	mer_str_clear(&s->text);
	path_put_task(s->p, host, task, &s->text);
	push(s, s->text.data, s->text.len);
}

/* What it did by its own account, if that is known. */
static void push_state(struct stacks *s, const struct path_segment *g)
{
	const char *state = path_user_state(s->p, g);
	if (state)
		push(s, state, strlen(state));
}

/* The stack of a segment to s->frames. */
static void make_stack(struct stacks *s, size_t segment)
{
	const struct path_segment *all = s->p->segments, *own = &all[segment];
	size_t chain[MAX_FRAMES], n = 0;
	uint32_t host = s->p->host, task = s->p->task;
	/* The innermost first. */
	for (size_t i = segment; i != SIZE_MAX && n < MAX_FRAMES / 2 - 2; i = s->waiter[i])
		if (n == 0 || all[i].host != all[chain[n - 1]].host ||
			all[i].task != all[chain[n - 1]].task)
			chain[n++] = i;
	s->n = 0;
	push(s, path_host_name(s->p, host), strlen(path_host_name(s->p, host)));
	push_task(s, host, task);
	while (n-- > 0) {
		const struct path_segment *w = &all[chain[n]];
		if (w->host == host && w->task == task) {
			push_state(s, w);
			continue;
		}
		if (w->host != host)
			push(s, path_host_name(s->p, w->host),
				strlen(path_host_name(s->p, w->host)));
		host = w->host;
		task = w->task;
		push_task(s, host, task);
		push_state(s, w);
	}
	const char *cause =
		own->in_flight ? "network in flight" : path_cause_name((enum path_cause)own->cause);
	push(s, cause, strlen(cause));
}

static int open_stacks(struct stacks *s, const struct ask_path *c)
{
	*s = (struct stacks){ .p = c->p, .waiter = ask_path_waiters(c->p) };
	mer_intern_init(&s->names, &c->ask->arena);
	return s->waiter ? 0 : mer_fail_nomem(&c->ask->err);
}

static int close_stacks(struct stacks *s, const struct ask_path *c, int rc)
{
	bool failed = s->failed || s->text.failed;
	free(s->waiter);
	mer_intern_fini(&s->names);
	mer_str_fini(&s->text);
	return rc == 0 && failed ? mer_fail_nomem(&c->ask->err) : rc;
}

/* ---- Folded ---- */

static int fold(struct stacks *s, const struct ask_path *c, struct mer_str *out)
{
	struct ask_fold f;
	ask_fold_init(&f, &c->ask->arena);
	for (size_t i = 0; i < c->p->n_segments && !s->failed; i++) {
		make_stack(s, i);
		for (size_t k = 0; k < s->n && !s->failed; k++)
			ask_fold_frame(&f, mer_intern_text(&s->names, s->frames[k]));
		ask_fold_add(&f, c->p->segments[i].end - c->p->segments[i].begin);
	}
	int rc = ask_fold_put(&f, out, &c->ask->err);
	ask_fold_fini(&f);
	return rc;
}

int ask_path_folded(const struct ask_path *c, struct mer_str *out)
{
	struct stacks s;
	int rc = open_stacks(&s, c);
	if (rc == 0)
		rc = fold(&s, c, out);
	return close_stacks(&s, c, rc);
}

/* ---- Speedscope ---- */

static void put_event(struct mer_json *j, const char *type, uint32_t frame, int64_t at)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "type", type);
	mer_json_kv_uint(j, "frame", frame);
	mer_json_kv_int(j, "at", at);
	mer_json_end_object(j);
}

/* From one segment's stack to the next one's: what differs is closed, then opened. */
static void put_events(struct stacks *s, struct mer_json *j)
{
	const struct path *p = s->p;
	uint32_t open[MAX_FRAMES];
	size_t n_open = 0;
	for (size_t i = 0; i < p->n_segments && !s->failed; i++) {
		int64_t at = p->segments[i].begin - p->begin;
		size_t same = 0;
		make_stack(s, i);
		while (same < n_open && same < s->n && open[same] == s->frames[same])
			same++;
		while (n_open > same)
			put_event(j, "C", open[--n_open], at);
		for (; n_open < s->n; n_open++) {
			open[n_open] = s->frames[n_open];
			put_event(j, "O", open[n_open], at);
		}
	}
	while (n_open > 0)
		put_event(j, "C", open[--n_open], p->end - p->begin);
}

int ask_path_speedscope(const struct ask_path *c, struct mer_str *out)
{
	struct stacks s;
	struct mer_json j;
	struct mer_str title = { 0 };
	int rc = open_stacks(&s, c);
	if (rc)
		return close_stacks(&s, c, rc);
	ask_path_title(c->p, &title);
	mer_json_init(&j, out, NULL, 0);
	ask_speedscope_begin(
		&j, title.data ? title.data : "path", "evented", c->p->end - c->p->begin);
	mer_json_kv_array(&j, "events");
	put_events(&s, &j);
	mer_json_end_array(&j);
	ask_speedscope_end(&j, &s.names);
	rc = mer_json_finish(&j, &c->ask->err);
	out->failed |= title.failed;
	mer_str_fini(&title);
	return close_stacks(&s, c, rc);
}
