/* Requests of services: a row for each kind and, below it, further rows for requests at the same
 * time (strips). If there are too many requests to send, the slowest are shown. Rows and their
 * numbers are those of the whole recording, whatever window is requested. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/human.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MOST_REQUESTS = 2000, MOST_KINDS = 200, STRIPS = 8, NAME_BYTES = 200 };

struct request {
	int64_t begin, end, from; /* from: where its bar begins */
	const char *id;
	unsigned kind, strip;
};

struct requests {
	struct request item[MOST_REQUESTS]; /* by begin */
	size_t n;
	const char
		*kinds[MOST_KINDS]; /* in the command's order: that of the slowest request first */
	unsigned n_strips[MOST_KINDS];
	int64_t until[MOST_KINDS][STRIPS]; /* where strips are free */
	unsigned n_kinds;
};

/* ---- Reading ---- */

/* The number of a kind; MOST_KINDS: there are too many kinds. */
static unsigned kind_of(struct requests *x, const char *name)
{
	for (unsigned k = 0; k < x->n_kinds; k++)
		if (strcmp(x->kinds[k], name) == 0)
			return k;
	if (x->n_kinds == MOST_KINDS)
		return MOST_KINDS;
	x->kinds[x->n_kinds] = name;
	return x->n_kinds++;
}

/* Requests without a known end are left out, and exchanges of several messages, whose length is
 * none of a request. */
static void add_request(struct requests *x, const struct mer_result *r, size_t row)
{
	const char *kind = tsp_cell_text(r, row, "kind"), *id = tsp_cell_text(r, row, "id");
	int64_t begin = tsp_cell_int(r, row, "begin", MER_NO_TIME),
		end = tsp_cell_int(r, row, "end", MER_NO_TIME);
	if (x->n == MOST_REQUESTS || tsp_cell_int(r, row, "messages", 2) > 1 ||
		begin == MER_NO_TIME || end == MER_NO_TIME || end < begin)
		return;
	unsigned k = kind_of(x, kind);
	if (k < MOST_KINDS)
		x->item[x->n++] = (struct request){ begin, end, begin, id, k, 0 };
}

static int in_order(const void *a, const void *b)
{
	const struct request *p = a, *q = b;
	return p->begin != q->begin ? (p->begin < q->begin ? -1 : 1) : strcmp(p->id, q->id);
}

/* Puts each request into the first strip that is free when it begins. If none is, it goes into the
 * one that is free first, and its bar begins at that time. */
static void find_strips(struct requests *x)
{
	for (size_t i = 0; i < x->n; i++) {
		struct request *r = &x->item[i];
		int64_t *of = x->until[r->kind];
		unsigned best = 0;
		for (unsigned s = 0; s < STRIPS && of[best] > r->begin; s++)
			if (of[s] <= r->begin || of[s] < of[best])
				best = s;
		r->strip = best;
		if (of[best] > r->begin)
			r->from = of[best] < r->end ? of[best] : r->end;
		of[best] = r->end > of[best] ? r->end : of[best];
		if (x->n_strips[r->kind] <= best)
			x->n_strips[r->kind] = best + 1;
	}
}

static int read_requests(struct tsp *t, struct requests *x, struct mer_err *err)
{
	const struct tsp_question q = { { "requests", "--list" }, .limit = MOST_REQUESTS };
	const struct mer_result *r = tsp_ask(t, &q, "requests", err);
	if (!r)
		return err->code;
	for (size_t i = 0; i < mer_result_n_rows(r); i++)
		add_request(x, r, i);
	qsort(x->item, x->n, sizeof(*x->item), in_order);
	find_strips(x);
	return 0;
}

/* ---- Rows: the first strip is the row of the kind, the others are below it ---- */

static int64_t entry_of(unsigned kind, unsigned strip)
{
	return tsp_entry(TSP_REQUEST, 0, kind * STRIPS + strip);
}

int tsp_requests_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Requests",
		"from whom to which service; below, those at the same time", NULL } };
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct requests *x = mer_arena_zalloc(&t->arena, 1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(err);
	int rc = read_requests(t, x, err);
	tsp_begin_tree(&t->j, headers, 1, -1);
	for (unsigned k = 0; rc == 0 && k < x->n_kinds; k++)
		for (unsigned s = 0; s < x->n_strips[k] || s == 0; s++) {
			const char *label = s ? "at the same time" : x->kinds[k];
			tsp_begin_entry(&t->j, entry_of(k, s), s ? entry_of(k, 0) : -1, &label, 1,
				e->begin, e->end, true);
			mer_json_end_object(&t->j);
		}
	tsp_end_tree(&t->j);
	return rc;
}

static void put_request(struct tsp *t, const struct requests *x, const struct request *r)
{
	struct mer_str label = { 0 };
	struct tsp_shown shown = tsp_shown(NULL, 0);
	shown.window.begin = r->from;
	mer_str_printf(&label, "%s ", r->id);
	mer_put_duration(&label, r->end - r->begin);
	struct tsp_state_of s = { r->begin, r->end, label.data ? label.data : r->id, "Request",
		{ { NULL, NULL, x->kinds[r->kind], NULL, NULL }, { -1, -1, -1, -1 } } };
	tsp_put_state(t, &shown, &s);
	mer_str_fini(&label);
}

static void put_row(struct tsp *t, const struct requests *x, unsigned kind, unsigned strip)
{
	struct session_window w = tsp_window(t);
	tsp_begin_row(&t->j, entry_of(kind, strip));
	for (size_t i = 0; i < x->n; i++) {
		const struct request *r = &x->item[i];
		if (r->kind == kind && r->strip == strip && r->from < w.end && r->end > w.begin)
			put_request(t, x, r);
	}
	tsp_end_row(&t->j);
}

int tsp_requests_states(struct tsp *t, struct mer_err *err)
{
	struct requests *x = mer_arena_zalloc(&t->arena, 1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(err);
	int rc = read_requests(t, x, err);
	mer_json_begin_object(&t->j);
	mer_json_kv_array(&t->j, "rows");
	for (unsigned k = 0; rc == 0 && k < x->n_kinds; k++)
		for (unsigned s = 0; s < x->n_strips[k]; s++)
			if (tsp_is_asked(&t->q, entry_of(k, s)))
				put_row(t, x, k, s);
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	return rc;
}
