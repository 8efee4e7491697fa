/* Durations: how long things took, as histograms (charts whose x axis is a duration instead of
 * time). They show what 'meridian freq' prints: a series for each histogram, all with the same
 * ranges. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/analysis.h"
#include "server/tsp/tsp.h"

enum { MAX_SERIES = 1000, NAME_BYTES = 600 };

struct histogram {
	const char *name; /* "client/timer/hrtimer" */
	uint64_t counts[ANALYSIS_BUCKETS];
};

struct histograms { /* by name */
	struct histogram *item;
	size_t n;
	unsigned first, end; /* all buckets outside [first, end) are empty */
};

/* The name of the row's histogram: the cells before the range, joined by "/". */
static void put_name(const struct mer_result *r, size_t row, char name[NAME_BYTES])
{
	size_t n = 0, until = mer_result_column(r, "from_ns");
	name[0] = '\0';
	for (size_t c = 0; c < until && n < NAME_BYTES; c++) {
		const char *text = NULL;
		char number[24];
		int64_t v;
		if (!mer_result_text(r, row, c, &text) && mer_result_int(r, row, c, &v)) {
			snprintf(number, sizeof(number), "%" PRId64, v);
			text = number;
		}
		if (text && *text)
			n += (size_t)snprintf(
				name + n, NAME_BYTES - n, "%s%.250s", n ? "/" : "", text);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct histogram *)a)->name, ((const struct histogram *)b)->name);
}

static struct histogram *histogram_of(struct tsp *t, struct histograms *x, const char *name)
{
	for (size_t i = x->n; i-- > 0;) /* usually the one of the row before */
		if (strcmp(x->item[i].name, name) == 0)
			return &x->item[i];
	if (x->n == MAX_SERIES)
		return NULL;
	x->item[x->n].name = mer_arena_strdup(&t->arena, name);
	return x->item[x->n].name ? &x->item[x->n++] : NULL;
}

/* Reads the histograms of a window; NULL: of the whole recording. */
static int find(struct tsp *t, const struct session_window *window, struct histograms *x,
	struct mer_err *err)
{
	const struct tsp_table which = {
		.analysis = t->m.words[1] + strlen(TSP_DURATIONS), .table = "freq", .window = window
	};
	struct mer_result *r = NULL;
	char name[NAME_BYTES];
	*x = (struct histograms){ .first = ANALYSIS_BUCKETS };
	x->item = mer_arena_zalloc(&t->arena, MAX_SERIES, sizeof(*x->item));
	if (!x->item)
		return mer_fail_nomem(err);
	int rc = tsp_read_table(t, &which, &r, err);
	for (size_t i = 0; rc == 0 && i < mer_result_n_rows(r); i++) {
		int64_t from = tsp_cell_int(r, i, "from_ns", -1),
			count = tsp_cell_int(r, i, "count", -1);
		put_name(r, i, name);
		struct histogram *h = histogram_of(t, x, name);
		if (!h || from < 0 || count < 0)
			continue;
		unsigned bucket = analysis_bucket(from);
		h->counts[bucket] += (uint64_t)count;
		x->first = bucket < x->first ? bucket : x->first;
		x->end = bucket >= x->end ? bucket + 1 : x->end;
	}
	mer_result_free(r);
	if (rc == 0)
		qsort(x->item, x->n, sizeof(*x->item), by_name);
	return rc;
}

int tsp_durations_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Of", "what took so long", NULL } };
	struct histograms x;
	int rc = find(t, NULL, &x, err);
	tsp_begin_tree(&t->j, headers, 1, -1);
	for (size_t i = 0; rc == 0 && i < x.n; i++) {
		tsp_begin_entry(&t->j, (int64_t)i + 1, -1, &x.item[i].name, 1, 1, 0, true);
		mer_json_kv_bool(&t->j, "isDefault", true);
		mer_json_end_object(&t->j);
	}
	tsp_end_tree(&t->j);
	return rc;
}

static int64_t begin_of(unsigned bucket)
{
	return bucket < ANALYSIS_BUCKETS ? analysis_bucket_begin(bucket) : INT64_MAX;
}

static void begin_axis(
	struct mer_json *j, const char *key, const char *label, const char *unit, const char *type)
{
	mer_json_kv_object(j, key);
	mer_json_kv_text(j, "label", label);
	mer_json_kv_text(j, "unit", unit);
	mer_json_kv_text(j, "dataType", type);
}

/* step: buckets per range, so that there are no more ranges than were requested. */
static void put_series(struct tsp *t, const struct histograms *x, const struct histogram *h,
	int64_t id, unsigned step)
{
	struct mer_json *j = &t->j;
	mer_json_begin_object(j);
	mer_json_kv_int(j, "seriesId", id);
	mer_json_kv_text(j, "seriesName", h->name);
	begin_axis(j, "xValuesDescription", "Duration", "ns", "DURATION");
	mer_json_kv_object(j, "axisDomain");
	mer_json_kv_text(j, "type", "range");
	mer_json_kv_int(j, "start", begin_of(x->first));
	mer_json_kv_int(j, "end", begin_of(x->end));
	mer_json_end_object(j);
	mer_json_end_object(j);
	begin_axis(j, "yValuesDescription", "Number", "", "NUMBER");
	mer_json_end_object(j);
	mer_json_kv_array(j, "xRanges");
	for (unsigned b = x->first; b < x->end; b += step) {
		mer_json_begin_object(j);
		mer_json_kv_int(j, "start", begin_of(b));
		mer_json_kv_int(j, "end", begin_of(b + step < x->end ? b + step : x->end));
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_kv_array(j, "yValues");
	for (unsigned b = x->first; b < x->end; b += step) {
		uint64_t sum = 0;
		for (unsigned i = b; i < b + step && i < x->end; i++)
			sum += h->counts[i];
		mer_json_uint(j, sum);
	}
	mer_json_end_array(j);
	mer_json_kv_object(j, "style");
	mer_json_kv_object(j, "values");
	mer_json_kv_text(j, "series-type", "bar");
	mer_json_end_object(j);
	mer_json_end_object(j);
	mer_json_end_object(j);
}

int tsp_durations_xy(struct tsp *t, struct mer_err *err)
{
	struct session_window window = tsp_window(t);
	struct histograms all, x;
	/* Series are numbered by the whole recording, so that ids do not depend on the window. */
	int rc = find(t, NULL, &all, err);
	if (rc == 0)
		rc = find(t, &window, &x, err);
	mer_json_begin_object(&t->j);
	mer_json_kv_text(&t->j, "title", "Durations");
	mer_json_kv_array(&t->j, "series");
	unsigned n = rc == 0 && x.end > x.first ? x.end - x.first : 0;
	unsigned step = t->q.n_times && n > t->q.n_times ? (n - 1) / t->q.n_times + 1 : 1;
	for (size_t i = 0; n && i < x.n; i++) {
		const struct histogram *h =
			bsearch(&x.item[i], all.item, all.n, sizeof(*all.item), by_name);
		int64_t id = h ? h - all.item + 1 : -1;
		if (h && tsp_is_asked(&t->q, id))
			put_series(t, &x, &x.item[i], id, step);
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	return rc;
}
