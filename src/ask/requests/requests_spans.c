#include "ask/requests/requests_spans.h"

#include "base/sort.h"

static bool has_span(const struct requests *r, uint32_t i, enum requests_side side)
{
	const struct requests_exchange *x = &r->exchanges[i];
	if (requests_connection_of(r, i)->ends[side].socket == KERNEL_NONE)
		return false;
	/* Between any two events: there are no sides. */
	if (requests_is_own(r, i))
		return side == REQUESTS_SERVER;
	return side == REQUESTS_CLIENT ||
	       (x->read != REQUESTS_NO_TIME && x->done != REQUESTS_NO_TIME && x->read <= x->done);
}

static int64_t within(int64_t t, int64_t begin, int64_t end)
{
	return t < begin ? begin : t > end ? end : t;
}

int64_t ask_requests_begin_at(const struct requests_exchange *x, enum requests_side side)
{
	return side == REQUESTS_CLIENT ? x->begin : within(x->read, x->begin, x->end);
}

int64_t ask_requests_end_at(const struct requests_exchange *x, enum requests_side side)
{
	return side == REQUESTS_CLIENT ? x->end
				       : within(x->done, ask_requests_begin_at(x, side), x->end);
}

static int by_process(const void *a, const void *b)
{
	const struct ask_requests_span *p = a, *q = b;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (p->process != q->process)
		return p->process < q->process ? -1 : 1;
	return 0;
}

static bool find_spans(struct ask_requests_spans *s)
{
	const struct ask_requests *c = s->c;
	const struct requests *r = c->r;
	s->item = mer_spill_array(r->w->spill, 2 * (size_t)c->n + 1, sizeof(*s->item));
	for (uint32_t k = 0; s->item && k < c->n; k++) {
		uint32_t i = c->which[k];
		for (uint32_t side = 0; side < REQUESTS_N_SIDES; side++) {
			if (!has_span(r, i, side))
				continue;
			uint32_t host = requests_connection_of(r, i)->ends[side].host;
			uint32_t task = ask_requests_task_at(&r->exchanges[i], side);
			s->has[i] |= (uint8_t)(1U << side);
			s->item[s->n++] = (struct ask_requests_span){ host,
				task == KERNEL_NONE ? task : c->kinds->process_of[host][task], i,
				side };
		}
	}
	return s->item && mer_sort(r->w->spill, s->item, s->n, sizeof(*s->item), by_process);
}

/* Damaged traces may have requests in a circle: one of them is the root then. */
static void find_roots(struct ask_requests_spans *s)
{
	enum { OPEN = KERNEL_NONE - 1 };
	const struct requests *r = s->c->r;
	for (uint32_t i = 0; i < r->n; i++)
		s->root[i] = KERNEL_NONE;
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t at = i, root;
		while (s->root[at] == KERNEL_NONE && r->exchanges[at].parent) {
			s->root[at] = OPEN;
			at = r->exchanges[at].parent - 1;
		}
		if (s->root[at] == KERNEL_NONE)
			s->root[at] = at;
		root = s->root[at] == OPEN ? at : s->root[at];
		for (at = i; s->root[at] == OPEN; at = r->exchanges[at].parent - 1)
			s->root[at] = root;
	}
}

int ask_requests_spans_find(const struct ask_requests *c, struct ask_requests_spans *s)
{
	*s = (struct ask_requests_spans){ .c = c };
	s->has = mer_spill_array(c->r->w->spill, (size_t)c->r->n + 1, sizeof(*s->has));
	s->root = mer_spill_array(c->r->w->spill, (size_t)c->r->n + 1, sizeof(*s->root));
	if (!s->has || !s->root || !find_spans(s))
		return mer_fail_nomem(&c->ask->err);
	find_roots(s);
	return 0;
}

void ask_requests_spans_fini(struct ask_requests_spans *s)
{
	mer_spill_release(s->item);
	mer_spill_release(s->has);
	mer_spill_release(s->root);
}

bool ask_requests_span_above(const struct ask_requests_spans *s, uint32_t exchange,
	enum requests_side side, struct ask_requests_span *above)
{
	uint32_t parent = s->root[exchange] == exchange ? 0 : s->c->r->exchanges[exchange].parent;
	if (side == REQUESTS_SERVER && s->has[exchange] & (1U << REQUESTS_CLIENT)) {
		*above =
			(struct ask_requests_span){ .exchange = exchange, .side = REQUESTS_CLIENT };
		return true;
	}
	if (!parent || !s->has[parent - 1])
		return false;
	*above = (struct ask_requests_span){ .exchange = parent - 1,
		.side = s->has[parent - 1] & (1U << REQUESTS_SERVER) ? REQUESTS_SERVER
								     : REQUESTS_CLIENT };
	return true;
}
