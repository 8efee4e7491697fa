/* Where the time of an own request went: the critical path of the task that ended it, back to the
 * begin; before that task was there, of the one that began it. */
#include "base/grow.h"
#include "requests/own.h"
#include "requests/parts.h"
#include "requests/way.h"

/* ---- its path ---- */

struct making {
	const struct requests_parts_finder *f;
	const struct requests *r;
	uint32_t exchange;
	struct path *p;
	int64_t t; /* all before it is there */
	struct mer_err *err;
};

static int add_link(struct making *m, struct path_link l)
{
	struct path *p = m->p;
	if (!mer_grow(&p->links, p->n_links, &p->cap_links, sizeof(*p->links)))
		return mer_fail_nomem(m->err);
	p->links[p->n_links++] = l;
	return 0;
}

static int add_segment(struct making *m, struct path_segment s, int64_t until)
{
	struct path *p = m->p;
	if (until <= m->t)
		return 0;
	struct path_segment *last = p->n_segments ? &p->segments[p->n_segments - 1] : NULL;
	s.begin = m->t;
	s.end = m->t = until;
	if (last && s.span != KERNEL_NONE && last->host == s.host && last->span == s.span &&
		last->cause == s.cause && last->depth == s.depth &&
		last->user_state == s.user_state) {
		last->end = until; /* it was cut for nothing */
		return 0;
	}
	if (!mer_grow(&p->segments, p->n_segments, &p->cap_segments, sizeof(*p->segments)))
		return mer_fail_nomem(m->err);
	p->segments[p->n_segments++] = s;
	return 0;
}

/* Another request that the task served at that time before it came to this one, plus 1; 0: none. */
static uint32_t served_instead(const struct requests_parts_finder *f, const struct requests *r,
	uint32_t exchange, const struct path_segment *s, int64_t time)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	if (s->depth || s->task == KERNEL_NONE || s->state == KERNEL_BLOCKED ||
		(s->task == x->client_task &&
			s->host == requests_connection_of(r, exchange)->ends[REQUESTS_CLIENT].host))
		return 0;
	uint32_t served = requests_served_by(f, s->host, s->task, time);
	return served && !requests_is_within(r, served - 1, exchange) &&
			       !requests_is_within(r, exchange, served - 1)
		       ? served
		       : 0;
}

static int copy_segment(struct making *m, const struct path_segment *s)
{
	int rc = 0;
	while (rc == 0 && m->t < s->end) {
		struct path_segment part = *s;
		int64_t until =
			s->depth || s->task == KERNEL_NONE
				? s->end
				: requests_served_within(m->f, s->host, s->task, m->t, s->end);
		if (served_instead(m->f, m->r, m->exchange, s, m->t))
			part.cause = PATH_QUEUED;
		rc = add_segment(m, part, until);
	}
	return rc;
}

/* Up to `until`, depth levels below the path's task. */
static int add_path(struct making *m, uint32_t host, uint32_t task, int64_t until, uint32_t depth)
{
	const struct kernel_host *h = &m->r->w->hosts[host];
	struct path_segment unknown = { .host = host,
		.task = task,
		.span = KERNEL_NONE,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.depth = depth,
		.state = KERNEL_UNKNOWN,
		.cause = PATH_UNKNOWN,
		.cpu = KERNEL_NO_CPU };
	struct path path;
	if (task == KERNEL_NONE || until <= m->t || h->tasks[task].begin >= until)
		return add_segment(m, unknown, until);
	int rc = path_find(m->r->w, host, task, m->t, until, &path, m->err);
	if (rc == 0)
		rc = add_segment(m, unknown, path.begin);
	for (size_t i = 0; rc == 0 && i < path.n_segments; i++) {
		path.segments[i].depth += depth;
		rc = copy_segment(m, &path.segments[i]);
	}
	for (size_t i = 0; rc == 0 && i < path.n_links; i++)
		rc = add_link(m, path.links[i]);
	if (rc == 0) {
		m->p->n_unresolved_remote += path.n_unresolved_remote;
	}
	path_fini(&path);
	return rc ? rc : add_segment(m, unknown, until);
}

/* From the task that began it to the first one on the path of the other one. */
static int join(struct making *m, size_t at, size_t n_links)
{
	struct path *p = m->p;
	if (at == 0 || at >= p->n_segments)
		return 0;
	const struct path_segment *a = &p->segments[at - 1], *b = &p->segments[at];
	if (a->host == b->host && a->task == b->task)
		return 0;
	int rc = add_link(m, (struct path_link){ .from_host = a->host,
				     .from_task = a->task,
				     .to_host = b->host,
				     .to_task = b->task,
				     .from_time = a->end,
				     .to_time = b->begin,
				     .kind = PATH_LINK_WAIT,
				     .packet = KERNEL_NONE });
	/* Its place is between those of both paths. */
	for (size_t i = p->n_links - 1; rc == 0 && i > n_links; i--) {
		struct path_link l = p->links[i];
		p->links[i] = p->links[i - 1];
		p->links[i - 1] = l;
	}
	return rc;
}

int requests_own_path(const struct requests_parts_finder *f, const struct requests *r,
	uint32_t exchange, struct path *path, struct mer_err *err)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_end *ends = requests_connection_of(r, exchange)->ends;
	uint32_t host = ends[REQUESTS_SERVER].host;
	*path = (struct path){ .world = r->w,
		.host = host,
		.task = x->server_task,
		.begin = x->begin,
		.end = x->end };
	struct making m = { f, r, exchange, path, x->begin, err };
	int64_t born = x->server_task == KERNEL_NONE
			       ? x->begin
			       : r->w->hosts[host].tasks[x->server_task].begin;
	int rc = 0;
	if (born > x->begin)
		rc = add_path(&m, ends[REQUESTS_CLIENT].host, x->client_task,
			born < x->end ? born : x->end, 1);
	size_t first = path->n_segments, n_links = path->n_links;
	if (rc == 0)
		rc = add_path(&m, host, x->server_task, x->end, 0);
	if (rc == 0)
		rc = join(&m, first, n_links);
	if (rc == 0)
		path_sum(path);
	return rc;
}

/* ---- its parts ---- */

/* The request below it that this time of a segment is of, or it itself. */
static uint32_t find_request(const struct requests_parts_finder *f, const struct requests *r,
	uint32_t exchange, const struct path_segment *s, int64_t time)
{
	uint32_t served =
		s->task == KERNEL_NONE ? 0 : requests_served_by(f, s->host, s->task, time);
	uint32_t in = served && requests_is_within(r, served - 1, exchange) ? served - 1 : exchange;
	/* On its way to the task that sent it. */
	uint32_t sent =
		s->in_flight ? requests_sent_by(f, in, s->host, s->task, time) : KERNEL_NONE;
	return sent != KERNEL_NONE ? sent : in;
}

/* While another request was served. */
static enum path_cause cause_meanwhile(const struct requests *r, const struct path_segment *s)
{
	const struct kernel_host *h = &r->w->hosts[s->host];
	return s->span == KERNEL_NONE ? PATH_RUNNING
				      : path_cause_of(kernel_span(h, kernel_wait_end(h, s->span)));
}

int requests_own_parts(const struct requests_parts_finder *f, const struct requests *r,
	uint32_t exchange, struct requests_parts *p, bool is_fine, struct mer_err *err)
{
	struct path path;
	int rc = requests_own_path(f, r, exchange, &path, err);
	for (size_t i = 0; rc == 0 && i < path.n_segments; i++) {
		const struct path_segment *s = &path.segments[i];
		for (int64_t t = s->begin, until; rc == 0 && t < s->end; t = until) {
			struct requests_part part =
				requests_part_of(s, find_request(f, r, exchange, s, t));
			until = s->task == KERNEL_NONE
					? s->end
					: requests_served_within(f, s->host, s->task, t, s->end);
			part.begin = t;
			part.end = until;
			if (s->cause == PATH_QUEUED) {
				part.kind = REQUESTS_QUEUED;
				part.of = served_instead(f, r, exchange, s, t);
				part.cause = (uint8_t)cause_meanwhile(r, s);
			}
			rc = requests_parts_add(p, part, is_fine, err);
		}
	}
	path_fini(&path);
	return rc;
}
