/* Latencies over time: the median and the longest latency in each bin, as points, for each kind of
 * requests, each system call or each host. An empty bin has no point. The values are those of the
 * program's tables "bins". Rows and their numbers are those of the whole recording, by their
 * longest latency. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/map.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MOST_ROWS = 500, MAX_BINS = 1000, SHOWN_AT_FIRST = 8, NAME_BYTES = 400 };

struct point {
	int64_t begin, end, median, longest; /* begin, end: of its bin */
	uint32_t next;			     /* point of the same row; UINT32_MAX: none */
};

struct row {
	const char *name;
	int64_t longest;
	uint32_t first, last; /* points; UINT32_MAX: none */
};

struct latencies {
	struct row rows[MOST_ROWS];
	struct mer_map of; /* hash of the name -> row, plus 1 */
	uint32_t n;
	struct point *points; /* malloc'ed */
	uint32_t n_points, cap_points;
	bool failed;
};

static void add(struct tsp *t, struct latencies *x, const char *name, struct point p)
{
	uint32_t *at = mer_map_put(&x->of, mer_hash(name, strlen(name)));
	if (!at || !mer_grow32(&x->points, x->n_points, &x->cap_points, sizeof(*x->points)))
		x->failed = true;
	if (x->failed)
		return;
	if (!*at && x->n < MOST_ROWS) {
		x->rows[x->n] = (struct row){ mer_arena_strdup(&t->arena, name), -1, UINT32_MAX,
			UINT32_MAX };
		x->failed |= !x->rows[x->n].name;
		*at = ++x->n;
	}
	if (!*at)
		return;
	struct row *r = &x->rows[*at - 1];
	p.next = UINT32_MAX;
	x->points[x->n_points] = p;
	if (r->last == UINT32_MAX)
		r->first = x->n_points;
	else
		x->points[r->last].next = x->n_points;
	r->last = x->n_points++;
	r->longest = p.longest > r->longest ? p.longest : r->longest;
}

/* ---- Reading ---- */

static void add_rows(struct tsp *t, struct latencies *x, const struct mer_result *r)
{
	bool has_kinds = mer_result_column(r, "kind") < mer_result_n_columns(r); /* of requests */
	for (size_t i = 0; i < mer_result_n_rows(r); i++) {
		const char *host = tsp_cell_text(r, i, "host"),
			   *name = tsp_cell_text(r, i, has_kinds ? "kind" : "name");
		char text[NAME_BYTES];
		snprintf(text, sizeof(text), "%.190s%s%.190s", host, *host && *name ? "/" : "",
			name);
		const struct point p = { tsp_cell_int(r, i, "begin", 0),
			tsp_cell_int(r, i, "end", 0), tsp_cell_int(r, i, "p50_ns", -1),
			tsp_cell_int(r, i, "max_ns", -1), 0 };
		if (p.median >= 0 && p.longest >= 0)
			add(t, x, text, p);
	}
}

static int read_all(struct tsp *t, const struct session_window *window, uint32_t bins,
	struct latencies *x, struct mer_err *err)
{
	const char *analysis = t->m.words[1] + strlen(TSP_LATENCIES);
	const struct tsp_question q = { { "requests" }, .window = window, .limit = MOST_ROWS,
		.n_bins = bins };
	const struct tsp_table which = {
		.analysis = analysis, .table = "bins", .window = window, .n_bins = bins
	};
	struct mer_result *own = NULL;
	const struct mer_result *r = NULL;
	if (strcmp(analysis, "requests") == 0)
		r = tsp_ask(t, &q, "bins", err);
	else if (tsp_read_table(t, &which, &own, err) == 0)
		r = own;
	if (r)
		add_rows(t, x, r);
	mer_result_free(own);
	return !r ? err->code : x->failed ? mer_fail_nomem(err) : 0;
}

static int longest_first(const void *a, const void *b)
{
	const struct row *p = a, *q = b;
	return p->longest != q->longest ? (p->longest > q->longest ? -1 : 1)
					: strcmp(p->name, q->name);
}

/* The rows of the whole recording, in their order. */
static int find_rows(struct tsp *t, struct latencies *x, struct mer_err *err)
{
	int rc = read_all(t, NULL, 1, x, err);
	qsort(x->rows, x->n, sizeof(*x->rows), longest_first);
	return rc;
}

static struct latencies *latencies_new(struct tsp *t, struct mer_err *err)
{
	struct latencies *x = mer_arena_zalloc(&t->arena, 1, sizeof(*x));
	if (!x)
		mer_fail_nomem(err);
	return x;
}

static void latencies_fini(struct latencies *x)
{
	mer_map_fini(&x->of);
	free(x->points);
}

/* ---- Answers ---- */

static void put_entry(
	struct tsp *t, int64_t id, int64_t parent, const char *name, bool has_data, bool is_default)
{
	tsp_begin_entry(&t->j, id, parent, &name, 1, 1, 0, has_data);
	mer_json_kv_bool(&t->j, "isDefault", is_default);
	mer_json_end_object(&t->j);
}

int tsp_latencies_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Of", "what took so long", NULL } };
	struct latencies *x = latencies_new(t, err);
	if (!x)
		return err->code;
	int rc = find_rows(t, x, err);
	tsp_begin_tree(&t->j, headers, 1, 1);
	for (uint32_t i = 0; rc == 0 && i < x->n; i++) {
		int64_t of = tsp_entry(TSP_LATENCY, 0, i);
		put_entry(t, of, -1, x->rows[i].name, false, false);
		put_entry(t, tsp_entry(TSP_LONGEST, 0, i), of, "longest", true, i < SHOWN_AT_FIRST);
		put_entry(t, tsp_entry(TSP_MEDIAN, 0, i), of, "median", true, i < SHOWN_AT_FIRST);
	}
	tsp_end_tree(&t->j);
	latencies_fini(x);
	return rc;
}

static int put_series(struct tsp *t, const struct latencies *x, const struct row *r, int64_t id,
	bool is_median, struct mer_err *err)
{
	char name[NAME_BYTES + 20];
	size_t n = 0;
	for (uint32_t i = r->first; i != UINT32_MAX; i = x->points[i].next)
		n++;
	int64_t *xs = mer_arena_zalloc(&t->arena, n + 1, sizeof(*xs));
	double *ys = mer_arena_zalloc(&t->arena, n + 1, sizeof(*ys));
	if (!xs || !ys)
		return mer_fail_nomem(err);
	n = 0;
	for (uint32_t i = r->first; i != UINT32_MAX; i = x->points[i].next) {
		const struct point *p = &x->points[i];
		xs[n] = p->begin + (p->end - p->begin) / 2;
		ys[n++] = (double)(is_median ? p->median : p->longest);
	}
	snprintf(name, sizeof(name), "%.390s/%s", r->name, is_median ? "median" : "longest");
	tsp_put_series(&t->j, &(struct tsp_series){ .id = id,
				      .name = name,
				      .y_label = "Duration",
				      .y_unit = "ns",
				      .is_duration = true,
				      .is_scattered = true,
				      .x = xs,
				      .y = ys,
				      .n = n });
	return 0;
}

int tsp_latencies_xy(struct tsp *t, struct mer_err *err)
{
	struct session_window w = tsp_window(t);
	uint32_t bins = tsp_bins(t, 0);
	struct latencies *all = latencies_new(t, err), *x = latencies_new(t, err);
	if (!all || !x)
		return err->code;
	int rc = find_rows(t, all, err);
	if (rc == 0)
		rc = read_all(t, &w, bins < MAX_BINS ? bins : MAX_BINS, x, err);
	mer_json_begin_object(&t->j);
	mer_json_kv_text(&t->j, "title", "Latencies");
	mer_json_kv_array(&t->j, "series");
	for (uint32_t i = 0; rc == 0 && i < all->n; i++) {
		static const struct row none = { NULL, 0, UINT32_MAX, UINT32_MAX };
		const uint32_t *at =
			mer_map_get(&x->of, mer_hash(all->rows[i].name, strlen(all->rows[i].name)));
		struct row r = at && *at ? x->rows[*at - 1] : none;
		r.name = all->rows[i].name;
		int64_t median = tsp_entry(TSP_MEDIAN, 0, i),
			longest = tsp_entry(TSP_LONGEST, 0, i);
		if (tsp_is_asked(&t->q, longest))
			rc = put_series(t, x, &r, longest, false, err);
		if (rc == 0 && tsp_is_asked(&t->q, median))
			rc = put_series(t, x, &r, median, true, err);
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	latencies_fini(all);
	latencies_fini(x);
	return rc;
}
