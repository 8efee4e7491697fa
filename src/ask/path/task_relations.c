/* Relations of a task: who started it, whom it started, whose work ended its waits, and who waited
 * for it. All of it is of the time that the account is of; waits count as in the table of what it
 * was blocked on, each once. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/grow.h"
#include "ask/path/task_print.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

enum relation { STARTED_BY, WAITED_FOR, KEPT_WAITING, STARTED, N_RELATIONS };

static const struct {
	const char *words, *id;
} relations[N_RELATIONS] = {
	[STARTED_BY] = { "Started by", "started_by" },
	[WAITED_FOR] = { "Waited for", "waited_for" },
	[KEPT_WAITING] = { "Kept waiting", "kept_waiting" },
	[STARTED] = { "Started", "started" },
};

struct related {
	enum relation relation;
	uint32_t host, task;
	uint32_t last_whole; /* the wait that was counted last */
	uint64_t n;
	int64_t ns;
};

struct found {
	const struct ask_cost *c;
	struct related *rows;
	size_t n, cap;
	bool failed;
};

static struct related *add(struct found *f, enum relation relation, uint32_t host, uint32_t task)
{
	for (size_t i = f->n; i-- > 0;)
		if (f->rows[i].relation == relation && f->rows[i].host == host &&
			f->rows[i].task == task)
			return &f->rows[i];
	if (!mer_grow(&f->rows, f->n, &f->cap, sizeof(*f->rows))) {
		f->failed = true;
		return NULL;
	}
	f->rows[f->n] = (struct related){
		.relation = relation, .host = host, .task = task, .last_whole = KERNEL_NONE
	};
	return &f->rows[f->n++];
}

static void add_wait(struct found *f, enum relation relation, uint32_t host, uint32_t task,
	const struct blocked_wait *w)
{
	const struct account *a = f->c->a;
	int64_t begin = w->begin > a->begin ? w->begin : a->begin;
	int64_t end = w->end < a->end ? w->end : a->end;
	struct related *r = begin < end ? add(f, relation, host, task) : NULL;
	if (!r)
		return;
	r->ns += end - begin;
	r->n += r->last_whole != w->whole;
	r->last_whole = w->whole;
}

static void find_waits(struct found *f)
{
	const struct account *a = f->c->a;
	const struct blocked *b = a->b;
	const struct blocked_host *own = &b->hosts[a->host];
	/* Its own packet, answered by another host's kernel, is no relation to a task. */
	for (size_t i = own->first[a->task]; i < own->first[a->task + 1]; i++)
		if (own->waits[i].by_task != KERNEL_NONE &&
			(own->waits[i].by_task != a->task || own->waits[i].by_host != a->host))
			add_wait(f, WAITED_FOR, own->waits[i].by_host, own->waits[i].by_task,
				&own->waits[i]);
	for (uint32_t h = 0; h < b->world->n_hosts; h++)
		for (size_t i = 0; i < b->hosts[h].n; i++) {
			const struct blocked_wait *w = &b->hosts[h].waits[i];
			if (w->by_host == a->host && w->by_task == a->task && !w->is_for_work &&
				(h != a->host || w->task != a->task))
				add_wait(f, KEPT_WAITING, h, w->task, w);
		}
}

static void find_family(struct found *f)
{
	const struct account *a = f->c->a;
	const struct kernel_host *h = &f->c->w->world->hosts[a->host];
	struct related *r;
	if (h->tasks[a->task].parent != KERNEL_NONE)
		add(f, STARTED_BY, a->host, h->tasks[a->task].parent);
	for (uint32_t t = 0; t < h->n_tasks; t++)
		if (h->tasks[t].parent == a->task && h->tasks[t].begin >= a->begin &&
			h->tasks[t].begin < a->end && (r = add(f, STARTED, a->host, t)))
			r->n = 1;
}

static int by_time(const void *x, const void *y)
{
	const struct related *a = x, *b = y;
	if (a->relation != b->relation)
		return a->relation < b->relation ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return (a->task > b->task) - (a->task < b->task);
}

static bool find(const struct ask_cost *c, struct found *f)
{
	*f = (struct found){ .c = c };
	if (c->a->b)
		find_waits(f);
	find_family(f);
	if (f->n)
		qsort(f->rows, f->n, sizeof(*f->rows), by_time);
	return !f->failed;
}

/* ---- Tables ---- */

static struct mer_cell count_of(const struct related *r)
{
	return r->relation == STARTED_BY || r->relation == STARTED ? MER_NONE
								   : MER_INT((int64_t)r->n);
}

static struct mer_cell wait_of(const struct related *r)
{
	return r->relation == STARTED_BY || r->relation == STARTED ? MER_NONE : MER_INT(r->ns);
}

int ask_cost_relations(const struct ask_cost *c, struct mer_table *t)
{
	enum { RELATION, HOST, TID, COMM, COUNT, WAIT, N };
	static const struct mer_column columns[N + 1] = {
		[RELATION] = { "relation", "Relation", MER_TEXT },
		[HOST] = { "host", "Host", MER_TEXT },
		[TID] = { "tid", "tid", MER_ID },
		[COMM] = { "comm", "comm", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[WAIT] = { "wait_ns", "Wait", MER_DURATION },
	};
	struct found f;
	bool ok = find(c, &f);
	mer_table_init(t, "relations", "Relations to other tasks", columns, &c->ask->arena);
	for (size_t i = 0; i < f.n; i++) {
		const struct related *r = &f.rows[i];
		const struct kernel_host *h = &c->w->world->hosts[r->host];
		mer_table_add(t, (struct mer_cell[N]){
					 [RELATION] = mer_text(relations[r->relation].id),
					 [HOST] = mer_text(c->w->e->hosts[r->host].name),
					 [TID] = MER_INT(h->tasks[r->task].tid),
					 [COMM] = mer_text(kernel_comm(h, r->task)),
					 [COUNT] = count_of(r),
					 [WAIT] = wait_of(r),
				 });
	}
	free(f.rows);
	return ok ? 0 : mer_fail_nomem(&c->ask->err);
}

/* "nginx/152 on server (2 waits, 239 ms)" */
static void put_related(const struct ask_cost *c, const struct related *r, struct mer_str *out)
{
	const struct kernel_host *h = &c->w->world->hosts[r->host];
	const char *comm = kernel_comm(h, r->task);
	mer_str_printf(out, "%s/%" PRId32, *comm ? comm : "?", h->tasks[r->task].tid);
	if (r->host != c->a->host)
		mer_str_printf(out, " on %s", c->w->e->hosts[r->host].name);
	if (!count_of(r).set)
		return;
	mer_str_puts(out, " (");
	ask_text_things(out, r->n, "wait", "waits");
	mer_str_puts(out, ", ");
	ask_text_duration(out, r->ns);
	mer_str_putc(out, ')');
}

/* A line for each relation: what has most of it. */
static void put_lines(const struct found *f, size_t limit, struct mer_str *out)
{
	for (size_t i = 0; i < f->n;) {
		struct mer_str line = { 0 }, clean = { 0 };
		size_t end = i;
		mer_str_printf(&line, "%s: ", relations[f->rows[i].relation].words);
		for (; end < f->n && f->rows[end].relation == f->rows[i].relation; end++)
			if (end - i < limit) {
				mer_str_puts(&line, end > i ? ", " : "");
				put_related(f->c, &f->rows[end], &line);
			}
		if (end - i > limit)
			mer_str_printf(&line, " and %zu more (-n 0 shows all)", end - i - limit);
		ask_text_clean(&clean, line.data ? line.data : "", line.len, false);
		ask_text_wrap(out, clean.data ? clean.data : "", (size_t)ask_width(f->c->ask), 2);
		out->failed |= line.failed || clean.failed;
		mer_str_fini(&clean);
		mer_str_fini(&line);
		i = end;
	}
}

int ask_cost_put_relations(const struct ask_cost *c, size_t limit, struct mer_str *out)
{
	struct found f;
	bool ok = find(c, &f);
	if (f.n)
		mer_str_puts(out, "\nRelations to other tasks\n");
	put_lines(&f, limit, out);
	free(f.rows);
	return ok ? 0 : mer_fail_nomem(&c->ask->err);
}
