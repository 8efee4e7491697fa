/* The engine for one host: takes events in time order, produces rows, states and pieces
 * (states.h).
 *
 *   run_init → run_event ... → run_end
 *
 * Open states are kept twice: by row, to find the state that an event ends (the innermost
 * first), and by lane (a thread in a view), to find out whose time it is. */
#ifndef MER_VIEWS_RUN_H
#define MER_VIEWS_RUN_H

#include "base/str.h"
#include "trace/cursor.h"
#include "views/bind.h"
#include "views/states.h"
#include "views/symbols.h"

enum { VIEW_MAX_ROWS = 1000000, VIEW_MAX_DEPTH = 1000, VIEW_CACHE = 64 };

struct run_row {
	uint32_t *stack; /* open states, the outermost first; malloc'ed */
	uint32_t n, cap, too_deep, lane, trace, epoch;
	uint32_t thread_lane; /* lane of the thread below plus 1; 0: none yet */
	int32_t thread;
	bool is_active; /* listed in run.active */
	/* has had a state since the begin of the recording, or since the last loss */
	bool is_known;
	bool has_value;
	int64_t value;
};

struct run_lane {
	uint32_t *stack;
	uint32_t n, cap;
	/* since when the innermost state is in a piece that is not yet created */
	int64_t since;
	uint32_t piece; /* its last piece, plus 1; 0: none */
	uint32_t next;	/* another lane of the same row, plus 1; 0: none */
};

struct run_loss {
	int64_t begin, end;
	uint32_t trace;
};

struct run_trace {
	uint32_t epoch; /* edges of losses so far */
	int64_t known;	/* events are complete since this time */
	bool has_lost;
};

struct run_cache { /* maps a value to its word */
	uint64_t value;
	uint32_t word; /* plus 1; 0: empty */
};

struct run_row_cache { /* maps a key that is one number to its row */
	uint64_t value;
	uint32_t plan, row; /* row: plus 1; 0: empty */
};

struct run_colour {	     /* colour of a text of a view */
	uint32_t view, word; /* word: plus 1; 0: empty */
	uint32_t colour;
};

struct run_program;
struct xml_value;

struct run {
	struct mer_experiment *e;
	const struct view_reading *r;
	struct view_host *h;
	uint32_t host;
	struct mer_err *err;
	struct mer_arena arena;
	struct mer_intern keys; /* keys of rows: declaration and fields */
	uint32_t *row_of;	/* by key: row, plus 1 */
	size_t cap_row_of, cap_rows, cap_lanes;
	size_t cap_h_rows, cap_h_lanes;
	uint32_t cap_states, cap_pieces, cap_samples, cap_marks, cap_ends;
	struct run_row *rows;
	struct run_lane *lanes;
	uint32_t *active;
	size_t n_active, cap_active;
	struct mer_map names;	/* table and fields -> word, plus 1 */
	struct mer_map amounts; /* key of add and take -> index, plus 1 */
	int64_t *amount;
	bool *has_amount;
	size_t n_amounts, cap_amounts, cap_has_amount;
	struct run_cache (*caches)[VIEW_CACHE]; /* by number of the rule */
	struct run_row_cache (*row_caches)[VIEW_CACHE];
	struct run_colour colours[VIEW_CACHE];
	struct mer_str key, text;
	uint32_t *frames; /* words of the current stack */
	size_t n_frames, cap_frames;
	struct run_loss *losses; /* sorted by begin */
	size_t n_losses, next_loss, n_inside;
	struct run_loss *inside; /* losses that have begun and not ended, in no order */
	struct run_trace *traces;
	struct run_program *programs; /* in the order of view_reading.programs; run_xml.c */
	struct view_symbols *symbols; /* NULL: no text has symbols */
	/* process of the event; if it has none: a negative number for its trace */
	int64_t process;
	struct mer_diags notes; /* about symbols */
};

int run_init(struct run *x, struct mer_experiment *e, const struct view_reading *r, uint32_t host,
	struct view_host *h, struct mer_err *err);
int run_event(struct run *x, const struct mer_cursor *c, const struct mer_event *ev);
/* Closes everything that is open. */
int run_end(struct run *x);
void run_fini(struct run *x);

/* ---- run_text.c: fields as keys and texts ---- */

/* False: the field is not a number. */
bool run_number(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct trace_place *place, int64_t *v);
/* The value of the rule's key, if one number is the whole key (or a constant, if it has no
 * fields). NULL: it is not. */
const uint64_t *run_only_key(
	const struct mer_cursor *c, const struct mer_event *ev, const struct view_bound_rule *b);
/* Adds the fields to x->key; false: the event lacks one of them. */
bool run_put_fields(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct trace_place *places, uint32_t n);
/* The word of a text; VIEW_NONE: the event lacks a field, or the text is empty. *rc: set if
 * there is no memory. cache: may be NULL. */
uint32_t run_word(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_text *text, uint32_t view, struct run_cache *cache, int *rc);
/* Stores the words of a stack in x->frames, the innermost first, as recorded: the elements of
 * the text's field, without those that are no addresses. False: the field is not an array of
 * numbers, or *rc is set. */
bool run_frames(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_text *text, struct run_cache *cache, int *rc);
uint64_t run_name_key(struct run *x, uint32_t view, uint32_t table);

/* ---- run_rows.c ---- */

/* VIEW_NONE: the event lacks a field of the rule's key. */
int run_find_row(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b, int32_t tid, uint32_t *row);
int run_intern(struct run *x, const char *text, uint32_t *word);

/* ---- run_symbols.c ---- */

/* class->binary is not NULL. */
void run_symbols_event(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_class *class);
/* Replaces addresses by names in all texts. */
int run_symbols_end(struct run *x);

/* ---- run_values.c ---- */

int run_add_sample(struct run *x, uint32_t row, int64_t t, int64_t value);
/* Applies a rule with add, take or level. */
int run_change_value(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b, uint32_t row);

/* ---- run_labels.c ---- */

#define RUN_OTHER "(other)" /* replaces further texts when there are too many */
/* Makes the labels of different rows different. */
int run_labels_end(struct run *x);

/* ---- run_xml.c: analyses in XML ---- */

enum { RUN_XML_TEXT = 256 }; /* size of the longest text that an analysis sees */
int run_xml_begin(struct run *x);
int run_xml_event(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_class *class, int32_t tid);
int run_xml_end(struct run *x);
void run_xml_fini(struct run *x);
/* text: buffer for the value if it is a text. */
void run_xml_value(const struct mer_cursor *c, const struct mer_event *ev,
	const struct trace_place *place, char text[RUN_XML_TEXT], struct xml_value *v);

struct run_change { /* change of a row */
	uint32_t row;
	uint32_t around; /* the row with the enclosing state; VIEW_NONE */
	int64_t t;
	int32_t tid;
	uint32_t trace;
	bool is_update; /* replaces the last change */
};
int run_add_row(struct run *x, uint32_t view, uint32_t declared, const char *label,
	const char *under, int32_t tid, uint32_t *row);
/* text NULL: no state from now on. colour: plus 1; 0: none. */
int run_xml_state(struct run *x, const struct run_change *to, const char *text, uint32_t colour);
int run_xml_sample(struct run *x, const struct run_change *to, int64_t value);
/* Adds a segment to the row with its name. */
int run_xml_segment(
	struct run *x, uint32_t view, const struct run_change *to, int64_t end, const char *name);

#endif
