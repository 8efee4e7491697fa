/* All hosts in parallel, then the arrows between them, then the notes. */
#include "views/states.h"

#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/sort.h"
#include "trace/files.h"
#include "views/run.h"
#include "views/tell.h"

struct finder {
	struct mer_experiment *e;
	struct view_reading reading;
	struct view_states *states;
	const struct view_options *o;
	struct mer_diags *found;
};

static bool is_fed(const struct finder *f, uint32_t host)
{
	for (uint32_t t = 0; t < f->e->n_traces; t++)
		if (f->e->traces[t].host == host && f->reading.is_fed[t])
			return true;
	return false;
}

static int read_events(struct finder *f, struct run *x, struct mer_cursor *c)
{
	uint64_t seen = 0;
	int rc = 0;
	while (rc == 0) {
		const struct mer_event *ev;
		size_t n;
		if (mer_cancelled(f->o->cancel))
			return mer_fail(x->err, MER_ERR_CANCELLED, "cancelled");
		rc = mer_cursor_next(c, &ev, &n, x->err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n && rc == 0; i++)
			rc = run_event(x, c, &ev[i]);
		uint64_t bytes = trace_cursor_bytes(c);
		if (f->o->done_bytes && bytes > seen)
			atomic_fetch_add_explicit(
				f->o->done_bytes, bytes - seen, memory_order_relaxed);
		seen = bytes;
	}
	return rc;
}

/* Makes the pieces of each lane consecutive, so that binary search can find one by time. */
static bool gather_pieces(struct mer_spill *spill, struct view_host *h)
{
	uint32_t *next = calloc((size_t)h->n_lanes + 1, sizeof(*next));
	struct view_piece *pieces =
		mer_spill_array(spill, (size_t)h->n_pieces + 1, sizeof(*pieces));
	if (!next || !pieces) {
		free(next);
		mer_spill_release(pieces);
		return false;
	}
	for (uint32_t l = 0, at = 0; l < h->n_lanes; at += h->lanes[l++].n)
		next[l] = h->lanes[l].first = at;
	for (uint32_t i = 0; i < h->n_pieces; i++)
		pieces[next[h->pieces[i].lane]++] = h->pieces[i];
	free(next);
	mer_spill_release(h->pieces);
	h->pieces = pieces;
	return true;
}

static int read_host(void *ctx, size_t host, unsigned worker, struct mer_err *err)
{
	struct finder *f = ctx;
	struct view_host *h = &f->states->hosts[host];
	struct mer_cursor *c;
	struct run x;
	(void)worker;
	h->begin = h->end = MER_NO_TIME;
	if (!is_fed(f, (uint32_t)host))
		return 0;
	int rc = run_init(&x, f->e, &f->reading, (uint32_t)host, h, err);
	if (rc == 0)
		rc = trace_cursor_of_host(f->e, f->reading.reading, (uint32_t)host, &c, err);
	if (rc == 0) {
		rc = read_events(f, &x, c);
		trace_cursor_free_to(c, &f->found[host]);
	}
	if (rc == 0)
		rc = run_end(&x);
	if (rc == 0)
		mer_diags_merge_new(&f->found[host], &x.notes);
	run_fini(&x);
	if (rc == 0 && !gather_pieces(f->e->spill, h))
		rc = mer_fail_nomem(err);
	return rc;
}

/* ---- arrows ---- */

static int compare_ends(const void *a, const void *b)
{
	const struct view_end *p = a, *q = b;
	if (p->view != q->view)
		return p->view < q->view ? -1 : 1;
	if (p->arrow != q->arrow)
		return p->arrow < q->arrow ? -1 : 1;
	for (int i = 0; i < 2; i++)
		if (p->key[i] != q->key[i])
			return p->key[i] < q->key[i] ? -1 : 1;
	if (p->is_send != q->is_send)
		return p->is_send ? -1 : 1;
	return (p->time > q->time) - (p->time < q->time);
}

static int compare_links(const void *a, const void *b)
{
	const struct view_link *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->end > q->end) - (p->end < q->end);
}

static bool same_key(const struct view_end *p, const struct view_end *q)
{
	return p->view == q->view && p->arrow == q->arrow && p->key[0] == q->key[0] &&
	       p->key[1] == q->key[1];
}

/* The n-th sent end belongs to the n-th received end; if arrows need not be in order, a key may
 * occur only once. */
static int link_ends(
	struct finder *f, const struct view_end *ends, size_t n, uint32_t *cap, struct mer_err *err)
{
	struct view_states *s = f->states;
	for (size_t i = 0, to; i < n; i = to) {
		size_t sent = 0, got = 0;
		for (to = i; to < n && same_key(&ends[i], &ends[to]); to++)
			*(ends[to].is_send ? &sent : &got) += 1;
		size_t both = sent < got ? sent : got;
		if (!s->views[ends[i].view]->arrows[ends[i].arrow].is_ordered &&
			(sent > 1 || got > 1)) {
			s->doubts.n_again += sent + got;
			continue;
		}
		s->doubts.n_unreceived += sent - both;
		s->doubts.n_unsent += got - both;
		for (size_t k = 0; k < both; k++) {
			const struct view_end *p = &ends[i + k], *q = &ends[i + sent + k];
			if (!mer_spill_grow32(
				    f->e->spill, &s->links, s->n_links, cap, sizeof(*s->links)))
				return mer_fail_nomem(err);
			s->links[s->n_links++] = (struct view_link){ p->time, q->time, p->host,
				p->row, q->host, q->row, p->view, p->arrow };
		}
	}
	return 0;
}

static int find_links(struct finder *f, struct mer_err *err)
{
	struct view_states *s = f->states;
	size_t n = 0;
	uint32_t cap = 0;
	for (uint32_t h = 0; h < s->n_hosts; h++)
		n += s->hosts[h].n_ends;
	if (n == 0)
		return 0;
	struct view_end *ends = mer_spill_array(f->e->spill, n, sizeof(*ends));
	if (!ends)
		return mer_fail_nomem(err);
	n = 0;
	for (uint32_t h = 0; h < s->n_hosts; h++) {
		if (s->hosts[h].n_ends)
			memcpy(&ends[n], s->hosts[h].ends, s->hosts[h].n_ends * sizeof(*ends));
		n += s->hosts[h].n_ends;
		mer_spill_release(s->hosts[h].ends);
		s->hosts[h].ends = NULL;
		s->hosts[h].n_ends = 0;
	}
	int rc = mer_sort(f->e->spill, ends, n, sizeof(*ends), compare_ends)
			 ? link_ends(f, ends, n, &cap, err)
			 : mer_fail_nomem(err);
	mer_spill_release(ends);
	if (rc == 0 && s->n_links &&
		!mer_sort(f->e->spill, s->links, s->n_links, sizeof(*s->links), compare_links))
		rc = mer_fail_nomem(err);
	return rc;
}

/* ---- all of it ---- */

static void add_doubts(struct view_doubts *to, const struct view_doubts *from)
{
	to->n_unbegun += from->n_unbegun;
	to->n_unended += from->n_unended;
	to->n_keyless += from->n_keyless;
	to->n_unnamed += from->n_unnamed;
	to->n_unlabelled += from->n_unlabelled;
	to->n_deep += from->n_deep;
	to->n_lost += from->n_lost;
	to->n_untaken += from->n_untaken;
	to->n_replaced += from->n_replaced;
	to->n_again += from->n_again;
}

static int begin(struct finder *f, const struct view *const *views, uint32_t n, struct mer_err *err)
{
	struct view_states *s = f->states;
	s->views = views;
	s->n_views = n;
	s->n_hosts = f->e->n_hosts;
	s->hosts = calloc((size_t)s->n_hosts + 1, sizeof(*s->hosts));
	f->found = calloc((size_t)s->n_hosts + 1, sizeof(*f->found));
	if (!s->hosts || !f->found)
		return mer_fail_nomem(err);
	for (uint32_t h = 0; h < s->n_hosts; h++) {
		mer_arena_init(&s->hosts[h].arena);
		mer_intern_init(&s->hosts[h].words, &s->hosts[h].arena);
		s->hosts[h].name = f->e->hosts[h].name;
		s->hosts[h].of = s;
	}
	int rc = view_reading_init(&f->reading, f->e, views, n, err);
	for (uint32_t h = 0; h < s->n_hosts; h++)
		mer_diags_init(&f->found[h], &s->hosts[h].arena);
	return rc;
}

int view_states_find(struct mer_experiment *e, const struct view *const *views, uint32_t n,
	const struct view_options *o, struct view_states **states, struct mer_err *err)
{
	struct finder f = { .e = e, .o = o };
	*states = f.states = calloc(1, sizeof(**states));
	if (!f.states)
		return mer_fail_nomem(err);
	if (n > VIEW_MAX_FILES)
		return mer_fail(err, MER_ERR_USAGE, "more than %d views", VIEW_MAX_FILES);
	int rc = begin(&f, views, n, err);
	if (rc == 0)
		rc = mer_pool_run(o->n_threads, e->n_hosts, read_host, &f, o->cancel, err);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts; h++) {
		mer_diags_merge_new(&e->diags, &f.found[h]);
		add_doubts(&f.states->doubts, &f.states->hosts[h].doubts);
	}
	if (rc == 0)
		rc = find_links(&f, err);
	if (rc == 0)
		view_tell(e, &f.reading, f.states);
	for (uint32_t h = 0; f.found && h < e->n_hosts; h++)
		mer_diags_fini(&f.found[h]);
	free(f.found);
	view_reading_fini(&f.reading);
	return rc;
}

void view_states_free(struct view_states *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->hosts && i < s->n_hosts; i++) {
		struct view_host *h = &s->hosts[i];
		mer_spill_release(h->states);
		mer_spill_release(h->pieces);
		mer_spill_release(h->samples);
		mer_spill_release(h->marks);
		mer_spill_release(h->ends);
		free(h->rows);
		free(h->lanes);
		free(h->counts);
		mer_map_fini(&h->lane_of);
		mer_intern_fini(&h->words);
		mer_arena_fini(&h->arena);
	}
	mer_spill_release(s->links);
	free(s->hosts);
	free(s);
}

/* ---- the innermost state of a thread ---- */

void view_walk_begin(struct view_walk *w, const struct view_host *h, int32_t tid)
{
	w->n = h ? h->of->n_views : 0;
	for (uint32_t v = 0; v < w->n; v++) {
		const uint32_t *lane =
			tid < 0 ? NULL
				: mer_map_get(&h->lane_of, (uint64_t)v << 32 | (uint32_t)tid);
		w->lane[v] = lane && *lane ? *lane - 1 : VIEW_NONE;
		w->at[v] = lane && *lane ? h->lanes[*lane - 1].first : VIEW_NONE;
	}
}

/* The number of the first piece of the lane that ends after t, searched from `at` on in steps that
 * double; first + n: there is none. */
static uint32_t piece_after(
	const struct view_host *h, const struct view_lane *l, uint32_t at, int64_t t)
{
	const struct view_piece *p = h->pieces;
	uint32_t low = at, high = l->first + l->n;
	if (at > l->first && p[at - 1].end > t) { /* it is before `at` */
		low = l->first;
		high = at - 1;
	}
	for (uint64_t step = 1; low == at && step <= high - low; step *= 2) {
		if (p[low + step - 1].end > t)
			high = low + (uint32_t)step - 1;
		else
			at = low += (uint32_t)step;
	}
	MER_LOWER_BOUND(first, low, high, i, p[i].end <= t);
	return (uint32_t)first;
}

int64_t view_walk_next(
	struct view_walk *w, const struct view_host *h, int64_t begin, int64_t end, uint32_t *state)
{
	*state = VIEW_NONE;
	for (uint32_t v = 0; v < w->n; v++) {
		if (w->lane[v] == VIEW_NONE)
			continue;
		const struct view_lane *l = &h->lanes[w->lane[v]];
		w->at[v] = piece_after(h, l, w->at[v], begin);
		if (w->at[v] == l->first + l->n)
			continue;
		const struct view_piece *p = &h->pieces[w->at[v]];
		if (p->begin > begin) {
			end = p->begin < end ? p->begin : end;
			continue;
		}
		end = p->end < end ? p->end : end;
		if (*state == VIEW_NONE || h->states[p->state].begin > h->states[*state].begin)
			*state = p->state;
	}
	return end;
}
