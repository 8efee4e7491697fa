#include "session/rows.h"

#include <string.h>

#include "base/err.h"
#include "session/choice.h"

enum { SPARE = 2000 }; /* rows, of which some are left out afterwards */

bool session_rows_are_calls(const struct analysis_request *r)
{
	return r->analysis->calls >> r->output & 1;
}

/* Sums keep nothing; sorting needs all rows. */
void session_rows_prepare(const struct session_rows *o, const struct analysis_request *requests,
	size_t n, struct analysis_options *options)
{
	for (size_t i = 0; i < n; i++)
		options->keep_spans |= o->leaves_out && session_rows_are_calls(&requests[i]);
	options->limit = o->sort || o->reverse	     ? 0
			 : o->limit && o->leaves_out ? o->limit + SPARE
						     : o->limit;
}

static void sort(struct mer_table *t, const struct session_rows *o,
	const struct analysis_output *output, const char **sorted)
{
	*sorted = output->sort;
	if (!o->sort && !o->reverse)
		return;
	const char *word = o->sort ? o->sort : output->sort ? output->sort : t->columns[0].key;
	bool plus = *word == '+';
	const struct mer_column *c = mer_column_meant(t->columns, word + plus);
	if (!c)
		return;
	*sorted = c->key;
	bool ascending = plus || mer_column_names(c) || c->type == MER_TIME;
	mer_table_sort(t, c->key, ascending != o->reverse);
}

int session_rows_arrange(struct session_answer *a, size_t table, const struct session_rows *o,
	const char **sorted, struct analysis_left_out *sum, struct mer_err *err)
{
	const struct analysis_request *r = &a->request->tables[table];
	const struct analysis_output *output = &r->analysis->outputs[r->output];
	struct mer_table *t = &a->tables[table];
	int rc = 0;
	/* Sums over time have all of it. */
	if (o->leaves_out && !session_is_table_of(output, "bins"))
		rc = analysis_leave_out(&a->run, t, session_rows_are_calls(r), sum);
	sort(t, o, output, sorted);
	if (rc == 0 && !session_is_table_of(output, "freq"))
		mer_table_limit(t, (size_t)o->limit);
	return rc || !t->failed ? rc : mer_fail_nomem(err);
}
