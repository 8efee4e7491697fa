#include "session/summary.h"

#include <stdlib.h>

#include "requests/kinds.h"
#include "requests/of_tracer.h"
#include "requests/path_waits.h"

/* ---- kinds of requests ---- */

/* Of fewer no percentile says anything. */
enum { FEWEST = 20 };

static int by_tail(const void *a, const void *b)
{
	const struct requests_sums *p = a, *q = b;
	int64_t x = p->p99_ns - p->p50_ns, y = q->p99_ns - q->p50_ns;
	return x != y ? (x < y) - (x > y) : (p->kind > q->kind) - (p->kind < q->kind);
}

static int add_rows(const struct requests_kinds *kinds, const uint32_t *which, uint32_t n,
	struct mer_table *t, struct mer_err *err)
{
	struct requests_sums *rows;
	uint32_t n_rows;
	int rc = requests_sum(kinds, which, n, &rows, &n_rows, err);
	if (rc)
		return rc;
	if (n_rows)
		qsort(rows, n_rows, sizeof(*rows), by_tail);
	for (uint32_t i = 0; i < n_rows; i++) {
		const struct requests_sums *s = &rows[i];
		if (s->count - s->n_windows - s->n_damaged < FEWEST)
			continue;
		const char *name =
			mer_arena_strdup(t->arena, mer_intern_text(&kinds->names, s->kind));
		mer_table_add(t,
			(struct mer_cell[]){ mer_text(name), MER_INT(s->count), MER_INT(s->p50_ns),
				MER_INT(s->p99_ns), MER_INT(s->max_ns), MER_NONE });
	}
	free(rows);
	return t->failed ? mer_fail_nomem(err) : 0;
}

/* Of those that began in the window, without those of the tracer. */
static int add_kinds(const struct requests *r, const struct session_window *window,
	struct mer_table *t, struct mer_err *err)
{
	struct requests_kinds kinds = { 0 };
	struct requests_of_tracer tracer = { 0 };
	uint32_t n = 0, *which = malloc(((size_t)r->n + 1) * sizeof(*which));
	int rc = which ? requests_kinds_find(r, &kinds, err) : mer_fail_nomem(err);
	if (rc == 0)
		rc = requests_of_tracer_find(r, &tracer, err);
	if (rc == 0) {
		for (uint32_t i = 0; i < r->n; i++)
			if (r->exchanges[i].begin >= window->begin &&
				r->exchanges[i].begin < window->end &&
				!requests_of_tracer_has(&tracer, i))
				which[n++] = i;
		rc = add_rows(&kinds, which, n, t, err);
	}
	if (kinds.r)
		requests_kinds_fini(&kinds);
	requests_of_tracer_fini(&tracer);
	free(which);
	return rc;
}

/* ---- the whole ---- */

/* Those on the path of a request. */
static int find_felt(void *ctx, const struct blocked *b, uint8_t *const *asked, struct mer_err *err)
{
	return requests_path_waits_find(ctx, b, asked, err);
}

void session_summary_ask(
	struct session_request *q, struct analysis_request requests[SUMMARY_REQUESTS])
{
	summary_requests(requests);
	q->tables = requests;
	q->n = SUMMARY_REQUESTS;
	q->with_requests = !q->periods && !(q->selection && q->selection->hosts.n);
	q->options = (struct analysis_options){
		.max_ns = INT64_MAX, .n_bins = 1, .limit = 1, .keep_spans = true
	};
	q->stage = SESSION_READING;
}

int session_summary_make(
	struct session_answer *a, bool all, struct mer_table *out, struct mer_err *err)
{
	const struct summary_felt felt = { find_felt, a->requests };
	struct session_window window;
	int rc = session_window(a->session, a->selection, &window, err);
	if (rc == 0)
		rc = summary_make(&a->run, session_sync_result(a->session), all,
			a->requests ? &felt : NULL, a->tables, out, err);
	if (rc == 0 && a->requests)
		rc = add_kinds(a->requests, &window, &out[SUMMARY_KINDS], err);
	return rc;
}
