/* Sheet: a table of an answer, made ready to be sorted, searched and shown. Its cells are texts as
 * the program prints them for people; sorting is by the values. */
#ifndef MER_CLI_TUI_SHEET_H
#define MER_CLI_TUI_SHEET_H

#include "base/str.h"
#include "base/table.h"

/* Columns as a terminal shows them: times without their date, of begin and end the duration; and in
 * another order: those that name a row, those of these keys (blanks between; NULL: as they were),
 * and the others. false: no memory. */
bool tui_sheet_prepare(struct mer_table *t, const char *keys);

/* A cell for people. */
void tui_sheet_cell(
	const struct mer_table *t, size_t row, size_t column, bool ascii, struct mer_str *out);
bool tui_sheet_is_number(const struct mer_table *t, size_t column);
/* The first row from `from` on, going around, one of whose cells has this text, whatever its case;
 * back: upwards. SIZE_MAX: none. */
size_t tui_sheet_search(
	const struct mer_table *t, size_t from, const char *text, bool back, bool ascii);

#endif
