/* A path for programs: everything that is known about it, times in ns. */
#include <stdlib.h>

#include "ask/path/path_others.h"
#include "ask/path/path_print.h"
#include "ask/path/path_words.h"
#include "ask/session.h"
#include "ask/print/table.h"

static void put_tid(struct mer_json *j, const char *key, int32_t tid)
{
	if (tid < 0)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, tid);
}

static const char *known_comm(const struct path *p, uint32_t host, uint32_t task)
{
	return task < p->world->hosts[host].n_tasks ? kernel_comm(&p->world->hosts[host], task)
						    : "";
}

static void put_task(struct mer_json *j, const struct path *p)
{
	const struct kernel_task *t = &p->world->hosts[p->host].tasks[p->task];
	mer_json_kv_object(j, "task");
	mer_json_kv_text(j, "host", path_host_name(p, p->host));
	put_tid(j, "tid", t->tid);
	put_tid(j, "pid", t->pid);
	ask_json_known(j, "comm", known_comm(p, p->host, p->task));
	mer_json_kv_int(j, "begin", t->begin);
	mer_json_kv_int(j, "end", t->died < t->end ? t->died : t->end);
	mer_json_end_object(j);
}

/* detail is reused from segment to segment. */
static void put_segment(const struct ask_path *c, struct mer_json *j, const struct path_segment *s,
	struct mer_str *detail)
{
	const struct path *p = c->p;
	mer_str_clear(detail);
	path_put_detail(p, s, detail);
	mer_json_begin_object(j);
	mer_json_kv_int(j, "begin", s->begin);
	mer_json_kv_int(j, "end", s->end);
	mer_json_kv_text(j, "host", path_host_name(p, s->host));
	put_tid(j, "tid", path_tid(p, s->host, s->task));
	ask_json_known(j, "comm", known_comm(p, s->host, s->task));
	mer_json_kv_text(j, "state", kernel_state_name((enum kernel_state)s->state));
	mer_json_kv_text(j, "cause", path_cause_name((enum path_cause)s->cause));
	if (path_user_state(p, s))
		mer_json_kv_text(j, "user_state", path_user_state(p, s));
	ask_json_known(j, "detail", detail->len ? detail->data : NULL);
	mer_json_kv_uint(j, "depth", s->depth);
	if (s->cpu != KERNEL_NO_CPU)
		mer_json_kv_uint(j, "cpu", s->cpu);
	if (s->in_flight)
		mer_json_kv_bool(j, "in_flight", true);
	if (ask_path_crosses(p, s) && c->w->synced &&
		c->w->synced->summary.median_ns != INT64_MAX) {
		mer_json_kv_int(j, "bound_ns", c->w->synced->summary.median_ns);
		mer_json_kv_bool(j, "below_bound", ask_path_is_below_bound(c, s));
	}
	if (s->delivery)
		mer_json_kv_bool(j, "delivery", true);
	if (s->held)
		mer_json_kv_bool(j, "held", true);
	mer_json_end_object(j);
}

static void put_end(struct mer_json *j, const char *key, const struct path *p, uint32_t host,
	uint32_t task, int64_t time)
{
	mer_json_kv_object(j, key);
	mer_json_kv_text(j, "host", path_host_name(p, host));
	put_tid(j, "tid", path_tid(p, host, task));
	mer_json_kv_int(j, "time", time);
	mer_json_end_object(j);
}

static void put_links(struct mer_json *j, const struct path *p)
{
	mer_json_kv_array(j, "links");
	for (size_t i = 0; i < p->n_links; i++) {
		const struct path_link *l = &p->links[i];
		mer_json_begin_object(j);
		put_end(j, "from", p, l->from_host, l->from_task, l->from_time);
		put_end(j, "to", p, l->to_host, l->to_task, l->to_time);
		mer_json_kv_text(j, "kind", path_link_name((enum path_link_kind)l->kind));
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

static void put_causes(struct mer_json *j, const struct path *p)
{
	mer_json_kv_array(j, "by_cause");
	for (unsigned i = 0; i < PATH_N_CAUSES; i++) {
		if (!p->by_cause[i])
			continue;
		mer_json_begin_object(j);
		mer_json_kv_text(j, "cause", path_cause_name((enum path_cause)i));
		mer_json_kv_int(j, "total_ns", p->by_cause[i]);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

static int put_shares(const struct ask_path *c, struct mer_json *j, bool tasks)
{
	const struct path *p = c->p;
	struct ask_path_share *rows;
	size_t n;
	int rc = ask_path_shares(c, tasks, &rows, &n);
	mer_json_kv_array(j, tasks ? "by_task" : "by_host");
	for (size_t i = 0; i < n; i++) {
		const struct path_share *r = &rows[i].share;
		mer_json_begin_object(j);
		mer_json_kv_text(j, "host", path_host_name(p, r->host));
		if (tasks) {
			put_tid(j, "tid", path_tid(p, r->host, r->task));
			ask_json_known(j, "comm", known_comm(p, r->host, r->task));
		}
		mer_json_kv_int(j, "total_ns", r->total_ns);
		int64_t own = r->total_ns - rows[i].in_flight_ns;
		int64_t on_cpu = r->by_cause[PATH_RUNNING] + r->by_cause[PATH_INTERRUPTED];
		mer_json_kv_int(j, "in_flight_ns", rows[i].in_flight_ns);
		mer_json_kv_int(j, "own_ns", own);
		mer_json_kv_int(j, "on_cpu_ns", on_cpu);
		mer_json_kv_int(j, "waits_ns", own - on_cpu);
		if (tasks && r->task < p->world->hosts[r->host].n_tasks)
			put_tid(j, "pid", p->world->hosts[r->host].tasks[r->task].pid);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	free(rows);
	return rc;
}

int ask_path_json(const struct ask_path *c, struct mer_str *out)
{
	const struct path *p = c->p;
	struct mer_json j;
	struct mer_str detail = { 0 };
	int rc;
	mer_json_init(&j, out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", MER_JSON_SCHEMA);
	put_task(&j, p);
	mer_json_kv_int(&j, "begin", p->begin);
	mer_json_kv_int(&j, "end", p->end);
	mer_json_kv_int(&j, "total_ns", p->end - p->begin);
	mer_json_kv_array(&j, "segments");
	for (size_t i = 0; i < p->n_segments; i++)
		put_segment(c, &j, &p->segments[i], &detail);
	mer_json_end_array(&j);
	put_links(&j, p);
	put_causes(&j, p);
	rc = put_shares(c, &j, true);
	if (rc == 0)
		rc = put_shares(c, &j, false);
	mer_json_kv_int(&j, "in_flight_ns", p->in_flight_ns);
	mer_json_kv_int(&j, "held_ns", p->held_ns);
	mer_json_kv_int(&j, "unresolved_ns", p->unresolved_ns);
	mer_json_kv_int(&j, "unexplained_ns", p->unexplained_ns);
	mer_json_kv_uint(&j, "unresolved_remote", p->n_unresolved_remote);
	ask_path_others_json(c, &j);
	if (c->holders)
		ask_request_holders_json(c->ask, c->holders, &j);
	ask_json_synced(&j, c->ask);
	ask_json_diagnostics(&j, c->w->e);
	mer_json_end_object(&j);
	out->failed |= detail.failed;
	mer_str_fini(&detail);
	return rc ? rc : mer_json_finish(&j, &c->ask->err);
}

int ask_path_rows(const struct ask_path *c, struct mer_str *out)
{
	enum {
		BEGIN,
		END,
		HOST,
		TID,
		COMM,
		STATE,
		CAUSE,
		DETAIL,
		DEPTH,
		IN_FLIGHT,
		DELIVERY,
		USER_STATE,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[BEGIN] = { "begin", NULL, MER_DATE },
		[END] = { "end", NULL, MER_DATE },
		[HOST] = { "host", NULL, MER_TEXT },
		[TID] = { "tid", NULL, MER_ID },
		[COMM] = { "comm", NULL, MER_TEXT },
		[STATE] = { "state", NULL, MER_TEXT },
		[CAUSE] = { "cause", NULL, MER_TEXT },
		[DETAIL] = { "detail", NULL, MER_TEXT },
		[DEPTH] = { "depth", NULL, MER_ID },
		[IN_FLIGHT] = { "in_flight", NULL, MER_ID },
		[DELIVERY] = { "delivery", NULL, MER_ID },
		[USER_STATE] = { "user_state", NULL, MER_TEXT },
	};
	const struct path *p = c->p;
	struct mer_str detail = { 0 };
	struct mer_intern details; /* few differ */
	struct mer_table t;
	mer_table_init(&t, "segments", NULL, columns, NULL);
	mer_intern_init(&details, &c->ask->arena);
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		const char *comm = known_comm(p, s->host, s->task);
		int32_t tid = path_tid(p, s->host, s->task);
		mer_str_clear(&detail);
		path_put_detail(p, s, &detail);
		uint32_t text = detail.len ? mer_intern_add(&details, detail.data, detail.len)
					   : MER_INTERN_NONE;
		detail.failed |= detail.len && text == MER_INTERN_NONE;
		const char *state = kernel_state_name((enum kernel_state)s->state);
		const char *cause = path_cause_name((enum path_cause)s->cause);
		bool has_detail = text != MER_INTERN_NONE;
		mer_table_add(
			&t, (struct mer_cell[N]){
				    [BEGIN] = MER_INT(s->begin),
				    [END] = MER_INT(s->end),
				    [HOST] = mer_text(path_host_name(p, s->host)),
				    [TID] = tid < 0 ? MER_NONE : MER_INT(tid),
				    [COMM] = mer_text(*comm ? comm : NULL),
				    [STATE] = mer_text(state),
				    [CAUSE] = mer_text(cause),
				    [DETAIL] = mer_text(
					    has_detail ? mer_intern_text(&details, text) : NULL),
				    [DEPTH] = MER_INT(s->depth),
				    [IN_FLIGHT] = MER_INT(s->in_flight),
				    [DELIVERY] = MER_INT(s->delivery),
				    [USER_STATE] = mer_text(path_user_state(p, s)),
			    });
	}
	ask_table_rows(c->ask, &t, mer_table_whole(&t), out);
	out->failed |= t.failed || detail.failed;
	mer_table_fini(&t);
	mer_intern_fini(&details);
	mer_str_fini(&detail);
	return 0;
}
