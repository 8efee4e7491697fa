/* Folds: what tables are made of facts, by hand: which facts count, and what is summed up; and that
 * it does not matter in how many parts facts come. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/bins.h"
#include "analysis/busiest.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "tasks_world.h"
#include "trace/filter/filter.h"

static const char *const colors[] = { "red", "green", "blue" };
enum { RED, GREEN, BLUE };

struct thing {
	struct fact fact; /* choice: color */
	int64_t bytes;	  /* -1: not known */
	int32_t level;
	uint32_t other; /* task */
};

static const struct fact_field fields[] = {
	{ "color", "color", MER_TEXT, FACT_WORDS(colors), FACT_MEMBER(struct fact, choice) },
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct thing, bytes),
		FACT_NONE_IS(-1) },
	{ "level", "level", MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct thing, level) },
	{ "other", "other", MER_ID, FACT_TASK, FACT_MEMBER(struct thing, other),
		FACT_NONE_IS(KERNEL_NONE) },
	{ 0 },
};
static const struct fact_kind whole = { .id = "thing",
	.rule = FACT_BEGINS,
	.size = sizeof(struct thing),
	.fields = fields,
	.duration = "duration_ns",
	.bytes = "bytes" };
static const struct fact_kind stretch = {
	.id = "stretch", .rule = FACT_CUT, .size = sizeof(struct thing), .fields = fields
};

/* Two hosts: tasks 0 "a", 1 "b" of the first (of one process), 0 "b" of the second; until 100. */
struct bed {
	struct tasks_world t;
	struct mer_experiment e;
	struct mer_host hosts[2];
	struct analysis_run run;
	struct analysis_options o;
	struct mer_err err;
	struct mer_table table;
};

#define ALL .begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX

static void open_bed(struct bed *b)
{
	memset(b, 0, sizeof(*b));
	tw_init(&b->t, 2, 100);
	tw_task(&b->t, 0, 1, "a");
	tw_task(&b->t, 0, 2, "b");
	b->t.hosts[0].tasks[1].pid = 1;
	tw_task(&b->t, 1, 1, "b");
	for (int i = 0; i < 2; i++) {
		b->t.hosts[i].begin = 0;
		b->t.hosts[i].end = 100;
		b->t.hosts[i].n_events = 1;
	}
	b->hosts[0].name = "h0";
	b->hosts[1].name = "h1";
	b->e.hosts = b->hosts;
	b->e.n_hosts = 2;
	b->o = (struct analysis_options){ ALL };
	b->run = (struct analysis_run){
		.e = &b->e, .options = &b->o, .world = &b->t.w, .err = &b->err
	};
	mer_arena_init(&b->run.arena);
}

static void close_bed(struct bed *b)
{
	mer_table_fini(&b->table);
	mer_arena_fini(&b->run.arena);
	tw_fini(&b->t);
}

/* The table of these facts of each host; in so many parts. */
static int try_fold(struct bed *b, const struct fold *f, const struct mer_column *columns,
	const struct thing *const facts[2], const size_t n[2], size_t parts)
{
	const struct fold_request r = { .fold = f, .columns = columns, .options = &b->o };
	struct fold_plan *p;
	int rc = fold_plan_new(&b->run, &r, &p, &b->err);
	if (rc)
		return rc;
	struct fold_state *states[2];
	for (uint32_t h = 0; h < 2; h++) {
		states[h] = fold_state_new(p, h);
		for (size_t i = 0; i < parts; i++) {
			size_t from = n[h] * i / parts, to = n[h] * (i + 1) / parts;
			assert_int_equal(fold_add(states[h], &b->t.hosts[h], f->kinds[0],
						 facts[h] + from, to - from, &b->err),
				0);
		}
	}
	mer_table_fini(&b->table);
	mer_table_init(&b->table, "t", "t", fold_plan_columns(p), &b->run.arena);
	rc = fold_emit(p, &b->run, states, &b->table);
	for (uint32_t h = 0; h < 2; h++)
		fold_state_free(states[h]);
	fold_plan_free(p);
	return rc;
}

/* Rows as text, columns and rows between blanks and semicolons; - where a cell is empty. */
static const char *text_of(const struct mer_table *t)
{
	static char text[4000];
	size_t n = 0;
	text[0] = '\0';
	for (size_t i = 0; i < t->n_rows * t->n_columns && n < sizeof(text) - 100; i++) {
		const struct mer_cell *c = &t->cells[i];
		enum mer_type type = t->columns[i % t->n_columns].type;
		bool is_real = type == MER_RATIO || type == MER_REAL || type == MER_RATE;
		const char *end = (i + 1) % t->n_columns ? " " : "; ";
		n += (size_t)(!c->set		 ? snprintf(text + n, 100, "-%s", end)
			      : type == MER_TEXT ? snprintf(text + n, 100, "%s%s", c->v.text, end)
			      : is_real		 ? snprintf(text + n, 100, "%.3g%s", c->v.f, end)
					: snprintf(text + n, 100, "%" PRId64 "%s", c->v.i, end));
	}
	return text;
}

static void check(struct bed *b, const struct fold *f, const struct mer_column *columns,
	const struct thing *first, size_t n_first, const struct thing *second, size_t n_second,
	const char *expected)
{
	const struct thing *facts[] = { first, second };
	size_t n[] = { n_first, n_second };
	for (size_t parts = 1; parts <= 3; parts++) {
		if (try_fold(b, f, columns, facts, n, parts))
			fail_msg("%s", b->err.text);
		assert_string_equal(text_of(&b->table), expected);
	}
}
#define N(array) (array), sizeof(array) / sizeof((array)[0])

/* ---- groups ---- */

static const struct thing some[] = {
	{ { 10, 14, 0, 0, RED }, 100, 1, 1 },
	{ { 5, 9, 0, 1, RED }, -1, 2, KERNEL_NONE },
	{ { 20, 30, 0, 0, BLUE }, 50, 3, 1 },
	{ { 40, 41, 1, 0, GREEN }, 7, 4, 0 },
};
static const struct thing others[] = { { { 50, 53, 0, 2, RED }, 1000, 1, KERNEL_NONE } };

static const struct mer_column group_columns[] = { ANALYSIS_TASK_COLUMNS, ANALYSIS_STATS_COLUMNS,
	{ "red", "red", MER_COUNT }, { "bytes", "bytes", MER_BYTES },
	{ "known", "known", MER_COUNT }, { "percent", "%", MER_RATIO }, { 0 } };
static const struct fold_cell group_cells[] = { FOLD_STATS("duration_ns"),
	{ "red", FOLD_COUNT, .where = { "color", FOLD_IS, RED, 0 } },
	{ "bytes", FOLD_SUM, .of = "bytes", .where = { "color", FOLD_IS_NOT, GREEN, 0 },
		.empty_if_none = true },
	{ "known", FOLD_COUNT, .of = "bytes" }, { "percent", FOLD_SHARE, .of = "total_ns" },
	{ 0 } };
static const struct fold groups = {
	.shape = FOLD_GROUPS, .kinds = { &whole }, .group = "host thread", .cells = group_cells
};

/* Of two equal ones the earlier is told, whichever came first. What is not known is in no sum. */
static void sums_of_groups(void **state)
{
	struct bed b;
	(void)state;
	open_bed(&b);
	check(&b, &groups, group_columns, N(some), N(others),
		"h0 1 1 a 3 4 10 6 3 18 5 20 2 150 2 0.818; "
		"h0 2 1 b 1 1 1 1 - 1 40 40 0 - 1 0.0455; "
		"h1 1 1 b 1 3 3 3 - 3 50 50 1 1000 1 0.136; ");
	close_bed(&b);
}

/* By other keys: what tells no thread is joined, also of several hosts. */
static void other_keys(void **state)
{
	static const struct {
		const char *keys, *rows;
	} cases[] = {
		{ "program", "a 3 4 10 6 3 18 5 20 2 150 2 0.818; "
			     "b 2 1 3 2 1 4 40 50 1 1000 2 0.182; " },
		{ "process", "h0 1 a 4 1 10 5 4 19 40 20 2 150 3 0.864; "
			     "h1 1 b 1 3 3 3 - 3 50 50 1 1000 1 0.136; " },
		{ "color", "red 3 3 4 4 1 11 50 5 3 1100 2 0.5; "
			   "blue 1 10 10 10 - 10 20 20 0 50 1 0.455; "
			   "green 1 1 1 1 - 1 40 40 0 - 1 0.0455; " },
		{ "host,color", "h0 red 2 4 4 4 0 8 5 5 2 100 1 0.364; "
				"h0 blue 1 10 10 10 - 10 20 20 0 50 1 0.455; "
				"h0 green 1 1 1 1 - 1 40 40 0 - 1 0.0455; "
				"h1 red 1 3 3 3 - 3 50 50 1 1000 1 0.136; " },
	};
	struct bed b;
	(void)state;
	open_bed(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b.o.group_by = cases[i].keys;
		check(&b, &groups, group_columns, N(some), N(others), cases[i].rows);
	}
	b.o.group_by = "colour";
	const struct thing *facts[] = { some, others };
	size_t n[] = { 1, 1 };
	assert_int_equal(try_fold(&b, &groups, group_columns, facts, n, 1), MER_ERR_USAGE);
	close_bed(&b);
}

/* ---- which facts ---- */

static bool named_b(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return strcmp(kernel_comm(h, task), "b") == 0;
}

static const struct mer_column row_columns[] = { { "begin", "begin", MER_TIME },
	{ "duration_ns", "duration", MER_DURATION }, ANALYSIS_TASK_COLUMNS,
	{ "color", "color", MER_TEXT }, { "other_comm", "other", MER_TEXT },
	{ "level", "level", MER_COUNT }, { 0 } };
static const struct fold rows = { .shape = FOLD_ROWS,
	.kinds = { &whole },
	.cells =
		(const struct fold_cell[]){
			{ "level", FOLD_VALUE, .where = { "color", FOLD_IS, RED, 0 } }, { 0 } },
	.value = "begin" };

static void rows_of_facts(void **state)
{
	struct bed b;
	(void)state;
	open_bed(&b);
	check(&b, &rows, row_columns, N(some), N(others),
		"5 4 h0 1 1 a red - 2; 10 4 h0 1 1 a red b 1; 20 10 h0 1 1 a blue b -; "
		"40 1 h0 2 1 b green a -; 50 3 h1 1 1 b red - 1; ");
	b.o.limit = 2;
	check(&b, &rows, row_columns, N(some), N(others),
		"5 4 h0 1 1 a red - 2; 10 4 h0 1 1 a red b 1; ");
	assert_int_equal(b.table.n_left_out, 3);
	b.o = (struct analysis_options){ ALL, .min_ns = 3 };
	b.o.end = 40;
	b.o.sizes.are_limited = true;
	b.o.sizes.max = 100;
	check(&b, &rows, row_columns, N(some), N(others),
		"10 4 h0 1 1 a red b 1; 20 10 h0 1 1 a blue b -; ");
	close_bed(&b);
}

/* By names, which are known at the end: a limit is of the rows of these tasks. */
static void late_tasks(void **state)
{
	struct bed b;
	(void)state;
	open_bed(&b);
	b.o.wants_task = named_b;
	b.o.wants_names = true;
	b.o.limit = 1;
	check(&b, &rows, row_columns, N(some), N(others), "40 1 h0 2 1 b green a -; ");
	assert_int_equal(b.table.n_left_out, 1);
	b.o.group_by = "color";
	check(&b, &groups, group_columns, N(some), N(others),
		"green 1 1 1 1 - 1 40 40 0 - 1 0.25; red 1 3 3 3 - 3 50 50 1 1000 1 0.75; ");
	close_bed(&b);
}

static void filters(void **state)
{
	static const struct {
		const char *filter, *rows;
	} cases[] = {
		{ "duration > 3 && color == \"red\"",
			"5 4 h0 1 1 a red - 2; 10 4 h0 1 1 a red b 1; " },
		{ "$cpu == 2 || tid == 2", "40 1 h0 2 1 b green a -; 50 3 h1 1 1 b red - 1; " },
		{ "comm == \"b\" && host == \"h1\"", "50 3 h1 1 1 b red - 1; " },
		{ "bytes", "10 4 h0 1 1 a red b 1; 20 10 h0 1 1 a blue b -; "
			   "40 1 h0 2 1 b green a -; 50 3 h1 1 1 b red - 1; " },
		{ "other_comm == \"a\"", "40 1 h0 2 1 b green a -; " },
		/* What is known of a task at the end, and of its facts at once, in one
		 * condition. */
		{ "comm == \"b\" || duration == 4",
			"5 4 h0 1 1 a red - 2; 10 4 h0 1 1 a red b 1; 40 1 h0 2 1 b green a -; "
			"50 3 h1 1 1 b red - 1; " },
		{ "!(comm == \"a\" && color == \"red\")", "20 10 h0 1 1 a blue b -; 40 1 h0 2 1 b "
							  "green a -; 50 3 h1 1 1 b red - 1; " },
		{ "!(color =~ \"e\") || level == 4", "40 1 h0 2 1 b green a -; " },
	};
	struct bed b;
	struct trace_filter *f;
	(void)state;
	open_bed(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(trace_filter_parse(cases[i].filter, &f, &b.err), 0);
		b.o.filter = f;
		check(&b, &rows, row_columns, N(some), N(others), cases[i].rows);
		trace_filter_free(f);
	}
	/* Of columns: which rows are there. */
	assert_int_equal(trace_filter_parse("count > 1 && percent < 90", &f, &b.err), 0);
	b.o.filter = f;
	check(&b, &groups, group_columns, N(some), N(others),
		"h0 1 1 a 3 4 10 6 3 18 5 20 2 150 2 0.818; ");
	trace_filter_free(f);
	static const char *const wrong[] = { "colour == 1", "comm == color" };
	for (size_t i = 0; i < 2; i++) {
		const struct thing *facts[] = { some, others };
		size_t n[] = { 1, 1 };
		assert_int_equal(trace_filter_parse(wrong[i], &f, &b.err), 0);
		b.o.filter = f;
		assert_int_equal(try_fold(&b, &groups, group_columns, facts, n, 1), MER_ERR_USAGE);
		trace_filter_free(f);
	}
	close_bed(&b);
}

/* ---- stretches ---- */

static const struct thing cut[] = {
	{ { 10, 30, 0, 0, RED }, 10, 4, KERNEL_NONE },
	{ { 30, 90, 1, 0, BLUE }, 60, 2, KERNEL_NONE },
	{ { 40, 60, 0, 1, GREEN }, 3, 8, KERNEL_NONE },
};
static const struct mer_column cut_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "time_ns", "time", MER_DURATION },
	{ "red_ns", "red", MER_DURATION }, { "bytes", "bytes", MER_BYTES },
	{ "mean_level", "level", MER_COUNT }, { "percent", "%", MER_RATIO }, { 0 } };
static const struct fold_cell cut_cells[] = { { "time_ns", .op = FOLD_SUM },
	{ "red_ns", FOLD_SUM, .where = { "color", FOLD_IS, RED, 0 } },
	{ "bytes", FOLD_SPREAD, .of = "bytes" }, { "mean_level", FOLD_TIME_MEAN, .of = "level" },
	{ "percent", FOLD_OF_RANGE, .of = "time_ns" }, { 0 } };
static const struct fold of_cut = {
	.shape = FOLD_GROUPS, .kinds = { &stretch }, .group = "host cpu", .cells = cut_cells
};

static void stretches(void **state)
{
	static const struct analysis_period periods[] = { { 5, 15 }, { 45, 50 } };
	struct bed b;
	(void)state;
	open_bed(&b);
	check(&b, &of_cut, cut_columns, N(cut), NULL, 0,
		"h0 0 80 20 70 3 0.8; h0 1 20 0 3 8 0.2; ");
	b.o.begin = 20;
	b.o.end = 50;
	check(&b, &of_cut, cut_columns, N(cut), NULL, 0,
		"h0 0 30 10 25 3 1; h0 1 10 0 1 8 0.333; ");
	b.o = (struct analysis_options){ ALL, .periods = periods, .n_periods = 2 };
	check(&b, &of_cut, cut_columns, N(cut), NULL, 0,
		"h0 0 10 5 7 3 0.667; h0 1 5 0 1 8 0.333; ");
	close_bed(&b);
}

/* Of what is left in a window only long parts count; several choices in one sum; and what time is
 * left. */
static int64_t if_long(int64_t begin, int64_t end)
{
	return end - begin >= 20 ? end - begin : 0;
}

static const struct mer_column own_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "red_ns", "red", MER_DURATION },
	{ "warm_ns", "warm", MER_DURATION }, { "cold_ns", "cold", MER_DURATION },
	{ "long_ns", "long", MER_DURATION }, { "rest_ns", "rest", MER_DURATION },
	{ "percent", "%", MER_RATIO }, { 0 } };
static const struct fold_cell own_cells[] = { { "red_ns", FOLD_SUM,
						      .where = { "color", FOLD_IS, RED, 0 } },
	{ "warm_ns", FOLD_SUM, .where = { "color", FOLD_ONE_OF, 1 << RED | 1 << GREEN, 0 } },
	{ "cold_ns", FOLD_SUM, .where = { "color", FOLD_IS, BLUE, 0 }, .kind = FOLD_EVERY_KIND },
	{ "long_ns", FOLD_SUM, .of_piece = if_long },
	{ "rest_ns", FOLD_REST, .of = "warm_ns cold_ns" },
	{ "percent", FOLD_OF_OWN, .of = "warm_ns" }, { 0 } };
static const struct fold of_own = {
	.shape = FOLD_GROUPS, .kinds = { &stretch }, .group = "host cpu", .cells = own_cells
};

static void choices_and_rest(void **state)
{
	struct bed b;
	(void)state;
	open_bed(&b);
	check(&b, &of_own, own_columns, N(cut), NULL, 0,
		"h0 0 20 20 60 80 20 0.2; h0 1 0 20 0 20 80 0.2; ");
	b.o.begin = 20;
	b.o.end = 55;
	check(&b, &of_own, own_columns, N(cut), NULL, 0,
		"h0 0 10 10 25 25 0 0.286; h0 1 0 15 0 0 20 0.429; ");
	close_bed(&b);
}

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, { "host", "host", MER_TEXT },
	{ "tid", "tid", MER_ID }, { "comm", "comm", MER_TEXT }, { "time_ns", "time", MER_DURATION },
	{ "bytes", "bytes", MER_BYTES }, { 0 } };
static const struct fold bins = { .shape = FOLD_BINS,
	.kinds = { &stretch },
	.cells = cut_cells,
	.scopes = (const struct fold_scope[]){
		{ "host", "host", .every_bin = true, .cells = "time_ns" },
		{ "thread", "host thread", .busiest = "time_ns" }, { 0 } } };

/* Parts of a whole add up to it, also where they are no whole bytes. */
static void over_time(void **state)
{
	struct bed b;
	struct analysis_bins four = { 0, 100, 4 };
	(void)state;
	open_bed(&b);
	b.run.bins = &four;
	check(&b, &bins, bins_columns, N(cut), NULL, 0,
		"0 25 host h0 - - 15 -; 25 50 host h0 - - 35 -; 50 75 host h0 - - 35 -; "
		"75 100 host h0 - - 15 -; "
		"25 50 thread h0 2 b 20 20; 50 75 thread h0 2 b 25 25; 75 100 thread h0 2 b 15 15; "
		"0 25 thread h0 1 a 15 7; 25 50 thread h0 1 a 15 4; 50 75 thread h0 1 a 10 2; ");
	close_bed(&b);
}

/* Rates know fractions of a byte: 7.5 in 25 ns. */
static void rates_over_time(void **state)
{
	static const struct mer_column columns[] = { { "begin", "begin", MER_TIME },
		{ "tid", "tid", MER_ID }, { "time_ns", NULL, MER_DURATION },
		{ "bytes_per_s", "bytes/s", MER_RATE }, { "at_once", "at once", MER_REAL }, { 0 } };
	const struct fold fold = { .shape = FOLD_BINS,
		.kinds = { &stretch },
		.cells = (const struct fold_cell[]){ { "time_ns", .op = FOLD_SUM },
			{ "bytes_per_s", FOLD_SPREAD_PER_SECOND, .of = "bytes" },
			{ "at_once", FOLD_OF_TIME, .of = "time_ns" }, { 0 } },
		.scopes = (const struct fold_scope[]){ { .group = "host thread" }, { 0 } } };
	struct bed b;
	struct analysis_bins four = { 0, 100, 4 };
	(void)state;
	open_bed(&b);
	b.run.bins = &four;
	check(&b, &fold, columns, N(cut), NULL, 0,
		"0 1 15 3e+08 0.6; 25 1 15 1.6e+08 0.6; 50 1 10 6e+07 0.4; "
		"25 2 20 8e+08 0.8; 50 2 25 1e+09 1; 75 2 15 6e+08 0.6; ");
	close_bed(&b);
}

/* By the begin of their earliest fact, whatever came first; and what is ignored selects nothing. */
static void first_ones_first(void **state)
{
	static const struct mer_column columns[] = { { "color", "color", MER_TEXT },
		{ "count", "count", MER_COUNT }, { 0 } };
	struct fold fold = { .shape = FOLD_GROUPS,
		.kinds = { &whole },
		.group = "color",
		.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT }, { 0 } } };
	static const struct thing backwards[] = { { { 40, 41, 1, 0, GREEN }, 7, 4, 0 },
		{ { 20, 30, 0, 0, BLUE }, 50, 3, 1 }, { { 10, 14, 0, 0, RED }, 100, 1, 1 },
		{ { 60, 61, 0, 0, RED }, 100, 1, 1 } };
	struct bed b;
	(void)state;
	open_bed(&b);
	check(&b, &fold, columns, N(backwards), NULL, 0, "green 1; blue 1; red 2; ");
	fold.order = "first";
	check(&b, &fold, columns, N(backwards), NULL, 0, "red 2; blue 1; green 1; ");
	fold.order = "-first";
	check(&b, &fold, columns, N(backwards), NULL, 0, "green 1; blue 1; red 2; ");
	b.o.min_ns = 5;
	check(&b, &fold, columns, N(backwards), NULL, 0, "blue 1; ");
	fold.ignores = FOLD_BY_DURATION;
	check(&b, &fold, columns, N(backwards), NULL, 0, "green 1; blue 1; red 2; ");
	b.o.min_ns = 0;
	b.o.sizes.are_limited = true;
	b.o.sizes.max = 50;
	check(&b, &fold, columns, N(backwards), NULL, 0, "green 1; blue 1; ");
	fold.ignores |= FOLD_BY_SIZE;
	check(&b, &fold, columns, N(backwards), NULL, 0, "green 1; blue 1; red 2; ");
	close_bed(&b);
}

/* ---- levels ---- */

static bool is_1(void *ctx, uint16_t cpu)
{
	(void)ctx;
	return cpu == 1;
}

static bool is_not_1(void *ctx, uint16_t cpu)
{
	return !is_1(ctx, cpu);
}

static const struct mer_column level_columns[] = { { "begin", "begin", MER_TIME },
	{ "of", "scope", MER_TEXT }, { "host", "host", MER_TEXT }, { "tid", "tid", MER_ID },
	{ "facts", "facts", MER_COUNT }, { "held", "held", MER_COUNT }, { 0 } };
static const struct fold levels = { .shape = FOLD_BINS,
	.kinds = { &whole },
	.where = { { "color", FOLD_IS_NOT, BLUE, 0 } },
	.cells = (const struct fold_cell[]){ { "facts", .op = FOLD_COUNT },
		{ "held", FOLD_LEVEL, .of = "level" }, { 0 } },
	.scopes = (const struct fold_scope[]){ { "host", "host", .every_bin = true },
		{ .of = "thread", .group = "host thread" }, { 0 } },
	.order = "thread" };
/* Task 0 holds -3, 2, -8 and in the end -12: the least. Task 1: 4, 0, 2, 1. */
static const struct thing changes[] = { { { 5, 5, 0, 0, RED }, 0, -3, 0 },
	{ { 20, 20, 1, 1, RED }, 0, 4, 0 }, { { 21, 21, 1, 1, RED }, 0, -4, 0 },
	{ { 25, 25, 0, 0, RED }, 0, 5, 0 }, { { 26, 26, 0, 0, BLUE }, 0, 100, 0 },
	{ { 30, 30, 1, 1, RED }, 0, 2, 0 }, { { 45, 45, 0, 0, GREEN }, 0, -10, 0 },
	{ { 70, 70, 1, 0, RED }, 0, -1, 0 }, { { 90, 90, 0, 0, RED }, 0, -4, 0 } };
static const struct thing outside[] = { { { 90, 90, 0, 0, RED }, 0, -4, 0 } };

/* What tasks hold is told over the least that each of them ever held, also after the time that is
 * looked at. A host that has nothing in that time has no rows. */
static void held_over_time(void **state)
{
	struct bed b;
	struct analysis_bins three = { 20, 60, 3 };
	(void)state;
	open_bed(&b);
	b.run.bins = &three;
	b.o.begin = 20;
	b.o.end = 80;
	check(&b, &levels, level_columns, N(changes), N(outside),
		"20 host h0 - 4 16; 40 host h0 - 1 6; 60 host h0 - 1 5; "
		"20 thread h0 1 1 14; 40 thread h0 1 1 4; "
		"20 thread h0 2 3 2; 60 thread h0 2 1 1; ");
	/* Between two periods the level goes on; there are no facts of it. */
	const struct analysis_period periods[] = { { 20, 28 }, { 60, 80 } };
	b.o.periods = periods;
	b.o.n_periods = 2;
	check(&b, &levels, level_columns, N(changes), NULL, 0,
		"20 host h0 - 3 16; 40 host h0 - 0 6; 60 host h0 - 1 5; "
		"20 thread h0 1 1 14; 20 thread h0 2 2 2; 60 thread h0 2 1 1; ");
	b.o.n_periods = 0;
	b.o.wants_cpu = is_not_1; /* as if what happens elsewhere did not */
	check(&b, &levels, level_columns, N(changes), NULL, 0,
		"20 host h0 - 1 15; 40 host h0 - 1 5; 60 host h0 - 1 4; "
		"20 thread h0 1 1 14; 40 thread h0 1 1 4; 60 thread h0 2 1 0; ");
	b.o.wants_cpu = NULL;
	b.o.group_by = "process";
	static const char *const by_process = "20 h0 1 a 4 16; 40 h0 1 a 1 6; 60 h0 1 a 1 5; ";
	check(&b, &levels, level_columns, N(changes), NULL, 0, by_process);
	b.o.group_by = "color"; /* no task's */
	check(&b, &levels, level_columns, N(changes), NULL, 0,
		"20 red 4 -; 60 red 1 -; 40 green 1 -; ");
	b.o.group_by = NULL;
	/* Whose they are may be known only in the end. */
	b.o.wants_task = named_b;
	for (int names = 0; names < 2; names++) {
		b.o.wants_names = names;
		check(&b, &levels, level_columns, N(changes), NULL, 0,
			"20 host h0 - 3 2; 40 host h0 - 0 2; 60 host h0 - 1 1; "
			"20 thread h0 2 3 2; 60 thread h0 2 1 1; ");
	}
	b.o.wants_task = NULL;
	b.o.wants_names = false;
	/* By a filter that is about both, a task may be wanted in part. */
	struct trace_filter *f;
	assert_int_equal(trace_filter_parse("comm == \"a\" || bytes == 1", &f, &b.err), 0);
	b.o.filter = f;
	check(&b, &levels, level_columns, N(changes), NULL, 0,
		"20 host h0 - 1 -; 40 host h0 - 1 -; 60 host h0 - 0 -; "
		"20 thread h0 1 1 -; 40 thread h0 1 1 -; ");
	trace_filter_free(f);
	assert_int_equal(trace_filter_parse("comm == \"a\"", &f, &b.err), 0);
	b.o.filter = f;
	check(&b, &levels, level_columns, N(changes), NULL, 0,
		"20 host h0 - 1 14; 40 host h0 - 1 4; 60 host h0 - 0 4; "
		"20 thread h0 1 1 14; 40 thread h0 1 1 4; ");
	trace_filter_free(f);
	close_bed(&b);
}

/* ---- facts of two ends ---- */

/* Of what is green the first end is on host `level`, of its task `other`, on CPU 1. */
static bool first_end_of(const struct fact *f, struct fact_end *first)
{
	const struct thing *t = (const struct thing *)f;
	*first = (struct fact_end){ (uint32_t)t->level, t->other, 1 };
	return f->choice == GREEN && t->level >= 0;
}
static const struct fact_kind ends = { .id = "end",
	.rule = FACT_BEGINS,
	.size = sizeof(struct thing),
	.fields = fields,
	.first_end = first_end_of };

static bool is_second_host(void *ctx, uint32_t host)
{
	(void)ctx;
	return host == 1;
}

/* Each thing counts once, whichever of its ends are selected; what is of an end, where that one
 * is. */
static void things_with_two_ends(void **state)
{
	static const struct mer_column columns[] = { { "things", NULL, MER_COUNT },
		{ "bytes", NULL, MER_BYTES }, { 0 } };
	const struct fold fold = { .shape = FOLD_GROUPS,
		.kinds = { &ends },
		.cells =
			(const struct fold_cell[]){
				{ "things", FOLD_COUNT, .where = { "color", FOLD_ONCE, 0, 0 } },
				{ "bytes", FOLD_SUM, .of = "bytes" }, { 0 } },
		.is_fixed = true };
	/* Two have both ends; of the third the first was not seen. */
	static const struct thing first[] = { { { 10, 20, 0, 1, RED }, 1, 0, 0 },
		{ { 30, 40, 1, 1, RED }, 2, 0, 0 } };
	static const struct thing second[] = { { { 10, 20, 0, 0, GREEN }, 10, 0, 0 },
		{ { 30, 40, 0, 0, GREEN }, 20, 0, 1 },
		{ { 50, 60, 0, 0, GREEN }, 40, -1, KERNEL_NONE } };
	struct bed b;
	(void)state;
	open_bed(&b);
	check(&b, &fold, columns, N(first), N(second), "3 73; ");
	b.o.wants_task = named_b; /* the second one's first end, and the second ends */
	check(&b, &fold, columns, N(first), N(second), "3 72; ");
	b.o.wants_task = NULL;
	b.o.wants_cpu = is_not_1;
	check(&b, &fold, columns, N(first), N(second), "3 70; ");
	b.o.wants_cpu = is_1;
	check(&b, &fold, columns, N(first), N(second), "2 3; ");
	b.o.wants_cpu = NULL;
	b.o.wants_host = is_second_host;
	check(&b, &fold, columns, NULL, 0, N(second), "3 70; ");
	close_bed(&b);
}

/* ---- facts of hosts ---- */

static const struct fact_kind of_host = { .id = "host",
	.rule = FACT_BEGINS,
	.size = sizeof(struct thing),
	.of_host = true,
	.fields = fields };

/* No time, task or CPU chooses anything of what is about all of a host. */
static void facts_of_hosts(void **state)
{
	static const struct mer_column columns[] = { { "host", "host", MER_TEXT },
		{ "bytes", NULL, MER_BYTES }, { 0 } };
	const struct fold fold = { .shape = FOLD_GROUPS,
		.kinds = { &of_host },
		.group = "host",
		.cells =
			(const struct fold_cell[]){ { "bytes", FOLD_SUM, .of = "bytes" }, { 0 } } };
	static const struct thing facts[] = { { { 0, 100, KERNEL_NONE, KERNEL_NO_CPU, 0 }, 7, 0,
		KERNEL_NONE } };
	struct bed b;
	(void)state;
	open_bed(&b);
	b.o.begin = 40;
	b.o.end = 50;
	b.o.wants_cpu = is_1;
	b.o.wants_task = named_b;
	check(&b, &fold, columns, N(facts), NULL, 0, "h0 7; ");
	b.o.wants_names = true;
	check(&b, &fold, columns, N(facts), NULL, 0, "h0 7; ");
	close_bed(&b);
}

/* To the byte, between two the middle, also of several hosts; what is not known is not there. */
static void exact_medians(void **state)
{
	static const struct mer_column columns[] = { { "color", "color", MER_TEXT },
		{ "median_bytes", "median", MER_BYTES }, { 0 } };
	const struct fold fold = { .shape = FOLD_GROUPS,
		.kinds = { &whole },
		.group = "color",
		.cells = (const struct fold_cell[]){
			{ "median_bytes", FOLD_MEDIAN, .of = "bytes" }, { 0 } } };
	static const struct thing things[] = { { { 1, 1, 0, 0, RED }, 1000003, 1, KERNEL_NONE },
		{ { 2, 2, 0, 0, RED }, 5, 1, KERNEL_NONE }, { { 3, 3, 0, 0, BLUE }, -1, 1, 1 },
		{ { 4, 4, 0, 0, RED }, 1000001, 1, KERNEL_NONE },
		{ { 5, 5, 0, 0, GREEN }, 1001, 1, KERNEL_NONE },
		{ { 6, 6, 0, 0, RED }, 4000000, 1, KERNEL_NONE } };
	struct bed b;
	(void)state;
	open_bed(&b);
	check(&b, &fold, columns, N(things), N(others), "red 1000001; blue -; green 1001; ");
	check(&b, &fold, columns, N(things), NULL, 0, "red 1000002; blue -; green 1001; ");
	close_bed(&b);
}

/* The busiest are by themselves, the others one row. */
static void all_others(void **state)
{
	enum { TASKS = 14 };
	struct thing many[TASKS];
	struct analysis_bins one = { 0, 100, 1 };
	struct bed b;
	(void)state;
	open_bed(&b);
	b.run.bins = &one;
	memset(many, 0, sizeof(many));
	for (uint32_t i = 0; i < TASKS; i++) {
		many[i] = (struct thing){ { 0, i + 1, i, 0, RED }, 1, 1, KERNEL_NONE };
		if (i >= 2)
			tw_task(&b.t, 0, (int32_t)i + 1, "more");
	}
	const struct thing *facts[] = { many, NULL };
	size_t n[] = { TASKS, 0 };
	assert_int_equal(try_fold(&b, &bins, bins_columns, facts, n, 2), 0);
	assert_int_equal(b.table.n_rows, 1 + ANALYSIS_BUSIEST + 1);
	const struct mer_cell *last = &b.table.cells[(b.table.n_rows - 1) * b.table.n_columns];
	assert_false(last[4].set);
	assert_string_equal(last[5].v.text, "all others");
	assert_int_equal(last[6].v.i, 1 + 2 + 3 + 4);
	assert_int_equal(last[7].v.i, 4);
	close_bed(&b);
}

/* Where facts of all tasks count, those that were not chosen are among the others; cells may differ
 * by scope; and who is not known is no row of a scope that wants it known. */
static const struct fold every_task = { .shape = FOLD_BINS,
	.kinds = { &stretch },
	.cells = (const struct fold_cell[]){ { "time_ns", .op = FOLD_SUM },
		{ "bytes", FOLD_PLUS, .of = "time_ns", .scopes = "host" },
		{ "bytes", FOLD_CONSTANT, .scale = 7, .scopes = "thread" }, { 0 } },
	.scopes = (const struct fold_scope[]){ { "host", .group = "host" },
		{ "thread", "host thread", .known = "thread", .busiest = "time_ns" }, { 0 } },
	.every_task = true };

static void chosen_among_all(void **state)
{
	static const struct thing more[] = {
		{ { 10, 30, 0, 0, RED }, 0, 0, 0 },
		{ { 30, 90, 1, 0, BLUE }, 0, 0, 0 },
		{ { 90, 95, KERNEL_NONE, 0, BLUE }, 0, 0, 0 },
	};
	struct bed b;
	struct analysis_bins one = { 0, 100, 1 };
	(void)state;
	open_bed(&b);
	b.run.bins = &one;
	check(&b, &every_task, bins_columns, N(more), NULL, 0,
		"0 100 host h0 - - 85 85; 0 100 thread h0 2 b 60 7; 0 100 thread h0 1 a 20 7; ");
	b.o.wants_task = named_b;
	b.o.wants_names = true;
	check(&b, &every_task, bins_columns, N(more), NULL, 0,
		"0 100 host h0 - - 85 85; 0 100 thread h0 2 b 60 7; "
		"0 100 thread h0 - all others 20 7; ");
	close_bed(&b);
}

/* Facts that wait until it is known whose they are give the same table, in the same order, few or
 * many. */
static void waiting_facts(void **state)
{
	enum { MANY = 50000 };
	struct thing *many = calloc(MANY, sizeof(*many));
	struct bed b;
	(void)state;
	assert_non_null(many);
	open_bed(&b);
	b.o.wants_task = named_b;
	b.o.wants_names = true;
	b.o.group_by = "color";
	for (int i = 0; i < MANY; i++)
		many[i] = (struct thing){ { i, i + i % 7, i % 3 == 1, 0,
						  (uint16_t)(i < MANY / 2 ? BLUE : i % 2) },
			1, 1, KERNEL_NONE };
	for (size_t n = 10; n <= MANY; n = n == 10 ? MANY : MANY + 1) {
		const struct thing *facts[] = { many, NULL };
		const struct fold_request r = {
			.fold = &groups, .columns = group_columns, .options = &b.o
		};
		struct fold_plan *p;
		assert_int_equal(
			try_fold(&b, &groups, group_columns, facts, (size_t[]){ n, 0 }, 1), 0);
		char *expected = strdup(text_of(&b.table));
		assert_int_equal(fold_plan_new(&b.run, &r, &p, &b.err), 0);
		assert_true(fold_waits(p));
		struct fold_state *states[2] = { fold_state_new(p, 0), NULL };
		struct fold_waiting *w = fold_waiting_new(&whole, 1000);
		assert_true(fold_waiting_for(w, states[0]));
		for (size_t i = 0; i < n; i += 100)
			assert_int_equal(fold_waiting_take(w, &b.t.hosts[0], many + i,
						 n - i < 100 ? n - i : 100, &b.err),
				0);
		assert_int_equal(fold_waiting_end(w, &b.run, 0, &b.err), 0);
		mer_table_fini(&b.table);
		mer_table_init(&b.table, "t", "t", fold_plan_columns(p), &b.run.arena);
		assert_int_equal(fold_emit(p, &b.run, states, &b.table), 0);
		assert_string_equal(text_of(&b.table), expected);
		fold_waiting_free(w);
		fold_state_free(states[0]);
		fold_plan_free(p);
		free(expected);
	}
	free(many);
	close_bed(&b);
}

/* ---- how long most of them took ---- */

static int by_value(const void *a, const void *b)
{
	const int64_t *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

static const struct mer_column percentile_columns[] = { ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct fold of_percentiles = { .shape = FOLD_GROUPS,
	.kinds = { &whole },
	.cells = (const struct fold_cell[]){ FOLD_PERCENTILES("duration_ns"), { 0 } } };

/* No more than 3 % from the value of that rank; exact where all are the same. */
static void percentiles(void **state)
{
	enum { MANY = 5000 };
	static const double shares[] = { 0.5, 0.9, 0.99 };
	static struct thing many[MANY];
	static int64_t values[MANY];
	struct bed b;
	(void)state;
	open_bed(&b);
	uint64_t seed = 7;
	for (int i = 0; i < MANY; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		values[i] = (int64_t)(seed >> 33) >> (seed >> 27 & 31);
		many[i] = (struct thing){ { i, i + values[i], 0, 0, RED }, 1, 1, KERNEL_NONE };
	}
	qsort(values, MANY, sizeof(*values), by_value);
	const struct thing *facts[] = { many, NULL };
	size_t n[] = { MANY, 0 };
	assert_int_equal(try_fold(&b, &of_percentiles, percentile_columns, facts, n, 3), 0);
	for (int i = 0; i < 3; i++) {
		int64_t is = b.table.cells[i].v.i;
		int64_t should = values[(int)(shares[i] * MANY + 0.999) - 1];
		if (llabs(is - should) > should * 3 / 100)
			fail_msg("%g: %" PRId64 ", not %" PRId64, shares[i], is, should);
	}
	check(&b, &of_percentiles, percentile_columns, some, 1, NULL, 0, "4 4 4; ");
	close_bed(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_groups),
		cmocka_unit_test(other_keys),
		cmocka_unit_test(rows_of_facts),
		cmocka_unit_test(late_tasks),
		cmocka_unit_test(filters),
		cmocka_unit_test(stretches),
		cmocka_unit_test(choices_and_rest),
		cmocka_unit_test(over_time),
		cmocka_unit_test(rates_over_time),
		cmocka_unit_test(first_ones_first),
		cmocka_unit_test(held_over_time),
		cmocka_unit_test(things_with_two_ends),
		cmocka_unit_test(facts_of_hosts),
		cmocka_unit_test(all_others),
		cmocka_unit_test(chosen_among_all),
		cmocka_unit_test(waiting_facts),
		cmocka_unit_test(exact_medians),
		cmocka_unit_test(percentiles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
