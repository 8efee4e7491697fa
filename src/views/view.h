/* View: what a view file says (docs/views.md): which events begin and end states, of which rows;
 * values over time, arrows, and texts for numbers.
 *
 *   view mpi "MPI"
 *   row rank "Rank {rank}" under "{$host}" key rank
 *     begin mpi:*_begin as "{*}"
 *     end   mpi:*_end   as "{*}"
 *     arrow message  mpi:send_begin -> mpi:recv_end  key rank=peer peer=rank tag  ordered
 *   colour "barrier" red
 *
 * A line is a declaration. Names of events may have one `*`; a condition (`if`, the language of
 * filters) is the rest of its line. Parsed once, immutable; the engine (states.h) binds it to
 * the classes of events. */
#ifndef MER_VIEWS_VIEW_H
#define MER_VIEWS_VIEW_H

#include "trace/filter/filter.h"
#include "trace/path.h"

enum {
	VIEW_MAX_RULES = 1000, /* of a file, and as many rows and tables */
	VIEW_MAX_KEY = 8,      /* fields of a key */
	VIEW_MAX_PARTS = 16,   /* of a text */
	VIEW_MAX_BYTES = 1 << 20
};

enum view_part_kind {
	VIEW_LITERAL = 1,
	VIEW_FIELD,
	VIEW_HEX,    /* a field, as 0x7f12 */
	VIEW_SYMBOL, /* a field, as the name of what is at that address */
	VIEW_HOST,   /* $host */
	VIEW_CPU,    /* $cpu */
	VIEW_EVENT,  /* $event */
	VIEW_STAR,   /* what the * of the event's pattern stands for */
	VIEW_LOOK_UP /* the text of a table for these fields */
};

struct view_part {
	enum view_part_kind kind;
	const char *literal;
	struct trace_path *paths; /* n_paths: 1 of VIEW_FIELD, HEX, SYMBOL */
	uint32_t n_paths;
	uint32_t table; /* of VIEW_LOOK_UP, in view.tables */
	uint32_t at;	/* the same: where in the file, for messages */
};

struct view_text {
	struct view_part *parts;
	uint32_t n;
};

enum view_verb {
	VIEW_BEGIN = 1,
	VIEW_END,
	VIEW_SET, /* in this state until the next set or clear */
	VIEW_CLEAR,
	VIEW_STACK, /* in these states, one within the other, until the next: a sampled stack */
	VIEW_TOGGLE,
	VIEW_MARK,  /* an instant with a text */
	VIEW_LABEL, /* the row's label from now on */
	VIEW_ADD,   /* to the row's value */
	VIEW_TAKE,  /* from it; without an amount: what was added with the same `by` */
	VIEW_LEVEL, /* the value itself */
	VIEW_NAMES, /* a text of a table */
	VIEW_SEND,  /* ends of arrows */
	VIEW_RECEIVE
};

struct view_rule {
	enum view_verb verb;
	uint32_t line, row;	     /* row: in view.rows; VIEW_NAMES: in view.tables */
	const char *event;	     /* a name, or a pattern with * */
	struct view_text text;	     /* n 0: none */
	uint32_t colour;	     /* 0xrrggbb plus 1; 0: not said */
	struct trace_path *key, *by; /* key: of the row, or its own; n as the row's */
	uint32_t n_key, n_by;
	bool has_amount, has_number;
	struct trace_path amount;
	int64_t number;		     /* instead of amount */
	uint32_t arrow;		     /* in view.arrows */
	struct trace_filter *filter; /* NULL: every event of the name */
};

struct view_row {
	const char *name;
	struct view_text label, under;
	struct trace_path *key;
	uint32_t n_key, line;
	uint32_t at;	  /* its name in the file, for messages */
	const char *unit; /* of values: "bytes", "ns"; NULL: a number */
	bool has_thread;  /* this field is the thread's number; else a context is */
	struct trace_path thread;
	bool is_async; /* its states are not what the thread does itself */
	bool has_values, has_states;
};

struct view_table {
	const char *name;
	uint32_t n_key, line; /* n_key 0: only looked up so far */
};

struct view_arrow {
	const char *name;
	bool is_ordered; /* equal keys arrive in the order in which they were sent */
	uint32_t line;
};

struct view_colour {
	const char *pattern;
	uint32_t colour;
};

struct xml_program;

/* Rows of a view in XML, which has no declarations of its own: where they come from. */
enum view_xml_row {
	VIEW_XML_STATES,
	VIEW_XML_CALLS,
	VIEW_XML_VALUES,
	VIEW_XML_SEGMENTS,
	VIEW_XML_ROWS
};

struct view {
	struct mer_arena arena;
	const char *path, *name, *title;
	struct view_row *rows;
	struct view_rule *rules;
	struct view_table *tables;
	struct view_arrow *arrows;
	struct view_colour *colours;
	uint32_t n_rows, n_rules, n_tables, n_arrows, n_colours;
	/* Of Trace Compass's XML instead of rules (xml/program.h); NULL: none. */
	struct xml_program *programs;
	bool is_shipped;   /* it belongs to meridian: its names are right */
	const char *notes; /* what of the file was not understood, lines; NULL: nothing */
};

/* path: for messages, "PATH:LINE:COLUMN: ...", the line, and a caret. */
int view_parse(
	const char *text, size_t len, const char *path, struct view **view, struct mer_err *err);
/* The same of Trace Compass's XML. */
int view_parse_xml(
	const char *text, size_t len, const char *path, struct view **view, struct mer_err *err);
/* Does it begin as XML does? */
bool view_is_xml(const char *text, size_t len);
/* A file, or the name of one that belongs to meridian: "mpi". */
int view_load(const char *name, struct view **view, struct mer_err *err);
void view_free(struct view *); /* NULL is fine */

/* Does the pattern, which may have *, fit? *star, *len: what the first stands for; may be NULL. */
bool view_fits(const char *pattern, const char *name, const char **star, size_t *len);
/* The colour of a state's text: as the file says, or else one that follows from the text. */
uint32_t view_colour_of(const struct view *v, const char *text);

/* The views that belong to meridian: name and text; ends with {0}. Made by the build. */
struct view_shipped {
	const char *name, *text;
};
extern const struct view_shipped view_shipped[];

#endif
