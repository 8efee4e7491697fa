#include "run_case.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "given.h"
#include "requests/facts.h"
#include "scenario.h"

static void take(struct run_case *c, const struct scenario *s)
{
	*c = (struct run_case){ .e = s->e, .messages = s->messages, .result = s->result };
	memcpy(c->dir, s->dir, sizeof(c->dir));
}

void run_case_open_scenario(struct run_case *c, const char *text)
{
	struct scenario s;
	scenario_open(&s, text);
	take(c, &s);
}

void run_case_open_recording(struct run_case *c, const char *name)
{
	char path[500];
	struct scenario s = { 0 };
	given_path(path, sizeof(path), name);
	scenario_open_traces(&s, path);
	take(c, &s);
}

static void forget_tables(struct run_case *c)
{
	for (size_t i = 0; c->has_run && i < c->n; i++)
		mer_table_fini(&c->tables[i]);
	if (c->has_run)
		analysis_run_fini(&c->run);
	c->has_run = false;
}

/* ---- running it ---- */

/* What options.requests looks at: its context belongs to the test. */
static struct {
	struct analysis_run *run;
	struct requests_log *log;
} found;

static int make_requests(void *ctx, struct fact_host *const *by_host, struct mer_err *err)
{
	struct kernel_world *w = found.run->world;
	struct requests *r = NULL;
	struct requests_log *log = found.log;
	(void)ctx;
	found.log = NULL;
	int rc = requests_find(w, log, &r, err);
	if (rc == 0)
		rc = requests_make_facts(r, w->hosts, by_host, err);
	requests_free(r);
	return rc;
}

int run_case_analyze(struct run_case *c, unsigned n_threads, const struct analysis_options *options,
	struct analysis_run *run, const struct analysis_request *requests, size_t n,
	struct mer_table *tables, struct mer_err *err)
{
	struct analysis_options o = *options;
	found.run = run;
	assert_int_equal(requests_log_new(c->e->n_hosts, NULL, &found.log, err), 0);
	o.requests = make_requests;
	const struct kernel_world_options w = { .n_threads = n_threads,
		.observers = requests_log_observers(found.log) };
	int rc = analysis_run(run, c->e, &c->messages, c->result, &w, &o, requests, n, tables, err);
	run->options = options; /* o does not outlive this */
	requests_log_free(found.log);
	return rc;
}

void run_case_run(struct run_case *c, const char *analysis, const struct analysis_options *options)
{
	enum { MAX = sizeof(c->tables) / sizeof(c->tables[0]) };
	struct analysis_options all = { .begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX };
	struct mer_err err = { 0 };
	char ids[64], *rest = ids;
	forget_tables(c);
	snprintf(ids, sizeof(ids), "%s", analysis);
	c->n = 0;
	for (char *id; (id = strtok_r(rest, " ", &rest));) {
		const struct analysis *a = analysis_find(id);
		assert_non_null(a);
		for (unsigned i = 0; a->outputs[i].id; i++) {
			assert_true(c->n < MAX);
			c->requests[c->n++] = (struct analysis_request){ a, i };
		}
	}
	if (run_case_analyze(
		    c, 2, options ? options : &all, &c->run, c->requests, c->n, c->tables, &err))
		fail_msg("%s", err.text);
	c->has_run = true;
}

void run_case_close(struct run_case *c)
{
	struct scenario s = { .e = c->e, .messages = c->messages, .result = c->result };
	forget_tables(c);
	memcpy(s.dir, c->dir, sizeof(s.dir));
	scenario_close(&s);
}

const struct mer_table *run_case_table(const struct run_case *c, const char *output)
{
	const char *colon = strchr(output, ':');
	const struct analysis *of = c->requests[0].analysis;
	for (size_t i = 0; colon && i < c->n; i++)
		if (strncmp(c->requests[i].analysis->id, output, (size_t)(colon - output)) == 0)
			of = c->requests[i].analysis;
	int wanted = analysis_find_output(of, colon ? colon + 1 : output);
	for (size_t i = 0; i < c->n; i++)
		if (c->requests[i].analysis == of && (int)c->requests[i].output == wanted)
			return &c->tables[i];
	fail_msg("no table %s", output);
	return NULL;
}

const struct mer_cell *run_case_cell(const struct mer_table *t, size_t row, const char *key)
{
	assert_true(row < t->n_rows);
	for (size_t i = 0; i < t->n_columns; i++)
		if (strcmp(t->columns[i].key, key) == 0)
			return &t->cells[row * t->n_columns + i];
	fail_msg("no column %s", key);
	return NULL;
}

int64_t run_case_int(const struct mer_table *t, size_t row, const char *key)
{
	const struct mer_cell *c = run_case_cell(t, row, key);
	if (!c->set)
		fail_msg("row %zu has no %s", row, key);
	return c->v.i;
}

const char *run_case_text(const struct mer_table *t, size_t row, const char *key)
{
	const struct mer_cell *c = run_case_cell(t, row, key);
	return c->set ? c->v.text : "";
}

size_t run_case_find(const struct mer_table *t, const char *key, const char *text, size_t from)
{
	for (; from < t->n_rows; from++)
		if (strcmp(run_case_text(t, from, key), text) == 0)
			return from;
	fail_msg("no row with %s %s", key, text);
	return 0;
}

int64_t run_case_sum(const struct mer_table *t, const char *key, const char *of, const char *text)
{
	int64_t sum = 0;
	for (size_t i = 0; i < t->n_rows; i++)
		if (!of || strcmp(run_case_text(t, i, of), text) == 0) {
			const struct mer_cell *c = run_case_cell(t, i, key);
			sum += c->set ? c->v.i : 0;
		}
	return sum;
}

/* ---- tables that agree ---- */

enum { MAX_KEYS = 8 };

/* Columns of the keys in a table. */
static size_t find_keys(const struct mer_table *t, const char *keys, size_t *columns)
{
	size_t n = 0;
	while (*keys) {
		size_t len = strcspn(keys, " "), i = 0;
		while (i < t->n_columns && (strlen(t->columns[i].key) != len ||
						   strncmp(t->columns[i].key, keys, len) != 0))
			i++;
		assert_true(i < t->n_columns && n < MAX_KEYS);
		columns[n++] = i;
		keys += len + strspn(keys + len, " ");
	}
	return n;
}

static bool same(const struct mer_cell *a, const struct mer_cell *b, bool is_text)
{
	if (!a->set || !b->set)
		return a->set == b->set;
	return is_text ? a->v.text == b->v.text || strcmp(a->v.text, b->v.text) == 0
		       : a->v.i == b->v.i;
}

struct matcher {
	const struct mer_table *log, *of;
	size_t n, duration, in_log[MAX_KEYS], in_of[MAX_KEYS];
};

static struct matcher matcher(
	const struct mer_table *log, const struct mer_table *of, const char *keys)
{
	struct matcher m = { .log = log, .of = of };
	m.n = find_keys(log, keys, m.in_log);
	assert_int_equal(find_keys(of, keys, m.in_of), m.n);
	assert_int_equal(find_keys(log, "duration_ns", &m.duration), 1);
	return m;
}

static bool is_of(const struct matcher *m, size_t log_row, size_t row)
{
	if (!m->log->cells[log_row * m->log->n_columns + m->duration].set)
		return false;
	for (size_t k = 0; k < m->n; k++)
		if (!same(&m->log->cells[log_row * m->log->n_columns + m->in_log[k]],
			    &m->of->cells[row * m->of->n_columns + m->in_of[k]],
			    m->log->columns[m->in_log[k]].type == MER_TEXT))
			return false;
	return true;
}

static int64_t duration(const struct matcher *m, size_t log_row)
{
	return m->log->cells[log_row * m->log->n_columns + m->duration].v.i;
}

/* Rows that have a duration: others had not ended. */
static size_t n_ended(const struct mer_table *log)
{
	size_t n = 0;
	for (size_t i = 0; i < log->n_rows; i++)
		n += run_case_cell(log, i, "duration_ns")->set;
	return n;
}

void run_case_check_sums(
	const struct mer_table *log, const struct mer_table *sums, const char *keys)
{
	struct matcher m = matcher(log, sums, keys);
	size_t all = 0;
	for (size_t r = 0; r < sums->n_rows; r++) {
		int64_t n = 0, total = 0, min = INT64_MAX, max = INT64_MIN;
		for (size_t i = 0; i < log->n_rows; i++)
			if (is_of(&m, i, r)) {
				int64_t d = duration(&m, i);
				n++;
				total += d;
				min = d < min ? d : min;
				max = d > max ? d : max;
			}
		assert_true(n > 0);
		all += (size_t)n;
		assert_int_equal(run_case_int(sums, r, "count"), n);
		assert_int_equal(run_case_int(sums, r, "total_ns"), total);
		assert_int_equal(run_case_int(sums, r, "min_ns"), min);
		assert_int_equal(run_case_int(sums, r, "max_ns"), max);
		long double mean = (long double)total / (long double)n, m2 = 0;
		assert_true(fabsl((long double)run_case_int(sums, r, "mean_ns") - mean) <= 0.5L);
		for (size_t i = 0; i < log->n_rows; i++)
			if (is_of(&m, i, r)) {
				long double d = (long double)duration(&m, i) - mean;
				m2 += d * d;
			}
		const struct mer_cell *stddev = run_case_cell(sums, r, "stddev_ns");
		assert_int_equal(stddev->set, n > 1);
		if (n > 1) /* rounded, of doubles */
			assert_true(fabsl((long double)stddev->v.i -
					    sqrtl(m2 / (long double)(n - 1))) <= 0.51L);
	}
	assert_int_equal(all, n_ended(log));
}

void run_case_check_freq(
	const struct mer_table *log, const struct mer_table *freq, const char *keys)
{
	struct matcher m = matcher(log, freq, keys);
	int64_t all = 0;
	for (size_t r = 0; r < freq->n_rows; r++) {
		int64_t begin = run_case_int(freq, r, "from_ns"), n = 0;
		int64_t end = run_case_int(freq, r, "to_ns");
		for (size_t i = 0; i < log->n_rows; i++)
			n += duration(&m, i) >= begin && duration(&m, i) < end && is_of(&m, i, r);
		assert_true(begin < end && n > 0);
		assert_int_equal(run_case_int(freq, r, "count"), n);
		all += n;
	}
	assert_int_equal(all, n_ended(log));
}

static int falling(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x < y) - (x > y);
}

void run_case_check_top(const struct mer_table *log, const struct mer_table *top)
{
	int64_t *all = calloc(log->n_rows + 1, sizeof(*all));
	assert_non_null(all);
	size_t n = 0;
	for (size_t i = 0; i < log->n_rows; i++)
		if (run_case_cell(log, i, "duration_ns")->set)
			all[n++] = run_case_int(log, i, "duration_ns");
	qsort(all, n, sizeof(*all), falling);
	for (size_t i = 0; i < top->n_rows; i++)
		assert_int_equal(run_case_int(top, i, "duration_ns"), all[i]);
	assert_int_equal(top->n_rows + top->n_left_out, n);
	free(all);
}

void run_case_print(const struct mer_table *t)
{
	printf("## %s: %s, %zu rows, %" PRIu64 " left out\n", t->id, t->title, t->n_rows,
		t->n_left_out);
	for (size_t i = 0; i < t->n_columns; i++)
		printf("%s%s", i ? "\t" : "", t->columns[i].key);
	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t i = 0; i < t->n_columns; i++) {
			const struct mer_cell *c = &t->cells[r * t->n_columns + i];
			printf("%s", i ? "\t" : "\n");
			if (!c->set)
				printf("-");
			else if (t->columns[i].type == MER_TEXT)
				printf("%s", c->v.text);
			else if (t->columns[i].type >= MER_RATIO)
				printf("%g", c->v.f);
			else
				printf("%" PRId64, c->v.i);
		}
	printf("\n");
}
