#include "cli/tui/ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/reports/findings.h"
#include "base/err.h"

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

/* ---- Asking ---- */

static bool ask(const struct tui_source *s, const struct tui_words *words, const char *lanes,
	struct tui_answer *a)
{
	*a = (struct tui_answer){ .asked = TUI_REFUSED };
	if (words && words->failed)
		mer_fail_nomem(&a->why);
	else
		s->ask(s->ctx, words, lanes, a);
	if (a->asked == TUI_GIVEN_UP)
		mer_fail(&a->why, MER_ERR_CANCELLED, "not waited for; R asks again");
	return a->asked == TUI_ANSWERED;
}

bool tui_ask(const struct tui_source *s, const struct tui_words *words, struct tui_answer *a)
{
	return ask(s, words, NULL, a);
}

bool tui_ask_lanes(const struct tui_source *s, const char *lanes, struct tui_answer *a)
{
	return ask(s, NULL, lanes, a);
}

void tui_answer_fini(struct tui_answer *a)
{
	if (a->tables)
		answer_fini(a->tables);
	free(a->tables);
	mer_str_fini(&a->bytes);
	*a = (struct tui_answer){ 0 };
}

/* ---- Looking into answers ---- */

struct mer_table *tui_table(const struct tui_answer *a, const char *id)
{
	return a->tables ? answer_find(a->tables, id) : NULL;
}
