#include "cli/tui/ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ask/reports/findings.h"

/* ---- Words ---- */

void tui_word(struct tui_words *w, const char *word)
{
	const char *copy = word ? mer_arena_strdup(w->arena, word) : NULL;
	if (!copy || w->n == TUI_MAX_WORDS)
		w->failed = true;
	else
		w->at[w->n++] = copy;
}

void tui_wordf(struct tui_words *w, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tui_word(w, text);
}

/* A word as a shell reads it, from *p on; 'it'\''s' is it's. */
static void next_word(const char **p, struct mer_str *word)
{
	bool quoted = false;
	mer_str_clear(word);
	for (; **p && (quoted || **p != ' '); (*p)++) {
		if (**p == '\'')
			quoted = !quoted;
		else if (**p == '\\' && !quoted && (*p)[1])
			mer_str_putc(word, *++*p);
		else
			mer_str_putc(word, **p);
	}
	while (**p == ' ')
		(*p)++;
}

void tui_words_of(struct tui_words *w, const char *line, const char *const *traces, size_t n)
{
	struct mer_str word = { 0 };
	for (bool is_first = true; *line; is_first = false) {
		next_word(&line, &word);
		const char *text = word.data && word.len ? word.data : "";
		bool is_trace = false;
		for (size_t i = 0; i < n; i++)
			is_trace |= strcmp(text, traces[i]) == 0;
		if (!is_first && !is_trace)
			tui_word(w, text);
	}
	w->failed |= word.failed;
	mer_str_fini(&word);
}

void tui_words_line(
	const struct tui_words *w, const char *const *traces, size_t n, struct mer_str *out)
{
	mer_str_puts(out, "meridian");
	for (size_t i = 0; i < w->n + n; i++) {
		if (i >= w->n && !traces)
			break;
		mer_str_putc(out, ' ');
		ask_shell_word(out, i < w->n ? w->at[i] : traces[i - w->n]);
	}
}

static void encode(struct mer_str *out, const char *s)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-_.~";
	for (; *s; s++)
		if (strchr(plain, *s))
			mer_str_putc(out, *s);
		else
			mer_str_printf(out, "%%%02X", (unsigned)(unsigned char)*s);
}

/* ---- Asking ---- */

bool tui_ask_bytes(const struct tui_source *s, const char *target, struct tui_answer *a)
{
	*a = (struct tui_answer){ .is_open = true };
	mer_arena_init(&a->arena);
	a->asked = s->ask(s->ctx, target, &a->body);
	if (a->asked == TUI_GIVEN_UP)
		snprintf(a->why, sizeof(a->why), "not waited for; R asks again");
	return a->asked == TUI_ANSWERED && !a->body.failed;
}

static bool read_json(struct tui_answer *a)
{
	struct mer_json_reader r;
	mer_json_reader_init(&r, a->body.data ? a->body.data : "", a->body.len, &a->arena);
	int rc = mer_json_read(&r, &a->root);
	mer_json_reader_fini(&r);
	a->is_json = rc == 0 && a->root.kind == MER_JSON_OBJECT;
	return a->is_json;
}

bool tui_ask_target(const struct tui_source *s, const char *target, struct tui_answer *a)
{
	bool answered = tui_ask_bytes(s, target, a);
	if (a->asked == TUI_GIVEN_UP)
		return false;
	bool is_json = read_json(a);
	if (answered && is_json)
		return true;
	const char *why = is_json ? tui_text(&a->root, "error", &a->arena) : NULL;
	snprintf(a->why, sizeof(a->why), "%s", why ? why : "the answer is too large to be shown");
	return false;
}

bool tui_ask(const struct tui_source *s, const struct tui_words *w, struct tui_answer *a)
{
	struct mer_str target = { 0 };
	mer_str_puts(&target, "api/run?");
	for (size_t i = 0; i < w->n; i++) {
		mer_str_puts(&target, i ? "&w=" : "w=");
		encode(&target, w->at[i]);
	}
	bool ok = !target.failed && !w->failed;
	if (ok)
		ok = tui_ask_target(s, target.data, a);
	else
		*a = (struct tui_answer){ .asked = TUI_REFUSED, .why = "out of memory" };
	mer_str_fini(&target);
	return ok;
}

void tui_answer_fini(struct tui_answer *a)
{
	if (a->is_open)
		mer_arena_fini(&a->arena);
	mer_str_fini(&a->body);
	*a = (struct tui_answer){ 0 };
}

/* ---- Looking into answers ---- */

size_t tui_items(
	const struct mer_json_value *object, const char *key, const struct mer_json_value **first)
{
	const struct mer_json_value *v = mer_json_find(object, key);
	bool is = v && v->kind == MER_JSON_ARRAY;
	*first = is ? v->u.items : NULL;
	return is ? v->n : 0;
}

bool tui_int(const struct mer_json_value *object, const char *key, int64_t *v)
{
	int64_t number;
	bool is = mer_json_int_of(mer_json_find(object, key), &number);
	if (is)
		*v = number;
	return is;
}

bool tui_real(const struct mer_json_value *object, const char *key, double *v)
{
	const struct mer_json_value *m = mer_json_find(object, key);
	int64_t i;
	if (m && m->kind == MER_JSON_REAL)
		*v = m->u.real;
	else if (tui_int(object, key, &i))
		*v = (double)i;
	else
		return false;
	return true;
}

const char *tui_text(const struct mer_json_value *object, const char *key, struct mer_arena *arena)
{
	const struct mer_json_value *m = mer_json_find(object, key);
	return m && m->kind == MER_JSON_STRING ? mer_arena_strndup(arena, m->u.text, m->n) : NULL;
}

size_t tui_rows(
	const struct mer_json_value *root, const char *id, const struct mer_json_value **first)
{
	return tui_items(tui_table(root, id), "rows", first);
}

const struct mer_json_value *tui_table(const struct mer_json_value *root, const char *id)
{
	const struct mer_json_value *first;
	size_t n = tui_items(root, "tables", &first);
	for (size_t i = 0; i < n; i++) {
		const struct mer_json_value *own = mer_json_find(&first[i], "id");
		if (own && own->kind == MER_JSON_STRING && mer_json_is(own, id))
			return &first[i];
	}
	return NULL;
}
