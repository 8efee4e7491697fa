/* The parser of view files: a line is a declaration, words are separated by blanks, texts are in
 * double quotes. Every message names line and column, and shows the line. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "ctf/text_place.h"
#include "views/view.h"

struct word {
	const char *text;
	size_t len;
	bool is_text; /* was in quotes, which do not belong to it */
};

struct parser {
	struct view *out;
	const char *text; /* the whole file */
	size_t len;
	const char *line, *end, *at;
	uint32_t number;
	uint32_t cap_rows, cap_rules, cap_tables, cap_arrows, cap_colours;
	struct mer_err *err;
};

static int fail_at(struct parser *p, const char *at, const char *what)
{
	return ctf_place_fail(p->err, MER_ERR_INPUT, p->out->path, p->text, p->len,
		(size_t)(at - p->text), "%s", what);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Length 0 and no text: the end of the line. */
static int next_word(struct parser *p, struct word *w)
{
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	*w = (struct word){ .text = p->at };
	if (p->at == p->end || *p->at == '#')
		return 0;
	if (*p->at == '"') {
		const char *close = p->at + 1;
		while (close < p->end && *close != '"')
			close++;
		if (close == p->end)
			return fail_at(p, p->at, "a text without a closing quote");
		*w = (struct word){ p->at + 1, (size_t)(close - p->at) - 1, true };
		p->at = close + 1;
		if (p->at < p->end && !is_blank(*p->at) && *p->at != '#')
			return fail_at(p, p->at, "expected a blank after the text");
		return 0;
	}
	while (p->at < p->end && !is_blank(*p->at))
		p->at++;
	w->len = (size_t)(p->at - w->text);
	return 0;
}

static bool is(struct word w, const char *text)
{
	return !w.is_text && w.len == strlen(text) && memcmp(w.text, text, w.len) == 0;
}

static bool is_end(struct word w)
{
	return !w.is_text && w.len == 0;
}

static bool is_clause(struct word w)
{
	static const char *const words[] = { "as", "colour", "color", "key", "amount", "by", "if",
		"under", "unit", "thread-id", "async", "ordered", "->" };
	bool any = is_end(w);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		any |= is(w, words[i]);
	return any;
}

static const char *copy(struct parser *p, struct word w)
{
	return mer_arena_strndup(&p->out->arena, w.text, w.len);
}

/* A word that is no clause. */
static int need_word(struct parser *p, const char *missing, const char **text)
{
	struct word w;
	int rc = next_word(p, &w);
	if (rc)
		return rc;
	if (w.is_text || is_clause(w))
		return fail_at(p, w.is_text ? w.text - 1 : w.text, missing);
	*text = copy(p, w);
	return *text ? 0 : mer_fail_nomem(p->err);
}

static int parse_path(struct parser *p, const char *at, size_t len, struct trace_path *path)
{
	const char *text = mer_arena_strndup(&p->out->arena, at, len);
	struct mer_err inner = { 0 };
	if (!text)
		return mer_fail_nomem(p->err);
	if (len == 0)
		return fail_at(p, at, "expected the name of a field");
	int rc = trace_path_parse(text, "field", &p->out->arena, path, &inner);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(p->err);
	if (rc == 0)
		return 0;
	size_t column;
	const char *what = trace_filter_mistake(&inner, &column);
	return fail_at(p, at + (column < len ? column : 0), what);
}

/* ---- texts ---- */

static uint32_t table_of(struct parser *p, const char *name, size_t len)
{
	struct view *v = p->out;
	for (uint32_t i = 0; i < v->n_tables; i++)
		if (strlen(v->tables[i].name) == len && memcmp(v->tables[i].name, name, len) == 0)
			return i;
	if (v->n_tables == VIEW_MAX_RULES ||
		!mer_grow32(&v->tables, v->n_tables, &p->cap_tables, sizeof(*v->tables)))
		return UINT32_MAX;
	v->tables[v->n_tables] =
		(struct view_table){ .name = mer_arena_strndup(&v->arena, name, len),
			.line = p->number };
	return v->tables[v->n_tables].name ? v->n_tables++ : UINT32_MAX;
}

/* TABLE(FIELD,FIELD) */
static int parse_look_up(struct parser *p, const char *at, size_t len, struct view_part *part)
{
	const char *open = memchr(at, '(', len), *end = at + len - 1;
	part->kind = VIEW_LOOK_UP;
	part->at = (uint32_t)(at - p->text);
	part->paths = mer_arena_zalloc(&p->out->arena, VIEW_MAX_KEY, sizeof(*part->paths));
	if (!part->paths)
		return mer_fail_nomem(p->err);
	if (*end != ')' || open == at)
		return fail_at(p, at, "expected TABLE(FIELD), with a name and both brackets");
	part->table = table_of(p, at, (size_t)(open - at));
	if (part->table == UINT32_MAX)
		return fail_at(p, at, "too many tables");
	for (const char *from = open + 1; from <= end;) {
		const char *to = from;
		while (to < end && *to != ',')
			to++;
		while (from < to && *from == ' ')
			from++;
		if (part->n_paths == VIEW_MAX_KEY)
			return fail_at(p, from, "a key has at most 8 fields");
		int rc = parse_path(p, from, (size_t)(to - from), &part->paths[part->n_paths++]);
		if (rc)
			return rc;
		from = to + 1;
	}
	return 0;
}

static int parse_braces(struct parser *p, const char *at, size_t len, struct view_part *part)
{
	static const struct {
		const char *word;
		enum view_part_kind kind;
	} words[] = { { "*", VIEW_STAR }, { "$host", VIEW_HOST }, { "$cpu", VIEW_CPU },
		{ "$event", VIEW_EVENT } };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (len == strlen(words[i].word) && memcmp(at, words[i].word, len) == 0) {
			part->kind = words[i].kind;
			return 0;
		}
	if (memchr(at, '(', len))
		return parse_look_up(p, at, len, part);
	if (len && *at == '$')
		return fail_at(p, at, "expected $host, $cpu or $event");
	static const struct {
		const char *after;
		enum view_part_kind kind;
	} forms[] = { { ":x", VIEW_HEX }, { ":symbol", VIEW_SYMBOL } };
	part->kind = VIEW_FIELD;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		size_t n = strlen(forms[i].after);
		if (len <= n || memcmp(at + len - n, forms[i].after, n) != 0)
			continue;
		part->kind = forms[i].kind;
		len -= n;
		break;
	}
	const char *form = at + len; /* where a name in quotes ends, ":..." may follow */
	while (form > at && *form != ':' && *form != '\'')
		form--;
	if (part->kind == VIEW_FIELD && form < at + len && *form == ':')
		return fail_at(p, form, "expected :x or :symbol after a field, or nothing");
	part->n_paths = 1;
	part->paths = mer_arena_zalloc(&p->out->arena, 1, sizeof(*part->paths));
	return part->paths ? parse_path(p, at, len, part->paths) : mer_fail_nomem(p->err);
}

static int parse_text(struct parser *p, struct word w, struct view_text *text)
{
	const char *at = w.text, *end = w.text + w.len;
	text->parts = mer_arena_zalloc(&p->out->arena, VIEW_MAX_PARTS, sizeof(*text->parts));
	if (!text->parts)
		return mer_fail_nomem(p->err);
	if (!w.is_text)
		return fail_at(p, w.text, "expected a text in double quotes");
	if (text->n)
		return fail_at(p, w.text, "this text is there twice");
	if (w.len == 0)
		return fail_at(p, w.text, "an empty text");
	while (at < end) {
		const char *open = memchr(at, '{', (size_t)(end - at));
		struct view_part *part = &text->parts[text->n];
		if (text->n == VIEW_MAX_PARTS)
			return fail_at(p, at, "a text has at most 16 parts");
		text->n++;
		if (open != at) {
			const char *to = open ? open : end;
			part->kind = VIEW_LITERAL;
			part->literal = mer_arena_strndup(&p->out->arena, at, (size_t)(to - at));
			if (!part->literal)
				return mer_fail_nomem(p->err);
			at = to;
			continue;
		}
		const char *close = memchr(at, '}', (size_t)(end - at));
		if (!close)
			return fail_at(p, at, "a { without }");
		int rc = parse_braces(p, at + 1, (size_t)(close - at) - 1, part);
		if (rc)
			return rc;
		at = close + 1;
	}
	return 0;
}

static int need_text(struct parser *p, struct view_text *text)
{
	struct word w;
	int rc = next_word(p, &w);
	return rc ? rc : parse_text(p, w, text);
}

/* ---- colours ---- */

static const struct {
	const char *name;
	uint32_t rgb;
} colour_names[] = { { "red", 0xd64545 }, { "green", 0x3f9b52 }, { "blue", 0x3b7dd8 },
	{ "yellow", 0xe0b93a }, { "orange", 0xe28a3a }, { "purple", 0x8a5cc2 },
	{ "cyan", 0x35a7b5 }, { "pink", 0xd86fa5 }, { "brown", 0x8d6b4f }, { "grey", 0x9aa0a6 },
	{ "gray", 0x9aa0a6 }, { "black", 0x30343a }, { "white", 0xf4f4f4 } };

static int parse_colour(struct parser *p, uint32_t *colour)
{
	struct word w;
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	if (p->at < p->end && *p->at == '#') { /* here it is no comment */
		const char *from = p->at++;
		uint32_t rgb = 0, n = 0;
		for (; p->at < p->end && !is_blank(*p->at); p->at++, n++) {
			char c = *p->at;
			uint32_t digit = c >= '0' && c <= '9'	? (uint32_t)(c - '0')
					 : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
					 : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
								: 16;
			if (digit == 16 || n == 6)
				return fail_at(p, from, "expected a colour such as #3f9b52");
			rgb = rgb << 4 | digit;
		}
		if (n != 6)
			return fail_at(p, from, "expected a colour such as #3f9b52");
		*colour = rgb + 1;
		return 0;
	}
	int rc = next_word(p, &w);
	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof(colour_names) / sizeof(*colour_names); i++)
		if (is(w, colour_names[i].name)) {
			*colour = colour_names[i].rgb + 1;
			return 0;
		}
	return fail_at(p, w.text,
		"expected a colour: red, green, blue, yellow, orange, purple, cyan, pink, brown, grey, black, white or #rrggbb");
}

/* ---- clauses ---- */

/* The next word of a key that has n fields. *ends: it is a clause, and was left in place. */
static int next_of_key(struct parser *p, uint32_t n, struct word *w, bool *ends)
{
	const char *before = p->at;
	int rc = next_word(p, w);
	if (rc)
		return rc;
	*ends = is_clause(*w);
	if (*ends)
		p->at = before;
	else if (n == VIEW_MAX_KEY)
		return fail_at(p, w->text, "a key has at most 8 fields");
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
			return fail_at(p, w.text, "expected the name of a field");
		rc = parse_path(p, w.text, w.len, &list[*n]);
		if (rc)
			return rc;
		++*n;
	}
	if (*n == 0)
		return fail_at(p, w.text, "expected the name of a field");
	*fields = list;
	return 0;
}

/* The rest of the line. */
static int parse_condition(struct parser *p, struct view_rule *r)
{
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	const char *from = p->at, *to = p->end;
	while (to > from && is_blank(to[-1]))
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
	return fail_at(p, from + column, what);
}

static int parse_amount(struct parser *p, struct view_rule *r)
{
	struct word w;
	int rc = next_word(p, &w);
	if (rc)
		return rc;
	if (w.is_text || is_clause(w))
		return fail_at(p, w.text, "expected a field or a number");
	r->has_amount = true;
	if ((*w.text < '0' || *w.text > '9') && *w.text != '-')
		return parse_path(p, w.text, w.len, &r->amount);
	r->has_number = true;
	size_t i = *w.text == '-';
	if (i == w.len)
		return fail_at(p, w.text, "expected a field or a number");
	bool fits = true;
	for (; i < w.len; i++) {
		if (w.text[i] < '0' || w.text[i] > '9')
			return fail_at(p, w.text, "expected a whole number");
		fits = fits && !__builtin_mul_overflow(r->number, 10, &r->number) &&
		       !__builtin_add_overflow(r->number, w.text[i] - '0', &r->number);
	}
	if (!fits)
		return fail_at(p, w.text, "the number is too large: at most 9223372036854775807");
	if (*w.text == '-')
		r->number = -r->number;
	return 0;
}

static int parse_clauses(struct parser *p, struct view_rule *r)
{
	struct word w;
	for (;;) {
		int rc = next_word(p, &w);
		if (rc || is_end(w))
			return rc;
		if (is(w, "as"))
			rc = r->text.n ? fail_at(p, w.text, "as is there twice")
				       : need_text(p, &r->text);
		else if (is(w, "colour") || is(w, "color"))
			rc = parse_colour(p, &r->colour);
		else if (is(w, "key"))
			rc = parse_fields(p, &r->key, &r->n_key);
		else if (is(w, "by"))
			rc = parse_fields(p, &r->by, &r->n_by);
		else if (is(w, "amount"))
			rc = r->has_amount ? fail_at(p, w.text, "amount is there twice")
					   : parse_amount(p, r);
		else if (is(w, "if"))
			rc = parse_condition(p, r);
		else
			rc = fail_at(p, w.text, "expected as, colour, key, amount, by or if");
		if (rc)
			return rc;
	}
}

/* ---- declarations ---- */

static struct view_rule *new_rule(struct parser *p)
{
	struct view *v = p->out;
	if (v->n_rules == VIEW_MAX_RULES) {
		fail_at(p, p->line, "more than 1000 rules");
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

static int parse_event(struct parser *p, const char **event)
{
	const char *before = p->at;
	int rc = need_word(p, "expected the name of an event", event);
	if (rc)
		return rc;
	const char *star = strchr(*event, '*');
	return star && strchr(star + 1, '*') ? fail_at(p, before + strspn(before, " \t"),
						       "the name of an event has at most one *")
					     : 0;
}

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
		return fail_at(p, at, "the rule needs as \"TEXT\"");
	if (r->verb == VIEW_STACK && !is_field_alone(&r->text))
		return fail_at(p, at, "stack needs as \"{FIELD}\": an array of addresses alone");
	if (of_values && r->text.n)
		return fail_at(p, at, "a rule of values has no text");
	if (!of_values && (r->has_amount || r->n_by))
		return fail_at(p, at, "amount and by are for add, take and level");
	if ((r->verb == VIEW_ADD || r->verb == VIEW_LEVEL) && !r->has_amount)
		return fail_at(p, at, "the rule needs amount FIELD or amount NUMBER");
	if (r->verb == VIEW_TAKE && !r->has_amount && !r->n_by)
		return fail_at(p, at, "take needs amount, or by and what was added by the same");
	if (r->verb == VIEW_LEVEL && r->n_by)
		return fail_at(p, at, "level has no by");
	row->has_values |= of_values;
	row->has_states |= !of_values && r->verb != VIEW_MARK && r->verb != VIEW_LABEL;
	if (row->has_values && row->has_states)
		return fail_at(p, at, "a row has states or values, not both");
	if (!r->n_key) {
		r->key = row->key;
		r->n_key = row->n_key;
	} else if (r->n_key != row->n_key) {
		return fail_at(p, at, "the key has as many fields as that of the row");
	}
	return 0;
}

static int parse_rule(struct parser *p, enum view_verb verb, const char *at)
{
	struct view_rule *r = p->out->n_rows ? new_rule(p) : NULL;
	if (!p->out->n_rows)
		return fail_at(p, at, "expected a row before its first rule");
	if (!r)
		return p->err->code;
	r->verb = verb;
	int rc = parse_event(p, &r->event);
	if (rc == 0)
		rc = parse_clauses(p, r);
	return rc ? rc : check_rule(p, r, at);
}

static int parse_thread(struct parser *p, struct view_row *row)
{
	struct word w;
	int rc = next_word(p, &w);
	if (rc == 0 && (row->has_thread || w.is_text || is_end(w)))
		rc = fail_at(p, w.text, "expected one field, with the thread's number");
	row->has_thread = true;
	return rc ? rc : parse_path(p, w.text, w.len, &row->thread);
}

static int parse_unit(struct parser *p, struct view_row *row)
{
	struct word w;
	int rc = next_word(p, &w);
	if (rc)
		return rc;
	if (!is(w, "bytes") && !is(w, "ns") && !is(w, "count"))
		return fail_at(p, w.text, "the unit is bytes, ns or count");
	row->unit = copy(p, w);
	return row->unit ? 0 : mer_fail_nomem(p->err);
}

static int parse_row(struct parser *p)
{
	struct view *v = p->out;
	struct word w;
	if (v->n_rows == VIEW_MAX_RULES)
		return fail_at(p, p->line, "more than 1000 rows");
	if (!mer_grow32(&v->rows, v->n_rows, &p->cap_rows, sizeof(*v->rows)))
		return mer_fail_nomem(p->err);
	struct view_row *row = &v->rows[v->n_rows++];
	const char *name = p->at;
	while (name < p->end && is_blank(*name))
		name++;
	*row = (struct view_row){ .line = p->number, .at = (uint32_t)(name - p->text) };
	int rc = need_word(p, "expected a name for the row", &row->name);
	if (rc == 0)
		rc = need_text(p, &row->label);
	while (rc == 0 && (rc = next_word(p, &w)) == 0 && !is_end(w)) {
		if (is(w, "under"))
			rc = need_text(p, &row->under);
		else if (is(w, "unit"))
			rc = parse_unit(p, row);
		else if (is(w, "async"))
			row->is_async = true;
		else if (is(w, "thread-id"))
			rc = parse_thread(p, row);
		else if (is(w, "key"))
			rc = parse_fields(p, &row->key, &row->n_key);
		else
			rc = fail_at(p, w.text, "expected under, unit, thread-id, async or key");
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
	int rc = need_word(p, "expected a name for the table", &name);
	if (rc == 0)
		rc = parse_event(p, &r->event);
	if (rc == 0)
		rc = parse_clauses(p, r);
	if (rc)
		return rc;
	if (!r->n_key || !r->text.n)
		return fail_at(p, at, "names needs key FIELD... and as \"TEXT\"");
	r->row = table_of(p, name, strlen(name));
	if (r->row == UINT32_MAX)
		return fail_at(p, at, "too many tables");
	struct view_table *t = &p->out->tables[r->row];
	if (t->n_key && t->n_key != r->n_key)
		return fail_at(p, at, "the table has another number of fields elsewhere");
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
	return send->n_by ? 0 : fail_at(p, w.text, "expected a field, or FIELD=FIELD");
}

/* arrow NAME EVENT -> EVENT key FIELD[=FIELD]... [ordered] */
static int parse_arrow(struct parser *p, const char *at)
{
	struct view *v = p->out;
	struct view_rule send = { .verb = VIEW_SEND }, receive = { .verb = VIEW_RECEIVE };
	struct view_arrow *arrow;
	struct word w;
	if (!v->n_rows)
		return fail_at(p, at, "expected a row before its first arrow");
	if (v->n_arrows == VIEW_MAX_RULES)
		return fail_at(p, at, "more than 1000 arrows");
	if (!mer_grow32(&v->arrows, v->n_arrows, &p->cap_arrows, sizeof(*v->arrows)))
		return mer_fail_nomem(p->err);
	arrow = &v->arrows[v->n_arrows];
	*arrow = (struct view_arrow){ .line = p->number };
	int rc = need_word(p, "expected a name for the arrow", &arrow->name);
	if (rc == 0)
		rc = parse_event(p, &send.event);
	if (rc == 0)
		rc = next_word(p, &w);
	if (rc == 0 && !is(w, "->"))
		rc = fail_at(p, w.text, "expected -> and the event at which it arrives");
	if (rc == 0)
		rc = parse_event(p, &receive.event);
	if (rc == 0)
		rc = next_word(p, &w);
	if (rc == 0 && !is(w, "key"))
		rc = fail_at(p, w.text, "expected key and the fields that identify it");
	if (rc == 0)
		rc = parse_arrow_key(p, &send, &receive);
	if (rc == 0)
		rc = next_word(p, &w);
	if (rc == 0 && is(w, "ordered")) {
		arrow->is_ordered = true;
		rc = next_word(p, &w);
	}
	if (rc == 0 && !is_end(w))
		rc = fail_at(p, w.text, "expected ordered, or the end of the line");
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
	int rc = next_word(p, &w);
	if (rc)
		return rc;
	if (!w.is_text)
		return fail_at(p, w.text, "expected the text of a state in double quotes");
	if (v->n_colours == VIEW_MAX_RULES ||
		!mer_grow32(&v->colours, v->n_colours, &p->cap_colours, sizeof(*v->colours)))
		return v->n_colours == VIEW_MAX_RULES ? fail_at(p, w.text, "too many colours")
						      : mer_fail_nomem(p->err);
	struct view_colour *c = &v->colours[v->n_colours++];
	*c = (struct view_colour){ .pattern = copy(p, w) };
	if (!c->pattern)
		return mer_fail_nomem(p->err);
	rc = parse_colour(p, &c->colour);
	c->colour -= rc == 0;
	if (rc == 0)
		rc = next_word(p, &w);
	return rc == 0 && !is_end(w) ? fail_at(p, w.text, "expected the end of the line") : rc;
}

static int parse_view(struct parser *p, const char *at)
{
	struct word w;
	if (p->out->name)
		return fail_at(p, at, "the view has a name already");
	int rc = need_word(p, "expected a name for the view", &p->out->name);
	if (rc == 0)
		rc = next_word(p, &w);
	if (rc == 0 && (w.is_text || !is_end(w))) {
		p->out->title = copy(p, w);
		rc = !p->out->title ? mer_fail_nomem(p->err)
		     : !w.is_text   ? fail_at(p, w.text, "expected the title in double quotes")
				    : next_word(p, &w);
		if (rc == 0 && !is_end(w))
			rc = fail_at(p, w.text, "expected the end of the line");
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
	int rc = next_word(p, &w);
	if (rc || is_end(w))
		return rc;
	const char *at = w.text;
	if (is(w, "view"))
		return parse_view(p, at);
	if (!p->out->name)
		return fail_at(p, at, "expected view and a name before everything else");
	if (is(w, "row"))
		return parse_row(p);
	if (is(w, "names"))
		return parse_names(p, at);
	if (is(w, "arrow"))
		return parse_arrow(p, at);
	if (is(w, "colour") || is(w, "color"))
		return parse_colour_of(p);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (is(w, verbs[i].word))
			return parse_rule(p, verbs[i].verb, at);
	return fail_at(p, at,
		"expected view, row, names, arrow, colour, or a rule: begin, end, set, clear, stack, toggle, mark, label, add, take, level");
}

/* ---- the whole ---- */

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
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, as some editors write it */
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
				rc = fail_at(&p, c, "a control character: this is no text file");
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
