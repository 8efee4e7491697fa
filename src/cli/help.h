/* What --help prints, the manual pages, and the check of the tables that both are made of. */
#ifndef MER_CLI_HELP_H
#define MER_CLI_HELP_H

#include "ask/verb.h"

/* What --help prints; and the list of verbs. */
void cli_help_verb(const struct ask_verb *verb, FILE *out, bool bold);
void cli_help_all(FILE *out, bool bold);
/* The manual page named page ("meridian", "meridian-info") as scdoc source; false: no such page. */
bool cli_man_page(const char *page, FILE *out);
/* Which verbs have the options that choose what is looked at: docs/options.md. */
void cli_help_options(FILE *out);
/* Mistakes in the tables (an option twice, a help too wide, ...) go to out; returns their
 * number. */
int cli_self_check(FILE *out);
int cli_check_verb(const struct ask_verb *verb, FILE *out);

#endif
