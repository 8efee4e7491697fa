#include "ask/print/openmetrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/safe_text.h"
#include "base/str.h"
#include "base/utf.h"

/* ---- Texts ---- */

/* The text of a trace as in CSV: what cannot be shown is an escape; no byte that is not UTF-8. */
static void put_quoted(struct mer_str *out, const char *s)
{
	struct mer_str safe = { 0 };
	size_t len = strlen(s);
	for (size_t i = 0, n; i < len; i += n) {
		n = mer_safe_span(s + i, len - i);
		if (n) {
			mer_str_add(&safe, s + i, n);
		} else if (mer_utf8_length(s + i, len - i)) {
			n = mer_safe_escape(&safe, s + i, len - i);
		} else {
			mer_str_puts(&safe, "\xef\xbf\xbd");
			n = 1;
		}
	}
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.data[i] == '\\' || safe.data[i] == '"')
			mer_str_putc(out, '\\');
		mer_str_putc(out, safe.data[i]);
	}
	out->failed |= safe.failed;
	mer_str_fini(&safe);
}

/* Of ns, as seconds, to the last digit. */
static void put_seconds(struct mer_str *out, int64_t ns)
{
	char digits[32];
	uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	int len = snprintf(digits, sizeof(digits), "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "",
		v / 1000000000, v % 1000000000);
	while (digits[len - 1] == '0' && digits[len - 2] != '.')
		len--;
	mer_str_add(out, digits, (size_t)len);
}

/* ---- Names and units ---- */

/* What a column is called: its key without the unit, then the format's unit. */
struct family {
	struct mer_str name;
	const char *unit; /* NULL: none */
};

static const struct unit {
	enum mer_type type;
	const char *key, *unit;
} units[] = {
	{ MER_DURATION, "ns", "seconds" },
	{ MER_OFFSET, "ns", "seconds" },
	{ MER_MEAN, "ns", "seconds" },
	{ MER_BYTES, "bytes", "bytes" },
	{ MER_HZ, "hz", "hertz" },
	{ MER_KHZ, "khz", "hertz" },
	{ MER_RATIO, "percent", "ratio" },
	{ MER_PPM, "ppm", "ratio" },
	{ MER_RATE, "bytes_per_s", "bytes_per_second" },
	{ MER_TIME, NULL, "timestamp_seconds" },
	{ MER_DATE, NULL, "timestamp_seconds" },
};

static const struct unit *unit_of(enum mer_type type)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (units[i].type == type)
			return &units[i];
	return NULL;
}

static void add_word(struct mer_str *name, const char *word, size_t len)
{
	if (name->len && len)
		mer_str_putc(name, '_');
	for (size_t i = 0; i < len; i++) {
		char c = word[i];
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
		mer_str_putc(name, is_plain ? c : '_');
	}
}

/* Without its last words, where they are these. */
static size_t length_without(const char *key, const char *end)
{
	size_t len = strlen(key), n = end ? strlen(end) : 0;
	if (!n || len < n || strcmp(key + len - n, end) != 0)
		return len;
	return len == n ? 0 : key[len - n - 1] == '_' ? len - n - 1 : len;
}

/* The format keeps these for samples of counters and histograms: readers take a gauge of such a
 * name for one of them. */
static void avoid_reserved(struct mer_str *name)
{
	static const char *const words[] = { "_total", "_sum", "_bucket", "_created", "_info",
		"_gcount", "_gsum" };
	static const char count[] = "_count";
	size_t n = sizeof(count) - 1;
	if (name->len > n && strcmp(name->data + name->len - n, count) == 0) {
		name->len -= n;
		mer_str_puts(name, "_number");
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		n = strlen(words[i]);
		if (name->len > n && strcmp(name->data + name->len - n, words[i]) == 0) {
			mer_str_puts(name, "_number");
			return;
		}
	}
}

static void find_family(struct family *f, const char *prefix, const struct mer_column *c)
{
	const struct unit *u = unit_of(c->type);
	const char *per_s = u ? u->key : "per_s";
	size_t len = length_without(c->key, per_s);
	mer_str_puts(&f->name, prefix);
	add_word(&f->name, c->key, len);
	if (u)
		add_word(&f->name, u->unit, strlen(u->unit));
	else if (len < strlen(c->key))
		add_word(&f->name, "per_second", strlen("per_second"));
	avoid_reserved(&f->name);
	/* A moment is in seconds; that it is a moment is no unit. */
	f->unit = !u ? NULL : u->key ? u->unit : "seconds";
}

static void put_head(const struct family *f, const char *type, const char *table,
	const struct mer_column *c, struct mer_str *out)
{
	const char *name = f->name.data ? f->name.data : "";
	mer_str_printf(out, "# TYPE %s %s\n", name, type);
	if (f->unit)
		mer_str_printf(out, "# UNIT %s %s\n", name, f->unit);
	mer_str_printf(out, "# HELP %s ", name);
	if (table) {
		put_quoted(out, table);
		mer_str_puts(out, ": ");
	}
	put_quoted(out, c->title ? c->title : c->key);
	mer_str_putc(out, '\n');
}

static void put_value(enum mer_type type, const struct mer_cell *cell, struct mer_str *out)
{
	switch (type) {
	case MER_DURATION:
	case MER_OFFSET:
	case MER_TIME:
	case MER_DATE: put_seconds(out, cell->v.i); break;
	case MER_KHZ: mer_put_real(out, (double)cell->v.i * 1000, false); break;
	case MER_MEAN: mer_put_real(out, cell->v.f / 1e9, false); break;
	case MER_PPM: mer_put_real(out, cell->v.f / 1e6, false); break;
	default:
		if (mer_type_is_real(type))
			mer_put_real(out, cell->v.f, false);
		else
			mer_str_printf(out, "%" PRId64, cell->v.i);
	}
}

static bool is_known(enum mer_type type, const struct mer_cell *cell)
{
	return cell->set && !(mer_type_is_real(type) && !isfinite(cell->v.f));
}

/* ---- Rows and their labels ---- */

struct row {
	char *labels; /* 'host="web",cpu="0"' */
	int64_t time; /* of its samples; 0: they have none */
	size_t at;    /* in the table */
};

struct rows {
	const struct mer_table *t;
	const char *prefix;
	struct row *item;
	bool is_timed;
	bool failed;
};

static const struct mer_cell *cell_of(const struct mer_table *t, size_t row, size_t column)
{
	return &t->cells[row * t->n_columns + column];
}

static void put_labels(const struct mer_table *t, size_t row, struct mer_str *out)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct mer_cell *cell = cell_of(t, row, c);
		bool is_text = t->columns[c].type == MER_TEXT;
		/* An empty label is the same as none. */
		if (!mer_column_names(&t->columns[c]) || !cell->set || (is_text && !*cell->v.text))
			continue;
		if (out->len)
			mer_str_putc(out, ',');
		for (const char *k = t->columns[c].key; *k; k++)
			mer_str_putc(out, *k);
		mer_str_puts(out, "=\"");
		if (is_text)
			put_quoted(out, cell->v.text);
		else
			mer_str_printf(out, "%" PRId64, cell->v.i);
		mer_str_putc(out, '"');
	}
}

static int by_labels(const void *a, const void *b)
{
	const struct row *p = a, *q = b;
	int order = strcmp(p->labels, q->labels);
	if (order)
		return order;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

static int by_place(const void *a, const void *b)
{
	const struct row *p = a, *q = b;
	return (p->at > q->at) - (p->at < q->at);
}

/* Rows over time begin with when. */
static bool is_over_time(const struct mer_table *t)
{
	return t->n_columns > 2 && t->columns[0].type == MER_TIME &&
	       t->columns[1].type == MER_TIME && strcmp(t->columns[0].key, "begin") == 0 &&
	       strcmp(t->columns[1].key, "end") == 0;
}

static bool is_same(const struct row *a, const struct row *b)
{
	return a->time == b->time && strcmp(a->labels, b->labels) == 0;
}

/* A sample may be there only once, and a row may be one of several that look the same: the longest
 * waits of a task. */
static void tell_apart(struct rows *r)
{
	size_t n = r->t->n_rows, nth = 1;
	for (size_t i = 1, first = 0; i < n; i++) {
		bool is_next = is_same(&r->item[first], &r->item[i]);
		nth = is_next ? nth + 1 : 1;
		if (!is_next) {
			first = i;
			continue;
		}
		struct mer_str s = { 0 };
		mer_str_printf(&s, "%s%srow=\"%zu\"", r->item[i].labels,
			*r->item[i].labels ? "," : "", nth);
		if (s.failed || !s.data) {
			mer_str_fini(&s);
			r->failed = true;
			return;
		}
		free(r->item[i].labels);
		r->item[i].labels = s.data;
	}
}

static void find_rows(struct rows *r)
{
	const struct mer_table *t = r->t;
	r->is_timed = is_over_time(t);
	r->item = calloc(t->n_rows + 1, sizeof(*r->item));
	r->failed = !r->item;
	for (size_t i = 0; i < t->n_rows && !r->failed; i++) {
		struct mer_str labels = { 0 };
		put_labels(t, i, &labels);
		r->failed = labels.failed;
		r->item[i] = (struct row){ .labels = labels.data ? labels.data : calloc(1, 1),
			.time = r->is_timed && cell_of(t, i, 1)->set ? cell_of(t, i, 1)->v.i : 0,
			.at = i };
		r->failed |= !r->item[i].labels;
	}
	if (!r->failed)
		qsort(r->item, t->n_rows, sizeof(*r->item), by_labels);
}

static void rows_fini(struct rows *r)
{
	for (size_t i = 0; r->item && i < r->t->n_rows; i++)
		free(r->item[i].labels);
	free(r->item);
}

/* ---- Gauges ---- */

static void put_sample(const struct rows *r, const struct family *f, size_t column,
	const struct row *row, struct mer_str *out)
{
	enum mer_type type = r->t->columns[column].type;
	mer_str_puts(out, f->name.data ? f->name.data : "");
	if (*row->labels)
		mer_str_printf(out, "{%s}", row->labels);
	mer_str_putc(out, ' ');
	put_value(type, cell_of(r->t, row->at, column), out);
	if (r->is_timed) {
		mer_str_putc(out, ' ');
		put_seconds(out, row->time);
	}
	mer_str_putc(out, '\n');
}

static void put_gauges(const struct rows *r, size_t column, struct mer_str *out)
{
	const struct mer_table *t = r->t;
	struct family f = { 0 };
	bool has_head = false;
	find_family(&f, r->prefix, &t->columns[column]);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (!is_known(t->columns[column].type, cell_of(t, r->item[i].at, column)))
			continue;
		if (!has_head)
			put_head(&f, "gauge", t->title, &t->columns[column], out);
		has_head = true;
		put_sample(r, &f, column, &r->item[i], out);
	}
	out->failed |= f.name.failed;
	mer_str_fini(&f.name);
}

static void add_gauges(struct rows *r, struct mer_str *out)
{
	const struct mer_table *t = r->t;
	tell_apart(r);
	/* As in the table; over time, samples of one metric follow each other. */
	if (!r->failed && !r->is_timed)
		qsort(r->item, t->n_rows, sizeof(*r->item), by_place);
	for (size_t c = r->is_timed ? 2 : 0; c < t->n_columns && !r->failed; c++)
		if (!mer_column_names(&t->columns[c]) && t->columns[c].type != MER_BAR)
			put_gauges(r, c, out);
}

/* ---- Histograms ---- */

struct histogram {		     /* columns */
	size_t from, to, count, sum; /* sum: SIZE_MAX: there is none */
};

static size_t find_column(const struct mer_table *t, const char *word)
{
	size_t n = strlen(word);
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct mer_column *x = &t->columns[c];
		bool is = strncmp(x->key, word, n) == 0 && (!x->key[n] || x->key[n] == '_');
		if (is && !mer_column_names(x))
			return c;
	}
	return SIZE_MAX;
}

static bool is_histogram(const struct mer_table *t, struct histogram *h)
{
	*h = (struct histogram){ find_column(t, "from"), find_column(t, "to"),
		mer_table_column(t, "count"), find_column(t, "sum") };
	return h->from != SIZE_MAX && h->to == h->from + 1 && h->count == h->to + 1;
}

static int by_number(const void *a, const void *b)
{
	const int64_t *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

/* The upper bounds of all buckets, each once. */
static size_t find_bounds(const struct rows *r, const struct histogram *h, int64_t *bounds)
{
	size_t n = 0;
	for (size_t i = 0; i < r->t->n_rows; i++)
		bounds[i] = cell_of(r->t, i, h->to)->v.i;
	qsort(bounds, r->t->n_rows, sizeof(*bounds), by_number);
	for (size_t i = 0; i < r->t->n_rows; i++)
		if (!n || bounds[n - 1] != bounds[i])
			bounds[n++] = bounds[i];
	return n;
}

static void put_bucket(const char *name, const char *labels, enum mer_type type, int64_t end,
	bool is_last, uint64_t count, struct mer_str *out)
{
	mer_str_printf(out, "%s_bucket{%s%sle=\"", name, labels, *labels ? "," : "");
	/* The bucket ends before `end`, le is what still belongs to it: values are whole. */
	if (is_last)
		mer_str_puts(out, "+Inf");
	else if (type == MER_DURATION)
		put_seconds(out, end - 1);
	else
		mer_str_printf(out, "%" PRId64 ".0", end - 1);
	mer_str_printf(out, "\"} %" PRIu64 "\n", count);
}

/* Rows first ... end - 1 have the same labels. */
static void put_metric(const struct rows *r, const struct histogram *h, const char *name,
	size_t first, size_t end, const int64_t *bounds, size_t n_bounds, struct mer_str *out)
{
	const struct mer_table *t = r->t;
	const char *labels = r->item[first].labels;
	uint64_t count = 0;
	size_t i = first;
	for (size_t b = 0; b <= n_bounds; b++) {
		bool is_last = b == n_bounds;
		while (i < end && (is_last || cell_of(t, r->item[i].at, h->to)->v.i <= bounds[b]))
			count += (uint64_t)cell_of(t, r->item[i++].at, h->count)->v.i;
		put_bucket(name, labels, t->columns[h->to].type, is_last ? 0 : bounds[b], is_last,
			count, out);
	}
	/* The format has both or none. */
	if (h->sum == SIZE_MAX || !cell_of(t, r->item[first].at, h->sum)->set)
		return;
	mer_str_printf(out, *labels ? "%s_count{%s} %" PRIu64 "\n" : "%s_count%s %" PRIu64 "\n",
		name, labels, count);
	mer_str_printf(out, *labels ? "%s_sum{%s} " : "%s_sum%s ", name, labels);
	put_value(t->columns[h->sum].type, cell_of(t, r->item[first].at, h->sum), out);
	mer_str_putc(out, '\n');
}

static void add_histograms(struct rows *r, const struct histogram *h, struct mer_str *out)
{
	const struct mer_table *t = r->t;
	const struct mer_column column = { t->columns[h->to].key + strlen("to"), t->title,
		t->columns[h->to].type };
	int64_t *bounds = calloc(t->n_rows + 1, sizeof(*bounds));
	struct family f = { 0 };
	if (!bounds) {
		r->failed = true;
		return;
	}
	size_t n = find_bounds(r, h, bounds);
	find_family(&f, r->prefix,
		&(struct mer_column){ column.key + (*column.key == '_'), NULL, column.type });
	if (t->n_rows)
		put_head(&f, "histogram", NULL, &column, out);
	for (size_t i = 0, end; i < t->n_rows; i = end) {
		for (end = i + 1;
			end < t->n_rows && strcmp(r->item[i].labels, r->item[end].labels) == 0;
			end++)
			;
		put_metric(r, h, f.name.data ? f.name.data : "", i, end, bounds, n, out);
	}
	out->failed |= f.name.failed;
	mer_str_fini(&f.name);
	free(bounds);
}

/* ---- A table ---- */

void ask_openmetrics_prefix(const char *about, const char *table, struct mer_str *prefix)
{
	mer_str_puts(prefix, "meridian");
	add_word(prefix, about, strlen(about));
	if (strcmp(about, table) != 0)
		add_word(prefix, table, strlen(table));
}

void ask_openmetrics_add(const struct mer_table *t, const char *prefix, struct mer_str *out)
{
	struct rows r = { .t = t, .prefix = prefix };
	struct histogram h;
	find_rows(&r);
	if (!r.failed && is_histogram(t, &h))
		add_histograms(&r, &h, out);
	else if (!r.failed)
		add_gauges(&r, out);
	out->failed |= r.failed | t->failed;
	rows_fini(&r);
}

void ask_openmetrics_end(struct mer_str *out)
{
	mer_str_puts(out, "# EOF\n");
}
