#include "session/summary.h"

#include <stdlib.h>

#include "analysis/summary/findings.h"
#include "requests/kinds.h"
#include "requests/of_tracer.h"
#include "requests/path_waits.h"

/* ---- kinds of requests ---- */

/* With fewer requests, percentiles mean nothing. */
enum { FEWEST = 20 };

/* The kind with the slowest request first. */
static int by_slowest(const void *a, const void *b)
{
	const struct requests_sums *p = a, *q = b;
	int64_t x = p->max_ns, y = q->max_ns;
	return x != y ? (x < y) - (x > y) : (p->kind > q->kind) - (p->kind < q->kind);
}

/* The slowest request of a kind. */
static uint32_t slowest_of(
	const struct requests_kinds *kinds, const uint32_t *which, uint32_t n, uint32_t kind)
{
	uint32_t best = KERNEL_NONE;
	int64_t most = -1;
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_exchange *x = &kinds->r->exchanges[which[i]];
		if (kinds->of[which[i]] != kind || !requests_has_latency(x) ||
			x->end - x->begin <= most)
			continue;
		most = x->end - x->begin;
		best = which[i];
	}
	return best;
}

/* Most of it is the requester's own: it took its time to send or to read, so no service was slow.
 * Negative: an error. */
static int is_requesters(const struct requests *r, uint32_t exchange, struct mer_err *err)
{
	struct requests_parts_finder *f = NULL;
	int64_t sums[REQUESTS_N_PARTS] = { 0 };
	int rc = requests_parts_finder_of(r, &exchange, 1, &f, err);
	if (rc == 0)
		rc = requests_parts_sum(f, exchange, sums, err);
	requests_parts_finder_free(f);
	const struct requests_exchange *x = &r->exchanges[exchange];
	return rc ? rc : sums[REQUESTS_REQUESTER] > (x->end - x->begin) / 2;
}

/* The slowest request among kinds with few requests that are not sent to answer others:
 * percentiles would not show it. Among several kinds, the one whose slowest request exceeds its
 * median by most. */
static int find_slowest(const struct requests_kinds *kinds, const uint32_t *which, uint32_t n,
	const struct requests_sums *rows, uint32_t n_rows, const struct requests_sums **best,
	uint32_t *slowest, struct mer_err *err)
{
	*best = NULL;
	for (uint32_t i = 0; i < n_rows; i++) {
		const struct requests_sums *s = &rows[i];
		if (s->n_timed < 2 || s->n_timed >= FEWEST ||
			(*best && s->max_ns - s->p50_ns <= (*best)->max_ns - (*best)->p50_ns))
			continue;
		uint32_t x = slowest_of(kinds, which, n, s->kind);
		if (x == KERNEL_NONE || kinds->r->exchanges[x].parent)
			continue;
		int is = is_requesters(kinds->r, x, err);
		if (is < 0)
			return is;
		if (is)
			continue;
		*best = s;
		*slowest = x;
	}
	/* The only one, if there is nothing but that. */
	if (!*best && n_rows == 1 && rows[0].n_timed == 1) {
		*best = &rows[0];
		*slowest = slowest_of(kinds, which, n, rows[0].kind);
	}
	return 0;
}

static int add_finding(const struct requests_kinds *kinds, const uint32_t *which, uint32_t n,
	const struct requests_sums *rows, uint32_t n_rows, struct mer_table *findings,
	struct mer_err *err)
{
	const struct requests_sums *best;
	uint32_t slowest = KERNEL_NONE;
	char id[REQUESTS_ID_BYTES];
	int rc = find_slowest(kinds, which, n, rows, n_rows, &best, &slowest, err);
	if (rc || !best || slowest == KERNEL_NONE)
		return rc;
	requests_id_text(kinds->r, slowest, id);
	const struct finding_request x = { .ns = best->max_ns,
		.median_ns = best->p50_ns,
		.count = best->n_timed,
		.id = mer_arena_strdup(findings->arena, id),
		.kind = mer_arena_strdup(
			findings->arena, mer_intern_text(&kinds->names, best->kind)) };
	if (!x.id || !x.kind)
		return mer_fail_nomem(err);
	findings_add_request(findings, &x);
	return findings->failed ? mer_fail_nomem(err) : 0;
}

static int add_rows(const struct requests_kinds *kinds, const uint32_t *which, uint32_t n,
	struct mer_table out[SUMMARY_TABLES], struct mer_err *err)
{
	struct mer_table *t = &out[SUMMARY_KINDS];
	struct requests_sums *rows;
	uint32_t n_rows;
	int rc = requests_sum(kinds, which, n, &rows, &n_rows, err);
	if (rc)
		return rc;
	if (n_rows)
		qsort(rows, n_rows, sizeof(*rows), by_slowest);
	for (uint32_t i = 0; i < n_rows; i++) {
		const struct requests_sums *s = &rows[i];
		if (!s->n_timed)
			continue;
		const char *name =
			mer_arena_strdup(t->arena, mer_intern_text(&kinds->names, s->kind));
		mer_table_add(t,
			(struct mer_cell[]){ mer_text(name), MER_INT(s->count), MER_INT(s->p50_ns),
				s->n_timed < FEWEST ? MER_NONE : MER_INT(s->p99_ns),
				MER_INT(s->max_ns), MER_NONE });
	}
	rc = t->failed ? mer_fail_nomem(err)
		       : add_finding(kinds, which, n, rows, n_rows, &out[SUMMARY_FINDINGS], err);
	free(rows);
	return rc;
}

/* Of those that began in the window, without those of the tracer. */
static int add_kinds(const struct requests *r, const struct session_window *window,
	struct mer_table out[SUMMARY_TABLES], struct mer_err *err)
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
		rc = add_rows(&kinds, which, n, out, err);
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

int session_summary_make(struct session_answer *a, bool all, enum peers_by by,
	struct mer_table *out, struct mer_err *err)
{
	const struct summary_felt felt = { find_felt, a->requests };
	struct session_window window;
	int rc = session_window(a->session, a->selection, &window, err);
	if (rc == 0)
		rc = summary_make(&a->run, session_sync_result(a->session), all, by,
			a->requests ? &felt : NULL, a->tables, out, err);
	if (rc == 0 && a->requests)
		rc = add_kinds(a->requests, &window, out, err);
	return rc;
}
