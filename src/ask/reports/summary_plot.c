#include "ask/reports/summary_plot.h"

#include <string.h>

#include "analysis/leave_out.h"
#include "draw/chart_table.h"

enum { MAX_TABLES = 16, BINS = 300 };

struct picture {
	struct analysis_request requests[MAX_TABLES];
	struct mer_table *tables;
	size_t n;
};

static void request(struct picture *x, const struct analysis *a, const char *table)
{
	int output = analysis_find_output(a, table ? table : "bins");
	for (size_t i = 0; i < x->n; i++)
		if (x->requests[i].analysis == a && x->requests[i].output == (unsigned)output)
			return;
	if (output >= 0 && x->n < MAX_TABLES)
		x->requests[x->n++] = (struct analysis_request){ a, (unsigned)output };
}

static void find_requests(struct picture *x)
{
	for (size_t i = 0; analyses[i]; i++) {
		const struct analysis_chart *c = analyses[i]->charts;
		for (; c && c->title; c++)
			if (c->summary)
				request(x, analyses[i], c->table);
	}
}

/* The tracer's tasks are busiest where little else happens, on disks above all. */
static int leave_out_tracer(struct picture *x, struct analysis_run *run, bool *any)
{
	struct analysis_left_out sum = { 0 };
	int rc = 0;
	for (size_t i = 0; i < x->n && rc == 0; i++)
		rc = analysis_leave_out(run, &x->tables[i], false, &sum);
	*any = sum.n_tracer > 0;
	return rc;
}

static int draw(struct picture *x, struct ask *ask, bool without_tracer, const char *path)
{
	struct draw_chart_page p;
	struct mer_str svg = { 0 };
	int64_t begin = 0, end = 1;
	bool any = false;
	int rc = 0;
	for (size_t i = 0; i < x->n; i++) {
		int64_t from, to;
		if (!draw_table_range(&x->tables[i], &from, &to))
			continue;
		begin = any && begin < from ? begin : from;
		end = any && end > to ? end : to;
		any = true;
	}
	draw_chart_init(&p, begin, end, &ask->err);
	p.compact = true;
	p.task_note = without_tracer ? "without the tracer's own tasks" : NULL;
	for (size_t i = 0; i < x->n && rc == 0; i++)
		rc = draw_summary(&p, &x->tables[i], x->requests[i].analysis);
	if (rc == 0)
		rc = draw_chart_svg(&p, "CPUs, disks, network and page faults over time", &svg);
	if (rc == 0)
		rc = ask_write_picture(ask, path, &svg);
	draw_chart_fini(&p);
	mer_str_fini(&svg);
	return rc;
}

int ask_summary_plot(struct ask *ask, const struct session_answer *a, const char *path)
{
	struct picture x = { 0 };
	struct session_answer answer;
	struct session_request q = *a->request;
	find_requests(&x);
	q.tables = x.requests;
	q.n = x.n;
	q.options.n_bins = BINS;
	q.periods = NULL; /* they are known */
	q.options.periods = a->options.periods;
	q.options.n_periods = a->options.n_periods;
	q.options.found = a->options.found;
	q.stage = SESSION_DRAWING;
	bool without_tracer = false;
	int rc = session_request(a->session, &q, &answer, &ask->err);
	x.tables = answer.tables;
	if (rc == 0)
		rc = leave_out_tracer(&x, &answer.run, &without_tracer);
	if (rc == 0)
		rc = draw(&x, ask, without_tracer, path);
	session_answer_fini(&answer);
	return rc;
}
