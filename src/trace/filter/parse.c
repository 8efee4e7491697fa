/* The parser of filter expressions: recursive descent, depth bounded; && and || are lists, so that
 * only parentheses and ! nest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/filter/tree.h"

struct parser {
	struct filter_lexer l;
	struct trace_filter *f;
	unsigned depth;
	bool words_are_events; /* a word or a text alone is the name of an event */
};

static int parse_any_of(struct parser *p, struct filter_node **node);

static bool at(const struct parser *p, enum filter_token_kind kind)
{
	return p->l.now.kind == kind;
}

static int take(struct parser *p, enum filter_token_kind kind, const char *expected)
{
	return at(p, kind) ? filter_next(&p->l) : filter_expected(&p->l, "%s", expected);
}

/* ---- paths ---- */

static int add_part(struct filter_lexer *l, struct trace_path *path, struct trace_path_part *parts,
	struct trace_path_part part)
{
	if (path->n == TRACE_PATH_PARTS)
		return filter_wrong(l, MER_ERR_LIMIT, l->now.at, "the path has too many parts");
	parts[path->n++] = part;
	return 0;
}

static int parse_name(
	struct filter_lexer *l, struct trace_path *path, struct trace_path_part *parts)
{
	if (l->now.kind != FILTER_WORD && l->now.kind != FILTER_TEXT)
		return filter_expected(l, "the name of a field");
	int rc = add_part(l, path, parts, (struct trace_path_part){ .name = l->now.text });
	return rc ? rc : filter_next(l);
}

static int parse_index(
	struct filter_lexer *l, struct trace_path *path, struct trace_path_part *parts)
{
	if (l->now.kind != FILTER_NUMBER || l->now.number.is_real)
		return filter_expected(l, "the number of an element");
	int rc = add_part(
		l, path, parts, (struct trace_path_part){ .index = l->now.number.integer });
	if (rc == 0)
		rc = filter_next(l);
	if (rc == 0 && l->now.kind != FILTER_RIGHT_BRACKET)
		return filter_expected(l, "]");
	return rc ? rc : filter_next(l);
}

static enum trace_path_scope scope_of(const char *word)
{
	static const char *const words[] = { NULL, "payload", "context", "packet", "header" };
	for (unsigned i = TRACE_PATH_PAYLOAD; i <= TRACE_PATH_HEADER; i++)
		if (strcmp(word, words[i]) == 0)
			return (enum trace_path_scope)i;
	return TRACE_PATH_ANY;
}

/* Parses the rest of a path; its first word (`first`) was read already. */
static int parse_rest(
	struct filter_lexer *l, const struct filter_token *first, struct trace_path *path)
{
	struct trace_path_part parts[TRACE_PATH_PARTS];
	size_t end = first->at + first->len;
	int rc = 0;
	*path = (struct trace_path){ 0 };
	if (l->now.kind == FILTER_DOT)
		path->scope = scope_of(first->text);
	if (path->scope == TRACE_PATH_ANY)
		rc = add_part(l, path, parts, (struct trace_path_part){ .name = first->text });
	while (rc == 0 && (l->now.kind == FILTER_DOT ||
				  (l->now.kind == FILTER_LEFT_BRACKET && path->n > 0))) {
		bool dot = l->now.kind == FILTER_DOT;
		rc = filter_next(l);
		if (rc)
			break;
		/* What ends the path is the token before the current one. */
		size_t last = l->now.at + l->now.len;
		rc = dot ? parse_name(l, path, parts) : parse_index(l, path, parts);
		end = dot ? last : last + strcspn(l->text + last, "]") + 1;
	}
	if (rc)
		return rc;
	struct trace_path_part *kept = mer_arena_zalloc(l->arena, path->n, sizeof(*kept));
	path->text = mer_arena_strndup(l->arena, l->text + first->at, end - first->at);
	if (!kept || !path->text)
		return mer_fail_nomem(l->err);
	memcpy(kept, parts, path->n * sizeof(*kept));
	path->parts = kept;
	return 0;
}

int trace_path_parse(const char *text, const char *what, struct mer_arena *arena,
	struct trace_path *path, struct mer_err *err)
{
	struct filter_lexer l = {
		.what = what, .text = text, .len = strlen(text), .arena = arena, .err = err
	};
	if (l.len > FILTER_MAX_BYTES)
		return mer_fail(
			err, MER_ERR_LIMIT, "%s: longer than %d bytes", what, FILTER_MAX_BYTES);
	int rc = filter_next(&l);
	if (rc == 0 && l.now.kind != FILTER_WORD)
		return filter_expected(&l, "the name of a field");
	struct filter_token first = l.now;
	if (rc == 0)
		rc = filter_next(&l);
	if (rc == 0)
		rc = parse_rest(&l, &first, path);
	if (rc == 0 && l.now.kind != FILTER_END)
		return filter_expected(&l, "'.', '[' or the end");
	return rc;
}

/* ---- operands ---- */

static void set_number(struct filter_operand *o, const struct filter_number *n, bool negative)
{
	o->what = FILTER_THE_NUMBER;
	o->integer = n->integer;
	o->real = negative ? -n->real : n->real;
	o->is_real = n->is_real;
	if (negative)
		o->integer = -o->integer;
	if (n->is_real && fabs(n->real) < 0x1p100 && !(floor(n->real) < n->real)) {
		o->is_real = false;
		o->integer = (__int128)o->real;
	}
}

static int parse_negative(struct parser *p, struct filter_operand *o)
{
	size_t start = p->l.now.at;
	int rc = filter_next(&p->l);
	if (rc)
		return rc;
	if (!at(p, FILTER_NUMBER))
		return filter_expected(&p->l, "a number");
	set_number(o, &p->l.now.number, true);
	if (!p->l.now.number.is_real && o->integer < INT64_MIN)
		return filter_wrong(
			&p->l, MER_ERR_USAGE, start, "the number does not fit in 64 bits");
	return filter_next(&p->l);
}

static int parse_builtin(struct parser *p, struct filter_operand *o)
{
	static const struct {
		const char *name;
		enum filter_what what;
	} builtins[] = { { "host", FILTER_THE_HOST }, { "cpu", FILTER_THE_CPU },
		{ "time", FILTER_THE_TIME }, { "stream", FILTER_THE_STREAM },
		{ "trace", FILTER_THE_TRACE }, { "domain", FILTER_THE_DOMAIN } };
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (strcmp(p->l.now.text, builtins[i].name) == 0) {
			o->what = builtins[i].what;
			return filter_next(&p->l);
		}
	return filter_expected(
		&p->l, strcmp(p->l.now.text, "name") == 0 || strcmp(p->l.now.text, "event") == 0
			       ? "name (the name of the event has no $)"
			       : "$host, $cpu, $time, $stream, $trace or $domain");
}

static int parse_word(struct parser *p, struct filter_operand *o)
{
	struct filter_token first = p->l.now;
	int rc = filter_next(&p->l);
	if (rc)
		return rc;
	bool more = at(p, FILTER_DOT) || at(p, FILTER_LEFT_BRACKET);
	if (strcmp(first.text, "name") == 0 && !more) {
		o->what = FILTER_THE_NAME;
		return 0;
	}
	if (!more && (strcmp(first.text, "true") == 0 || strcmp(first.text, "false") == 0)) {
		o->what = FILTER_THE_NUMBER;
		o->integer = first.text[0] == 't';
		return 0;
	}
	if (strcmp(first.text, "len") == 0 && at(p, FILTER_LEFT)) {
		rc = filter_next(&p->l);
		if (rc)
			return rc;
		if (!at(p, FILTER_WORD))
			return filter_expected(&p->l, "the name of a field");
		first = p->l.now;
		rc = filter_next(&p->l);
		if (rc == 0)
			rc = parse_rest(&p->l, &first, &o->path);
		o->what = FILTER_THE_LENGTH;
		return rc ? rc : take(p, FILTER_RIGHT, "')'");
	}
	o->what = FILTER_THE_FIELD;
	return parse_rest(&p->l, &first, &o->path);
}

static bool is_constant(const struct filter_operand *o)
{
	return o->what == FILTER_THE_NUMBER || o->what == FILTER_THE_TEXT;
}

/* A text's token is left in *token: it may become a pattern. */
static int parse_operand(struct parser *p, struct filter_operand *o, struct filter_token *token)
{
	*token = p->l.now;
	switch (p->l.now.kind) {
	case FILTER_NUMBER: set_number(o, &p->l.now.number, false); return filter_next(&p->l);
	case FILTER_MINUS: return parse_negative(p, o);
	case FILTER_TEXT:
		o->what = FILTER_THE_TEXT;
		o->text = p->l.now.text;
		o->len = p->l.now.text_len;
		return filter_next(&p->l);
	case FILTER_BUILTIN: return parse_builtin(p, o);
	case FILTER_WORD: return parse_word(p, o);
	default: return filter_expected(&p->l, "a field, a number or a text");
	}
}

/* ---- comparisons ---- */

static struct filter_node *new_node(struct parser *p, enum filter_node_kind kind)
{
	struct filter_node *n = mer_arena_zalloc(&p->f->arena, 1, sizeof(*n));
	if (n)
		n->kind = kind;
	return n;
}

static bool at_operator(const struct parser *p)
{
	return p->l.now.kind >= FILTER_EQ && p->l.now.kind <= FILTER_NO_MATCH;
}

static void swap_sides(struct filter_node *n)
{
	static const enum filter_op mirrored[] = { FILTER_OP_EQ, FILTER_OP_NE, FILTER_OP_GT,
		FILTER_OP_GE, FILTER_OP_LT, FILTER_OP_LE };
	struct filter_operand left = n->left;
	n->left = n->right;
	n->right = left;
	n->op = mirrored[n->op];
}

static struct filter_pattern *new_pattern(struct parser *p)
{
	return mer_arena_zalloc(&p->f->arena, 1, sizeof(struct filter_pattern));
}

static int parse_regex(struct parser *p, struct filter_node *n, bool negative)
{
	if (!at(p, FILTER_TEXT))
		return filter_expected(&p->l, "a regular expression, as text");
	n->op = negative ? FILTER_OP_NE : FILTER_OP_EQ;
	n->right.what = FILTER_THE_TEXT;
	struct filter_pattern *pattern = new_pattern(p);
	if (!pattern)
		return mer_fail_nomem(p->l.err);
	int rc = filter_pattern_regex(pattern, &p->l);
	if (rc)
		return rc;
	n->pattern = pattern; /* trace_filter_free finds it from here on */
	return filter_next(&p->l);
}

static bool is_event_name(const struct filter_operand *o)
{
	return o->what == FILTER_THE_TEXT ||
	       (o->what == FILTER_THE_FIELD && o->path.scope == TRACE_PATH_ANY && o->path.n == 1);
}

/* name == TOKEN */
static int compare_name(struct parser *p, struct filter_node *n, const struct filter_token *token)
{
	n->left = (struct filter_operand){ .what = FILTER_THE_NAME };
	n->right = (struct filter_operand){
		.what = FILTER_THE_TEXT, .text = token->text, .len = token->text_len
	};
	n->op = FILTER_OP_EQ;
	n->pattern = new_pattern(p);
	if (!n->pattern)
		return mer_fail_nomem(p->l.err);
	if (token->kind == FILTER_TEXT)
		filter_pattern_glob(n->pattern, token);
	else
		*n->pattern = (struct filter_pattern){
			.kind = FILTER_IS, .text = token->text, .len = token->text_len
		};
	return 0;
}

static int parse_comparison(struct parser *p, struct filter_node *n)
{
	struct filter_token left, right;
	size_t start = p->l.now.at;
	int rc = parse_operand(p, &n->left, &left);
	if (rc)
		return rc;
	if (!at_operator(p)) {
		if (p->words_are_events && is_event_name(&n->left))
			return compare_name(p, n, &left);
		if (is_constant(&n->left))
			return filter_expected(&p->l, "a comparison (==, !=, <, ...)");
		n->kind = FILTER_HAS;
		return 0;
	}
	enum filter_token_kind sign = p->l.now.kind;
	size_t sign_at = p->l.now.at;
	rc = filter_next(&p->l);
	if (rc)
		return rc;
	if (sign == FILTER_MATCH || sign == FILTER_NO_MATCH) {
		if (is_constant(&n->left))
			return filter_wrong(&p->l, MER_ERR_USAGE, start,
				"expected a field on the left of %s",
				sign == FILTER_MATCH ? "=~" : "!~");
		return parse_regex(p, n, sign == FILTER_NO_MATCH);
	}
	n->op = (enum filter_op)(sign - FILTER_EQ);
	rc = parse_operand(p, &n->right, &right);
	if (rc)
		return rc;
	if (is_constant(&n->left)) {
		if (is_constant(&n->right))
			return filter_wrong(&p->l, MER_ERR_USAGE, sign_at,
				"expected a field on one side, found two constants");
		swap_sides(n);
		right = left;
	}
	if (n->right.what == FILTER_THE_TEXT && n->op <= FILTER_OP_NE) {
		n->pattern = new_pattern(p);
		if (!n->pattern)
			return mer_fail_nomem(p->l.err);
		filter_pattern_glob(n->pattern, &right);
	}
	return 0;
}

static int parse_unary(struct parser *p, struct filter_node **node)
{
	int rc;
	if (!at(p, FILTER_NOT) && !at(p, FILTER_LEFT)) {
		if (p->f->n_comparisons == FILTER_MAX_COMPARISONS)
			return filter_wrong(&p->l, MER_ERR_LIMIT, p->l.now.at,
				"more than %d comparisons", FILTER_MAX_COMPARISONS);
		*node = new_node(p, FILTER_COMPARE);
		if (!*node)
			return mer_fail_nomem(p->l.err);
		(*node)->number = p->f->n_comparisons;
		p->f->comparisons[p->f->n_comparisons++] = *node;
		return parse_comparison(p, *node);
	}
	if (++p->depth > FILTER_MAX_DEPTH)
		return filter_wrong(&p->l, MER_ERR_LIMIT, p->l.now.at,
			"parentheses and ! are nested more than %d deep", FILTER_MAX_DEPTH);
	if (at(p, FILTER_NOT)) {
		struct filter_node *n = new_node(p, FILTER_NOT_SO);
		if (n)
			n->children = mer_arena_zalloc(&p->f->arena, 1, sizeof(*n->children));
		if (!n || !n->children)
			return mer_fail_nomem(p->l.err);
		n->n = 1;
		*node = n;
		rc = filter_next(&p->l);
		if (rc == 0)
			rc = parse_unary(p, &n->children[0]);
	} else {
		rc = filter_next(&p->l);
		if (rc == 0)
			rc = parse_any_of(p, node);
		if (rc == 0 && !at(p, FILTER_RIGHT))
			return filter_expected(&p->l, "')', && or ||");
		if (rc == 0)
			rc = filter_next(&p->l);
	}
	p->depth--;
	return rc;
}

/* Items joined by this operator: one item, or a node of this kind with all of them. */
static int parse_list(struct parser *p, struct filter_node **node, enum filter_node_kind kind,
	enum filter_token_kind sign, int (*item)(struct parser *, struct filter_node **))
{
	struct filter_node **items = NULL;
	uint32_t n = 0, cap = 0;
	int rc;
	for (;;) {
		if (!mer_grow32(&items, n, &cap, sizeof(struct filter_node *))) {
			rc = mer_fail_nomem(p->l.err);
			break;
		}
		rc = item(p, &items[n]);
		if (rc)
			break;
		n++;
		if (!at(p, sign))
			break;
		rc = filter_next(&p->l);
		if (rc)
			break;
	}
	if (rc == 0 && n == 1) {
		*node = items[0];
	} else if (rc == 0) {
		*node = new_node(p, kind);
		if (*node)
			(*node)->children =
				mer_arena_zalloc(&p->f->arena, n, sizeof(*(*node)->children));
		if (*node && (*node)->children) {
			memcpy((*node)->children, items, n * sizeof(*items));
			(*node)->n = n;
		} else {
			rc = mer_fail_nomem(p->l.err);
		}
	}
	free(items);
	return rc;
}

static int parse_all_of(struct parser *p, struct filter_node **node)
{
	return parse_list(p, node, FILTER_ALL_OF, FILTER_AND, parse_unary);
}

static int parse_any_of(struct parser *p, struct filter_node **node)
{
	return parse_list(p, node, FILTER_ANY_OF, FILTER_OR, parse_all_of);
}

/* ---- a whole expression, or one of two ---- */

enum side { WHOLE, FIRST, SECOND };

/* Is there a colon between blanks? Then it is what separates two events, and others belong to
 * names: "app:begin : app:end". Else any separates them: "sched_switch:sched_waking". */
static bool has_free_colon(const char *text)
{
	char quote = 0;
	for (const char *p = text; *p; p++) {
		if (quote && *p == '\\' && p[1])
			p++;
		else if (quote)
			quote = *p == quote ? '\0' : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == ':' && p > text && strchr(" \t\r\n", p[-1]) && p[1] &&
			 strchr(" \t\r\n", p[1]))
			return true;
	}
	return false;
}

/* *from: where in text it begins, and where the next one does. */
static int parse_side(const char *what, const char *text, size_t *from, enum side side,
	struct trace_filter **filter, struct mer_err *err)
{
	size_t len = strlen(text);
	if (len > FILTER_MAX_BYTES)
		return mer_fail(
			err, MER_ERR_LIMIT, "%s: longer than %d bytes", what, FILTER_MAX_BYTES);
	struct trace_filter *f = calloc(1, sizeof(*f));
	if (!f)
		return mer_fail_nomem(err);
	mer_arena_init(&f->arena);
	struct parser p = { .f = f, .words_are_events = side != WHOLE };
	p.l = (struct filter_lexer){
		.what = what, .len = len, .pos = *from, .arena = &f->arena, .err = err
	};
	p.l.colons_in_words = side != WHOLE && has_free_colon(text);
	p.l.text = mer_arena_strndup(&f->arena, text, len);
	f->comparisons =
		mer_arena_zalloc(&f->arena, FILTER_MAX_COMPARISONS, sizeof(*f->comparisons));
	int rc = p.l.text && f->comparisons ? filter_next(&p.l) : mer_fail_nomem(err);
	if (rc == 0)
		rc = parse_any_of(&p, &f->root);
	if (rc == 0 && !at(&p, side == FIRST ? FILTER_COLON : FILTER_END)) {
		bool single = at(&p, FILTER_OTHER) && p.l.text[p.l.now.at] == '=';
		bool star = side != WHOLE && at(&p, FILTER_OTHER) && p.l.text[p.l.now.at] == '*';
		rc = filter_expected(&p.l, single	   ? "== to compare"
					   : star	   ? "quotes around a pattern of names"
					   : side == FIRST ? "&&, || or ':' before the other event"
							   : "&&, || or the end");
	}
	*from = p.l.pos;
	if (rc) {
		trace_filter_free(f);
		return rc;
	}
	*filter = f;
	return 0;
}

int trace_filter_parse(const char *text, struct trace_filter **filter, struct mer_err *err)
{
	size_t from = 0;
	return parse_side("filter", text, &from, WHOLE, filter, err);
}

int trace_filter_parse_pair(const char *what, const char *text, struct trace_filter **begin,
	struct trace_filter **end, struct mer_err *err)
{
	size_t from = 0;
	int rc = parse_side(what, text, &from, FIRST, begin, err);
	if (rc)
		return rc;
	rc = parse_side(what, text, &from, SECOND, end, err);
	if (rc) {
		trace_filter_free(*begin);
		*begin = NULL;
	}
	return rc;
}

void trace_filter_free(struct trace_filter *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; f->comparisons && i < f->n_comparisons; i++)
		if (f->comparisons[i]->pattern)
			filter_pattern_fini(f->comparisons[i]->pattern);
	mer_arena_fini(&f->arena);
	free(f);
}

uint64_t trace_filter_given_up(const struct trace_filter *f)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < f->n_comparisons; i++)
		if (f->comparisons[i]->pattern)
			n += filter_pattern_given_up(f->comparisons[i]->pattern);
	return n;
}
