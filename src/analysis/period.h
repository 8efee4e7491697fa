/* Periods: what lies between an event that fits one expression and the next one that fits another.
 *
 *   begin ── [first event of BEGIN … next event of END] ── open again ...      for each key
 *
 * Events are those of all hosts in the order of the common time line, so a period may begin on one
 * machine and end on another. Both ends belong to it: of the time, [begin, end + 1 ns) is looked
 * at, so that the event that ends it counts too; it lasted end - begin. While one is open further
 * events of BEGIN change nothing; an event that fits both ends one and begins the next. Periods of
 * different keys may overlap: what is looked at is their union.
 *
 * A key is a list of what both ends must agree in: "host", "cpu", "tid" and "comm" (of who was on
 * the CPU of the event), or a field; "A:B" is A of the first and B of the last event. Numbers of
 * CPUs and threads and names of programs are those of a host: with one of them, "host" is part of
 * the key. */
#ifndef MER_ANALYSIS_PERIOD_H
#define MER_ANALYSIS_PERIOD_H

#include "analysis/options.h"
#include "base/map.h"
#include "base/pool.h"
#include "trace/experiment.h"

enum {
	ANALYSIS_MAX_PERIODS = 1 << 22,
	ANALYSIS_MAX_OPEN_PERIODS = 1 << 20, /* at a time */
	ANALYSIS_MAX_PERIOD_KEYS = 1 << 23,
	ANALYSIS_MAX_PERIOD_KEY = 1024 /* bytes of it; what is longer counts as not there */
};

struct analysis_period_query {
	const char *expression; /* "BEGIN : END", as trace_filter_parse_pair */
	const char *what;	/* as errors call it; NULL: "period" */
	const char *const *by;	/* the key, part by part */
	size_t n_by;
	int64_t min_ns, max_ns; /* periods that are kept; 0, INT64_MAX: all */
	/* who was on the CPU is wanted though no key needs it; costs reading of all context
	 * switches */
	bool tells_tasks;
};

struct analysis_period_rule; /* a query that was understood; immutable */
int analysis_period_rule_new(const struct analysis_period_query *q,
	struct analysis_period_rule **rule, struct mer_err *err);
void analysis_period_rule_free(struct analysis_period_rule *); /* NULL is fine */
/* A field that the rule names and no event has; NULL: none. */
const char *analysis_period_rule_unknown(
	const struct analysis_period_rule *rule, const struct mer_experiment *e);
/* Is there a class of events that may fit the begin, the end? */
bool analysis_period_rule_can(
	const struct analysis_period_rule *rule, const struct mer_experiment *e, bool end);

struct analysis_period_at { /* an end of a period */
	uint32_t host;
	int32_t tid;   /* -1: not known, or not asked for */
	uint32_t comm; /* in analysis_periods.texts; MER_INTERN_NONE */
	uint16_t cpu;  /* KERNEL_NO_CPU: not known */
};

struct analysis_whole_period {
	int64_t begin, end; /* ns, of the two events */
	uint32_t key;	    /* in analysis_periods.keys */
	struct analysis_period_at from, to;
};

struct analysis_periods {
	struct mer_arena arena;
	struct mer_intern texts, keys;
	bool is_keyed;
	struct analysis_whole_period *all; /* by begin, then end, then as they ended; malloc'ed */
	size_t n;
	struct analysis_period *parts; /* their union, for analysis_options.periods; malloc'ed */
	size_t n_parts;
	uint64_t n_fit[2];   /* events that fit BEGIN, END */
	uint64_t n_unended;  /* begun, never ended */
	uint64_t n_unbegun;  /* events of END with nothing to end */
	uint64_t n_again;    /* events of BEGIN while one was open */
	uint64_t n_keyless;  /* events without the key */
	uint64_t n_left_out; /* by min_ns, max_ns */
};

/* Reads the events that can fit, after clock maps are applied. done_bytes, cancel: as in
 * kernel/world.h. Finding none is no error. analysis_periods_fini in any case. */
int analysis_periods_find(struct mer_experiment *e, const struct analysis_period_rule *rule,
	unsigned n_threads, struct mer_cancel *cancel, _Atomic uint64_t *done_bytes,
	struct analysis_periods *p, struct mer_err *err);
void analysis_periods_fini(struct analysis_periods *p);

/* A key for people: "client, 4711"; in arena. NULL: no memory, or there are no keys. */
const char *analysis_period_key_text(const struct analysis_periods *p,
	const struct mer_experiment *e, uint32_t key, struct mer_arena *arena);

#endif
