/* Printing of tables (base/table.h).
 *
 * A table for people fits the width: text columns shrink, numbers never do. */
#ifndef MER_ASK_PRINT_TABLE_H
#define MER_ASK_PRINT_TABLE_H

#include "base/table.h"
#include "ask/context.h"

/* For people: heading and rows; nothing when there are no rows. ascii: of text only that. */
void ask_table_text(
	const struct mer_table *t, struct mer_str *out, size_t width, bool bold, bool ascii);
/* A cell as people see it there. */
void ask_table_cell(
	struct mer_str *out, enum mer_type type, const struct mer_cell *cell, bool ascii);
/* The width that it takes when texts are shortened to text_min. */
size_t ask_table_least_width(const struct mer_table *t, size_t text_min, bool ascii);
/* Prints to ask->out as --format says: an answer of this table alone (ask/print/answer_print.h).
 * People get the title before it. */
int ask_table_print(struct ask *ask, const struct mer_table *t);

#endif
