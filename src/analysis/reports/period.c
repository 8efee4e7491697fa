/* The periods themselves (period.h): each, the longest, how long they lasted. A period counts as a
 * whole if it begins in the selected time, on a selected host and CPU. */
#include "analysis/period.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"

enum { TOP, LOG, FREQ, FREQ_KEY, STATS, STATS_KEY };

static int64_t length_of(const struct analysis_whole_period *x)
{
	return x->end - x->begin;
}

static bool is_wanted(const struct analysis_run *run, const struct analysis_whole_period *x)
{
	const struct analysis_options *o = run->options;
	return length_of(x) >= o->min_ns && length_of(x) <= o->max_ns &&
	       analysis_is_asked(o, x->begin) &&
	       (!o->wants_host || o->wants_host(o->ctx, x->from.host)) &&
	       (!o->wants_cpu ||
		       (x->from.cpu != KERNEL_NO_CPU && o->wants_cpu(o->ctx, x->from.cpu)));
}

static int by_length(const void *a, const void *b)
{
	const struct analysis_whole_period *const *p = a, *const *q = b;
	int64_t x = length_of(*p), y = length_of(*q);
	if (x != y)
		return x > y ? -1 : 1;
	return (*p > *q) - (*p < *q);
}

static int by_key(const void *a, const void *b)
{
	const struct analysis_whole_period *const *p = a, *const *q = b;
	if ((*p)->key != (*q)->key)
		return (*p)->key < (*q)->key ? -1 : 1;
	return (*p > *q) - (*p < *q);
}

/* The selected periods, in time order or in that of compare: malloc'ed; NULL: no memory. */
static const struct analysis_whole_period **choose(
	const struct analysis_run *run, int (*compare)(const void *, const void *), size_t *n)
{
	const struct analysis_periods *p = run->options->found;
	const struct analysis_whole_period **chosen = malloc((p->n + 1) * sizeof(*chosen));
	*n = 0;
	for (size_t i = 0; chosen && i < p->n; i++)
		if (is_wanted(run, &p->all[i]))
			chosen[(*n)++] = &p->all[i];
	if (chosen && compare && *n)
		qsort(chosen, *n, sizeof(*chosen), compare);
	return chosen;
}

static struct mer_cell key_cell(struct analysis_run *run, uint32_t key)
{
	const struct analysis_periods *p = run->options->found;
	return mer_text(analysis_period_key_text(p, run->e, key, &run->arena));
}

/* ---- each ---- */

enum { AT_CELLS = 4 };

static void at_cells(
	const struct analysis_run *run, const struct analysis_period_at *at, struct mer_cell *cells)
{
	const struct analysis_periods *p = run->options->found;
	cells[0] = mer_text(analysis_host_name(run, at->host));
	cells[1] = mer_int_unless(at->cpu, KERNEL_NO_CPU);
	cells[2] = mer_natural(at->tid);
	cells[3] =
		mer_text(at->comm == MER_INTERN_NONE ? NULL : mer_intern_text(&p->texts, at->comm));
}

static void emit_rows(struct analysis_run *run, const struct analysis_whole_period *const *chosen,
	size_t n, struct mer_table *t)
{
	uint64_t limit = run->options->limit;
	size_t kept = limit && n > limit ? (size_t)limit : n;
	for (size_t i = 0; i < kept; i++) {
		const struct analysis_whole_period *x = chosen[i];
		struct mer_cell cells[4 + 2 * AT_CELLS] = { MER_INT(x->begin), MER_INT(x->end),
			MER_INT(length_of(x)), key_cell(run, x->key) };
		at_cells(run, &x->from, cells + 4);
		at_cells(run, &x->to, cells + 4 + AT_CELLS);
		mer_table_add(t, cells);
	}
	t->n_left_out += n - kept;
}

/* ---- how long ---- */

/* How much of the selected time the chosen periods cover, their ends included. chosen: in time
 * order. */
static int64_t covered(
	const struct analysis_run *run, const struct analysis_whole_period *const *chosen, size_t n)
{
	int64_t sum = 0, end = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		const struct analysis_whole_period *x = chosen[i];
		int64_t to = x->end + (x->end < INT64_MAX);
		if (to <= end)
			continue;
		sum += analysis_overlap(run->options, x->begin > end ? x->begin : end, to);
		end = to;
	}
	return sum;
}

static void emit_stats(struct analysis_run *run, const struct analysis_whole_period *const *chosen,
	size_t n, struct mer_table *t)
{
	struct analysis_stats sum = { 0 };
	struct mer_cell cells[ANALYSIS_STATS_CELLS + 1];
	for (size_t i = 0; i < n; i++)
		analysis_stats_add(&sum, length_of(chosen[i]), chosen[i]->begin);
	if (n == 0)
		return;
	analysis_stats_cells(&sum, cells);
	cells[ANALYSIS_STATS_CELLS] = MER_INT(covered(run, chosen, n));
	mer_table_add(t, cells);
}

static void emit_freq(
	const struct analysis_whole_period *const *chosen, size_t n, struct mer_table *t)
{
	struct analysis_histogram f = { 0 };
	for (size_t i = 0; i < n; i++)
		f.n[analysis_bucket(length_of(chosen[i]))]++;
	struct mer_cell none;
	analysis_freq_rows(t, &none, 0, &f);
}

/* The same by key. chosen: sorted by key. */
static void emit_keys(struct analysis_run *run, const struct analysis_whole_period *const *chosen,
	size_t n, bool freq, struct mer_table *t)
{
	for (size_t i = 0, end; i < n; i = end) {
		struct analysis_stats sum = { 0 };
		struct analysis_histogram f = { 0 };
		struct mer_cell cells[1 + ANALYSIS_STATS_CELLS];
		for (end = i; end < n && chosen[end]->key == chosen[i]->key; end++) {
			analysis_stats_add(&sum, length_of(chosen[end]), chosen[end]->begin);
			f.n[analysis_bucket(length_of(chosen[end]))]++;
		}
		cells[0] = key_cell(run, chosen[i]->key);
		analysis_stats_cells(&sum, cells + 1);
		if (freq)
			analysis_freq_rows(t, cells, 1, &f);
		else
			mer_table_add(t, cells);
	}
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	const struct analysis_periods *p = run->options->found;
	bool of_keys = output == FREQ_KEY || output == STATS_KEY;
	size_t n;
	if (!p)
		return mer_fail_remedy(run->err, MER_ERR_USAGE, MER_REMEDY_PERIOD_NEEDED,
			"this analysis needs periods between two events");
	if (of_keys && !p->is_keyed)
		return 0;
	const struct analysis_whole_period **chosen = choose(run,
		output == TOP ? by_length
		: of_keys     ? by_key
			      : NULL,
		&n);
	if (!chosen)
		return mer_fail_nomem(run->err);
	switch (output) {
	case TOP:
	case LOG: emit_rows(run, chosen, n, t); break;
	case STATS: emit_stats(run, chosen, n, t); break;
	case FREQ: emit_freq(chosen, n, t); break;
	default: emit_keys(run, chosen, n, output == FREQ_KEY, t);
	}
	free(chosen);
	return 0;
}

static const struct mer_column row_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "key", "key", MER_TEXT }, { "host", "host", MER_TEXT }, { "cpu", "CPU", MER_ID },
	{ "tid", "tid", MER_ID }, { "comm", "comm", MER_TEXT },
	{ "end_host", "ended on", MER_TEXT }, { "end_cpu", "end CPU", MER_ID },
	{ "end_tid", "end tid", MER_ID }, { "end_comm", "by", MER_TEXT }, { 0 } };
static const struct mer_column freq_columns[] = { ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct mer_column freq_key_columns[] = { { "key", "key", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct mer_column stats_columns[] = { ANALYSIS_STATS_COLUMNS,
	{ "covered_ns", "covered", MER_DURATION }, { 0 } };
static const struct mer_column stats_key_columns[] = { { "key", "key", MER_TEXT },
	ANALYSIS_STATS_COLUMNS, { 0 } };

static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Longest periods", row_columns, .sort = "duration_ns" },
	[LOG] = { "log", "Periods", row_columns, .sort = NULL },
	[FREQ] = { "freq", "Duration of periods", freq_columns, .sort = NULL },
	[FREQ_KEY] = { "freq_key", "Duration of periods, by key", freq_key_columns, .sort = NULL },
	[STATS] = { "stats", "Periods", stats_columns, .sort = NULL },
	[STATS_KEY] = { "stats_key", "Periods by key", stats_key_columns, .sort = "total_ns" },
	{ 0 },
};

const struct analysis analysis_period = {
	.id = "period",
	.title = "Periods",
	.help = "the periods between two events: hosts, tasks, durations",
	.of_periods = true,
	.outputs = outputs,
	.worth = "duration_ns end_host end_comm end_tid",
	.emit = emit,
};
