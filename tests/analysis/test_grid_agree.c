/* What every analysis owes: the rows of its log add up to its freq, stats and top, whatever was
 * asked for, and all are the same with any number of threads. Of analyses that there are, no list
 * of them. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/fold.h"
#include "given.h"
#include "run_more.h"

#define ALL .begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX

enum { MAX_TABLES = 256, MAX_KEYS = 8, KEY_BYTES = 200 };

struct all_tables { /* of all analyses, made in one reading */
	struct analysis_run run;
	struct analysis_request requests[MAX_TABLES];
	struct mer_table tables[MAX_TABLES];
	size_t n;
};

static void run_all(struct run_case *c, struct all_tables *a, const struct analysis_options *o,
	unsigned n_threads)
{
	struct mer_err err = { 0 };
	a->n = 0;
	for (size_t i = 0; analyses[i]; i++)
		for (unsigned k = 0; !analyses[i]->of_periods && analyses[i]->outputs[k].id; k++) {
			assert_true(a->n < MAX_TABLES);
			a->requests[a->n++] = (struct analysis_request){ analyses[i], k };
		}
	if (run_case_analyze(c, n_threads, o, &a->run, a->requests, a->n, a->tables, &err))
		fail_msg("%s", err.text);
}

static void forget(struct all_tables *a)
{
	for (size_t i = 0; i < a->n; i++)
		mer_table_fini(&a->tables[i]);
	analysis_run_fini(&a->run);
}

static const struct mer_table *table_of(
	const struct all_tables *a, const struct analysis *of, const char *id)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->requests[i].analysis == of && strcmp(a->tables[i].id, id) == 0)
			return &a->tables[i];
	return NULL;
}

static size_t column(const struct mer_table *t, const char *key)
{
	size_t i = 0;
	while (i < t->n_columns && strcmp(t->columns[i].key, key) != 0)
		i++;
	return i;
}

static bool has(const struct mer_table *t, const char *key)
{
	return column(t, key) < t->n_columns;
}

static const struct mer_cell *cell(const struct mer_table *t, size_t row, size_t col)
{
	return &t->cells[row * t->n_columns + col];
}

/* ---- rows by what they are about ---- */

struct item { /* a value of the log, or a row of stats */
	char key[KEY_BYTES];
	int64_t value;
	size_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct item *p = a, *q = b;
	return strcmp(p->key, q->key);
}

/* Columns that name things in both; not those that a task may change while it lives. */
static size_t shared_keys(
	const struct mer_table *t, const struct mer_table *log, const char *keys[MAX_KEYS])
{
	size_t n = 0;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct mer_column *k = &t->columns[i];
		if ((k->type == MER_TEXT || k->type == MER_ID) && has(log, k->key) &&
			strcmp(k->key, "comm") != 0 && strcmp(k->key, "pid") != 0 && n < MAX_KEYS)
			keys[n++] = k->key;
	}
	return n;
}

static void put_key(
	char *to, const struct mer_table *t, size_t row, const char *const keys[MAX_KEYS], size_t n)
{
	size_t used = 0;
	to[0] = '\0';
	for (size_t i = 0; i < n && used < KEY_BYTES - 1; i++) {
		size_t col = column(t, keys[i]);
		const struct mer_cell *c = cell(t, row, col);
		int wrote = t->columns[col].type == MER_TEXT
				    ? snprintf(to + used, KEY_BYTES - used, "%s|",
					      c->set ? c->v.text : "-")
				    : snprintf(to + used, KEY_BYTES - used, "%" PRId64 "|",
					      c->set ? c->v.i : INT64_MIN);
		used += (size_t)wrote;
	}
}

/* The column of the log that freq and stats are about: sizes where freq has sizes. */
static size_t value_column(const struct mer_table *log, const struct mer_table *freq)
{
	if (freq && has(freq, "from_bytes"))
		return column(log, "bytes");
	size_t i = 0;
	while (i < log->n_columns && log->columns[i].type != MER_DURATION)
		i++;
	return i;
}

static struct item *items_of_log(const struct mer_table *log, size_t value,
	const char *const keys[MAX_KEYS], size_t n_keys, size_t *n)
{
	struct item *items = calloc(log->n_rows + 1, sizeof(*items));
	assert_non_null(items);
	*n = 0;
	for (size_t r = 0; r < log->n_rows; r++) {
		const struct mer_cell *c = cell(log, r, value);
		if (!c->set) /* it has not ended, or has none */
			continue;
		put_key(items[*n].key, log, r, keys, n_keys);
		items[*n].row = r;
		items[(*n)++].value = c->v.i < 0 ? -c->v.i : c->v.i;
	}
	qsort(items, *n, sizeof(*items), by_key);
	return items;
}

/* ---- what must agree ---- */

static char where[300]; /* for messages */

static void check(bool ok, const char *what, const char *key, int64_t is, int64_t should)
{
	if (!ok)
		fail_msg("%s: %s of '%s' is %" PRId64 ", the log says %" PRId64, where, what, key,
			is, should);
}

static int by_key_and_value(const void *a, const void *b)
{
	const struct item *p = a, *q = b;
	int c = strcmp(p->key, q->key);
	return c ? c : (p->value > q->value) - (p->value < q->value);
}

/* The first of this key, of items in their order. */
static size_t first_of(const struct item *items, size_t n, const char *key)
{
	size_t low = 0;
	while (low < n) {
		size_t middle = low + (n - low) / 2;
		if (strcmp(items[middle].key, key) < 0)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* Histograms of which the log does not tell what they are about (a device) count together. */
static void check_freq(const struct mer_table *log, size_t value, const struct mer_table *freq)
{
	size_t begin = column(freq, has(freq, "from_bytes") ? "from_bytes" : "from_ns");
	size_t end = begin + 1, count = column(freq, "count");
	const char *keys[MAX_KEYS];
	size_t n_keys = shared_keys(freq, log, keys), n;
	struct item *items = items_of_log(log, value, keys, n_keys, &n);
	struct item *rows = calloc(freq->n_rows + 1, sizeof(*rows));
	size_t all = 0;
	assert_non_null(rows);
	assert_true(end < freq->n_columns && count < freq->n_columns);
	for (size_t r = 0; r < freq->n_rows; r++) {
		put_key(rows[r].key, freq, r, keys, n_keys);
		rows[r].row = r;
		rows[r].value = cell(freq, r, begin)->v.i;
	}
	qsort(rows, freq->n_rows, sizeof(*rows), by_key_and_value);
	for (size_t r = 0, next; r < freq->n_rows; r = next) {
		int64_t from = rows[r].value, to = cell(freq, rows[r].row, end)->v.i;
		int64_t is = 0, should = 0;
		for (next = r; next < freq->n_rows && by_key_and_value(&rows[r], &rows[next]) == 0;
			next++)
			is += cell(freq, rows[next].row, count)->v.i;
		for (size_t i = first_of(items, n, rows[r].key);
			i < n && strcmp(items[i].key, rows[r].key) == 0; i++)
			should += items[i].value >= from && items[i].value < to;
		check(is == should, "a count of freq", rows[r].key, is, should);
		all += (size_t)is;
	}
	check(all == n, "freq: the sum", "", (int64_t)all, (int64_t)n);
	free(items);
	free(rows);
}

static int64_t number(const struct mer_table *t, size_t row, const char *key, const char *unit)
{
	char name[64];
	snprintf(name, sizeof(name), "%s_%s", key, unit);
	const struct mer_cell *c = cell(t, row, column(t, name));
	assert_true(column(t, name) < t->n_columns && c->set);
	return c->v.i;
}

/* A group of stats rows (one, unless a number was given to another thread) and its values of the
 * log. */
static void check_group(const struct mer_table *stats, const char *unit, const struct item *rows,
	size_t n_rows, const struct item *items, size_t n)
{
	const char *key = rows[0].key;
	int64_t count = 0, total = 0, min = INT64_MAX, max = INT64_MIN;
	int64_t should_total = 0, should_min = INT64_MAX, should_max = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		should_total += items[i].value;
		should_min = items[i].value < should_min ? items[i].value : should_min;
		should_max = items[i].value > should_max ? items[i].value : should_max;
	}
	for (size_t i = 0; i < n_rows; i++) {
		int64_t k = cell(stats, rows[i].row, column(stats, "count"))->v.i;
		count += k;
		if (!k)
			continue;
		total += number(stats, rows[i].row, "total", unit);
		int64_t x = number(stats, rows[i].row, "min", unit);
		min = x < min ? x : min;
		x = number(stats, rows[i].row, "max", unit);
		max = x > max ? x : max;
	}
	check(count == (int64_t)n, "stats: count", key, count, (int64_t)n);
	check(total == should_total, "stats: total", key, total, should_total);
	check(min == should_min, "stats: min", key, min, should_min);
	check(max == should_max, "stats: max", key, max, should_max);
	if (n_rows != 1 || n == 0)
		return;
	long double mean = (long double)should_total / (long double)n, m2 = 0;
	for (size_t i = 0; i < n; i++)
		m2 += ((long double)items[i].value - mean) * ((long double)items[i].value - mean);
	int64_t shown = number(stats, rows[0].row, "mean", unit);
	check(fabsl((long double)shown - mean) <= 0.5L, "stats: mean", key, shown, (int64_t)mean);
	if (n < 2)
		return;
	long double stddev = sqrtl(m2 / (long double)(n - 1));
	int64_t is = number(stats, rows[0].row, "stddev", unit);
	check(fabsl((long double)is - stddev) <= 0.51L + stddev * 1e-9L, "stats: stddev", key, is,
		(int64_t)stddev);
}

static void check_stats(const struct mer_table *log, size_t value, const struct mer_table *stats)
{
	const char *unit = has(stats, "total_bytes") ? "bytes" : "ns", *keys[MAX_KEYS];
	size_t n_keys = shared_keys(stats, log, keys), n, all = 0;
	struct item *items = items_of_log(log, value, keys, n_keys, &n);
	struct item *rows = calloc(stats->n_rows + 1, sizeof(*rows));
	assert_non_null(rows);
	for (size_t r = 0; r < stats->n_rows; r++) {
		put_key(rows[r].key, stats, r, keys, n_keys);
		rows[r].row = r;
	}
	qsort(rows, stats->n_rows, sizeof(*rows), by_key);
	for (size_t r = 0, end, i = 0, k; r < stats->n_rows; r = end, i = k) {
		for (end = r; end < stats->n_rows && by_key(&rows[r], &rows[end]) == 0;)
			end++;
		while (i < n && strcmp(items[i].key, rows[r].key) < 0)
			i++;
		for (k = i; k < n && strcmp(items[k].key, rows[r].key) == 0;)
			k++;
		check_group(stats, unit, rows + r, end - r, items + i, k - i);
		all += k - i;
	}
	check(all == n, "stats: all counts", "", (int64_t)all, (int64_t)n);
	free(items);
	free(rows);
}

static int falling(const void *a, const void *b)
{
	const struct item *p = a, *q = b;
	return (p->value < q->value) - (p->value > q->value);
}

/* A top of sums has what the log has; one of single ones the greatest of the log. */
static void check_top(const struct mer_table *log, size_t value, const struct mer_table *top)
{
	const char *none[MAX_KEYS] = { NULL }, *key = log->columns[value].key;
	size_t n;
	struct item *items = items_of_log(log, value, none, 0, &n);
	if (has(top, "count") && has(top, "total_ns") && log->columns[value].type == MER_DURATION) {
		/* Some requests have no latency, and count. */
		const char *timed = has(top, "timed") ? "timed" : "count";
		int64_t count = run_case_sum(top, timed, NULL, NULL), total = 0;
		for (size_t i = 0; i < n; i++)
			total += items[i].value;
		check(count == (int64_t)n, "top: count", "", count, (int64_t)n);
		check(run_case_sum(top, "total_ns", NULL, NULL) == total, "top: total", "",
			run_case_sum(top, "total_ns", NULL, NULL), total);
	} else if (top->columns == log->columns || (has(top, "begin") && has(top, key))) {
		size_t col = column(top, key);
		bool longest = true;
		qsort(items, n, sizeof(*items), falling);
		for (size_t r = 1; r < top->n_rows; r++)
			longest &= cell(top, r, col)->v.i <= cell(top, r - 1, col)->v.i;
		for (size_t r = 0; longest && r < top->n_rows; r++)
			check(cell(top, r, col)->v.i == items[r].value, "top: a row", "",
				cell(top, r, col)->v.i, items[r].value);
		check(!longest || top->n_rows + top->n_left_out == n, "top: rows", "",
			(int64_t)(top->n_rows + top->n_left_out), (int64_t)n);
	}
	free(items);
}

static void check_agreement(const struct all_tables *a, const char *source, const char *asked)
{
	for (size_t i = 0; analyses[i]; i++) {
		const struct mer_table *log = table_of(a, analyses[i], "log");
		const struct mer_table *freq = table_of(a, analyses[i], "freq");
		const struct mer_table *stats = table_of(a, analyses[i], "stats");
		const struct mer_table *top = table_of(a, analyses[i], "top");
		if (!log || analyses[i]->of_periods)
			continue;
		snprintf(where, sizeof(where), "%s of %s, %s", analyses[i]->id, source, asked);
		size_t value = value_column(log, freq);
		/* A packet is two rows of the log, where it was sent and received, and one
		 * flight. */
		if (value == log->n_columns || has(log, "direction"))
			continue;
		if (freq)
			check_freq(log, value, freq);
		if (stats)
			check_stats(log, value, stats);
		if (top)
			check_top(log, value, top);
	}
}

static void check_same(const struct all_tables *a, const struct all_tables *b, const char *source)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct mer_table *p = &a->tables[i], *q = &b->tables[i];
		const char *id = a->requests[i].analysis->id;
		if (p->n_rows != q->n_rows)
			fail_msg("%s: %s %s: %zu rows, with more threads %zu", source, id, p->id,
				p->n_rows, q->n_rows);
		for (size_t k = 0; k < p->n_rows * p->n_columns; k++) {
			const struct mer_cell *x = &p->cells[k], *y = &q->cells[k];
			bool text = p->columns[k % p->n_columns].type == MER_TEXT;
			if (x->set != y->set || (x->set && (text ? strcmp(x->v.text, y->v.text) != 0
								 : x->v.i != y->v.i)))
				fail_msg("%s: %s %s: row %zu, %s differs with more threads", source,
					id, p->id, k / p->n_columns,
					p->columns[k % p->n_columns].key);
		}
	}
}

/* A limit keeps the first rows, and tells how many more there were. */
static void check_limit(const struct all_tables *a, const struct all_tables *few, uint64_t limit,
	const char *source)
{
	for (size_t i = 0; analyses[i]; i++) {
		const struct mer_table *log = table_of(a, analyses[i], "log");
		const struct mer_table *some = table_of(few, analyses[i], "log");
		if (!log || analyses[i]->of_periods)
			continue;
		size_t n = log->n_rows < limit ? log->n_rows : (size_t)limit;
		snprintf(where, sizeof(where), "%s of %s, limit", analyses[i]->id, source);
		check(some->n_rows == n, "rows", "", (int64_t)some->n_rows, (int64_t)n);
		check(some->n_left_out == log->n_rows - n, "left out", "",
			(int64_t)some->n_left_out, (int64_t)(log->n_rows - n));
		for (size_t r = 0; r < n; r++)
			check(cell(some, r, 0)->v.i == cell(log, r, 0)->v.i, "a time", "",
				cell(some, r, 0)->v.i, cell(log, r, 0)->v.i);
	}
}

/* ---- what --min, --max and --name leave ---- */

static bool is_by(const struct all_tables *a, size_t i, bool by_name)
{
	const struct fold *f = a->requests[i].analysis->outputs[a->requests[i].output].fold;
	return f && fold_selects_by(f, by_name ? FOLD_BY_NAME : FOLD_BY_DURATION);
}

/* Columns that sum up what counts, one by one. */
static bool adds_up(const char *key)
{
	static const char *const keys[] = { "count", "calls", "bytes", "errors", "total_ns",
		"read_bytes", "written_bytes", "opens", "reads", "writes", "major", "requests",
		"preemptions", "preempted_ns", "wait_ns", "duration_ns", "latency_ns" };
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

/* Of columns that do not add up, times say, it is a number that differs where they do. */
static int64_t sum_of(const struct mer_table *t, size_t col)
{
	uint64_t sum = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		sum += cell(t, r, col)->set ? (uint64_t)cell(t, r, col)->v.i : 0;
	return (int64_t)sum;
}

/* Each table that is chosen by durations is the sum of that of short ones and that of long ones,
 * but for what has none; all others have nothing to do with it. */
static void check_durations(struct run_case *c, const struct all_tables *all, const char *source)
{
	enum { NS = 50000 };
	static struct all_tables parts[2];
	struct analysis_options brief = { ALL, .n_bins = 7 }, lengthy = brief;
	brief.max_ns = NS;
	lengthy.min_ns = NS + 1;
	run_all(c, &parts[0], &brief, 1);
	run_all(c, &parts[1], &lengthy, 1);
	for (size_t i = 0; i < all->n; i++) {
		const struct mer_table *t = &all->tables[i], *p = &parts[0].tables[i],
				       *q = &parts[1].tables[i];
		const char *id = all->requests[i].analysis->id;
		snprintf(where, sizeof(where), "%s %s of %s, parts by duration", id, t->id, source);
		if (!is_by(all, i, false)) {
			check(t->n_rows == p->n_rows, "rows", "", (int64_t)p->n_rows,
				(int64_t)t->n_rows);
			for (size_t k = 0; k < t->n_columns; k++)
				if (t->columns[k].type != MER_TEXT)
					check(sum_of(t, k) == sum_of(p, k), t->columns[k].key, "",
						sum_of(p, k), sum_of(t, k));
			continue;
		}
		/* Faults that waited for no disk, packets of one end, requests without end. */
		bool some_have_none = strcmp(id, "faults") == 0 || strcmp(id, "net") == 0 ||
				      strcmp(id, "disk") == 0 ||
				      (strcmp(id, "io") == 0 && strncmp(t->id, "bins", 4) == 0);
		for (size_t k = 0; k < t->n_columns; k++) {
			int64_t sum = (int64_t)((uint64_t)sum_of(p, k) + (uint64_t)sum_of(q, k));
			if (adds_up(t->columns[k].key) &&
				(!some_have_none || strcmp(t->columns[k].key, "major") == 0 ||
					strcmp(t->columns[k].key, "duration_ns") == 0))
				check(sum == sum_of(t, k), t->columns[k].key, "", sum,
					sum_of(t, k));
		}
	}
	forget(&parts[0]);
	forget(&parts[1]);
}

/* Nothing takes so long: then nothing counts. */
static void check_too_long(struct run_case *c, const char *source)
{
	static struct all_tables none;
	struct analysis_options o = { ALL, .min_ns = INT64_MAX };
	run_all(c, &none, &o, 1);
	for (size_t i = 0; i < none.n; i++) {
		const struct mer_table *t = &none.tables[i];
		snprintf(where, sizeof(where), "%s %s of %s, --min for ever",
			none.requests[i].analysis->id, t->id, source);
		for (size_t k = 0; is_by(&none, i, false) && k < t->n_columns; k++) {
			enum mer_type type = t->columns[k].type;
			if (type != MER_COUNT && type != MER_BYTES && type != MER_DURATION)
				continue;
			if (strcmp(t->columns[k].key, "unclear_ns") != 0)
				check(sum_of(t, k) == 0, t->columns[k].key, "", sum_of(t, k), 0);
		}
	}
	forget(&none);
}

static size_t name_column(const struct mer_table *log)
{
	static const char *const keys[] = { "file", "disk", "name", "call", "kind" };
	size_t i = 0;
	while (i < 4 && !has(log, keys[i]))
		i++;
	return column(log, keys[i]);
}

static bool is_it(void *ctx, const char *name)
{
	return strcmp(name, ctx) == 0;
}

/* Of each analysis with names: one of its names, and no row of another one. */
static void check_name(struct run_case *c, const struct all_tables *all, const char *source)
{
	static struct all_tables few;
	for (size_t i = 0; analyses[i]; i++) {
		const struct mer_table *log = table_of(all, analyses[i], "log");
		size_t r = log ? log->n_rows / 2 : 0, n = 0;
		int output = analysis_find_output(analyses[i], "log");
		const struct fold *f = output < 0 ? NULL : analyses[i]->outputs[output].fold;
		if (!log || !f || !fold_selects_by(f, FOLD_BY_NAME))
			continue;
		size_t col = name_column(log);
		while (r < log->n_rows && !cell(log, r, col)->set)
			r++;
		if (r == log->n_rows)
			continue;
		char *name = strdup(cell(log, r, col)->v.text);
		for (r = 0; r < log->n_rows; r++)
			n += cell(log, r, col)->set && is_it(name, cell(log, r, col)->v.text);
		struct analysis_options o = { ALL, .wants_name = is_it, .ctx = name };
		run_all(c, &few, &o, 1);
		const struct mer_table *some = table_of(&few, analyses[i], "log");
		snprintf(where, sizeof(where), "%s of %s, name %s", analyses[i]->id, source, name);
		check(some->n_rows == n, "rows", "", (int64_t)some->n_rows, (int64_t)n);
		for (r = 0; r < some->n_rows; r++)
			check(cell(some, r, col)->set && is_it(name, cell(some, r, col)->v.text),
				"a name", "", 0, 0);
		check_agreement(&few, source, name);
		forget(&few);
		free(name);
	}
}

/* ---- what is asked for ---- */

static bool some_tasks(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return h->tasks[task].tid % 3 == 1;
}

static bool first_cpu(void *ctx, uint16_t cpu)
{
	(void)ctx;
	return cpu == 0;
}

static bool some_names(void *ctx, const char *name)
{
	unsigned sum = 0;
	(void)ctx;
	for (const char *p = name; *p; p++)
		sum += (unsigned char)*p;
	return sum % 3 == 1;
}

static bool even_hosts(void *ctx, uint32_t host)
{
	(void)ctx;
	return host % 2 == 0;
}

static void check_all(struct run_case *c, const char *source)
{
	int64_t third = (c->e->end - c->e->begin) / 3;
	int64_t begin = c->e->begin + third, end = begin + third;
	const struct analysis_period periods[] = { { begin - third / 2, begin - third / 4 },
		{ begin + third / 7, end - third / 9 } };
	const struct {
		const char *name;
		struct analysis_options o;
	} asked[] = {
		{ "all", { ALL, .n_bins = 7 } },
		{ "some tasks", { ALL, .wants_task = some_tasks } },
		{ "a CPU", { ALL, .wants_cpu = first_cpu } },
		{ "some hosts", { ALL, .wants_host = even_hosts } },
		{ "--min, --max", { .begin = INT64_MIN,
					  .end = INT64_MAX,
					  .min_ns = 50000,
					  .max_ns = 5000000 } },
		{ "some names", { ALL, .wants_name = some_names } },
		{ "a range", { .begin = begin, .end = end, .max_ns = INT64_MAX } },
		{ "periods", { ALL, .periods = periods, .n_periods = 2 } },
		{ "a bit of each", { .begin = begin,
					   .end = INT64_MAX,
					   .min_ns = 1000,
					   .max_ns = INT64_MAX,
					   .wants_task = some_tasks,
					   .wants_cpu = first_cpu } },
	};
	static struct all_tables one, two;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		run_all(c, &one, &asked[i].o, 1);
		check_agreement(&one, source, asked[i].name);
		if (i % 4 == 0) {
			run_all(c, &two, &asked[i].o, 3);
			check_same(&one, &two, source);
			forget(&two);
		}
		if (i == 0) {
			check_durations(c, &one, source);
			check_too_long(c, source);
			check_name(c, &one, source);
			struct analysis_options o = { ALL, .limit = 7 };
			run_all(c, &two, &o, 2);
			check_limit(&one, &two, 7, source);
			forget(&two);
		}
		forget(&one);
	}
}

static void recordings(void **state)
{
	static const char *const names[] = { "lab/ipc-zoo", "lab/cpu-mem-io", "lab/web-lossy",
		"lab/lost-events", "lab/mpi-3vm", "public/bug446190" };
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i += GIVEN_EVERY(3)) {
		struct run_case c;
		run_case_open_recording(&c, names[i]);
		check_all(&c, names[i]);
		run_case_close(&c);
	}
}

static void simulated(void **state)
{
	static const char *const options[] = { "--hosts 3 --statedump --seed 11",
		"--hosts 2 --cpus 4 --tasks 5 --reuse --races --seed 12",
		"--lost 10% --lose 1% --seed 13", "--layout old --begin-cut 30ms --seed 14" };
	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i += GIVEN_EVERY(2)) {
		struct run_case c;
		run_more_open_world(&c, options[i]);
		check_all(&c, options[i]);
		run_case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings),
		cmocka_unit_test(simulated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
