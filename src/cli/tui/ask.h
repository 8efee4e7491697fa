/* Ask: questions of the terminal's pages, and their answers.
 *
 * A question is a command line, so every number shown is one that the program prints, and can be
 * printed again; its answer is tables. Besides there are all tasks, and what they did, as bytes for
 * drawing. The source provides the answers (worker.h; tests have their own). */
#ifndef MER_CLI_TUI_ASK_H
#define MER_CLI_TUI_ASK_H

#include <stdint.h>
#include "ask/answer.h"
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
	TUI_REFUSED, /* for want of an answer */
	TUI_GIVEN_UP /* whoever is in front of the terminal did not want to wait */
};
struct tui_answer { /* zeroed: none */
	enum tui_asked asked;
	struct answer *tables; /* malloc'ed; NULL: none */
	struct mer_str bytes;  /* of lanes */
	struct mer_err why;    /* there is no answer */
};
struct tui_source {
	/* A command; or lanes, "api/lanes?begin=..."; or, if both are NULL, all tasks, as
	 * server_all_tasks. *a: zeroed before. */
	void (*ask)(
		void *ctx, const struct tui_words *words, const char *lanes, struct tui_answer *a);
	void *ctx;
};

/* words NULL: all tasks. true: it is there. tui_answer_fini in any case. */
bool tui_ask(const struct tui_source *s, const struct tui_words *words, struct tui_answer *a);
bool tui_ask_lanes(const struct tui_source *s, const char *lanes, struct tui_answer *a);
void tui_answer_fini(struct tui_answer *a);

/* ---- Looking into answers ---- */

/* NULL: there is no such table, or no answer. */
struct mer_table *tui_table(const struct tui_answer *a, const char *id);

#endif
