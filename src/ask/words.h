/* Words: questions in the words of a command line, to a session that is open already, as a server
 * and a library are asked. words[0] is the verb; the traces are not among the words.
 *
 * What they may not do: read or write files (no option whose value is a file), use other traces, or
 * be a verb that has no traces to ask. */
#ifndef MER_ASK_WORDS_H
#define MER_ASK_WORDS_H

#include "ask/answer.h"
#include "ask/program.h"

/* What all questions to a session have in common. Zeroed: nothing is known but the session. */
struct ask_asker {
	const struct ask_program *program; /* NULL: a library */
	const char *const *traces;	   /* as they were named, for commands in answers */
	size_t n_traces;
	const char *sync; /* as the option: the clocks that the session has; NULL: auto */
	struct session_texts vms, views;
	/* What questions are about, as far as their verbs can be limited so, whatever words say;
	 * NULL: what the words say. */
	const struct session_selection *select;
	uint64_t jobs; /* 0: not given */
	int width;     /* of text; 0: 80 columns */
	bool ascii;
};

/* Is it a question that gets the clocks as recorded: as it aligns them itself, or looks at hosts
 * one by one? */
bool ask_wants_recorded(const char *verb);

/* An option of the selection that this verb does not have: "--tid"; NULL: it has all that are
 * used. */
const char *ask_cannot_select(const char *verb, const struct session_selection *select);

/* The answer as a text in the format that the words want. as_recorded: the session's clocks are not
 * aligned. *format: which one it is. Nobody else uses the session meanwhile. What is found is no
 * finding of later questions. MER_ERR_USAGE: the words are wrong, or not allowed here. */
int ask_text(const struct ask_asker *asker, struct mer_session *session, bool as_recorded,
	const char *const *words, size_t n, struct mer_str *out, enum ask_format *format,
	struct mer_err *err);

/* The answer itself: answer_fini in any case. It needs nothing of the session. */
int ask_answer(const struct ask_asker *asker, struct mer_session *session, bool as_recorded,
	const char *const *words, size_t n, struct answer *answer, struct mer_err *err);

#endif
