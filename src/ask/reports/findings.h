/* Findings and other rows of the summary in words: a sentence for people, and the words of a
 * command that shows more ("top sched --host web"), without the program's name and the traces. */
#ifndef MER_ASK_REPORTS_FINDINGS_H
#define MER_ASK_REPORTS_FINDINGS_H

#include "analysis/summary/summary_next.h"
#include "base/str.h"

/* Row of a table with findings_columns. The sentence does not name the host. */
void ask_finding_sentence(const struct mer_table *t, size_t row, struct mer_str *out);
/* many: there are several hosts, so one is chosen. */
void ask_next_command(const struct summary_next *next, bool many, struct mer_str *out);

/* A word as a shell reads it. */
void ask_shell_word(struct mer_str *out, const char *word);

#endif
