/* Model: what the terminal shows, and what keys do to it. Knows no terminal: keys come in as
 * numbers, pages are drawn onto cells, answers come from a source; so all of it can be tested.
 *
 * Every table is of the selected range: from A to B if both are set, else what the timeline shows.
 * Numbers are those of commands; `y` says which one. */
#ifndef MER_CLI_TUI_MODEL_H
#define MER_CLI_TUI_MODEL_H

#include "ask/catalog.h"
#include "cli/tui/ask.h"
#include "cli/tui/cells.h"
#include "cli/tui/picture.h"
#include "cli/tui/sheet.h"
#include "cli/tui/tree.h"

enum tui_key { /* beyond Unicode; others are characters */
	TUI_KEY_UP = 0x200000,
	TUI_KEY_DOWN,
	TUI_KEY_LEFT,
	TUI_KEY_RIGHT,
	TUI_KEY_PAGE_UP,
	TUI_KEY_PAGE_DOWN,
	TUI_KEY_HOME,
	TUI_KEY_END,
	TUI_KEY_ENTER,
	TUI_KEY_BACKSPACE,
	TUI_KEY_ESC,
	TUI_KEY_TAB
};

enum tui_page { TUI_PAGE_FINDINGS, TUI_PAGE_TIMELINE, TUI_PAGE_TABLE };

struct tui_range {
	int64_t begin, end;
};

/* ---- Questions (ask/catalog.h), and what is asked besides ---- */

enum { TUI_EXTRA = 8, TUI_EXTRA_LEN = 160 };

struct tui_question { /* of a table */
	const struct ask_question *entry;
	char extra[TUI_EXTRA][TUI_EXTRA_LEN]; /* words besides */
	size_t n_extra;
	char filter[256];
	unsigned list; /* which of its lists or tables */
	size_t row;    /* the selected one */
	char sort[64]; /* key; "": as it came */
	bool ascending;
};

/* ---- All of it ---- */

enum { TUI_MOST_ROWS = 1000, TUI_UNDO = 32, TUI_BACK = 16, TUI_INPUT = 256, TUI_STRIPS = 12 };

struct tui_loss { /* events of a CPU that are missing */
	uint32_t host, cpu;
	int64_t begin, end;
};

struct tui_segment { /* of the path that is drawn */
	size_t task;
	int64_t begin, end;
};

struct tui {
	const struct tui_source *source;
	const char *const *traces;
	size_t n_traces;
	/* Options that say how clocks are aligned: they belong to each command that does so; NULL
	 * at the end. */
	const char *const *clock_words;
	bool ascii;
	bool letters; /* instead of blocks */
	int w, h;     /* of the last drawing */
	struct mer_arena arena;
	const struct ask_question *entries;
	size_t n_entries;

	int64_t begin, end; /* of the recording */
	const char *reference;
	int64_t n_unsynchronized;
	struct tui_tree tree;
	bool has_tree;

	enum tui_page page;
	enum tui_page back[TUI_BACK];
	size_t n_back;
	char message[512];
	bool is_error, wants_quit;
	unsigned prompt; /* '/', 'F', 'g': a line is being typed; 0: none */
	char input[TUI_INPUT], search[TUI_INPUT];
	bool shows_help, shows_menu, shows_command;
	size_t help_top, menu_row;
	char menu_filter[64];

	/* Findings */
	struct tui_answer summary;
	struct mer_table *home[6]; /* of it; NULL: there is no such table */
	struct tui_range home_range;
	char headline[600]; /* of the first page: why slow requests are slow; "": not known */
	char compared[300]; /* which they are, and what they were compared with */
	size_t home_row, home_top;

	/* Timeline */
	struct tui_range view, undo[TUI_UNDO];
	size_t n_undo;
	int64_t at, a, b; /* the cursor, and marks */
	bool has_a, has_b;
	size_t row, top;
	struct tui_answer lanes;
	struct tui_picture picture;
	struct mer_str lanes_target;
	size_t lane_of[TUI_MOST_ROWS]; /* of the rows that are seen: the first of their lanes */
	struct tui_answer disks;
	struct tui_range disks_range;
	int disks_bins;
	struct tui_loss *losses; /* in the arena */
	size_t n_losses;
	struct tui_segment *path; /* malloc'ed */
	size_t n_path, cap_path;
	size_t path_task; /* SIZE_MAX: no path is drawn */
	int64_t path_ns;
	struct tui_range path_range;

	/* Table */
	struct tui_question question, before[TUI_BACK];
	size_t n_before;
	struct tui_answer answer;
	struct mer_table *sheet, no_sheet; /* sheet: one of its tables, or none */
	struct tui_range sheet_range;	   /* asked for */
	struct tui_range sheet_about;	   /* of a path: when it is; begin INT64_MIN: unknown */
	size_t sheet_top, sheet_first;	   /* rows and columns that are scrolled away */
	size_t n_lists;
	bool is_asked;
};

/* Asks what has to be known first. false: t->message says why. tui_fini in any case. */
bool tui_init(struct tui *t, const struct tui_source *source, const char *const *traces,
	size_t n_traces, bool ascii, bool letters);
void tui_fini(struct tui *t);
void tui_key(struct tui *t, uint32_t key);
void tui_draw(struct tui *t, struct tui_cells *c);

/* ---- Shared by pages ---- */

void tui_say(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tui_complain(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tui_go(struct tui *t, enum tui_page page);
/* From A to B, or what the timeline shows. */
struct tui_range tui_selected(const struct tui *t);
bool tui_is_whole(const struct tui *t, struct tui_range r);
/* Adds the range, unless that is everything. */
void tui_range_words(const struct tui *t, struct tui_range r, struct tui_words *w);
/* Changes what the timeline shows, so that it can be undone; keeps it inside of the recording. */
void tui_set_view(struct tui *t, struct tui_range r);
/* The timeline, at this task (SIZE_MAX: as it is) and part of the time, with room around it; begin
 * INT64_MIN: the range stays. */
void tui_show_place(struct tui *t, size_t task, int64_t begin, int64_t end);
/* Are events of this CPU (UINT32_MAX: of any CPU of the host) missing in this time? */
bool tui_is_lost(const struct tui *t, uint32_t host, uint32_t cpu, int64_t begin, int64_t end);
/* The line of a command for people. */
void tui_command(struct tui *t, struct mer_str *out);
/* The closest moment of the recording; and begin + length, which may be anything. */
int64_t tui_clamp(const struct tui *t, int64_t at);
int64_t tui_after(int64_t begin, int64_t length);
/* "+1.234567 s" since the begin. */
void tui_put_offset(struct mer_str *out, const struct tui *t, int64_t at);

/* Rows between the first two lines and the last two. */
int tui_body(const struct tui_cells *c);
enum { TUI_TOP = 1, TUI_BOTTOM = 2, TUI_SHEET_COLUMNS = 80 };
/* Columns of a sheet from `first` on that fit the width; returns how many are shown. */
struct tui_layout {
	size_t column[TUI_SHEET_COLUMNS];
	int x[TUI_SHEET_COLUMNS], width[TUI_SHEET_COLUMNS];
	size_t n;
	bool is_cut; /* more are to the right */
};
void tui_layout(
	const struct mer_table *s, size_t first, int width, bool ascii, struct tui_layout *l);
void tui_draw_heads(const struct mer_table *s, const struct tui_layout *l, struct tui_cells *c,
	int y, const char *sort, bool ascending);
void tui_draw_row(const struct mer_table *s, const struct tui_layout *l, struct tui_cells *c, int y,
	size_t row, unsigned style);

/* ---- Pages; keys return false for what is not theirs ---- */

bool tui_findings_key(struct tui *t, uint32_t key);
void tui_findings_draw(struct tui *t, struct tui_cells *c);
void tui_findings_command(struct tui *t, struct tui_words *w);
bool tui_timeline_key(struct tui *t, uint32_t key);
void tui_timeline_draw(struct tui *t, struct tui_cells *c);
void tui_timeline_command(struct tui *t, struct tui_words *w);
void tui_timeline_search(struct tui *t, bool back);
void tui_timeline_legend(const struct tui *t, struct tui_cells *c, int y);
bool tui_table_key(struct tui *t, uint32_t key);
void tui_table_draw(struct tui *t, struct tui_cells *c);
void tui_table_command(struct tui *t, struct tui_words *w);
void tui_table_search(struct tui *t, bool back);
/* Opens one, with further words (NULL at their end). before: Esc goes back to the one before. */
void tui_table_open(
	struct tui *t, const struct ask_question *e, const char *const *extra, bool before);
void tui_table_again(struct tui *t);
/* The question of a verb, by its own table, with this option if it is not NULL. */
const struct ask_question *tui_entry_find(
	const struct tui *t, const char *verb, const char *analysis, const char *option);

void tui_menu_key(struct tui *t, uint32_t key);
void tui_help_key(struct tui *t, uint32_t key);

/* ---- Questions of the timeline (timeline_ask.c) ---- */

/* The picture of these rows, which are seen; lane_of says where each is in it. */
void tui_want_lanes(struct tui *t, size_t from, size_t to, int columns);
void tui_want_disks(struct tui *t, int columns);
/* Lanes that a row takes in the picture. */
size_t tui_n_lanes(const struct tui_tree *tree, const struct tui_row *r);
/* The span of a row's lane at a moment, exactly. false: unknown, t->message says why. */
bool tui_exact_span(struct tui *t, const struct tui_row *r, int64_t at, struct tui_span *s);
/* What ended the wait under the cursor: goes there. */
void tui_to_cause(struct tui *t);
/* The critical path of the selected task, drawn; or no longer. */
void tui_toggle_path(struct tui *t);
/* Puts the cursor there, and the view if that is elsewhere. */
void tui_move_to(struct tui *t, int64_t at);

#endif
