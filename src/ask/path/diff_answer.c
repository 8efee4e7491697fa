#include "ask/path/diff_answer.h"

#include <stdlib.h>

#include "ask/path/path_words.h"
#include "sync/result.h"

static struct mer_cell share_cell(const struct ask_diff *d, const struct path_diff_row *r)
{
	int64_t total = ask_diff_total(d);
	return total ? MER_REAL_CELL(ask_diff_share(r, total)) : MER_NONE;
}

static size_t limited(const struct ask_diff *d, size_t n)
{
	return d->limit && d->limit < n ? d->limit : n;
}

/* ---- Parts ---- */

/* What CSV has of each, and what else is known of it. */
static void add_parts(const struct path_diff_row *rows, size_t n, struct answer *a)
{
	enum { HOST, COMM, CAUSE, IN_FLIGHT, A, B, DELTA, A_SEGMENTS, B_SEGMENTS, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "host", MER_TEXT },
		[COMM] = { "comm", "comm", MER_TEXT },
		[CAUSE] = { "cause", "cause", MER_TEXT },
		[IN_FLIGHT] = { "in_flight", NULL, MER_ID },
		[A] = { "a_ns", "A", MER_DURATION },
		[B] = { "b_ns", "B", MER_DURATION },
		[DELTA] = { "delta_ns", "B - A", MER_DURATION },
		[A_SEGMENTS] = { "a_segments", NULL, MER_COUNT },
		[B_SEGMENTS] = { "b_segments", NULL, MER_COUNT },
	};
	struct mer_table *t = answer_add(a, "parts", NULL, columns);
	for (size_t i = 0; i < n; i++) {
		const struct path_diff_row *r = &rows[i];
		const char *cause = path_cause_name((enum path_cause)r->cause);
		mer_table_add(t, (struct mer_cell[N]){
					 [HOST] = mer_text(r->host),
					 [COMM] = mer_text(r->comm),
					 [CAUSE] = mer_text(cause),
					 [IN_FLIGHT] = MER_INT(r->in_flight),
					 [A] = MER_INT(r->a_ns),
					 [B] = MER_INT(r->b_ns),
					 [DELTA] = MER_INT(ask_diff_delta(r)),
					 [A_SEGMENTS] = MER_INT(r->n_a),
					 [B_SEGMENTS] = MER_INT(r->n_b),
				 });
	}
}

static void add_part_shares(
	const struct ask_diff *d, const struct path_diff_row *rows, size_t n, struct answer *a)
{
	enum { ROW, PERCENT, ONLY_IN, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[PERCENT] = { "percent", NULL, MER_RATIO },
		[ONLY_IN] = { "only_in", NULL, MER_TEXT },
	};
	struct mer_table *t = answer_add_beside(a, "part_shares", NULL, columns);
	for (size_t i = 0; i < n; i++) {
		const struct path_diff_row *r = &rows[i];
		const char *only_in = !r->b_ns ? "a" : !r->a_ns ? "b" : NULL;
		mer_table_add(t, (struct mer_cell[N]){
					 [ROW] = MER_INT(i + 1),
					 [PERCENT] = share_cell(d, r),
					 [ONLY_IN] = mer_text(only_in),
				 });
	}
}

static int add_all_parts(const struct ask_diff *d, struct answer *a)
{
	struct path_diff_row *rows;
	size_t n;
	int rc =
		path_diff(&d->a.profile, &d->b.profile, PATH_DIFF_BY_PART, &rows, &n, &d->ask->err);
	n = rc ? 0 : limited(d, n);
	add_parts(rows, n, a);
	add_part_shares(d, rows, n, a);
	free(rows);
	return rc;
}

/* ---- Sums ---- */

enum { BY_N = 7 }; /* columns, at most */

#define BY_COLUMNS                                                                                 \
	{ "a_ns", "A", MER_DURATION }, { "b_ns", "B", MER_DURATION },                              \
		{ "delta_ns", "B - A", MER_DURATION }, { "percent", "of difference", MER_RATIO },  \
	{                                                                                          \
		0                                                                                  \
	}
static const struct mer_column of_cause[] = { { "cause", "cause", MER_TEXT }, BY_COLUMNS };
static const struct mer_column of_host[] = { { "host", "host", MER_TEXT },
	{ "in_flight", NULL, MER_ID }, BY_COLUMNS };
static const struct mer_column of_task[] = { { "host", "host", MER_TEXT },
	{ "comm", "comm", MER_TEXT }, { "in_flight", NULL, MER_ID }, BY_COLUMNS };

static int add_sums(const struct ask_diff *d, enum path_diff_by by, struct answer *a)
{
	bool of_causes = by == PATH_DIFF_BY_CAUSE, of_tasks = by == PATH_DIFF_BY_TASK;
	struct mer_table *t = answer_add_beside(a,
		of_causes  ? "by_cause"
		: of_tasks ? "by_task"
			   : "by_host",
		NULL,
		of_causes  ? of_cause
		: of_tasks ? of_task
			   : of_host);
	struct path_diff_row *rows;
	size_t n;
	int rc = path_diff(&d->a.profile, &d->b.profile, by, &rows, &n, &d->ask->err);
	n = rc ? 0 : limited(d, n);
	for (size_t i = 0; i < n; i++) {
		const struct path_diff_row *r = &rows[i];
		struct mer_cell row[BY_N];
		size_t k = 0;
		row[k++] =
			mer_text(of_causes ? path_cause_name((enum path_cause)r->cause) : r->host);
		if (of_tasks)
			row[k++] = mer_text(r->comm);
		if (!of_causes)
			row[k++] = MER_INT(r->in_flight);
		row[k++] = MER_INT(r->a_ns);
		row[k++] = MER_INT(r->b_ns);
		row[k++] = MER_INT(ask_diff_delta(r));
		row[k++] = share_cell(d, r);
		mer_table_add(t, row);
	}
	free(rows);
	return rc;
}

/* ---- The sides ---- */

enum {
	SIDE,
	FILE_NAME,
	REQUEST,
	HOST,
	TID,
	COMM,
	BEGIN,
	END,
	TOTAL,
	CLOCKS_METHOD,
	CLOCKS_REFERENCE,
	CLOCKS_HOSTS,
	CLOCKS_UNSYNCHRONIZED,
	CLOCKS_LIKELY,
	CLOCKS_BOUND,
	CLOCKS_MAX,
	CLOCKS_FILE,
	SIDE_N
};

static void add_side(const struct ask_side *s, const char *letter, struct mer_table *t)
{
	const struct session_synced *y = &s->synced;
	struct mer_cell row[SIDE_N] = { [SIDE] = mer_text(letter),
		[FILE_NAME] = mer_text(s->file),
		[REQUEST] = mer_text(s->request),
		[HOST] = mer_text(s->host),
		[TID] = mer_natural(s->tid),
		[COMM] = mer_text(s->comm),
		[BEGIN] = MER_INT(s->begin),
		[END] = MER_INT(s->end),
		[TOTAL] = MER_INT(s->profile.total_ns) };
	if (s->has_sync) {
		row[CLOCKS_METHOD] = mer_text(sync_method_name(y->method));
		row[CLOCKS_REFERENCE] = mer_text(y->reference);
		row[CLOCKS_HOSTS] = MER_INT(y->summary.n_hosts);
		row[CLOCKS_UNSYNCHRONIZED] = MER_INT(y->summary.n_unsynchronized);
		row[CLOCKS_LIKELY] = mer_int_unless(y->summary.likely_ns, INT64_MAX);
		row[CLOCKS_BOUND] = mer_int_unless(y->summary.median_ns, INT64_MAX);
		row[CLOCKS_MAX] = mer_int_unless(y->summary.max_ns, INT64_MAX);
		row[CLOCKS_FILE] = mer_text(y->file);
	}
	mer_table_add(t, row);
}

static void add_sides(const struct ask_diff *d, struct answer *a)
{
	static const struct mer_column columns[SIDE_N + 1] = {
		[SIDE] = { "side", NULL, MER_TEXT },
		[FILE_NAME] = { "file", NULL, MER_TEXT },
		[REQUEST] = { "request", NULL, MER_TEXT },
		[HOST] = { "host", NULL, MER_TEXT },
		[TID] = { "tid", NULL, MER_ID },
		[COMM] = { "comm", NULL, MER_TEXT },
		[BEGIN] = { "begin", NULL, MER_TIME },
		[END] = { "end", NULL, MER_TIME },
		[TOTAL] = { "total_ns", NULL, MER_DURATION },
		[CLOCKS_METHOD] = { "sync_method", NULL, MER_TEXT },
		[CLOCKS_REFERENCE] = { "sync_reference", NULL, MER_TEXT },
		[CLOCKS_HOSTS] = { "sync_hosts", NULL, MER_COUNT },
		[CLOCKS_UNSYNCHRONIZED] = { "sync_hosts_unsynchronized", NULL, MER_COUNT },
		[CLOCKS_LIKELY] = { "sync_likely_p50_ns", NULL, MER_DURATION },
		[CLOCKS_BOUND] = { "sync_bound_p50_ns", NULL, MER_DURATION },
		[CLOCKS_MAX] = { "sync_bound_max_ns", NULL, MER_DURATION },
		[CLOCKS_FILE] = { "sync_file", NULL, MER_TEXT },
	};
	static const struct mer_column of_whole[] = {
		{ "delta_ns", NULL, MER_DURATION },
		{ 0 },
	};
	struct mer_table *t = answer_add_beside(a, "sides", NULL, columns);
	add_side(&d->a, "a", t);
	add_side(&d->b, "b", t);
	mer_table_add(answer_add_beside(a, "diff", NULL, of_whole),
		(struct mer_cell[]){ MER_INT(ask_diff_total(d)) });
}

int ask_diff_answer(const struct ask_diff *d, struct answer *a)
{
	int rc = add_all_parts(d, a);
	if (rc == 0)
		rc = add_sums(d, PATH_DIFF_BY_CAUSE, a);
	if (rc == 0)
		rc = add_sums(d, PATH_DIFF_BY_HOST, a);
	if (rc == 0)
		rc = add_sums(d, PATH_DIFF_BY_TASK, a);
	if (rc == 0)
		add_sides(d, a);
	return rc;
}
