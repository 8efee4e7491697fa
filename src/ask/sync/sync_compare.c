/* --compare: every method on the same messages, side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "ask/sync/sync_answer.h"
#include "ask/sync/sync_print.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

struct row {
	enum sync_method method;
	uint64_t n, inversions;
	int64_t min, max, median_bound, max_bound; /* INT64_MAX: not bounded */
	double mean, stddev;
	uint64_t events, outside;	 /* of guests; outside: of their CPUs' times in the guest */
	enum sync_quality worst_quality; /* of the hosts; the reference is not judged */
};

/* Joins the statistics of one direction. */
static void add_latency(struct row *row, double *m2, const struct sync_latency *l)
{
	if (!l->n)
		return;
	double n = (double)row->n, k = (double)l->n, delta = l->mean - row->mean;
	*m2 += (l->n > 1 ? l->stddev * l->stddev * (k - 1) : 0) + delta * delta * n * k / (n + k);
	row->mean += delta * k / (n + k);
	row->min = row->n == 0 || l->min < row->min ? l->min : row->min;
	row->max = row->n == 0 || l->max > row->max ? l->max : row->max;
	row->n += l->n;
	row->inversions += l->n_inversions;
}

static int by_value(const void *a, const void *b)
{
	const int64_t *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

static int fill_row(struct ask_sync *s, const struct sync_result *r, struct row *row)
{
	double m2 = 0;
	int64_t *medians = calloc(r->n_hosts ? r->n_hosts : 1, sizeof(*medians));
	size_t n = 0;
	if (!medians)
		return mer_fail_nomem(&s->ask->err);
	for (size_t i = 0; i < r->n_pairs; i++) {
		add_latency(row, &m2, &r->pairs[i].ab.after);
		add_latency(row, &m2, &r->pairs[i].ba.after);
	}
	for (uint32_t v = 0; v < r->n_vms; v++) {
		if (r->vms[v].guest == SYNC_NO_GUEST)
			continue;
		row->events += r->vms[v].n_compared;
		row->outside += r->vms[v].n_outside;
	}
	row->stddev = row->n > 1 ? sqrt(m2 / (double)(row->n - 1)) : NAN;
	row->worst_quality = SYNC_REFERENCE;
	row->max_bound = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		const struct sync_host *host = &r->hosts[h];
		if (r->references[host->group] == h)
			continue;
		medians[n++] = host->bound.median;
		if (host->bound.max > row->max_bound)
			row->max_bound = host->bound.max;
		enum sync_quality q = host->quality;
		if (q == SYNC_FAIL || (q < row->worst_quality && row->worst_quality != SYNC_FAIL))
			row->worst_quality = q;
	}
	if (n)
		qsort(medians, n, sizeof(*medians), by_value);
	row->median_bound = n ? medians[n / 2] : INT64_MAX;
	if (n == 0)
		row->max_bound = INT64_MAX;
	free(medians);
	return 0;
}

enum {
	METHOD,
	INVERSIONS,
	MESSAGES,
	BOUND_MEDIAN,
	BOUND_MAX,
	MIN,
	MEAN,
	STDDEV,
	OUTSIDE,
	QUALITY,
	N
};
static const struct mer_column columns[N + 1] = {
	[METHOD] = { "method", "Method", MER_TEXT },
	[INVERSIONS] = { "inversions", "Inversions", MER_COUNT },
	[MESSAGES] = { "messages", NULL, MER_COUNT },
	[BOUND_MEDIAN] = { "bound_p50_ns", "Bound", MER_DURATION },
	[BOUND_MAX] = { "bound_max_ns", "Max bound", MER_DURATION },
	[MIN] = { "latency_min_ns", "Min", MER_DURATION },
	[MEAN] = { "latency_mean_ns", "Mean", MER_DURATION },
	[STDDEV] = { "latency_stddev_ns", "Std dev", MER_DURATION },
	[OUTSIDE] = { "outside_percent", "Outside", MER_RATIO },
	[QUALITY] = { "quality", "Quality", MER_TEXT },
};

/* n_messages: of the method that has most of them. */
static int add_methods(struct ask_sync *s, struct mer_table *t, uint64_t *n_messages)
{
	bool for_people = s->ask->format == ASK_FORMAT_TABLE;
	int rc = 0;
	*n_messages = 0;
	for (unsigned m = SYNC_AUTO; !rc && m <= (s->result->n_vms ? SYNC_VCPU : SYNC_NONE); m++) {
		struct sync_options o = s->options;
		struct sync_result *r = NULL;
		struct row row = { .method = (enum sync_method)m };
		/* What is chosen for single hosts would blur what a method does. */
		o.method = row.method;
		o.choices = NULL;
		o.count_outside = true;
		rc = session_align_again(s->session, &s->found, &o, &r, &s->ask->err);
		if (!rc)
			rc = fill_row(s, r, &row);
		sync_result_free(r);
		if (rc)
			break;
		enum sync_quality q = row.worst_quality;
		/* vcpu has no part of them */
		*n_messages = row.n > *n_messages ? row.n : *n_messages;
		mer_table_add(
			t, (struct mer_cell[N]){
				   [METHOD] = mer_text(sync_method_name(row.method)),
				   [INVERSIONS] = MER_INT(row.inversions),
				   [MESSAGES] = MER_INT(row.n),
				   [BOUND_MEDIAN] = mer_int_unless(row.median_bound, INT64_MAX),
				   [BOUND_MAX] = mer_int_unless(row.max_bound, INT64_MAX),
				   [MIN] = row.n ? MER_INT(row.min) : MER_NONE,
				   [MEAN] = row.n ? mer_rounded(row.mean) : MER_NONE,
				   [STDDEV] = mer_rounded(row.stddev),
				   [OUTSIDE] = row.events ? MER_REAL_CELL((double)row.outside /
									  (double)row.events)
							  : MER_NONE,
				   [QUALITY] = mer_text(q == SYNC_REFERENCE ? NULL
							: for_people ? ask_sync_brief_quality(q)
								     : sync_quality_name(q)),
			   });
	}
	return rc;
}

static int print_text(struct ask_sync *s)
{
	uint64_t n_messages;
	struct mer_table t;
	mer_table_init(&t, "methods", NULL, columns, &s->ask->arena);
	int rc = add_methods(s, &t, &n_messages);
	bool has_guests = false;
	for (uint32_t v = 0; v < s->result->n_vms; v++)
		has_guests |= s->result->vms[v].guest != SYNC_NO_GUEST;
	mer_table_hide(&t, has_guests ? STDDEV : OUTSIDE); /* there is room for one */
	t.title = mer_arena_printf(&s->ask->arena,
		"Inversions: messages received before they were sent, of %" PRIu64
		". Bound, Max bound:\n"
		"median and maximum over the hosts. Min, Mean%s: latency of all messages.\n%s",
		n_messages, has_guests ? "" : ", Std dev",
		has_guests ? "Outside: events of guests while their CPU was not in the guest.\n"
			   : "");
	t.failed |= !t.title;
	if (!rc)
		rc = ask_table_print(s->ask, &t);
	mer_table_fini(&t);
	return rc;
}

static int print_answer(struct ask_sync *s)
{
	struct answer a;
	uint64_t n_messages;
	ask_sync_answer_init(s, &a);
	int rc = add_methods(s, answer_add(&a, "methods", "Methods", columns), &n_messages);
	if (!rc)
		rc = ask_answer_print(s->ask, &a);
	answer_fini(&a);
	return rc;
}

int ask_sync_print_methods(struct ask_sync *s)
{
	return s->ask->format == ASK_FORMAT_TABLE ? print_text(s) : print_answer(s);
}
