/* Sheet: a table of an answer, to be sorted, searched and shown. Its cells are texts as the program
 * prints them for people; sorting is by the values. */
#ifndef MER_CLI_TUI_SHEET_H
#define MER_CLI_TUI_SHEET_H

#include "base/table.h"
#include "cli/tui/ask.h"

enum { TUI_SHEET_COLUMNS = 80 };

struct tui_sheet { /* zeroed: none */
	struct mer_arena arena;
	struct mer_table table;
	const char *title;
	bool is_there;
};

/* A table with its columns, as top, log, summary and others have them. NULL: an empty sheet. */
bool tui_sheet_of_table(struct tui_sheet *s, const struct mer_json_value *table);
/* A list of objects: columns are their members, whose units say what they are; of objects inside of
 * them "client.host", or with join one text, "prev_tid=0 next_tid=17"; lists are left out. */
bool tui_sheet_of_list(
	struct tui_sheet *s, const struct mer_json_value *items, size_t n, bool join);
/* Columns in another order: those that name a row, those of these keys (blanks between; NULL:
 * none), and the others. */
void tui_sheet_prefer(struct tui_sheet *s, const char *keys);
void tui_sheet_fini(struct tui_sheet *s);

/* A cell for people. */
void tui_sheet_cell(
	const struct tui_sheet *s, size_t row, size_t column, bool ascii, struct mer_str *out);
bool tui_sheet_is_number(const struct tui_sheet *s, size_t column);
/* The value under this key: false: unknown, not there, or of another kind. */
bool tui_sheet_int(const struct tui_sheet *s, size_t row, const char *key, int64_t *v);
const char *tui_sheet_text(const struct tui_sheet *s, size_t row, const char *key);
/* The first row from `from` on, going around, one of whose cells has this text, whatever its case;
 * back: upwards. SIZE_MAX: none. */
size_t tui_sheet_search(
	const struct tui_sheet *s, size_t from, const char *text, bool back, bool ascii);

#endif
