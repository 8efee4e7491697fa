/* --marks: what a verb prints, once for each mark of a file (session/marks.h): the same as with
 * --begin and --end of each. For all verbs alike: the traces are opened once, the verb runs for
 * each mark, and what it writes gets the name of the mark: a heading in text, the first column of
 * CSV, the first key of JSON Lines, an element of "marks" in JSON. */
#ifndef MER_ASK_MARKS_H
#define MER_ASK_MARKS_H

#include "ask/context.h"

/* As the verb's run: its exit status, or a negative code. */
int ask_marks_run(struct ask *ask, const void *values);

#endif
