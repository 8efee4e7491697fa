#include "views/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/safe_text.h"

static int no_memory(struct run *x)
{
	return mer_fail_nomem(x->err);
}

/* ---- pieces: the innermost state of a lane at each time ---- */

static int add_piece(struct run *x, uint32_t lane, uint32_t state, int64_t begin, int64_t end)
{
	struct view_host *h = x->h;
	struct run_lane *l = &x->lanes[lane];
	if (end <= begin)
		return 0;
	h->states[state].own_ns += end - begin;
	struct view_piece *last = l->piece ? &h->pieces[l->piece - 1] : NULL;
	if (last && last->state == state && last->end == begin) {
		last->end = end;
		return 0;
	}
	if (!mer_spill_grow32(
		    x->e->spill, &h->pieces, h->n_pieces, &x->cap_pieces, sizeof(*h->pieces)))
		return no_memory(x);
	h->pieces[h->n_pieces++] = (struct view_piece){ begin, end, state, lane };
	h->lanes[lane].n++;
	l->piece = h->n_pieces;
	return 0;
}

/* Ends the piece of the innermost state at t. */
static int cut_lane(struct run *x, uint32_t lane, int64_t t)
{
	struct run_lane *l = &x->lanes[lane];
	int rc = l->n ? add_piece(x, lane, l->stack[l->n - 1], l->since, t) : 0;
	if (t > l->since || !l->n)
		l->since = t;
	return rc;
}

static int new_lane(struct run *x, uint32_t view, uint32_t row, int32_t tid, uint32_t *lane)
{
	struct view_host *h = x->h;
	struct view_lane *l = mer_grow_at(&h->lanes, &x->cap_h_lanes, h->n_lanes, sizeof(*l));
	if (!l || !mer_grow_at(&x->lanes, &x->cap_lanes, h->n_lanes, sizeof(*x->lanes)))
		return no_memory(x);
	*l = (struct view_lane){ .view = view, .row = row, .tid = tid };
	*lane = h->n_lanes++;
	return 0;
}

/* The lane of the thread; for states that belong to no thread, that of the row. */
static int lane_of(struct run *x, uint32_t row, int32_t tid, uint32_t *lane)
{
	const struct view_row_of *of = &x->h->rows[row];
	struct run_row *r = &x->rows[row];
	int rc = 0;
	if (tid < 0 || x->r->views[of->view]->rows[of->row].is_async) {
		if (r->lane == VIEW_NONE)
			rc = new_lane(x, of->view, row, -1, &r->lane);
		*lane = r->lane;
		return rc;
	}
	if (r->thread_lane && r->thread == tid) {
		*lane = r->thread_lane - 1;
		return 0;
	}
	uint32_t *at = mer_map_put(&x->h->lane_of, (uint64_t)of->view << 32 | (uint32_t)tid);
	if (!at)
		return no_memory(x);
	*lane = *at - 1;
	if (!*at)
		rc = new_lane(x, of->view, VIEW_NONE, tid, lane);
	if (rc)
		return rc;
	*at = *lane + 1;
	r->thread_lane = *lane + 1;
	r->thread = tid;
	return 0;
}

static bool push(uint32_t **stack, uint32_t *n, uint32_t *cap, uint32_t state)
{
	if (!mer_grow32(stack, *n, cap, sizeof(**stack)))
		return false;
	(*stack)[(*n)++] = state;
	return true;
}

static void take_out(uint32_t *stack, uint32_t *n, uint32_t state)
{
	for (uint32_t i = *n; i-- > 0;)
		if (stack[i] == state) {
			memmove(&stack[i], &stack[i + 1], (*n - i - 1) * sizeof(*stack));
			--*n;
			return;
		}
}

/* ---- states ---- */

struct place { /* of an event */
	int64_t ts;
	int32_t tid;
	uint32_t row;
};

static int list_active(struct run *x, uint32_t row)
{
	if (x->rows[row].is_active)
		return 0;
	uint32_t *at = mer_grow_at(&x->active, &x->cap_active, x->n_active, sizeof(*at));
	if (!at)
		return no_memory(x);
	*at = row;
	x->n_active++;
	x->rows[row].is_active = true;
	return 0;
}

static int add_state(struct run *x, const struct place *p, uint32_t word, uint32_t colour,
	int64_t begin, uint8_t how, uint32_t *state)
{
	struct view_host *h = x->h;
	struct run_row *r = &x->rows[p->row];
	if (h->n_states >= MER_GROW32_MOST)
		return mer_fail(x->err, MER_ERR_LIMIT, "more than %u states on host %s",
			(unsigned)MER_GROW32_MOST, h->name);
	if (!mer_spill_grow32(
		    x->e->spill, &h->states, h->n_states, &x->cap_states, sizeof(*h->states)))
		return no_memory(x);
	*state = h->n_states++;
	h->states[*state] = (struct view_state){ .begin = begin,
		.end = begin,
		.row = p->row,
		.word = word,
		.lane = VIEW_NONE,
		.within = r->n ? r->stack[r->n - 1] : VIEW_NONE,
		.depth = (uint16_t)r->n,
		.how = how,
		.is_open = true,
		.tid = p->tid,
		.colour = colour };
	h->rows[p->row].n_states++;
	r->is_known = true;
	return lane_of(x, p->row, p->tid, &h->states[*state].lane);
}

static uint32_t colour_of(struct run *x, uint32_t row, const struct view_rule *rule, uint32_t word)
{
	uint32_t view = x->h->rows[row].view;
	struct run_colour *at = &x->colours[word % VIEW_CACHE];
	if (rule->colour)
		return rule->colour - 1;
	if (at->word != word + 1 || at->view != view)
		*at = (struct run_colour){ view, word + 1,
			view_colour_of(x->r->views[view], view_word(x->h, word)) };
	return at->colour;
}

static int begin_state(
	struct run *x, const struct place *p, const struct view_rule *rule, uint32_t word)
{
	struct run_row *r = &x->rows[p->row];
	uint32_t state = 0;
	if (r->n == VIEW_MAX_DEPTH) {
		r->too_deep++;
		x->h->doubts.n_deep++;
		return 0;
	}
	int rc = add_state(x, p, word, colour_of(x, p->row, rule, word), p->ts, 0, &state);
	if (rc == 0)
		rc = list_active(x, p->row);
	if (rc)
		return rc;
	uint32_t lane = x->h->states[state].lane;
	rc = cut_lane(x, lane, p->ts);
	if (rc)
		return rc;
	struct run_lane *l = &x->lanes[lane];
	if (!push(&r->stack, &r->n, &r->cap, state) || !push(&l->stack, &l->n, &l->cap, state))
		return no_memory(x);
	return 0;
}

/* The caller removes it from the row. */
static int end_state(struct run *x, uint32_t state, int64_t t, unsigned how)
{
	struct view_state *s = &x->h->states[state];
	struct run_lane *l = &x->lanes[s->lane];
	int rc = l->n && l->stack[l->n - 1] == state ? cut_lane(x, s->lane, t) : 0;
	take_out(l->stack, &l->n, state);
	s->end = t > s->begin ? t : s->begin;
	s->how |= (uint8_t)how;
	s->is_open = false;
	return rc;
}

/* Ends the innermost states until n are left. */
static int end_down_to(struct run *x, struct run_row *r, uint32_t n, int64_t t, unsigned how)
{
	int rc = 0;
	while (r->n > n && rc == 0)
		rc = end_state(x, r->stack[--r->n], t, how);
	return rc;
}

/* An end event of a state that was open when the recording began. */
static int end_unbegun(
	struct run *x, const struct place *p, const struct view_rule *rule, uint32_t word)
{
	struct run_row *r = &x->rows[p->row];
	const struct run_trace *t = &x->traces[r->trace];
	uint32_t state = 0;
	if (word == VIEW_NONE || r->is_known || t->known >= p->ts) {
		x->h->doubts.n_unbegun++;
		return 0;
	}
	unsigned how = VIEW_NO_BEGIN | (t->has_lost ? VIEW_LOST : 0);
	int rc = add_state(
		x, p, word, colour_of(x, p->row, rule, word), t->known, (uint8_t)how, &state);
	if (rc)
		return rc;
	struct view_state *s = &x->h->states[state];
	s->end = p->ts;
	s->is_open = false;
	/* It gets the thread's time that no other state has had since it began. */
	struct run_lane *l = &x->lanes[s->lane];
	int64_t since = l->since > s->begin ? l->since : s->begin;
	if (!l->n)
		rc = add_piece(x, s->lane, state, since, p->ts);
	if (!l->n)
		l->since = p->ts;
	return rc;
}

static int end_by(struct run *x, const struct place *p, const struct view_rule *rule, uint32_t word)
{
	struct run_row *r = &x->rows[p->row];
	uint32_t i = r->n;
	if (r->too_deep) {
		r->too_deep--;
		return 0;
	}
	if (rule->text.n)
		while (i > 0 && x->h->states[r->stack[i - 1]].word != word)
			i--;
	if (i == 0)
		return end_unbegun(x, p, rule, word);
	x->h->doubts.n_unended += r->n - i;
	int rc = end_down_to(x, r, i, p->ts, VIEW_LEFT);
	return rc ? rc : end_down_to(x, r, i - 1, p->ts, 0);
}

static int set_state(
	struct run *x, const struct place *p, const struct view_rule *rule, uint32_t word)
{
	struct run_row *r = &x->rows[p->row];
	uint32_t top = r->n ? r->stack[r->n - 1] : VIEW_NONE;
	if (top != VIEW_NONE && x->h->states[top].word == word && x->h->states[top].tid == p->tid)
		return 0;
	/* A state that is replaced at the instant when it began is dropped. */
	struct view_state *s = top != VIEW_NONE && r->n == 1 ? &x->h->states[top] : NULL;
	if (s && s->begin == p->ts && s->tid == p->tid && !s->is_again) {
		s->word = word;
		s->colour = colour_of(x, p->row, rule, word);
		return 0;
	}
	int rc = top != VIEW_NONE ? end_down_to(x, r, r->n - 1, p->ts, 0) : 0;
	return rc ? rc : begin_state(x, p, rule, word);
}

/* Sets the states of the row to those of a stack. Outer states that are the same as before
 * continue. */
static int set_stack(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b, const struct place *p)
{
	struct run_row *r = &x->rows[p->row];
	uint32_t same = 0;
	int rc = 0;
	if (!run_frames(x, c, ev, &b->text, x->caches[b->number], &rc)) {
		x->h->doubts.n_unnamed += rc == 0;
		return rc;
	}
	size_t n = x->n_frames; /* the outermost one comes last */
	while (same < n && same < r->n &&
		x->h->states[r->stack[same]].word == x->frames[n - 1 - same])
		same++;
	rc = end_down_to(x, r, same, p->ts, 0);
	for (size_t i = same; i < n && i < VIEW_MAX_DEPTH && rc == 0; i++)
		rc = begin_state(x, p, b->rule, x->frames[n - 1 - i]);
	x->h->doubts.n_deep += n > VIEW_MAX_DEPTH ? n - VIEW_MAX_DEPTH : 0;
	return rc;
}

/* ---- marks, arrows, names ---- */

static int add_mark(struct run *x, const struct place *p, uint32_t word)
{
	struct view_host *h = x->h;
	if (!mer_spill_grow32(x->e->spill, &h->marks, h->n_marks, &x->cap_marks, sizeof(*h->marks)))
		return no_memory(x);
	h->marks[h->n_marks++] = (struct view_mark){ p->ts, p->row, word, p->tid };
	return 0;
}

static int add_end(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b, const struct place *p)
{
	static const char salt[] = "the other half of the key";
	struct view_host *h = x->h;
	const struct view_rule *rule = b->rule;
	mer_str_clear(&x->key);
	if (!b->has_by || !run_put_fields(x, c, ev, b->by, rule->n_by)) {
		h->doubts.n_keyless++;
		return 0;
	}
	/* Ordered arrows are matched by counting equal keys, which is not possible after a loss. */
	if (x->traces[x->rows[p->row].trace].has_lost &&
		x->r->views[b->view]->arrows[rule->arrow].is_ordered) {
		h->doubts.n_again++;
		return 0;
	}
	if (!mer_spill_grow32(x->e->spill, &h->ends, h->n_ends, &x->cap_ends, sizeof(*h->ends)))
		return no_memory(x);
	struct view_end *end = &h->ends[h->n_ends++];
	*end = (struct view_end){ .time = p->ts,
		.row = p->row,
		.view = b->view,
		.arrow = rule->arrow,
		.host = x->host,
		.is_send = rule->verb == VIEW_SEND };
	end->key[0] = mer_hash(x->key.data, x->key.len);
	mer_str_add(&x->key, salt, sizeof(salt));
	end->key[1] = mer_hash(x->key.data, x->key.len);
	return x->key.failed ? no_memory(x) : 0;
}

static int add_name(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b)
{
	int rc = 0;
	uint32_t word = run_word(x, c, ev, &b->text, b->view, NULL, &rc);
	mer_str_clear(&x->key);
	if (rc)
		return rc;
	if (word == VIEW_NONE || !b->has_key || !run_put_fields(x, c, ev, b->key, b->rule->n_key)) {
		x->h->doubts.n_keyless++;
		return 0;
	}
	uint32_t *at = mer_map_put(&x->names, run_name_key(x, b->view, b->rule->row));
	if (!at)
		return no_memory(x);
	*at = word + 1;
	return 0;
}

/* ---- changes by analyses in XML ---- */

int run_xml_state(struct run *x, const struct run_change *to, const char *text, uint32_t colour)
{
	struct run_row *r = &x->rows[to->row];
	const struct view_rule rule = { .verb = VIEW_SET, .colour = colour };
	const struct place p = { .ts = to->t, .tid = to->tid, .row = to->row };
	uint32_t word = VIEW_NONE;
	int rc = text ? run_intern(x, text, &word) : 0;
	r->trace = to->trace;
	if (rc == 0 && to->is_update && r->n && text) {
		struct view_state *now = &x->h->states[r->stack[r->n - 1]];
		now->word = word;
		now->colour = colour_of(x, to->row, &rule, word);
		return 0;
	}
	if (rc || !text)
		return rc ? rc : end_down_to(x, r, 0, to->t, 0);
	rc = set_state(x, &p, &rule, word);
	r = &x->rows[to->row];
	const struct run_row *around = to->around == VIEW_NONE ? NULL : &x->rows[to->around];
	if (rc == 0 && r->n && around && around->n)
		x->h->states[r->stack[r->n - 1]].within = around->stack[around->n - 1];
	return rc;
}

int run_xml_sample(struct run *x, const struct run_change *to, int64_t value)
{
	return run_add_sample(x, to->row, to->t, value);
}

/* Finds a lane of the row that is free from the begin of the segment on: segments may overlap, and
 * each is shown for all of its time. If very many overlap, some are shown only where the others
 * leave time. */
static int free_lane(struct run *x, struct view_state *s)
{
	enum { MOST = 1000 };
	uint32_t lane = s->lane, n = 1, added = 0;
	for (; x->lanes[lane].since > s->begin && n < MOST; n++) {
		if (!x->lanes[lane].next) {
			int rc = new_lane(x, x->h->lanes[lane].view, s->row, -1, &added);
			if (rc)
				return rc;
			x->lanes[added].since = s->begin;
			x->lanes[lane].next = added + 1;
		}
		lane = x->lanes[lane].next - 1;
	}
	s->lane = lane;
	return 0;
}

int run_xml_segment(
	struct run *x, uint32_t view, const struct run_change *to, int64_t end, const char *name)
{
	const struct view_rule rule = { .verb = VIEW_BEGIN };
	uint32_t head[2] = { view, VIEW_XML_SEGMENTS }, word, state = 0;
	char bytes[sizeof(head)];
	struct place p = { .ts = to->t, .tid = to->tid };
	memcpy(bytes, head, sizeof(head));
	mer_str_clear(&x->key);
	mer_str_add(&x->key, bytes, sizeof(bytes));
	mer_str_puts(&x->key, name);
	uint32_t key =
		x->key.failed ? MER_INTERN_NONE : mer_intern_add(&x->keys, x->key.data, x->key.len);
	uint32_t *at = key == MER_INTERN_NONE
			       ? NULL
			       : mer_grow_at(&x->row_of, &x->cap_row_of, key, sizeof(*at));
	int rc = at ? run_intern(x, name, &word) : no_memory(x);
	if (rc == 0 && !*at) {
		rc = run_add_row(x, view, VIEW_XML_SEGMENTS, name, "segments", to->tid, &p.row);
		if (rc == 0)
			x->row_of[key] = p.row + 1;
	}
	if (rc)
		return rc;
	p.row = x->row_of[key] - 1;
	rc = add_state(x, &p, word, colour_of(x, p.row, &rule, word), to->t, 0, &state);
	if (rc)
		return rc;
	struct view_state *s = &x->h->states[state];
	s->end = end > to->t ? end : to->t;
	s->is_open = false;
	rc = free_lane(x, s);
	if (rc)
		return rc;
	struct run_lane *l = &x->lanes[s->lane];
	int64_t since = l->since > s->begin ? l->since : s->begin;
	rc = add_piece(x, s->lane, state, since, s->end);
	if (s->end > l->since)
		l->since = s->end;
	return rc;
}

/* ---- losses and ends of threads ---- */

static int close_rows(struct run *x, uint32_t trace, int64_t t)
{
	size_t kept = 0;
	int rc = 0;
	for (size_t i = 0; i < x->n_active && rc == 0; i++) {
		uint32_t row = x->active[i];
		struct run_row *r = &x->rows[row];
		if (r->trace == trace && r->n) {
			x->h->doubts.n_lost += r->n;
			rc = end_down_to(x, r, 0, t, VIEW_LOST | VIEW_NO_END);
		}
		if (r->n)
			x->active[kept++] = row;
		else
			r->is_active = false;
	}
	if (rc == 0)
		x->n_active = kept;
	return rc;
}

static int lose(struct run *x, uint32_t trace, int64_t t)
{
	struct run_trace *tr = &x->traces[trace];
	int rc = close_rows(x, trace, t);
	tr->epoch++;
	tr->has_lost = true;
	tr->known = t;
	return rc;
}

/* Closes what is open at each edge of a loss before t, in time order. Events between the two edges
 * are used: they lie in the middle of a packet, where nothing is missing, because tracers discard
 * events when a packet is full, after its last event (kernel/losses.c). */
static int pass_losses(struct run *x, int64_t t)
{
	int rc = 0;
	while (rc == 0) {
		struct run_loss *next =
			x->next_loss < x->n_losses ? &x->losses[x->next_loss] : NULL;
		size_t first = 0;
		for (size_t i = 1; i < x->n_inside; i++)
			if (x->inside[i].end < x->inside[first].end)
				first = i;
		struct run_loss *end = x->n_inside ? &x->inside[first] : NULL;
		if (end && end->end < t && (!next || end->end <= next->begin)) {
			rc = lose(x, end->trace, end->end);
			x->inside[first] = x->inside[--x->n_inside];
		} else if (next && next->begin < t) {
			rc = lose(x, next->trace, next->begin);
			x->inside[x->n_inside++] = *next;
			x->next_loss++;
		} else {
			break;
		}
	}
	return rc;
}

static int end_thread(struct run *x, int32_t tid, int64_t t)
{
	int rc = 0;
	for (uint32_t v = 0; v < x->r->n_views; v++) {
		uint32_t *at = mer_map_get(&x->h->lane_of, (uint64_t)v << 32 | (uint32_t)tid);
		if (!at || !*at)
			continue;
		while (rc == 0 && x->lanes[*at - 1].n) {
			struct run_lane *l = &x->lanes[*at - 1];
			uint32_t state = l->stack[l->n - 1];
			struct run_row *r = &x->rows[x->h->states[state].row];
			take_out(r->stack, &r->n, state);
			rc = end_state(x, state, t, VIEW_GONE | VIEW_NO_END);
		}
	}
	return rc;
}

/* ---- events ---- */

static int apply(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_class *class, const struct view_bound_rule *b, int32_t tid)
{
	const struct view_rule *rule = b->rule;
	struct place p = { .ts = ev->ts, .tid = tid };
	int64_t thread;
	if (rule->verb == VIEW_NAMES)
		return add_name(x, c, ev, b);
	if (b->has_thread && run_number(x, c, ev, &b->thread, &thread))
		p.tid = thread >= 0 && thread <= INT32_MAX ? (int32_t)thread : -1;
	int rc = run_find_row(x, c, ev, b, p.tid, &p.row);
	if (rc)
		return rc;
	if (p.row == VIEW_NONE) {
		x->h->doubts.n_keyless++;
		return 0;
	}
	struct run_row *r = &x->rows[p.row];
	if (r->trace != class->trace || r->epoch != x->traces[class->trace].epoch) {
		r->trace = class->trace;
		r->epoch = x->traces[class->trace].epoch;
		r->is_known = r->n > 0;
		r->too_deep = 0;
	}
	switch (rule->verb) {
	case VIEW_ADD:
	case VIEW_TAKE:
	case VIEW_LEVEL: return run_change_value(x, c, ev, b, p.row);
	case VIEW_SEND:
	case VIEW_RECEIVE: return add_end(x, c, ev, b, &p);
	case VIEW_STACK: return set_stack(x, c, ev, b, &p);
	case VIEW_CLEAR: return r->n ? end_down_to(x, r, r->n - 1, p.ts, 0) : 0;
	case VIEW_NAMES:
	case VIEW_BEGIN:
	case VIEW_END:
	case VIEW_SET:
	case VIEW_TOGGLE:
	case VIEW_MARK:
	case VIEW_LABEL: break;
	}
	uint32_t word = run_word(x, c, ev, &b->text, b->view, x->caches[b->number], &rc);
	if (rc)
		return rc;
	if (rule->verb == VIEW_END && (word != VIEW_NONE || !rule->text.n))
		return end_by(x, &p, rule, word);
	if (word == VIEW_NONE) {
		x->h->doubts.n_unnamed++;
		return 0;
	}
	switch (rule->verb) {
	case VIEW_BEGIN: return begin_state(x, &p, rule, word);
	case VIEW_SET: return set_state(x, &p, rule, word);
	case VIEW_MARK: return add_mark(x, &p, word);
	case VIEW_LABEL: x->h->rows[p.row].label = word; return 0;
	default: break;
	}
	bool is_on = false; /* VIEW_TOGGLE */
	for (uint32_t i = 0; i < r->n; i++)
		is_on |= x->h->states[r->stack[i]].word == word;
	return is_on ? end_by(x, &p, rule, word) : begin_state(x, &p, rule, word);
}

int run_event(struct run *x, const struct mer_cursor *c, const struct mer_event *ev)
{
	const struct view_class *class = x->r->classes[ev->plan->id];
	int32_t tid = -1;
	int64_t v;
	if (!class || ev->ts == MER_NO_TIME)
		return 0;
	int rc = x->next_loss < x->n_losses || x->n_inside ? pass_losses(x, ev->ts) : 0;
	if (rc)
		return rc;
	if (x->symbols) {
		if (!class->has_process || !run_number(x, c, ev, &class->process, &x->process))
			x->process = -1 - (int64_t) class->trace;
		if (class->binary)
			run_symbols_event(x, c, ev, class);
	}
	if (class->has_tid && run_number(x, c, ev, &class->tid, &v) && v >= 0 && v <= INT32_MAX)
		tid = (int32_t)v;
	bool fits = false;
	for (uint32_t i = 0; i < class->n && rc == 0; i++) {
		const struct view_bound_rule *b = &class->rules[i];
		if (b->filter && !trace_filter_match(b->filter, trace_cursor_context(c, ev), ev))
			continue;
		fits = true;
		struct view_count *count = &x->h->counts[b->number];
		const uint64_t left = x->h->doubts.n_keyless + x->h->doubts.n_unnamed;
		rc = apply(x, c, ev, class, b, tid);
		count->n++;
		count->n_left += x->h->doubts.n_keyless + x->h->doubts.n_unnamed != left;
	}
	if (rc == 0 && class->n_programs)
		rc = run_xml_event(x, c, ev, class, tid);
	x->h->n_events += fits || class->n_programs;
	if (rc == 0 && class->is_exit && tid >= 0)
		rc = end_thread(x, tid, ev->ts);
	return rc;
}

/* ---- begin and end ---- */

static int compare_losses(const void *a, const void *b)
{
	const struct run_loss *p = a, *q = b;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

static int find_losses(struct run *x)
{
	const struct mer_experiment *e = x->e;
	x->losses = calloc((size_t)e->n_losses + 1, sizeof(*x->losses));
	x->inside = calloc((size_t)e->n_losses + 1, sizeof(*x->inside));
	if (!x->losses || !x->inside)
		return no_memory(x);
	for (uint32_t i = 0; i < e->n_losses; i++) {
		const struct mer_loss *l = &e->losses[i];
		uint32_t trace = e->streams[l->stream].trace;
		if (e->traces[trace].host != x->host || !x->r->is_fed[trace])
			continue;
		x->losses[x->n_losses++] =
			(struct run_loss){ l->begin == MER_NO_TIME ? x->h->begin : l->begin,
				l->end == MER_NO_TIME ? x->h->end : l->end, trace };
	}
	if (x->n_losses)
		qsort(x->losses, x->n_losses, sizeof(*x->losses), compare_losses);
	return 0;
}

int run_init(struct run *x, struct mer_experiment *e, const struct view_reading *r, uint32_t host,
	struct view_host *h, struct mer_err *err)
{
	*x = (struct run){ .e = e, .r = r, .h = h, .host = host, .err = err };
	mer_arena_init(&x->arena);
	mer_intern_init(&x->keys, &x->arena);
	h->begin = h->end = MER_NO_TIME;
	x->traces = calloc((size_t)e->n_traces + 1, sizeof(*x->traces));
	x->caches = calloc((size_t)r->n_rules + 1, sizeof(*x->caches));
	x->row_caches = calloc((size_t)r->n_rules + 1, sizeof(*x->row_caches));
	mer_diags_init(&x->notes, &x->arena);
	if (r->has_symbols)
		x->symbols = view_symbols_new();
	h->counts = calloc((size_t)r->n_rules + 1, sizeof(*h->counts));
	if (!x->traces || !x->caches || !x->row_caches || !h->counts ||
		(r->has_symbols && !x->symbols))
		return no_memory(x);
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const struct mer_trace *tr = &e->traces[t];
		if (tr->host != host || !r->is_fed[t] || tr->begin == MER_NO_TIME)
			continue;
		x->traces[t].known = tr->begin;
		if (h->begin == MER_NO_TIME || tr->begin < h->begin)
			h->begin = tr->begin;
		if (h->end == MER_NO_TIME || tr->end > h->end)
			h->end = tr->end;
	}
	int rc = find_losses(x);
	return rc ? rc : run_xml_begin(x);
}

/* Is the state nested in one with the same text? Then its time is part of that one's. */
static void find_again(const struct view_host *h, struct view_state *s)
{
	for (uint32_t around = s->within; around != VIEW_NONE; around = h->states[around].within)
		if (h->states[around].word == s->word) {
			s->is_again = true;
			s->is_again_in_row = h->states[around].row == s->row;
			return;
		}
}

int run_end(struct run *x)
{
	int64_t end = x->h->end;
	int rc = end == MER_NO_TIME ? 0 : pass_losses(x, end);
	if (rc == 0)
		rc = run_xml_end(x);
	for (uint32_t i = 0; i < x->h->n_rows && rc == 0; i++)
		rc = end_down_to(x, &x->rows[i], 0, end, VIEW_NO_END);
	if (rc == 0)
		rc = run_symbols_end(x);
	/* After addresses were replaced by names: several addresses may be in one function. */
	for (uint32_t i = 0; i < x->h->n_states && rc == 0; i++)
		find_again(x->h, &x->h->states[i]);
	return rc ? rc : run_labels_end(x);
}

void run_fini(struct run *x)
{
	for (uint32_t i = 0; x->h && i < x->h->n_rows && i < x->cap_rows; i++)
		free(x->rows[i].stack);
	for (uint32_t i = 0; x->h && i < x->h->n_lanes && i < x->cap_lanes; i++)
		free(x->lanes[i].stack);
	run_xml_fini(x);
	view_symbols_free(x->symbols);
	mer_diags_fini(&x->notes);
	free(x->rows);
	free(x->lanes);
	free(x->active);
	free(x->row_of);
	free(x->amount);
	free(x->has_amount);
	free(x->frames);
	free(x->caches);
	free(x->row_caches);
	free(x->losses);
	free(x->inside);
	free(x->traces);
	mer_map_fini(&x->names);
	mer_map_fini(&x->amounts);
	mer_intern_fini(&x->keys);
	mer_str_fini(&x->key);
	mer_str_fini(&x->text);
	mer_arena_fini(&x->arena);
}
