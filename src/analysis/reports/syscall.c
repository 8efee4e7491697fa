/* System calls: how long each took, from its entry to its exit, and what it returned.
 *
 * Calls whose begin, end or task is not known do not count: how many there are of them is told.  Every call of a host is in one pair (task and
 * name), every pair in one name, and in a bucket of that: so all outputs add up to the same. Calls that
 * had not returned when the recording ended are rows of the log without duration, and have a table; how
 * long they take is not known, so no sum has them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/rows.h"
#include "base/str.h"

struct call_row {
	struct analysis_row row;
	int64_t begin, end, ret; /* end: INT64_MIN: had not returned */
	uint32_t task, call;
};

struct name_stats {
	uint32_t name; /* in kernel_host.names */
	uint64_t errors;
	struct analysis_stats time;
	struct analysis_histogram freq;
};

struct pair_stats { /* of a task and a name */
	uint32_t task, name;
	uint32_t of; /* state.names */
	uint64_t errors;
	struct analysis_stats time;
};

struct error_count {
	uint32_t of; /* state.pairs */
	int32_t ret;
	uint64_t n;
};

/* Threads call the same few names again and again: where the pair is that was asked for last. */
enum { RECENT_BITS = 8, RECENT = 1 << RECENT_BITS };
struct recent {
	uint64_t key;
	uint32_t pair; /* plus 1; 0: nothing yet */
};

struct state {
	struct recent recent[RECENT];
	struct mer_map name_map, pair_map, error_map; /* to a number below, plus 1 */
	struct name_stats *names;
	struct pair_stats *pairs;
	struct error_count *errors;
	size_t n_names, cap_names, n_pairs, cap_pairs, n_errors, cap_errors;
	struct analysis_rows log, top; /* top stays empty without limit: then log has all */
	struct analysis_rows open;     /* had not returned */
	struct analysis_wanted wanted; /* by name */
	bool is_recorded;	       /* some call is, whether it counts or not */
};

enum { STATS, TOTAL, TASKS, HOSTS, ERRORS, LEFT_OUT, TOP, UNFINISHED, LOG, FREQ };

static void free_state(void *state)
{
	struct state *s = state;
	mer_map_fini(&s->name_map);
	mer_map_fini(&s->pair_map);
	mer_map_fini(&s->error_map);
	free(s->names);
	free(s->pairs);
	free(s->errors);
	analysis_rows_fini(&s->log);
	analysis_rows_fini(&s->top);
	analysis_rows_fini(&s->open);
	analysis_wanted_fini(&s->wanted);
}

/* ---- while reading ---- */

static struct name_stats *name_of(struct state *s, uint32_t name)
{
	uint32_t *at = mer_map_put(&s->name_map, name);
	if (at && *at)
		return &s->names[*at - 1];
	struct name_stats *n =
		at ? mer_grow_at(&s->names, &s->cap_names, s->n_names, sizeof(*n)) : NULL;
	if (!n)
		return NULL;
	n->name = name;
	*at = (uint32_t)++s->n_names;
	return n;
}

static struct pair_stats *pair_of(struct state *s, uint32_t task, uint32_t name)
{
	uint64_t key = (uint64_t)task << 32 | name;
	struct recent *recent = &s->recent[key * 0x9E3779B97F4A7C15u >> (64 - RECENT_BITS)];
	if (recent->pair && recent->key == key)
		return &s->pairs[recent->pair - 1];
	uint32_t *at = mer_map_put(&s->pair_map, key);
	if (at && *at) {
		*recent = (struct recent){ key, *at };
		return &s->pairs[*at - 1];
	}
	struct name_stats *n = at ? name_of(s, name) : NULL;
	struct pair_stats *p =
		n ? mer_grow_at(&s->pairs, &s->cap_pairs, s->n_pairs, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->task = task;
	p->name = name;
	p->of = (uint32_t)(n - s->names);
	*at = (uint32_t)++s->n_pairs;
	return p;
}

/* of: a pair. */
static bool count_error(struct state *s, uint32_t of, int64_t ret)
{
	uint32_t *at = mer_map_put(&s->error_map, (uint64_t)of << 32 | (uint32_t)ret);
	if (at && !*at) {
		struct error_count *e =
			mer_grow_at(&s->errors, &s->cap_errors, s->n_errors, sizeof(*e));
		if (!e)
			return false;
		e->of = of;
		e->ret = (int32_t)ret;
		*at = (uint32_t)++s->n_errors;
	}
	if (at)
		s->errors[*at - 1].n++;
	return at != NULL;
}

/* As analysis_wants_name; calls without a name are in no table. */
static int wants_call(const struct analysis_host *a, const struct kernel_host *h, uint32_t call)
{
	struct state *s = a->state;
	uint32_t name = h->calls[call].name;
	return name == KERNEL_NONE
		       ? 0
		       : analysis_wants_name(a, &s->wanted, name, kernel_name_text(h, name));
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	uint32_t name = h->calls[c->call].name;
	int64_t took = c->end - c->begin;
	uint64_t limit = a->run->options->limit;
	s->is_recorded = true;
	int wanted = wants_call(a, h, c->call);
	if (wanted <= 0 || !analysis_counts(a, c->begin, c->end) ||
		!analysis_wants_cpu(a, c->cpu) || !analysis_wants_task(a, h, c->task))
		return wanted < 0 ? wanted : 0;
	struct pair_stats *p = pair_of(s, c->task, name);
	if (!p)
		return mer_fail_nomem(a->err);
	struct name_stats *n = &s->names[p->of];
	bool failed = analysis_error_name(c->ret) != NULL;
	analysis_stats_add(&p->time, took, c->begin);
	n->freq.n[analysis_bucket(took)]++;
	p->errors += failed;
	struct call_row row = { .row.key = c->begin,
		.begin = c->begin,
		.end = c->end,
		.ret = c->ret,
		.task = c->task,
		.call = c->call };
	bool ok = !failed || count_error(s, (uint32_t)(p - s->pairs), c->ret);
	/* Without limit log is all there is to keep. */
	if (analysis_asks(a, LOG) || (!limit && analysis_asks(a, TOP)))
		ok = ok && analysis_rows_add(&s->log, &row, sizeof(row), limit);
	row.row.key = -took;
	if (ok && limit && analysis_asks(a, TOP))
		ok = analysis_rows_add(&s->top, &row, sizeof(row), limit);
	return ok ? 0 : mer_fail_nomem(a->err);
}

/* How long it will take is not known: what it took so far decides whether it is shown. */
static int on_open_call(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	struct call_row row = { .row.key = c->begin,
		.begin = c->begin,
		.end = INT64_MIN,
		.task = c->task,
		.call = c->call };
	uint64_t limit = a->run->options->limit;
	int wanted = wants_call(a, h, c->call);
	if (wanted <= 0 || !analysis_counts(a, c->begin, h->end) ||
		!analysis_wants_cpu(a, c->cpu) || !analysis_wants_task(a, h, c->task))
		return wanted < 0 ? wanted : 0;
	bool ok = !analysis_asks(a, LOG) || analysis_rows_add(&s->log, &row, sizeof(row), limit);
	/* All: not more than there are tasks. */
	ok = ok && analysis_rows_add(&s->open, &row, sizeof(row), 0);
	return ok ? 0 : mer_fail_nomem(a->err);
}

/* A name is the sum of its pairs. */
static int on_end(struct analysis_host *a, const struct kernel_host *h)
{
	struct state *s = a->state;
	(void)h;
	for (size_t i = 0; i < s->n_pairs; i++) {
		struct name_stats *n = &s->names[s->pairs[i].of];
		analysis_stats_merge(&n->time, &s->pairs[i].time);
		n->errors += s->pairs[i].errors;
	}
	return 0;
}

/* ---- tables ---- */

struct named { /* a name of a host */
	const char *name;
	uint32_t host, of;
	int64_t total; /* of all hosts; for by_total */
};

static int by_name(const void *a, const void *b)
{
	const struct named *p = a, *q = b;
	int c = strcmp(p->name, q->name);
	return c ? c : (p->host > q->host) - (p->host < q->host);
}

/* The names of all hosts, equal ones together; malloc'ed. */
static struct named *all_names(const struct analysis_run *run, size_t *n)
{
	*n = 0;
	for (uint32_t h = 0; h < run->e->n_hosts; h++)
		*n += ((const struct state *)run->states[h])->n_names;
	struct named *all = malloc((*n + 1) * sizeof(*all));
	size_t k = 0;
	for (uint32_t h = 0; all && h < run->e->n_hosts; h++) {
		const struct state *s = run->states[h];
		for (uint32_t i = 0; i < s->n_names; i++)
			all[k++] = (struct named){
				kernel_name_text(&run->world->hosts[h], s->names[i].name), h, i, 0
			};
	}
	if (all)
		qsort(all, *n, sizeof(*all), by_name);
	return all;
}

/* The most first, so that a few histograms are those that matter. */
static int by_total(const void *a, const void *b)
{
	const struct named *p = a, *q = b;
	if (p->total != q->total)
		return p->total > q->total ? -1 : 1;
	return by_name(a, b);
}

/* all: in the order of their names. */
static void order_by_total(const struct analysis_run *run, struct named *all, size_t n)
{
	for (size_t i = 0, k, end; i < n; i = end) {
		int64_t total = 0;
		for (end = i; end < n && strcmp(all[end].name, all[i].name) == 0; end++) {
			const struct state *s = run->states[all[end].host];
			total += s->names[all[end].of].time.total;
		}
		for (k = i; k < end; k++)
			all[k].total = total;
	}
	qsort(all, n, sizeof(*all), by_total);
}

/* Sums up from *i on what has one name, and moves *i behind it. */
static void join_name(const struct analysis_run *run, const struct named *all, size_t n, size_t *i,
	struct name_stats *sum)
{
	const char *name = all[*i].name;
	*sum = (struct name_stats){ 0 };
	for (; *i < n && strcmp(all[*i].name, name) == 0; (*i)++) {
		const struct state *s = run->states[all[*i].host];
		const struct name_stats *x = &s->names[all[*i].of];
		analysis_stats_merge(&sum->time, &x->time);
		sum->errors += x->errors;
		for (unsigned b = 0; b < ANALYSIS_BUCKETS; b++)
			sum->freq.n[b] += x->freq.n[b];
	}
}

/* None that counts is a total of 0; none recorded is not known. */
static bool any_recorded(const struct analysis_run *run)
{
	for (uint32_t h = 0; h < run->e->n_hosts; h++)
		if (((const struct state *)run->states[h])->is_recorded)
			return true;
	return false;
}

/* Over all of the recording. Calls that were under way when it began are a few; where events were lost there
 * are many. */
static void emit_left_out(struct analysis_run *run, struct mer_table *t)
{
	enum { FEW = 1000 };
	const struct analysis_options *o = run->options;
	if (o->wants_name || analysis_limits_durations(o)) /* what these are is not known */
		return;
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		uint64_t n = run->world->hosts[h].n_calls_left_out;
		bool any_lost = false;
		for (uint32_t i = 0; i < run->e->n_traces; i++) {
			const struct mer_trace *x = &run->e->traces[i];
			any_lost |= x->host == h && (x->lost_events || x->lost_packets);
		}
		struct mer_cell cells[] = { mer_text(analysis_host_name(run, h)), MER_INT(n) };
		if (n && (any_lost || n >= FEW) && (!o->wants_host || o->wants_host(o->ctx, h)))
			mer_table_add(t, cells);
	}
}

static int emit_names(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	size_t n;
	struct named *all = all_names(run, &n);
	struct name_stats sum, total = { 0 };
	struct mer_cell cells[2 + ANALYSIS_STATS_CELLS];
	if (!all)
		return mer_fail_nomem(run->err);
	if (output == FREQ)
		order_by_total(run, all, n);
	for (size_t i = 0; i < n;) {
		cells[0] = mer_text(all[i].name);
		join_name(run, all, n, &i, &sum);
		cells[1] = MER_INT(sum.errors);
		analysis_stats_cells(&sum.time, cells + 2);
		if (output == FREQ)
			analysis_freq_rows(t, cells, 1, &sum.freq);
		else if (output == STATS)
			mer_table_add(t, cells);
		analysis_stats_merge(&total.time, &sum.time);
		total.errors += sum.errors;
	}
	free(all);
	if (output == TOTAL && any_recorded(run)) {
		cells[0] = MER_INT(total.errors);
		analysis_stats_cells(&total.time, cells + 1);
		mer_table_add(t, cells);
	}
	return 0;
}

static void emit_hosts(struct analysis_run *run, struct mer_table *t)
{
	struct mer_cell cells[3 + ANALYSIS_STATS_CELLS];
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct state *s = run->states[h];
		for (size_t i = 0; i < s->n_names; i++) {
			cells[0] = mer_text(analysis_host_name(run, h));
			cells[1] =
				mer_text(kernel_name_text(&run->world->hosts[h], s->names[i].name));
			cells[2] = MER_INT(s->names[i].errors);
			analysis_stats_cells(&s->names[i].time, cells + 3);
			mer_table_add(t, cells);
		}
	}
}

static int by_pair(const void *a, const void *b)
{
	const struct error_count *p = a, *q = b;
	if (p->of != q->of)
		return p->of < q->of ? -1 : 1;
	return (p->n < q->n) - (p->n > q->n);
}

/* "12, ENOENT 3": how many did what they should, and the errors of the others, the most frequent first.
 * errors: sorted by_pair; *k: the first that is not of a pair before this one. */
static const char *results(struct analysis_run *run, const struct state *s, size_t pair, size_t *k)
{
	const struct pair_stats *p = &s->pairs[pair];
	const char *text = NULL;
	struct mer_str list = { 0 };
	if (p->time.n > p->errors)
		mer_str_printf(&list, "ok %" PRIu64, p->time.n - p->errors);
	for (; *k < s->n_errors && s->errors[*k].of == pair; ++*k)
		mer_str_printf(&list, "%s%s %" PRIu64, list.len ? ", " : "",
			analysis_ret_text(&run->arena, 0, s->errors[*k].ret), s->errors[*k].n);
	if (list.data && !list.failed)
		text = mer_arena_strdup(&run->arena, list.data);
	mer_str_fini(&list);
	return text;
}

static int emit_tasks(struct analysis_run *run, struct mer_table *t)
{
	struct mer_cell cells[ANALYSIS_TASK_CELLS + 3 + ANALYSIS_STATS_CELLS];
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct state *s = run->states[h];
		size_t k = 0;
		if (s->n_errors)
			qsort(s->errors, s->n_errors, sizeof(*s->errors), by_pair);
		for (size_t i = 0; i < s->n_pairs; i++) {
			const struct pair_stats *p = &s->pairs[i];
			analysis_task_cells(run, h, p->task, INT64_MAX, cells);
			cells[ANALYSIS_TASK_CELLS] =
				mer_text(kernel_name_text(&run->world->hosts[h], p->name));
			cells[ANALYSIS_TASK_CELLS + 1] = MER_INT(p->errors);
			analysis_stats_cells(&p->time, cells + ANALYSIS_TASK_CELLS + 2);
			const char *returned = results(run, s, i, &k);
			if (!returned)
				return mer_fail_nomem(run->err);
			cells[ANALYSIS_TASK_CELLS + 2 + ANALYSIS_STATS_CELLS] = mer_text(returned);
			mer_table_add(t, cells);
		}
	}
	return 0;
}

static int by_name_and_error(const void *a, const void *b)
{
	const struct error_count *p = a, *q = b;
	if (p->of != q->of)
		return p->of < q->of ? -1 : 1;
	return (p->ret > q->ret) - (p->ret < q->ret);
}

/* Those of all threads together. */
static int emit_errors(struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	const struct state *s = run->states[host];
	const struct kernel_host *h = &run->world->hosts[host];
	struct error_count *all = malloc((s->n_errors + 1) * sizeof(*all));
	if (!all)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < s->n_errors; i++) {
		all[i] = s->errors[i];
		all[i].of = s->pairs[all[i].of].of; /* names instead of pairs */
	}
	qsort(all, s->n_errors, sizeof(*all), by_name_and_error);
	for (size_t i = 0, k; i < s->n_errors; i = k) {
		const char *name = kernel_name_text(h, s->names[all[i].of].name);
		uint64_t n = 0;
		for (k = i; k < s->n_errors && by_name_and_error(&all[i], &all[k]) == 0; k++)
			n += all[k].n;
		struct mer_cell cells[] = { mer_text(analysis_host_name(run, host)), mer_text(name),
			mer_text(analysis_ret_text(&run->arena, 0, all[i].ret)), MER_INT(n) };
		mer_table_add(t, cells);
	}
	free(all);
	return 0;
}

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct state *)state)->log;
}

static const struct analysis_rows *top_of(const void *state)
{
	return &((const struct state *)state)->top;
}

static const struct analysis_rows *open_of(const void *state)
{
	return &((const struct state *)state)->open;
}

static int emit_open(struct analysis_run *run, struct mer_table *t)
{
	enum { MORE = 4 };
	size_t n;
	struct analysis_row_of *rows =
		analysis_rows_join_all(run, open_of, sizeof(struct call_row), &n);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct call_row *r = rows[i].row;
		const struct kernel_host *h = &run->world->hosts[rows[i].host];
		const struct kernel_call *c = &h->calls[r->call];
		const struct kernel_span *now = kernel_span_kept(h, h->tasks[r->task].last);
		struct mer_cell cells[MORE + ANALYSIS_TASK_CELLS + 1] = { MER_INT(r->begin),
			MER_INT(h->end - r->begin), mer_text(kernel_name_text(h, c->name)) };
		if (c->object != KERNEL_NONE)
			cells[3] = mer_text(kernel_name_text(h, c->object));
		analysis_task_cells(run, rows[i].host, r->task, h->end, cells + MORE);
		if (now)
			cells[MORE + ANALYSIS_TASK_CELLS] =
				mer_text(kernel_state_name((enum kernel_state)now->state));
		mer_table_add(t, cells);
	}
	free(rows);
	return 0;
}

static int emit_rows(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	size_t n;
	bool is_top = output == TOP && run->options->limit;
	struct analysis_row_of *rows = analysis_rows_join(
		run, is_top ? top_of : log_of, sizeof(struct call_row), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct call_row *r = rows[i].row;
		const struct kernel_host *h = &run->world->hosts[rows[i].host];
		const struct kernel_call *c = &h->calls[r->call];
		const char *name = kernel_name_text(h, c->name);
		bool is_open = r->end == INT64_MIN;
		if (is_open && output == TOP)
			continue; /* in a table of their own */
		struct mer_cell cells[8 + ANALYSIS_TASK_CELLS] = { MER_INT(r->begin) };
		cells[3] = mer_text(name);
		if (c->object != KERNEL_NONE)
			cells[4] = mer_text(kernel_name_text(h, c->object));
		analysis_task_cells(
			run, rows[i].host, r->task, is_open ? h->end : r->end, cells + 5);
		if (is_open) {
			cells[9] = mer_text("(not yet)");
			cells[11] = MER_INT(h->end - r->begin);
		} else {
			cells[1] = MER_INT(r->end);
			cells[2] = MER_INT(r->end - r->begin);
			cells[9] = mer_text(
				analysis_ret_text(&run->arena, kernel_call_classes(c->id), r->ret));
			cells[10] = MER_INT(r->ret);
		}
		mer_table_add(t, cells);
	}
	free(rows);
	return 0;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	int rc = 0;
	switch (output) {
	case TASKS: return emit_tasks(run, t);
	case HOSTS: emit_hosts(run, t); return 0;
	case LEFT_OUT: emit_left_out(run, t); return 0;
	case ERRORS:
		for (uint32_t h = 0; h < run->e->n_hosts && rc == 0; h++)
			rc = emit_errors(run, h, t);
		return rc;
	case UNFINISHED: return emit_open(run, t);
	case TOP:
	case LOG: return emit_rows(run, output, t);
	default: return emit_names(run, output, t);
	}
}

static const struct mer_column stats_columns[] = { { "name", "call", MER_TEXT },
	{ "errors", "errors", MER_COUNT }, ANALYSIS_STATS_COLUMNS, { 0 } };
static const struct mer_column total_columns[] = { { "errors", "errors", MER_COUNT },
	ANALYSIS_STATS_COLUMNS, { 0 } };
static const struct mer_column host_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "call", MER_TEXT }, { "errors", "errors", MER_COUNT }, ANALYSIS_STATS_COLUMNS,
	{ 0 } };
static const struct mer_column task_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "name", "call", MER_TEXT }, { "errors", "errors", MER_COUNT }, ANALYSIS_STATS_COLUMNS,
	{ "returned", "returned", MER_TEXT }, { 0 } };
static const struct mer_column open_columns[] = { { "begin", "begin", MER_TIME },
	{ "so_far_ns", "so far", MER_DURATION }, { "name", "call", MER_TEXT },
	{ "object", "object", MER_TEXT }, ANALYSIS_TASK_COLUMNS, { "state", "state", MER_TEXT },
	{ 0 } };
static const struct mer_column error_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "call", MER_TEXT }, { "error", "error", MER_TEXT },
	{ "count", "count", MER_COUNT }, { 0 } };
static const struct mer_column left_out_columns[] = { { "host", "host", MER_TEXT },
	{ "left_out", "calls", MER_COUNT }, { 0 } };
static const struct mer_column row_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "name", "call", MER_TEXT }, { "object", "object", MER_TEXT }, ANALYSIS_TASK_COLUMNS,
	{ "ret", "returned", MER_TEXT }, { "ret_value", NULL, MER_ID },
	{ "so_far_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column freq_columns[] = { { "name", "call", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };

static const struct analysis_output outputs[] = { [STATS] = { "stats", "System calls by name",
							  stats_columns, .sort = "total_ns" },
	[TOTAL] = { "stats_total", "All system calls", total_columns, .sort = NULL },
	[TASKS] = { "tasks", "System calls by thread and name", task_columns, .sort = "total_ns" },
	[HOSTS] = { "hosts", "System calls by host and name", host_columns, .sort = "total_ns" },
	[ERRORS] = { "stats_errors", "Errors that system calls returned", error_columns,
		.sort = "count" },
	[LEFT_OUT] = { "stats_left_out", "System calls left out: their start or task is unknown",
		left_out_columns, .sort = NULL },
	[TOP] = { "top", "The longest system calls", row_columns, .sort = "duration_ns" },
	[UNFINISHED] = { "top_unfinished", "System calls that had not returned at the end",
		open_columns, .sort = "so_far_ns" },
	[LOG] = { "log", "System calls", row_columns, .sort = NULL },
	[FREQ] = { "freq", "Duration of system calls", freq_columns, .sort = NULL },
	{ 0 } };

const struct analysis analysis_syscall = {
	.id = "syscall",
	.title = "System calls",
	.help = "duration, results and errors of system calls, by name and thread",
	.by_duration = ANALYSIS_ALL_OUTPUTS,
	.by_name = ANALYSIS_ALL_OUTPUTS,
	.names = "system call",
	.outputs = outputs,
	.calls = 1u << TOP | 1u << UNFINISHED | 1u << LOG,
	.worth = "duration_ns name total_ns count max_ns errors ret",
	.state_size = sizeof(struct state),
	.on = { .call = on_call, .open_call = on_open_call },
	.end = on_end,
	.emit = emit,
	.free_state = free_state,
};
