/* The rule of periods, and what of an event it looks at: does it fit, its part of the key, who was
 * on its CPU. Bound to a reading for the finding (period_find.c). */
#ifndef MER_ANALYSIS_PERIOD_RULE_H
#define MER_ANALYSIS_PERIOD_RULE_H

#include "analysis/period.h"
#include "base/str.h"
#include "trace/filter/filter.h"
#include "trace/path.h"

enum period_side { PERIOD_BEGIN, PERIOD_END };

enum period_what { PERIOD_HOST, PERIOD_CPU, PERIOD_TID, PERIOD_COMM, PERIOD_FIELD };

struct period_part { /* of the key, of one side */
	enum period_what what;
	struct trace_path path; /* PERIOD_FIELD */
};

enum { PERIOD_MAX_PARTS = 16 };

/* Fields that say where an event comes from, the first of a kind that a class has counts. */
enum period_known {
	PERIOD_OWN_CPU, /* of tracers that put it into a field */
	PERIOD_OWN_TID,
	PERIOD_OWN_COMM,
	PERIOD_NEXT_TID, /* of context switches */
	PERIOD_NEXT_COMM,
	PERIOD_N_KNOWN
};

struct analysis_period_rule {
	struct mer_arena arena;
	struct trace_filter *filters[2];
	struct period_part parts[2][PERIOD_MAX_PARTS];
	unsigned n_parts;
	bool needs_tasks;
	struct trace_path known[PERIOD_N_KNOWN][3]; /* ends with text NULL */
	int64_t min_ns, max_ns;
};

struct period_class { /* of events, in a reading */
	bool is_switch;
	bool has[PERIOD_N_KNOWN];
	struct trace_place known[PERIOD_N_KNOWN];
	bool has_field[2][PERIOD_MAX_PARTS];
	struct trace_place fields[2][PERIOD_MAX_PARTS];
};

struct period_reading {
	struct mer_arena arena;
	const struct analysis_period_rule *rule;
	const struct mer_experiment *e;
	struct trace_reading *reading;
	struct trace_bound_filter *bound[2];
	struct period_class **classes; /* by ctf_plan.id; NULL: not read */
};

int period_reading_init(struct period_reading *r, const struct mer_experiment *e,
	const struct analysis_period_rule *rule, struct mer_err *err);
void period_reading_fini(struct period_reading *r);

/* One of the fields above, as a number, as text; false: the event does not have it. */
bool period_known_int(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_known k, int64_t *v);
bool period_known_text(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_known k, const char **text, size_t *len);

/* ---- keys: parts one after the other, each with a letter and a size, so that none are taken for
 * others. Numbers agree whatever their size and sign in the trace is ---- */

void period_put_number(struct mer_str *key, bool is_negative, uint64_t v);
void period_put_text(struct mer_str *key, const char *text, size_t len);
void period_put_host(struct mer_str *key, uint32_t host);
/* The fields of a side's key. False: the event does not have all. */
bool period_put_fields(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_side side, struct mer_str *key);
/* Bytes of the part that begins there. */
size_t period_part_size(const char *part);

#endif
