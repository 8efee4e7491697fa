#include "views/bind.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "views/xml/program.h"

/* Fields with the thread number; the number in the kernel's own namespace is preferred. */
static const char *const tid_paths[] = { "context.tid", "context.vtid", "perf_tid" };
enum { N_TID_PATHS = 3 };
static const char *const process_paths[] = { "context.vpid", "context.pid" };
enum { N_PROCESS_PATHS = 2 };

/* Events of LTTng-UST (of several versions) that report where binaries are loaded. */
static const struct binary_row {
	const char *event;
	int kind;
	const char *data[2]; /* the first of these fields that exists */
} binary_rows[] = {
	{ "lttng_ust_statedump:bin_info", VIEW_BINARY_LOADED, { "path", "sopath" } },
	{ "lttng_ust_statedump:soinfo", VIEW_BINARY_LOADED, { "sopath", "path" } },
	{ "lttng_ust_statedump:build_id", VIEW_BINARY_ID, { "build_id", "build_id" } },
	{ "lttng_ust_dl:dlopen", VIEW_BINARY_LOADED, { "path", "sopath" } },
	{ "lttng_ust_dl:dlmopen", VIEW_BINARY_LOADED, { "path", "sopath" } },
	{ "lttng_ust_dl:build_id", VIEW_BINARY_ID, { "build_id", "build_id" } },
	{ "lttng_ust_dl:dlclose", VIEW_BINARY_UNLOADED, { "baddr", "baddr" } },
	{ "lttng_ust_lib:load", VIEW_BINARY_LOADED, { "path", "sopath" } },
	{ "lttng_ust_lib:build_id", VIEW_BINARY_ID, { "build_id", "build_id" } },
	{ "lttng_ust_lib:unload", VIEW_BINARY_UNLOADED, { "baddr", "baddr" } },
};
enum { N_BINARY_ROWS = sizeof(binary_rows) / sizeof(*binary_rows) };

static const struct binary_row *binary_row(
	const struct view_reading *r, const struct ctf_event_class *ec)
{
	for (size_t i = 0; r->has_symbols && i < N_BINARY_ROWS; i++)
		if (strcmp(ec->name, binary_rows[i].event) == 0)
			return &binary_rows[i];
	return NULL;
}

struct wants {
	const struct view_reading *r;
	struct trace_path tids[N_TID_PATHS], exit_tid, exit_pid, processes[N_PROCESS_PATHS];
};

static bool is_exit(const struct ctf_event_class *ec)
{
	return strcmp(ec->name, "sched_process_exit") == 0;
}

/* Does the event have the field of the stack? A rule with VIEW_STACK applies only to events that
 * have it. */
static bool has_stack(const struct view_rule *rule, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec)
{
	struct trace_place p;
	return trace_path_find(rule->text.parts->paths, sc, ec, NULL, false, NULL, &p) ==
	       TRACE_FOUND;
}

static bool may_match(const struct view_rule *rule, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec)
{
	return view_fits(rule->event, ec->name, NULL, NULL) &&
	       (rule->verb != VIEW_STACK || has_stack(rule, sc, ec)) &&
	       (!rule->filter || trace_filter_may_match(rule->filter, sc, ec));
}

static bool program_wants(const struct view_program *p, const struct ctf_event_class *ec)
{
	for (uint32_t i = 0; i < p->program->n_events; i++)
		if (view_fits(p->program->events[i], ec->name, NULL, NULL))
			return true;
	return false;
}

static int32_t want_event(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	const struct wants *w = arg;
	if (is_exit(ec) || binary_row(w->r, ec))
		return 0;
	for (uint32_t v = 0; v < w->r->n_views; v++)
		for (uint32_t i = 0; i < w->r->views[v]->n_rules; i++)
			if (may_match(&w->r->views[v]->rules[i], sc, ec))
				return 0;
	for (uint32_t i = 0; i < w->r->n_programs; i++)
		if (program_wants(&w->r->programs[i], ec))
			return 0;
	return CTF_UNWANTED;
}

struct field { /* a field that may be wanted */
	const struct ctf_stream_class *sc;
	const struct ctf_event_class *ec;
	enum ctf_scope scope;
	const struct ctf_field *f;
};

static bool reads(const struct field *x, const struct trace_path *paths, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (trace_path_reads(&paths[i], x->sc, x->ec, x->scope, x->f))
			return true;
	return false;
}

static bool text_reads(const struct field *x, const struct view_text *text)
{
	for (uint32_t i = 0; i < text->n; i++)
		if (reads(x, text->parts[i].paths, text->parts[i].n_paths))
			return true;
	return false;
}

static bool rule_reads(const struct field *x, const struct view *v, const struct view_rule *rule)
{
	const struct view_row *row = rule->verb == VIEW_NAMES ? NULL : &v->rows[rule->row];
	return reads(x, rule->key, rule->n_key) || reads(x, rule->by, rule->n_by) ||
	       text_reads(x, &rule->text) ||
	       (row && (text_reads(x, &row->label) || text_reads(x, &row->under) ||
			       (row->has_thread && reads(x, &row->thread, 1)))) ||
	       (rule->has_amount && !rule->has_number && reads(x, &rule->amount, 1)) ||
	       (rule->filter && trace_filter_reads(rule->filter, x->sc, x->ec, x->scope, x->f));
}

static int32_t want_field(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	const struct wants *w = arg;
	const struct field x = { sc, ec, scope, f };
	if (reads(&x, w->tids, N_TID_PATHS) ||
		(is_exit(ec) && (reads(&x, &w->exit_tid, 1) || reads(&x, &w->exit_pid, 1))))
		return CTF_ANYWHERE;
	if (w->r->has_symbols && (reads(&x, w->processes, N_PROCESS_PATHS) ||
					 (binary_row(w->r, ec) && scope == CTF_SCOPE_PAYLOAD)))
		return CTF_ANYWHERE;
	for (uint32_t v = 0; v < w->r->n_views; v++)
		for (uint32_t i = 0; i < w->r->views[v]->n_rules; i++) {
			const struct view_rule *rule = &w->r->views[v]->rules[i];
			if (may_match(rule, sc, ec) && rule_reads(&x, w->r->views[v], rule))
				return CTF_ANYWHERE;
		}
	for (uint32_t i = 0; i < w->r->n_programs; i++) {
		const struct view_program *p = &w->r->programs[i];
		for (uint32_t k = 0; k < p->program->n_fields && program_wants(p, ec); k++)
			if (p->paths[k].text && reads(&x, &p->paths[k], 1))
				return CTF_ANYWHERE;
	}
	return CTF_UNWANTED;
}

static bool in_context(const struct trace_path *paths, uint32_t n, const struct mer_experiment *e)
{
	for (uint32_t i = 0; i < n; i++)
		if (trace_path_exists(&paths[i], e, CTF_SCOPE_PACKET_CONTEXT))
			return true;
	return false;
}

static bool text_in_context(const struct view_text *text, const struct mer_experiment *e)
{
	for (uint32_t i = 0; i < text->n; i++)
		if (in_context(text->parts[i].paths, text->parts[i].n_paths, e))
			return true;
	return false;
}

static bool needs_contexts(const struct view_reading *r)
{
	for (uint32_t v = 0; v < r->n_views; v++) {
		const struct view *view = r->views[v];
		for (uint32_t i = 0; i < view->n_rows; i++)
			if (text_in_context(&view->rows[i].label, r->e) ||
				text_in_context(&view->rows[i].under, r->e) ||
				(view->rows[i].has_thread &&
					in_context(&view->rows[i].thread, 1, r->e)))
				return true;
		for (uint32_t i = 0; i < view->n_rules; i++) {
			const struct view_rule *rule = &view->rules[i];
			if (in_context(rule->key, rule->n_key, r->e) ||
				in_context(rule->by, rule->n_by, r->e) ||
				text_in_context(&rule->text, r->e) ||
				(rule->has_amount && !rule->has_number &&
					in_context(&rule->amount, 1, r->e)) ||
				(rule->filter && trace_filter_needs_contexts(rule->filter, r->e)))
				return true;
		}
	}
	return false;
}

/* ---- binding ---- */

struct binding {
	struct view_reading *r;
	const struct ctf_schema *schema;
	struct view_lack *lack; /* for the rule that is being bound; NULL: fields may be missing */
	const struct ctf_stream_class *sc;
	const struct ctf_plan *plan;
	struct mer_err *err;
	int rc;
};

static bool find_place(struct binding *b, const struct trace_path *path, struct trace_place *place)
{
	switch (trace_path_find(path, b->sc, b->plan->class, b->plan, b->r->reading->contexts,
		&b->r->arena, place)) {
	case TRACE_FOUND:
		return place->scope != CTF_SCOPE_EVENT_HEADER || path->scope == TRACE_PATH_HEADER;
	case TRACE_NOT_FOUND:
	case TRACE_NOT_READ: return false;
	case TRACE_FIND_NOMEM: break;
	}
	b->rc = mer_fail_nomem(b->err);
	return false;
}

/* The same for a field that the rule needs: notes it if it is missing. */
static bool need_place(struct binding *b, const struct trace_path *path, struct trace_place *place)
{
	bool found = find_place(b, path, place);
	if (!found && b->lack && !b->lack->field)
		*b->lack = (struct view_lack){ path->text, b->schema, b->sc, b->plan->class };
	return found;
}

/* Are all of them there? */
static bool find_places(
	struct binding *b, const struct trace_path *paths, uint32_t n, struct trace_place **places)
{
	*places = mer_arena_zalloc(&b->r->arena, n, sizeof(**places));
	if (!*places) {
		b->rc = mer_fail_nomem(b->err);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!need_place(b, &paths[i], &(*places)[i]))
			return false;
	return true;
}

static void bind_text(struct binding *b, const struct view_text *text, const char *event,
	struct view_bound_text *to)
{
	*to = (struct view_bound_text){ .n = text->n, .is_complete = true, .is_constant = true };
	to->parts = mer_arena_zalloc(&b->r->arena, text->n, sizeof(*to->parts));
	if (!to->parts) {
		b->rc = mer_fail_nomem(b->err);
		return;
	}
	for (uint32_t i = 0; i < text->n; i++) {
		const struct view_part *part = &text->parts[i];
		struct view_bound_part *p = &to->parts[i];
		*p = (struct view_bound_part){ .kind = part->kind,
			.literal = part->literal,
			.n = part->n_paths,
			.table = part->table };
		if (p->kind == VIEW_EVENT)
			p->literal = b->plan->class->name;
		p->len = p->literal ? strlen(p->literal) : 0;
		if (p->kind == VIEW_STAR)
			view_fits(event, b->plan->class->name, &p->literal, &p->len);
		to->is_constant &= p->kind == VIEW_LITERAL || p->kind == VIEW_STAR ||
				   p->kind == VIEW_EVENT || p->kind == VIEW_HOST;
		to->has_symbols |= p->kind == VIEW_SYMBOL;
		if (part->n_paths)
			to->is_complete &= find_places(b, part->paths, part->n_paths, &p->places);
	}
}

static void bind_rule(struct binding *b, const struct view *v, const struct view_rule *rule,
	struct view_bound_rule *to)
{
	static const struct view_text none;
	const struct view_row *row = rule->verb == VIEW_NAMES ? NULL : &v->rows[rule->row];
	to->rule = rule;
	b->lack = &b->r->lacks[to->number];
	to->has_key = find_places(b, rule->key, rule->n_key, &to->key);
	to->has_by = find_places(b, rule->by, rule->n_by, &to->by);
	to->has_amount =
		rule->has_amount && (rule->has_number || need_place(b, &rule->amount, &to->amount));
	bind_text(b, &rule->text, rule->event, &to->text);
	b->lack = NULL; /* without these fields, a row has its declared name */
	to->has_thread = row && row->has_thread && find_place(b, &row->thread, &to->thread);
	bind_text(b, row ? &row->label : &none, rule->event, &to->label);
	bind_text(b, row ? &row->under : &none, rule->event, &to->under);
}

static int bind_programs(struct binding *b, struct view_class *c, uint32_t trace)
{
	struct view_reading *r = b->r;
	static const char *const words[] = { "", "timestamp", "hostID", "cpu" };
	c->programs = mer_arena_zalloc(&r->arena, r->n_programs, sizeof(*c->programs));
	if (!c->programs)
		return mer_fail_nomem(b->err);
	for (uint32_t i = 0; i < r->n_programs; i++) {
		struct view_program *p = &r->programs[i];
		if (!program_wants(p, b->plan->class))
			continue;
		struct view_bound_program *to = &c->programs[c->n_programs++];
		to->program = p->program;
		to->number = i;
		to->fields = mer_arena_zalloc(&r->arena, p->program->n_fields, sizeof(*to->fields));
		if (!to->fields)
			return mer_fail_nomem(b->err);
		for (uint32_t k = 0; k < p->program->n_fields; k++) {
			to->fields[k].is_there = p->paths[k].text &&
						 find_place(b, &p->paths[k], &to->fields[k].place);
			for (unsigned s = VIEW_OF_TIME;
				!to->fields[k].is_there && !to->fields[k].of && s <= VIEW_OF_CPU;
				s++)
				if (strcmp(p->program->fields[k], words[s]) == 0)
					to->fields[k].of = s;
		}
		p->n_classes++;
		r->is_fed[trace] = true;
	}
	return b->rc;
}

static bool find_field(struct binding *b, const char *name, struct trace_place *place)
{
	struct trace_path path;
	struct mer_err inner = { 0 };
	int rc = trace_path_parse(name, "view", &b->r->arena, &path, &inner);
	if (rc)
		b->rc = mer_fail_nomem(b->err);
	return rc == 0 && find_place(b, &path, place);
}

/* Binds the field of the process, and, if the event is about binaries and has all fields for that,
 * those. */
static int bind_binary(struct binding *b, const struct wants *w, struct view_class *c)
{
	const struct binary_row *row = binary_row(b->r, b->plan->class);
	for (size_t i = 0; b->r->has_symbols && i < N_PROCESS_PATHS && !c->has_process; i++)
		c->has_process = find_place(b, &w->processes[i], &c->process);
	if (!row)
		return b->rc;
	struct view_binary_event *e = mer_arena_zalloc(&b->r->arena, 1, sizeof(*e));
	if (!e)
		return mer_fail_nomem(b->err);
	e->kind = row->kind;
	bool ok = find_field(b, "baddr", &e->base) &&
		  (find_field(b, row->data[0], &e->data) || find_field(b, row->data[1], &e->data));
	if (row->kind == VIEW_BINARY_LOADED)
		ok = ok && find_field(b, "memsz", &e->size);
	c->binary = ok ? e : NULL;
	return b->rc;
}

static int bind_class(struct binding *b, const struct wants *w, uint32_t trace)
{
	struct view_reading *r = b->r;
	struct view_class *c = mer_arena_zalloc(&r->arena, 1, sizeof(*c));
	uint32_t n = 0, number = 0;
	if (!c)
		return mer_fail_nomem(b->err);
	for (uint32_t v = 0; v < r->n_views; v++)
		for (uint32_t i = 0; i < r->views[v]->n_rules; i++)
			n += may_match(&r->views[v]->rules[i], b->sc, b->plan->class);
	c->rules = mer_arena_zalloc(&r->arena, n, sizeof(*c->rules));
	if (!c->rules)
		return mer_fail_nomem(b->err);
	c->trace = trace;
	c->is_exit = is_exit(b->plan->class);
	if (c->is_exit)
		c->has_tid = find_place(b, &w->exit_tid, &c->tid) ||
			     find_place(b, &w->exit_pid, &c->tid);
	for (size_t i = 0; i < N_TID_PATHS && !c->has_tid; i++)
		c->has_tid = find_place(b, &w->tids[i], &c->tid);
	for (uint32_t v = 0; v < r->n_views; v++)
		for (uint32_t i = 0; i < r->views[v]->n_rules; i++, number++) {
			const struct view_rule *rule = &r->views[v]->rules[i];
			if (!may_match(rule, b->sc, b->plan->class))
				continue;
			struct view_bound_rule *to = &c->rules[c->n++];
			to->view = v;
			to->number = number;
			to->filter = r->filters[number];
			bind_rule(b, r->views[v], rule, to);
			r->n_classes[number]++;
			r->is_fed[trace] = true;
		}
	r->classes[b->plan->id] = c;
	int rc = b->rc ? b->rc : bind_binary(b, w, c);
	return rc ? rc : bind_programs(b, c, trace);
}

static int bind_classes(struct view_reading *r, const struct wants *w, struct mer_err *err)
{
	struct binding b = { .r = r, .err = err };
	for (uint32_t p = 0; p < r->e->n_parts; p++) {
		const struct ctf_program *program = r->reading->programs[p];
		b.schema = program->schema;
		for (uint32_t s = 0; s < program->schema->n_streams; s++) {
			const struct ctf_stream_plan *sp = &program->streams[s];
			b.sc = sp->class;
			for (uint32_t i = 0; i < sp->class->n_events; i++) {
				b.plan = &sp->events[i];
				int rc = b.plan->wanted ? bind_class(&b, w, r->e->parts[p].trace)
							: 0;
				if (rc)
					return rc;
			}
		}
	}
	return 0;
}

static int bind_filters(struct view_reading *r, struct mer_err *err)
{
	uint32_t number = 0;
	for (uint32_t v = 0; v < r->n_views; v++)
		for (uint32_t i = 0; i < r->views[v]->n_rules; i++, number++) {
			const struct trace_filter *f = r->views[v]->rules[i].filter;
			int rc =
				f ? trace_filter_bind(f, r->e, r->reading, &r->filters[number], err)
				  : 0;
			if (rc)
				return rc;
		}
	return 0;
}

/* Trace Compass writes contexts as context._vtid. A name that is no valid path is no field: its
 * path has no text. */
static int field_path(
	struct view_reading *r, const char *name, struct trace_path *path, struct mer_err *err)
{
	static const char context[] = "context._";
	struct mer_err none;
	struct mer_str text = { 0 };
	if (strncmp(name, context, sizeof(context) - 1) == 0)
		mer_str_printf(&text, "context.%s", name + sizeof(context) - 1);
	else
		mer_str_puts(&text, name);
	char *copy = mer_arena_strdup(&r->arena, text.data ? text.data : "");
	mer_str_fini(&text);
	if (!copy)
		return mer_fail_nomem(err);
	int rc = trace_path_parse(copy, "view", &r->arena, path, &none);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	if (rc)
		*path = (struct trace_path){ 0 };
	return 0;
}

static int find_programs(struct view_reading *r, struct mer_err *err)
{
	uint32_t n = 0;
	for (uint32_t v = 0; v < r->n_views; v++)
		for (const struct xml_program *p = r->views[v]->programs; p; p = p->next)
			n++;
	r->programs = mer_arena_zalloc(&r->arena, n, sizeof(*r->programs));
	if (!r->programs)
		return mer_fail_nomem(err);
	for (uint32_t v = 0; v < r->n_views; v++)
		for (const struct xml_program *p = r->views[v]->programs; p; p = p->next) {
			struct view_program *to = &r->programs[r->n_programs++];
			*to = (struct view_program){ .program = p, .view = v };
			to->paths = mer_arena_zalloc(&r->arena, p->n_fields, sizeof(*to->paths));
			for (uint32_t k = 0; to->paths && k < p->n_fields; k++) {
				int rc = field_path(r, p->fields[k], &to->paths[k], err);
				if (rc)
					return rc;
			}
			if (!to->paths)
				return mer_fail_nomem(err);
		}
	return 0;
}

static bool text_wants_symbols(const struct view_text *text)
{
	for (uint32_t i = 0; i < text->n; i++)
		if (text->parts[i].kind == VIEW_SYMBOL)
			return true;
	return false;
}

static bool wants_symbols(const struct view_reading *r)
{
	for (uint32_t v = 0; v < r->n_views; v++) {
		const struct view *view = r->views[v];
		for (uint32_t i = 0; i < view->n_rules; i++)
			if (text_wants_symbols(&view->rules[i].text))
				return true;
		for (uint32_t i = 0; i < view->n_rows; i++)
			if (text_wants_symbols(&view->rows[i].label) ||
				text_wants_symbols(&view->rows[i].under))
				return true;
	}
	return false;
}

int view_reading_init(struct view_reading *r, const struct mer_experiment *e,
	const struct view *const *views, uint32_t n, struct mer_err *err)
{
	struct wants w = { .r = r };
	struct ctf_wants wants = { .arg = &w, .event = want_event, .field = want_field };
	int rc = 0;
	*r = (struct view_reading){ .e = e, .views = views, .n_views = n };
	mer_arena_init(&r->arena);
	for (uint32_t v = 0; v < n; v++)
		r->n_rules += views[v]->n_rules;
	r->has_symbols = wants_symbols(r);
	rc = find_programs(r, err);
	for (size_t i = 0; i < N_TID_PATHS && rc == 0; i++)
		rc = trace_path_parse(tid_paths[i], "view", &r->arena, &w.tids[i], err);
	for (size_t i = 0; i < N_PROCESS_PATHS && rc == 0; i++)
		rc = trace_path_parse(process_paths[i], "view", &r->arena, &w.processes[i], err);
	if (rc == 0)
		rc = trace_path_parse("tid", "view", &r->arena, &w.exit_tid, err);
	if (rc == 0)
		rc = trace_path_parse("pid", "view", &r->arena, &w.exit_pid, err);
	if (rc == 0)
		rc = trace_reading_new(e, &wants, needs_contexts(r), &r->reading, err);
	if (rc)
		return rc;
	r->filters = mer_arena_zalloc(&r->arena, r->n_rules, sizeof(*r->filters));
	r->n_classes = mer_arena_zalloc(&r->arena, r->n_rules, sizeof(*r->n_classes));
	r->lacks = mer_arena_zalloc(&r->arena, r->n_rules, sizeof(*r->lacks));
	r->is_fed = mer_arena_zalloc(&r->arena, e->n_traces, sizeof(*r->is_fed));
	r->classes = mer_arena_zalloc(&r->arena, r->reading->n_plans, sizeof(struct view_class *));
	if (!r->filters || !r->n_classes || !r->lacks || !r->is_fed || !r->classes)
		return mer_fail_nomem(err);
	rc = bind_filters(r, err);
	return rc ? rc : bind_classes(r, &w, err);
}

void view_reading_fini(struct view_reading *r)
{
	for (uint32_t i = 0; r->filters && i < r->n_rules; i++)
		trace_filter_unbind(r->filters[i]);
	trace_reading_free(r->reading);
	mer_arena_fini(&r->arena);
}
