/* Words of a line, which are separated by blanks; texts in double quotes with their fields in
 * braces; colours. */
#include "views/parse.h"

#include <string.h>

#include "base/grow.h"
#include "ctf/text_place.h"

int parse_fail(struct parser *p, const char *at, const char *what)
{
	return ctf_place_fail(p->err, MER_ERR_INPUT, p->out->path, p->text, p->len,
		(size_t)(at - p->text), "%s", what);
}

int parse_next_word(struct parser *p, struct word *w)
{
	while (p->at < p->end && parse_is_blank(*p->at))
		p->at++;
	*w = (struct word){ .text = p->at };
	if (p->at == p->end || *p->at == '#')
		return 0;
	if (*p->at == '"') {
		const char *close = p->at + 1;
		while (close < p->end && *close != '"')
			close++;
		if (close == p->end)
			return parse_fail(p, p->at, "a text without a closing quote");
		*w = (struct word){ p->at + 1, (size_t)(close - p->at) - 1, true };
		p->at = close + 1;
		if (p->at < p->end && !parse_is_blank(*p->at) && *p->at != '#')
			return parse_fail(p, p->at, "expected a blank after the text");
		return 0;
	}
	while (p->at < p->end && !parse_is_blank(*p->at))
		p->at++;
	w->len = (size_t)(p->at - w->text);
	return 0;
}

bool parse_is(struct word w, const char *text)
{
	return !w.is_text && w.len == strlen(text) && memcmp(w.text, text, w.len) == 0;
}

bool parse_is_end(struct word w)
{
	return !w.is_text && w.len == 0;
}

bool parse_is_clause(struct word w)
{
	static const char *const words[] = { "as", "colour", "color", "key", "amount", "by", "if",
		"under", "unit", "thread-id", "async", "ordered", "->" };
	bool any = parse_is_end(w);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		any |= parse_is(w, words[i]);
	return any;
}

const char *parse_copy(struct parser *p, struct word w)
{
	return mer_arena_strndup(&p->out->arena, w.text, w.len);
}

int parse_need_word(struct parser *p, const char *missing, const char **text)
{
	struct word w;
	int rc = parse_next_word(p, &w);
	if (rc)
		return rc;
	if (w.is_text || parse_is_clause(w))
		return parse_fail(p, w.is_text ? w.text - 1 : w.text, missing);
	*text = parse_copy(p, w);
	return *text ? 0 : mer_fail_nomem(p->err);
}

int parse_path(struct parser *p, const char *at, size_t len, struct trace_path *path)
{
	const char *text = mer_arena_strndup(&p->out->arena, at, len);
	struct mer_err inner = { 0 };
	if (!text)
		return mer_fail_nomem(p->err);
	if (len == 0)
		return parse_fail(p, at, "expected the name of a field");
	int rc = trace_path_parse(text, "field", &p->out->arena, path, &inner);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(p->err);
	if (rc == 0)
		return 0;
	size_t column;
	const char *what = trace_filter_mistake(&inner, &column);
	return parse_fail(p, at + (column < len ? column : 0), what);
}

/* ---- texts ---- */

uint32_t parse_table_of(struct parser *p, const char *name, size_t len)
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
		return parse_fail(p, at, "expected TABLE(FIELD), with a name and both brackets");
	part->table = parse_table_of(p, at, (size_t)(open - at));
	if (part->table == UINT32_MAX)
		return parse_fail(p, at, "too many tables");
	for (const char *from = open + 1; from <= end;) {
		const char *to = from;
		while (to < end && *to != ',')
			to++;
		while (from < to && *from == ' ')
			from++;
		if (part->n_paths == VIEW_MAX_KEY)
			return parse_fail(p, from, "a key has at most 8 fields");
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
		return parse_fail(p, at, "expected $host, $cpu or $event");
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
		return parse_fail(p, form, "expected :x or :symbol after a field, or nothing");
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
		return parse_fail(p, w.text, "expected a text in double quotes");
	if (text->n)
		return parse_fail(p, w.text, "this text is there twice");
	if (w.len == 0)
		return parse_fail(p, w.text, "an empty text");
	while (at < end) {
		const char *open = memchr(at, '{', (size_t)(end - at));
		struct view_part *part = &text->parts[text->n];
		if (text->n == VIEW_MAX_PARTS)
			return parse_fail(p, at, "a text has at most 16 parts");
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
			return parse_fail(p, at, "a { without }");
		int rc = parse_braces(p, at + 1, (size_t)(close - at) - 1, part);
		if (rc)
			return rc;
		at = close + 1;
	}
	return 0;
}

int parse_need_text(struct parser *p, struct view_text *text)
{
	struct word w;
	int rc = parse_next_word(p, &w);
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

int parse_colour(struct parser *p, uint32_t *colour)
{
	struct word w;
	while (p->at < p->end && parse_is_blank(*p->at))
		p->at++;
	if (p->at < p->end && *p->at == '#') { /* here it is no comment */
		const char *from = p->at++;
		uint32_t rgb = 0, n = 0;
		for (; p->at < p->end && !parse_is_blank(*p->at); p->at++, n++) {
			char c = *p->at;
			uint32_t digit = c >= '0' && c <= '9'	? (uint32_t)(c - '0')
					 : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
					 : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
								: 16;
			if (digit == 16 || n == 6)
				return parse_fail(p, from, "expected a colour such as #3f9b52");
			rgb = rgb << 4 | digit;
		}
		if (n != 6)
			return parse_fail(p, from, "expected a colour such as #3f9b52");
		*colour = rgb + 1;
		return 0;
	}
	int rc = parse_next_word(p, &w);
	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof(colour_names) / sizeof(*colour_names); i++)
		if (parse_is(w, colour_names[i].name)) {
			*colour = colour_names[i].rgb + 1;
			return 0;
		}
	return parse_fail(p, w.text,
		"expected a colour: red, green, blue, yellow, orange, purple, cyan, pink, brown, grey, black, white or #rrggbb");
}
