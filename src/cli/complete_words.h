/* What can follow on the command line: the words that completion scripts of all shells are made of,
 * from the tables of verbs, options and analyses. */
#ifndef MER_CLI_COMPLETE_WORDS_H
#define MER_CLI_COMPLETE_WORDS_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "ask/verb.h"

/* Is this what the verb's words are: "TRACE", "ANALYSIS", "VERB"? */
bool complete_takes(const struct ask_verb *verb, const char *what);
/* A word before the traces is an analysis, and need not be one ('stats'). */
bool complete_may_take(const struct ask_verb *verb);
/* What may come after a verb besides traces, with blanks between. */
void complete_args(struct mer_str *s, const struct ask_verb *verb);
/* What has this analysis for the verb? */
bool complete_has(const struct ask_verb *verb, const struct analysis *a);
/* Values of an option that are known without an analysis, with blanks between; false: none. */
bool complete_values(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o);
/* Those that this analysis has. */
void complete_values_of(struct mer_str *s, const struct ask_option *o, const struct analysis *a);
void complete_bash(struct mer_str *s);
void complete_zsh(struct mer_str *s);
void complete_fish(struct mer_str *s);

/* The option's help inside of single quotes; characters in escape get a backslash. */
void complete_help(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o,
	const char *escape);
void complete_quoted(struct mer_str *s, const char *text, const char *escape);

#endif
