/* View: the contents of a view file (docs/views.md): which events begin and end states, and in
 * which rows; values over time, arrows, and texts for numbers.
 *
 *   view mpi "MPI"
 *   row rank "Rank {rank}" under "{$host}" key rank
 *     begin mpi:*_begin as "{*}"
 *     end   mpi:*_end   as "{*}"
 *     arrow message  mpi:send_begin -> mpi:recv_end  key rank=peer peer=rank tag  ordered
 *   colour "barrier" red
 *
 * A line is a declaration. Names of events may contain one `*`; a condition (`if`, in the
 * language of filters) extends to the end of its line. Parsed once, immutable; the engine
 * (states.h) binds it to the classes of events. */
#ifndef MER_VIEWS_VIEW_H
#define MER_VIEWS_VIEW_H

#include "trace/filter/filter.h"
#include "trace/path.h"

enum {
	VIEW_MAX_RULES = 1000, /* in one file; rows and tables have the same limit */
	VIEW_MAX_KEY = 8,      /* fields in a key */
	VIEW_MAX_PARTS = 16,   /* in a text */
	VIEW_MAX_BYTES = 1 << 20
};

enum view_part_kind {
	VIEW_LITERAL = 1,
	VIEW_FIELD,
	VIEW_HEX,    /* a field, shown as 0x7f12 */
	VIEW_SYMBOL, /* a field, shown as the symbol at that address */
	VIEW_HOST,   /* $host */
	VIEW_CPU,    /* $cpu */
	VIEW_EVENT,  /* $event */
	VIEW_STAR,   /* what the * of the event's pattern stands for */
	VIEW_LOOK_UP /* the text that a table has for these fields */
};

struct view_part {
	enum view_part_kind kind;
	const char *literal;
	struct trace_path *paths; /* n_paths: 1 for VIEW_FIELD, HEX, SYMBOL */
	uint32_t n_paths;
	uint32_t table; /* for VIEW_LOOK_UP, index in view.tables */
	uint32_t at;	/* for the same: offset in the file, for messages */
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
	VIEW_STACK, /* in these nested states until the next event: a sampled stack */
	VIEW_TOGGLE,
	VIEW_MARK,  /* an instant with a text */
	VIEW_LABEL, /* sets the row's label from now on */
	VIEW_ADD,   /* adds to the row's value */
	/* subtracts from it; without an amount: what was added with the same `by` */
	VIEW_TAKE,
	VIEW_LEVEL, /* sets the value */
	VIEW_NAMES, /* an entry of a table */
	VIEW_SEND,  /* the two ends of arrows */
	VIEW_RECEIVE
};

struct view_rule {
	enum view_verb verb;
	uint32_t line, row;    /* row: index in view.rows; for VIEW_NAMES: in view.tables */
	const char *event;     /* name of an event, or a pattern with * */
	struct view_text text; /* n 0: no text */
	uint32_t colour;       /* 0xrrggbb plus 1; 0: none given */
	/* key: of the row, or its own with as many fields as the row's */
	struct trace_path *key, *by;
	uint32_t n_key, n_by;
	bool has_amount, has_number;
	struct trace_path amount;
	int64_t number;		     /* used instead of amount */
	uint32_t arrow;		     /* index in view.arrows */
	struct trace_filter *filter; /* NULL: all events with this name */
};

struct view_row {
	const char *name;
	struct view_text label, under;
	struct trace_path *key;
	uint32_t n_key, line;
	uint32_t at;	  /* offset of its name in the file, for messages */
	const char *unit; /* of values: "bytes", "ns"; NULL: a plain number */
	bool has_thread;  /* the thread's number is in this field; otherwise in a context */
	struct trace_path thread;
	bool is_async; /* its states are not what the thread itself does */
	bool has_values, has_states;
};

struct view_table {
	const char *name;
	uint32_t n_key, line; /* n_key 0: looked up, but no entry seen so far */
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

/* Rows of an XML view, which does not declare rows: what they are made from. */
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
	/* Set for Trace Compass XML, which has programs instead of rules (xml/program.h); NULL:
	 * none. */
	struct xml_program *programs;
	bool is_shipped; /* it is shipped with meridian, so its names are right */
	/* lines: the parts of the file that are not supported; NULL: none */
	const char *notes;
};

/* path: used in error messages: "PATH:LINE:COLUMN: ...", the line, and a caret. */
int view_parse(
	const char *text, size_t len, const char *path, struct view **view, struct mer_err *err);
/* The same for Trace Compass XML. */
int view_parse_xml(
	const char *text, size_t len, const char *path, struct view **view, struct mer_err *err);
/* Does the text begin like XML? */
bool view_is_xml(const char *text, size_t len);
/* Loads a file, or a shipped view by its name: "mpi". */
int view_load(const char *name, struct view **view, struct mer_err *err);
void view_free(struct view *); /* NULL is fine */

/* Does the name match the pattern, which may contain *? *star, *len: the text that * stands for;
 * may be NULL. */
bool view_fits(const char *pattern, const char *name, const char **star, size_t *len);
/* The colour of a state with this text: given by the file, or else derived from the text. */
uint32_t view_colour_of(const struct view *v, const char *text);

/* The views shipped with meridian: name and text; ends with {0}. Generated by the build. */
struct view_shipped {
	const char *name, *text;
};
extern const struct view_shipped view_shipped[];

#endif
