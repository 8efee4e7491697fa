/* Latencies of each kind as a histogram: for OpenMetrics. Buckets are those of freq; the sum is
 * that of the latencies themselves. Requests without a latency of their own (requests_has_latency)
 * are left out, as of percentiles. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "ask/requests/requests_answer.h"

struct latencies { /* of a kind */
	struct analysis_histogram h;
	int64_t sum_ns;
};

enum { KIND, PORT, SERVICE, FROM, TO, COUNT, SUM, N };

static void add_rows(const struct ask_requests *c, const struct latencies *l,
	const struct requests_sums *s, struct mer_table *t)
{
	struct mer_table names; /* labels as those of the other figures */
	mer_table_init(&names, "kinds", NULL, ask_requests_kind_columns, t->arena);
	ask_requests_add_kinds(c, s, 1, 0, &names);
	for (unsigned b = 0; b < ANALYSIS_BUCKETS && names.n_rows; b++)
		if (l->h.n[b])
			mer_table_add(t, (struct mer_cell[N]){
						 [KIND] = names.cells[ASK_KIND],
						 [PORT] = names.cells[ASK_KIND_PORT],
						 [SERVICE] = names.cells[ASK_KIND_SERVICE],
						 [FROM] = MER_INT(analysis_bucket_begin(b)),
						 [TO] = MER_INT(analysis_bucket_begin(b + 1)),
						 [COUNT] = MER_INT(l->h.n[b]),
						 [SUM] = MER_INT(l->sum_ns),
					 });
	t->failed |= names.failed;
	mer_table_fini(&names);
}

int ask_requests_answer_latencies(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, struct answer *a)
{
	static const struct mer_column columns[N + 1] = {
		[KIND] = { "kind", "Kind", MER_TEXT },
		[PORT] = { "port", "Port", MER_ID },
		[SERVICE] = { "service", "Service", MER_TEXT },
		[FROM] = { "from_ns", "From", MER_DURATION },
		[TO] = { "to_ns", "To", MER_DURATION },
		[COUNT] = { "count", "Count", MER_COUNT },
		[SUM] = { "sum_ns", "Sum", MER_DURATION },
	};
	struct mer_table *t =
		answer_add(a, "latency", "Latency of requests from begin to end", columns);
	struct latencies *all = calloc((size_t)n + 1, sizeof(*all));
	uint32_t *row_of = calloc((size_t)c->kinds->names.n + 1, sizeof(*row_of)); /* plus 1 */
	int rc = all && row_of ? 0 : mer_fail_nomem(&c->ask->err);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		row_of[rows[i].kind] = i + 1;
	for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
		const struct requests_exchange *x = &c->r->exchanges[c->which[i]];
		uint32_t row = row_of[c->kinds->of[c->which[i]]];
		if (!row || !requests_has_latency(x))
			continue;
		int64_t ns = x->end > x->begin ? x->end - x->begin : 0;
		all[row - 1].h.n[analysis_bucket(ns)]++;
		all[row - 1].sum_ns += ns;
	}
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		add_rows(c, &all[i], &rows[i], t);
	free(all);
	free(row_of);
	return rc;
}
