/* Plan: a fold and the options, compiled to lists of simple steps without names; and the state
 * that folds keep for each host. Only for the files of fold/. */
#ifndef MER_ANALYSIS_FOLD_PLAN_H
#define MER_ANALYSIS_FOLD_PLAN_H

#include "analysis/analysis.h"
#include "analysis/bins.h"
#include "analysis/fold.h"
#include "analysis/rows.h"
#include "base/grow.h"

enum {
	FOLD_PIECES = 256, /* number of pieces processed together */
	FOLD_MAX_VALUES = 24,
	FOLD_MAX_CONDITIONS = 32,
	FOLD_MAX_SUMS = 48,
	FOLD_MAX_SWITCHES = 8,
	FOLD_MAX_KEYS = 10,
	FOLD_MAX_TABLES = 4,
	FOLD_MAX_SCOPES = 6,
	FOLD_MAX_COLUMNS = 64,
	FOLD_MAX_CHOICES = 64,
	FOLD_MAX_HISTOGRAMS = 4,
	FOLD_MAX_OF = 12,
	/* at most so many comparisons of facts in conditions that also depend on tasks */
	FOLD_MAX_OUTCOMES = 6,
	FOLD_NO_BIT = UINT8_MAX,
	FOLD_FINE_BITS = 40
};

/* ---- where a value of a fact comes from (source.c) ---- */

enum fold_source_what {
	FOLD_FROM_NOWHERE,
	FOLD_FROM_FIELD,
	FOLD_FROM_LENGTH, /* length of the piece */
	/* a field: the share that accrues during the piece, if it accrues evenly */
	FOLD_FROM_SHARE,
	FOLD_FROM_MINUS,
	FOLD_FROM_CALL, /* a member of its call; view says which */
	FOLD_FROM_ERROR,
	FOLD_FROM_FUNCTION,
	FOLD_FROM_PIECE,
	FOLD_FROM_BIN,
	FOLD_FROM_ONCE /* 1 if it counts according to FOLD_ONCE */
};

struct fold_source {
	enum fold_source_what what;
	const char *key, *title;
	enum mer_type type;
	enum fact_meaning meaning;
	struct fact_field field, less;
	const struct fact_view *view;
	int64_t (*of_piece)(int64_t begin, int64_t end);
	bool (*first_end)(const struct fact *f, struct fact_end *first);
	bool of_tasks; /* with first_end: as that of the kind */
	const char *const *words;
	uint32_t n_words;
};

/* Selected facts, or selected parts of facts. */
struct fold_batch {
	const struct fold_plan *plan;
	const struct kernel_host *h;
	const char *facts;
	size_t stride;
	uint32_t n;
	uint32_t of[FOLD_PIECES];		      /* index of the fact */
	int64_t from[FOLD_PIECES], to[FOLD_PIECES];   /* begin and end of the piece */
	int64_t begin[FOLD_PIECES], end[FOLD_PIECES]; /* begin and end of the whole fact */
	uint32_t bin[FOLD_PIECES];
};

/* Finds a field or view of the kind, including those that all kinds have. False: there is none
 * with this key. */
bool fold_source_find(const struct fact_kind *k, const char *key, struct fold_source *s);
bool fold_source_is_same(const struct fold_source *a, const struct fold_source *b);
/* The values for all pieces; FACT_UNKNOWN: none. */
void fold_gather(const struct fold_source *s, const struct fold_batch *b, int64_t *values);
/* The value for one fact. */
int64_t fold_source_of(
	const struct fold_source *s, const struct kernel_host *h, const struct fact *f);

struct fold_condition {
	struct fold_source source;
	enum fold_test test;
	int64_t a, b;
};
bool fold_condition_holds(const struct fold_condition *c, int64_t value);
void fold_conditions_hold(
	const struct fold_condition *c, const int64_t *values, uint32_t n, uint8_t *holds);

/* ---- sums ---- */

enum fold_part_of_sum { /* bits */
	FOLD_HAS_COUNT = 1,
	FOLD_HAS_SUM = 2,
	FOLD_HAS_SQUARES = 4, /* two slots */
	FOLD_HAS_MIN = 8,
	FOLD_HAS_MAX = 16,
	FOLD_HAS_AT_MIN = 32,
	FOLD_HAS_AT_MAX = 64,
	FOLD_HAS_FIRST = 128,
	FOLD_HAS_LAST = 256,
	FOLD_HAS_TIMES = 512, /* two slots: sum of values times lengths */
	FOLD_HAS_LENGTHS = 1024,
	FOLD_HAS_BUCKETS = 2048, /* the address of a fold_histogram */
	FOLD_HAS_VALUES = 4096,	 /* the address of a list (values.c) */
	/* two slots: sum of what accrues evenly, times 2^FOLD_FINE_BITS */
	FOLD_HAS_FINE = 8192,
	FOLD_N_SLOTS = 14
};

struct fold_sum { /* sums of one value, where a condition holds */
	uint8_t input;
	int8_t value;	  /* index of the value in the input; -1: facts are only counted */
	int8_t condition; /* -1: none */
	bool is_switched; /* a fold_switch adds to it */
	uint16_t has;
	uint16_t at[FOLD_N_SLOTS]; /* index of the slot, by bit */
};

/* counts, or sums of one value; a choice decides which of them is added to */
struct fold_switch {
	int8_t value; /* -1: counts */
	struct fold_source choice;
	uint16_t sum[FOLD_MAX_CHOICES]; /* number of the plan's sum, plus 1; 0: none */
	uint16_t to[FOLD_MAX_CHOICES];	/* its slot, plus 1 */
};

/* ---- for a kind ---- */

struct fold_input {
	const struct fact_kind *kind;
	enum fact_rule rule;
	struct fold_source begin, end; /* as the rule defines them */
	uint32_t n_where, n_values, n_conditions, n_switches;
	struct fold_condition where[FOLD_WHERES];
	/* values that options select by; FOLD_FROM_NOWHERE: none */
	struct fold_source duration, bytes, name;
	struct fold_source task, cpu, thread;
	struct fold_source values[FOLD_MAX_VALUES];
	struct fold_condition conditions[FOLD_MAX_CONDITIONS];
	struct fold_switch switches[FOLD_MAX_SWITCHES];
	/* Sources of the keys of each table. */
	struct fold_source inner[FOLD_MAX_TABLES][FOLD_MAX_KEYS];
	struct fold_source by; /* in rows: the value that decides which rows are kept */
	struct fold_source histogram;
};

/* ---- keys ---- */

enum fold_key_what {
	FOLD_KEY_NUMBER,
	FOLD_KEY_HOST,
	FOLD_KEY_THREAD,
	FOLD_KEY_PROCESS,
	FOLD_KEY_PROGRAM
};
struct fold_key {      /* key of rows */
	char name[32]; /* "host", "task", "waker", "name" */
	enum fold_key_what what;
	bool is_needed; /* no row if it is not known */
	/* index of the table's key that it is computed from; host has none */
	uint32_t inner;
	/* meaning of the value: that of the first kind that has the key */
	struct fold_source source;
};

struct fold_keys { /* keys of a scope, or of all rows */
	uint32_t n;
	struct fold_key keys[FOLD_MAX_KEYS];
	uint32_t table;
	bool by_host,
		/* by_host: rows of different hosts are kept apart, whether or not host is a
		 * column */
		has_host;
	bool has_cpu;
};

struct fold_table { /* groups of facts, by inner keys */
	uint32_t n;
	char names[FOLD_MAX_KEYS][32];
	uint32_t task, bin, outcome; /* index of that key; FOLD_MAX_KEYS: none */
	bool is_dense;		     /* one key that is a small number */
	/* With several keys, the index of one that is a small number: most facts belong to the
	 * same group as the last fact with that number. */
	uint32_t main_key; /* FOLD_MAX_KEYS: none */
};

/* ---- columns ---- */

enum fold_column_what {
	FOLD_COLUMN_KEY,
	FOLD_COLUMN_CELL,
	FOLD_COLUMN_FACT, /* in rows: a field or view */
	FOLD_COLUMN_BUCKET_BEGIN,
	FOLD_COLUMN_BUCKET_END,
	FOLD_COLUMN_BUCKET_COUNT,
	FOLD_COLUMN_BEGIN, /* begin of the bin */
	FOLD_COLUMN_END,
	FOLD_COLUMN_SCOPE
};
enum fold_task_part { FOLD_TASK_ITSELF, FOLD_TASK_TID, FOLD_TASK_PID, FOLD_TASK_COMM };

struct fold_column {
	enum fold_column_what what;
	char key_name[32];	  /* FOLD_COLUMN_KEY: name of the fold_key */
	enum fold_task_part part; /* for a task */
	const struct fold_cell *cell;
	int16_t sum; /* index into plan.sums; -1: none */
	struct fold_source fact[FOLD_KINDS];
	struct fold_condition
		/* condition of the cell; source FOLD_FROM_NOWHERE: none */
		condition[FOLD_KINDS];
};

struct fold_derived { /* a cell computed from other cells */
	const struct fold_cell *cell;
	uint32_t column;
	uint32_t scopes; /* bit i: scope i has it */
	bool lacks_of;	 /* a column named in `of` does not exist */
	uint8_t n_of, of[FOLD_MAX_OF];
	int8_t by; /* -1: none */
};

/* ---- options.filter (filter.c): its conditions, by when they can be decided ---- */

enum fold_operand_what {
	FOLD_OPERAND_NONE,
	FOLD_OPERAND_NUMBER, /* a number of the fact */
	FOLD_OPERAND_TASK,   /* a task of the fact: tid, pid, comm */
	FOLD_OPERAND_HOST
};
struct fold_operand { /* operand of a comparison, for facts of one kind */
	enum fold_operand_what what;
	enum fold_task_part part;
	struct fold_source source;
};

struct fold_filter {
	const struct filter_node **of_facts; /* decided for each fact as it is added */
	/* decided when the names of all tasks are known */
	const struct filter_node **of_tasks;
	/* About both: the results of their comparisons of facts, bit by bit, are the outcome,
	 * and facts are grouped by outcome. */
	const struct filter_node **of_both;
	const struct filter_node **of_rows; /* about rows of the table */
	uint32_t n_of_facts, n_of_tasks, n_of_both, n_of_rows;
	uint8_t *bit_of; /* by comparison; FOLD_NO_BIT: it has none */
	const struct filter_node *comparisons[FOLD_MAX_OUTCOMES]; /* by bit */
	uint32_t n_bits;
	struct fold_operand *operands[FOLD_KINDS]; /* left and right of each comparison */
};

struct fold_plan {
	struct mer_arena arena;
	struct mer_arena *of_tables; /* arena of columns, which outlive the plan */
	const struct mer_experiment *e;
	const struct analysis_run *run;
	struct fold_filter filter;
	const struct fold *fold;
	const struct analysis_options *options;
	const struct mer_column *columns;
	const struct fact_kind *kinds[FOLD_KINDS + 1];
	uint64_t limit;		     /* rows to keep for each host; 0: all */
	struct fold_scope own_scope; /* for bins with other keys */
	bool other_columns;	     /* as requested */
	bool late;		     /* tasks can only be selected when everything has been read */
	bool is_by_others;	     /* groups are those of options.group_by */
	bool has_cpus;		     /* some kind of facts is about no task */
	bool all_of_time;	     /* neither a window nor periods */
	uint32_t n_inputs, n_tables, n_scopes, n_columns, n_sums, n_slots;
	struct fold_input inputs[FOLD_KINDS];
	struct fold_table tables[FOLD_MAX_TABLES];
	struct fold_keys scopes[FOLD_MAX_SCOPES]; /* scopes of bins; otherwise one entry */
	const struct fold_scope *scope_of[FOLD_MAX_SCOPES];
	struct fold_sum sums[FOLD_MAX_SUMS];
	int64_t *empty;				      /* initial slots of a new group */
	struct fold_column plan_of[FOLD_MAX_COLUMNS]; /* one for each column */
	/* index of the key in the scope; -1: none */
	int8_t key_of[FOLD_MAX_SCOPES][FOLD_MAX_COLUMNS];
	struct fold_derived derived[FOLD_MAX_COLUMNS];
	uint32_t n_derived;
	int16_t histogram;    /* index of the sum whose buckets FOLD_BUCKETS shows; -1 */
	int16_t level_column; /* FOLD_LEVEL; -1: none, or it cannot be computed */
	uint8_t level_input;
	struct fold_source level;
	int16_t first; /* index of the sum with the first begin, to order rows by; -1 */
	struct analysis_bins bins;
	/* sums need the begin and end of facts within the analyzed time */
	bool needs_pieces;
	bool rows_descend; /* FOLD_ROWS: the greatest values are kept */
	size_t fact_bytes; /* FOLD_ROWS: size of a kept row */
};

/* ---- groups (groups.c) ---- */

struct fold_groups { /* zeroed, then fold_groups_init: empty */
	uint32_t n_keys, n_slots;
	struct fold_group_slot {
		uint64_t hash;
		uint32_t group; /* plus 1; 0: free */
	} * slots;
	size_t cap;	 /* capacity of slots: 0 or a power of two */
	uint32_t *dense; /* by key + 1: group, plus 1; with several keys: the last group */
	size_t cap_dense;
	int64_t **
		/* rows: keys, then slots; blocks of spill have one, then FOLD_EXTENT of them */
		chunks;
	struct mer_spill *spill;
	uint32_t n, cap_chunks;
	const int64_t *empty;
	/* By group, for groups added from fold_waiting: number of its first fact. */
	uint64_t *seqs;
	uint32_t n_seqs, cap_seqs;
	uint32_t n_owned; /* slots that are addresses of histograms */
	uint16_t owned[FOLD_MAX_HISTOGRAMS];
	uint32_t n_lists; /* and of lists of values */
	uint16_t lists[FOLD_MAX_HISTOGRAMS];
};
enum { FOLD_CHUNK_BITS = 6, FOLD_CHUNK = 1 << FOLD_CHUNK_BITS, FOLD_EXTENT = 32 };

static inline int64_t *fold_group_row(const struct fold_groups *g, uint32_t group)
{
	return g->chunks[group >> FOLD_CHUNK_BITS] +
	       (size_t)(group & (FOLD_CHUNK - 1)) * (g->n_keys + g->n_slots);
}
/* Uses the slots of the plan. */
void fold_groups_init(struct fold_groups *g, const struct fold_plan *p, uint32_t n_keys);
/* The group with these keys; created if new. KERNEL_NONE: no memory. */
uint32_t fold_group_of(struct fold_groups *g, const int64_t *keys);
/* The same for n pieces: keys[k][i], groups[i]. False: no memory. */
bool fold_groups_find(struct fold_groups *g, const struct fold_table *t,
	const int64_t (*keys)[FOLD_PIECES], uint32_t n, uint32_t *groups);
void fold_groups_fini(struct fold_groups *g);

/* ---- histograms (histogram.c): number of values in each bucket ---- */

/* 64 buckets for each power of two; below 128 each number has a bucket of its own. */
unsigned fold_bucket(int64_t value);
int64_t fold_bucket_begin(unsigned bucket);
/* histogram: 0 at first; false: no memory. */
bool fold_histogram_add(int64_t *histogram, unsigned bucket, uint64_t n);
bool fold_histogram_join(int64_t *into, int64_t from);
void fold_histogram_free(int64_t histogram);
struct fold_bucket {
	uint16_t bucket;
	uint64_t n;
};
/* The buckets that are not empty, in order; malloc'ed; NULL: no memory. */
struct fold_bucket *fold_histogram_list(int64_t histogram, size_t *n);
/* The value that this share of all values does not exceed. */
int64_t fold_percentile(const struct fold_bucket *list, size_t n, double share);

/* ---- lists of values (values.c) ---- */

/* values: 0 at first; false: no memory. */
bool fold_values_add(int64_t *values, int64_t value);
bool fold_values_join(int64_t *into, int64_t from);
/* All of them, as they came; NULL: none. */
const int64_t *fold_values_list(int64_t values, size_t *n);
void fold_values_free(int64_t values);
/* Median of one or more values; with an even number the mean of the two in the middle. Sorts
 * them. */
int64_t fold_values_median(int64_t values);
/* The least of them that at least so many thousandths do not exceed. */
int64_t fold_values_rank(int64_t values, unsigned per_mille);

/* ---- levels (levels.c): FOLD_LEVEL ---- */

struct fold_level { /* change since the recording began; lowest: not above 0 */
	int64_t now, lowest;
	int64_t base; /* begin of the first bin */
};
struct fold_levels {
	struct fold_level *of; /* by task + 1; 0: none, or not known */
	size_t cap;
	/* by task + 1 and bin; only the first number is used */
	struct analysis_series changes;
};
void fold_levels_fini(struct fold_levels *l);

/* ---- state of a host ---- */

struct fold_state {
	const struct fold_plan *plan;
	uint32_t host;
	struct fold_groups groups[FOLD_MAX_TABLES];
	struct analysis_rows *rows; /* FOLD_ROWS: [0]; late: by task + 1 */
	size_t cap_rows;
	struct analysis_wanted wanted[FOLD_KINDS]; /* selected names */
	/* the same for kinds with has_name: 1 no, 2 yes */
	struct mer_map named[FOLD_KINDS];
	uint8_t *cpus; /* 1: not selected, 2: selected */
	size_t cap_cpus;
	uint64_t n_seen; /* number of facts, selected or not */
	struct fold_levels levels;
	const uint64_t *seqs; /* numbers of the facts being added; NULL: consecutive */
	/* cuts at edges of bins so far; from FOLD_MAX_CUTS on facts are no longer cut there */
	uint64_t n_cuts;
	uint32_t last_bin;
	/* edges of the bin used last; 0 and 0: not known yet */
	int64_t last_begin, last_end;
	/* listed: only facts, while they are being selected */
	struct fold_batch batch, listed;
	int64_t values[FOLD_MAX_VALUES][FOLD_PIECES];
	uint8_t holds[FOLD_MAX_CONDITIONS][FOLD_PIECES];
	int64_t keys[FOLD_MAX_KEYS][FOLD_PIECES];
	uint32_t found[FOLD_PIECES];
	int64_t *at[FOLD_PIECES]; /* slots of the group of each piece */
};

struct fold_row { /* FOLD_ROWS: followed by the fact */
	struct analysis_row row;
	uint32_t input, pad;
};

/* Limit of the bins that all facts of a host may span together: a damaged trace may have many
 * facts without an end. */
enum { FOLD_MAX_CUTS = 100000000 };

/* select.c: puts the next pieces of facts first..n-1 into the batch of the state; *at: index of
 * the next fact. Call it until *at is n and the batch is empty. */
struct fold_selection {
	const char *facts;
	uint32_t n, at;
	/* number of entries of chosen[]: facts that meet all conditions but time */
	uint32_t n_chosen, next;
	int64_t cut_from; /* the rest of chosen[next] begins here */
	bool is_cut;
	uint32_t chosen[FOLD_PIECES];
};
/* Does a selected fact count according to FOLD_ONCE? */
bool fold_counts_once(const struct fold_plan *p, const struct fold_source *s, const struct fact *f);
int fold_select(struct fold_state *s, const struct kernel_host *h, const struct fold_input *in,
	struct fold_selection *x, struct mer_err *err);

/* levels.c: for facts that meet all conditions but time. */
int fold_levels_add(struct fold_state *s, const struct kernel_host *h, const struct fold_input *in,
	const struct fold_selection *x, struct mer_err *err);

/* filter.c */
int fold_filter_plan(struct fold_plan *p, struct mer_err *err);
bool fold_filter_fact(const struct fold_plan *p, const struct fold_input *in, uint32_t host,
	const struct kernel_host *h, const struct fact *f);
/* Bits; 0 if no condition depends on both tasks and facts. */
uint32_t fold_filter_outcome(const struct fold_plan *p, const struct fold_input *in, uint32_t host,
	const struct kernel_host *h, const struct fact *f);
/* For a task and an outcome by which groups or rows are kept apart: are they selected? See
 * fold_plan.late. */
bool fold_filter_task(const struct fold_plan *p, const struct analysis_run *run, uint32_t host,
	int64_t task, uint32_t outcome);
void fold_filter_rows(const struct fold_plan *p, struct mer_table *t);

struct fold_ranks;
/* rows.c */
int fold_rows_add(struct fold_state *s, const struct fold_input *in, struct mer_err *err);
int fold_rows_emit(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t, struct fold_ranks *ranks);

/* add.c: adds n facts to groups and rows, with their numbers (NULL: consecutive). The second
 * adds slots b to a; false: no memory. */
int fold_add_numbered(struct fold_state *s, const struct kernel_host *h,
	const struct fact_kind *kind, const void *facts, size_t n, const uint64_t *seqs,
	struct mer_err *err);
bool fold_join_slots(const struct fold_plan *p, int64_t *a, const int64_t *b);

/* joined.c: groups of all hosts joined by the keys of rows */
struct fold_part {
	uint32_t host, group; /* group: index in the table of the host's state */
	uint32_t row;	      /* KERNEL_NONE: not selected */
};
struct fold_joined {
	const struct fold_plan *plan;
	const struct fold_keys *keys;
	struct analysis_run *run;
	struct fold_state *const *states;
	struct fold_part *parts; /* host by host */
	size_t n_parts;
	size_t *first_of_host;
	struct fold_groups rows; /* keys: the rows' keys, then the bin in bins; host before them */
	uint32_t *first;	 /* by row: its first part */
	/* by row: index of its first part in by_row; one entry more than rows */
	size_t *part_of;
	uint32_t *by_row;
	struct mer_arena arena;
	struct mer_intern texts;
	uint32_t **process_of; /* by host: see process_of.h; NULL: not needed */
};
/* host KERNEL_NONE: all hosts. Call fold_joined_fini whatever the result. */
int fold_joined_make(const struct fold_plan *p, const struct fold_keys *keys,
	struct analysis_run *run, struct fold_state *const *states, uint32_t host,
	struct fold_joined *j);
void fold_joined_fini(struct fold_joined *j);
const int64_t *fold_joined_slots(const struct fold_joined *j, uint32_t row);

/* The keys, without the bin, of the row that a task belongs to. False: there is none, or rows
 * have other keys than those of a task. */
bool fold_joined_words_of_task(
	struct fold_joined *j, uint32_t host, int64_t task, int64_t words[FOLD_MAX_KEYS + 2]);

/* levels.c: levels of the rows of a host, which are bins of groups */
struct fold_level_rows {
	struct fold_levels *levels;
	/* by group: its first task, plus 1; by task + 1: the next task of the group, plus 1 */
	uint32_t *first, *next;
	struct analysis_series_entry *changes; /* of a group, by bin */
	size_t n, cap, at;
	int64_t level;
	bool is_known;
};
/* groups: by keys without the bin. Call fold_level_rows_fini whatever the result; false: no
 * memory. */
bool fold_level_rows_make(struct fold_level_rows *r, struct fold_joined *j,
	struct fold_groups *groups, uint32_t host);
/* Then call, bin after bin: what the group holds at the end of the bin. */
bool fold_level_rows_begin(struct fold_level_rows *r, uint32_t group);
struct mer_cell fold_level_rows_at(struct fold_level_rows *r, uint32_t bin);
void fold_level_rows_fini(struct fold_level_rows *r);

struct fold_parts {
	const struct fold_joined *j;
	const uint32_t *list; /* indexes into j->parts */
	size_t n;
};

/* keys.c */
/* The cell of a key column of the row whose first part is given. */
struct mer_cell fold_key_cell(const struct fold_joined *j, const struct fold_key *k,
	enum fold_task_part part, uint32_t part_number);
/* The cell of a number with a meaning; host: the host that the number belongs to. */
struct mer_cell fold_number_cell(const struct analysis_run *run, const struct fold_source *s,
	uint32_t host, int64_t value, struct mer_arena *arena);
struct mer_cell fold_task_cell(
	const struct analysis_run *run, uint32_t host, int64_t task, enum fold_task_part part);

/* All key cells of a row; other cells are left unchanged. (table.c) */
void fold_key_cells(const struct fold_joined *j, uint32_t row, struct mer_cell *cells);
/* Is the key a text in words of rows, rather than a number? (joined.c) */
bool fold_key_is_text(const struct fold_keys *keys, const struct fold_key *k);

/* Key of rows that are summed up as "all others" before anything else is done. */
#define FOLD_OTHERS (FACT_UNKNOWN + 2)

/* cells.c */
struct fold_context { /* of a row */
	const struct fold_joined *j;
	uint32_t row;
	const int64_t *slots;
	int64_t range, capacity; /* ns of the analyzed time, and that times the CPUs */
	int64_t asked;		 /* ns that rates refer to */
	uint64_t columns;	 /* bit i: the row has column i */
	/* Where parts of the row are not here: by column, what functions of them gave. NULL: they
	 * are. */
	const struct mer_cell *made;
};
int fold_cells_fill(const struct fold_context *x, struct mer_cell *cells);
/* Columns with shares of all rows; call it when all rows exist. */
void fold_cells_share(const struct fold_plan *p, struct mer_table *t);
/* The analyzed time of a host (KERNEL_NONE: the longest), and that times its CPUs. */
void fold_find_range(
	const struct analysis_run *run, uint32_t host, int64_t *range, int64_t *capacity);
/* The analyzed part of [from, to) of one host; and the number of its CPUs that are recorded and
 * selected. */
int64_t fold_range_of(const struct analysis_run *run, uint32_t host, int64_t from, int64_t to);
int64_t fold_n_cpus(const struct analysis_run *run, uint32_t host);
/* plan.c: is the word in the list, which is separated by blanks or commas? */
bool fold_list_has(const char *list, const char *word);
/* Takes the first word of a list; *list: moved behind it. False: none. */
bool fold_list_next(const char **list, char *word, size_t bytes);

/* order.c: what rows are ordered by */
enum { FOLD_MAX_TERMS = 6 };
struct fold_terms {
	size_t n;
	struct fold_term {
		bool descends;
		const struct fold_key *key; /* NULL: a sum */
		const struct fold_sum *sum;
		unsigned bit; /* of enum fold_part_of_sum: which slot of it */
	} of[FOLD_MAX_TERMS];
};
struct fold_rank { /* of a row, by a term */
	int64_t number;
	const char *text; /* NULL: the number alone */
};
/* order: as fold.order. Words that rows do not have are passed over. */
void fold_terms_find(const struct fold_plan *p, const struct fold_keys *keys, const char *order,
	struct fold_terms *terms);
/* ranks: one for each term; numbers of hosts are those of the experiment. */
void fold_ranks_of(const struct fold_joined *j, const struct fold_terms *terms, uint32_t row,
	struct fold_rank *ranks);
int fold_ranks_compare(
	const struct fold_terms *terms, const struct fold_rank *a, const struct fold_rank *b);
/* Indexes of the rows, in order; malloc'ed, NULL: no memory. */
uint32_t *fold_order(const struct fold_joined *j, const char *order);

/* What rows of a table were ordered by before it was finished. */
struct fold_ranks {
	struct fold_terms terms; /* of groups; of rows none: rank 0 is the value that decides */
	size_t n_terms, n_rows, cap;
	struct fold_rank *of; /* by row, n_terms each */
};
/* rows.c, table.c: a row with these ranks was added. False: no memory. */
bool fold_ranks_add(struct fold_ranks *r, const struct fold_rank *ranks);
/* table.c: the row of groups whose key cells are filled, or its buckets. */
int fold_row_add(const struct fold_context *x, struct mer_cell *cells, struct mer_table *t);
/* Rows in order, before the fold finishes them; ranks may be NULL, otherwise its terms are set. */
int fold_emit_rows(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t, struct fold_ranks *ranks);
/* Number of facts that these states have seen. */
uint64_t fold_n_seen(uint32_t n_hosts, struct fold_state *const *states);

/* bins.c */
int fold_bins_emit(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t);

#endif
