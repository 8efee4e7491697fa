/* Plan: a fold and the options, made into lists of small things to do, without names; and what
 * folds keep of a host. For the files of fold/ only. */
#ifndef MER_ANALYSIS_FOLD_PLAN_H
#define MER_ANALYSIS_FOLD_PLAN_H

#include "analysis/analysis.h"
#include "analysis/bins.h"
#include "analysis/fold.h"
#include "analysis/rows.h"
#include "base/grow.h"

enum {
	FOLD_PIECES = 256, /* that are worked on together */
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
	FOLD_MAX_OUTCOMES = 6, /* comparisons of facts in conditions that are about tasks, too */
	FOLD_NO_BIT = UINT8_MAX,
	FOLD_FINE_BITS = 40
};

/* ---- where a number of a fact comes from (source.c) ---- */

enum fold_source_what {
	FOLD_FROM_NOWHERE,
	FOLD_FROM_FIELD,
	FOLD_FROM_LENGTH, /* of the piece */
	FOLD_FROM_SHARE,  /* of a field: what comes in during the piece, if it comes in evenly */
	FOLD_FROM_MINUS,
	FOLD_FROM_CALL, /* a member of its call: view says which */
	FOLD_FROM_ERROR,
	FOLD_FROM_FUNCTION,
	FOLD_FROM_PIECE,
	FOLD_FROM_BIN,
	FOLD_FROM_ONCE /* 1: it counts as FOLD_ONCE says */
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
	const char *const *words;
	uint32_t n_words;
};

/* Facts, or parts of them, that are selected. */
struct fold_batch {
	const struct fold_plan *plan;
	const struct kernel_host *h;
	const char *facts;
	size_t stride;
	uint32_t n;
	uint32_t of[FOLD_PIECES];		      /* number of the fact */
	int64_t from[FOLD_PIECES], to[FOLD_PIECES];   /* of the piece */
	int64_t begin[FOLD_PIECES], end[FOLD_PIECES]; /* of the whole */
	uint32_t bin[FOLD_PIECES];
};

/* A field or view of the kind, also those that all have. False: it has none of this key. */
bool fold_source_find(const struct fact_kind *k, const char *key, struct fold_source *s);
bool fold_source_is_same(const struct fold_source *a, const struct fold_source *b);
/* The numbers of all pieces; FACT_UNKNOWN: none. */
void fold_gather(const struct fold_source *s, const struct fold_batch *b, int64_t *values);
/* Of one fact. */
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
	FOLD_HAS_TIMES = 512, /* two slots: values times lengths */
	FOLD_HAS_LENGTHS = 1024,
	FOLD_HAS_BUCKETS = 2048, /* the address of a fold_histogram */
	FOLD_HAS_VALUES = 4096,	 /* the address of a list (values.c) */
	FOLD_HAS_FINE = 8192,	 /* two slots: what comes in evenly, times 2^FOLD_FINE_BITS */
	FOLD_N_SLOTS = 14
};

struct fold_sum { /* of one value, where a condition holds */
	uint8_t input;
	int8_t value;	  /* of the input; -1: facts are only counted */
	int8_t condition; /* -1: none */
	bool is_switched; /* a fold_switch adds to it */
	uint16_t has;
	uint16_t at[FOLD_N_SLOTS]; /* slot, by bit */
};

struct fold_switch {  /* counts, or sums of one value, that a choice decides between */
	int8_t value; /* -1: counts */
	struct fold_source choice;
	uint16_t sum[FOLD_MAX_CHOICES]; /* of the plan, plus 1; 0: none */
	uint16_t to[FOLD_MAX_CHOICES];	/* its slot, plus 1 */
};

/* ---- of a kind ---- */

struct fold_input {
	const struct fact_kind *kind;
	enum fact_rule rule;
	struct fold_source begin, end; /* that the rule goes by */
	uint32_t n_where, n_values, n_conditions, n_switches;
	struct fold_condition where[FOLD_WHERES];
	struct fold_source duration, bytes, name; /* to select by; FOLD_FROM_NOWHERE: not */
	struct fold_source task, cpu, thread;
	struct fold_source values[FOLD_MAX_VALUES];
	struct fold_condition conditions[FOLD_MAX_CONDITIONS];
	struct fold_switch switches[FOLD_MAX_SWITCHES];
	/* As the keys of each table. */
	struct fold_source inner[FOLD_MAX_TABLES][FOLD_MAX_KEYS];
	struct fold_source by; /* of rows: what decides which are kept */
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
struct fold_key {      /* of rows */
	char name[32]; /* "host", "task", "waker", "name" */
	enum fold_key_what what;
	bool is_needed;		   /* where it is not known there is no row */
	uint32_t inner;		   /* number of the table's key that it is made of; host: none */
	struct fold_source source; /* what that means: of the first kind that has it */
};

struct fold_keys { /* of a scope, or of all rows */
	uint32_t n;
	struct fold_key keys[FOLD_MAX_KEYS];
	uint32_t table;
	bool by_host,
		has_host; /* by_host: rows of hosts are apart, whether it is a column or not */
	bool has_cpu;
};

struct fold_table { /* groups of facts, by inner keys */
	uint32_t n;
	char names[FOLD_MAX_KEYS][32];
	uint32_t task, bin, outcome; /* number of that key; FOLD_MAX_KEYS: none */
	bool is_dense;		     /* one key, a small number */
	/* Of several, number of one that is a small number: most facts belong to the last group
	 * that it had. */
	uint32_t main_key; /* FOLD_MAX_KEYS: none */
};

/* ---- columns ---- */

enum fold_column_what {
	FOLD_COLUMN_KEY,
	FOLD_COLUMN_CELL,
	FOLD_COLUMN_FACT, /* of rows: a field or view */
	FOLD_COLUMN_BUCKET_BEGIN,
	FOLD_COLUMN_BUCKET_END,
	FOLD_COLUMN_BUCKET_COUNT,
	FOLD_COLUMN_BEGIN, /* of the bin */
	FOLD_COLUMN_END,
	FOLD_COLUMN_SCOPE
};
enum fold_task_part { FOLD_TASK_ITSELF, FOLD_TASK_TID, FOLD_TASK_PID, FOLD_TASK_COMM };

struct fold_column {
	enum fold_column_what what;
	char key_name[32];	  /* FOLD_COLUMN_KEY: of fold_key */
	enum fold_task_part part; /* of a task */
	const struct fold_cell *cell;
	int16_t sum; /* of plan.sums; -1: none */
	struct fold_source fact[FOLD_KINDS];
	struct fold_condition
		condition[FOLD_KINDS]; /* of the cell; source FOLD_FROM_NOWHERE: none */
};

struct fold_derived { /* a cell made of others */
	const struct fold_cell *cell;
	uint32_t column;
	uint32_t scopes; /* bit i: scope i has it */
	bool lacks_of;	 /* a column of `of` is not there */
	uint8_t n_of, of[FOLD_MAX_OF];
	int8_t by; /* -1: none */
};

/* ---- options.filter (filter.c): its conditions by when they can be told ---- */

enum fold_operand_what {
	FOLD_OPERAND_NONE,
	FOLD_OPERAND_NUMBER, /* of the fact */
	FOLD_OPERAND_TASK,   /* of a task of the fact: tid, pid, comm */
	FOLD_OPERAND_HOST
};
struct fold_operand { /* of a comparison, for facts of a kind */
	enum fold_operand_what what;
	enum fold_task_part part;
	struct fold_source source;
};

struct fold_filter {
	const struct filter_node **of_facts; /* as they come */
	const struct filter_node **of_tasks; /* when the names of all tasks are known */
	/* Of both: what facts say of their comparisons, bit by bit, is the outcome, by which they
	 * are kept apart. */
	const struct filter_node **of_both;
	const struct filter_node **of_rows; /* of the table */
	uint32_t n_of_facts, n_of_tasks, n_of_both, n_of_rows;
	uint8_t *bit_of; /* by comparison; FOLD_NO_BIT: it has none */
	const struct filter_node *comparisons[FOLD_MAX_OUTCOMES]; /* by bit */
	uint32_t n_bits;
	struct fold_operand *operands[FOLD_KINDS]; /* left and right of each comparison */
};

struct fold_plan {
	struct mer_arena arena;
	struct mer_arena *of_tables; /* for columns, which outlive the plan */
	const struct mer_experiment *e;
	const struct analysis_run *run;
	struct fold_filter filter;
	const struct fold *fold;
	const struct analysis_options *options;
	const struct mer_column *columns;
	const struct fact_kind *kinds[FOLD_KINDS + 1];
	uint64_t limit;		     /* rows that are kept of each host; 0: all */
	struct fold_scope own_scope; /* of bins by other keys */
	bool other_columns;	     /* as requested */
	bool late;		     /* tasks are chosen when all is read */
	bool is_by_others;	     /* groups are those of options.group_by */
	bool has_cpus;		     /* a kind of facts that are about no task */
	bool all_of_time;	     /* no window, no periods */
	uint32_t n_inputs, n_tables, n_scopes, n_columns, n_sums, n_slots;
	struct fold_input inputs[FOLD_KINDS];
	struct fold_table tables[FOLD_MAX_TABLES];
	struct fold_keys scopes[FOLD_MAX_SCOPES]; /* of bins; otherwise one */
	const struct fold_scope *scope_of[FOLD_MAX_SCOPES];
	struct fold_sum sums[FOLD_MAX_SUMS];
	int64_t *empty;					  /* slots of a new group */
	struct fold_column plan_of[FOLD_MAX_COLUMNS];	  /* by column */
	int8_t key_of[FOLD_MAX_SCOPES][FOLD_MAX_COLUMNS]; /* key of the scope; -1: none */
	struct fold_derived derived[FOLD_MAX_COLUMNS];
	uint32_t n_derived;
	int16_t histogram;    /* sum with buckets that FOLD_BUCKETS shows; -1 */
	int16_t level_column; /* FOLD_LEVEL; -1: none, or not to be told */
	uint8_t level_input;
	struct fold_source level;
	int16_t first; /* sum with the first begin, to order rows by; -1 */
	struct analysis_bins bins;
	bool needs_pieces; /* when facts begin and end in the part that is looked at, for sums */
	bool rows_descend; /* FOLD_ROWS: the greatest are kept */
	size_t fact_bytes; /* FOLD_ROWS: of a kept row */
};

/* ---- groups (groups.c) ---- */

struct fold_groups { /* zeroed, then fold_groups_init: empty */
	uint32_t n_keys, n_slots;
	struct fold_group_slot {
		uint64_t hash;
		uint32_t group; /* plus 1; 0: free */
	} * slots;
	size_t cap;	 /* of slots: 0 or a power of two */
	uint32_t *dense; /* by key + 1: group, plus 1; of several keys: the last group */
	size_t cap_dense;
	int64_t **
		/* rows: keys, then slots; blocks of spill have one, then FOLD_EXTENT of them */
		chunks;
	struct mer_spill *spill;
	uint32_t n, cap_chunks;
	const int64_t *empty;
	/* By group, of those that were added from fold_waiting: number of its first fact. */
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
/* With the slots of the plan. */
void fold_groups_init(struct fold_groups *g, const struct fold_plan *p, uint32_t n_keys);
/* The group with these keys; made if new. KERNEL_NONE: no memory. */
uint32_t fold_group_of(struct fold_groups *g, const int64_t *keys);
/* The same for n pieces: keys[k][i], groups[i]. False: no memory. */
bool fold_groups_find(struct fold_groups *g, const struct fold_table *t,
	const int64_t (*keys)[FOLD_PIECES], uint32_t n, uint32_t *groups);
void fold_groups_fini(struct fold_groups *g);

/* ---- histograms (histogram.c): how many values lie in which bucket ---- */

/* 64 to a power of two; below 128 each number has its own. */
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
/* Those that are not empty, in order; malloc'ed; NULL: no memory. */
struct fold_bucket *fold_histogram_list(int64_t histogram, size_t *n);
/* The value at, or below, which this share of all values lies. */
int64_t fold_percentile(const struct fold_bucket *list, size_t n, double share);

/* ---- lists of values (values.c) ---- */

/* values: 0 at first; false: no memory. */
bool fold_values_add(int64_t *values, int64_t value);
bool fold_values_join(int64_t *into, int64_t from);
void fold_values_free(int64_t values);
/* Of one or more; between two the middle. Sorts them. */
int64_t fold_values_median(int64_t values);

/* ---- levels (levels.c): FOLD_LEVEL ---- */

struct fold_level { /* since the recording began; lowest: not above 0 */
	int64_t now, lowest;
	int64_t base; /* when the bins begin */
};
struct fold_levels {
	struct fold_level *of; /* by task + 1; 0: none, or not known */
	size_t cap;
	struct analysis_series changes; /* by that and bin; the first number alone */
};
void fold_levels_fini(struct fold_levels *l);

/* ---- what is kept of a host ---- */

struct fold_state {
	const struct fold_plan *plan;
	uint32_t host;
	struct fold_groups groups[FOLD_MAX_TABLES];
	struct analysis_rows *rows; /* FOLD_ROWS: [0]; late: by task + 1 */
	size_t cap_rows;
	struct analysis_wanted wanted[FOLD_KINDS]; /* names */
	struct mer_map named[FOLD_KINDS]; /* the same where a kind has has_name: 1 no, 2 yes */
	uint8_t *cpus;			  /* 1: not wanted, 2: wanted */
	size_t cap_cpus;
	uint64_t n_seen; /* facts, selected or not */
	struct fold_levels levels;
	const uint64_t *seqs; /* numbers of the facts that are being added; NULL: in their order */
	uint64_t n_cuts;      /* at edges of bins; FOLD_MAX_CUTS: from there on none is cut there */
	uint32_t last_bin;
	int64_t last_begin, last_end;	 /* of that bin; 0 and 0: not known yet */
	struct fold_batch batch, listed; /* listed: of facts alone, while they are chosen */
	int64_t values[FOLD_MAX_VALUES][FOLD_PIECES];
	uint8_t holds[FOLD_MAX_CONDITIONS][FOLD_PIECES];
	int64_t keys[FOLD_MAX_KEYS][FOLD_PIECES];
	uint32_t found[FOLD_PIECES];
	int64_t *at[FOLD_PIECES]; /* slots of the group */
};

struct fold_row { /* FOLD_ROWS: then the fact */
	struct analysis_row row;
	uint32_t input, pad;
};

/* Bins that all facts of a host may lie in, together: a broken trace may have many without end. */
enum { FOLD_MAX_CUTS = 100000000 };

/* select.c: the next pieces of facts first..n-1 into the state's batch; *at: how far it came. Call
 * it until *at is n and the batch is empty. */
struct fold_selection {
	const char *facts;
	uint32_t n, at;
	uint32_t n_chosen, next; /* of chosen[]: those that all but time let through */
	int64_t cut_from;	 /* within chosen[next]: what is left of it begins here */
	bool is_cut;
	uint32_t chosen[FOLD_PIECES];
};
/* As FOLD_ONCE says, of a fact that is selected. */
bool fold_counts_once(const struct fold_plan *p, const struct fold_source *s, const struct fact *f);
int fold_select(struct fold_state *s, const struct kernel_host *h, const struct fold_input *in,
	struct fold_selection *x, struct mer_err *err);

/* levels.c: facts that are selected by all but time. */
int fold_levels_add(struct fold_state *s, const struct kernel_host *h, const struct fold_input *in,
	const struct fold_selection *x, struct mer_err *err);

/* filter.c */
int fold_filter_plan(struct fold_plan *p, struct mer_err *err);
bool fold_filter_fact(const struct fold_plan *p, const struct fold_input *in, uint32_t host,
	const struct kernel_host *h, const struct fact *f);
/* Bits; 0 where no condition is about tasks and facts. */
uint32_t fold_filter_outcome(const struct fold_plan *p, const struct fold_input *in, uint32_t host,
	const struct kernel_host *h, const struct fact *f);
/* Of a task and an outcome by which groups or rows are kept apart; late in fold_plan: are they
 * wanted at all? */
bool fold_filter_task(const struct fold_plan *p, const struct analysis_run *run, uint32_t host,
	int64_t task, uint32_t outcome);
void fold_filter_rows(const struct fold_plan *p, struct mer_table *t);

/* rows.c */
int fold_rows_add(struct fold_state *s, const struct fold_input *in, struct mer_err *err);
int fold_rows_emit(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t);

/* add.c: n facts into groups and rows, with their numbers (NULL: in their order); slots of a +=
 * those of b, false: no memory. */
int fold_add_numbered(struct fold_state *s, const struct kernel_host *h,
	const struct fact_kind *kind, const void *facts, size_t n, const uint64_t *seqs,
	struct mer_err *err);
bool fold_join_slots(const struct fold_plan *p, int64_t *a, const int64_t *b);

/* joined.c: groups of all hosts joined by the keys of rows */
struct fold_part {
	uint32_t host, group; /* group: of the state's table */
	uint32_t row;	      /* KERNEL_NONE: not wanted */
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
	size_t *part_of;	 /* by row: its parts in by_row; one more than rows */
	uint32_t *by_row;
	struct mer_arena arena;
	struct mer_intern texts;
	uint32_t **process_of; /* by host: see processes.h; NULL: not needed */
};
/* host KERNEL_NONE: of all of them. fold_joined_fini in any case. */
int fold_joined_make(const struct fold_plan *p, const struct fold_keys *keys,
	struct analysis_run *run, struct fold_state *const *states, uint32_t host,
	struct fold_joined *j);
void fold_joined_fini(struct fold_joined *j);
const int64_t *fold_joined_slots(const struct fold_joined *j, uint32_t row);

/* The keys, without the bin, of the row that a task belongs to. False: there is none, or rows are
 * told apart by more than tasks. */
bool fold_joined_words_of_task(
	struct fold_joined *j, uint32_t host, int64_t task, int64_t words[FOLD_MAX_KEYS + 2]);

/* levels.c: levels of the rows of a host, which are bins of groups */
struct fold_level_rows {
	struct fold_levels *levels;
	uint32_t *first, *next; /* by group; by task + 1: tasks of the group, plus 1 */
	struct analysis_series_entry *changes; /* of a group, by bin */
	size_t n, cap, at;
	int64_t level;
	bool is_known;
};
/* groups: by keys without the bin. fold_level_rows_fini in any case; false: no memory. */
bool fold_level_rows_make(struct fold_level_rows *r, struct fold_joined *j,
	struct fold_groups *groups, uint32_t host);
/* Then, bin after bin: what a group holds when it ends. */
bool fold_level_rows_begin(struct fold_level_rows *r, uint32_t group);
struct mer_cell fold_level_rows_at(struct fold_level_rows *r, uint32_t bin);
void fold_level_rows_fini(struct fold_level_rows *r);

struct fold_parts {
	const struct fold_joined *j;
	const uint32_t *list; /* numbers of j->parts */
	size_t n;
};

/* keys.c */
/* The cell of a key column of the row whose first part this is. */
struct mer_cell fold_key_cell(const struct fold_joined *j, const struct fold_key *k,
	enum fold_task_part part, uint32_t part_number);
/* Of a number that means something; host: whose. */
struct mer_cell fold_number_cell(const struct analysis_run *run, const struct fold_source *s,
	uint32_t host, int64_t value, struct mer_arena *arena);
struct mer_cell fold_task_cell(
	const struct analysis_run *run, uint32_t host, int64_t task, enum fold_task_part part);

/* All of a row; other cells stay as they are. (table.c) */
void fold_key_cells(const struct fold_joined *j, uint32_t row, struct mer_cell *cells);

/* Of rows: the key of what is put together as "all others" before anything else. */
#define FOLD_OTHERS (FACT_UNKNOWN + 2)

/* cells.c */
struct fold_context { /* of a row */
	const struct fold_joined *j;
	uint32_t row;
	const int64_t *slots;
	int64_t range, capacity; /* ns */
	int64_t asked;		 /* ns that rates are of */
	uint64_t columns;	 /* bit i: the row has column i */
};
int fold_cells_fill(const struct fold_context *x, struct mer_cell *cells);
/* Columns of shares of all rows: when they are all there. */
void fold_cells_share(const struct fold_plan *p, struct mer_table *t);
/* Time that was looked at: of a host (KERNEL_NONE: the longest), and that times its CPUs. */
void fold_find_range(
	const struct analysis_run *run, uint32_t host, int64_t *range, int64_t *capacity);
/* Of a part of the time, of one host; and how many of its CPUs are recorded and wanted. */
int64_t fold_range_of(const struct analysis_run *run, uint32_t host, int64_t from, int64_t to);
int64_t fold_n_cpus(const struct analysis_run *run, uint32_t host);
/* plan.c: words of a list, between blanks or commas */
bool fold_list_has(const char *list, const char *word);
/* The first of a list of words; *list: behind it. False: none. */
bool fold_list_next(const char **list, char *word, size_t bytes);

/* order.c: numbers of the rows, in order; malloc'ed, NULL: no memory */
uint32_t *fold_order(const struct fold_joined *j, const char *order);

/* bins.c */
int fold_bins_emit(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t);

#endif
