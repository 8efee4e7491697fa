/* The frame around pages: the first and the last lines, help, and the list of tables. */
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "ask/print/text.h"
#include "cli/tui/model.h"

enum { LEAST_W = 50, LEAST_H = 12 };

int tui_body(const struct tui_cells *c)
{
	return c->h - TUI_TOP - TUI_BOTTOM;
}

/* ---- First line ---- */

static void draw_title(const struct tui *t, struct tui_cells *c)
{
	static const char *const names[] = { "1 Findings", "2 Timeline", "3 Table" };
	struct tui_range r = tui_selected(t);
	struct mer_str range = { 0 };
	int x = 0;
	tui_fill(c, 0, 0, c->w, TUI_BAR, ' ');
	for (unsigned i = 0; i < 3; i++) {
		x += 1;
		x += tui_putf(c, x, 0, c->w - x, TUI_BAR | (i == t->page ? TUI_REVERSE : 0), " %s ",
			names[i]);
	}
	if (t->has_a && t->has_b)
		mer_str_puts(&range, "A..B ");
	else if (tui_is_whole(t, r))
		mer_str_puts(&range, "all ");
	tui_put_offset(&range, t, r.begin);
	mer_str_puts(&range, " for ");
	mer_put_duration(&range, r.end - r.begin);
	mer_str_puts(&range, "  ? keys ");
	if (range.data)
		tui_put_right(c, x + 1, 0, c->w - x - 1, TUI_BAR, range.data);
	mer_str_fini(&range);
}

/* ---- Last line ---- */

static const char *hints(const struct tui *t)
{
	switch (t->page) {
	case TUI_PAGE_FINDINGS:
		return "Enter goes to the place  t tables  y command  / search  q quit";
	case TUI_PAGE_TIMELINE:
		return "w s zoom  a d move  , . spans  Enter cause  p path  A B marks  u undo  f fit";
	case TUI_PAGE_TABLE:
		return "< > sort by  r reverse  Enter opens  Tab other list  F filter  Esc back";
	}
	return "";
}

static void draw_prompt(const struct tui *t, struct tui_cells *c, int y)
{
	const char *what = t->prompt == '/' ? "search: " : t->prompt == 'F' ? "filter: " : "time: ";
	const char *help = t->prompt == '/'   ? ""
			   : t->prompt == 'F' ? "duration_ns > 1ms && comm == \"nginx*\""
					      : "+1.5s or 12:34:56.789";
	int x = tui_put(c, 0, y, c->w, TUI_BAR, what);
	int input = tui_width(t->input, t->ascii), room = c->w - x - 2;
	const char *text = t->input;
	for (; input > room && *text; input--) /* its end is what is typed */
		do
			text++;
		while (((unsigned char)*text & 0xc0) == 0x80);
	x += tui_put(c, x, y, c->w - x, TUI_PLAIN, text);
	tui_cell(c, x, y, TUI_PLAIN | TUI_REVERSE, ' ');
	if (!t->input[0])
		tui_put(c, x + 2, y, c->w - x - 2, TUI_DIM, help);
}

static void draw_last(struct tui *t, struct tui_cells *c)
{
	int y = c->h - 1;
	struct mer_str command = { 0 };
	if (t->prompt) {
		draw_prompt(t, c, y);
	} else if (t->message[0]) {
		tui_put(c, 0, y, c->w, t->is_error ? TUI_ERROR : TUI_BOLD, t->message);
	} else if (t->shows_command) {
		tui_command(t, &command);
		tui_put(c, 0, y, c->w, TUI_KEY,
			command.len ? command.data : "no command prints this");
	} else {
		tui_put(c, 0, y, c->w, TUI_DIM, hints(t));
	}
	mer_str_fini(&command);
}

/* A command that is longer than a line is shown above as a whole, to be copied. */
static void draw_long_command(struct tui *t, struct tui_cells *c)
{
	struct mer_str command = { 0 };
	if (!t->shows_command || t->prompt)
		return;
	tui_command(t, &command);
	int n = command.data ? tui_width(command.data, t->ascii) : 0;
	int lines = n > c->w ? (n + c->w - 1) / c->w : 0;
	lines = lines < c->h - 3 ? lines : c->h - 3;
	const char *rest = command.data;
	for (int i = 0; i < lines; i++) {
		char part[4 * 2000 + 1];
		size_t len = 0;
		for (int k = 0; k < c->w && rest[len]; k++)
			do
				len++;
			while (((unsigned char)rest[len] & 0xc0) == 0x80);
		len = len < sizeof(part) ? len : sizeof(part) - 1;
		memcpy(part, rest, len);
		part[len] = '\0';
		rest += len;
		tui_fill(c, 0, c->h - lines + i, c->w, TUI_KEY, ' ');
		tui_put(c, 0, c->h - lines + i, c->w, TUI_KEY, part);
	}
	mer_str_fini(&command);
}

/* ---- Help ---- */

static const struct {
	const char *keys, *what;
} help[] = {
	{ "", "Everywhere" },
	{ "1 2 3", "findings, timeline, the last table" },
	{ "t", "list of tables" },
	{ "Enter", "go to the place, the cause of a wait, or what is below a row" },
	{ "Esc", "back" },
	{ "y", "show the command that prints this" },
	{ "/  n N", "search; next and previous match" },
	{ "g", "go to a time: +1.5s, 12:34:56.789" },
	{ "R", "ask again, for the range as it is now" },
	{ "L", "states as letters or as blocks" },
	{ "q  Ctrl+C", "quit" },
	{ "", "Timeline" },
	{ "Up Down", "rows; PgUp, PgDn: a screen of them" },
	{ "Left Right", "the cursor, by a column; Home, End: first and last moment" },
	{ "w s  + -", "zoom in and out at the cursor" },
	{ "a d", "move to earlier and later" },
	{ "f", "fit: everything" },
	{ "z", "zoom to A..B" },
	{ "u", "undo the last zoom or move" },
	{ ", .  [ ]", "previous and next span of the row" },
	{ "Enter", "to the cause of a wait, the task on a CPU; folds a host" },
	{ "Space x", "fold and unfold; of a thread: its process" },
	{ "p", "draw the critical path of the task; again: away" },
	{ "P", "the same as a list" },
	{ "o", "only rows of the path" },
	{ "i", "show idle tasks" },
	{ "A B  M  C", "mark the cursor; mark the span under it; clear marks" },
	{ "", "Tables, always of A..B or of what the timeline shows" },
	{ "< >  r", "sort by another column; reverse" },
	{ "Left Right", "columns" },
	{ "Tab", "another list of the same answer" },
	{ "F", "filter, as --filter: duration_ns > 1ms && comm == \"nginx*\"" },
	{ "v", "the row's task and time in the timeline" },
};
enum { N_HELP = sizeof(help) / sizeof(*help) };

void tui_help_key(struct tui *t, uint32_t key)
{
	size_t step = key == TUI_KEY_PAGE_DOWN || key == TUI_KEY_PAGE_UP ? 10 : 1;
	if (key == TUI_KEY_DOWN || key == TUI_KEY_PAGE_DOWN)
		t->help_top += step;
	else if (key == TUI_KEY_UP || key == TUI_KEY_PAGE_UP)
		t->help_top -= t->help_top < step ? t->help_top : step;
	else
		t->shows_help = false;
}

/* What letters, blocks and colours stand for, on a line of 80 columns. */
static void draw_states(const struct tui *t, struct tui_cells *c, int y)
{
	static const struct {
		uint8_t state, cause;
		const char *what;
	} all[] = { { KERNEL_USER, 0, "user" }, { KERNEL_SYSCALL, 0, "syscall" },
		{ KERNEL_THREAD, 0, "kthread" }, { KERNEL_INTERRUPTED, 0, "irq" },
		{ KERNEL_RUNNABLE, 0, "runnable" }, { KERNEL_BLOCKED, KERNEL_DISK, "disk" },
		{ KERNEL_BLOCKED, KERNEL_NETWORK, "net" },
		{ KERNEL_BLOCKED, KERNEL_TIMER, "timer" }, { KERNEL_BLOCKED, KERNEL_FUTEX, "lock" },
		{ KERNEL_UNKNOWN, 0, "unknown" }, { KERNEL_BLOCKED, 0, "other wait" } };
	int x = 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		int width = tui_width(all[i].what, t->ascii);
		bool wait = all[i].state == KERNEL_BLOCKED;
		uint32_t ch = t->letters ? (uint32_t)tui_state_letter(all[i].state, all[i].cause, 1)
			      : all[i].state == KERNEL_UNKNOWN ? 0xb7
			      : wait			       ? 0x2500
							       : 0x2588;
		if (x + width + 2 > c->w)
			break;
		tui_cell(c, x, y, tui_state_style(all[i].state, all[i].cause), ch);
		if (t->letters)
			tui_restyle(c, x, y, 1, TUI_BOLD);
		tui_put(c, x + 1 + t->letters, y, width, TUI_DIM, all[i].what);
		x += width + 2 + t->letters;
	}
}

void tui_timeline_legend(const struct tui *t, struct tui_cells *c, int y)
{
	draw_states(t, c, y);
}

static void draw_help(struct tui *t, struct tui_cells *c)
{
	size_t room = (size_t)tui_body(c);
	size_t most = N_HELP > room ? N_HELP - room : 0;
	t->help_top = t->help_top < most ? t->help_top : most;
	for (size_t i = 0; i < room && t->help_top + i < N_HELP; i++) {
		size_t k = t->help_top + i;
		int y = TUI_TOP + (int)i;
		if (!help[k].keys[0]) {
			tui_put(c, 1, y, c->w - 1, TUI_BOLD, help[k].what);
			continue;
		}
		tui_put(c, 3, y, 14, TUI_KEY, help[k].keys);
		tui_put(c, 18, y, c->w - 18, TUI_PLAIN, help[k].what);
	}
	draw_states(t, c, c->h - 2);
	tui_put(c, 0, c->h - 1, c->w, TUI_DIM,
		most ? "\xe2\x86\x93 more  any other key: back" : "any key: back");
}

/* ---- List of tables ---- */

static bool is_in_menu(const struct tui *t, const struct ask_question *e)
{
	struct mer_str words = { 0 };
	if (!e->in_menu || !t->menu_filter[0])
		return e->in_menu;
	ask_question_words(e, &words);
	bool is = strcasestr(e->title, t->menu_filter) ||
		  (words.data && strcasestr(words.data, t->menu_filter));
	mer_str_fini(&words);
	return is;
}

static size_t menu_count(const struct tui *t)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n_entries; i++)
		n += is_in_menu(t, &t->entries[i]);
	return n;
}

static const struct ask_question *menu_at(const struct tui *t, size_t row)
{
	for (size_t i = 0; i < t->n_entries; i++)
		if (is_in_menu(t, &t->entries[i]) && row-- == 0)
			return &t->entries[i];
	return NULL;
}

void tui_menu_key(struct tui *t, uint32_t key)
{
	size_t n = menu_count(t),
	       step = key == TUI_KEY_PAGE_DOWN || key == TUI_KEY_PAGE_UP ? 10 : 1;
	size_t len = strlen(t->menu_filter);
	if (key == TUI_KEY_DOWN || key == TUI_KEY_PAGE_DOWN) {
		t->menu_row = t->menu_row + step < n ? t->menu_row + step : n ? n - 1 : 0;
	} else if (key == TUI_KEY_UP || key == TUI_KEY_PAGE_UP) {
		t->menu_row -= t->menu_row < step ? t->menu_row : step;
	} else if (key == TUI_KEY_ENTER) {
		const struct ask_question *e = menu_at(t, t->menu_row);
		t->shows_menu = e == NULL;
		if (e)
			tui_table_open(t, e, NULL, false);
	} else if (key == TUI_KEY_ESC) {
		t->shows_menu = len > 0;
		t->menu_filter[0] = '\0';
	} else if (key == TUI_KEY_BACKSPACE) {
		t->menu_filter[len ? len - 1 : 0] = '\0';
		t->menu_row = 0;
	} else if (key >= 0x20 && key < 0x7f && len + 1 < sizeof(t->menu_filter)) {
		t->menu_filter[len] = (char)key;
		t->menu_filter[len + 1] = '\0';
		t->menu_row = 0;
	}
}

static void draw_menu(struct tui *t, struct tui_cells *c)
{
	size_t n = menu_count(t), room = (size_t)tui_body(c) - 1;
	size_t top = t->menu_row < room ? 0 : t->menu_row - room + 1;
	int half = c->w * 55 / 100;
	tui_putf(c, 1, TUI_TOP, c->w - 1, TUI_BOLD, "Tables%s%s", t->menu_filter[0] ? ": " : "",
		t->menu_filter);
	for (size_t i = 0; i < room && top + i < n; i++) {
		const struct ask_question *e = menu_at(t, top + i);
		int y = TUI_TOP + 1 + (int)i;
		struct mer_str words = { 0 };
		ask_question_words(e, &words);
		tui_put(c, 2, y, half - 3, TUI_PLAIN, e->title);
		tui_put(c, half, y, c->w - half, TUI_KEY, words.data ? words.data : "");
		mer_str_fini(&words);
		if (top + i == t->menu_row)
			tui_restyle(c, 0, y, c->w, TUI_REVERSE);
	}
	tui_put(c, 0, c->h - 1, c->w, TUI_DIM, "type to find one  Enter opens  Esc back");
}

/* ---- All ---- */

void tui_draw(struct tui *t, struct tui_cells *c)
{
	t->w = c->w;
	t->h = c->h;
	tui_cells_clear(c);
	if (c->w < LEAST_W || c->h < LEAST_H) {
		tui_putf(c, 0, 0, c->w, TUI_BOLD, "%dx%d is too small:", c->w, c->h);
		tui_putf(c, 0, 1, c->w, TUI_PLAIN, "%dx%d are needed; q quits", LEAST_W, LEAST_H);
		return;
	}
	draw_title(t, c);
	if (t->shows_help) {
		draw_help(t, c);
		return;
	}
	if (t->shows_menu) {
		draw_menu(t, c);
		return;
	}
	if (t->page == TUI_PAGE_FINDINGS)
		tui_findings_draw(t, c);
	else if (t->page == TUI_PAGE_TIMELINE)
		tui_timeline_draw(t, c);
	else
		tui_table_draw(t, c);
	draw_last(t, c);
	draw_long_command(t, c);
}
