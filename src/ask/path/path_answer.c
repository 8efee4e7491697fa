#include "ask/path/path_answer.h"

#include <stdlib.h>

#include "ask/path/path_others.h"
#include "ask/path/path_words.h"

enum { BATCH = 1024 }; /* rows at a time */

static struct mer_cell host_cell(const struct path *p, uint32_t host)
{
	return mer_text(path_host_name(p, host));
}

static struct mer_cell comm_cell(const struct path *p, uint32_t host, uint32_t task)
{
	const struct kernel_host *h = &p->world->hosts[host];
	const char *comm = task < h->n_tasks ? kernel_comm(h, task) : "";
	return mer_text(*comm ? comm : NULL);
}

/* ---- Segments ---- */

static struct mer_cell detail_cell(
	const struct path *p, const struct path_segment *s, struct mer_table *t)
{
	struct mer_str detail = { 0 };
	path_put_detail(p, s, &detail);
	struct mer_cell cell = mer_table_keep(t, &detail);
	return cell.set && !*cell.v.text ? MER_NONE : cell;
}

void ask_path_segment(const struct path *p, const struct path_segment *s, struct mer_table *t,
	struct mer_cell *row)
{
	row[PATH_SEGMENT_BEGIN] = MER_INT(s->begin);
	row[PATH_SEGMENT_END] = MER_INT(s->end);
	row[PATH_SEGMENT_HOST] = host_cell(p, s->host);
	row[PATH_SEGMENT_TID] = mer_natural(path_tid(p, s->host, s->task));
	row[PATH_SEGMENT_COMM] = comm_cell(p, s->host, s->task);
	row[PATH_SEGMENT_STATE] = mer_text(kernel_state_name((enum kernel_state)s->state));
	row[PATH_SEGMENT_CAUSE] = mer_text(path_cause_name((enum path_cause)s->cause));
	row[PATH_SEGMENT_DETAIL] = detail_cell(p, s, t);
	row[PATH_SEGMENT_DEPTH] = MER_INT(s->depth);
	row[PATH_SEGMENT_IN_FLIGHT] = MER_INT(s->in_flight);
	row[PATH_SEGMENT_DELIVERY] = MER_INT(s->delivery);
	row[PATH_SEGMENT_USER_STATE] = mer_text(path_user_state(p, s));
}

static int more_segments(void *ctx, struct mer_table *t, struct mer_err *err)
{
	struct ask_path_answer *x = ctx;
	const struct path *p = x->c->p;
	size_t end = p->n_segments - x->at < BATCH ? p->n_segments : x->at + BATCH;
	(void)err; /* memory: t says so */
	for (; x->at < end; x->at++) {
		struct mer_cell row[PATH_SEGMENT_N_COLUMNS];
		ask_path_segment(p, &p->segments[x->at], t, row);
		mer_table_add(t, row);
	}
	return 0;
}

enum { CPU_ROW, CPU_CPU, CPU_N };

/* Most have one: this is a table of its own so that its rows are short. */
static int more_cpus(void *ctx, struct mer_table *t, struct mer_err *err)
{
	struct ask_path_answer *x = ctx;
	const struct path *p = x->c->p;
	(void)err;
	for (; x->at_cpu < p->n_segments && t->n_rows < BATCH; x->at_cpu++) {
		const struct path_segment *s = &p->segments[x->at_cpu];
		if (s->cpu != KERNEL_NO_CPU)
			mer_table_add(t, (struct mer_cell[CPU_N]){
						 [CPU_ROW] = MER_INT(x->at_cpu + 1),
						 [CPU_CPU] = MER_INT(s->cpu),
					 });
	}
	return 0;
}

enum { PACKET_ROW, PACKET_HELD, PACKET_BOUND, PACKET_BELOW, PACKET_N };

static int more_packets(void *ctx, struct mer_table *t, struct mer_err *err)
{
	struct ask_path_answer *x = ctx;
	const struct ask_path *c = x->c;
	const struct path *p = c->p;
	int64_t bound = c->w->synced ? c->w->synced->summary.median_ns : INT64_MAX;
	(void)err;
	for (; x->at_packet < p->n_segments && t->n_rows < BATCH; x->at_packet++) {
		const struct path_segment *s = &p->segments[x->at_packet];
		bool is_bound = bound != INT64_MAX && ask_path_crosses(p, s);
		struct mer_cell row[PACKET_N] = {
			[PACKET_ROW] = MER_INT(x->at_packet + 1), [PACKET_HELD] = MER_INT(s->held)
		};
		if (!is_bound && !s->held)
			continue;
		if (is_bound) {
			row[PACKET_BOUND] = MER_INT(bound);
			row[PACKET_BELOW] = MER_INT(ask_path_is_below_bound(c, s));
		}
		mer_table_add(t, row);
	}
	return 0;
}

static void add_segments(struct ask_path_answer *x, struct answer *a)
{
	static const struct mer_column segments[PATH_SEGMENT_N_COLUMNS + 1] = {
		PATH_SEGMENT_COLUMNS
	};
	static const struct mer_column cpus[CPU_N + 1] = {
		[CPU_ROW] = { "row", NULL, MER_ID },
		[CPU_CPU] = { "cpu", NULL, MER_ID },
	};
	static const struct mer_column packets[PACKET_N + 1] = {
		[PACKET_ROW] = { "row", NULL, MER_ID },
		[PACKET_HELD] = { "held", NULL, MER_ID },
		[PACKET_BOUND] = { "bound_ns", NULL, MER_DURATION },
		[PACKET_BELOW] = { "below_bound", NULL, MER_ID },
	};
	answer_stream(a, "segments", NULL, segments, more_segments, x);
	answer_stream_beside(a, "segment_cpus", NULL, cpus, more_cpus, x);
	answer_stream_beside(a, "segment_packets", NULL, packets, more_packets, x);
}

/* ---- Links ---- */

enum {
	LINK_FROM_HOST,
	LINK_FROM_TID,
	LINK_FROM_TIME,
	LINK_TO_HOST,
	LINK_TO_TID,
	LINK_TO_TIME,
	LINK_KIND,
	LINK_N
};

static int more_links(void *ctx, struct mer_table *t, struct mer_err *err)
{
	struct ask_path_answer *x = ctx;
	const struct path *p = x->c->p;
	(void)err;
	for (; x->at_link < p->n_links && t->n_rows < BATCH; x->at_link++) {
		const struct path_link *l = &p->links[x->at_link];
		mer_table_add(
			t, (struct mer_cell[LINK_N]){
				   [LINK_FROM_HOST] = host_cell(p, l->from_host),
				   [LINK_FROM_TID] =
					   mer_natural(path_tid(p, l->from_host, l->from_task)),
				   [LINK_FROM_TIME] = MER_INT(l->from_time),
				   [LINK_TO_HOST] = host_cell(p, l->to_host),
				   [LINK_TO_TID] = mer_natural(path_tid(p, l->to_host, l->to_task)),
				   [LINK_TO_TIME] = MER_INT(l->to_time),
				   [LINK_KIND] =
					   mer_text(path_link_name((enum path_link_kind)l->kind)),
			   });
	}
	return 0;
}

static void add_links(struct ask_path_answer *x, struct answer *a)
{
	static const struct mer_column columns[LINK_N + 1] = {
		[LINK_FROM_HOST] = { "from_host", NULL, MER_TEXT },
		[LINK_FROM_TID] = { "from_tid", NULL, MER_ID },
		[LINK_FROM_TIME] = { "from_time", NULL, MER_TIME },
		[LINK_TO_HOST] = { "to_host", NULL, MER_TEXT },
		[LINK_TO_TID] = { "to_tid", NULL, MER_ID },
		[LINK_TO_TIME] = { "to_time", NULL, MER_TIME },
		[LINK_KIND] = { "kind", NULL, MER_TEXT },
	};
	answer_stream_beside(a, "links", NULL, columns, more_links, x);
}

/* ---- Sums ---- */

static void add_task(const struct path *p, struct answer *a)
{
	enum { HOST, TID, PID, COMM, BEGIN, END, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", NULL, MER_TEXT },
		[TID] = { "tid", NULL, MER_ID },
		[PID] = { "pid", NULL, MER_ID },
		[COMM] = { "comm", NULL, MER_TEXT },
		[BEGIN] = { "begin", NULL, MER_TIME },
		[END] = { "end", NULL, MER_TIME },
	};
	const struct kernel_task *k = &p->world->hosts[p->host].tasks[p->task];
	mer_table_add(answer_add_beside(a, "task", NULL, columns),
		(struct mer_cell[N]){
			[HOST] = host_cell(p, p->host),
			[TID] = mer_natural(k->tid),
			[PID] = mer_natural(k->pid),
			[COMM] = comm_cell(p, p->host, p->task),
			[BEGIN] = MER_INT(k->begin),
			[END] = MER_INT(k->died < k->end ? k->died : k->end),
		});
}

static void add_whole(const struct path *p, struct answer *a)
{
	enum { TOTAL, IN_FLIGHT, HELD, UNRESOLVED, UNEXPLAINED, REMOTE, N };
	static const struct mer_column columns[N + 1] = {
		[TOTAL] = { "total_ns", NULL, MER_DURATION },
		[IN_FLIGHT] = { "in_flight_ns", NULL, MER_DURATION },
		[HELD] = { "held_ns", NULL, MER_DURATION },
		[UNRESOLVED] = { "unresolved_ns", NULL, MER_DURATION },
		[UNEXPLAINED] = { "unexplained_ns", NULL, MER_DURATION },
		[REMOTE] = { "unresolved_remote", NULL, MER_COUNT },
	};
	mer_table_add(answer_add_beside(a, "path", NULL, columns),
		(struct mer_cell[N]){
			[TOTAL] = MER_INT(p->end - p->begin),
			[IN_FLIGHT] = MER_INT(p->in_flight_ns),
			[HELD] = MER_INT(p->held_ns),
			[UNRESOLVED] = MER_INT(p->unresolved_ns),
			[UNEXPLAINED] = MER_INT(p->unexplained_ns),
			[REMOTE] = MER_INT(p->n_unresolved_remote),
		});
}

static void add_causes(const struct path *p, struct answer *a)
{
	enum { CAUSE, TOTAL, N };
	static const struct mer_column columns[N + 1] = {
		[CAUSE] = { "cause", "cause", MER_TEXT },
		[TOTAL] = { "total_ns", "total", MER_DURATION },
	};
	struct mer_table *t = answer_add_beside(a, "by_cause", NULL, columns);
	for (unsigned i = 0; i < PATH_N_CAUSES; i++)
		if (p->by_cause[i])
			mer_table_add(
				t, (struct mer_cell[N]){
					   [CAUSE] = mer_text(path_cause_name((enum path_cause)i)),
					   [TOTAL] = MER_INT(p->by_cause[i]),
				   });
}

enum { SHARE_COLUMNS = 9 }; /* at most */
#define SHARE_SUMS                                                                                 \
	{ "total_ns", "total", MER_DURATION }, { "in_flight_ns", "in flight", MER_DURATION },      \
		{ "own_ns", "own", MER_DURATION }, { "on_cpu_ns", "on CPU", MER_DURATION },        \
	{                                                                                          \
		"waits_ns", "waits", MER_DURATION                                                  \
	}

static void add_share(
	const struct path *p, const struct ask_path_share *s, bool of_task, struct mer_table *t)
{
	const struct path_share *r = &s->share;
	const struct kernel_host *h = &p->world->hosts[r->host];
	int64_t own = r->total_ns - s->in_flight_ns;
	int64_t on_cpu = r->by_cause[PATH_RUNNING] + r->by_cause[PATH_INTERRUPTED];
	struct mer_cell row[SHARE_COLUMNS];
	size_t n = 0;
	row[n++] = host_cell(p, r->host);
	if (of_task) {
		row[n++] = mer_natural(path_tid(p, r->host, r->task));
		row[n++] = comm_cell(p, r->host, r->task);
	}
	row[n++] = MER_INT(r->total_ns);
	row[n++] = MER_INT(s->in_flight_ns);
	row[n++] = MER_INT(own);
	row[n++] = MER_INT(on_cpu);
	row[n++] = MER_INT(own - on_cpu);
	if (of_task)
		row[n++] = r->task < h->n_tasks ? mer_natural(h->tasks[r->task].pid) : MER_NONE;
	mer_table_add(t, row);
}

static int add_shares(const struct ask_path *c, bool of_tasks, struct answer *a)
{
	static const struct mer_column of_host[] = { { "host", "host", MER_TEXT }, SHARE_SUMS,
		{ 0 } };
	static const struct mer_column of_task[] = { { "host", "host", MER_TEXT },
		{ "tid", "tid", MER_ID }, { "comm", "comm", MER_TEXT }, SHARE_SUMS,
		{ "pid", NULL, MER_ID }, { 0 } };
	struct mer_table *t = answer_add_beside(
		a, of_tasks ? "by_task" : "by_host", NULL, of_tasks ? of_task : of_host);
	struct ask_path_share *rows;
	size_t n;
	int rc = ask_path_shares(c, of_tasks, &rows, &n);
	for (size_t i = 0; rc == 0 && i < n; i++)
		add_share(c->p, &rows[i], of_tasks, t);
	free(rows);
	return rc;
}

int ask_path_answer(const struct ask_path *c, struct ask_path_answer *x, struct answer *a)
{
	const struct path *p = c->p;
	*x = (struct ask_path_answer){ .c = c };
	a->begin = p->begin;
	a->end = p->end;
	add_segments(x, a);
	add_task(p, a);
	add_whole(p, a);
	add_causes(p, a);
	int rc = add_shares(c, true, a);
	if (rc == 0)
		rc = add_shares(c, false, a);
	if (rc)
		return rc;
	ask_path_add_others(c, a);
	if (c->holders)
		ask_request_holders_table(c->holders, a);
	add_links(x, a);
	return 0;
}
