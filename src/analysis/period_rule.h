/* The rule of periods, and how it is applied to an event: does it match, its part of the key,
 * which task was on its CPU. It is bound to a reading when periods are searched (period_find.c). */
#ifndef MER_ANALYSIS_PERIOD_RULE_H
#define MER_ANALYSIS_PERIOD_RULE_H

#include "analysis/period.h"
#include "base/str.h"
#include "trace/filter/filter.h"
#include "trace/path.h"

enum period_side { PERIOD_BEGIN, PERIOD_END };

enum period_what { PERIOD_HOST, PERIOD_CPU, PERIOD_TID, PERIOD_COMM, PERIOD_FIELD };

struct period_part { /* one part of the key, for one end */
	enum period_what what;
	struct trace_path path; /* PERIOD_FIELD */
};

enum { PERIOD_MAX_PARTS = 16 };

/* Fields that say where an event comes from; of each kind, the first one that a class has is
 * used. */
enum period_known {
	PERIOD_OWN_CPU, /* for tracers that store it in a field */
	PERIOD_OWN_TID,
	PERIOD_OWN_COMM,
	PERIOD_NEXT_TID, /* of sched_switch */
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

struct period_class { /* an event class, in a reading */
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

/* One of the fields above, as a number or as text; false: the event does not have it. */
bool period_known_int(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_known k, int64_t *v);
bool period_known_text(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_known k, const char **text, size_t *len);

/* ---- keys: parts one after the other, each with a letter and a size, so that different keys
 * never have the same bytes. Equal numbers have the same bytes, whatever their size and sign in
 * the trace ---- */

void period_put_number(struct mer_str *key, bool is_negative, uint64_t v);
void period_put_text(struct mer_str *key, const char *text, size_t len);
void period_put_host(struct mer_str *key, uint32_t host);
/* Adds the fields of the key for one end. False: the event does not have all of them. */
bool period_put_fields(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_side side, struct mer_str *key);
/* Size in bytes of the part that begins here. */
size_t period_part_size(const char *part);

#endif
