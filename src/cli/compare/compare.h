/* Comparing recordings: what is different between those of one side and those of the other?
 *
 *   recordings ──measure.c──→ values of each ──judge.c──→ findings ──print.c, junit.c──→ answer
 *                 └──file.c──→ baseline ──↗
 *
 * A recording is one sample, whatever happened in it: what happens in one recording shares its
 * machine, its load and its minute, so thousands of requests are not thousands of samples. Each
 * recording is opened alone, asked what any user may ask, and closed; what stays are numbers.
 *
 * What tasks and devices take themselves (a cause: CPU time, time of a disk) is kept apart from
 * what waits for others and from rates (an effect), as a cause that changes is followed by its
 * effects. */
#ifndef MER_CLI_COMPARE_COMPARE_H
#define MER_CLI_COMPARE_COMPARE_H

#include "base/map.h"
#include "base/max_t.h"
#include "ask/context.h"

enum compare_unit {
	COMPARE_NS,
	COMPARE_PER_S,
	COMPARE_PRESENT /* no value: it is there or not */
};
enum compare_class { /* in the order of findings */
	COMPARE_CAUSE,
	COMPARE_PART, /* of requests: what they took of programs and devices, which come first */
	COMPARE_EFFECT,
	COMPARE_PRESENCE,
	COMPARE_N_CLASSES
};
/* "cause": for programs. */
extern const char *const compare_class_names[COMPARE_N_CLASSES];

struct compare_measure {
	const char *kind;    /* "disk" */
	const char *subject; /* "h2 254,0, disk read" */
	const char *name;    /* "service time" */
	enum compare_class class;
	enum compare_unit unit;
};

struct compare_value {
	uint32_t measure;
	double v;
};

struct compare_run { /* a recording */
	const char *path;
	int side;	      /* 0: a, 1: b */
	const char *baseline; /* the file that it comes from; NULL: it was read */
	int64_t duration_ns;  /* MER_NO_TIME: not known */
	uint64_t lost;	      /* events */
	struct compare_value *values;
	size_t n, cap;
};

enum { COMPARE_MOST_MEASURES = 20000, COMPARE_MOST_RUNS = 2000 };

struct compare_set {
	struct mer_arena arena;
	struct mer_intern keys; /* numbers are those of measures */
	struct compare_measure *measures;
	size_t n_measures, cap_measures;
	struct compare_run *runs;
	size_t n_runs, cap_runs;
	bool has_left_out; /* measures beyond COMPARE_MOST_MEASURES */
};

void compare_set_init(struct compare_set *s);
void compare_set_fini(struct compare_set *s);
/* A run without values; its text is copied. NULL: no memory. */
struct compare_run *compare_add_run(struct compare_set *s, const char *path, int side);
/* A value of the last run; texts are copied. False: no memory. */
bool compare_add(struct compare_set *s, const struct compare_measure *m, double v);
size_t compare_n_runs(const struct compare_set *s, int side);

/* ---- measure.c ---- */

/* Opens the recording and adds a run with all that can be measured of it. An error: it cannot be
 * opened or read, no run was added, and ask->err says why; or memory is out. */
int compare_measure_recording(struct ask *ask, struct compare_set *s, const char *path, int side);

/* ---- file.c ---- */

bool compare_is_baseline(const char *path);
int compare_read_baseline(struct compare_set *s, const char *path, int side, struct mer_err *err);
/* All runs, as JSON. */
int compare_write_baseline(struct ask *ask, const struct compare_set *s, const char *path);

/* ---- read.c ---- */

/* All recordings and baselines that the patterns name. Those that cannot be read are warned of and
 * left out; none is left: an error. *n_left_out: how many were. */
int compare_read(struct ask *ask, struct compare_set *s, int side, const char *const *patterns,
	size_t n, size_t *n_left_out);

/* ---- judge.c ---- */

struct compare_finding {
	const struct compare_measure *measure;
	struct mer_max_t_measure m;
	double a, b;	  /* geometric means; of presence: in how many recordings */
	double low, high; /* of the ratio b / a, at once for all; NAN: not known */
	double certain; /* the part of the change that is: |log| of the end nearer to 1; 0: none */
	bool is_proven;
};

struct compare_result {
	struct mer_max_t all;
	size_t n[2];			  /* recordings */
	size_t n_tested;		  /* measures */
	double alpha;			  /* chance of any false alarm */
	struct compare_finding *findings; /* of all measures: proven causes, proven effects, others;
					     the most certain and then largest change first */
	size_t n_findings, n_proven;
};

/* compare_result_fini in any case. */
int compare_judge(
	const struct compare_set *s, double alpha, struct compare_result *r, struct mer_err *err);
void compare_result_fini(struct compare_result *r);
/* The fewest recordings of each side that can prove anything; of n_other on the other side (0: as
 * many as on this one). 0: no number can. */
size_t compare_fewest(double alpha, size_t n_other);
/* Is more of it worse? 1, or -1: less is; 0: neither. */
int compare_worse(const struct compare_measure *m);

struct compare_limit { /* --fail-above */
	bool is_set;
	double percent;
};
/* Worse by more than the limit, for sure. */
bool compare_fails(const struct compare_finding *f, const struct compare_limit *limit);

/* ---- verdict.c ---- */

struct compare_values { /* of options that compare and baseline check share */
	const char *fail_above, *junit, *false_alarms;
	uint64_t limit;
};
/* Judges, prints, and returns the exit status. */
int compare_conclude(struct ask *ask, const struct compare_set *s, const struct compare_values *v);

/* ---- print.c, junit.c ---- */

int compare_print(struct ask *ask, const struct compare_set *s, const struct compare_result *r,
	const struct compare_limit *limit, uint64_t rows);
/* What a baseline was made of. */
int compare_print_recordings(struct ask *ask, const struct compare_set *s);
/* "app: user CPU per call is 4.9 % more (at least 3.1 %), ..." */
void compare_sentence(
	struct mer_str *out, const struct compare_result *r, const struct compare_finding *f);
int compare_write_junit(struct ask *ask, const char *path, const struct compare_result *r,
	const struct compare_limit *limit);

#endif
