/* Cells: what a terminal shows, as a grid of characters with styles. Pages draw onto it, tests read
 * it as text, and screen.h brings it to a terminal.
 *
 * A cell is one column wide whatever was put into it: what a terminal would obey is an escape
 * (base/safe_text.h), and characters that may be wider or narrower than a column are "?". With
 * `ascii` there is nothing beyond ASCII: lines and blocks have replacements. */
#ifndef MER_CLI_TUI_CELLS_H
#define MER_CLI_TUI_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

enum tui_style {
	TUI_PLAIN,
	TUI_DIM,
	TUI_BOLD,
	TUI_BAR, /* the first line, and prompts */
	TUI_KEY,
	TUI_ERROR,
	TUI_MARK, /* A and B, matches */
	TUI_PATH, /* what is on the critical path */
	TUI_USER,
	TUI_SYSCALL,
	TUI_THREAD,
	TUI_INTERRUPTED,
	TUI_RUNNABLE,
	TUI_DISK,
	TUI_NETWORK,
	TUI_TIMER,
	TUI_LOCK,
	TUI_BLOCKED, /* for anything else */
	TUI_UNKNOWN,
	TUI_N_STYLES,
	TUI_REVERSE = 0x80 /* besides: the cursor, the selected row */
};

struct tui_cell {
	uint32_t ch; /* a code point */
	uint8_t style;
};

struct tui_cells {
	int w, h;
	struct tui_cell *at; /* row by row; malloc'ed */
	bool ascii;
};

/* All blank. false: no memory, or no such size; the grid is empty then. */
bool tui_cells_init(struct tui_cells *c, int w, int h, bool ascii);
void tui_cells_fini(struct tui_cells *c);
void tui_cells_clear(struct tui_cells *c);

/* One character; outside of the grid nothing happens. */
void tui_cell(struct tui_cells *c, int x, int y, unsigned style, uint32_t ch);
/* A text of anybody's in at most width columns; where it is longer an ellipsis ends it. Returns the
 * columns that it took. */
int tui_put(struct tui_cells *c, int x, int y, int width, unsigned style, const char *text);
int tui_putf(struct tui_cells *c, int x, int y, int width, unsigned style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* The same at the right end of the width. */
void tui_put_right(struct tui_cells *c, int x, int y, int width, unsigned style, const char *text);
void tui_fill(struct tui_cells *c, int x, int y, int width, unsigned style, uint32_t ch);
/* Changes the style of what is there; of reverse alone: adds it. */
void tui_restyle(struct tui_cells *c, int x, int y, int width, unsigned style);
/* The columns that tui_put would take. */
int tui_width(const char *text, bool ascii);

#endif
