/* Tasks, the path of one, and lanes: from the world of the whole recording, which the session
 * keeps. A later query may need one that knows more, and frees it, so its texts are copied. */
#include <inttypes.h>

#include "ask/library/api.h"
#include "base/err.h"
#include "base/plural.h"
#include "ask/path/path_answer.h"
#include "ask/tasks.h"
#include "path/path.h"
#include "session/lanes.h"
#include "session/tasks.h"

static int find_world(struct mer_session *s, const struct mer_selection *selection,
	enum session_usage usage, struct mer_result *r, struct api_asked *x, struct mer_err *err)
{
	int rc = api_selection(s, selection, &r->arena, &x->selection, err);
	if (rc == 0)
		rc = session_synchronize(s->session, true, err);
	if (rc == 0)
		rc = session_window(s->session, &x->selection, &x->window, err);
	return rc ? rc : session_world(s->session, usage, &x->world, err);
}

int api_tasks(struct mer_session *s, const struct mer_selection *selection,
	enum session_usage usage, struct mer_result *r, struct api_asked *x, struct mer_err *err)
{
	int rc = find_world(s, selection, usage, r, x, err);
	return rc ? rc
		  : session_tasks_find(
			    &x->world, &x->selection, &x->window, &r->arena, &x->tasks, err);
}

int api_choose(const struct api_asked *x, uint64_t nth, size_t *chosen, struct mer_err *err)
{
	size_t n = x->tasks.n;
	if (!n)
		return mer_fail(err, MER_ERR_USAGE, "no task of the traces is selected");
	if (nth > n)
		return mer_fail(err, MER_ERR_USAGE,
			"number %" PRIu64 " of the tasks: only %zu %s selected", nth, n,
			mer_plural(n, "is", "are"));
	*chosen = nth ? nth - 1 : session_tasks_default(&x->world, &x->tasks);
	return 0;
}

int mer_session_tasks(struct mer_session *s, const struct mer_selection *selection,
	struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	struct api_asked x;
	int rc = api_begin_table(s, "tasks", "Tasks", ask_tasks_columns, result, err);
	if (rc)
		return rc;
	rc = api_tasks(s, selection, SESSION_USAGE_NONE, *result, &x, err);
	for (size_t i = 0; rc == 0 && i < x.tasks.n; i++)
		ask_tasks_add(&x.world, &x.tasks, i, &(*result)->own);
	api_keep_texts(*result);
	return api_end(result, rc, err);
}

/* ---- Path ---- */

enum { DURATION = PATH_SEGMENT_N_COLUMNS, CPU, CALL, N_PATH };

static void add_segment(struct mer_table *t, const struct path *p, const struct path_segment *s)
{
	const struct kernel_host *h = &p->world->hosts[s->host];
	struct mer_cell row[N_PATH] = {
		[DURATION] = MER_INT(s->end - s->begin),
		[CPU] = mer_int_unless(s->cpu, KERNEL_NO_CPU),
	};
	if (s->call != KERNEL_NONE)
		row[CALL] = mer_text(kernel_name_text(h, h->calls[s->call].name));
	ask_path_segment(p, s, t, row);
	mer_table_add(t, row);
}

int mer_session_path(struct mer_session *s, const struct mer_path_options *options,
	struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	static const struct mer_column columns[N_PATH + 1] = {
		PATH_SEGMENT_COLUMNS,
		[DURATION] = { "duration_ns", "duration", MER_DURATION },
		[CPU] = { "cpu", "CPU", MER_ID },
		[CALL] = { "syscall", "system call", MER_TEXT },
	};
	struct mer_path_options o;
	struct api_asked x;
	struct path p = { 0 };
	size_t chosen = 0;
	int rc = api_begin_table(s, "segments", "Critical path", columns, result, err);
	if (rc)
		return rc;
	rc = mer_options_read(&o, sizeof(o), 0, options, err);
	if (rc == 0)
		rc = api_tasks(s, o.selection, SESSION_USAGE_NONE, *result, &x, err);
	if (rc == 0)
		rc = api_choose(&x, o.nth, &chosen, err);
	if (rc == 0)
		rc = path_find(x.world.world, x.tasks.item[chosen].host, x.tasks.item[chosen].task,
			x.window.begin, x.window.end, &p, err);
	for (size_t i = 0; rc == 0 && i < p.n_segments; i++)
		add_segment(&(*result)->own, &p, &p.segments[i]);
	api_keep_texts(*result);
	path_fini(&p);
	return api_end(result, rc, err);
}

/* ---- Lanes ---- */

enum {
	L_LANE,
	L_HOST,
	L_CPU,
	L_TID,
	L_COMM,
	L_BEGIN,
	L_END,
	L_STATE,
	L_DURATION,
	L_CAUSE,
	L_CALL,
	N_LANE
};

static void add_lane_span(struct mer_result *r, const struct session_world *w,
	const struct session_lanes *l, const struct session_lane_span *s)
{
	const struct session_lane *lane = &l->item[s->lane];
	const struct kernel_host *h = &w->world->hosts[lane->host];
	const struct kernel_span *k = kernel_span_kept(h, s->span);
	uint32_t task = lane->is_cpu ? k ? k->task : KERNEL_NONE : lane->number;
	bool has_cpu = lane->is_cpu || (k && k->cpu != KERNEL_NO_CPU);
	bool has_task = task != KERNEL_NONE, has_call = k && k->call != KERNEL_NONE;
	mer_table_add(&r->own,
		(struct mer_cell[N_LANE]){
			[L_LANE] = MER_INT(s->lane),
			[L_HOST] = mer_text(session_task_host(w, lane->host)),
			[L_CPU] =
				has_cpu ? MER_INT(lane->is_cpu ? lane->number : k->cpu) : MER_NONE,
			[L_TID] = has_task ? mer_natural(h->tasks[task].tid) : MER_NONE,
			[L_COMM] = has_task ? api_text(r, kernel_comm(h, task)) : MER_NONE,
			[L_BEGIN] = MER_INT(s->begin),
			[L_END] = MER_INT(s->end),
			[L_STATE] = mer_text(kernel_state_name((enum kernel_state)s->state)),
			[L_DURATION] = MER_INT(s->ns),
			[L_CAUSE] =
				s->cause ? mer_text(kernel_cause_name((enum kernel_cause)s->cause))
					 : MER_NONE,
			[L_CALL] =
				has_call ? api_text(r, kernel_name_text(h, h->calls[k->call].name))
					 : MER_NONE,
		});
}

static int find_lanes(const struct mer_lane_options *o, struct mer_result *r, struct api_asked *x,
	struct session_lanes *l, struct mer_err *err)
{
	if (o->lanes == MER_LANES_CPUS)
		return session_lanes_of_cpus(&x->world, &x->selection, &r->arena, l, err);
	int rc =
		session_tasks_find(&x->world, &x->selection, &x->window, &r->arena, &x->tasks, err);
	return rc ? rc : session_lanes_of_tasks(&x->tasks, &r->arena, l, err);
}

int mer_session_lanes(struct mer_session *s, const struct mer_lane_options *options,
	struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	static const struct mer_column columns[N_LANE + 1] = {
		[L_LANE] = { "lane", "Lane", MER_ID },
		[L_HOST] = { "host", "Host", MER_TEXT },
		[L_CPU] = { "cpu", "CPU", MER_ID },
		[L_TID] = { "tid", "TID", MER_ID },
		[L_COMM] = { "comm", "Name", MER_TEXT },
		[L_BEGIN] = { "begin", "Begin", MER_DATE },
		[L_END] = { "end", "End", MER_DATE },
		[L_STATE] = { "state", "State", MER_TEXT },
		[L_DURATION] = { "duration_ns", "Duration", MER_DURATION },
		[L_CAUSE] = { "cause", "Cause", MER_TEXT },
		[L_CALL] = { "syscall", "System call", MER_TEXT },
	};
	struct mer_lane_options o;
	struct session_lanes l = { 0 };
	struct api_asked x;
	int rc = api_begin_table(s, "lanes", "Lanes", columns, result, err);
	if (rc)
		return rc;
	rc = mer_options_read(&o, sizeof(o), 0, options, err);
	if (rc == 0 && (o.lanes > MER_LANES_TASKS || o.max_bins > SESSION_LANE_BINS))
		rc = mer_fail(err, MER_ERR_USAGE,
			"lanes are one of enum mer_lanes, and max_bins %d at most",
			(int)SESSION_LANE_BINS);
	if (rc == 0)
		rc = find_world(s, o.selection, SESSION_USAGE_NONE, *result, &x, err);
	if (rc == 0)
		rc = find_lanes(&o, *result, &x, &l, err);
	if (rc == 0)
		rc = session_lanes_read(&x.world, &x.window, o.max_bins, &l, err);
	for (size_t i = 0; rc == 0 && i < l.n_spans; i++)
		add_lane_span(*result, &x.world, &l, &l.spans[i]);
	session_lanes_fini(&l);
	return api_end(result, rc, err);
}
