/* Rows for a query, from the session. */
#include <stdlib.h>
#include <string.h>

#include "ask/library/api.h"
#include "query/groups.h"
#include "query/state.h"
#include "session/request.h"

enum {
	/* A statement that looks for one part after the other, as a join does, gets the whole
	 * table after so many. */
	PARTS = 3
};
/* What stays for later statements. */
#define KEPT_BYTES (UINT64_C(512) << 20)

static bool is_within(const struct query_part *p, const struct query_part *in)
{
	return p->begin >= in->begin && p->end <= in->end &&
	       (!in->host || (p->host && strcmp(p->host, in->host) == 0)) &&
	       (in->tid < 0 || p->tid == in->tid);
}

static int take_row(void *taker, const struct analysis_run *run, const struct mer_table *t,
	uint32_t host, const struct mer_cell *cells)
{
	(void)t;
	(void)host;
	return query_rows_add(taker, cells, run->err);
}

static int make_facts(
	struct query *q, struct query_kept *k, struct query_groups *groups, struct mer_err *err)
{
	struct session *s = api_session(q->of.session);
	struct session_selection what = *q->of.select;
	struct session_range tid = { (uint64_t)k->part.tid, (uint64_t)k->part.tid, false };
	struct session_window w;
	struct session_answer a;
	int rc = session_window(s, &what, &w, err);
	if (rc)
		return rc;
	w.begin = k->part.begin > w.begin ? k->part.begin : w.begin;
	w.end = k->part.end < w.end ? k->part.end : w.end;
	if (w.begin >= w.end)
		return 0;
	if (w.begin > INT64_MIN)
		what.begin = (struct session_moment){ SESSION_MOMENT_ABSOLUTE, w.begin, "" };
	if (w.end < INT64_MAX)
		what.end = (struct session_moment){ SESSION_MOMENT_ABSOLUTE, w.end, "" };
	if (k->part.host)
		what.hosts = (struct session_texts){ &k->part.host, 1 };
	if (k->part.tid >= 0)
		what.tids = (struct session_ranges){ &tid, 1 };
	const struct session_request request = { .tables = &k->table->request,
		.n = 1,
		.selection = &what,
		.options = { .max_ns = INT64_MAX,
			.take_row = groups ? query_groups_take : take_row,
			.taker = groups ? (void *)groups : &k->rows,
			.any_order = groups != NULL,
			/* A bit that no column has: not even one is needed. */
			.columns = k->rows.kept | UINT64_C(1) << (QUERY_COLUMNS - 1) },
		.stage = SESSION_READING };
	rc = session_request(s, &request, &a, err);
	session_answer_fini(&a);
	return rc;
}

/* ---- Tables of verbs ---- */

static int each_of_analysis(struct query *q, const struct query_table *of, query_take_row *take,
	void *ctx, struct mer_err *err)
{
	const struct analysis_request *r = &of->request;
	const char *id = r->analysis->outputs[r->output].id;
	const struct mer_table_options options = { .size = sizeof(options) };
	struct mer_result *result;
	int rc = api_tables(
		q->of.session, r->analysis->id, &id, 1, &options, q->of.select, NULL, &result, err);
	if (rc)
		return rc;
	const struct mer_table *t = api_table(result);
	for (size_t i = 0; i < t->n_rows && rc == 0; i++)
		rc = take(ctx, &t->cells[i * t->n_columns], err);
	mer_result_free(result);
	return rc;
}

void query_forget_answer(struct query *q)
{
	if (q->answer_of)
		answer_fini(&q->answer);
	q->answer_of = NULL;
}

/* One answer has several tables, so the last one is kept. */
static int ask(struct query *q, const struct ask_verb_tables *of, struct mer_err *err)
{
	enum { MOST = 8 };
	const char *words[MOST];
	size_t n = 0;
	if (q->answer_of == of)
		return 0;
	query_forget_answer(q);
	char *copy = strdup(of->words), *rest = NULL;
	if (!copy)
		return mer_fail_nomem(err);
	for (char *w = strtok_r(copy, " ", &rest); w && n < MOST; w = strtok_r(NULL, " ", &rest))
		words[n++] = w;
	int rc = api_ask(q->of.session, q->of.select, words, n, &q->answer, err);
	free(copy);
	q->answer_of = of;
	if (rc)
		query_forget_answer(q);
	return rc;
}

/* Columns of one name are the same: an answer may lack some. */
static int each_of_answer(struct query *q, const struct query_table *of, query_take_row *take,
	void *ctx, struct mer_err *err)
{
	int rc = ask(q, of->asked, err);
	const struct mer_table *t = rc == 0 ? answer_find(&q->answer, of->id) : NULL;
	struct mer_cell cells[QUERY_COLUMNS];
	size_t at[QUERY_COLUMNS], n = 0;
	for (; t && n < QUERY_COLUMNS && of->columns[n].key; n++)
		at[n] = mer_table_column(t, of->columns[n].key);
	for (size_t i = 0; t && i < t->n_rows && rc == 0; i++) {
		for (size_t c = 0; c < n; c++)
			cells[c] = at[c] < t->n_columns ? t->cells[i * t->n_columns + at[c]]
							: MER_NONE;
		rc = take(ctx, cells, err);
	}
	return rc;
}

int query_each_row(struct query *q, const struct query_table *t, query_take_row *take, void *ctx,
	struct mer_err *err)
{
	return t->asked ? each_of_answer(q, t, take, ctx, err)
			: each_of_analysis(q, t, take, ctx, err);
}

static int add_row(void *ctx, const struct mer_cell *cells, struct mer_err *err)
{
	return query_rows_add(ctx, cells, err);
}

/* ---- Both ---- */

static void free_kept(struct query_kept *k)
{
	query_rows_fini(&k->rows);
	free(k->counts);
	free((char *)k->part.host);
	free(k);
}

/* What the command selects already is not to be selected another time: the two may overlap in ways
 * that one list cannot say. */
static struct query_part part_to_make(
	struct query *q, const struct query_table *t, const struct query_part *asked)
{
	struct query_part p = { INT64_MIN, INT64_MAX, NULL, -1 };
	if (t->is_whole || q->is_of_whole || q->n_made[t - q->tables]++ >= PARTS)
		return p;
	p = *asked;
	if (q->of.select->hosts.n)
		p.host = NULL;
	if (session_selects_tasks(q->of.select))
		p.tid = -1;
	return p;
}

static int make_groups(struct query *q, struct query_kept *k, struct mer_err *err)
{
	struct query_groups g;
	int rc = query_groups_init(&g, &k->rows, err);
	if (rc == 0)
		rc = make_facts(q, k, &g, err);
	if (rc == 0)
		rc = query_groups_end(&g, &k->counts, err);
	query_groups_fini(&g);
	return rc;
}

static bool serves(const struct query *q, const struct query_kept *k, const struct query_table *t,
	const struct query_part *asked, uint64_t columns, bool groups)
{
	return k->table == t && (k->counts != NULL) == groups &&
	       (groups ? k->rows.kept == columns && k->is_all
		       : (k->is_all || (!q->is_of_whole && is_within(asked, &k->part))) &&
				       !(columns & ~k->rows.kept));
}

static struct query_kept *make(struct query *q, const struct query_table *t,
	const struct query_part *asked, uint64_t columns, bool groups)
{
	for (struct query_kept *k = q->kept; k; k = k->next)
		if (serves(q, k, t, asked, columns, groups))
			return k;
	struct query_kept *k = calloc(1, sizeof(*k));
	struct mer_err *err = &q->failed;
	q->failed_with = k ? 0 : mer_fail_nomem(err);
	if (!k)
		return NULL;
	k->table = t;
	k->part = part_to_make(q, t, asked);
	k->is_all = k->part.begin == INT64_MIN && k->part.end == INT64_MAX && !k->part.host &&
		    k->part.tid < 0;
	k->part.host = k->part.host ? strdup(k->part.host) : NULL;
	const struct mer_experiment *e = session_experiment(api_session(q->of.session));
	int rc = query_rows_init(&k->rows, t->columns, columns, e->spill, err);
	if (rc == 0)
		rc = groups	   ? make_groups(q, k, err)
		     : t->is_facts ? make_facts(q, k, NULL, err)
				   : query_each_row(q, t, add_row, &k->rows, err);
	if (rc == 0)
		rc = query_rows_end(&k->rows, err);
	if (rc) {
		free_kept(k);
		q->failed_with = rc;
		return NULL;
	}
	k->next = q->kept;
	q->kept = k;
	return k;
}

struct query_kept *query_make(struct query *q, const struct query_table *t,
	const struct query_part *asked, uint64_t columns)
{
	return make(q, t, asked, columns, false);
}

struct query_kept *query_make_groups(struct query *q, const struct query_table *t,
	const struct query_part *asked, uint64_t columns)
{
	return make(q, t, asked, columns, true);
}

void query_forget(struct query *q, bool all)
{
	uint64_t bytes = 0;
	struct query_kept **at = &q->kept;
	query_forget_answer(q);
	while (*at) { /* the newest first */
		struct query_kept *k = *at;
		bytes += k->rows.bytes;
		if (!all && bytes <= KEPT_BYTES) {
			at = &k->next;
			continue;
		}
		*at = k->next;
		free_kept(k);
	}
}
