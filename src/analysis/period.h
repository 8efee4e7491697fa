/* Periods: the time from an event that matches one expression to the next event that matches
 * another.
 *
 *   begin ── [first event of BEGIN … next event of END] ── open again ...      for each key
 *
 * Events of all hosts are taken in the order of the common time line, so a period may begin on
 * one host and end on another. Both ends belong to it: [begin, end + 1 ns) is analyzed, so that
 * the event that ends it counts too; its duration is end - begin. While a period is open,
 * further BEGIN events are ignored; an event that matches both expressions ends one period and
 * begins the next. Periods with different keys may overlap: their union is analyzed.
 *
 * A key is a list of values that must be equal at both ends: "host", "cpu", "tid" and "comm" (of
 * the task on the CPU of the event), or a field; "A:B" is A of the first and B of the last
 * event. Numbers of CPUs and threads and names of programs have a meaning only on one host, so
 * "host" is part of any key with one of them. */
#ifndef MER_ANALYSIS_PERIOD_H
#define MER_ANALYSIS_PERIOD_H

#include "analysis/options.h"
#include "base/map.h"
#include "base/pool.h"
#include "trace/experiment.h"

enum {
	ANALYSIS_MAX_PERIODS = 1 << 22,
	ANALYSIS_MAX_OPEN_PERIODS = 1 << 20, /* open at the same time */
	ANALYSIS_MAX_PERIOD_KEYS = 1 << 23,
	/* size of a key in bytes; events with a longer one count as having none */
	ANALYSIS_MAX_PERIOD_KEY = 1024
};

struct analysis_period_query {
	const char *expression; /* "BEGIN : END", as trace_filter_parse_pair */
	const char *what;	/* name of the expression in errors; NULL: "period" */
	const char *const *by;	/* the key, part by part */
	size_t n_by;
	int64_t min_ns, max_ns; /* durations of periods to keep; 0, INT64_MAX: all */
	/* find out which task was on the CPU even if no key needs it; this reads all context
	 * switches */
	bool tells_tasks;
};

struct analysis_period_rule; /* a parsed query; immutable */
int analysis_period_rule_new(const struct analysis_period_query *q,
	struct analysis_period_rule **rule, struct mer_err *err);
void analysis_period_rule_free(struct analysis_period_rule *); /* NULL is fine */
/* A field that the rule names and that no event has; NULL: none. */
const char *analysis_period_rule_unknown(
	const struct analysis_period_rule *rule, const struct mer_experiment *e);
/* Is there an event class that may match BEGIN (or END)? */
bool analysis_period_rule_can(
	const struct analysis_period_rule *rule, const struct mer_experiment *e, bool end);

struct analysis_period_at { /* an end of a period */
	uint32_t host;
	int32_t tid;   /* -1: not known, or not needed */
	uint32_t comm; /* in analysis_periods.texts; MER_INTERN_NONE */
	uint16_t cpu;  /* KERNEL_NO_CPU: not known */
};

struct analysis_whole_period {
	int64_t begin, end; /* ns, times of the two events */
	uint32_t key;	    /* index in analysis_periods.keys */
	struct analysis_period_at from, to;
};

struct analysis_periods {
	struct mer_arena arena;
	struct mer_intern texts, keys;
	bool is_keyed;
	/* sorted by begin, then end, then key; malloc'ed */
	struct analysis_whole_period *all;
	size_t n;
	struct analysis_period *parts; /* their union, for analysis_options.periods; malloc'ed */
	size_t n_parts;
	uint64_t n_fit[2];   /* events that match BEGIN, END */
	uint64_t n_unended;  /* begun, never ended */
	uint64_t n_unbegun;  /* END events without an open period */
	uint64_t n_again;    /* BEGIN events while a period was open */
	uint64_t n_keyless;  /* events without the key */
	uint64_t n_left_out; /* left out because of min_ns, max_ns */
};

/* Reads the events that may match; call it after clock maps are applied. done_bytes, cancel: as
 * in kernel/world.h. Finding no period is not an error. Call analysis_periods_fini whatever the
 * result. */
int analysis_periods_find(struct mer_experiment *e, const struct analysis_period_rule *rule,
	unsigned n_threads, struct mer_cancel *cancel, _Atomic uint64_t *done_bytes,
	struct analysis_periods *p, struct mer_err *err);
void analysis_periods_fini(struct analysis_periods *p);

/* Text of a key for display: "client, 4711"; in arena. NULL: no memory, or the periods have no
 * keys. */
const char *analysis_period_key_text(const struct analysis_periods *p,
	const struct mer_experiment *e, uint32_t key, struct mer_arena *arena);

#endif
