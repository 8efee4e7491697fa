/* A request as a path: its parts, one for each span, with what led from one to the next. */
#include "base/grow.h"
#include "path/user_states.h"
#include "requests/parts.h"

static struct path_segment segment_of(const struct requests *r, const struct requests_part *p)
{
	const struct kernel_host *h = &r->w->hosts[p->host];
	const struct kernel_span *s = p->span == KERNEL_NONE ? NULL : kernel_span(h, p->span);
	struct path_segment g = { .begin = p->begin,
		.end = p->end,
		.host = p->host,
		.task = p->task,
		.span = p->span,
		.call = s ? s->call : KERNEL_NONE,
		.by = s && s->state == KERNEL_RUNNABLE ? s->by : KERNEL_NONE,
		.source = KERNEL_NONE,
		.depth = p->depth,
		.state = s ? s->state : KERNEL_UNKNOWN,
		.cause = p->kind == REQUESTS_QUEUED ? PATH_QUEUED : p->cause,
		.cpu = s ? s->cpu : KERNEL_NO_CPU };
	if (s) {
		const struct kernel_span *end = kernel_span(h, kernel_wait_end(h, p->span));
		g.source = end->source;
		g.by_cause = end->cause;
	}
	if (p->in_flight) {
		g.span = KERNEL_NONE;
		g.state = KERNEL_BLOCKED;
		g.in_flight = p->packet != KERNEL_NONE;
		g.source = p->packet;
	} else if (p->delivery || p->held) {
		g.delivery = p->delivery;
		g.held = p->held;
		g.state = KERNEL_BLOCKED;
		g.source = p->packet;
	} else if (p->is_kernels) {
		g.state = KERNEL_INTERRUPTED;
		g.by_cause = KERNEL_SOFTIRQ;
	}
	return g;
}

/* From one segment to the next, which is of another task. */
static struct path_link link_of(
	const struct path *path, const struct path_segment *a, const struct path_segment *b)
{
	const struct kernel_bridge *p =
		b->in_flight ? kernel_bridge_at(path->world, b->source) : NULL;
	struct path_link l = { .from_host = a->host,
		.from_task = a->task,
		.to_host = b->host,
		.to_task = b->task,
		.from_time = a->end,
		.to_time = b->begin,
		.kind = PATH_LINK_WAIT,
		.packet = KERNEL_NONE };
	if (p && (a->depth != b->depth || a->task == KERNEL_NONE) && p->from.host == a->host &&
		p->to.host == b->host) {
		l.kind = PATH_LINK_NETWORK;
		l.packet = b->source;
		l.to_time = b->end;
	} else if (a->host == b->host && b->depth >= a->depth) {
		l.kind = PATH_LINK_WAKE;
	}
	return l;
}

static int add_link(struct path *path, struct path_link l, struct mer_err *err)
{
	if (!mer_grow(&path->links, path->n_links, &path->cap_links, sizeof(*path->links)))
		return mer_fail_nomem(err);
	path->links[path->n_links++] = l;
	return 0;
}

static int add_segment(struct path *path, struct path_segment s, struct mer_err *err)
{
	if (!mer_grow(&path->segments, path->n_segments, &path->cap_segments,
		    sizeof(*path->segments)))
		return mer_fail_nomem(err);
	path->segments[path->n_segments++] = s;
	return 0;
}

/* The same, and how the path comes to it. */
static int add_next(struct path *path, struct path_segment s, struct mer_err *err)
{
	const struct path_segment *last =
		path->n_segments ? &path->segments[path->n_segments - 1] : NULL;
	int rc = last && (last->host != s.host || last->task != s.task)
			 ? add_link(path, link_of(path, last, &s), err)
			 : 0;
	return rc ? rc : add_segment(path, s, err);
}

int requests_path(
	struct requests_parts_finder *f, uint32_t exchange, struct path *path, struct mer_err *err)
{
	const struct requests *r = requests_of_finder(f);
	const struct requests_exchange *x = &r->exchanges[exchange];
	bool is_own = requests_is_own(r, exchange);
	/* All there is of it is the server's, then. */
	bool is_served = !is_own && x->client_task == KERNEL_NONE;
	const struct requests_end *of =
		&requests_connection_of(r, exchange)
			 ->ends[is_served ? REQUESTS_SERVER : REQUESTS_CLIENT];
	struct requests_parts parts = { 0 };
	*path = (struct path){ .world = r->w,
		.host = of->host,
		.task = is_served ? x->server_task : x->client_task,
		.begin = x->begin,
		.end = x->end };
	if ((is_own ? x->server_task : path->task) == KERNEL_NONE)
		return mer_fail(err, MER_ERR_USAGE,
			is_own ? "which task ended this request was not recorded, so there is no path of its task"
			       : "which tasks sent and answered this request was not recorded, so there is no path of them");
	if (is_own)
		return requests_own_path(f, r, exchange, path, err);
	int rc = requests_parts_find_each(f, exchange, &parts, err);
	for (size_t i = 0; rc == 0 && i < parts.n; i++) {
		struct path_segment s = segment_of(r, &parts.item[i]);
		s.depth -= is_served && s.depth > 0;
		path->n_unresolved_remote +=
			parts.item[i].is_kernels && s.cause == PATH_NETWORK && !s.in_flight;
		rc = add_next(path, s, err);
	}
	requests_parts_fini(&parts);
	if (rc == 0)
		rc = path_cut_by_states(path, err);
	if (rc == 0)
		path_sum(path);
	return rc;
}
