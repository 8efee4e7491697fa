/* Hints for mistyped names, options that do not apply, and times outside of the recording: what
 * the user probably meant. */
#ifndef MER_ASK_WORDS_HINTS_H
#define MER_ASK_WORDS_HINTS_H

#include "ask/context.h"
#include "ask/words/options.h"
#include "trace/filter/filter.h"

/* Warns of fields, events and hosts in the filter of this option that the traces do not have. */
void ask_hint_filter(struct ask *ask, const char *option, const struct trace_filter *f,
	const struct mer_experiment *e);

/* An option that ask->verb does not have, without its dashes: MER_ERR_USAGE, with what to use
 * instead, the verbs that have it, or a name like it. */
int ask_hint_option(struct ask *ask, const char *name);
/* The same for a letter. */
int ask_hint_letter(struct ask *ask, char letter);

/* MER_ERR_USAGE if --begin or --end leave nothing of the recording. */
int ask_hint_window(
	struct ask *ask, const struct mer_experiment *e, const struct session_window *w);

#endif
