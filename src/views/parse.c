/* The parser of view files: a line is a declaration. Every message names line and column, and shows
 * the line. */
#include "views/parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ctf/text_place.h"

/* ---- clauses ---- */

/* The next word of a key that has n fields so far. *ends: the word begins a clause, and was not
 * taken. */
static int next_of_key(struct parser *p, uint32_t n, struct word *w, bool *ends)
{
	const char *before = p->at;
	int rc = parse_next_word(p, w);
	if (rc)
		return rc;
	*ends = parse_is_clause(*w);
	if (*ends)
		p->at = before;
	else if (n == VIEW_MAX_KEY)
		return parse_fail(p, w->text, "a key has at most 8 fields");
	return 0;
}

/* Fields up to the next clause. */
static int parse_fields(struct parser *p, struct trace_path **fields, uint32_t *n)
{
	struct trace_path *list = mer_arena_zalloc(&p->out->arena, VIEW_MAX_KEY, sizeof(*list));
	struct word w;
	if (!list)
		return mer_fail_nomem(p->err);
	*n = 0;
	for (bool ends = false;;) {
		int rc = next_of_key(p, *n, &w, &ends);
		if (rc)
			return rc;
		if (ends)
			break;
		if (w.is_text)
			return parse_fail(p, w.text, "expected the name of a field");
		rc = parse_path(p, w.text, w.len, &list[*n]);
		if (rc)
			return rc;
		++*n;
	}
	if (*n == 0)
		return parse_fail(p, w.text, "expected the name of a field");
	*fields = list;
	return 0;
}

/* The rest of the line. */
static int parse_condition(struct parser *p, struct view_rule *r)
{
	const char *from = p->at, *to = p->end;
	while (to > from && parse_is_blank(to[-1]))
		to--;
	struct mer_err inner = { 0 };
	char *text = mer_arena_strndup(&p->out->arena, from, (size_t)(to - from));
	if (!text)
		return mer_fail_nomem(p->err);
	p->at = p->end;
	int rc = trace_filter_parse(text, &r->filter, &inner);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(p->err);
	if (rc == 0)
		return 0;
	size_t column;
	const char *what = trace_filter_mistake(&inner, &column);
	return parse_fail(p, from + column, what);
}

static int parse_amount(struct parser *p, struct view_rule *r)
{
	struct word w;
	int rc = parse_next_word(p, &w);
	if (rc)
		return rc;
	if (w.is_text || parse_is_clause(w))
		return parse_fail(p, w.text, "expected a field or a number");
	r->has_amount = true;
	if ((*w.text < '0' || *w.text > '9') && *w.text != '-')
		return parse_path(p, w.text, w.len, &r->amount);
	r->has_number = true;
	size_t i = *w.text == '-';
	if (i == w.len)
		return parse_fail(p, w.text, "expected a field or a number");
	bool fits = true;
	for (; i < w.len; i++) {
		if (w.text[i] < '0' || w.text[i] > '9')
			return parse_fail(p, w.text, "expected a whole number");
		fits = fits && !__builtin_mul_overflow(r->number, 10, &r->number) &&
		       !__builtin_add_overflow(r->number, w.text[i] - '0', &r->number);
	}
	if (!fits)
		return parse_fail(
			p, w.text, "the number is too large: at most 9223372036854775807");
	if (*w.text == '-')
		r->number = -r->number;
	return 0;
}

static int parse_clauses(struct parser *p, struct view_rule *r)
{
	struct word w;
	for (;;) {
		int rc = parse_next_word(p, &w);
		if (rc || parse_is_end(w))
			return rc;
		if (parse_is(w, "as"))
			rc = r->text.n ? parse_fail(p, w.text, "as is there twice")
				       : parse_need_text(p, &r->text);
		else if (parse_is(w, "colour") || parse_is(w, "color"))
			rc = parse_colour(p, &r->colour);
		else if (parse_is(w, "key"))
			rc = parse_fields(p, &r->key, &r->n_key);
		else if (parse_is(w, "by"))
			rc = parse_fields(p, &r->by, &r->n_by);
		else if (parse_is(w, "amount"))
			rc = r->has_amount ? parse_fail(p, w.text, "amount is there twice")
					   : parse_amount(p, r);
		else if (parse_is(w, "if"))
			rc = parse_condition(p, r);
		else
			rc = parse_fail(p, w.text, "expected as, colour, key, amount, by or if");
		if (rc)
			return rc;
	}
}

/* ---- declarations ---- */

static struct view_rule *new_rule(struct parser *p)
{
	struct view *v = p->out;
	if (v->n_rules == VIEW_MAX_RULES) {
		parse_fail(p, p->line, "more than 1000 rules");
		return NULL;
	}
	if (!mer_grow32(&v->rules, v->n_rules, &p->cap_rules, sizeof(*v->rules))) {
		mer_fail_nomem(p->err);
		return NULL;
	}
	struct view_rule *r = &v->rules[v->n_rules++];
	*r = (struct view_rule){ .line = p->number, .row = v->n_rows - 1 };
	return r;
}

static const char no_event_name[] = "expected the name of an event";

static bool is_field_alone(const struct view_text *text)
{
	const struct view_part *part = text->parts;
	return text->n == 1 &&
	       (part->kind == VIEW_FIELD || part->kind == VIEW_HEX || part->kind == VIEW_SYMBOL);
}

static int check_rule(struct parser *p, struct view_rule *r, const char *at)
{
	struct view_row *row = &p->out->rows[r->row];
	bool of_values = r->verb == VIEW_ADD || r->verb == VIEW_TAKE || r->verb == VIEW_LEVEL;
	bool needs_text = r->verb == VIEW_BEGIN || r->verb == VIEW_SET || r->verb == VIEW_STACK ||
			  r->verb == VIEW_TOGGLE || r->verb == VIEW_MARK || r->verb == VIEW_LABEL;
	if (needs_text && !r->text.n)
		return parse_fail(p, at, "the rule needs as \"TEXT\"");
	if (r->verb == VIEW_STACK && !is_field_alone(&r->text))
		return parse_fail(p, at, "stack needs as \"{FIELD}\": an array of addresses alone");
	if (of_values && r->text.n)
		return parse_fail(p, at, "a rule of values has no text");
	if (!of_values && (r->has_amount || r->n_by))
		return parse_fail(p, at, "amount and by are for add, take and level");
	if ((r->verb == VIEW_ADD || r->verb == VIEW_LEVEL) && !r->has_amount)
		return parse_fail(p, at, "the rule needs amount FIELD or amount NUMBER");
	if (r->verb == VIEW_TAKE && !r->has_amount && !r->n_by)
		return parse_fail(p, at, "take needs amount, or by and what was added by the same");
	if (r->verb == VIEW_LEVEL && r->n_by)
		return parse_fail(p, at, "level has no by");
	row->has_values |= of_values;
	row->has_states |= !of_values && r->verb != VIEW_MARK && r->verb != VIEW_LABEL;
	if (row->has_values && row->has_states)
		return parse_fail(p, at, "a row has states or values, not both");
	if (!r->n_key) {
		r->key = row->key;
		r->n_key = row->n_key;
	} else if (r->n_key != row->n_key) {
		return parse_fail(p, at, "the key has as many fields as that of the row");
	}
	return 0;
}

static int parse_rule(struct parser *p, enum view_verb verb, const char *at)
{
	struct view_rule *r = p->out->n_rows ? new_rule(p) : NULL;
	if (!p->out->n_rows)
		return parse_fail(p, at, "expected a row before its first rule");
	if (!r)
		return p->err->code;
	r->verb = verb;
	int rc = parse_need_word(p, no_event_name, &r->event);
	if (rc == 0)
		rc = parse_clauses(p, r);
	return rc ? rc : check_rule(p, r, at);
}

static int parse_thread(struct parser *p, struct view_row *row)
{
	struct word w;
	int rc = parse_next_word(p, &w);
	if (rc == 0 && (row->has_thread || w.is_text || parse_is_end(w)))
		rc = parse_fail(p, w.text, "expected one field, with the thread's number");
	row->has_thread = true;
	return rc ? rc : parse_path(p, w.text, w.len, &row->thread);
}

static int parse_unit(struct parser *p, struct view_row *row)
{
	struct word w;
	int rc = parse_next_word(p, &w);
	if (rc)
		return rc;
	if (!parse_is(w, "bytes") && !parse_is(w, "ns") && !parse_is(w, "count"))
		return parse_fail(p, w.text, "the unit is bytes, ns or count");
	row->unit = parse_copy(p, w);
	return row->unit ? 0 : mer_fail_nomem(p->err);
}

static int parse_row(struct parser *p)
{
	struct view *v = p->out;
	struct word w;
	if (v->n_rows == VIEW_MAX_RULES)
		return parse_fail(p, p->line, "more than 1000 rows");
	if (!mer_grow32(&v->rows, v->n_rows, &p->cap_rows, sizeof(*v->rows)))
		return mer_fail_nomem(p->err);
	struct view_row *row = &v->rows[v->n_rows++];
	const char *name = p->at;
	while (name < p->end && parse_is_blank(*name))
		name++;
	*row = (struct view_row){ .line = p->number, .at = (uint32_t)(name - p->text) };
	int rc = parse_need_word(p, "expected a name for the row", &row->name);
	if (rc == 0)
		rc = parse_need_text(p, &row->label);
	while (rc == 0 && (rc = parse_next_word(p, &w)) == 0 && !parse_is_end(w)) {
		if (parse_is(w, "under"))
			rc = parse_need_text(p, &row->under);
		else if (parse_is(w, "unit"))
			rc = parse_unit(p, row);
		else if (parse_is(w, "async"))
			row->is_async = true;
		else if (parse_is(w, "thread-id"))
			rc = parse_thread(p, row);
		else if (parse_is(w, "key"))
			rc = parse_fields(p, &row->key, &row->n_key);
		else
			rc = parse_fail(p, w.text, "expected under, unit, thread-id, async or key");
	}
	return rc;
}

/* names TABLE EVENT key FIELD... as "TEXT" */
static int parse_names(struct parser *p, const char *at)
{
	struct view_rule *r = new_rule(p);
	const char *name;
	if (!r)
		return p->err->code;
	r->verb = VIEW_NAMES;
	int rc = parse_need_word(p, "expected a name for the table", &name);
	if (rc == 0)
		rc = parse_need_word(p, no_event_name, &r->event);
	if (rc == 0)
		rc = parse_clauses(p, r);
	if (rc)
		return rc;
	if (!r->n_key || !r->text.n)
		return parse_fail(p, at, "names needs key FIELD... and as \"TEXT\"");
	r->row = parse_table_of(p, name, strlen(name));
	if (r->row == UINT32_MAX)
		return parse_fail(p, at, "too many tables");
	struct view_table *t = &p->out->tables[r->row];
	if (t->n_key && t->n_key != r->n_key)
		return parse_fail(p, at, "the table has another number of fields elsewhere");
	t->n_key = r->n_key;
	return 0;
}

/* FIELD or FIELD=FIELD up to the next clause. */
static int parse_arrow_key(struct parser *p, struct view_rule *send, struct view_rule *receive)
{
	struct word w;
	send->by = mer_arena_zalloc(&p->out->arena, VIEW_MAX_KEY, sizeof(*send->by));
	receive->by = mer_arena_zalloc(&p->out->arena, VIEW_MAX_KEY, sizeof(*send->by));
	if (!send->by || !receive->by)
		return mer_fail_nomem(p->err);
	for (bool ends = false;;) {
		int rc = next_of_key(p, send->n_by, &w, &ends);
		if (rc)
			return rc;
		if (ends)
			break;
		const char *end = w.text + w.len, *equal = memchr(w.text, '=', w.len);
		const char *second = equal ? equal + 1 : w.text;
		rc = parse_path(
			p, w.text, (size_t)((equal ? equal : end) - w.text), &send->by[send->n_by]);
		if (rc == 0)
			rc = parse_path(
				p, second, (size_t)(end - second), &receive->by[send->n_by]);
		if (rc)
			return rc;
		receive->n_by = ++send->n_by;
	}
	return send->n_by ? 0 : parse_fail(p, w.text, "expected a field, or FIELD=FIELD");
}

/* arrow NAME EVENT -> EVENT key FIELD[=FIELD]... [ordered] */
static int parse_arrow(struct parser *p, const char *at)
{
	struct view *v = p->out;
	struct view_rule send = { .verb = VIEW_SEND }, receive = { .verb = VIEW_RECEIVE };
	struct view_arrow *arrow;
	struct word w;
	if (!v->n_rows)
		return parse_fail(p, at, "expected a row before its first arrow");
	if (v->n_arrows == VIEW_MAX_RULES)
		return parse_fail(p, at, "more than 1000 arrows");
	if (!mer_grow32(&v->arrows, v->n_arrows, &p->cap_arrows, sizeof(*v->arrows)))
		return mer_fail_nomem(p->err);
	arrow = &v->arrows[v->n_arrows];
	*arrow = (struct view_arrow){ .line = p->number };
	int rc = parse_need_word(p, "expected a name for the arrow", &arrow->name);
	if (rc == 0)
		rc = parse_need_word(p, no_event_name, &send.event);
	if (rc == 0)
		rc = parse_next_word(p, &w);
	if (rc == 0 && !parse_is(w, "->"))
		rc = parse_fail(p, w.text, "expected -> and the event at which it arrives");
	if (rc == 0)
		rc = parse_need_word(p, no_event_name, &receive.event);
	if (rc == 0)
		rc = parse_next_word(p, &w);
	if (rc == 0 && !parse_is(w, "key"))
		rc = parse_fail(p, w.text, "expected key and the fields that identify it");
	if (rc == 0)
		rc = parse_arrow_key(p, &send, &receive);
	if (rc == 0)
		rc = parse_next_word(p, &w);
	if (rc == 0 && parse_is(w, "ordered")) {
		arrow->is_ordered = true;
		rc = parse_next_word(p, &w);
	}
	if (rc == 0 && !parse_is_end(w))
		rc = parse_fail(p, w.text, "expected ordered, or the end of the line");
	for (int i = 0; i < 2 && rc == 0; i++) {
		struct view_rule *r = new_rule(p);
		if (!r)
			return p->err->code;
		struct view_rule *from = i ? &receive : &send;
		from->line = r->line;
		from->row = r->row;
		*r = *from;
		r->arrow = v->n_arrows;
		r->key = v->rows[r->row].key;
		r->n_key = v->rows[r->row].n_key;
	}
	v->n_arrows++;
	return rc;
}

/* colour "PATTERN" COLOUR */
static int parse_colour_of(struct parser *p)
{
	struct view *v = p->out;
	struct word w;
	int rc = parse_next_word(p, &w);
	if (rc)
		return rc;
	if (!w.is_text)
		return parse_fail(p, w.text, "expected the text of a state in double quotes");
	if (v->n_colours == VIEW_MAX_RULES ||
		!mer_grow32(&v->colours, v->n_colours, &p->cap_colours, sizeof(*v->colours)))
		return v->n_colours == VIEW_MAX_RULES ? parse_fail(p, w.text, "too many colours")
						      : mer_fail_nomem(p->err);
	struct view_colour *c = &v->colours[v->n_colours++];
	*c = (struct view_colour){ .pattern = parse_copy(p, w) };
	if (!c->pattern)
		return mer_fail_nomem(p->err);
	rc = parse_colour(p, &c->colour);
	c->colour -= rc == 0;
	if (rc == 0)
		rc = parse_next_word(p, &w);
	return rc == 0 && !parse_is_end(w) ? parse_fail(p, w.text, "expected the end of the line")
					   : rc;
}

static int parse_view(struct parser *p, const char *at)
{
	struct word w;
	if (p->out->name)
		return parse_fail(p, at, "the view has a name already");
	int rc = parse_need_word(p, "expected a name for the view", &p->out->name);
	if (rc == 0)
		rc = parse_next_word(p, &w);
	if (rc == 0 && (w.is_text || !parse_is_end(w))) {
		p->out->title = parse_copy(p, w);
		rc = !p->out->title ? mer_fail_nomem(p->err)
		     : !w.is_text   ? parse_fail(p, w.text, "expected the title in double quotes")
				    : parse_next_word(p, &w);
		if (rc == 0 && !parse_is_end(w))
			rc = parse_fail(p, w.text, "expected the end of the line");
	}
	return rc;
}

static int parse_line(struct parser *p)
{
	static const struct {
		const char *word;
		enum view_verb verb;
	} verbs[] = { { "begin", VIEW_BEGIN }, { "end", VIEW_END }, { "set", VIEW_SET },
		{ "clear", VIEW_CLEAR }, { "stack", VIEW_STACK }, { "toggle", VIEW_TOGGLE },
		{ "mark", VIEW_MARK }, { "label", VIEW_LABEL }, { "add", VIEW_ADD },
		{ "take", VIEW_TAKE }, { "level", VIEW_LEVEL } };
	struct word w;
	int rc = parse_next_word(p, &w);
	if (rc || parse_is_end(w))
		return rc;
	const char *at = w.text;
	if (parse_is(w, "view"))
		return parse_view(p, at);
	if (!p->out->name)
		return parse_fail(p, at, "expected view and a name before everything else");
	if (parse_is(w, "row"))
		return parse_row(p);
	if (parse_is(w, "names"))
		return parse_names(p, at);
	if (parse_is(w, "arrow"))
		return parse_arrow(p, at);
	if (parse_is(w, "colour") || parse_is(w, "color"))
		return parse_colour_of(p);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (parse_is(w, verbs[i].word))
			return parse_rule(p, verbs[i].verb, at);
	return parse_fail(p, at,
		"expected view, row, names, arrow, colour, or a rule: begin, end, set, clear, stack, toggle, mark, label, add, take, level");
}

/* ---- the whole file ---- */

static int check_text(struct parser *p, const struct view_text *text)
{
	for (uint32_t i = 0; i < text->n; i++) {
		const struct view_part *part = &text->parts[i];
		if (part->kind != VIEW_LOOK_UP)
			continue;
		const struct view_table *t = &p->out->tables[part->table];
		if (t->n_key != part->n_paths)
			return ctf_place_fail(p->err, MER_ERR_INPUT, p->out->path, p->text, p->len,
				part->at,
				t->n_key ? "the table %s has another number of fields"
					 : "no names are declared for the table %s",
				t->name);
	}
	return 0;
}

static int check(struct parser *p)
{
	const struct view *v = p->out;
	int rc = 0;
	if (!v->name || !v->n_rows)
		return mer_fail(p->err, MER_ERR_INPUT, "%s: %s", v->path,
			v->name ? "no rows are declared here" : "no view is declared here");
	for (uint32_t i = 0; i < v->n_rows && rc == 0; i++) {
		rc = check_text(p, &v->rows[i].label);
		if (rc == 0)
			rc = check_text(p, &v->rows[i].under);
		for (uint32_t k = 0; k < i && rc == 0; k++)
			if (strcmp(v->rows[i].name, v->rows[k].name) == 0)
				rc = ctf_place_fail(p->err, MER_ERR_INPUT, v->path, p->text, p->len,
					v->rows[i].at, "the row %s was declared before, in line %u",
					v->rows[i].name, (unsigned)v->rows[k].line);
	}
	for (uint32_t i = 0; i < v->n_rules && rc == 0; i++)
		rc = check_text(p, &v->rules[i].text);
	return rc;
}

int view_parse(
	const char *text, size_t len, const char *path, struct view **view, struct mer_err *err)
{
	struct view *out = calloc(1, sizeof(*out));
	*view = NULL;
	if (!out)
		return mer_fail_nomem(err);
	mer_arena_init(&out->arena);
	out->path = mer_arena_strdup(&out->arena, path);
	/* byte order mark in UTF-8, which some editors write */
	static const char mark[] = "\xef\xbb\xbf";
	size_t marked = len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
	struct parser p = { .out = out,
		.text = text + marked,
		.len = len - marked,
		.line = text + marked,
		.err = err };
	const char *end = text + len;
	int rc = out->path ? 0 : mer_fail_nomem(err);
	if (rc == 0 && len > VIEW_MAX_BYTES)
		rc = mer_fail(
			err, MER_ERR_INPUT, "%s: more than 1 MiB: this is no view file", path);
	while (rc == 0 && p.line < end) {
		const char *newline = memchr(p.line, '\n', (size_t)(end - p.line));
		p.end = newline ? newline : end;
		p.at = p.line;
		p.number++;
		for (const char *c = p.line; c < p.end && rc == 0; c++)
			if ((unsigned char)*c < ' ' && *c != '\t' && *c != '\r')
				rc = parse_fail(&p, c, "a control character: this is no text file");
		if (rc == 0)
			rc = parse_line(&p);
		p.line = newline ? newline + 1 : end;
	}
	if (rc == 0)
		rc = check(&p);
	if (rc) {
		view_free(out);
		return rc;
	}
	*view = out;
	return 0;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	for (uint32_t i = 0; i < v->n_rules; i++)
		trace_filter_free(v->rules[i].filter);
	free(v->rows);
	free(v->rules);
	free(v->tables);
	free(v->arrows);
	free(v->colours);
	mer_arena_fini(&v->arena);
	free(v);
}
