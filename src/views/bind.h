/* Rules bound to event classes: which rules apply to an event, and where its fields are. Names
 * are resolved here, before events are read. */
#ifndef MER_VIEWS_BIND_H
#define MER_VIEWS_BIND_H

#include "views/view.h"

struct view_bound_part {
	enum view_part_kind kind;
	const char *literal; /* text of a literal part and of VIEW_STAR */
	size_t len;
	struct trace_place *places; /* fields, n of them */
	uint32_t n, table;
};

struct view_bound_text {
	struct view_bound_part *parts;
	uint32_t n;
	bool is_complete; /* the class has all fields */
	bool is_constant;
	bool has_symbols;
};

struct view_bound_rule {
	const struct view_rule *rule;
	uint32_t view, number;			 /* number: index among the rules of all views */
	const struct trace_bound_filter *filter; /* NULL: none */
	struct trace_place *key, *by;
	bool has_key, has_by, has_amount, has_thread;
	struct trace_place amount, thread;
	struct view_bound_text text, label, under;
};

/* Fields of an XML analysis in an event class. */
struct view_bound_program {
	const struct xml_program *program;
	uint32_t number; /* index among the programs of all views */
	struct view_bound_field {
		bool is_there;
		enum { VIEW_OF_EVENT, VIEW_OF_TIME, VIEW_OF_HOST, VIEW_OF_CPU } of;
		struct trace_place place;
	} * fields; /* in the order of xml_program.fields */
};

/* An event that says where a binary is loaded in its process. */
struct view_binary_event {
	enum { VIEW_BINARY_LOADED, VIEW_BINARY_UNLOADED, VIEW_BINARY_ID } kind;
	struct trace_place base, size, data; /* data: path, or build ID */
};

struct view_class { /* an event class */
	struct view_bound_program *programs;
	uint32_t n_programs;
	struct view_bound_rule *rules;
	uint32_t n;
	/* is_exit: it is sched_process_exit, and tid is the thread that exits */
	bool has_tid, is_exit;
	struct trace_place tid;
	uint32_t trace;
	bool has_process; /* set only if symbols are needed */
	struct trace_place process;
	const struct view_binary_event *binary; /* NULL: not such an event */
};

struct view_lack {	   /* a field that a rule needs and that a class of its events lacks */
	const char *field; /* NULL: none */
	const struct ctf_schema *schema;
	const struct ctf_stream_class *sc;
	const struct ctf_event_class *ec;
};

struct view_reading {
	struct mer_arena arena;
	const struct mer_experiment *e;
	const struct view *const *views;
	uint32_t n_views, n_rules; /* n_rules: sum over all views */
	/* For all views: each program with its view, and the paths of its fields (text NULL:
	 * none). */
	struct view_program {
		const struct xml_program *program;
		uint32_t view;
		struct trace_path *paths;
		uint32_t n_classes;
	} * programs;
	uint32_t n_programs;
	struct trace_reading *reading;
	struct trace_bound_filter **filters; /* by number of the rule */
	struct view_class **classes;	     /* by ctf_plan.id; NULL: not read */
	/* by number of the rule: number of classes that it is bound to */
	uint32_t *n_classes;
	struct view_lack *lacks; /* the same: the first missing field */
	bool has_symbols;	 /* a text of some view needs symbols */
	bool *is_fed;		 /* by trace: it has events for these views */
};

int view_reading_init(struct view_reading *r, const struct mer_experiment *e,
	const struct view *const *views, uint32_t n, struct mer_err *err);
void view_reading_fini(struct view_reading *r);

#endif
