/* Analyses in XML in the engine: what their evaluator changes becomes rows, states and values.
 *
 * An attribute that an entry of a view shows is a row; without views for an analysis, every
 * attribute is a row, except those that FSMs keep for themselves. The value of an attribute is not
 * a state of a thread: it may be about anything, and last longer than the thread that set it. Calls
 * of a call stack belong to the thread whose event set them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "views/run.h"
#include "views/xml/eval.h"

enum { NOT_SHOWN = UINT32_MAX };

struct run_attribute {
	uint32_t row;		       /* plus 1; 0: not looked for yet; NOT_SHOWN */
	const struct xml_entry *entry; /* NULL: shown without one */
	uint32_t around; /* of a call stack: the attribute a level further out; 0: none */
};

struct run_program {
	struct run *x;
	struct xml_eval eval;
	uint32_t view;
	struct run_attribute *attributes;
	size_t cap;
	/* The current event. */
	const struct mer_cursor *c;
	const struct mer_event *ev;
	const struct view_bound_program *bound;
	int32_t tid;
	uint32_t trace;
	char (*texts)[RUN_XML_TEXT]; /* of its fields */
};

/* ---- fields ---- */

static struct xml_value field(void *ctx, uint32_t number)
{
	struct run_program *p = ctx;
	struct xml_value v = { .type = XML_NULL };
	if (number >= p->bound->program->n_fields)
		return v;
	const struct view_bound_field *f = &p->bound->fields[number];
	switch (f->of) {
	case VIEW_OF_TIME: return (struct xml_value){ .type = XML_LONG, .i = p->ev->ts };
	case VIEW_OF_HOST: return (struct xml_value){ .type = XML_STRING, .s = p->x->h->name };
	case VIEW_OF_CPU:
		v.type = p->x->e->streams[p->ev->stream].cpu < 0 ? XML_NULL : XML_LONG;
		v.i = p->x->e->streams[p->ev->stream].cpu;
		return v;
	case VIEW_OF_EVENT: break;
	}
	if (f->is_there)
		run_xml_value(p->c, p->ev, &f->place, p->texts[number], &v);
	return v;
}

/* ---- rows ---- */

/* path: the attributes from below the root down to this one. Returns how many; 0: too many. */
static uint32_t path_of(const struct xml_eval *e, uint32_t attribute, uint32_t *path)
{
	uint32_t n = 0, depth = 0;
	for (uint32_t a = attribute; a; a = e->attributes[a].parent)
		depth++;
	if (depth > XML_MAX_PARTS + 1)
		return 0;
	for (uint32_t a = attribute; a; a = e->attributes[a].parent)
		path[depth - ++n] = a;
	return depth;
}

static bool shows(
	const struct xml_entry *entry, const struct xml_eval *e, const uint32_t *path, uint32_t n)
{
	if (entry->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(entry->parts[i], "*") != 0 &&
			strcmp(entry->parts[i], xml_attribute_name(e, path[i])) != 0)
			return false;
	return true;
}

/* The levels of a call stack are children 1, 2, ... of one attribute. Returns the next outer one;
 * 0: none. */
static uint32_t level_around(const struct xml_eval *e, const uint32_t *path, uint32_t n)
{
	const char *names[XML_MAX_PARTS + 2];
	char outer[24];
	unsigned long level = strtoul(xml_attribute_name(e, path[n - 1]), NULL, 10);
	if (level < 2)
		return 0;
	for (uint32_t i = 0; i + 1 < n; i++)
		names[i] = xml_attribute_name(e, path[i]);
	snprintf(outer, sizeof(outer), "%lu", level - 1);
	names[n - 1] = outer;
	uint32_t a = xml_attribute_at(e, names, n);
	return a == UINT32_MAX ? 0 : a;
}

/* "scenarios/FSM/NUMBER/...": attributes in which the FSMs of a pattern keep their states. */
static bool is_scenario(const struct xml_eval *e, const uint32_t *path)
{
	return e->program->is_pattern && strcmp(xml_attribute_name(e, path[0]), "scenarios") == 0;
}

static enum view_xml_row kind_of(const struct xml_entry *entry)
{
	if (!entry)
		return VIEW_XML_STATES;
	return entry->is_xy			       ? VIEW_XML_VALUES
	       : xml_is(entry->view, "callstackGroup") ? VIEW_XML_CALLS
						       : VIEW_XML_STATES;
}

static int find_row(struct run_program *p, uint32_t attribute, struct run_attribute **to)
{
	const struct xml_eval *e = &p->eval;
	uint32_t path[XML_MAX_PARTS + 2];
	struct run_attribute *a =
		mer_grow_at(&p->attributes, &p->cap, attribute, sizeof(*p->attributes));
	*to = a;
	if (!a)
		return mer_fail_nomem(p->x->err);
	if (a->row)
		return 0;
	uint32_t n = path_of(e, attribute, path), n_label = n;
	a->row = NOT_SHOWN;
	if (n == 0)
		return 0;
	a->entry = p->bound->program->entries;
	if (a->entry) {
		while (a->entry && !shows(a->entry, e, path, n))
			a->entry = a->entry->next;
		if (!a->entry)
			return 0;
		n_label = a->entry->n_label;
		if (kind_of(a->entry) == VIEW_XML_CALLS)
			a->around = level_around(e, path, n);
	} else if (is_scenario(e, path)) {
		return 0;
	}
	struct mer_str under = { 0 };
	for (uint32_t i = 0; i + 1 < n_label; i++)
		mer_str_printf(&under, "%s%s", i ? "/" : "", xml_attribute_name(e, path[i]));
	uint32_t row;
	int rc = under.failed
			 ? mer_fail_nomem(p->x->err)
			 : run_add_row(p->x, p->view, kind_of(a->entry),
				   xml_attribute_name(e, path[n_label - 1]),
				   under.len ? under.data : p->bound->program->id, p->tid, &row);
	mer_str_fini(&under);
	if (rc == 0)
		a->row = row + 1;
	return rc;
}

/* ---- changes from the evaluator ---- */

static uint32_t parse_colour(const char *text, uint32_t none)
{
	char *end;
	unsigned long rgb = text && *text == '#' ? strtoul(text + 1, &end, 16) : 0;
	return text && *text == '#' && end == text + 7 ? (uint32_t)rgb + 1 : none;
}

/* A definedValue of the entry's view for this value: its name, and its colour. */
static const char *defined_name(const struct xml_entry *entry, const char *value, uint32_t *colour)
{
	for (const struct xml_node *n = entry ? entry->view->first : NULL; n; n = n->next) {
		const char *own = xml_is(n, "definedValue") ? xml_get(n, "value") : NULL;
		if (own && strcmp(own, value) == 0 && xml_get(n, "name")) {
			*colour = parse_colour(xml_get(n, "color"), 0);
			return xml_get(n, "name");
		}
	}
	return value;
}

static uint32_t row_of(const struct run_program *p, uint32_t attribute)
{
	uint32_t row = attribute < p->cap ? p->attributes[attribute].row : 0;
	return row && row != NOT_SHOWN ? row - 1 : VIEW_NONE;
}

static int on_change(
	void *ctx, uint32_t attribute, int64_t t, const struct xml_value *value, bool is_update)
{
	struct run_program *p = ctx;
	struct run_attribute *a;
	struct mer_str text = { 0 };
	int rc = find_row(p, attribute, &a);
	if (rc || a->row == NOT_SHOWN)
		return rc;
	const struct run_change x = { .row = a->row - 1,
		.around = a->around ? row_of(p, a->around) : VIEW_NONE,
		.t = t,
		.tid = p->tid,
		.trace = p->trace,
		.is_update = is_update };
	if (a->entry && a->entry->is_xy) {
		int64_t v = value->type == XML_INT || value->type == XML_LONG ? value->i
			    : value->type == XML_DOUBLE && value->f > -9e18 && value->f < 9e18
				    ? (int64_t)value->f
				    : 0;
		return run_xml_sample(p->x, &x, v);
	}
	if (value->type == XML_NULL)
		return run_xml_state(p->x, &x, NULL, 0);
	uint32_t colour = 0;
	xml_put_value(&text, value);
	const char *name = defined_name(a->entry, text.data ? text.data : "", &colour);
	rc = text.failed ? mer_fail_nomem(p->x->err)
			 : run_xml_state(p->x, &x, *name ? name : "(empty)", colour);
	mer_str_fini(&text);
	return rc;
}

static int on_segment(
	void *ctx, int64_t begin, int64_t end, const char *name, const struct xml_segment *segment)
{
	struct run_program *p = ctx;
	const struct run_change x = {
		.t = begin, .around = VIEW_NONE, .tid = p->tid, .trace = p->trace
	};
	(void)segment;
	return run_xml_segment(p->x, p->view, &x, end, *name ? name : "(empty)");
}

/* ---- begin and end ---- */

int run_xml_begin(struct run *x)
{
	const struct view_reading *r = x->r;
	x->programs = calloc(r->n_programs + 1u, sizeof(*x->programs));
	if (!x->programs)
		return mer_fail_nomem(x->err);
	for (uint32_t i = 0; i < r->n_programs; i++) {
		struct run_program *p = &x->programs[i];
		const struct xml_sink sink = { p, on_change, on_segment };
		p->x = x;
		p->view = r->programs[i].view;
		p->texts = calloc(r->programs[i].program->n_fields + 1u, sizeof(*p->texts));
		if (!p->texts)
			return mer_fail_nomem(x->err);
		int rc = xml_eval_init(&p->eval, r->programs[i].program, &sink, x->err);
		if (rc)
			return rc;
	}
	return 0;
}

int run_xml_event(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_class *class, int32_t tid)
{
	int rc = 0;
	for (uint32_t i = 0; i < class->n_programs && rc == 0; i++) {
		struct run_program *p = &x->programs[class->programs[i].number];
		p->c = c;
		p->ev = ev;
		p->bound = &class->programs[i];
		p->tid = tid;
		p->trace = class->trace;
		const struct xml_event event = { ev->ts, ev->plan->class->name, x->h->name, p,
			field };
		rc = xml_eval_event(&p->eval, &event);
	}
	return rc;
}

int run_xml_end(struct run *x)
{
	int rc = 0;
	for (uint32_t i = 0; x->programs && i < x->r->n_programs && rc == 0; i++)
		if (x->programs[i].bound && x->h->end != MER_NO_TIME)
			rc = xml_eval_until(&x->programs[i].eval, x->h->end);
	return rc;
}

void run_xml_fini(struct run *x)
{
	for (uint32_t i = 0; x->programs && i < x->r->n_programs; i++) {
		xml_eval_fini(&x->programs[i].eval);
		free(x->programs[i].attributes);
		free(x->programs[i].texts);
	}
	free(x->programs);
}
