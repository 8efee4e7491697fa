/* Screen: the terminal, and the only user of ncurses: cells out, keys in.
 *
 * However the program ends, the terminal is as it was before: also after signals, and when we or a
 * damaged disk make a mistake (SIGSEGV, SIGBUS). Signals are only noted, and handled where nothing
 * is being drawn. */
#ifndef MER_CLI_TUI_SCREEN_H
#define MER_CLI_TUI_SCREEN_H

#include <stdbool.h>
#include "base/err.h"
#include "cli/tui/cells.h"

enum { SCREEN_NO_KEY, SCREEN_RESIZED = 0x300000, SCREEN_ENDED };

/* Was the program built with ncurses? */
bool tui_screen_is_built(void);
/* *color: whether there are to be colours; whether there are. MER_ERR_SYS: the terminal is not
 * known, or cannot move its cursor. */
int tui_screen_open(bool ascii, bool *color, struct mer_err *err);
void tui_screen_close(void);
void tui_screen_size(int *w, int *h);
void tui_screen_show(const struct tui_cells *c);
/* A key (enum tui_key), or one of above; waits for it so long at most, -1: for ever. */
uint32_t tui_screen_key(int timeout_ms);
/* The signal that ended it; 0: none. */
int tui_screen_signal(void);

#endif
