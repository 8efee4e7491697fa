/* How sheets lie on the screen: which columns fit, heads, rows. */
#include <string.h>

#include "cli/tui/model.h"

enum { GAP = 2, MOST_TEXT = 34, MOST_ROWS = 2000 }; /* rows that are measured */

static int measure(const struct mer_table *s, size_t column, bool ascii)
{
	struct mer_str cell = { 0 };
	int width = tui_width(s->columns[column].title, ascii) + 1; /* and the arrow */
	for (size_t r = 0; r < s->n_rows && r < MOST_ROWS; r++) {
		mer_str_clear(&cell);
		tui_sheet_cell(s, r, column, ascii, &cell);
		int w = cell.len ? tui_width(cell.data, ascii) : 0;
		width = w > width ? w : width;
	}
	mer_str_fini(&cell);
	return width;
}

void tui_layout(
	const struct mer_table *s, size_t first, int width, bool ascii, struct tui_layout *l)
{
	int x = 0;
	*l = (struct tui_layout){ 0 };
	for (size_t c = 0, shown = 0; c < s->n_columns; c++) {
		if (!s->columns[c].title || shown++ < first)
			continue;
		int w = measure(s, c, ascii);
		bool is_text = !tui_sheet_is_number(s, c);
		w = is_text && w > MOST_TEXT ? MOST_TEXT : w;
		if (l->n == TUI_SHEET_COLUMNS ||
			(x + w > width && !(is_text && x + 8 <= width) && l->n)) {
			l->is_cut = true;
			return;
		}
		w = x + w > width ? width - x : w;
		l->column[l->n] = c;
		l->x[l->n] = x;
		l->width[l->n++] = w;
		x += w + GAP;
	}
	/* The last text takes what is left. */
	if (l->n && !tui_sheet_is_number(s, l->column[l->n - 1]))
		l->width[l->n - 1] = width - l->x[l->n - 1];
}

void tui_draw_heads(const struct mer_table *s, const struct tui_layout *l, struct tui_cells *c,
	int y, const char *sort, bool ascending)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct mer_column *column = &s->columns[l->column[i]];
		bool is_sorted = sort && strcmp(column->key, sort) == 0;
		unsigned style = is_sorted ? TUI_MARK : TUI_BOLD;
		char title[200];
		size_t len = strlen(column->title);
		len = len < sizeof(title) - 4 ? len : sizeof(title) - 4;
		memcpy(title, column->title, len);
		strcpy(title + len, !is_sorted ? "" : ascending ? "\xe2\x96\xb2" : "\xe2\x96\xbc");
		if (tui_sheet_is_number(s, l->column[i]))
			tui_put_right(c, l->x[i], y, l->width[i], style, title);
		else
			tui_put(c, l->x[i], y, l->width[i], style, title);
	}
}

void tui_draw_row(const struct mer_table *s, const struct tui_layout *l, struct tui_cells *c, int y,
	size_t row, unsigned style)
{
	struct mer_str cell = { 0 };
	for (size_t i = 0; i < l->n; i++) {
		mer_str_clear(&cell);
		tui_sheet_cell(s, row, l->column[i], c->ascii, &cell);
		const char *text = cell.len ? cell.data : "";
		if (tui_sheet_is_number(s, l->column[i]))
			tui_put_right(c, l->x[i], y, l->width[i], style, text);
		else
			tui_put(c, l->x[i], y, l->width[i], style, text);
	}
	mer_str_fini(&cell);
}
