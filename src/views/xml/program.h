/* A compiled analysis from Trace Compass XML: a state provider or a pattern, with the entries of
 * views that show it.
 *
 *   event → handlers, or FSMs (scenarios) → changes of attributes → rows; segments
 *
 * The supported subset is in docs/views.md. Unsupported elements are notes with their line;
 * elements that cannot be compiled are errors. */
#ifndef MER_VIEWS_XML_PROGRAM_H
#define MER_VIEWS_XML_PROGRAM_H

#include "trace/path.h"
#include "views/xml/dom.h"

enum { XML_MAX_FIELDS = 256, XML_MAX_PARTS = 16, XML_MAX_STEPS = 64 };

enum xml_type { XML_NONE, XML_NULL, XML_INT, XML_LONG, XML_DOUBLE, XML_STRING };

struct xml_value { /* XML_NULL: no value */
	enum xml_type type;
	int64_t i;
	double f;
	/* not owned; valid during the event, unless it is a constant or kept in an attribute */
	const char *s;
};

enum xml_source {
	XML_CONSTANT = 1,
	XML_FIELD,
	XML_EVENT_NAME,
	XML_QUERY, /* the value of an attribute */
	XML_POOL,
	XML_SELF,
	XML_SCENARIO, /* #CurrentScenario */
	XML_SCRIPT
};
enum xml_stack { XML_NO_STACK, XML_PUSH, XML_POP, XML_PEEK };

struct xml_path;
struct xml_script; /* script.c */
struct xml_operand {
	enum xml_source source;
	enum xml_type forced; /* type to convert to; XML_NONE: none */
	struct xml_value constant;
	uint32_t field;	       /* index in xml_program.fields */
	struct xml_path *path; /* for XML_QUERY */
	enum xml_stack stack;
	bool increment, update;
	const struct xml_mapping *mapping; /* NULL: none */
	const struct xml_script *script;
	/* variables of the script; ends with an entry without a name */
	struct xml_operand *variables;
	const char *id; /* name of a variable */
};

struct xml_path {
	struct xml_operand *parts;
	uint32_t n;
};

struct xml_mapping {
	const char *id;
	struct xml_operand *pairs; /* 2 * n operands */
	uint32_t n;
	struct xml_mapping *next;
};

enum xml_test_kind { XML_AND = 1, XML_OR, XML_NOT, XML_COMPARE, XML_TIME_RANGE, XML_ELAPSED };
enum xml_operator { XML_EQ, XML_NE, XML_GE, XML_GT, XML_LE, XML_LT };
struct xml_test {
	enum xml_test_kind kind;
	struct xml_test *first, *next; /* operands of AND, OR, NOT */
	enum xml_operator op;
	struct xml_operand left, right;
	int64_t begin, end; /* for XML_TIME_RANGE; for XML_ELAPSED only end */
	const char *since;  /* for XML_ELAPSED: a state */
};

struct xml_change {
	struct xml_change *next;
	struct xml_test *test; /* NULL: no condition, only the change */
	struct xml_change *then, *otherwise;
	struct xml_path path;
	struct xml_operand value;
	struct xml_operand *future; /* when it takes effect; NULL: now */
};

struct xml_segment_field {
	const char *name;
	enum xml_type type;
	struct xml_operand value;
	struct xml_segment_field *next;
};
struct xml_segment {
	struct xml_operand name;
	struct xml_operand *begin, *end, *duration; /* NULL: that of the scenario */
	struct xml_segment_field *fields;
};

struct xml_action { /* changes and segments, in order */
	const char *id;
	struct xml_step {
		struct xml_change *change;
		struct xml_segment *segment;
		struct xml_step *next;
	} * steps;
	struct xml_action *next;
};

struct xml_named_test {
	const char *id;
	struct xml_test *test;
	struct xml_named_test *next;
};

struct xml_transition {
	const char *event; /* a pattern for names of events; NULL: any event */
	const struct xml_test **tests;
	const struct xml_action **actions;
	uint32_t n_tests, n_actions;
	uint32_t target; /* index of the next state */
	const char *target_id;
	struct xml_transition *next;
	const struct xml_node *node; /* its element, for messages */
};

struct xml_state {
	const char *id;
	struct xml_transition *transitions;
	const struct xml_action **on_entry, **on_exit;
	uint32_t n_entry, n_exit;
	bool is_final;
};

struct xml_fsm {
	const char *id;
	struct xml_state *states;
	uint32_t n_states, initial;
	struct xml_transition *preconditions; /* only events and tests are used */
	bool multiple, consuming;
	struct xml_fsm *next;
};

struct xml_handler {
	const char *event;
	struct xml_change *changes;
	struct xml_handler *next;
};

struct xml_entry {	     /* entry of a view: attributes that become rows */
	const char **parts;  /* patterns: a name, or * for any name */
	uint32_t n, n_label; /* n_label: the number of parts that name the row */
	bool is_xy;
	const struct xml_node *view; /* element with its definedValues */
	struct xml_entry *next;
};

struct xml_program {
	const char *id, *title;
	bool is_pattern;
	const struct xml_node *node; /* element of the analysis */
	const char **fields;	     /* names without duplicates */
	uint32_t n_fields;
	struct xml_handler *handlers;
	struct xml_fsm *fsms;
	struct xml_entry *entries;
	const char **events; /* patterns for all events that it uses; n_events */
	uint32_t n_events;
	struct xml_program *next;
};

struct xml_file {
	struct xml_program *programs;
	const char *notes; /* lines for the user about unsupported elements; "" */
};

/* Everything is allocated in the arena. */
int xml_compile(const char *text, size_t len, const char *path, struct mer_arena *arena,
	struct xml_file *file, struct mer_err *err);

/* ---- scripts: the expressions of a value of type "script" (script.c) ---- */

/* NULL: not supported. */
const struct xml_script *xml_script_parse(const char *text, struct mer_arena *arena);
/* get: returns the value of a variable; XML_NULL: there is none. */
struct xml_value xml_script_run(const struct xml_script *s,
	struct xml_value (*get)(void *ctx, const char *name), void *ctx);

#endif
