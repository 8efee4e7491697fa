/* Ask: questions of the terminal's pages, and their answers.
 *
 * A question is what the page in a browser requests from its server (docs/api.md): mostly a
 * command line, so every number shown is one that the program prints, and can be printed again.
 * The source provides the answers (worker.h; tests have their own). Answers are parsed here,
 * into a tree of JSON; the caller interprets them. */
#ifndef MER_CLI_TUI_ASK_H
#define MER_CLI_TUI_ASK_H

#include <stdint.h>
#include "base/arena.h"
#include "base/json_read.h"
#include "base/str.h"

enum { TUI_MAX_WORDS = 40 };

/* A command line: the verb, and what follows it; without the program and the traces. */
struct tui_words {
	struct mer_arena *arena; /* of the texts */
	const char *at[TUI_MAX_WORDS];
	size_t n;
	bool failed; /* memory is out, or there are too many */
};
void tui_word(struct tui_words *w, const char *word);
void tui_wordf(struct tui_words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Words of a command as the program prints it ("meridian top cpu --host 'a b' TRACE"), without the
 * program and these traces. */
void tui_words_of(struct tui_words *w, const char *line, const char *const *traces, size_t n);
/* As somebody would type it: "meridian top cpu --host web TRACE". traces may be NULL. */
void tui_words_line(
	const struct tui_words *w, const char *const *traces, size_t n, struct mer_str *out);

enum tui_asked {
	TUI_ANSWERED,
	TUI_REFUSED, /* the body says why, {"error": "..."} */
	TUI_GIVEN_UP /* whoever is in front of the terminal did not want to wait */
};
struct tui_source {
	/* target: "api/run?w=top&w=cpu". *body: zeroed before. */
	enum tui_asked (*ask)(void *ctx, const char *target, struct mer_str *body);
	void *ctx;
};

struct tui_answer { /* zeroed: none */
	enum tui_asked asked;
	struct mer_str body; /* the answer's bytes */
	struct mer_arena arena;
	struct mer_json_value root; /* an object, if is_json */
	char why[400];		    /* there is no answer, or it is not what was expected */
	bool is_json, is_open;
};
/* The answer as JSON (tui_ask_bytes: as it is); true: it is there. tui_answer_fini in any case. */
bool tui_ask(const struct tui_source *s, const struct tui_words *w, struct tui_answer *a);
bool tui_ask_target(const struct tui_source *s, const char *target, struct tui_answer *a);
bool tui_ask_bytes(const struct tui_source *s, const char *target, struct tui_answer *a);
void tui_answer_fini(struct tui_answer *a);

/* ---- Looking into answers: NULL, 0 or false for what is not there ---- */

/* Items of the array of this key. */
size_t tui_items(
	const struct mer_json_value *object, const char *key, const struct mer_json_value **first);
/* The rows of a table of an answer; 0: it has none, or there is no such table. */
size_t tui_rows(
	const struct mer_json_value *root, const char *id, const struct mer_json_value **first);
bool tui_int(const struct mer_json_value *object, const char *key, int64_t *v);
bool tui_real(const struct mer_json_value *object, const char *key, double *v);
/* In the arena. */
const char *tui_text(const struct mer_json_value *object, const char *key, struct mer_arena *arena);
/* The table of this id of an answer with tables. */
const struct mer_json_value *tui_table(const struct mer_json_value *root, const char *id);

#endif
