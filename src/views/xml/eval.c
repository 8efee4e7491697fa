#include "views/xml/eval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/real.h"
#include "base/str.h"
#include "views/view.h"

enum { MAX_POOL = 100000, MAX_STACK = 1000 };

struct xml_pool { /* a child of a pool that a scenario uses */
	uint32_t parent, child;
	struct xml_pool *next;
};

struct xml_entered { /* when a scenario last entered a state */
	const char *state;
	int64_t t;
};

struct xml_scenario {
	const struct xml_fsm *fsm;
	uint32_t number, state, attribute; /* attribute: UINT32_MAX: not yet needed */
	uint32_t fsm_number;
	bool is_active;
	int64_t begin;
	struct xml_entered *entered; /* by number of the state */
	struct xml_pool *pools;
	struct xml_scenario *next;
};

struct now { /* what a value may depend on */
	struct xml_eval *x;
	const struct xml_event *ev;
	struct xml_scenario *scenario; /* NULL: the program is a state provider */
	const struct xml_operand *variables;
	int rc;
};

static int no_memory(struct xml_eval *x)
{
	return mer_fail_nomem(x->err);
}

/* ---- values ---- */

static bool is_whole(const struct xml_value *v)
{
	return v->type == XML_INT || v->type == XML_LONG;
}

/* -1, 0, 1; 2: they cannot be compared. */
static int compare(const struct xml_value *a, const struct xml_value *b)
{
	if (a->type == XML_NULL || b->type == XML_NULL)
		return a->type == b->type ? 0 : 2;
	if (is_whole(a) && is_whole(b))
		return (a->i > b->i) - (a->i < b->i);
	if (a->type == XML_STRING || b->type == XML_STRING) {
		struct mer_str s[2] = { { 0 }, { 0 } };
		xml_put_value(&s[0], a);
		xml_put_value(&s[1], b);
		int order = strcmp(s[0].data ? s[0].data : "", s[1].data ? s[1].data : "");
		mer_str_fini(&s[0]);
		mer_str_fini(&s[1]);
		return (order > 0) - (order < 0);
	}
	double p = is_whole(a) ? (double)a->i : a->f, q = is_whole(b) ? (double)b->i : b->f;
	return isnan(p) || isnan(q) ? 2 : (p > q) - (p < q);
}

static bool are_equal(const struct xml_value *a, const struct xml_value *b)
{
	return a->type == b->type && compare(a, b) == 0;
}

void xml_put_value(struct mer_str *out, const struct xml_value *v)
{
	switch (v->type) {
	case XML_INT:
	case XML_LONG: mer_str_printf(out, "%" PRId64, v->i); break;
	case XML_DOUBLE: mer_put_real(out, v->f, false); break;
	case XML_STRING: mer_str_puts(out, v->s); break;
	default: break;
	}
}

/* Makes a value of a copy of the text. */
static struct xml_value text_value(struct xml_eval *x, const char *text, int *rc)
{
	uint32_t id = mer_intern_add(&x->texts, text, strlen(text));
	if (id == MER_INTERN_NONE) {
		*rc = no_memory(x);
		return (struct xml_value){ .type = XML_NULL };
	}
	return (struct xml_value){ .type = XML_STRING, .s = mer_intern_text(&x->texts, id) };
}

static struct xml_value convert(struct now *w, struct xml_value v, enum xml_type type)
{
	struct mer_str text = { 0 };
	struct xml_value to = { .type = type };
	char *end;
	if (type == XML_NONE || type == v.type || v.type == XML_NULL || type == XML_NULL)
		return type == XML_NULL ? to : v;
	switch (type) {
	case XML_STRING:
		xml_put_value(&text, &v);
		to = text_value(w->x, text.data ? text.data : "", &w->rc);
		mer_str_fini(&text);
		return to;
	case XML_DOUBLE: to.f = is_whole(&v) ? (double)v.i : strtod(v.s, &end); return to;
	default:
		to.i = is_whole(&v)	      ? v.i
		       : v.type == XML_STRING ? strtoll(v.s, &end, 10)
		       : fabs(v.f) < 9.2e18   ? (int64_t)v.f
					      : 0;
		return to;
	}
}

/* ---- attributes ---- */

static uint32_t child(struct xml_eval *x, uint32_t parent, const char *name, bool make, int *rc)
{
	uint32_t id = make ? mer_intern_add(&x->texts, name, strlen(name))
			   : mer_intern_find(&x->texts, name, strlen(name));
	uint64_t key = (uint64_t)parent << 32 | id;
	if (id == MER_INTERN_NONE) {
		*rc = make ? no_memory(x) : 0;
		return UINT32_MAX;
	}
	const uint32_t *there = mer_map_get(&x->child_of, key);
	if (there && *there)
		return *there - 1;
	if (!make)
		return UINT32_MAX;
	if (x->n == XML_MAX_ATTRIBUTES) {
		*rc = mer_fail(x->err, MER_ERR_LIMIT,
			"analysis %s: more than a million attributes; one of its paths takes a field whose values hardly repeat",
			x->program->id);
		return UINT32_MAX;
	}
	struct xml_attribute_of *a =
		mer_grow_at(&x->attributes, &x->cap, x->n, sizeof(*x->attributes));
	uint32_t *at = a ? mer_map_put(&x->child_of, key) : NULL;
	if (!at) {
		*rc = no_memory(x);
		return UINT32_MAX;
	}
	*a = (struct xml_attribute_of){ .parent = parent,
		.name = id,
		.first = UINT32_MAX,
		.next = x->attributes[parent].first,
		.value = { .type = XML_NULL } };
	x->attributes[parent].first = (uint32_t)x->n;
	*at = (uint32_t)++x->n;
	return *at - 1;
}

static uint32_t number_child(struct xml_eval *x, uint32_t parent, int64_t n, bool make, int *rc)
{
	char name[24];
	snprintf(name, sizeof(name), "%" PRId64, n);
	return child(x, parent, name, make, rc);
}

uint32_t xml_attribute_at(const struct xml_eval *x, const char *const *path, size_t n)
{
	uint32_t at = 0;
	int rc = 0;
	for (size_t i = 0; i < n && at != UINT32_MAX; i++)
		at = child((struct xml_eval *)(uintptr_t)x, at, path[i], false, &rc);
	return at;
}

static int set(
	struct xml_eval *x, uint32_t attribute, int64_t t, struct xml_value v, bool is_update)
{
	struct xml_value *own = &x->attributes[attribute].value;
	if (!is_update && are_equal(own, &v))
		return 0;
	*own = v;
	return x->sink.change ? x->sink.change(x->sink.ctx, attribute, t, &v, is_update) : 0;
}

static struct xml_value value_of(struct now *w, const struct xml_operand *o, uint32_t self);

static uint32_t scenario_attribute(struct now *w, bool make)
{
	struct xml_scenario *s = w->scenario;
	if (!s)
		return UINT32_MAX;
	if (s->attribute == UINT32_MAX && make) {
		uint32_t all = child(w->x, 0, "scenarios", true, &w->rc);
		uint32_t fsm = w->rc ? UINT32_MAX : child(w->x, all, s->fsm->id, true, &w->rc);
		s->attribute =
			w->rc ? UINT32_MAX : number_child(w->x, fsm, s->number, true, &w->rc);
	}
	return s->attribute;
}

/* The scenario's own child of a pool; if it has none yet, the lowest that is free. */
static uint32_t pool_child(struct now *w, uint32_t parent, bool make)
{
	struct xml_scenario *own = w->scenario;
	if (!own)
		return UINT32_MAX;
	for (const struct xml_pool *p = own->pools; p; p = p->next)
		if (p->parent == parent)
			return p->child;
	for (int64_t i = 0; make && i < MAX_POOL; i++) {
		uint32_t at = number_child(w->x, parent, i, true, &w->rc);
		bool is_used = false;
		for (const struct xml_scenario *s = w->x->scenarios; s && !w->rc; s = s->next)
			for (const struct xml_pool *p = s->pools; p; p = p->next)
				is_used |= p->child == at;
		if (w->rc)
			return UINT32_MAX;
		if (is_used)
			continue;
		struct xml_pool *p = malloc(sizeof(*p));
		if (!p) {
			w->rc = no_memory(w->x);
			return UINT32_MAX;
		}
		*p = (struct xml_pool){ parent, at, own->pools };
		own->pools = p;
		return at;
	}
	return UINT32_MAX;
}

/* The attribute of the path. UINT32_MAX: a part of the path has no value, or the attribute does not
 * exist and make is false. */
static uint32_t resolve(struct now *w, const struct xml_path *path, bool make)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < path->n && at != UINT32_MAX && !w->rc; i++) {
		const struct xml_operand *o = &path->parts[i];
		struct mer_str text = { 0 };
		if (o->source == XML_SCENARIO) {
			at = scenario_attribute(w, make);
			continue;
		}
		if (o->source == XML_POOL) {
			at = pool_child(w, at, make);
			continue;
		}
		struct xml_value v = value_of(w, o, at);
		if (v.type == XML_NULL) {
			at = UINT32_MAX;
			break;
		}
		xml_put_value(&text, &v);
		at = w->rc || text.failed
			     ? UINT32_MAX
			     : child(w->x, at, text.data ? text.data : "", make, &w->rc);
		mer_str_fini(&text);
	}
	return w->rc ? UINT32_MAX : at;
}

static struct xml_value variable(void *ctx, const char *name)
{
	struct now *w = ctx;
	for (const struct xml_operand *v = w->variables; v && v->id; v++)
		if (strcmp(v->id, name) == 0)
			return value_of(w, v, UINT32_MAX);
	return (struct xml_value){ .type = XML_NULL };
}

static struct xml_value query(struct now *w, const struct xml_operand *o)
{
	struct xml_value none = { .type = XML_NULL };
	uint32_t at = resolve(w, o->path, false);
	if (at == UINT32_MAX)
		return none;
	struct xml_value v = w->x->attributes[at].value;
	if (o->stack != XML_PEEK)
		return v;
	uint32_t top =
		is_whole(&v) && v.i > 0 ? number_child(w->x, at, v.i, false, &w->rc) : UINT32_MAX;
	return top == UINT32_MAX ? none : w->x->attributes[top].value;
}

/* self: for XML_SELF, the attribute that the path has led to so far. */
static struct xml_value value_of(struct now *w, const struct xml_operand *o, uint32_t self)
{
	struct xml_value v = { .type = XML_NULL };
	const struct xml_operand *outer = w->variables;
	switch (o->source) {
	case XML_CONSTANT: v = o->constant; break;
	case XML_FIELD: v = w->ev->field(w->ev->ctx, o->field); break;
	case XML_EVENT_NAME: v = (struct xml_value){ .type = XML_STRING, .s = w->ev->name }; break;
	case XML_QUERY: v = query(w, o); break;
	case XML_SELF:
		if (self != UINT32_MAX)
			v = w->x->attributes[self].value;
		break;
	case XML_SCRIPT:
		w->variables = o->variables;
		v = xml_script_run(o->script, variable, w);
		w->variables = outer;
		break;
	case XML_POOL:
	case XML_SCENARIO: break;
	}
	v = convert(w, v, o->forced);
	for (uint32_t i = 0; o->mapping && i < o->mapping->n; i++) {
		const struct xml_value *from = &o->mapping->pairs[2 * i].constant;
		if (compare(from, &v) == 0 && from->type != XML_NULL)
			return o->mapping->pairs[2 * i + 1].constant;
	}
	return v;
}

/* A value that can be kept: texts of events are copied, because they are only valid during the
 * event. */
static struct xml_value kept(struct now *w, struct xml_value v)
{
	return v.type == XML_STRING ? text_value(w->x, v.s, &w->rc) : v;
}

/* ---- changes ---- */

static int push(struct xml_eval *x, uint32_t at, int64_t t, struct xml_value v)
{
	struct xml_value depth = x->attributes[at].value;
	int64_t n = is_whole(&depth) && depth.i >= 0 && depth.i <= MAX_STACK ? depth.i + 1 : 1;
	int rc = 0;
	if (n > MAX_STACK)
		return 0;
	uint32_t top = number_child(x, at, n, true, &rc);
	if (rc == 0)
		rc = set(x, top, t, v, false);
	return rc ? rc : set(x, at, t, (struct xml_value){ .type = XML_INT, .i = n }, false);
}

static int pop(struct xml_eval *x, uint32_t at, int64_t t)
{
	struct xml_value depth = x->attributes[at].value, none = { .type = XML_NULL };
	int rc = 0;
	if (!is_whole(&depth) || depth.i < 1)
		return 0;
	uint32_t top = number_child(x, at, depth.i, true, &rc);
	if (rc == 0)
		rc = set(x, top, t, none, false);
	depth.i--;
	return rc ? rc : set(x, at, t, depth.i ? depth : none, false);
}

static int apply(struct xml_eval *x, uint32_t at, int64_t t, struct xml_value v,
	enum xml_stack stack, bool increment, bool update)
{
	const struct xml_value *own = &x->attributes[at].value;
	if (stack == XML_PUSH)
		return push(x, at, t, v);
	if (stack == XML_POP)
		return pop(x, at, t);
	if (increment && is_whole(&v)) {
		if (is_whole(own) && __builtin_add_overflow(v.i, own->i, &v.i))
			return 0;
	} else if (increment && v.type == XML_DOUBLE) {
		v.f += own->type == XML_DOUBLE ? own->f : is_whole(own) ? (double)own->i : 0;
	}
	return set(x, at, t, v, update);
}

/* The heap has the earliest change at the root. */
static bool comes_before(const struct xml_future *a, const struct xml_future *b)
{
	return a->t != b->t ? a->t < b->t : a->number < b->number;
}

static int add_future(struct xml_eval *x, struct xml_future f)
{
	if (x->n_future == XML_MAX_FUTURE)
		return mer_fail(x->err, MER_ERR_LIMIT,
			"analysis %s: more than a million changes are yet to come", x->program->id);
	if (!mer_grow(&x->future, x->n_future, &x->cap_future, sizeof(*x->future)))
		return no_memory(x);
	f.number = x->n_futures++;
	size_t i = x->n_future++;
	for (; i && comes_before(&f, &x->future[(i - 1) / 2]); i = (i - 1) / 2)
		x->future[i] = x->future[(i - 1) / 2];
	x->future[i] = f;
	return 0;
}

static struct xml_future take_future(struct xml_eval *x)
{
	struct xml_future first = x->future[0], last = x->future[--x->n_future];
	size_t i = 0;
	for (;;) {
		size_t c = 2 * i + 1;
		if (c + 1 < x->n_future && comes_before(&x->future[c + 1], &x->future[c]))
			c++;
		if (c >= x->n_future || !comes_before(&x->future[c], &last))
			break;
		x->future[i] = x->future[c];
		i = c;
	}
	if (x->n_future)
		x->future[i] = last;
	return first;
}

int xml_eval_until(struct xml_eval *x, int64_t t)
{
	int rc = 0;
	while (rc == 0 && x->n_future && x->future[0].t <= t) {
		struct xml_future f = take_future(x);
		rc = apply(x, f.attribute, f.t, f.value, f.stack, f.increment, false);
	}
	return rc;
}

static int time_of(struct now *w, const struct xml_operand *o, int64_t *t)
{
	struct xml_value v = convert(w, value_of(w, o, UINT32_MAX), XML_LONG);
	if (w->rc || v.type != XML_LONG)
		return -1;
	*t = v.i;
	return 0;
}

static bool holds(struct now *w, const struct xml_test *t);

static int change(struct now *w, const struct xml_change *c)
{
	struct xml_eval *x = w->x;
	if (c->test) {
		const struct xml_change *branch = holds(w, c->test) ? c->then : c->otherwise;
		return w->rc ? w->rc : branch ? change(w, branch) : 0;
	}
	uint32_t at = resolve(w, &c->path, true);
	if (w->rc || at == UINT32_MAX)
		return w->rc;
	struct xml_value v = kept(w, value_of(w, &c->value, at));
	int64_t t = w->ev->ts;
	if (w->rc || (c->future && time_of(w, c->future, &t)))
		return w->rc;
	if (t > w->ev->ts)
		return add_future(x, (struct xml_future){ .t = t,
					     .attribute = at,
					     .value = v,
					     .stack = c->value.stack,
					     .increment = c->value.increment });
	return apply(x, at, w->ev->ts, v, c->value.stack, c->value.increment, c->value.update);
}

/* ---- tests ---- */

static bool compares(const struct xml_value *a, const struct xml_value *b, enum xml_operator op)
{
	int order = compare(a, b);
	switch (op) {
	case XML_EQ: return order == 0;
	case XML_NE: return order != 0;
	case XML_GE: return order == 0 || order == 1;
	case XML_GT: return order == 1;
	case XML_LE: return order == 0 || order == -1;
	case XML_LT: return order == -1;
	}
	return false;
}

static bool holds(struct now *w, const struct xml_test *t)
{
	bool is = t->kind == XML_AND;
	switch (t->kind) {
	case XML_AND:
	case XML_OR:
		for (const struct xml_test *o = t->first; o && is == (t->kind == XML_AND);
			o = o->next)
			is = holds(w, o);
		return is;
	case XML_NOT: return !holds(w, t->first);
	case XML_TIME_RANGE: return w->ev->ts >= t->begin && w->ev->ts <= t->end;
	case XML_ELAPSED:
		for (uint32_t i = 0; w->scenario && i < w->scenario->fsm->n_states; i++) {
			const struct xml_entered *e = &w->scenario->entered[i];
			if (e->state && strcmp(e->state, t->since) == 0)
				return w->ev->ts - e->t < t->end;
		}
		return false;
	case XML_COMPARE: break;
	}
	struct xml_value a = value_of(w, &t->left, UINT32_MAX);
	struct xml_value b = value_of(w, &t->right, UINT32_MAX);
	return compares(&a, &b, t->op);
}

/* ---- FSMs ---- */

static int make_segment(struct now *w, const struct xml_segment *s)
{
	int64_t begin = w->scenario->begin, end = w->ev->ts, ns;
	struct mer_str text = { 0 };
	struct xml_value name = value_of(w, &s->name, UINT32_MAX);
	if (s->begin && time_of(w, s->begin, &begin))
		return w->rc;
	if (s->end && time_of(w, s->end, &end))
		return w->rc;
	if (s->duration &&
		(time_of(w, s->duration, &ns) || __builtin_add_overflow(begin, ns, &end)))
		return w->rc;
	if (name.type == XML_NULL)
		mer_str_puts(&text, "null");
	xml_put_value(&text, &name);
	int rc = w->x->sink.segment ? w->x->sink.segment(w->x->sink.ctx, begin, end,
					      text.data ? text.data : "", s)
				    : 0;
	mer_str_fini(&text);
	return rc;
}

static int run_actions(struct now *w, const struct xml_action *const *actions, uint32_t n)
{
	int rc = 0;
	for (uint32_t i = 0; i < n && rc == 0; i++)
		for (const struct xml_step *s = actions[i]->steps; s && rc == 0; s = s->next)
			rc = s->change ? change(w, s->change) : make_segment(w, s->segment);
	return rc;
}

static bool fits(struct now *w, const struct xml_transition *t)
{
	if (t->event && !view_fits(t->event, w->ev->name, NULL, NULL))
		return false;
	for (uint32_t i = 0; i < t->n_tests; i++)
		if (!holds(w, t->tests[i]))
			return false;
	return true;
}

/* Frees its children in pools. */
static int end_scenario(struct now *w)
{
	int rc = 0;
	while (w->scenario->pools) {
		struct xml_pool *p = w->scenario->pools;
		if (rc == 0)
			rc = set(w->x, p->child, w->ev->ts, (struct xml_value){ .type = XML_NULL },
				false);
		w->scenario->pools = p->next;
		free(p);
	}
	return rc;
}

/* *took: it took a transition. */
static int step(struct now *w, bool *took)
{
	struct xml_scenario *s = w->scenario;
	const struct xml_state *state = &s->fsm->states[s->state];
	const struct xml_transition *t = state->transitions;
	while (t && !fits(w, t))
		t = t->next;
	*took = t != NULL;
	if (!t || w->rc)
		return w->rc;
	if (!s->is_active)
		s->begin = w->ev->ts;
	s->is_active = true;
	int rc = run_actions(w, state->on_exit, state->n_exit);
	if (rc == 0)
		rc = run_actions(w, t->actions, t->n_actions);
	s->state = t->target;
	state = &s->fsm->states[s->state];
	s->entered[s->state] = (struct xml_entered){ state->id, w->ev->ts };
	if (rc == 0)
		rc = run_actions(w, state->on_entry, state->n_entry);
	return rc == 0 && state->is_final ? end_scenario(w) : rc;
}

static void free_scenario(struct xml_scenario *s)
{
	while (s->pools) {
		struct xml_pool *p = s->pools;
		s->pools = p->next;
		free(p);
	}
	free(s->entered);
	free(s);
}

static struct xml_scenario *new_scenario(
	struct xml_eval *x, const struct xml_fsm *f, uint32_t number)
{
	struct xml_scenario *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->entered = calloc(f->n_states + 1u, sizeof(*s->entered));
	if (!s->entered) {
		free(s);
		return NULL;
	}
	s->fsm = f;
	s->fsm_number = number;
	s->number = x->n_made++;
	s->state = f->initial;
	s->attribute = UINT32_MAX;
	return s;
}

/* Adds a scenario that waits for its first transition, unless there is one. */
static int add_pending(struct xml_eval *x, const struct xml_fsm *f, uint32_t number)
{
	for (const struct xml_scenario *s = x->scenarios; s; s = s->next)
		if (s->fsm_number == number && !s->is_active)
			return 0;
	if (x->is_done[number])
		return 0;
	if (x->n_scenarios == XML_MAX_SCENARIOS)
		return mer_fail(x->err, MER_ERR_LIMIT,
			"analysis %s: more than %d scenarios of fsm %s have not ended",
			x->program->id, (int)XML_MAX_SCENARIOS, f->id);
	struct xml_scenario *s = new_scenario(x, f, number);
	if (!s)
		return no_memory(x);
	x->is_done[number] = !f->multiple;
	x->n_scenarios++;
	*x->last = s;
	x->last = &s->next;
	return 0;
}

static void drop_ended(struct xml_eval *x)
{
	struct xml_scenario **at = &x->scenarios;
	while (*at) {
		struct xml_scenario *s = *at;
		if (s->is_active && s->fsm->states[s->state].is_final) {
			*at = s->next;
			x->n_scenarios--;
			free_scenario(s);
		} else {
			at = &s->next;
		}
	}
	x->last = at;
}

static int run_fsm(struct now *w, const struct xml_fsm *f, uint32_t number)
{
	struct xml_eval *x = w->x;
	bool any = false;
	w->scenario = NULL;
	const struct xml_transition *p = f->preconditions;
	while (p && !fits(w, p))
		p = p->next;
	if (f->preconditions && !p)
		return w->rc;
	int rc = add_pending(x, f, number);
	for (int active = 1; active >= 0; active--)
		for (struct xml_scenario *s = x->scenarios; s && rc == 0; s = s->next) {
			/* A scenario that becomes active by this event does not see it again. */
			if (s->fsm_number != number || s->is_active != (active == 1) ||
				(any && f->consuming) ||
				(s->is_active && f->states[s->state].is_final))
				continue;
			bool took;
			w->scenario = s;
			rc = step(w, &took);
			any |= took;
		}
	if (any)
		drop_ended(x);
	w->scenario = NULL;
	return rc;
}

/* ---- events ---- */

int xml_eval_event(struct xml_eval *x, const struct xml_event *ev)
{
	struct now w = { .x = x, .ev = ev };
	uint32_t number = 0;
	int rc = xml_eval_until(x, ev->ts);
	x->last_time = ev->ts;
	for (const struct xml_handler *h = x->program->handlers; h && rc == 0; h = h->next) {
		if (!view_fits(h->event, ev->name, NULL, NULL))
			continue;
		for (const struct xml_change *c = h->changes; c && rc == 0; c = c->next)
			rc = change(&w, c);
	}
	for (const struct xml_fsm *f = x->program->fsms; f && rc == 0; f = f->next)
		rc = run_fsm(&w, f, number++);
	return rc ? rc : w.rc;
}

int xml_eval_init(struct xml_eval *x, const struct xml_program *p, const struct xml_sink *sink,
	struct mer_err *err)
{
	size_t n = 1;
	*x = (struct xml_eval){ .program = p, .sink = *sink, .err = err };
	mer_arena_init(&x->arena);
	mer_intern_init(&x->texts, &x->arena);
	x->last = &x->scenarios;
	for (const struct xml_fsm *f = p->fsms; f; f = f->next)
		n++;
	x->is_done = calloc(n, sizeof(*x->is_done));
	struct xml_attribute_of *root =
		mer_grow_at(&x->attributes, &x->cap, 0, sizeof(*x->attributes));
	uint32_t none = mer_intern_add(&x->texts, "", 0);
	if (!root || !x->is_done || none == MER_INTERN_NONE)
		return no_memory(x);
	*root = (struct xml_attribute_of){
		.name = none, .first = UINT32_MAX, .next = UINT32_MAX, .value = { .type = XML_NULL }
	};
	x->n = 1;
	return 0;
}

void xml_eval_fini(struct xml_eval *x)
{
	while (x->scenarios) {
		struct xml_scenario *s = x->scenarios;
		x->scenarios = s->next;
		free_scenario(s);
	}
	free(x->is_done);
	free(x->attributes);
	free(x->future);
	mer_map_fini(&x->child_of);
	mer_intern_fini(&x->texts);
	mer_arena_fini(&x->arena);
}
