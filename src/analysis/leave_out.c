#include "analysis/leave_out.h"

#include <stdlib.h>
#include <string.h>

#include "path/blocked.h"
#include "analysis/tracer.h"

#define IDLE_PART 0.8 /* share of a duration */

struct finder {
	const struct analysis_run *run;
	struct mer_map hosts;  /* hash of a name -> host, plus 1 */
	struct mer_map tracer; /* analysis_task_key of its tasks and processes */
	struct mer_map tasks;  /* host and tid -> the newest such task, plus 1 */
	struct blocked blocked;
	bool knows_idle;
	/* columns of the table; SIZE_MAX: it has none */
	size_t host, tid, pid, comm, begin, duration;
	size_t class, count; /* of rows that are waits themselves, or groups of them */
};

static bool add_host(struct finder *f, uint32_t host)
{
	const struct kernel_host *h = &f->run->world->hosts[host];
	const char *name = analysis_host_name(f->run, host);
	uint32_t *at = mer_map_put(&f->hosts, mer_hash(name, strlen(name)));
	bool *is = at ? analysis_tracer_tasks(h) : NULL, ok = is != NULL;
	if (at && !*at)
		*at = host + 1;
	for (uint32_t i = 0; ok && i < h->n_tasks; i++) {
		const struct kernel_task *t = &h->tasks[i];
		at = mer_map_put(&f->tasks, (uint64_t)host << 32 | (uint32_t)t->tid);
		ok = at != NULL;
		if (at)
			*at = i + 1;
		if (!ok || !is[i])
			continue;
		ok = mer_map_put(&f->tracer,
			analysis_task_key(host, t->tid, analysis_comm(f->run, host, i)));
	}
	free(is);
	return ok;
}

static const struct mer_cell *cell(const struct mer_table *t, size_t row, size_t column)
{
	return &t->cells[row * t->n_columns + column];
}

/* KERNEL_NONE: the host was not read. */
static uint32_t host_of(const struct finder *f, const struct mer_table *t, size_t row)
{
	const struct mer_cell *c = cell(t, row, f->host);
	const uint32_t *at =
		c->set ? mer_map_get(&f->hosts, mer_hash(c->v.text, strlen(c->v.text))) : NULL;
	return at && *at ? *at - 1 : KERNEL_NONE;
}

static bool is_tracer(const struct finder *f, const struct mer_table *t, size_t row)
{
	const struct mer_cell *tid = cell(t, row, f->tid), *comm = cell(t, row, f->comm);
	if (!tid->set && f->pid != SIZE_MAX) /* a row of a process among those of threads */
		tid = cell(t, row, f->pid);
	uint32_t host = host_of(f, t, row);
	return host != KERNEL_NONE && tid->set && comm->set &&
	       mer_map_get(&f->tracer, analysis_task_key(host, tid->v.i, comm->v.text));
}

static int64_t duration_of(const struct finder *f, const struct mer_table *t, size_t row)
{
	return f->duration != SIZE_MAX && cell(t, row, f->duration)->set
		       ? cell(t, row, f->duration)->v.i
		       : 0;
}

/* The task with this number that lived at this time: the newest one that had begun. */
static uint32_t task_at(const struct finder *f, uint32_t host, int64_t tid, int64_t time)
{
	const struct kernel_host *h = &f->run->world->hosts[host];
	const uint32_t *at = mer_map_get(&f->tasks, (uint64_t)host << 32 | (uint32_t)tid);
	uint32_t task = at && *at ? *at - 1 : KERNEL_NONE;
	while (task != KERNEL_NONE && (h->tasks[task].tid != tid || h->tasks[task].begin > time))
		task = task ? task - 1 : KERNEL_NONE;
	return task;
}

/* parts of a row's duration: idle waits; idle waits and waits for threads or processes that the
 * task started */
struct part {
	int64_t idle, told;
};

static bool find_part(const struct finder *f, const struct mer_table *t, size_t row, struct part *p)
{
	uint32_t host = host_of(f, t, row);
	const struct mer_cell *tid = cell(t, row, f->tid);
	if (!f->knows_idle || f->begin == SIZE_MAX || host == KERNEL_NONE || !tid->set)
		return false;
	int64_t begin = cell(t, row, f->begin)->v.i, ns = duration_of(f, t, row);
	*p = (struct part){ 0 };
	uint32_t task = task_at(f, host, tid->v.i, begin);
	if (task == KERNEL_NONE || ns <= 0)
		return false;
	const struct blocked_wait *first =
		&f->blocked.hosts[host].waits[f->blocked.hosts[host].first[task]];
	for (const struct blocked_wait *w = blocked_before(&f->blocked, host, task, begin + ns);
		w && w >= first && w->end > begin; w--) {
		int64_t part = (w->end < begin + ns ? w->end : begin + ns) -
			       (w->begin > begin ? w->begin : begin);
		bool idle = blocked_class_of(w, false) != BLOCKED_REQUEST;
		p->idle += idle ? part : 0;
		if (idle || blocked_started_of(&f->blocked, host, w) != BLOCKED_NOT_STARTED)
			p->told += part;
	}
	return (double)p->told >= IDLE_PART * (double)ns;
}

/* A row of waits that delayed nobody. */
static bool is_idle(const struct finder *f, const struct mer_table *t, size_t row)
{
	return f->class != SIZE_MAX &&
	       strcmp(cell(t, row, f->class)->v.text, blocked_class_name(BLOCKED_REQUEST)) != 0;
}

static struct analysis_left_row judge(const struct finder *f, const struct mer_table *t, size_t r)
{
	struct analysis_left_row x = { ANALYSIS_KEPT, 1, duration_of(f, t, r) };
	struct part part;
	if (is_tracer(f, t, r)) {
		x.why = ANALYSIS_OF_TRACER;
	} else if (is_idle(f, t, r)) {
		x.why = ANALYSIS_IDLE;
		x.n = f->count == SIZE_MAX ? 1 : (uint64_t)cell(t, r, f->count)->v.i;
	} else if (f->class == SIZE_MAX && find_part(f, t, r, &part)) {
		x.why = 2 * part.idle >= part.told ? ANALYSIS_IDLE : ANALYSIS_STARTED;
	}
	return x;
}

void analysis_left_out_add(struct analysis_left_out *sum, const struct analysis_left_row *row)
{
	switch (row->why) {
	case ANALYSIS_KEPT: break;
	case ANALYSIS_OF_TRACER:
		sum->n_tracer += row->n;
		sum->tracer_ns += row->ns;
		break;
	case ANALYSIS_IDLE:
		sum->n_idle += row->n;
		sum->idle_ns += row->ns;
		break;
	case ANALYSIS_STARTED:
		sum->n_started += row->n;
		sum->started_ns += row->ns;
		break;
	}
}

static size_t first_column(const struct mer_table *t, const char *const *keys)
{
	size_t c = SIZE_MAX;
	for (; *keys && c == SIZE_MAX; keys++)
		c = mer_table_column(t, *keys);
	return c;
}

static bool find_columns(struct finder *f, const struct mer_table *t, bool idle)
{
	static const char *const tids[] = { "tid", "pid", NULL };
	static const char *const durations[] = { "duration_ns", "so_far_ns", "latency_ns",
		"self_ns", NULL };
	f->host = mer_table_column(t, "host");
	f->tid = first_column(t, tids);
	f->pid = mer_table_column(t, "pid");
	f->comm = mer_table_column(t, "comm");
	f->begin = mer_table_column(t, "begin");
	f->duration = first_column(t, durations);
	f->class = idle ? mer_table_column(t, "class") : SIZE_MAX;
	f->count = mer_table_column(t, "count");
	if (f->class != SIZE_MAX && f->duration == SIZE_MAX)
		f->duration = mer_table_column(t, "total_ns");
	return f->host != SIZE_MAX && f->tid != SIZE_MAX && f->comm != SIZE_MAX;
}

int analysis_judge_rows(struct analysis_run *run, const struct mer_table *t, bool idle,
	struct analysis_left_row *rows)
{
	struct finder f = { .run = run };
	int rc = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		rows[r] = (struct analysis_left_row){ .why = ANALYSIS_KEPT };
	if (!run->world || !t->n_rows || !find_columns(&f, t, idle))
		return 0;
	for (uint32_t i = 0; i < run->world->n_hosts && rc == 0; i++)
		rc = add_host(&f, i) ? 0 : mer_fail_nomem(run->err);
	f.knows_idle = idle && f.class == SIZE_MAX && run->options->keep_spans;
	if (rc == 0 && f.knows_idle)
		rc = blocked_find(run->world, &f.blocked, run->err);
	for (size_t r = 0; r < t->n_rows && rc == 0; r++)
		rows[r] = judge(&f, t, r);
	if (f.blocked.world)
		blocked_fini(&f.blocked);
	mer_map_fini(&f.hosts);
	mer_map_fini(&f.tracer);
	mer_map_fini(&f.tasks);
	return rc;
}

int analysis_leave_out(
	struct analysis_run *run, struct mer_table *t, bool idle, struct analysis_left_out *sum)
{
	struct analysis_left_row *rows = malloc((t->n_rows + 1) * sizeof(*rows));
	int rc = rows ? analysis_judge_rows(run, t, idle, rows) : mer_fail_nomem(run->err);
	size_t n = 0;
	for (size_t r = 0; r < t->n_rows && rc == 0; r++) {
		analysis_left_out_add(sum, &rows[r]);
		if (rows[r].why != ANALYSIS_KEPT)
			continue;
		if (n < r)
			memcpy(&t->cells[n * t->n_columns], &t->cells[r * t->n_columns],
				t->n_columns * sizeof(*t->cells));
		n++;
	}
	t->n_rows = rc ? t->n_rows : n;
	free(rows);
	return rc;
}
