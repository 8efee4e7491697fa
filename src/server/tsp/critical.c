/* The critical path of a task: a row for each task of each host that it goes through, in the order
 * in which it gets there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "kernel/span.h"
#include "server/tsp/state.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MAX_ARROWS = 4000 };
/* Number of the row of a host's kernel; no thread has this number. */
static const uint32_t KERNEL_ROW = UINT32_MAX - 1;

struct tsp_segment { /* texts belong to the result */
	int64_t begin, end;
	const char *host, *comm, *state, *cause, *call;
	int64_t tid, row; /* row: id of its entry; -1: unknown host */
	bool in_flight;
};

struct shown {
	const struct mer_experiment *e;
	const struct tsp_segment *item;
	size_t n;
};

/* ---- Finding it ---- */

struct columns {
	size_t begin, end, host, tid, comm, state, cause, call, in_flight;
};

static void read_segment(const struct mer_experiment *e, const struct mer_result *r,
	const struct columns *c, size_t i, struct tsp_segment *s)
{
	int64_t in_flight = 0;
	*s = (struct tsp_segment){ .tid = -1 };
	mer_result_int(r, i, c->begin, &s->begin);
	mer_result_int(r, i, c->end, &s->end);
	mer_result_text(r, i, c->host, &s->host);
	mer_result_int(r, i, c->tid, &s->tid);
	mer_result_text(r, i, c->comm, &s->comm);
	mer_result_text(r, i, c->state, &s->state);
	mer_result_text(r, i, c->cause, &s->cause);
	mer_result_text(r, i, c->call, &s->call);
	mer_result_int(r, i, c->in_flight, &in_flight);
	s->in_flight = in_flight != 0;
	uint32_t host = tsp_host(e, s->host);
	s->row = host == KERNEL_NONE
			 ? -1
			 : tsp_entry(TSP_PATH, host, s->tid < 0 ? KERNEL_ROW : (uint32_t)s->tid);
}

static struct tsp_segment *read_segments(const struct mer_experiment *e, const struct mer_result *r)
{
	size_t n = mer_result_n_rows(r);
	struct tsp_segment *s = calloc(n + 1, sizeof(*s));
	const struct columns c = { mer_result_column(r, "begin"), mer_result_column(r, "end"),
		mer_result_column(r, "host"), mer_result_column(r, "tid"),
		mer_result_column(r, "comm"), mer_result_column(r, "state"),
		mer_result_column(r, "cause"), mer_result_column(r, "syscall"),
		mer_result_column(r, "in_flight") };
	for (size_t i = 0; s && i < n; i++)
		read_segment(e, r, &c, i, &s[i]);
	return s;
}

static int find(struct tsp *t, const struct tsp_kept_path **path, struct mer_err *err)
{
	struct tsp_state *x = t->state;
	struct tsp_derived of;
	if (!tsp_parse_derived(t->m.words[1], &of))
		of = (struct tsp_derived){ KERNEL_NONE, 0 };
	for (size_t i = 0; i < TSP_KEPT_PATHS; i++)
		if (x->paths[i].path && x->paths[i].of.host == of.host &&
			x->paths[i].of.tid == of.tid) {
			*path = &x->paths[i];
			return 0;
		}
	struct mer_selection selection = MER_OPTIONS(struct mer_selection);
	struct mer_path_options o = MER_OPTIONS(struct mer_path_options);
	struct mer_result *r = NULL;
	uint32_t tid = (uint32_t)of.tid;
	if (of.host != KERNEL_NONE) {
		selection.hosts = (const char *const *)&tsp_experiment_of(t)->hosts[of.host].name;
		selection.n_hosts = 1;
		selection.tids = &tid;
		selection.n_tids = 1;
		o.selection = &selection;
	}
	int rc = mer_session_path(t->traces->session, &o, &r, err);
	struct tsp_segment *segments = rc ? NULL : read_segments(tsp_experiment_of(t), r);
	if (!segments) {
		mer_result_free(r);
		return rc ? rc : mer_fail_nomem(err);
	}
	struct tsp_kept_path *kept = &x->paths[x->next_path++ % TSP_KEPT_PATHS];
	free(kept->segments);
	mer_result_free(kept->path);
	*kept = (struct tsp_kept_path){ of, r, segments };
	*path = kept;
	return 0;
}

static int open_path(struct tsp *t, struct shown *p, struct mer_err *err)
{
	const struct tsp_kept_path *path = NULL;
	int rc = find(t, &path, err);
	*p = (struct shown){ .e = tsp_experiment_of(t) };
	if (rc)
		return rc;
	p->item = path->segments;
	p->n = mer_result_n_rows(path->path);
	return 0;
}

/* ---- Names of Trace Compass ---- */

static bool is(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

static const char *style_of(const struct tsp_segment *s)
{
	static const struct {
		const char *cause, *style;
	} waits[] = { { "disk", "Block device" }, { "network", "Network" }, { "timer", "Timer" },
		{ "input", "User input" }, { "ipi", "IPI" } };
	if (s->in_flight)
		return "Network";
	if (is(s->state, kernel_state_name(KERNEL_INTERRUPTED)))
		return is(s->cause, kernel_cause_name(KERNEL_STOLEN))	    ? "Stolen"
		       : is(s->cause, kernel_cause_name(KERNEL_HYPERVISOR)) ? "Hypervisor"
									    : "Interrupted";
	if (is(s->state, kernel_state_name(KERNEL_RUNNABLE)))
		return "Preempted";
	if (is(s->state, kernel_state_name(KERNEL_UNKNOWN)))
		return "Unknown";
	if (!is(s->state, kernel_state_name(KERNEL_BLOCKED)))
		return "Running";
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (is(s->cause, waits[i].cause))
			return waits[i].style;
	return "Blocked";
}

/* ---- Answers ---- */

static void put_host(struct tsp *t, uint32_t h)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	const char *label = e->hosts[h].name;
	tsp_begin_entry(&t->j, tsp_entry(TSP_HOST, h, 0), -1, &label, 1, e->begin, e->end, false);
	mer_json_end_object(&t->j);
}

static void put_row(struct tsp *t, const struct tsp_segment *s)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	char name[300], tid[24] = "";
	const char *labels[] = { name, tid };
	snprintf(name, sizeof(name), "%.290s", s->tid < 0 ? "(kernel)" : s->comm ? s->comm : "");
	if (s->tid >= 0)
		snprintf(tid, sizeof(tid), "%" PRId64, s->tid);
	tsp_begin_entry(&t->j, s->row, tsp_entry(TSP_HOST, tsp_host(e, s->host), 0), labels, 2,
		e->begin, e->end, true);
	mer_json_end_object(&t->j);
}

int tsp_critical_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Worker", "host, and thread", NULL },
		{ "TID", "number of the thread", "NUMBER" } };
	struct shown p;
	struct mer_map seen = { 0 };
	int rc = open_path(t, &p, err);
	tsp_begin_tree(&t->j, headers, 2, -1);
	for (uint32_t h = 0; rc == 0 && h < p.e->n_hosts && h < TSP_MAX_HOSTS; h++) {
		bool has_row = false;
		for (size_t i = 0; i < p.n; i++) {
			const struct tsp_segment s = p.item[i];
			if (s.row < 0 || tsp_host(p.e, s.host) != h)
				continue;
			uint32_t *known = mer_map_put(&seen, (uint64_t)s.row);
			if (!known || (*known)++)
				continue;
			if (!has_row)
				put_host(t, h);
			has_row = true;
			put_row(t, &s);
		}
	}
	tsp_end_tree(&t->j);
	mer_map_fini(&seen);
	return rc;
}

/* The row's states in the window. */
static void put_states(struct tsp *t, const struct shown *p, const struct session_window *w,
	int64_t width, int64_t row)
{
	struct tsp_shown shown = tsp_shown(NULL, width);
	tsp_begin_row(&t->j, row);
	for (size_t i = 0; i < p->n; i++) {
		const struct tsp_segment *s = &p->item[i];
		struct tsp_state_of state = { s->begin, s->end, s->call, style_of(s),
			{ { NULL, NULL, s->comm, NULL, s->host }, { s->tid, -1, -1, -1 } } };
		if (s->row == row && s->end > w->begin && s->begin < w->end)
			tsp_put_state(t, &shown, &state);
	}
	tsp_end_row(&t->j);
}

int tsp_critical_states(struct tsp *t, struct mer_err *err)
{
	enum { MAX_ROWS = 2000 };
	struct shown p;
	struct mer_map seen = { 0 };
	struct session_window w = tsp_window(t);
	int rc = open_path(t, &p, err);
	size_t n_rows = 0;
	int64_t width = (w.end - w.begin) / tsp_bins(t, 1);
	bool is_few = p.n < 20000;
	mer_json_begin_object(&t->j);
	mer_json_kv_array(&t->j, "rows");
	for (size_t i = 0; rc == 0 && i < p.n && n_rows < MAX_ROWS; i++) {
		const struct tsp_segment s = p.item[i];
		uint32_t *known = s.row < 0 ? NULL : mer_map_put(&seen, (uint64_t)s.row);
		if (!known || (*known)++ || !tsp_is_asked(&t->q, s.row))
			continue;
		put_states(t, &p, &w, is_few ? 0 : width, s.row);
		n_rows++;
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	mer_map_fini(&seen);
	return rc;
}

/* An arrow wherever the path goes from one row to another. */
int tsp_critical_arrows(struct tsp *t, struct mer_err *err)
{
	struct shown p;
	struct tsp_segment before = { .row = -1 };
	struct session_window w = tsp_window(t);
	size_t n = 0;
	int rc = open_path(t, &p, err);
	mer_json_begin_array(&t->j);
	for (size_t i = 0; rc == 0 && i < p.n && n < MAX_ARROWS; i++) {
		const struct tsp_segment s = p.item[i];
		bool is_other = before.row >= 0 && s.row >= 0 && s.row != before.row;
		if (is_other && s.begin >= w.begin && s.begin < w.end) {
			mer_json_begin_object(&t->j);
			mer_json_kv_int(&t->j, "sourceId", before.row);
			mer_json_kv_int(&t->j, "targetId", s.row);
			mer_json_kv_int(&t->j, "start", before.end);
			mer_json_kv_int(&t->j, "end", s.begin);
			tsp_put_style(
				&t->j, strcmp(before.host, s.host) == 0 ? "arrow" : "message");
			mer_json_end_object(&t->j);
			n++;
		}
		before = s;
	}
	mer_json_end_array(&t->j);
	return rc;
}

int tsp_critical_tooltip(struct tsp *t, struct mer_err *err)
{
	struct shown p;
	int rc = open_path(t, &p, err);
	int64_t row = t->q.n_items ? t->q.items[0] : t->q.element_entry;
	int64_t time = t->q.n_given ? t->q.times[0] : t->q.element_time;
	mer_json_begin_object(&t->j);
	for (size_t i = 0; rc == 0 && i < p.n; i++) {
		const struct tsp_segment s = p.item[i];
		if (s.row != row || time < s.begin || time >= s.end)
			continue;
		mer_json_kv_text(&t->j, "Host", s.host);
		mer_json_kv_text(&t->j, "Thread", s.comm ? s.comm : "(kernel)");
		mer_json_kv_text(&t->j, "State", s.state);
		if (s.cause)
			mer_json_kv_text(&t->j, "Cause", s.cause);
		if (s.call)
			mer_json_kv_text(&t->j, "System call", s.call);
		tsp_put_duration(&t->j, "Duration", s.end - s.begin);
		break;
	}
	mer_json_end_object(&t->j);
	return rc;
}
