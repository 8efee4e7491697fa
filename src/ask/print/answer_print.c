#include "ask/print/answer_print.h"

#include "ask/print/openmetrics.h"
#include "ask/verb.h"
#include "base/table_write.h"
#include "trace/missing.h"

void ask_answer_init(
	struct ask *ask, const struct mer_experiment *e, bool is_timed, struct answer *a)
{
	answer_init(a, e);
	a->synced = ask->synced;
	if (!is_timed || e->begin == MER_NO_TIME)
		return;
	a->begin = ask->window.begin > e->begin ? ask->window.begin : e->begin;
	a->end = ask->window.end < e->end ? ask->window.end : e->end;
}

static int put_json(struct ask *ask, struct answer *a, size_t first, size_t n)
{
	struct mer_str out = { 0 };
	return ask_put(ask, &out, answer_json(a, first, n, &out, ask->out, &ask->err));
}

/* Written as it comes: all of the text at once would take more memory than the table. */
static int put_rows_of(struct ask *ask, const struct mer_table *t, size_t before, bool named)
{
	enum { PART = 4096 };
	struct mer_str out = { 0 };
	size_t first = 0;
	do {
		size_t end = t->n_rows - first > PART ? first + PART : t->n_rows;
		struct mer_table_part part = { first, end, named, .is_rest = before + first > 0 };
		mer_str_clear(&out);
		if (ask->format == ASK_FORMAT_CSV)
			mer_table_csv(t, part, &out);
		else
			mer_table_jsonl(t, part, &out);
		fwrite(out.data ? out.data : "", 1, out.len, ask->out);
		first = end;
	} while (first < t->n_rows && !out.failed);
	bool failed = out.failed || t->failed;
	mer_str_fini(&out);
	return failed ? mer_fail_nomem(&ask->err) : 0;
}

static int put_table(struct ask *ask, struct answer_table *x, bool named)
{
	if (!x->more)
		return put_rows_of(ask, x->table, 0, named);
	size_t n = 0;
	int rc;
	do {
		rc = answer_next(x, &ask->err);
		if (rc == 0 && (x->own.n_rows || !n))
			rc = put_rows_of(ask, &x->own, n, named);
		n += x->own.n_rows;
	} while (rc == 0 && x->own.n_rows);
	return rc;
}

static int put_files(struct ask *ask, struct answer *a)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < a->n; i++) {
		rc = ask_output_file(ask, a->tables[i].table->id);
		if (rc == 0)
			rc = ask->format == ASK_FORMAT_JSON ? put_json(ask, a, i, 1)
							    : put_table(ask, &a->tables[i], false);
	}
	return rc;
}

static int put_rows(struct ask *ask, struct answer *a)
{
	size_t n = 0, n_put = 0;
	int rc = 0;
	for (size_t i = 0; i < a->n; i++)
		n += !a->tables[i].is_beside;
	for (size_t i = 0; rc == 0 && i < a->n; i++) {
		if (a->tables[i].is_beside)
			continue;
		if (n_put++ && ask->format == ASK_FORMAT_CSV)
			fputc('\n', ask->out);
		rc = put_table(ask, &a->tables[i], n > 1);
	}
	return rc;
}

/* Of the tables that the question is about. One table after the other is text, and written: a
 * family needs all rows of its table. */
static int put_openmetrics(struct ask *ask, const struct answer *a)
{
	struct mer_str out = { 0 }, prefix = { 0 };
	for (size_t i = 0; i < a->n && !out.failed && !prefix.failed; i++) {
		const struct mer_table *t = a->tables[i].table;
		if (a->tables[i].is_beside)
			continue;
		mer_str_clear(&prefix);
		ask_openmetrics_prefix(a->about ? a->about : ask->verb->name, t->id, &prefix);
		ask_openmetrics_add(t, prefix.data ? prefix.data : "", &out);
		fwrite(out.data ? out.data : "", 1, out.len, ask->out);
		mer_str_clear(&out);
	}
	ask_openmetrics_end(&out);
	out.failed |= prefix.failed;
	mer_str_fini(&prefix);
	return ask_put(ask, &out, 0);
}

int ask_answer_print(struct ask *ask, struct answer *a)
{
	int rc = answer_check(a, &ask->err);
	if (rc == 0 && ask->taken)
		return answer_take(ask->taken, a, &ask->err);
	return rc				       ? rc
	       : ask->folder			       ? put_files(ask, a)
	       : ask->format == ASK_FORMAT_JSON	       ? put_json(ask, a, 0, a->n)
	       : ask->format == ASK_FORMAT_OPENMETRICS ? put_openmetrics(ask, a)
						       : put_rows(ask, a);
}

enum { ROW, PATH, LATE, EARLY, ABSENT, UNSEEN, N_MISSING };

struct mer_table *ask_missing_table(struct answer *a)
{
	static const struct mer_column columns[N_MISSING + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[PATH] = { "path", "Trace", MER_TEXT },
		[LATE] = { "streams_begin_late", "Streams begin late", MER_COUNT },
		[EARLY] = { "streams_end_early", "Streams end early", MER_COUNT },
		[ABSENT] = { "streams_missing", "Streams missing", MER_COUNT },
		[UNSEEN] = { "channels_missing", "Channels without a stream", MER_COUNT },
	};
	return answer_add_beside(
		a, "traces_missing", "Traces that lack packets or streams", columns);
}

void ask_missing_add(
	struct mer_table *t, size_t row, const char *path, const struct trace_missing *m)
{
	if (trace_is_missing(m))
		mer_table_add(t, (struct mer_cell[N_MISSING]){
					 [ROW] = MER_INT(row),
					 [PATH] = mer_text(path),
					 [LATE] = MER_INT(m->n_late),
					 [EARLY] = MER_INT(m->n_early),
					 [ABSENT] = MER_INT(m->n_absent),
					 [UNSEEN] = MER_INT(m->n_unseen),
				 });
}
